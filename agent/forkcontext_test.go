package agent

import (
	"path/filepath"
	"testing"

	"ibid/budget"
	"ibid/journal"
	"ibid/llm"
	"ibid/store"
)

// A fork that changes nothing makes the very requests of its parent, through elisions and summaries, so that all of its
// answers are on record; one that goes its own way from a step on asks only from there, with the same conversation.
func TestForkOfAContext(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	j := journal.Open(db, journal.Options{})
	work := func(spec journal.Spec) (*reader, Answer, string) {
		id, err := j.Create(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		run, err := j.Claim(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		m := &reader{steps: 12, pageSize: 9_000}
		c := m.context(12_000)
		c.CompactAt = 0
		s := session(budget.Limits{Steps: 40}, m.tools()...)
		s.Prompt[0].Blocks[0].Text = constraint
		s.Context, s.Record = c, run
		price := func(u llm.Usage) int64 { return u.In*3 + u.Out*15 } // of which a fork pays nothing for what is on record
		a, err := (&Loop{Model: m.model(), System: "s", Price: price, Guard: Guard{Repeats: 1000}}).Run(t.Context(), s)
		if err != nil || a.Stop != StopDone || a.Compactions == 0 || a.Elided == 0 {
			t.Fatalf("%s, %v: %d elided, %d compactions", a.Stop, err, a.Elided, a.Compactions)
		}
		if err := run.Finish(t.Context(), journal.StateDone, "done"); err != nil {
			t.Fatal(err)
		}
		return m, a, id
	}
	first, a, parent := work(journal.Spec{Question: "q"})
	m, _, same := work(journal.Spec{Question: "q", Parent: parent, ForkAt: 1000})
	if len(m.requests) > 0 {
		t.Errorf("a fork that changes nothing made %d calls of %d", len(m.requests), len(first.requests))
	}
	want, got := record(t, j, parent), record(t, j, same)
	for key, body := range want {
		if got[key] != body {
			t.Errorf("%s differs:\n%.300s\n%.300s", key, got[key], body)
		}
	}
	m, _, _ = work(journal.Spec{Question: "q", Parent: parent, ForkAt: a.Steps - 1})
	if n := len(m.requests); n == 0 || n > 4 || encodedAll(t, m.requests[n-1].Messages) != encodedAll(t, first.requests[len(first.requests)-1].Messages) {
		t.Errorf("a fork from the last steps made %d calls, or another last request", n)
	}
}
