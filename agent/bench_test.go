package agent

import (
	"context"
	"testing"

	"ibid/budget"
	"ibid/llm"
)

// BenchmarkStep is what a step costs above the model call, with the journal off: reserve, encode a prepared body, decode a
// prepared answer, dispatch one tool, append. One operation is one step; a run has forty.
func BenchmarkStep(b *testing.B) {
	const steps = 40
	tool := testTool{"note", func(Call) (Action, error) {
		return Action{Then: func([]Outcome) Result { return Result{Content: "ok"} }}, nil
	}}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		model := &prepared{call: llm.Response{Stop: llm.StopTools, Usage: llm.Usage{Known: true}}, last: &n, steps: steps}
		s := session(budget.Limits{Steps: 100}, tool)
		if _, err := (&Loop{Model: model, Free: true, Guard: Guard{Repeats: 1000}}).Run(context.Background(), s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*steps), "ns/step")
}

// prepared is a model that costs nothing: its bytes are ready.
type prepared struct {
	call  llm.Response
	last  *int
	steps int
}

var body = []byte("{}")

func (*prepared) Name() string                                         { return "prepared" }
func (*prepared) Encode(llm.Request) ([]byte, error)                   { return body, nil }
func (*prepared) Send(context.Context, []byte, string) ([]byte, error) { return body, nil }
func (p *prepared) Decode([]byte) (llm.Response, error) {
	r := p.call
	*p.last++
	if *p.last > 2*p.steps { // each answer is decoded twice: for its usage, and for use
		r.Stop, r.Blocks = llm.StopEnd, []llm.Block{{Text: "done"}}
		return r, nil
	}
	r.Blocks = []llm.Block{{Call: &llm.ToolCall{ID: "c", Name: "note", Args: "{}"}}}
	return r, nil
}
