package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"ibid/runs"
)

// What is too large, of another type, broken or unknown is refused with a problem that names what is wrong; the server works
// on.
func TestHostileRequests(t *testing.T) {
	w := newWorld(t, nil)
	id := w.start("ada")
	long := strings.Repeat("a", 300<<10)
	for _, tt := range []struct {
		method, path, body string
		want               int
		says               string
		headers            []string
	}{
		{"POST", "/v1/runs", `{"question":"why?","questions":"x"}`, 400, `"questions"`, nil},
		{"POST", "/v1/runs", `{"question":"why?","files":"/etc"}`, 400, `"files"`, nil},
		{"POST", "/v1/runs", `{"question":"why?","Key":"x"}`, 400, `"Key"`, nil},
		{"POST", "/v1/runs", `{"question":7}`, 400, "question: it is a JSON number, and has to be a text", nil},
		{"POST", "/v1/runs", `{"question":"why?","max_steps":1e300}`, 400, "max_steps", nil},
		{"POST", "/v1/runs", `{"question":"why?"}{"question":"why?"}`, 400, "more than one value", nil},
		{"POST", "/v1/runs", `{"question":"why?"`, 400, "ends too early", nil},
		{"POST", "/v1/runs", `[]`, 400, "an object", nil},
		{"POST", "/v1/runs", `nonsense`, 400, "no JSON", nil},
		{"POST", "/v1/runs", `{"question":"why?","question":"how?"}`, 400, "twice", nil},
		{"POST", "/v1/runs", `{"question":"why?","tags":["a",{"x":1}],"Question":"how?"}`, 400, "", nil},
		{"PUT", "/v1/gates/g-1/plan", `{"plan":{"subquestions":[{"a":1},{"a":2,"b":[],"A":3}]}}`, 400, "twice", nil},
		{"POST", "/v1/runs", "\x00\xff", 400, "no JSON", nil},
		{"POST", "/v1/runs", strings.Repeat("[", 20_000), 400, "no JSON", nil},
		{"POST", "/v1/runs", `{"question":"` + long + `"}`, 413, "262144 bytes", nil},
		{"POST", "/v1/runs", `{"question":"why?"}`, 415, "application/json", []string{"Content-Type", "text/plain"}},
		{"POST", "/v1/runs", `{"question":"why?"}`, 400, "Idempotency-Key", []string{"Idempotency-Key", strings.Repeat("k", 201)}},
		{"GET", "/v1/runs?stat=done", "", 400, `"stat"`, nil},
		{"GET", "/v1/runs?state=don", "", 400, "queued, working", nil},
		{"GET", "/v1/runs?state=done&state=failed", "", 400, "twice", nil},
		{"GET", "/v1/runs?limit=many", "", 400, "a number", nil},
		{"GET", "/v1/runs?limit=-1", "", 400, "1 to 200", nil},
		{"GET", "/v1/runs?limit=201", "", 400, "1 to 200", nil},
		{"GET", "/v1/runs?limit=99999999999999999999", "", 400, "a number", nil},
		{"GET", "/v1/runs/" + id + "/events?after=x", "", 400, "no place", nil},
		{"GET", "/v1/runs/" + id + "/events?follow=perhaps", "", 400, "true or false", nil},
		{"GET", "/v1/runs/" + id + "/events", "", 406, "JSON", []string{"Accept", "image/png"}},
		{"GET", "/v1/runs/" + id + "/report", "", 406, "forms", []string{"Accept", "image/png"}},
		{"GET", "/v1/runs/" + id + "/report?form=paper", "", 400, "paper", nil},
		{"GET", "/v1/runs/" + id + "/report", "", 409, "no report", nil},
		{"GET", "/v1/runs/" + long[:1000], "", 404, "no run", nil},
		{"GET", "/v1/runs/..%2f..%2fetc%2fpasswd", "", 404, "no run", nil},
		{"GET", "/v1/nothing", "", 404, "/v1/nothing", nil},
		{"PATCH", "/v1/runs/" + id, "", 405, "PATCH", nil},
		{"POST", "/v1/verify", "x", 415, "", []string{"Content-Type", "image/png"}},
		{"POST", "/v1/verify", "x", 400, "run", []string{"Content-Type", "text/markdown"}},
		{"POST", "/v1/verify", "{}", 422, "", nil},
		{"POST", "/v1/audit/pairs", "{}", 415, "jsonl", nil},
		{"POST", "/v1/gates/g-1/decision", `{"allow":true,"hash":"x","reason":"` + long[:3000] + `"}`, 400, "3000 bytes", nil},
		{"POST", "/v1/webhooks", `{"url":"file:///etc/passwd"}`, 400, "url", nil},
	} {
		resp, body := w.ask("ada", tt.method, tt.path, tt.body, tt.headers...)
		p := w.problem(resp, body)
		if resp.StatusCode != tt.want || !strings.Contains(p.Detail+p.Hint, tt.says) {
			t.Errorf("%s %.60s %.60q: %d %q, want %d and %q", tt.method, tt.path, tt.body, resp.StatusCode, p.Detail, tt.want, tt.says)
		}
		if tt.want == 405 && !strings.Contains(resp.Header.Get("Allow"), "GET") {
			t.Errorf("allowed: %q", resp.Header.Get("Allow"))
		}
	}
	if resp, body := w.ask("ada", "HEAD", "/v1/runs/"+id+"/events", ""); resp.StatusCode != 200 || len(body) > 0 || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("the head of a stream: %d %v %q", resp.StatusCode, resp.Header, body)
	}
	if resp, _ := w.ask("ada", "GET", "/v1/runs", "", "X-Big", strings.Repeat("h", 64<<10)); resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("64 KiB of headers: %d", resp.StatusCode)
	}
	list, err := w.engine.For("ada").List(context.Background(), runs.Page{})
	if err != nil || len(list) != 1 {
		t.Errorf("%d runs came of it, %v", len(list), err)
	}
}

