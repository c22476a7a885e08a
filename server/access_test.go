package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/gate"
	"ibid/journal"
	"ibid/knowledge"
	"ibid/research"
	"ibid/runs"
)

// The table against what it serves: whatever names an object is not found by who does not own it, as if there were none. A
// new route is in this test by being in the table.
func TestForeignObjects(t *testing.T) {
	w := newWorld(t, nil)
	id := w.start("ada")
	w.finish(id)
	other := w.start("ada")
	if _, err := (journal.Gates{Journal: w.engine.Journal}).Decide(context.Background(), gate.Request{Run: other, Key: "lead/1/gate", Tool: "plan", Kind: "plan", Args: []byte(`{}`)}); err == nil {
		t.Fatal("decided")
	}
	asked, err := w.engine.For("ada").Gates(context.Background(), "", false)
	if err != nil || len(asked) != 1 {
		t.Fatal(asked, err)
	}
	hook, _, err := w.api.config.Hooks.Create(context.Background(), "ada", "https://halden.example/told", nil)
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{"changeWebhook": `{"url":"https://bob.example/"}`, "rejectFinding": `{"reason":"no"}`, "decideGate": `{"allow":true,"hash":"` + asked[0].Hash + `"}`, "editPlan": `{"plan":{}}`}
	if _, err := w.api.config.Base.Remember(context.Background(), "ada", "notes", knowledge.Snippet{Text: "Halden station opened in 1911.", Label: knowledge.User}, true); err != nil {
		t.Fatal(err)
	}
	objects := w.objects(id, asked[0].ID, hook.ID)
	nothing := strings.NewReplacer(id, "000000000000", asked[0].ID, "g-000000000000", hook.ID, "wh-0000000000000000", "notes", "never")
	n := 0
	for _, r := range w.api.routes {
		if r.scope == "" || r.name == "remember" { // which makes a dataset of one's own
			continue
		}
		path, named := objects(r.path)
		if !named {
			continue
		}
		n++
		body := bodies[r.name]
		if body == "" && r.in != nil {
			body = "{}"
		}
		var headers []string
		for _, p := range r.query {
			if p.name == "If-Match" {
				headers = append(headers, "If-Match", `"`+asked[0].Hash+`"`)
			}
			if p.name == "with" {
				path += "?with=" + id
			}
		}
		foreign, text := w.ask("bob", r.method, path, body, headers...)
		never, said := w.ask("bob", r.method, nothing.Replace(path), body, headers...)
		if foreign.StatusCode != http.StatusNotFound || never.StatusCode != http.StatusNotFound {
			t.Errorf("%s %s: %d of another's, %d of none: %s", r.method, r.path, foreign.StatusCode, never.StatusCode, text)
		}
		if a, b := w.problem(foreign, text), w.problem(never, said); nothing.Replace(a.Detail) != b.Detail || a.Title != b.Title {
			t.Errorf("%s %s tells one from the other: %q, %q", r.method, r.path, a.Detail, b.Detail)
		}
	}
	if n < 32 {
		t.Errorf("only %d routes name an object", n)
	}
	for _, path := range []string{"/v1/runs", "/v1/gates?all=true", "/v1/webhooks"} {
		if _, body := w.ask("bob", "GET", path, ""); strings.Contains(string(body), id) || strings.Contains(string(body), other) || strings.Contains(string(body), hook.ID) {
			t.Errorf("bob sees ada's: %s", body)
		}
	}
	if _, body := w.ask("bob", "GET", "/v1/runs?after="+id, ""); !strings.Contains(string(body), "not-found") {
		t.Errorf("%s", body)
	}
	if resp, body := w.ask("bob", "GET", "/v1/gates?run="+id, ""); resp.StatusCode != 404 {
		t.Errorf("%s", body)
	}
	if resp, body := w.ask("bob", "POST", "/v1/verify?run="+id, "# Report", "Content-Type", "text/markdown"); resp.StatusCode != 404 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	info, err := w.engine.Journal.Info(context.Background(), id)
	if err != nil || info.State != journal.StateDone {
		t.Error(info.State, err)
	}
}

// objects fills in the names of a path.
func (w *world) objects(run, gate, hook string) func(path string) (string, bool) {
	given := map[string]string{"run": run, "gate": gate, "finding": "F1", "source": "S1", "webhook": hook, "dataset": "notes"}
	return func(path string) (string, bool) {
		m := pathParam.FindAllStringSubmatch(path, -1)
		for _, p := range m {
			if given[p[1]] == "" {
				w.t.Fatalf("%s: the test does not know what %s is", path, p[1])
			}
			path = strings.ReplaceAll(path, p[0], given[p[1]])
		}
		return path, len(m) > 0
	}
}

