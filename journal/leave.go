package journal

import (
	"context"
	"errors"
)

// ErrLeft is the cause of a run's context when its worker leaves it to others.
var ErrLeft = errors.New("the worker is shutting down")

// Leave ends the run's context as soon as no effect is being performed: what is being paid for is waited for and recorded,
// and nothing new is begun.
func (r *Run) Leave() {
	r.mu.Lock()
	r.leaving = true
	still := r.performing == 0
	r.mu.Unlock()
	if still {
		r.lost(ErrLeft)
	}
}

// enter counts an effect that is about to be performed, or, if the run is being left, waits for its end.
func (r *Run) enter(ctx context.Context) error {
	r.mu.Lock()
	leaving := r.leaving
	if !leaving {
		r.performing++
	}
	r.mu.Unlock()
	if !leaving {
		return nil
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
}

func (r *Run) exit() {
	r.mu.Lock()
	r.performing--
	last := r.leaving && r.performing == 0
	r.mu.Unlock()
	if last {
		r.lost(ErrLeft)
	}
}
