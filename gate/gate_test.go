package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

func TestPolicy(t *testing.T) {
	p := Policy{BlockedPaths: []string{"/login", "/admin", "/cart"}, AllowedHosts: []string{"costs.example"}, AskAfter: 6, AskPlan: true, AskAbove: 1000}
	for _, tt := range []struct {
		name   string
		action Action
		want   string
	}{
		{"plain page", Action{Kind: "fetch", URL: "https://costs.example/a"}, ""},
		{"subdomain", Action{Kind: "fetch", URL: "https://www.costs.example/a"}, ""},
		{"lookalike host", Action{Kind: "fetch", URL: "https://notcosts.example/a"}, PolicyScope},
		{"host as prefix", Action{Kind: "fetch", URL: "https://costs.example.evil.example/a"}, PolicyScope},
		{"user info", Action{Kind: "fetch", URL: "https://costs.example@evil.example/a"}, PolicyScope},
		{"trailing dot", Action{Kind: "fetch", URL: "https://costs.example./a"}, ""},
		{"blocked path", Action{Kind: "fetch", URL: "https://costs.example/en/Login?x=1"}, PolicyPath},
		{"blocked, encoded", Action{Kind: "fetch", URL: "https://costs.example/%6Cogin/"}, PolicyPath},
		{"path with the word", Action{Kind: "fetch", URL: "https://costs.example/login-history"}, ""},
		{"unreadable URL", Action{Kind: "fetch", URL: "https://%zz"}, PolicyPath},
		{"own file", Action{Kind: "fetch", URL: "file:///home/x/notes.md"}, ""},
		{"sixth read", Action{Kind: "fetch", URL: "https://costs.example/a", Reads: 5}, ""},
		{"seventh read", Action{Kind: "fetch", URL: "https://costs.example/a", Reads: 6}, PolicyReads},
		{"search after many reads", Action{Kind: "search", Reads: 9}, ""},
		{"plan", Action{Kind: "plan"}, PolicyPlan},
		{"mutation", Action{Kind: "write", Mutates: true}, PolicyMutation},
		{"spend", Action{Kind: "search", MicroUSD: 1001}, PolicySpend},
	} {
		if got, reason := p.Check(tt.action); got != tt.want || (got != "") != (reason != "") {
			t.Errorf("%s: %q (%s), want %q", tt.name, got, reason, tt.want)
		}
	}
	if got, _ := (Policy{}).Check(Action{Kind: "fetch", URL: "https://any.example/login", Reads: 99}); got != "" {
		t.Errorf("the zero policy asks: %s", got)
	}
}

// A decision covers exactly the arguments that were shown, however they are spelled in JSON.
func TestHashBindsArguments(t *testing.T) {
	base := Request{Tool: "read_pages", Policy: PolicyReads, Args: json.RawMessage(`{"url":"https://a.example/","n":1}`)}
	same := base
	same.Args = json.RawMessage(`{ "n": 1, "url": "https://a.example/" }`)
	if base.Hash() != same.Hash() {
		t.Error("the order of fields changed the hash")
	}
	for name, other := range map[string]Request{
		"other URL":    {Tool: base.Tool, Policy: base.Policy, Args: json.RawMessage(`{"url":"https://a.example/b","n":1}`)},
		"other tool":   {Tool: "fetch", Policy: base.Policy, Args: base.Args},
		"other policy": {Tool: base.Tool, Policy: PolicyScope, Args: base.Args},
		"not JSON":     {Tool: base.Tool, Policy: base.Policy, Args: json.RawMessage(`{"url"`)},
	} {
		if other.Hash() == base.Hash() {
			t.Errorf("%s has the same hash", name)
		}
	}
}

// An approver with no answer denies (law 8).
func TestApprovers(t *testing.T) {
	ctx := context.Background()
	reads := Request{Tool: "read_pages", Policy: PolicyReads, Args: json.RawMessage(`{"url":"https://a.example/\u001b[31m"}`)}
	border := Request{Tool: "read_pages", Policy: PolicyPath}
	console := func(input string) (*Console, *bytes.Buffer) {
		var out bytes.Buffer
		return NewConsole(strings.NewReader(input), &out), &out
	}
	yes, shown := console("y because it is needed\n")
	no, _ := console("n\n")
	end, _ := console("")
	typo, _ := console("yep\n")
	script := NewScript(true, false)
	for _, tt := range []struct {
		name     string
		approver Approver
		request  Request
		allow    bool
	}{
		{"auto, extent", Auto{}, reads, true},
		{"auto, border", Auto{}, border, false},
		{"deny", Deny{}, reads, false},
		{"script, first", script, reads, true},
		{"script, second", script, reads, false},
		{"script, exhausted", script, reads, false},
		{"by rule, the rule's", ByPolicy{PolicyReads: NewScript(true), "": Deny{}}, reads, true},
		{"by rule, the rest", ByPolicy{PolicyReads: NewScript(true), "": Deny{}}, border, false},
		{"by rule, nobody", ByPolicy{}, reads, false},
		{"console yes", yes, reads, true},
		{"console no", no, reads, false},
		{"console at its end", end, reads, false},
		{"console, unclear", typo, reads, false},
	} {
		d, err := tt.approver.Decide(ctx, tt.request)
		if err != nil || d.Allow != tt.allow || d.Hash != tt.request.Hash() {
			t.Errorf("%s: %+v, %v; want allow %v bound to the request", tt.name, d, err, tt.allow)
		}
	}
	if s := shown.String(); !strings.Contains(s, "https://a.example/") || strings.Contains(s, "\x1b") {
		t.Errorf("the console showed %q: it must show the arguments, without control characters", s)
	}
}

func TestConsoleGivesUpWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, w := io.Pipe()
	defer w.Close()
	if _, err := NewConsole(r, &bytes.Buffer{}).Decide(ctx, Request{}); err == nil {
		t.Error("a cancelled question was answered")
	}
}

// TestConsoleDeniesWhenStopped: an interrupt ends the question, as a no.
func TestConsoleDeniesWhenStopped(t *testing.T) {
	stopped := make(chan struct{})
	close(stopped)
	r, w := io.Pipe()
	defer w.Close()
	c := NewConsole(r, &bytes.Buffer{})
	c.Stopped = stopped
	if d, err := c.Decide(t.Context(), Request{}); err != nil || d.Allow || d.Reason == "" {
		t.Errorf("Decide = %+v, %v", d, err)
	}
}
