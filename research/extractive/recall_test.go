package extractive

import (
	"context"
	"testing"

	"ibid/llm"
)

// A knowledge base is asked once, after the plan; the sources that it keeps are read like what a search found, and those that it
// does not keep are not.
func TestKnowledgeIsAsked(t *testing.T) {
	const question = "How high is the lighthouse?"
	req := llm.Request{Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "Question: " + question}}}}}
	for _, name := range []string{toolPlan, toolQuery, toolSearch, toolRead, toolCorpus, toolFinding} {
		req.Tools = append(req.Tools, llm.Tool{Name: name})
	}
	results := map[string]string{
		toolPlan: `{"plan":[{"id":"q1","question":"How high is the lighthouse?","findings":0}]}`,
		toolQuery: `{"facts":[{"fact":"K1","untrusted_text":"The lighthouse is 31 metres high since 1899.","sources":[{"url":"file:///docs/lighthouse.md","untrusted_title":"The lighthouse","kept":true},
			{"url":"https://halden.example/lighthouse","untrusted_title":"The lighthouse","kept":false}]}],"more":0}`,
		toolSearch: `{"query":"q","outcome":"empty","results":[]}`,
	}
	asked := 0
	for range 6 {
		resp, err := answer(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		said := llm.Message{Role: llm.User}
		for _, c := range resp.Calls() {
			if c.Name == toolQuery {
				asked++
			}
			if c.Name == toolRead {
				if want := `{"urls":["file:///docs/lighthouse.md"]`; asked != 1 || len(c.Args) < len(want) || c.Args[:len(want)] != want {
					t.Errorf("asked %d times, and then read %s", asked, c.Args)
				}
				return
			}
			said.Blocks = append(said.Blocks, llm.Block{Result: &llm.ToolResult{ID: c.ID, Name: c.Name, Content: results[c.Name]}})
		}
		req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Blocks: resp.Blocks}, said)
	}
	t.Error("the source was not read")
}
