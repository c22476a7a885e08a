package runs

import (
	"testing"

	"ibid/agent"
)

// TestTell: what people who watch are told; of a plan, the one that is followed, which a person may have changed.
func TestTell(t *testing.T) {
	for _, c := range []struct {
		ev   agent.Event
		want string
	}{
		{agent.Event{Kind: agent.BeforeTool, Lane: "lead", Step: 1, Tool: "plan", Text: `{"subquestions":["What was asked for?"]}`}, ""},
		{agent.Event{Kind: agent.AfterTool, Lane: "lead", Step: 1, Tool: "plan", Text: "{\"plan\":[{\"id\":\"q1\",\"question\":\"What is\\u001b followed?\"},{\"id\":\"q2\",\"question\":\"And why?\"}]}\n[3 steps left]"},
			"[1] planning: What is� followed? / And why?"},
		{agent.Event{Kind: agent.AfterTool, Lane: "lead", Step: 1, Tool: "plan", Text: "DENIED: plan", Error: true}, ""},
		{agent.Event{Kind: agent.BeforeTool, Lane: "a2", Step: 3, Tool: "search_corpus", Text: `{"query":"cost of runs"}`}, "[a2 3] looking for: cost of runs"},
		{agent.Event{Kind: agent.BeforeTool, Lane: "lead", Step: 2, Tool: "read_pages", Text: `{"urls":["https://a.example","https://b.example"]}`}, "[2] reading: https://a.example https://b.example"},
		{agent.Event{Kind: agent.AfterTool, Lane: "lead", Step: 2, Tool: "read_pages", Text: `{"pages":[{"url":"https://a.example"},{"url":"https://b.example","error":"not found"}]}`}, "[2] not read: https://b.example: not found"},
	} {
		if got := Tell(c.ev); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.ev.Kind, c.ev.Text, got, c.want)
		}
	}
}