// A body that is too large is not read to its end, however much comes, and whatever length it says.
func TestEndlessBody(t *testing.T) {
	w := newWorld(t, nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", w.tokens["ada"])
	go func() {
		chunk := fmt.Appendf(nil, "10000\r\n%s\r\n", strings.Repeat("a", 0x10000))
		for range 2000 { // 125 MiB
			if _, err := conn.Write(chunk); err != nil {
				return
			}
		}
	}()
	answer := make([]byte, 200)
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(answer); err != nil || !bytes.HasPrefix(answer[:n], []byte("HTTP/1.1 413 ")) {
		t.Errorf("%s %v", answer[:n], err)
	}
}

// A panic of a handler is a problem, said in the log and not to the stranger.
func TestPanicsAreContained(t *testing.T) {
	w := newWorld(t, nil)
	w.engine.Configure = nil
	w.api.config.Desk = func(string) *runs.Desk { panic("canary-desk") }
	resp, body := w.ask("ada", "GET", "/v1/runs", "")
	if p := w.problem(resp, body); p.Status != 500 || strings.Contains(string(body), "canary") || p.Request == "" {
		t.Errorf("%s", body)
	}
	if said := w.log.String(); !strings.Contains(said, "canary-desk") {
		t.Errorf("%s", said)
	}
}

// Requests take part in the trace that they come with, and keep the id that they bring.
func TestTraces(t *testing.T) {
	w := newWorld(t, nil)
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	resp, _ := w.ask("ada", "POST", "/v1/runs", `{"question":"why?"}`, "Traceparent", "00-"+trace+"-00f067aa0ba902b7-01", "X-Request-Id", "my-1")
	back := resp.Header.Get("Traceparent")
	if !strings.HasPrefix(back, "00-"+trace+"-") || !strings.HasSuffix(back, "-01") || strings.Contains(back, "00f067aa0ba902b7") || resp.Header.Get("X-Request-Id") != "my-1" {
		t.Errorf("%v", resp.Header)
	}
	id := strings.TrimPrefix(resp.Header.Get("Location"), "/v1/runs/")
	if info, err := w.engine.Journal.Info(t.Context(), id); err != nil || info.Trace != "00-"+trace+"-00f067aa0ba902b7-01" {
		t.Errorf("the run is of the trace %q, %v", info.Trace, err)
	}
	for _, line := range strings.Split(w.log.String(), "\n") {
		if strings.Contains(line, "a run was asked for") && strings.Contains(line, "run="+id) && strings.Contains(line, "trace="+trace) && strings.Contains(line, "request=my-1") {
			id = ""
		}
	}
	if id != "" {
		t.Errorf("the run is not in the log with its trace:\n%s", w.log.String())
	}
	for _, bad := range []string{"", "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", "junk", "00-" + trace + "-00f067aa0ba902b7-01-more"} {
		resp, _ := w.ask("ada", "GET", "/v1/runs", "", "Traceparent", bad, "X-Request-Id", "a b\"c")
		if back := resp.Header.Get("Traceparent"); !traceparent.MatchString(back) || strings.Contains(back, trace) || !requestID.MatchString(resp.Header.Get("X-Request-Id")) {
			t.Errorf("%q gets %q", bad, back)
		}
	}
}

// Who asks too often waits, and is told how long; others do not.
func TestRateLimit(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Rate, c.Burst = 0.5, 5 })
	for i := range 5 {
		if resp, _ := w.ask("ada", "GET", "/v1/runs", ""); resp.StatusCode != 200 || resp.Header.Get("RateLimit") != fmt.Sprintf(`"requests";r=%d;t=%d`, 4-i, 2*(i+1)) || resp.Header.Get("RateLimit-Policy") != `"requests";q=5;w=10` {
			t.Errorf("%d: %d %v", i, resp.StatusCode, resp.Header)
		}
	}
	resp, body := w.ask("ada", "GET", "/v1/runs", "")
	if p := w.problem(resp, body); p.Status != 429 || resp.Header.Get("Retry-After") != "2" {
		t.Errorf("%s %v", body, resp.Header)
	}
	if resp, _ := w.ask("bob", "GET", "/v1/runs", ""); resp.StatusCode != 200 {
		t.Errorf("bob waits for ada: %d", resp.StatusCode)
	}
}