// Every route that takes a token says the same to whoever has none that holds, and each token opens what its scopes name.
func TestTokens(t *testing.T) {
	w := newWorld(t, nil)
	ctx := context.Background()
	tokens := &Tokens{DB: w.db}
	now := time.Now()
	tokens.Now = func() time.Time { return now }
	create := func(name string, expires time.Time, scopes ...Scope) (string, Token) {
		secret, k, err := tokens.Create(ctx, "ada", name, scopes, expires)
		if err != nil {
			t.Fatal(err)
		}
		w.tokens[name] = secret
		return secret, k
	}
	create("reads", time.Time{}, Read)
	_, revoked := create("revoked", time.Time{}, Read)
	create("expired", now.Add(time.Minute), Read)
	w.tokens["wrong"] = w.tokens["reads"][:len(w.tokens["reads"])-4] + "aaaa"
	w.tokens["unknown"] = "ibid_aaaaaaaaaaaa_" + strings.Repeat("a", 52)
	w.tokens["junk"] = "' OR 1=1 --"
	if err := tokens.Revoke(ctx, revoked.ID); err != nil {
		t.Fatal(err)
	}
	if runs.CodeOf(tokens.Revoke(ctx, revoked.ID)) != runs.NotFound {
		t.Error("a token is revoked twice")
	}
	w.api.config.Tokens.Now = func() time.Time { return now.Add(2 * time.Minute) }
	if resp, body := w.ask("reads", "GET", "/v1/runs", ""); resp.StatusCode != 200 {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	if resp, body := w.ask("reads", "POST", "/v1/runs", `{"question":"why?"}`); resp.StatusCode != http.StatusForbidden {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	for _, user := range []string{"", " ada", "ada\n", "a\x1b[2Jda", "ad\u202ea", strings.Repeat("a", 101), "\xff"} {
		if _, _, err := tokens.Create(ctx, user, "n", []Scope{Read}, time.Time{}); runs.CodeOf(err) != runs.Invalid {
			t.Errorf("a token of %q: %v", user, err)
		}
	}
	var shape string
	for _, user := range []string{"", "revoked", "expired", "wrong", "unknown", "junk"} {
		resp, body := w.ask(user, "GET", "/v1/runs", "")
		p := w.problem(resp, body)
		p.Request = ""
		head := resp.Header.Clone()
		for _, own := range []string{"Date", "X-Request-Id", "Traceparent"} {
			head.Del(own)
		}
		said := fmt.Sprint(resp.StatusCode, p, head)
		if shape == "" {
			shape = said
		}
		if said != shape || resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%q gets\n%s, and not\n%s", user, said, shape)
		}
	}
	for _, r := range w.api.routes {
		if r.scope == "" {
			continue
		}
		if resp, _ := w.ask("", r.method, strings.NewReplacer("{", "", "}", "").Replace(r.path), ""); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s %s opens without a token: %d", r.method, r.path, resp.StatusCode)
		}
	}
	list, err := tokens.List(ctx)
	if err != nil || len(list) != 5 {
		t.Fatal(list, err)
	}
	for _, k := range list {
		if (k.Name == "reads") == k.Used.IsZero() && k.User == "ada" && k.Name != "a test" {
			t.Errorf("%s was used %v", k.Name, k.Used)
		}
	}
	var kept int
	if err := w.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM token WHERE sha256 LIKE 'ibid%' OR length(sha256) <> 64`).Scan(&kept); err != nil || kept != 0 {
		t.Errorf("%d secrets are kept, %v", kept, err)
	}
	for range 20 {
		w.ask("wrong", "GET", "/v1/runs", "")
	}
	if resp, body := w.ask("wrong", "GET", "/v1/runs", ""); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("wrong tokens are tried for ever: %d %v %s", resp.StatusCode, resp.Header, body)
	}
	if resp, _ := w.ask("", "GET", "/v1/runs", ""); resp.StatusCode != http.StatusUnauthorized {
		t.Error("no token counts as a wrong one")
	}
}

// Fifty who ask at once under one key get one run; the key is their user's own; and asking for something else under it is
// refused.
func TestOneRunForOneKey(t *testing.T) {
	w := newWorld(t, nil)
	body := `{"question":"` + question + `"}`
	ids := make([]string, 50)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			resp, text := w.ask("ada", "POST", "/v1/runs", body, "Idempotency-Key", "k-1")
			var info journal.Info
			if err := json.Unmarshal(text, &info); err != nil || resp.StatusCode != http.StatusAccepted || resp.Header.Get("Location") != "/v1/runs/"+info.ID {
				t.Errorf("%d %s", resp.StatusCode, text)
			}
			ids[i] = info.ID
		})
	}
	all.Wait()
	list, err := w.engine.Journal.Runs(context.Background(), 200)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d runs, %v", len(list), err)
	}
	for _, id := range ids {
		if id != list[0].ID {
			t.Errorf("%s, and not %s", id, list[0].ID)
		}
	}
	resp, text := w.ask("ada", "POST", "/v1/runs", `{"question":"something else?"}`, "Idempotency-Key", "k-1")
	if p := w.problem(resp, text); p.Status != 422 || p.Type != "/problems/other-request" {
		t.Errorf("%+v", p)
	}
	if resp, _ := w.ask("bob", "POST", "/v1/runs", `{"question":"something else?"}`, "Idempotency-Key", "k-1"); resp.StatusCode != http.StatusAccepted {
		t.Errorf("the key is bob's too: %d", resp.StatusCode)
	}
	w.finish(list[0].ID)
	fork := func(body string) (int, string) {
		resp, _ := w.ask("ada", "POST", "/v1/runs/"+list[0].ID+"/fork", body, "Idempotency-Key", "k-2")
		return resp.StatusCode, resp.Header.Get("Location")
	}
	first, at := fork(`{"tier":"quick"}`)
	second, same := fork(`{"tier":"quick"}`)
	third, _ := fork(`{"tier":"deep"}`)
	if first != 202 || second != 202 || at != same || third != 422 {
		t.Error(first, at, second, same, third)
	}
}

// A user has so many runs that wait, and so many dollars a day, and is told what to do when they have had them. What was
// asked for before is still theirs.
func TestLimitsOfUsers(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 20 {
		if resp, body := w.ask("ada", "POST", "/v1/runs", `{"question":"why?"}`, "Idempotency-Key", fmt.Sprint(i)); resp.StatusCode != http.StatusAccepted {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
	}
	resp, body := w.ask("ada", "POST", "/v1/runs", `{"question":"why?"}`)
	if p := w.problem(resp, body); p.Status != http.StatusTooManyRequests || p.Hint == "" || p.Code != runs.Exhausted {
		t.Errorf("%+v", p)
	}
	if resp, _ := w.ask("ada", "POST", "/v1/runs", `{"question":"why?"}`, "Idempotency-Key", "7"); resp.StatusCode != http.StatusAccepted {
		t.Errorf("what was asked for before is refused: %d", resp.StatusCode)
	}
	if resp, _ := w.ask("bob", "POST", "/v1/runs", `{"question":"why?"}`); resp.StatusCode != http.StatusAccepted {
		t.Errorf("bob pays for ada: %d", resp.StatusCode)
	}
	id := w.start("bob")
	if _, err := w.db.ExecContext(context.Background(), `INSERT INTO event (run, seq, key, kind, state, epoch, started, spent_usd) VALUES ($1, 1000, 'lead/1/model', 'model', 'done', 1, $2, 2000000)`, id, time.Now().UnixMilli()); err != nil {
		t.Fatal(err)
	}
	w.engine.Daily = 2_000_000
	resp, body = w.ask("bob", "POST", "/v1/runs", `{"question":"why?"}`)
	if p := w.problem(resp, body); p.Status != http.StatusTooManyRequests || !strings.Contains(p.Detail, "$2.00") {
		t.Errorf("%+v", p)
	}
	if _, err := w.engine.For("bob").Open(t.Context(), research.Config{Question: "why?"}); runs.CodeOf(err) != runs.Exhausted {
		t.Errorf("a run that is researched from outside goes around the limit: %v", err)
	}
	w.engine.Daily = 2_000_001
	if resp, _ := w.ask("bob", "POST", "/v1/runs", `{"question":"why?"}`); resp.StatusCode != http.StatusAccepted {
		t.Errorf("refused below the limit: %d", resp.StatusCode)
	}
}

// No web page starts a run: whatever name it has made lead here, and whatever it sends.
func TestPagesOfOthers(t *testing.T) {
	w := newWorld(t, func(c *Config) {
		c.User, c.Hosts = "ada", []string{"research.halden.example"}
	})
	own := strings.TrimPrefix(w.URL, "http://")
	for _, tt := range []struct {
		want    int
		headers []string
	}{
		{202, nil},
		{202, []string{"Origin", w.URL}},
		{202, []string{"Sec-Fetch-Site", "same-origin"}},
		{202, []string{"Host", "localhost:8420"}},
		{202, []string{"Host", "[::1]:8420"}},
		{202, []string{"Host", "research.halden.example"}},
		{202, []string{"Host", "Research.Halden.example:443", "Origin", "https://research.halden.example:443"}},
		{421, []string{"Host", "evil.example"}},
		{421, []string{"Host", "evil.example:8420"}},
		{421, []string{"Host", "127.0.0.1.evil.example"}},
		{421, []string{"Host", "localhost.evil.example"}},
		{421, []string{"Host", "10.0.0.1"}},
		{421, []string{"Host", "0.0.0.0"}},
		{421, []string{"Host", "127.0.0.1@evil.example"}},
		{403, []string{"Origin", "https://evil.example"}},
		{403, []string{"Origin", "null"}},
		{403, []string{"Origin", "http://127.0.0.1:1"}},
		{403, []string{"Origin", "http://localhost:8420"}}, // another name than the one it calls
		{403, []string{"Sec-Fetch-Site", "cross-site"}},
		{403, []string{"Sec-Fetch-Site", "same-site"}},
		{415, []string{"Content-Type", "text/plain"}},
		{415, []string{"Content-Type", "application/x-www-form-urlencoded"}},
		{415, []string{"Content-Type", "multipart/form-data; boundary=x"}},
	} {
		resp, body := w.ask("", "POST", "/v1/runs", `{"question":"why?"}`, tt.headers...)
		if resp.StatusCode != tt.want {
			t.Errorf("%v at %s: %d, want %d: %s", tt.headers, own, resp.StatusCode, tt.want, body)
		}
		if tt.want != 202 {
			w.problem(resp, body)
		}
		if h := resp.Header.Get("Access-Control-Allow-Origin"); h != "" {
			t.Errorf("%v: pages of %s may read it", tt.headers, h)
		}
	}
	if resp, body := w.ask("", "GET", "/v1/runs", "", "Origin", "https://evil.example"); resp.StatusCode != 403 {
		t.Errorf("a page of another site reads: %d %s", resp.StatusCode, body)
	}
	for _, listen := range []string{"127.0.0.1:8420", "[::1]:80", "localhost:1", "127.9.9.9:1"} {
		if !Loopback(listen) {
			t.Errorf("%s is loopback", listen)
		}
	}
	for _, listen := range []string{":8420", "0.0.0.0:1", "[::]:1", "10.1.2.3:1", "localhost.evil.example:1", "nothing"} {
		if Loopback(listen) {
			t.Errorf("%s is not loopback", listen)
		}
	}
}

// A dataset over the API: remembered, absorbed, asked, listed, exported and deleted; what came first is known again.
func TestDatasets(t *testing.T) {
	w := newWorld(t, nil)
	post := func(path, body string, status int) string {
		t.Helper()
		r, text := w.ask("ada", "POST", path, body)
		if r.StatusCode != status {
			t.Fatalf("%s: %d %s", path, r.StatusCode, text)
		}
		return string(text)
	}
	post("/v1/datasets/notes/snippets", `{"text":"Halden station was opened in 1911.","url":"https://halden.example/a","origin":"1"}`, 202)
	if again := post("/v1/datasets/notes/snippets", `{"text":"Halden station was opened in 1911.","url":"https://halden.example/a","origin":"1"}`, 202); !strings.Contains(again, `"known":true`) {
		t.Errorf("again: %s", again)
	}
	post("/v1/datasets/notes/absorb", "", 200)
	if got := post("/v1/datasets/notes/snippets", `{"text":"Rain gauges stand at Halden station.","sync":true}`, 202); !strings.Contains(got, `"absorbed":true`) {
		t.Errorf("at once: %s", got)
	}
	if a := post("/v1/datasets/notes/query", `{"question":"When was Halden station opened?"}`, 200); !strings.Contains(a, "1911") || !strings.Contains(a, "https://halden.example/a") || !strings.Contains(a, `"label":"user"`) {
		t.Errorf("answer: %s", a)
	}
	for path, want := range map[string]string{"/v1/datasets": `"notes"`, "/v1/datasets/notes": `"snippets":2`, "/v1/datasets/notes/facts?limit=1": `"next":`, "/v1/datasets/notes/export": "1911"} {
		if r, text := w.ask("ada", "GET", path, ""); r.StatusCode != 200 || !strings.Contains(string(text), want) {
			t.Errorf("%s: %d %s", path, r.StatusCode, text)
		}
	}
	post("/v1/datasets/notes/snippets", `{"text":""}`, 400)
	post("/v1/datasets/..%2Fnotes/snippets", `{"text":"x"}`, 400)
	post("/v1/datasets/notes/snippets", `{"text":"`+strings.Repeat("a ", 10_001)+`"}`, 400)
	if r, _ := w.ask("ada", "DELETE", "/v1/datasets/notes", ""); r.StatusCode != 204 {
		t.Errorf("deleted: %d", r.StatusCode)
	}
	if r, _ := w.ask("ada", "GET", "/v1/datasets/notes", ""); r.StatusCode != 404 {
		t.Errorf("after it: %d", r.StatusCode)
	}
}
