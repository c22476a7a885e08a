package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"ibid/agent"
	"ibid/gate"
	"ibid/journal"
	"ibid/runs"
)

// errStopped is why a run ends that its user stopped at once.
var errStopped = errors.New("stopped by the user")

// work takes a run and shows how it ended. The first interrupt asks for the answer with what is there, a second within
// five seconds (or a termination) stops at once. While the run waits for its turn, the first ends the waiting.
func (d *desk) work(e *env, id string) error {
	ctx, cancel := context.WithCancelCause(e.ctx)
	defer cancel(nil)
	var waiting atomic.Bool
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		var first time.Time
		for {
			select {
			case <-ctx.Done():
				return
			case s := <-signals:
				if s == syscall.SIGTERM || waiting.Load() || !first.IsZero() && time.Since(first) < 5*time.Second {
					cancel(errStopped)
					return
				}
				if first.IsZero() {
					close(e.stopped)
				}
				first = time.Now()
				fmt.Fprintln(e.err, "\nstopping: the answer will be made of what is there (interrupt again to stop at once)")
				if err := d.journal.AskStop(ctx, id); err != nil {
					fmt.Fprintln(e.err, "ibid:", err)
				}
			}
		}
	}()
	_, unseen, err := d.watched(e)
	if err != nil {
		return err
	}
	defer unseen()
	p := newProgress(e, id)
	defer p.end()
	d.engine.Observe = func(ev agent.Event) {
		waiting.Store(false)
		p.event(ev)
	}
	waited := false
	result, err := d.engine.WorkInTurn(ctx, id, func(full *journal.Full) {
		waited = true
		waiting.Store(true)
		fmt.Fprintf(e.err, "run %s waits for its turn: %s (--max-working)\n", id, gate.Printable(full.Error()))
	})
	p.end()
	switch {
	case err != nil && waited:
		return d.waitedInVain(e, id, err)
	case err != nil && !errors.As(err, new(*runs.Error)):
		return &runs.Error{Code: runs.Internal, Message: "run " + id + " is interrupted", Err: err, Hint: "What it did is kept; go on with it: ibid resume " + id}
	case err != nil:
		return err
	}
	return show(e, id, result)
}

// waitedInVain tells how a run ended that did not have its turn.
func (d *desk) waitedInVain(e *env, id string, err error) error {
	var over *journal.Ended
	switch {
	case errors.As(err, &over) && over.State == journal.StateCancelled:
		fmt.Fprintf(e.err, "run %s was cancelled while it waited\n", id)
	case errors.Is(err, errStopped):
		info, err := d.journal.Info(context.WithoutCancel(e.ctx), id)
		if err != nil {
			return err
		}
		if info.State != journal.StateQueued {
			fmt.Fprintf(e.err, "run %s waits no longer; go on with it: ibid resume %s\n", id, id)
			break
		}
		if err := d.journal.AskStop(context.WithoutCancel(e.ctx), id); err != nil && !errors.As(err, &over) {
			return err
		}
		fmt.Fprintf(e.err, "run %s did not begin and is cancelled\n", id)
	default:
		return err
	}
	return exit(exitAborted)
}
