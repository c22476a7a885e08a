package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"ibid/journal"
	"ibid/runs"
)

// A generic client knows of the API what its document says and nothing else: it calls operations by their names, checks what
// it sends and what comes back against the schemas, and follows what answers link to.
type generic struct {
	w    *world
	user string
	doc  struct {
		OpenAPI    string
		Paths      map[string]map[string]operation
		Components struct{ Schemas map[string]json.RawMessage }
	}
	called  map[string]bool
	schemas map[string]*jsonschema.Resolved // by their text
}

type operation struct {
	OperationID string
	Summary     string
	Parameters  []struct {
		Name, In, Description string
		Required              bool
		Schema                json.RawMessage
	}
	RequestBody *struct {
		Content map[string]struct{ Schema json.RawMessage }
	}
	Responses map[string]struct {
		Description string
		Content     map[string]struct{ Schema json.RawMessage }
	}
}

func newGeneric(w *world, user string) *generic {
	g := &generic{w: w, user: user, called: map[string]bool{}, schemas: map[string]*jsonschema.Resolved{}}
	resp, body := w.ask("", "GET", "/openapi.json", "")
	if err := json.Unmarshal(body, &g.doc); err != nil || resp.StatusCode != 200 || g.doc.OpenAPI != "3.1.0" {
		w.t.Fatal(resp.StatusCode, err, g.doc.OpenAPI)
	}
	return g
}

// valid checks a value against a schema of the document.
func (g *generic) valid(what string, schema json.RawMessage, body []byte) {
	g.w.t.Helper()
	if len(schema) == 0 {
		return
	}
	resolved := g.schemas[string(schema)]
	if resolved == nil {
		resolved = g.resolve(what, schema)
		g.schemas[string(schema)] = resolved
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		g.w.t.Fatalf("%s: %v in %.300s", what, err, body)
	}
	if err := resolved.Validate(v); err != nil {
		g.w.t.Errorf("%s: %v\n%.600s", what, err, body)
	}
}

// resolve reads a schema that may refer to those of the document.
func (g *generic) resolve(what string, schema json.RawMessage) *jsonschema.Resolved {
	g.w.t.Helper()
	text := bytes.ReplaceAll(schema, []byte("#/components/schemas/"), []byte("#/$defs/"))
	defs, err := json.Marshal(g.doc.Components.Schemas)
	if err != nil {
		g.w.t.Fatal(err)
	}
	text = append(append([]byte(`{"$defs":`), defs...), append([]byte(`,`), text[1:]...)...)
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		g.w.t.Fatalf("%s: %v", what, err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		g.w.t.Fatalf("%s: %v", what, err)
	}
	return resolved
}

// call calls an operation by its name: args are its parameters, body its body. It returns the answer.
func (g *generic) call(name string, args map[string]string, body, kind string) (*http.Response, []byte) {
	g.w.t.Helper()
	for path, methods := range g.doc.Paths {
		for method, op := range methods {
			if op.OperationID != name {
				continue
			}
			g.called[name] = true
			query, header := url.Values{}, http.Header{}
			for _, p := range op.Parameters {
				value, given := args[p.Name]
				switch {
				case p.Required && !given:
					g.w.t.Fatalf("%s takes %s", name, p.Name)
				case !given:
				case p.In == "path":
					path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
				case p.In == "query":
					query.Set(p.Name, value)
				case p.In == "header":
					header.Set(p.Name, value)
				}
			}
			if body != "" {
				if op.RequestBody == nil {
					g.w.t.Fatalf("%s takes no body", name)
				}
				content, ok := op.RequestBody.Content[kind]
				if !ok {
					g.w.t.Fatalf("%s takes no %s", name, kind)
				}
				g.valid(name+", the request", content.Schema, []byte(body))
			}
			req, err := http.NewRequest(strings.ToUpper(method), g.w.URL+path+"?"+query.Encode(), strings.NewReader(body))
			if err != nil {
				g.w.t.Fatal(err)
			}
			req.Header = header
			req.Header.Set("Authorization", "Bearer "+g.w.tokens[g.user])
			if body != "" {
				req.Header.Set("Content-Type", kind)
			}
			return g.send(name, req, op)
		}
	}
	g.w.t.Fatalf("the document has no operation %s", name)
	return nil, nil
}