// Twenty secrets are in what the server works with, and none is in an answer, the log or the database: tokens that are used,
// tried and revoked, keys of requests, bodies that are refused, secrets of webhooks after they were told.
func TestCanariesOfTheAPI(t *testing.T) {
	w := newWorld(t, nil)
	ctx := context.Background()
	var canaries []string
	var said strings.Builder
	ask := func(user, method, path, body string, headers ...string) *http.Response {
		resp, text := w.ask(user, method, path, body, headers...)
		fmt.Fprintf(&said, "%v\n%s\n", resp.Header, text)
		return resp
	}
	for i := range 4 {
		secret, k, err := w.api.config.Tokens.Create(ctx, "ada", fmt.Sprint("token ", i), Scopes, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint("t", i)
		w.tokens[name], canaries = secret, append(canaries, secret, secret[18:])
		if i%2 == 0 {
			if err := w.api.config.Tokens.Revoke(ctx, k.ID); err != nil {
				t.Fatal(err)
			}
		}
		ask(name, "GET", "/v1/runs", "")
		ask(name, "POST", "/v1/runs", `{"question":"`+question+`"}`)
	}
	for i := range 6 {
		c := fmt.Sprintf("canary-%d-9f3a51c7", i)
		canaries = append(canaries, c)
		w.tokens["wrong"] = c
		ask("wrong", "GET", "/v1/runs?limit=1", "")
		ask("ada", "POST", "/v1/runs", `{"question":"`+question+`"}`, "Idempotency-Key", c)
		ask("ada", "POST", "/v1/runs", `{"question":7,"judge":"`+c+`"}`)
		ask("ada", "GET", "/v1/runs", "", "Cookie", "session="+c, "X-Api-Key", c)
	}
	canaries = append(canaries, w.tokens["ada"], w.tokens["bob"])
	id := w.start("ada")
	w.finish(id)
	for _, path := range []string{"", "/report", "/journal", "/events?follow=0", "/findings"} {
		ask("ada", "GET", "/v1/runs/"+id+path, "")
	}
	resp, body := w.ask("ada", "POST", "/v1/webhooks", `{"url":"https://halden.example/"}`)
	var made Secret
	if err := json.Unmarshal(body, &made); err != nil || resp.StatusCode != http.StatusCreated || !strings.HasPrefix(made.Secret, "whsec_") {
		t.Fatal(resp.StatusCode, err)
	}
	ask("ada", "GET", "/v1/webhooks/"+made.Webhook.ID, "")
	ask("ada", "GET", "/v1/webhooks", "")
	said.WriteString(w.log.String())
	if len(canaries) < 16 || strings.Contains(said.String(), made.Secret) {
		t.Errorf("%d canaries; a webhook's secret is told twice", len(canaries))
	}
	for _, table := range []string{"token", "idempotency", "run", "webhook", "delivery", "gate"} {
		rows, err := w.db.QueryContext(ctx, "SELECT * FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		names, err := rows.Columns()
		for rows.Next() {
			row := make([]any, len(names))
			for i := range row {
				row[i] = new(any)
			}
			if err := rows.Scan(row...); err != nil {
				t.Fatal(err)
			}
			for _, v := range row {
				if text, ok := (*v.(*any)).([]byte); ok {
					fmt.Fprintf(&said, "%s ", text)
				} else {
					fmt.Fprintf(&said, "%v ", *v.(*any))
				}
			}
		}
		rows.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range canaries {
		if i := strings.Index(said.String(), c); i >= 0 {
			t.Errorf("%.30s is in the open: …%.200s…", c, said.String()[max(0, i-150):])
		}
	}
	if said.Len() < 20_000 {
		t.Errorf("only %d bytes were looked through", said.Len())
	}
}

// No body panics a decoder, and what it takes comes out as it went in.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"question":"why?","search":["local"],"ask_after":3}`, `{"limits":{"steps":3},"tier":"quick"}`, `{"allow":true,"hash":"x"}`, `{"url":"https://a.example/"}`, `{"a":1}`, `[`, `{}{}`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, v := range []any{&runs.Request{}, &runs.Change{}, &Decision{}, &Target{}, &Plan{}, &Reason{}, &Prompt{}} {
			if err := strict(body, v); err != nil {
				if runs.CodeOf(err) != runs.Invalid {
					t.Fatalf("%q: %v", body, err)
				}
				continue
			}
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatalf("%q: %v", body, err)
			}
			again := reflect.New(reflect.TypeOf(v).Elem()).Interface()
			if err := strict(text, again); err != nil || !reflect.DeepEqual(v, again) {
				t.Fatalf("%q: %+v, and again %+v, %v", body, v, again, err)
			}
		}
	})
}

