package journal

import (
	"context"
	"errors"
	"testing"
)

// A subscriber sees each event in order, each effect's outcome, and the end, whenever it comes in; and it leaves when it
// likes.
func TestSubscribeLosesNothing(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	r := b.start(t, Spec{})
	type seen struct {
		first []int64
		final map[int64]string
		err   error
	}
	watch := func(after int64) <-chan seen {
		got := make(chan seen, 1)
		go func() {
			s := seen{final: map[int64]string{}}
			for e, err := range b.Subscribe(ctx, r.ID(), after) {
				if err != nil {
					s.err = err
					break
				}
				if _, again := s.final[e.Seq]; !again {
					s.first = append(s.first, e.Seq)
				}
				s.final[e.Seq] = e.State
			}
			got <- s
		}()
		return got
	}
	early := watch(0)
	if _, _, err := (&program{}).run(ctx, r, 10); err != nil {
		t.Fatal(err)
	}
	middle := watch(7)
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]struct {
		got   <-chan seen
		after int64
	}{"early": {early, 0}, "middle": {middle, 7}, "late": {watch(0), 0}, "at the end": {watch(30), 30}} {
		s := <-w.got
		if s.err != nil || int64(len(s.first)) != 30-w.after {
			t.Errorf("%s: %d events after %d of 30, %v", name, len(s.first), w.after, s.err)
			continue
		}
		for i, seq := range s.first {
			if seq != w.after+int64(i)+1 {
				t.Fatalf("%s: event %d has number %d: a gap or a repeat", name, i+1, seq)
			}
			if s.final[seq] == "intent" {
				t.Errorf("%s: the outcome of event %d was not given", name, seq)
			}
		}
	}
	for range b.Subscribe(ctx, r.ID(), 0) {
		break
	}
	for _, err := range b.Subscribe(ctx, "nobody", 0) {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("no such run: %v", err)
		}
	}
}

// What another process writes wakes those who watch; what happens to one run here wakes nobody who watches another.
func TestWatching(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	r, quiet := b.start(t, Spec{}), b.start(t, Spec{})
	for _, id := range []string{r.ID(), quiet.ID()} {
		b.wake.join(id)
		defer b.wake.leave(id)
	}
	woken, other := b.wake.next(r.ID()), b.wake.next(quiet.ID())
	if err := errors.Join(r.Note("lead/1/tool.0", "tool", 1), r.Flush(ctx)); err != nil {
		t.Fatal(err)
	}
	select {
	case <-woken:
	default:
		t.Error("nobody was woken")
	}
	select {
	case <-other:
		t.Error("who watches another run was woken")
	default:
	}
	there := Open(b.db, Options{Now: b.options.Now}) // as another process
	got := make(chan error, 1)
	there.wake.join(r.ID())
	defer there.wake.leave(r.ID())
	go func() {
		for _, err := range there.Subscribe(ctx, r.ID(), 0) {
			if err != nil {
				got <- err
			}
		}
		got <- nil
	}()
	<-there.wake.next(r.ID()) // it has looked
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}