func (g *generic) send(name string, req *http.Request, op operation) (*http.Response, []byte) {
	g.w.t.Helper()
	resp, err := g.w.Client().Do(req)
	if err != nil {
		g.w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		g.w.t.Fatal(err)
	}
	said, ok := op.Responses[strconv.Itoa(resp.StatusCode)]
	if !ok {
		said = op.Responses["default"]
	}
	if len(said.Content) == 0 {
		if len(text) > 0 {
			g.w.t.Errorf("%s: the document knows of no body for %d: %.200s", name, resp.StatusCode, text)
		}
		return resp, text
	}
	content, ok := said.Content[resp.Header.Get("Content-Type")]
	if !ok {
		g.w.t.Errorf("%s: %d has the type %q, of which the document does not know", name, resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	g.valid(name+", "+strconv.Itoa(resp.StatusCode), content.Schema, text)
	return resp, text
}

// The document drives a client through a whole run, with nothing else known: it is asked for, watched, parks for its plan,
// goes on, is read in every form, checked, forked, compared and deleted. Every operation of the document is called.
func TestDocumentDrivesARun(t *testing.T) {
	w := newWorld(t, nil)
	w.engine.Pack = func(_ context.Context, id string) ([]byte, error) { return []byte("PK of " + id), nil }
	w.work()
	g := newGeneric(w, "ada")
	call := func(want int, name string, args map[string]string, body string) []byte {
		t.Helper()
		kind := map[string]string{"auditPairs": "application/jsonl", "verify": "text/markdown"}[name]
		resp, text := g.call(name, args, body, cmp.Or(kind, "application/json"))
		if resp.StatusCode != want {
			t.Fatalf("%s: %d, want %d: %.500s", name, resp.StatusCode, want, text)
		}
		return text
	}
	field := func(body []byte, pattern string) string {
		t.Helper()
		m := regexp.MustCompile(pattern).FindSubmatch(body)
		if m == nil {
			t.Fatalf("no %s in %.500s", pattern, body)
		}
		return string(m[1])
	}
	call(200, "healthy", nil, "")
	call(200, "ready", nil, "")
	call(200, "describe", nil, "")
	start := func() map[string]string {
		return map[string]string{"run": field(call(202, "startRun", nil, `{"question":"`+question+`","ask_plan":true}`), `"id":"(\w+)"`)}
	}
	of := start()
	w.until(of["run"], journal.StateParked)
	at := map[string]string{"gate": field(call(200, "listGates", of, ""), `"id":"(g-\w+)"`)}
	shown := call(200, "getGate", at, "")
	hash := field(shown, `"hash":"(\w+)"`)
	var plan struct {
		Request struct{ Args json.RawMessage }
	}
	if err := json.Unmarshal(shown, &plan); err != nil {
		t.Fatal(err)
	}
	call(428, "editPlan", at, `{"plan":`+string(plan.Request.Args)+`}`)
	call(412, "editPlan", map[string]string{"gate": at["gate"], "If-Match": `"0000"`}, `{"plan":`+string(plan.Request.Args)+`}`)
	edited := call(200, "editPlan", map[string]string{"gate": at["gate"], "If-Match": `"` + hash + `"`}, `{"plan":{"subquestions":["How much rain fell at Halden station in 2025?"],"reason":"one is enough"}}`)
	call(412, "decideGate", at, `{"allow":true,"hash":"`+hash+`"}`)
	if resp, body := w.ask("ada", "POST", "/v1/gates/"+at["gate"]+"/decision", `{"allow":true}`); resp.StatusCode != 400 {
		t.Errorf("decided on nothing that was shown: %s", body)
	}
	call(200, "decideGate", at, `{"allow":true,"hash":"`+field(edited, `"hash":"(\w+)"`)+`","reason":"fine"}`)
	call(409, "decideGate", at, `{"allow":false,"hash":"`+field(edited, `"hash":"(\w+)"`)+`"}`)
	if events := call(200, "watchRun", of, ""); !bytes.HasSuffix(events, []byte("\n\n")) || !bytes.Contains(events, []byte("event: end\ndata: ")) {
		t.Errorf("the stream ends with %.200s", events[max(0, len(events)-200):])
	}
	done := call(200, "showRun", of, "")
	if field(done, `"state":"(\w+)"`) != "done" || field(done, `"steps":(\d+)`) == "0" {
		t.Errorf("%s", done)
	}
	report := call(200, "getReport", of, "")
	for _, f := range runs.Forms {
		if f.Name == "pdf" { // takes a browser
			continue
		}
		if a, b := call(200, "getReport", map[string]string{"run": of["run"], "form": f.Name}, ""), call(200, "getReport_"+f.Name, of, ""); len(a) < 20 || !bytes.Equal(a, b) {
			t.Errorf("%s: %d bytes, %d bytes", f.Name, len(a), len(b))
		}
	}
	g.called["getReport_pdf"] = true
	if !bytes.Contains(report, []byte("812 millimetres")) {
		t.Errorf("the report: %s", report)
	}
	if again := call(200, "replayRun", of, `{}`); !bytes.Equal(again, report) {
		t.Error("the replay is another report")
	}
	call(200, "verify", of, string(report))
	if forged := call(200, "verify", of, strings.ReplaceAll(string(report), "812", "813")); field(forged, `"ok":(\w+)`) != "false" {
		t.Errorf("a forged report passes: %s", forged)
	}
	call(200, "auditPairs", nil, `{"id":"1"}`)
	source := map[string]string{"run": of["run"], "source": field(call(200, "listSources", of, ""), `"id":"(S\d+)"`)}
	call(200, "getSource", source, "")
	if raw := call(200, "getRawSource", source, ""); !bytes.Contains(raw, []byte("<html>")) {
		t.Errorf("the raw source: %s", raw)
	}
	finding := map[string]string{"run": of["run"], "finding": field(call(200, "listFindings", of, ""), `"id":"(F\d+)"`)}
	call(200, "exportRun", of, "")
	call(200, "bundleRun", of, "")
	fork := map[string]string{"run": field(call(202, "forkRun", of, `{"tier":"quick"}`), `"id":"(\w+)"`)}
	w.until(fork["run"], journal.StateParked) // for its plan, as its parent
	call(409, "resumeRun", of, "")
	call(200, "rejectFinding", finding, `{"reason":"not what was asked"}`)
	call(409, "rejectFinding", finding, `{"reason":"not what was asked"}`)
	call(200, "undoFinding", finding, `{"reason":""}`)
	call(409, "acceptFinding", finding, `{"reason":"it is recorded already"}`)
	call(200, "rejectFinding", finding, `{"reason":"not what was asked"}`)
	call(400, "startRun", nil, `{"question":""}`)
	second := start()
	call(200, "stopRun", second, "")
	third := start()
	call(200, "cancelRun", third, "")
	call(200, "compareRuns", map[string]string{"run": of["run"], "with": of["run"]}, "")
	call(200, "listRuns", map[string]string{"limit": "2", "state": "done"}, "")
	call(200, "explain", map[string]string{"problem": "not-found"}, "")
	call(404, "explain", map[string]string{"problem": "nothing"}, "")
	hook := map[string]string{"webhook": field(call(201, "addWebhook", nil, `{"url":"https://halden.example/told","events":["run.done"]}`), `"id":"(wh-\w+)"`)}
	call(200, "listWebhooks", nil, "")
	call(200, "changeWebhook", hook, `{"url":"https://halden.example/told?more"}`)
	call(200, "getWebhook", hook, "")
	call(201, "rotateSecret", hook, "")
	call(202, "tryWebhook", hook, "")
	call(200, "listDeliveries", hook, "")
	call(204, "deleteWebhook", hook, "")
	call(404, "getWebhook", hook, "")
	notes := map[string]string{"dataset": "notes"}
	call(202, "remember", notes, `{"text":"Halden station was opened in 1911.","sync":true}`)
	call(200, "absorb", notes, "")
	call(200, "listDatasets", nil, "")
	call(200, "showDataset", notes, "")
	call(200, "listFacts", map[string]string{"dataset": "notes", "limit": "1"}, "")
	if a := call(200, "queryDataset", notes, `{"question":"When was Halden station opened?"}`); !bytes.Contains(a, []byte("1911")) {
		t.Errorf("the answer: %s", a)
	}
	call(200, "exportDataset", notes, "")
	call(204, "deleteDataset", notes, "")
	call(404, "showDataset", notes, "")
	call(409, "deleteRun", of, "") // its fork goes over its evidence
	call(200, "cancelRun", fork, "")
	call(204, "deleteRun", of, "")
	call(404, "showRun", of, "")
	for _, methods := range g.doc.Paths {
		for _, op := range methods {
			if !g.called[op.OperationID] {
				t.Errorf("nothing calls %s", op.OperationID)
			}
		}
	}
}

// until waits until a run stands so.
func (w *world) until(run string, states ...journal.State) {
	w.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		info, err := w.engine.Journal.Info(context.Background(), run)
		if err != nil {
			w.t.Fatal(err)
		}
		if slices.Contains(states, info.State) {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("run %s is %s (%s)", run, info.State, info.Stop)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// What is in the table is in the document and served, and the other way round; every type of problem has its page.
func TestTableDocumentAndServer(t *testing.T) {
	w := newWorld(t, nil)
	g := newGeneric(w, "ada")
	n, names := 0, map[string]bool{}
	for path, methods := range g.doc.Paths {
		for method, op := range methods {
			n++
			if names[op.OperationID] || op.Summary == "" {
				t.Errorf("%s %s is called %q, as another, or is not explained", method, path, op.OperationID)
			}
			names[op.OperationID] = true
			concrete := pathParam.ReplaceAllString(path, "x")
			req, err := http.NewRequest(strings.ToUpper(method), w.URL+concrete, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, pattern := w.api.mux.Handler(req); pattern != strings.ToUpper(method)+" "+path {
				t.Errorf("%s %s is served by %q", method, path, pattern)
			}
		}
	}
	if n != len(w.api.routes) || n < 30 {
		t.Errorf("%d operations, %d routes", n, len(w.api.routes))
	}
	for _, k := range kinds {
		resp, body := w.ask("", "GET", k.problem("", "").Type, "")
		if kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || resp.StatusCode != 200 || kind != "text/plain" || !strings.Contains(string(body), k.title) {
			t.Errorf("%s: %d %s", k.name, resp.StatusCode, body)
		}
	}
	for _, code := range []runs.Code{runs.Invalid, runs.NotFound, runs.Conflict, runs.Unready, runs.Integrity, runs.Unattended, runs.Exhausted, runs.Internal} {
		if k := kindOf(code); k.code != code {
			t.Errorf("%s is told as %s", code, k.name)
		}
	}
}
