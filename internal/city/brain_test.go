package city

import (
	"context"
	"testing"

	"ibid/llm"
)

// conversed is a conversation in which two findings were recorded, one of them behind a fence, and one was refused.
func conversed() llm.Request {
	call := func(id, args string) llm.Block {
		return llm.Block{Call: &llm.ToolCall{ID: id, Name: "record_finding", Args: args}}
	}
	result := func(id, content string, failed bool) llm.Block {
		return llm.Block{Result: &llm.ToolResult{ID: id, Content: content, IsError: failed}}
	}
	return llm.Request{Tools: []llm.Tool{{Name: "record_finding"}}, Messages: []llm.Message{
		{Role: llm.User, Blocks: []llm.Block{{Text: "Question: why?"}}},
		{Role: llm.Assistant, Blocks: []llm.Block{call("a", `{"claim":"Caching halves it.","subquestion":"q1"}`), call("b", `{"claim":"Nobody knows.","subquestion":"q1"}`), call("c", `{"claim":"Loops cost more","subquestion":"q2"}`)}},
		{Role: llm.User, Blocks: []llm.Block{
			result("a", `{"finding":"F1","plan":[{"id":"q1","question":"What helps?"},{"id":"q2","question":"What hurts?"}]}`+"\n[3 reads left]", false),
			result("b", `{"finding":"F9"}`, true),
			result("c", "[untrusted xyz]\n"+`{"finding":"F2","quote":"} {"}`+"\n[end xyz]", false),
		}},
	}}
}

func TestDraftIsMadeOfFindings(t *testing.T) {
	silent := func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{Blocks: []llm.Block{{Text: ""}}}, nil
	}
	b := newBrain(Options{Answer: silent, Draft: true})
	resp, err := b.think(t.Context(), conversed(), "x")
	want := "Caching halves it [F1].\n\n## What helps?\n\nCaching halves it [F1].\n\n## What hurts?\n\nLoops cost more [F2].\n"
	if err != nil || resp.Text() != want {
		t.Errorf("%v %q, want %q", err, resp.Text(), want)
	}
	r := conversed()
	r.Messages = append(r.Messages, llm.Message{Role: llm.Assistant, Blocks: []llm.Block{{Text: want}}}, llm.Message{Role: llm.User, Blocks: []llm.Block{{Text: "These do not hold:\n\n- uncited_claim: \"Loops cost more.\". Mend it."}}})
	if resp, err := b.think(t.Context(), r, "x"); err != nil || resp.Text() != "Caching halves it [F1].\n\n## What helps?\n\nCaching halves it [F1].\n" {
		t.Errorf("after a complaint: %v %q", err, resp.Text())
	}
	b = newBrain(Options{Answer: silent})
	if resp, err := b.think(t.Context(), conversed(), "x"); err != nil || len(resp.Blocks) != 0 {
		t.Errorf("without a draft the answer is empty: %v %+v", err, resp)
	}
	r = conversed()
	r.Tools = nil
	if resp, err := b.think(t.Context(), r, "x"); err != nil || resp.Text() != "OK." {
		t.Errorf("a call without tools is only a try: %v %+v", err, resp)
	}
}
