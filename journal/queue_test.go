package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"ibid/gate"
)

// background makes a background run of a user.
func (b *bench) background(t testing.TB, user string) string {
	t.Helper()
	b.advance(time.Millisecond) // one is older than the other
	id, err := b.Create(context.Background(), Spec{User: user, Background: true})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func (b *bench) take(t testing.TB, id string) *Run {
	t.Helper()
	r, err := b.Take(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Abandon)
	return r
}

// next are the runs that wait, in the order in which they are taken.
func (b *bench) next(t testing.TB, n int) []string {
	t.Helper()
	ids, err := b.Next(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func (b *bench) state(t testing.TB, id string) State {
	t.Helper()
	info, err := b.Info(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return info.State
}

// Nobody is starved by another's hundred runs, nobody has more at work than they may, and of one user the oldest is first.
func TestTurns(t *testing.T) {
	b, ctx := open(t, Options{Owner: "machine/1/a", Quota: Quota{Working: 3}}), context.Background()
	var many []string
	for range 100 {
		many = append(many, b.background(t, "many"))
	}
	one, two := b.background(t, "one"), b.background(t, "two")
	if got, want := b.next(t, 4), []string{many[0], one, two, many[1]}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, id := range many[:3] {
		b.take(t, id)
	}
	if got, want := b.next(t, 100), []string{one, two}; !slices.Equal(got, want) {
		t.Errorf("with three of many's at work: %v, want %v", got, want)
	}
	var full *Full
	if _, err := b.Take(ctx, many[3]); !errors.As(err, &full) || full.User != "many" || full.Limit != 3 {
		t.Errorf("a fourth: %v", err)
	}
	if _, err := b.Claim(ctx, many[3]); !errors.As(err, &full) {
		t.Errorf("a fourth at a terminal: %v", err)
	}
	if err := b.SetQuota(ctx, "many", &Quota{Working: 4}); err != nil {
		t.Fatal(err)
	}
	b.take(t, many[3])
	if err := b.SetQuota(ctx, "many", nil); err != nil {
		t.Fatal(err)
	}
	if q, err := b.Quota(ctx, "many"); err != nil || q.Working != 3 {
		t.Errorf("%+v, %v", q, err)
	}
}

// A lease that lapsed counts no more, its run is taken again, and what a user may have in the queue is bounded.
func TestLapsedLeaseGivesItsPlaceUp(t *testing.T) {
	b, ctx := open(t, Options{Owner: "machine/1/a", Quota: Quota{Working: 1, Queued: 2}}), context.Background()
	first, second := b.background(t, "u"), b.background(t, "u")
	var full *Full
	if _, err := b.Create(ctx, Spec{User: "u", Background: true}); !errors.As(err, &full) || full.State != StateQueued {
		t.Errorf("a third in the queue: %v", err)
	}
	if _, err := b.Create(ctx, Spec{User: "u"}); err != nil {
		t.Errorf("at a terminal: %v", err)
	}
	b.take(t, first).Abandon()
	if got := b.next(t, 9); len(got) != 0 {
		t.Errorf("%v, while the first is at work", got)
	}
	b.advance(time.Minute)
	if got := b.next(t, 9); !slices.Equal(got, []string{first, second}) {
		t.Errorf("after its lease %v", got)
	}
	b.take(t, second)
	if _, err := b.Take(ctx, first); !errors.As(err, &full) {
		t.Errorf("two at work: %v", err)
	}
}

// Who waits at a terminal has the next place, before the queue of the same user.
func TestTerminalGoesFirst(t *testing.T) {
	b, ctx := open(t, Options{Owner: "machine/1/a", Quota: Quota{Working: 1}}), context.Background()
	working, queued := b.take(t, b.background(t, "u")), b.background(t, "u")
	here, err := b.Create(ctx, Spec{User: "u"})
	if err != nil {
		t.Fatal(err)
	}
	var full *Full
	if _, err := b.Claim(ctx, here); !errors.As(err, &full) {
		t.Fatal(err)
	}
	if err := working.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Take(ctx, queued); !errors.As(err, &full) {
		t.Errorf("the queue came first: %v", err)
	}
	if _, err := b.Take(ctx, here); !errors.Is(err, ErrForeground) {
		t.Errorf("a worker took a run of a terminal: %v", err)
	}
	r := b.claim(t, here)
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	b.take(t, queued)
}

// A run that ends its workers again and again is parked, with the reason; resumed, it is counted anew. One that comes
// further each time, or is handed back, is not.
func TestPoison(t *testing.T) {
	b, ctx := open(t, Options{Owner: "machine/1/a"}), context.Background()
	id := b.background(t, "u")
	crash := func(event bool) {
		t.Helper()
		r := b.take(t, id)
		if event {
			if err := r.Note(Key(fmt.Sprintf("lead/%d/tool.0", r.Info().Epoch)), "tool", 1); err != nil {
				t.Fatal(err)
			}
			if err := r.Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
		r.Abandon()
		b.advance(time.Minute)
	}
	for range 3 {
		for range MostCrashes - 1 { // the last one comes further
			crash(false)
		}
		crash(true)
	}
	for range 2 * MostCrashes {
		if err := b.take(t, id).Release(ctx); err != nil {
			t.Fatal(err)
		}
		if state := b.state(t, id); state != StateQueued {
			t.Fatalf("handed back it is %s", state)
		}
	}
	for range MostCrashes + 1 {
		r, err := b.Take(ctx, id)
		if err != nil {
			break
		}
		r.Abandon()
		b.advance(time.Minute)
	}
	var parked *Parked
	info, err := b.Info(ctx, id)
	if err != nil || info.State != StateParked || info.Stop != stopCrashed {
		t.Fatalf("%s (%s), %v", info.State, info.Stop, err)
	}
	if _, err := b.Take(ctx, id); !errors.As(err, &parked) {
		t.Errorf("taken again: %v", err)
	}
	if err := b.Enqueue(ctx, id); err != nil {
		t.Fatal(err)
	}
	for range MostCrashes - 1 {
		crash(false)
	}
	if state := b.state(t, id); state != StateInterrupted {
		t.Errorf("resumed, it is %s", state)
	}
}

// A background run goes on when its last open question is answered, whoever answers and when: also before it has parked. A
// run of a terminal waits for its terminal.
func TestAnsweredRunsGoOn(t *testing.T) {
	b, ctx := open(t, Options{Owner: "machine/1/a"}), context.Background()
	g := Gates{Journal: b.Journal, Expiry: time.Hour}
	ask := func(r *Run, n int) string {
		t.Helper()
		req := gate.Request{Run: r.ID(), Key: fmt.Sprintf("lead/%d/gate", n), Tool: "read_pages", Args: json.RawMessage(`{}`)}
		if _, err := g.Decide(ctx, req); !errors.Is(err, gate.ErrPending) {
			t.Fatal(err)
		}
		list, err := g.List(ctx, r.ID(), false)
		if err != nil {
			t.Fatal(err)
		}
		return list[len(list)-1].ID
	}
	answer := func(id string) {
		t.Helper()
		if _, err := g.Answer(ctx, id, gate.Answer{Allow: true, By: "reader"}); err != nil {
			t.Fatal(err)
		}
	}
	park := func(r *Run) {
		t.Helper()
		if err := r.Finish(ctx, StateParked, StopGate); err != nil {
			t.Fatal(err)
		}
	}
	is := func(id string, want State, when string) {
		t.Helper()
		if got := b.state(t, id); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	r := b.take(t, b.background(t, "u"))
	first := ask(r, 1)
	b.advance(time.Millisecond)
	second := ask(r, 2)
	park(r)
	answer(first)
	is(r.ID(), StateParked, "one of two answered")
	answer(second)
	is(r.ID(), StateQueued, "both answered")
	epoch := r.Info().Epoch
	if info, err := b.Info(ctx, r.ID()); err != nil || info.Epoch <= epoch {
		t.Errorf("epoch %d after %d, %v", info.Epoch, epoch, err)
	}
	early := b.take(t, b.background(t, "u"))
	answer(ask(early, 1))
	park(early)
	is(early.ID(), StateQueued, "answered before it parked")
	late := b.take(t, b.background(t, "u"))
	ask(late, 1)
	park(late)
	b.advance(2 * time.Hour)
	if woken, err := b.Expire(ctx); err != nil || !slices.Equal(woken, []string{late.ID()}) {
		t.Errorf("woken %v, %v", woken, err)
	}
	is(late.ID(), StateQueued, "expired")
	if list, err := g.List(ctx, late.ID(), true); err != nil || list[0].Decision == nil || list[0].Decision.Allow || list[0].Decision.By != "expiry" {
		t.Errorf("%+v, %v", list, err)
	}
	here := b.start(t, Spec{User: "u"})
	id := ask(here, 1)
	park(here)
	answer(id)
	is(here.ID(), StateParked, "of a terminal")
	odd := b.take(t, b.background(t, "u")) // nobody was asked: waking it would go round in circles
	park(odd)
	is(odd.ID(), StateParked, "without a question")
}

// Stop and cancel need no worker where none is at work: a run that has not begun is over, and one that waits for a decision
// goes on to its answer with a denial.
func TestStopNeedsNoWorker(t *testing.T) {
	b, ctx := open(t, Options{Owner: "machine/1/a"}), context.Background()
	queued := b.background(t, "u")
	if err := b.AskStop(ctx, queued); err != nil {
		t.Fatal(err)
	}
	if info, err := b.Info(ctx, queued); err != nil || info.State != StateCancelled || info.Stop != "stopped before it began" {
		t.Errorf("%s (%s), %v", info.State, info.Stop, err)
	}
	g := Gates{Journal: b.Journal}
	parked := func(s Spec) string {
		r := b.start(t, s)
		if _, err := g.Decide(ctx, gate.Request{Run: r.ID(), Key: "lead/1/gate", Tool: "read_pages", Args: json.RawMessage(`{}`)}); !errors.Is(err, gate.ErrPending) {
			t.Fatal(err)
		}
		if err := r.Note("lead/1/tool.0", "tool", 1); err != nil {
			t.Fatal(err)
		}
		if err := r.Finish(ctx, StateParked, StopGate); err != nil {
			t.Fatal(err)
		}
		return r.ID()
	}
	for state, s := range map[State]Spec{StateQueued: {Background: true}, StateParked: {}} {
		id := parked(s)
		if err := b.AskStop(ctx, id); err != nil {
			t.Fatal(err)
		}
		if got := b.state(t, id); got != state {
			t.Errorf("%s, want %s", got, state)
		}
		if list, err := g.List(ctx, id, true); err != nil || list[0].Decision == nil || list[0].Decision.Allow || list[0].Decision.By != "stop" {
			t.Errorf("%+v, %v", list, err)
		}
		if yes, err := b.claim(t, id).StopAsked(ctx, "lead/2/stop"); !yes || err != nil {
			t.Errorf("%v, %v", yes, err)
		}
		if got := b.state(t, id); got != StateStopping {
			t.Errorf("at work it is %s", got)
		}
	}
	id := parked(Spec{Background: true})
	if err := b.Cancel(ctx, id); err != nil || b.state(t, id) != StateCancelled {
		t.Errorf("%s, %v", b.state(t, id), err)
	}
}

// A worker that was too slow for its lease, and lives, is no crash, whether the run was taken in the meantime or is still to be: such a
// run is never parked. Crashes in between count as ever.
func TestSlowWorkersAreNoCrashes(t *testing.T) {
	b, ctx := open(t, Options{Owner: "machine/1/a"}), context.Background()
	id := b.background(t, "u")
	late := b.take(t, id)
	for n := range 3 * MostCrashes {
		b.advance(time.Minute)
		if n%2 == 0 { // it finds out before anybody else does
			if err := late.Outlive(ctx); err != nil {
				t.Fatal(err)
			}
		}
		next := b.take(t, id)
		if n%2 == 1 {
			if err := late.Outlive(ctx); err != nil {
				t.Fatal(err)
			}
		}
		late.Abandon()
		late = next
	}
	late.Abandon()
	for range MostCrashes - 1 {
		b.advance(time.Minute)
		b.take(t, id).Abandon()
	}
	b.advance(time.Minute)
	var parked *Parked
	if _, err := b.Take(ctx, id); !errors.As(err, &parked) {
		t.Errorf("after %d crashes: %v", MostCrashes, err)
	}
	if err := late.Outlive(ctx); err != nil { // of long ago
		t.Fatal(err)
	}
	if state := b.state(t, id); state != StateParked {
		t.Errorf("it is %s", state)
	}
}
