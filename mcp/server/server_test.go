package server

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ibid/research"
)

// schemaIn reads a schema as a client does.
func schemaIn(v any) (*jsonschema.Resolved, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(body, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

const ferryClaim = "The ferry of Halden carried 412 passengers in its first week."

// A run that is researched by a program outside is checked as any: what is forged does not get in, and what got in can be
// checked and replayed.
func TestResearchFromOutside(t *testing.T) {
	w := newWorld(t, nil)
	c := w.connect(nil)
	if text := c.refused("list_sources", nil); !strings.Contains(text, "research_open") {
		t.Error(text)
	}
	run := c.call("research_open", args{"question": "How many people took the ferry of Halden in its first week?", "subquestions": []string{"How many passengers were there?", "What did it cost?"}})["run"].(string)
	if text := c.refused("search_corpus", args{"query": "ferry"}); !strings.Contains(text, "ingest_source") || strings.Contains(text, "read_pages") {
		t.Error(text)
	}
	if hits := c.call("search_web", args{"query": "ferry passengers"})["results"].([]any); len(hits) == 0 {
		t.Error("no hits")
	}
	page := c.call("ingest_source", args{"url": "https://harbour.example/ferry"})
	if page["source"] != "S1" {
		t.Errorf("%v", page)
	}
	c.refused("ingest_source", args{"url": "https://harbour.example/none"})
	c.refused("ingest_source", args{"url": "https://harbour.example/ferry", "text": "both", "name": "x.md"})
	c.refused("ingest_source", args{"text": "no name at all"})
	c.refused("ingest_source", args{"data": "???", "name": "x.pdf"})
	given := c.call("ingest_source", args{"data": "IyBOb3RlCgpUaGUgYnJpZGdlIGlzIDMwIG1ldHJlcyBsb25nLg==", "name": "note.md"})
	if given["source"] != "S2" || !strings.Contains(given["url"].(string), "/given/") {
		t.Errorf("%v", given)
	}
	if list := c.call("list_sources", nil)["sources"].([]any); len(list) != 2 {
		t.Errorf("%v", list)
	}
	span := c.spanOf("", "passengers in the first week")
	if q := c.call("quote", args{"source_id": "S1", "needle": "412 passengers in its first week"}); q["span"] != span {
		t.Errorf("%v stands in %v", span, q)
	}
	finding := args{"claim": ferryClaim, "quote": "The ferry of Halden carried 412 passengers in its first week", "span": span, "subquestion": "q1"}
	for name, forged := range map[string]args{
		"another figure":      {"quote": "The ferry of Halden carried 4,120 passengers in its first week"},
		"words left out":      {"quote": "The ferry carried 412 passengers in its first week"},
		"another span":        {"span": "S2:para.2"},
		"a source unread":     {"span": "S9:para.1"},
		"more than the quote": {"claim": "The ferry of Halden carried 9,000 passengers in its first week."},
		"no such question":    {"subquestion": "q7"},
	} {
		a := args{}
		for k, v := range finding {
			a[k] = v
		}
		for k, v := range forged {
			a[k] = v
		}
		if text := c.refused("record_finding", a); len(text) < 40 {
			t.Errorf("%s: %q tells a model nothing", name, text)
		}
	}
	if got := c.call("record_finding", finding); got["finding"] != "F1" || got["match"] != "exact" {
		t.Errorf("%v", got)
	}
	for _, draft := range []string{"It was 412.", "It was 412 [S1 para.2].", "It was 5,000 [F1]."} {
		if text := c.refused("write_report", args{"draft": draft}); len(text) < 40 {
			t.Errorf("%s: %q", draft, text)
		}
	}
	report := c.call("write_report", args{"draft": ferryClaim + " [F1]"})
	markdown := report["markdown"].(string)
	claims := report["claims"].([]any)
	if report["run"] != run || report["verified"] != true || !strings.Contains(markdown, "412 passengers") || len(claims) != 1 || report["report"] == nil {
		t.Errorf("%v", report)
	}
	if at := claims[0].(map[string]any)["url"].(string); !strings.HasPrefix(at, "https://harbour.example/ferry#:~:text=The%20ferry") {
		t.Errorf("the claim is to be looked up at %s", at)
	}
	if !strings.Contains(markdown, "What did it cost") {
		t.Error("the gap is not told")
	}
	// Afterwards it is a run like any other.
	again := c.call("research_report", args{"run": run})
	if again["text"] != markdown {
		t.Errorf("%v", again["text"])
	}
	if check := c.call("verify_report", args{"run": run}); check["ok"] != true {
		t.Errorf("%v", check)
	}
	if check := c.call("verify_report", args{"run": run, "report": strings.ReplaceAll(markdown, "412", "512")}); check["ok"] != false || len(check["problems"].([]any)) == 0 {
		t.Errorf("a report that was tampered with: %v", check)
	}
	if s := c.call("research_status", args{"run": run}); s["state"] != "done" || s["findings"] != float64(1) || s["reads"] != float64(3) {
		t.Errorf("%v", s)
	}
	c.refused("record_finding", finding)
	result, err := w.engine.Replay(context.Background(), run, "")
	if err != nil || string(result.Markdown) != markdown {
		t.Errorf("replayed: %v", err)
	}
}

// One definition, two faces: what a program outside is told of a tool is what the loop tells a model, and the handle beside it.
func TestDefinitionsAreTheLoops(t *testing.T) {
	w := newWorld(t, nil)
	c := w.connect(nil)
	for _, d := range research.Definitions(true, false) {
		tool := c.tools[d.Name]
		if tool == nil || tool.Description != d.Description || tool.Annotations == nil || tool.OutputSchema == nil {
			t.Fatalf("%s: %+v", d.Name, tool)
		}
		var own, shown struct {
			Properties map[string]any
			Required   []string
		}
		for _, s := range []struct {
			schema any
			to     any
		}{{d.Schema, &own}, {tool.InputSchema, &shown}} {
			body, err := json.Marshal(s.schema)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(body, s.to); err != nil {
				t.Fatal(d.Name, err)
			}
		}
		delete(shown.Properties, "run")
		if a, _ := json.Marshal(own); true {
			if b, _ := json.Marshal(shown); string(a) != string(b) {
				t.Errorf("%s: %s and %s", d.Name, a, b)
			}
		}
	}
	for name, tool := range c.tools {
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil || a.Title == "" || tool.OutputSchema == nil || len(tool.Description) < 40 {
			t.Errorf("%s: %+v", name, tool)
		}
	}
}

// search and fetch have the form that programs expect which know nothing else.
func TestSearchAndFetch(t *testing.T) {
	w := newWorld(t, nil)
	c := w.connect(nil)
	r := c.try("search", args{"query": "ferry passengers first week"})
	var found struct {
		Results []map[string]any `json:"results"`
	}
	if err := json.Unmarshal([]byte(text(r)), &found); err != nil || len(found.Results) == 0 {
		t.Fatal(text(r), err)
	}
	for _, hit := range found.Results {
		if len(hit) != 3 || hit["id"] == "" || hit["title"] == "" || !strings.HasPrefix(hit["url"].(string), "https://harbour.example/") {
			t.Errorf("%v", hit)
		}
	}
	id := found.Results[0]["id"].(string)
	doc := c.try("fetch", args{"id": id})
	var fetched map[string]any
	if err := json.Unmarshal([]byte(text(doc)), &fetched); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"id", "title", "text", "url"} {
		if s, ok := fetched[field].(string); !ok || s == "" {
			t.Errorf("%s: %v", field, fetched[field])
		}
	}
	if fetched["id"] != id || !strings.Contains(fetched["text"].(string), "412 passengers") || !strings.Contains(fetched["url"].(string), "#:~:text=") {
		t.Errorf("%v", fetched)
	}
	for _, id := range []string{"S9:para.1", "S1:para.99", "S1:nonsense", "norun:S1", ""} {
		c.refused("fetch", args{"id": id})
	}
	if r := c.call("search", args{"query": "zebra quagga okapi"}); r["results"] == nil {
		t.Errorf("%v", r)
	}
	// What was searched stands in a run, which can be gone on with.
	if got := c.call("record_finding", args{"claim": ferryClaim, "quote": "carried 412 passengers in its first week", "span": id, "subquestion": "q1"}); got["finding"] != "F1" {
		t.Errorf("%v", got)
	}
}

// A run that ibid researches, with what it tells meanwhile.
func TestResearchInside(t *testing.T) {
	w := newWorld(t, nil)
	told := make(chan struct{}, 1000)
	c := w.connect(&mcp.ClientOptions{ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { told <- struct{}{} }})
	params := &mcp.CallToolParams{Name: "research_start", Arguments: args{"question": "How many passengers did the ferry of Halden carry in its first week?", "wait_seconds": 60}}
	params.SetProgressToken("p1")
	r, err := c.session.CallTool(context.Background(), params)
	if err != nil || r.IsError {
		t.Fatal(r, err)
	}
	s := r.StructuredContent.(map[string]any)
	if s["over"] != true || s["state"] != "done" || len(told) == 0 {
		t.Errorf("%v, %d times told of progress", s, len(told))
	}
	run := s["run"].(string)
	if p := c.call("research_report", args{"run": run, "form": "json"}); p["verified"] != true || len(p["claims"].([]any)) == 0 {
		t.Errorf("%v", p)
	}
	c.refused("research_report", args{"run": run, "form": "docx"})
	c.refused("record_finding", args{"run": run, "claim": "x", "quote": "y", "span": "S1:para.1", "subquestion": "q1"})
	c.refused("research_status", args{"run": "nosuchrun"})
	c.refused("research_start", args{"question": " "})
}
