package main

import (
	"testing"

	"ibid/internal/city"
	"ibid/llm"
)

// TestCityWorkspace: a model that looks into a folder, cites a file of it and changes others, over the wire: denied, asked
// for, allowed and undone, and made again from the record alone.
func TestCityWorkspace(t *testing.T) {
	call := func(calls ...string) (blocks []llm.Block) {
		for i := 0; i < len(calls); i += 2 {
			blocks = append(blocks, llm.Block{Call: &llm.ToolCall{ID: "c" + calls[i] + calls[i+1][:min(8, len(calls[i+1]))], Name: calls[i], Args: calls[i+1]}})
		}
		return blocks
	}
	turns := [][]llm.Block{
		call("plan", `{"subquestions":["When was the boiler serviced?"],"reason":"one thing"}`),
		call("search_files", `{"query":"servicing of the boiler"}`, "find_by_name", `{"pattern":"*.md"}`, "find_by_term", `{"term":"boiler"}`, "filter_files", `{"endings":["txt"],"order":"newest"}`),
		call("read_file", `{"path":"house/boiler.md"}`),
		call("record_finding", `{"claim":"The boiler was serviced on 3 March 2025.","quote":"The boiler was serviced on 3 March 2025","span":"S1:para.2","subquestion":"q1"}`),
		call("create_file", `{"path":"reports/boiler.md","content":"Serviced on 3 March 2025.\n"}`, "move_files", `{"moves":[{"from":"bread.txt","to":"kitchen/bread.txt"}]}`, "delete_files", `{"paths":["old.txt"]}`),
		{{Text: "The boiler was serviced on 3 March 2025 [F1]."}},
	}
	c := city.Start(t, city.Options{Answer: playing(turns)})
	walk(t, c, way{"anthropic", "tavily", true}, "workspace")
}