// No request panics the server or gets an answer that is no answer: whatever the method, the path, the query and the headers.
func FuzzRequest(f *testing.F) {
	w := newWorld(f, func(c *Config) { c.User = "ada" })
	id := w.start("ada")
	for _, r := range w.api.routes {
		if path, _ := w.objects(id, "g-1", "wh-1")(strings.ReplaceAll(r.path, "{problem}", "invalid")); !r.stream {
			f.Add(r.method, path, "", "application/json", "{}")
		}
	}
	f.Add("GET", "/v1/runs", "after=x&limit=3", "", "")
	f.Add("GET", "/v1/runs/"+id+"/events", "follow=0&after=3-1", "", "")
	f.Fuzz(func(t *testing.T, method, path, query, kind, body string) {
		r, err := http.NewRequest(method, "http://localhost/", io.NopCloser(strings.NewReader(body)))
		if err != nil {
			return
		}
		r.URL.Path, r.URL.RawQuery, r.Host = path, query, "localhost"
		if kind != "" {
			r.Header.Set("Content-Type", kind)
		}
		ctx, done := context.WithTimeout(context.Background(), 2*time.Second)
		defer done()
		answer := httptest.NewRecorder()
		w.api.ServeHTTP(answer, r.WithContext(ctx))
		if answer.Code >= 500 && !strings.Contains(answer.Body.String(), `"/problems/`) || strings.Contains(answer.Body.String(), "/problems/internal") && !strings.Contains(path, "bundle") {
			t.Fatalf("%s %s?%s: %d %s", method, path, query, answer.Code, answer.Body)
		}
	})
}
