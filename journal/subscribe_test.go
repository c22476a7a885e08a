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
