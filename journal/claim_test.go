package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A run is judged by its worker's sign of life, not by its age; one that waits for a person is not dead, and one that is
// alive is not started a second time.
func TestStatesAreToldFromTheLease(t *testing.T) {
	b, ctx := open(t, Options{Owner: "machine/1/a"}), context.Background()
	parked, queued := b.start(t, Spec{}), ""
	if err := parked.Finish(ctx, StateParked, "parked"); err != nil {
		t.Fatal(err)
	}
	queued, err := b.Create(ctx, Spec{})
	if err != nil {
		t.Fatal(err)
	}
	dead := b.start(t, Spec{})
	dead.Abandon() // its heartbeat ends
	long := b.start(t, Spec{})
	for range 100 { // beats, far longer than a lease
		b.advance(10 * time.Second)
		for renewed := false; !renewed; { // the row may be held by the beat of the goroutine
			if err := b.pulse.beat(ctx); err != nil {
				t.Fatal(err)
			}
			info, err := b.Info(ctx, long.ID())
			if err != nil || info.State != StateWorking {
				t.Fatalf("%s, %v", info.State, err)
			}
			renewed = info.LeaseUntil.Sub(b.options.Now()) > 10*time.Second
		}
	}
	for id, want := range map[string]State{parked.ID(): StateParked, queued: StateQueued, dead.ID(): StateInterrupted, long.ID(): StateWorking} {
		if info, err := b.Info(ctx, id); err != nil || info.State != want {
			t.Errorf("%s, want %s; %v", info.State, want, err)
		}
	}
	list, err := b.Runs(ctx, 10)
	if err != nil || len(list) != 4 {
		t.Fatal(list, err)
	}
	var busy *Busy
	if _, err := b.Claim(ctx, long.ID()); !errors.As(err, &busy) || busy.Owner != "machine/1/a" || !busy.Until.After(b.options.Now()) {
		t.Errorf("a second copy of a healthy run: %v", err)
	}
	for _, id := range []string{parked.ID(), queued, dead.ID()} {
		b.claim(t, id)
	}
}

// The heartbeat renews the lease by itself, and not one that has lapsed.
func TestHeartbeat(t *testing.T) {
	b, ctx := open(t, Options{Lease: 2 * time.Second, Owner: "machine/1/a"}), context.Background()
	b.options.Now = time.Now
	r := b.start(t, Spec{})
	first := r.Info().LeaseUntil
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-deadline:
			t.Fatal("the lease is not renewed")
		case <-tick.C:
		}
		if info, err := b.Info(ctx, r.ID()); err == nil && info.LeaseUntil.Sub(first) > 500*time.Millisecond {
			break
		}
	}
	if err := r.Release(ctx); err != nil {
		t.Fatal(err)
	}
	if err := b.pulse.renew(ctx, []any{r.ID()}); err != nil {
		t.Fatal(err)
	}
	if info, err := b.Info(ctx, r.ID()); err != nil || !info.LeaseUntil.IsZero() {
		t.Errorf("a lapsed lease was renewed until %s, %v", info.LeaseUntil, err)
	}
	if err := r.Flush(ctx); err != nil {
		t.Error(err)
	}
	if err := r.Note("lead/1/tool.0", "tool", "late"); err != nil {
		t.Fatal(err)
	}
	if err := r.Flush(ctx); !errors.Is(err, ErrFenced) {
		t.Errorf("a released worker wrote: %v", err)
	}
}

