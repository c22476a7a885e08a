package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer adds a token to every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// tokens are those of two users, one that only reads, and one that is no longer valid.
func tokens(_ context.Context, token string) (Token, error) {
	switch token {
	case "ada-token":
		return Token{User: "ada", Scopes: []string{"mcp"}}, nil
	case "keeper-token":
		return Token{User: "ada", Scopes: []string{"mcp", "gates"}}, nil
	case "bob-token":
		return Token{User: "bob", Scopes: []string{"mcp"}}, nil
	case "reader":
		return Token{User: "ada", Scopes: []string{"runs:read"}}, nil
	case "old":
		return Token{User: "ada", Scopes: []string{"mcp"}, Expires: time.Unix(1000, 0)}, nil
	}
	return Token{}, ErrToken
}

func (w *world) listen(h HTTP) *httptest.Server {
	w.t.Helper()
	handler, err := w.Handler(h)
	if err != nil {
		w.t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	w.t.Cleanup(web.Close)
	return web
}

// A run belongs to who opened it: with another's token there is no such run, whatever is called.
func TestUsersAreApart(t *testing.T) {
	w := newWorld(t, nil)
	web := w.listen(HTTP{Tokens: tokens, Scope: "mcp"})
	over := func(token string) *client {
		return dial(t, &mcp.StreamableClientTransport{Endpoint: web.URL + Path, HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
	}
	ada, bob := over("ada-token"), over("bob-token")
	run := ada.call("research_open", args{"question": "What does the ferry of Halden carry?"})["run"]
	ada.call("ingest_source", args{"run": run, "text": "The ferry carries goats and their keepers across.", "name": "a.txt"})
	found := ada.call("search", args{"query": "goats"})
	for tool, a := range map[string]args{
		"list_sources": {"run": run}, "search_corpus": {"run": run, "query": "goats"}, "quote": {"run": run, "source_id": "S1", "needle": "goats and their keepers"},
		"record_finding": {"run": run, "claim": "x", "quote": "y", "span": "S1:para.1", "subquestion": "q1"}, "plan": {"run": run, "subquestions": []string{"x"}, "reason": "y"},
		"ingest_source": {"run": run, "text": "t", "name": "b.txt"}, "write_report": {"run": run}, "research_status": {"run": run}, "research_stop": {"run": run},
		"research_report": {"run": run}, "verify_report": {"run": run}, "fetch": {"id": fmt.Sprint(run, ":S1")},
	} {
		if text := bob.refused(tool, a); strings.Contains(text, "goats") || !strings.Contains(text, "there is no run") {
			t.Errorf("%s: %s", tool, text)
		}
	}
	if hits := bob.call("search", args{"query": "goats keepers"})["results"].([]any); strings.Contains(fmt.Sprint(hits), "goats") {
		t.Errorf("bob finds %v", hits)
	}
	// What stands alone names its run; what belongs to a session need not.
	if id := fmt.Sprint(found["results"].([]any)[0].(map[string]any)["id"]); !strings.Contains(id, ":") {
		t.Error(id)
	} else if doc := ada.call("fetch", args{"id": id}); !strings.Contains(fmt.Sprint(doc["text"]), "goats") {
		t.Errorf("%v", doc)
	}
}

// Who has no token, or a wrong one, is told where to get one (RFC 6750, RFC 9728).
func TestTokens(t *testing.T) {
	w := newWorld(t, nil)
	web := w.listen(HTTP{Tokens: tokens, Scope: "mcp", URL: "https://ibid.example/mcp", AuthorizationServers: []string{"https://login.example"}})
	ask := func(token string) *http.Response {
		r, err := http.NewRequest("POST", web.URL+Path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp
	}
	for token, want := range map[string]int{"": 401, "wrong": 401, "old": 401, "reader": 403} {
		resp := ask(token)
		if challenge := resp.Header.Get("WWW-Authenticate"); resp.StatusCode != want ||
			!strings.Contains(challenge, `resource_metadata="https://ibid.example/.well-known/oauth-protected-resource/mcp"`) || !strings.Contains(challenge, `scope="mcp"`) {
			t.Errorf("%q: %d %s", token, resp.StatusCode, challenge)
		}
	}
	if resp := ask("ada-token"); resp.StatusCode != 200 {
		t.Errorf("%d", resp.StatusCode)
	}
	for _, path := range []string{"", "/mcp"} {
		resp, err := http.Get(web.URL + "/.well-known/oauth-protected-resource" + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		var m struct {
			Resource string
			Servers  []string `json:"authorization_servers"`
		}
		if err := json.Unmarshal(body, &m); err != nil || m.Resource != "https://ibid.example/mcp" || len(m.Servers) != 1 {
			t.Errorf("%s: %v %s", path, err, body)
		}
	}
}

// A page in a browser cannot have it speak to a server on this machine, under its own name or another.
func TestOnlyKnownNames(t *testing.T) {
	w := newWorld(t, nil)
	web := w.listen(HTTP{URL: "https://ibid.example/mcp", Hosts: []string{"ibid.internal"}, Origins: []string{"https://chat.example"}})
	for _, tt := range []struct {
		host, origin string
		want         int
	}{
		{"", "", 200}, {"localhost", "", 200}, {"ibid.example", "", 200}, {"ibid.internal:8420", "", 200},
		{"evil.example", "", 403}, {"127.0.0.1.evil.example", "", 403},
		{"", "https://evil.example", 403}, {"", "null", 403}, {"", "https://chat.example", 200}, {"", "http://localhost:3000", 403},
	} {
		r, err := http.NewRequest("POST", web.URL+Path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Host = tt.host
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%s from %s: %d", tt.host, tt.origin, resp.StatusCode)
		}
	}
	for _, bad := range []HTTP{{URL: "ibid.example"}, {Origins: []string{"*"}}} {
		if _, err := w.Handler(bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
