package agent

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"ibid/budget"
	"ibid/journal"
	"ibid/llm"
	"ibid/store"
)

// TestResumeInAPause: a run that ends while it waits for the next attempt goes on with that attempt: the one before is
// neither made nor waited for again, and counts as it did. A replay has the same figures.
func TestResumeInAPause(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	j := journal.Open(db, journal.Options{})
	id, err := j.Create(t.Context(), journal.Spec{Question: "q"})
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	model := failing(&calls, &llm.Error{Kind: llm.Overloaded, Status: 529, Message: "busy"})
	const pause = time.Hour // nobody waits for it
	work := func(ctx context.Context, run *journal.Run, observe func(Event)) (Answer, budget.Amount) {
		s := session(budget.Limits{})
		s.Record, s.Observe = run, observe
		a, err := (&Loop{Model: model, Backoff: pause}).Run(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		return a, s.Ledger.Spent()
	}
	run, err := j.Claim(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	a, _ := work(ctx, run, func(e Event) {
		if e.Kind == Retrying {
			cancel()
		}
	})
	if err := run.Finish(t.Context(), journal.StateParked, "interrupted"); err != nil {
		t.Fatal(err)
	}
	if a.Stop != StopCancelled || calls != 1 {
		t.Fatalf("stop %q after %d calls", a.Stop, calls)
	}
	if run, err = j.Claim(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	a, spent := work(t.Context(), run, nil)
	if a.Stop != StopDone || calls != 2 || spent.Steps != 2 || spent.Millis < pause.Milliseconds() {
		t.Errorf("stop %q after %d calls, spent %+v", a.Stop, calls, spent)
	}
	if err := run.Finish(t.Context(), journal.StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	replay, err := j.OpenReplay(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	again, repeated := work(t.Context(), replay, nil)
	if again.Text != a.Text || again.Stop != a.Stop || calls != 2 || repeated != spent {
		t.Errorf("the replay ends %q with %+v after %d calls, the run ended %q with %+v", again.Stop, repeated, calls, a.Stop, spent)
	}
}