// A lease of a process of this machine that is gone is free at once; one of another machine is waited for.
func TestDeadOwner(t *testing.T) {
	ctx := context.Background()
	gone := exec.Command(os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	for owner, free := range map[string]bool{
		fmt.Sprintf("machine/%d/x", gone.Process.Pid): true,
		fmt.Sprintf("other/%d/x", gone.Process.Pid):   false,
		fmt.Sprintf("machine/%d/x", os.Getpid()):      false,
		fmt.Sprintf("machine/%d/x", os.Getppid()):     false,
		"machine/0/x": false, "machine/-1/x": false, "machine": false, "": false,
	} {
		a := open(t, Options{Owner: owner})
		if owner == "" {
			a.options.Owner = ""
		}
		old := a.start(t, Spec{})
		b := Open(a.db, Options{Owner: "machine/1/b", Now: a.options.Now})
		r, err := b.Claim(ctx, old.ID())
		if (err == nil) != free {
			t.Errorf("a lease of %q: %v", owner, err)
		}
		if err == nil {
			r.Abandon()
			if err := old.Note("k/1/n", "tool", 1); err != nil {
				t.Fatal(err)
			}
			if err := old.Flush(ctx); !errors.Is(err, ErrFenced) {
				t.Errorf("the old worker wrote: %v", err)
			}
		}
	}
}

// Cancelling ends a run that nobody works on at once, and one that is worked on through its worker; a dead worker's too.
func TestCancel(t *testing.T) {
	b, ctx := open(t, Options{Owner: "machine/1/a"}), context.Background()
	queued, err := b.Create(ctx, Spec{})
	if err != nil {
		t.Fatal(err)
	}
	working, dead := b.start(t, Spec{}), b.start(t, Spec{})
	c, cancel := working.Context(ctx)
	defer cancel()
	dead.Abandon()
	if err := b.Cancel(ctx, dead.ID()); err != nil { // looks alive until its lease is over
		t.Fatal(err)
	}
	for _, id := range []string{queued, working.ID()} {
		if err := b.Cancel(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-c.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the worker was not told")
	}
	if !errors.Is(context.Cause(c), ErrCancelled) {
		t.Errorf("cause %v", context.Cause(c))
	}
	if err := working.Finish(ctx, StateCancelled, "cancelled"); err != nil {
		t.Fatal(err)
	}
	b.advance(time.Minute)
	var over *Ended
	for _, id := range []string{queued, working.ID(), dead.ID()} {
		if _, err := b.Claim(ctx, id); !errors.As(err, &over) || over.State != StateCancelled {
			t.Errorf("claiming a cancelled run: %v", err)
		}
		if info, err := b.Info(ctx, id); err != nil || info.State != StateCancelled {
			t.Errorf("%+v, %v", info, err)
		}
		if err := b.Cancel(ctx, id); !errors.As(err, &over) {
			t.Errorf("cancelled again: %v", err)
		}
		if err := b.AskStop(ctx, id); !errors.As(err, &over) {
			t.Errorf("asked to stop after its end: %v", err)
		}
	}
	for _, id := range []string{"no\x00body", "no\xffbody", ""} {
		if _, err := b.Info(ctx, id); !errors.Is(err, ErrNotFound) {
			t.Errorf("the run %q: %v", id, err)
		}
		if err := b.Cancel(ctx, id); !errors.Is(err, ErrNotFound) {
			t.Errorf("cancelling %q: %v", id, err)
		}
	}
	if err := b.Cancel(ctx, "nobody"); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such run: %v", err)
	}
}

// A wish to stop is kept while nobody works on the run, and reaches a worker of another process.
func TestStopReachesTheWorker(t *testing.T) {
	b, ctx := open(t, Options{Owner: "machine/1/a"}), context.Background()
	begun := b.start(t, Spec{})
	if err := begun.Note("lead/1/tool.0", "tool", 1); err != nil {
		t.Fatal(err)
	}
	if err := begun.Release(ctx); err != nil {
		t.Fatal(err)
	}
	if err := b.AskStop(ctx, begun.ID()); err != nil {
		t.Fatal(err)
	}
	if yes, err := b.claim(t, begun.ID()).StopAsked(ctx, "lead/2/stop"); !yes || err != nil {
		t.Errorf("asked while nobody worked on it: %v, %v", yes, err)
	}
	r := b.start(t, Spec{})
	other := Open(b.db, Options{Owner: "machine/2/b"}) // its broadcasts wake nobody here
	if err := other.AskStop(ctx, r.ID()); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for step := 1; ; step++ {
		yes, err := r.StopAsked(ctx, Key(fmt.Sprintf("lead/%d/stop", step)))
		if err != nil {
			t.Fatal(err)
		}
		if yes {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the worker was not told")
		}
		<-time.After(5 * time.Millisecond)
	}
}

// A resumed run that has left its record says so, writes nothing more, and frees the run.
func TestDivergenceEndsTheClaim(t *testing.T) {
	b, ctx := open(t, Options{Owner: "machine/1/a"}), context.Background()
	r := b.start(t, Spec{})
	if _, _, err := (&program{}).run(ctx, r, 2); err != nil {
		t.Fatal(err)
	}
	if err := r.Release(ctx); err != nil {
		t.Fatal(err)
	}
	r = b.claim(t, r.ID())
	var d *Divergence
	if _, _, err := (&program{system: "other"}).run(ctx, r, 3); !errors.As(err, &d) || d.Where != "/system" {
		t.Fatalf("%v", err)
	}
	if _, err := Do(ctx, r, Effect{Key: "lead/9/model", Kind: "model"}, "x", func(context.Context) (int, Amount, error) {
		t.Error("an effect after the divergence")
		return 0, Amount{}, nil
	}); !errors.As(err, &d) || d.Key != "lead/1/model" {
		t.Errorf("the first divergence is %v", err)
	}
	if err := r.Finish(ctx, StateDone, "done"); !errors.As(err, &d) {
		t.Errorf("ended with %v", err)
	}
	if info, err := b.Info(ctx, r.ID()); err != nil || info.State != StateInterrupted {
		t.Errorf("%+v, %v", info, err)
	}
	r = b.claim(t, r.ID())
	if _, _, err := (&program{}).run(ctx, r, 3); err != nil {
		t.Errorf("resumed with the old program: %v", err)
	}
	if err := r.Finish(ctx, "flying", ""); err == nil || !strings.Contains(err.Error(), "flying") {
		t.Errorf("ended in a state that is none: %v", err)
	}
}

// An abort overtakes the wish to answer early: resumed, the run goes on. A wish that nothing overtook is kept.
func TestAbortOvertakesStop(t *testing.T) {
	for stop, want := range map[string]bool{"cancelled": false, "parked": true} {
		b, ctx := open(t, Options{}), context.Background()
		r := b.start(t, Spec{})
		if err := b.AskStop(ctx, r.ID()); err != nil {
			t.Fatal(err)
		}
		if err := r.Finish(ctx, StateParked, stop); err != nil {
			t.Fatal(err)
		}
		if asked, err := b.claim(t, r.ID()).StopAsked(ctx, "lead/1/stop"); err != nil || asked != want {
			t.Errorf("resumed after %s: stop asked %v, %v; want %v", stop, asked, err, want)
		}
	}
}
