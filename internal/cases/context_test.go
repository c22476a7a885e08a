package cases

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ibid/agent"
	"ibid/budget"
	"ibid/llm"
)

var contextOps = map[string]func(*testing.T, failureCase){"compact": compacted}

// compacted lets a run receive the case's results, a step each, and be summarised by code, as when a model cannot do it.
// Its next request must still hold what is to be kept, and list what was dropped by the handle that brings it back.
func compacted(t *testing.T, c failureCase) {
	var history []struct{ ID, Content string }
	c.json(t, "history", &history)
	target, _ := c.Input["target_tokens"].(float64)
	n := 0
	var last llm.Request
	model := &llm.Local{ID: "case", Answer: func(_ context.Context, r llm.Request) (llm.Response, error) {
		usage := llm.Usage{Known: true}
		if blocks := r.Messages[len(r.Messages)-1].Blocks; strings.Contains(blocks[len(blocks)-1].Text, "established_facts") {
			return llm.Response{Stop: llm.StopEnd, Usage: usage}, nil // no summary
		}
		last = r
		if n++; n > len(history)+1 {
			return llm.Response{Blocks: []llm.Block{{Text: "done"}}, Stop: llm.StopEnd, Usage: usage}, nil
		}
		return llm.Response{Stop: llm.StopTools, Usage: usage, Blocks: []llm.Block{{Call: &llm.ToolCall{ID: "c", Name: "tool", Args: fmt.Sprintf(`{"n":%d}`, n)}}}}, nil
	}}
	results := scriptedResults{}
	for _, h := range history {
		results = append(results, h.Content)
	}
	results = append(results, "the newest result")
	s := &agent.Session{Lane: "lead", Ledger: budget.NewLedger(budget.Limits{}, budget.Amount{}), Tools: []agent.Tool{results},
		Context: &agent.Context{Window: int64(target) * 3, Compact: true, Fetch: llm.Tool{Name: "fetch_result", Schema: json.RawMessage(`{"type":"object"}`)}},
		Prompt:  []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "Question: x"}}}}}
	a, err := (&agent.Loop{Model: model, MaxTokens: 100}).Run(t.Context(), s)
	if err != nil || a.Stop != agent.StopDone || a.Compactions == 0 {
		t.Fatalf("%s after %d compactions, %v", a.Stop, a.Compactions, err)
	}
	sent, err := json.Marshal(last.Messages)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range strs(c.Expect["must_keep"]) {
		if !strings.Contains(string(sent), want) {
			t.Errorf("%q is lost: %s", want, sent)
		}
	}
	for _, id := range strs(c.Expect["dropped_are_listed"]) {
		for i, h := range history {
			if h.ID == id && (!strings.Contains(string(sent), fmt.Sprintf(`r%d.0`, i+1)) || strings.Contains(string(sent), h.Content)) {
				t.Errorf("result %s is not listed as dropped", id)
			}
		}
	}
}

// scriptedResults is a tool that answers its nth call with the nth text.
type scriptedResults []string

func (scriptedResults) Spec() llm.Tool {
	return llm.Tool{Name: "tool", Schema: json.RawMessage(`{"type":"object"}`)}
}

func (r scriptedResults) Admit(c agent.Call) (agent.Action, error) {
	var args struct{ N int }
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	return agent.Action{Then: func([]agent.Outcome) agent.Result { return agent.Result{Content: r[args.N-1]} }}, nil
}
