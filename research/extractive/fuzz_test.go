package extractive

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"ibid/llm"
)

// maxAnswer bounds an answer, in bytes, whatever the conversation holds: twelve findings of some 600 characters.
const maxAnswer = 64 << 10

// FuzzAnswer gives arbitrary conversations: the answer is small, the same each time, and calls only what is offered.
func FuzzAnswer(f *testing.F) {
	f.Add("Question: What makes ferry crossings expensive, and what fixes it?\n\nDepth: standard.", toolRead, `{"urls":["https://a.example/"],"reason":"x"}`, `{"pages":[{"url":"https://a.example/","source":"S1","title":"Ferries","kind":"html","untrusted_text":[{"at":"para.1","text":"Fuel makes a ferry crossing expensive because boats are fast."}],"links":[{"url":"https://b.example/","text":"ferry crossings"}]}]}`+"\n[3 reads left]", false)
	f.Add("Question: x", toolCorpus, `{"query":"x","k":8}`, `{"spans":[{"span":"S1:para.2","source_title":"t","untrusted_text":"x is a letter. It stands near the end of the alphabet"}]}`, false)
	f.Add("", toolFinding, `{"claim":"a","quote":"b","span":"S1:para.1","subquestion":"q1"}`, `{"error":"no","closest_span":"S1:para.1","untrusted_text":"b b b b b"}`, true)
	f.Add("Question: 何ですか？", toolSearch, `{"query":"何"}`, "BUDGET: searches", true)
	f.Fuzz(func(t *testing.T, text, tool, args, result string, isErr bool) {
		req := llm.Request{Choice: llm.ChoiceAuto, Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: text}}}}}
		for _, name := range []string{toolPlan, toolSearch, toolRead, toolCorpus, toolFinding} {
			req.Tools = append(req.Tools, llm.Tool{Name: name})
		}
		add := func(tool, args, result string, isErr bool) {
			req.Messages = append(req.Messages,
				llm.Message{Role: llm.Assistant, Blocks: []llm.Block{{Call: &llm.ToolCall{ID: "1", Name: tool, Args: args}}}},
				llm.Message{Role: llm.User, Blocks: []llm.Block{{Result: &llm.ToolResult{ID: "1", Name: tool, Content: result, IsError: isErr}}}})
		}
		plan, err := json.Marshal(planResult{[]subquestion{{ID: "q1", Question: text}}})
		if err != nil {
			t.Skip()
		}
		for step := range 3 {
			switch step {
			case 1:
				add(toolPlan, "{}", string(plan), false)
			case 2:
				add(tool, args, result, isErr)
			}
			once, twice := encoded(t, req), encoded(t, req)
			if !bytes.Equal(once, twice) {
				t.Fatalf("two answers to one conversation:\n%s\n%s", once, twice)
			}
			if len(once) > maxAnswer+8*len(text) {
				t.Fatalf("an answer of %d bytes", len(once))
			}
		}
	})
}

func encoded(t *testing.T, r llm.Request) []byte {
	t.Helper()
	resp, err := New(ID).Answer(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(resp)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
