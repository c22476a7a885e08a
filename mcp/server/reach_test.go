package server

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ibid/budget"
	"ibid/gate"
	"ibid/internal/testset"
	"ibid/research"
	"ibid/runs"
)

// A researcher outside asks and adds to a knowledge base as one inside does: what is a finding is remembered, what is not takes a
// person's yes, and the run replays with no base at hand.
func TestKnowledgeFromOutside(t *testing.T) {
	w := newWorld(t, func(c *Config) {
		c.Base = true
		c.Configure = func(_ context.Context, o Opening) (research.Config, error) {
			rc, err := research.New(o.Question, budget.Deep)
			if err != nil {
				return rc, err
			}
			rc.Policy, rc.Approver = gate.Policy{}, "durable"
			rc.Knowledge, err = research.NewKnowledge("harbour", rc, budget.Amount{})
			return rc.ForOutside(o.Limits), err
		}
	})
	c := w.connect(nil)
	run := c.call("research_open", args{"question": "How many people took the ferry of Halden in its first week?"})["run"].(string)
	if got := c.call("query", args{"question": "How many passengers were there?"}); len(got["facts"].([]any)) != 0 {
		t.Errorf("%v", got)
	}
	c.call("search_web", args{"query": "ferry passengers"})
	c.call("ingest_source", args{"url": "https://harbour.example/ferry"})
	c.call("record_finding", args{"claim": ferryClaim, "quote": "The ferry of Halden carried 412 passengers in its first week", "span": c.spanOf("", "passengers in the first week"), "subquestion": "q1"})
	if got := c.call("remember", args{"text": ferryClaim, "source": "F1", "sync": true}); got["absorbed"] != true || got["label"] != "source" {
		t.Errorf("%v", got)
	}
	facts := c.call("query", args{"question": "How many passengers took the ferry?"})["facts"].([]any)
	if len(facts) != 1 {
		t.Fatalf("%v", facts)
	}
	from := facts[0].(map[string]any)["sources"].([]any)[0].(map[string]any)
	if from["url"] != "https://harbour.example/ferry" || from["kept"] != true {
		t.Errorf("%v", from)
	}
	c.refused("record_finding", args{"claim": ferryClaim, "quote": "412 passengers", "span": "K1", "subquestion": "q1"})
	if text := c.refused("remember", args{"text": "The ferry is unsafe.", "source": "me"}); !strings.Contains(text, "A person must decide") {
		t.Error(text)
	}
	gates, err := w.engine.For("ada").Gates(t.Context(), run, false)
	if err != nil || len(gates) != 1 {
		t.Fatalf("%v, %v", gates, err)
	}
	if _, err := w.engine.For("ada").Answer(t.Context(), gates[0].ID, gate.Answer{Reason: "it is not"}); err != nil {
		t.Fatal(err)
	}
	c.refused("remember", args{"text": "The ferry is unsafe.", "source": "me"})
	markdown := c.call("write_report", args{"draft": ferryClaim + " [F1]"})["markdown"]
	if r, err := w.engine.Replay(t.Context(), run, ""); err != nil || string(r.Markdown) != markdown {
		t.Errorf("replayed: %v", err)
	}
}

// What finds nothing answers with an empty list that fits its own schema: case 132 of the failure bank.
func TestFindingNothing(t *testing.T) {
	body, err := os.ReadFile(filepath.Join(testset.Path(t, "cases"), "132-list-output-is-never-null", "call.json"))
	if err != nil {
		t.Fatal(err)
	}
	var call struct {
		Params struct {
			Name      string
			Arguments args
		}
	}
	if err := json.Unmarshal(body, &call); err != nil {
		t.Fatal(err)
	}
	c := newWorld(t, nil).connect(nil)
	c.call("research_open", args{"question": "How many people took the ferry of Halden?"})
	if list := c.call("list_sources", nil)["sources"].([]any); len(list) != 0 {
		t.Errorf("%v", list)
	}
	c.call("ingest_source", args{"url": "https://harbour.example/cost"})
	call.Params.Arguments["query"] = "zzzz qqqq" // which no page holds a word of
	if spans := c.call(call.Params.Name, call.Params.Arguments)["spans"].([]any); len(spans) != 0 {
		t.Errorf("%v", spans)
	}
	for _, tool := range []string{"search_web", "search"} {
		if list := c.call(tool, args{"query": "zzzz qqqq"})["results"].([]any); tool == "search_web" && len(list) != 0 {
			t.Errorf("%s: %v", tool, list)
		}
	}
}

// Hints are for those who read them: no model is told to run a command that a tool of its own stands for.
func TestHintsForModels(t *testing.T) {
	w := newWorld(t, nil)
	c := w.connect(nil)
	for tool, a := range map[string]args{"research_status": {"run": "nosuchrun123"}, "research_report": {"run": "nosuchrun123"}, "list_sources": {"run": "nosuchrun123"}} {
		if text := c.refused(tool, a); strings.Contains(text, "ibid runs") || !strings.Contains(text, "research_open") {
			t.Errorf("%s: %s", tool, text)
		}
	}
	run := c.call("research_open", args{"question": "What did the ferry cost?"})["run"].(string)
	if text := c.refused("research_report", args{"run": run}); strings.Contains(text, "ibid watch") || strings.Contains(text, "ibid resume") {
		t.Error(text)
	}
	err := forModel(&runs.Error{Code: runs.Unready, Message: "its approver is the console", Hint: "Go on with it at a terminal: ibid something"})
	if !strings.Contains(err.Error(), "takes a person at a terminal") {
		t.Error(err)
	}
}

// A text is cut between characters.
func TestBeginning(t *testing.T) {
	text := "aé€𐍈"
	for n := range len(text) {
		if got := beginning([]byte(text), n); !utf8.ValidString(got) || !strings.HasPrefix(text, got) || n-len(got) >= utf8.UTFMax {
			t.Errorf("%d: %q", n, got)
		}
	}
}

// Names of hosts are the same with a port and without, and in any case.
func TestBare(t *testing.T) {
	for in, want := range map[string]string{"ibid.example:8443": "ibid.example", "IBID.example": "ibid.example", "[::1]:80": "::1", "::1": "::1"} {
		if got := bare(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
