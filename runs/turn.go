package runs

import (
	"context"
	"errors"
	"time"

	"ibid/journal"
	"ibid/research"
)

// WorkInTurn is Work for somebody who waits for it: while the user has as many runs at work as they may, it waits until one
// of them ends. said is called once, before it waits.
func (e *Engine) WorkInTurn(ctx context.Context, id string, said func(*journal.Full)) (*research.Result, error) {
	for waited := false; ; waited = true {
		waiting := e.Journal.Waiting()
		result, err := e.Work(ctx, id)
		var full *journal.Full
		if !errors.As(err, &full) {
			return result, err
		}
		if !waited {
			said(full)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-waiting:
		case <-time.After(time.Second): // those of other processes
		}
	}
}
