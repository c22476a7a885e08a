package agent

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"ibid/budget"
	"ibid/journal"
	"ibid/llm"
	"ibid/store"
)

// BenchmarkManyRuns is a thousand runs at once, of ten steps with a tool call each, in one journal. One operation is one
// run.
//
//	go test ./agent -run '^$' -bench ManyRuns -benchtime 1000x
func BenchmarkManyRuns(b *testing.B) {
	db, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "ibid.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	j := journal.Open(db, journal.Options{})
	model := &llm.Local{ID: "stub", Answer: func(_ context.Context, r llm.Request) (llm.Response, error) {
		resp := llm.Response{Stop: llm.StopEnd, Blocks: []llm.Block{{Text: "done"}}, Usage: llm.Usage{Known: true}}
		if len(r.Messages) < 2*10-1 {
			resp.Stop, resp.Blocks = llm.StopTools, []llm.Block{{Call: &llm.ToolCall{ID: "c", Name: "note", Args: fmt.Sprintf(`{"n":%d}`, len(r.Messages))}}}
		}
		return resp, nil
	}}
	tool := testTool{"note", func(Call) (Action, error) {
		return Action{Then: func([]Outcome) Result { return Result{Content: "ok"} }}, nil
	}}
	loop := &Loop{Model: model, Free: true}
	slots := make(chan struct{}, 1000)
	var wg sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			id, err := j.Create(b.Context(), journal.Spec{Question: "q"})
			if err != nil {
				b.Error(err)
				return
			}
			run, err := j.Claim(b.Context(), id)
			if err != nil {
				b.Error(err)
				return
			}
			s := session(budget.Limits{}, tool)
			s.Record = run
			if a, err := loop.Run(b.Context(), s); err != nil || a.Steps != 10 {
				b.Errorf("%d steps, %v", a.Steps, err)
			}
			if err := run.Finish(b.Context(), journal.StateDone, "done"); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}
