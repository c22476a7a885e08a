package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// One goroutine looks after all runs of a journal, from the first claim to the end of the last; each run is told of its
// own end and of nobody else's.
func TestPulse(t *testing.T) {
	b, ctx := open(t, Options{Owner: "machine/1/a"}), context.Background()
	before := goleak.IgnoreCurrent()
	runs := make([]*Run, 8)
	for i := range runs {
		runs[i] = b.start(t, Spec{})
	}
	beating := func() int {
		return strings.Count(fmt.Sprint(goleak.Find(before)), "created by ibid/journal.(*pulse).join")
	}
	if n := beating(); n != 1 {
		t.Errorf("%d goroutines look after %d runs", n, len(runs))
	}
	lost, cancelled, stopped, deleted, fine := runs[0], runs[1], runs[2], runs[3], runs[4:]
	if _, err := b.db.Exec(`UPDATE run SET epoch = epoch + 1 WHERE id = $1`, lost.ID()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.db.Exec(`DELETE FROM run WHERE id = $1`, deleted.ID()); err != nil {
		t.Fatal(err)
	}
	other := Open(b.db, Options{Owner: "elsewhere/2/b", Now: b.options.Now}) // wakes nobody here
	if err := errors.Join(other.Cancel(ctx, cancelled.ID()), other.AskStop(ctx, stopped.ID())); err != nil {
		t.Fatal(err)
	}
	if err := b.pulse.beat(ctx); err != nil {
		t.Fatal(err)
	}
	for r, want := range map[*Run]error{lost: ErrFenced, deleted: ErrFenced, cancelled: ErrCancelled, stopped: nil} {
		if got := context.Cause(r.ctx); !errors.Is(got, want) {
			t.Errorf("told %v, want %v", got, want)
		}
	}
	if yes, err := stopped.StopAsked(ctx, "lead/1/stop"); !yes || err != nil {
		t.Errorf("stop: %v, %v", yes, err)
	}
	for _, r := range fine {
		if yes, err := r.StopAsked(ctx, "lead/1/stop"); yes || err != nil || r.ctx.Err() != nil {
			t.Errorf("told of another's: %v, %v, %v", yes, err, context.Cause(r.ctx))
		}
	}
	for i, r := range runs {
		if i%2 == 0 {
			r.Abandon()
		}
		r.Abandon()
	}
	if n := beating(); n != 0 {
		t.Errorf("%d after the last", n)
	}
	b.start(t, Spec{}).Abandon()
	if n := beating(); n != 0 {
		t.Errorf("%d after one more", n)
	}
}

// Leases of more runs than one statement names are renewed, of all, when a third of them is over, and not sooner.
func TestLeasesOfMany(t *testing.T) {
	b, ctx := open(t, Options{Owner: "machine/1/a", Lease: time.Hour}), context.Background()
	p := &pulse{j: b.Journal, runs: map[*Run]bool{}} // without its goroutine: the leases are this test's
	err := b.db.Tx(ctx, func(tx *sql.Tx) error {
		for i := range atOnce + 10 {
			r := &Run{j: b.Journal, info: Info{ID: fmt.Sprint("run ", i), Epoch: 1}}
			r.ctx, r.lost = context.WithCancelCause(ctx)
			p.runs[r] = false
			if _, err := tx.Exec(`INSERT INTO run (id, user_name, question, state, model, prompt_version, config, epoch, lease_owner, lease_until, created, updated)
				VALUES ($1, '', '', 'working', '', '', $2, 1, $3, $4, 0, 0)`, r.info.ID, []byte("{}"), b.options.Owner, b.now()+time.Hour.Milliseconds()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	renewed := func() (n int) {
		if err := p.beat(ctx); err != nil {
			t.Fatal(err)
		}
		if err := b.db.QueryRow(`SELECT count(*) FROM run WHERE lease_until = $1`, b.now()+time.Hour.Milliseconds()).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, step := range []struct {
		later time.Duration
		want  int
	}{{19 * time.Minute, 0}, {2 * time.Minute, atOnce + 10}, {time.Minute, 0}, {time.Hour, 0}} {
		b.advance(step.later)
		if n := renewed(); n != step.want {
			t.Errorf("%s later %d leases were renewed, want %d", step.later, n, step.want)
		}
	}
	for r, lost := range p.runs {
		if !lost || !errors.Is(context.Cause(r.ctx), ErrFenced) {
			t.Fatalf("a lapsed lease: %v, %v", lost, context.Cause(r.ctx))
		}
	}
}

// BenchmarkCancel is the time from somebody's wish, in this process, to the end of the run's context, beside many runs.
func BenchmarkCancel(b *testing.B) {
	j, ctx := open(b, Options{}), context.Background()
	for range 200 {
		j.start(b, Spec{})
	}
	for b.Loop() {
		r := j.start(b, Spec{})
		if err := j.Cancel(ctx, r.ID()); err != nil {
			b.Fatal(err)
		}
		<-r.ctx.Done()
		r.Abandon()
	}
}
