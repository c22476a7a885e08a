package main

import (
	"context"
	"testing"

	"ibid/internal/city"
	"ibid/llm"
)

// TestCityComputes: a report of the model's own that computes a figure, over the wire: the first draft has it wrong, and is
// mended; the report is checked, printed in its forms, and made again from the record alone.
func TestCityComputes(t *testing.T) {
	call := func(name, args string) []llm.Block {
		return []llm.Block{{Call: &llm.ToolCall{ID: "c", Name: name, Args: args}}}
	}
	turns := [][]llm.Block{
		call("plan", `{"subquestions":["How much did the tidal plant generate?","How much was planned?"],"reason":"a difference"}`),
		call("search_web", `{"query":"Skerry tidal plant output plan"}`),
		call("read_pages", `{"urls":["http://skerry.example/2024"],"reason":"figures"}`),
		call("record_finding", `{"claim":"The Skerry tidal plant generated 41.6 GWh in 2024.","quote":"The Skerry tidal plant generated 41.6 GWh in 2024","span":"S1:para.2","subquestion":"q1"}`),
		call("record_finding", `{"claim":"The plan for 2024 was an output of 45.2 GWh.","quote":"The plan for 2024 was an output of 45.2 GWh","span":"S1:para.3","subquestion":"q2"}`),
		{{Text: "The Skerry tidal plant generated 41.6 GWh in 2024 [F1]. That output was {compute: F2:45.4 - F1} below the plan."}},
		{{Text: "The Skerry tidal plant generated 41.6 GWh in 2024 [F1]. That output was {compute: F2 - F1} below the plan for the year, a shortfall of {compute: fall(F2, F1)}."}},
	}
	c := city.Start(t, city.Options{
		Answer: playing(turns),
		Inject: city.Inject{Pages: []city.Page{{Host: "skerry.example", Path: "/2024", Title: "Skerry tidal plant: output and plan", ContentType: "text/html",
			Body: []byte(`<title>Skerry tidal plant</title><main><h1>The year at Skerry</h1><p>The Skerry tidal plant generated 41.6 GWh in 2024, its third year in the sound.</p>` +
				`<p>The plan for 2024 was an output of 45.2 GWh, which the operator had set before the cable failed in spring.</p></main>`)}}},
	})
	walk(t, c, way{"anthropic", "tavily", true}, "computed")
}

// playing is a model that answers with these turns, one after the other, and then ends.
func playing(turns [][]llm.Block) func(context.Context, llm.Request) (llm.Response, error) {
	return func(_ context.Context, r llm.Request) (llm.Response, error) {
		n := 0
		for _, m := range r.Messages {
			if m.Role == llm.Assistant {
				n++
			}
		}
		resp := llm.Response{Stop: llm.StopEnd, Usage: llm.Usage{Known: true}}
		if n < len(turns) {
			resp.Blocks = turns[n]
			if turns[n][0].Call != nil {
				resp.Stop = llm.StopTools
			}
		}
		return resp, nil
	}
}
