package llmtest

import (
	"fmt"
	"strings"

	"ibid/llm"
)

// Long is a request of about 120,000 tokens: 40 steps, each with a call and a page of 10 kB as its result.
func Long() llm.Request {
	r := Request()
	page := strings.Repeat("The \"tide\" at Halden rose by 4 percent, größer than before; see <b>table 3</b>.\n", 124)
	for i := range 40 {
		id := fmt.Sprintf("toolu_%024d", i)
		r.Messages = append(r.Messages,
			llm.Message{Role: llm.Assistant, Blocks: []llm.Block{{Text: "I read the next page."}, {Call: &llm.ToolCall{ID: id, Name: "search_web", Args: `{"query":"tides at Halden, harbour records of 1911"}`}}}},
			llm.Message{Role: llm.User, Blocks: []llm.Block{{Result: &llm.ToolResult{ID: id, Name: "search_web", Content: page}}}})
	}
	return r
}
