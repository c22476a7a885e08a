package runs

import (
	"context"
	"errors"
	"time"

	"ibid/audit"
	"ibid/journal"
	"ibid/llm"
	"ibid/research"
)

// Own is the desk of whoever runs this program, for what they start themselves.
func (e *Engine) Own() *Desk { return e.For(userName()) }

// Open writes a new run of the user's, of a configuration that was made at the door, if they may have another today.
func (d *Desk) Open(ctx context.Context, c research.Config) (journal.Info, error) {
	id, err := d.engine.create(ctx, c, journal.Spec{User: d.user, First: d.afford})
	if err != nil {
		return journal.Info{}, err
	}
	return d.own(ctx, id)
}

// Find returns a run of the user's, without what came of it.
func (d *Desk) Find(ctx context.Context, id string) (journal.Info, error) { return d.own(ctx, id) }

// Attend works on a run whose researcher is outside, with m in its place, until the run ends, parks, or ctx is done: then it
// can be attended again. What is on record is not asked again. A worker that takes such a run finds nobody and parks it at
// once, so who is met at work is waited for a moment.
func (d *Desk) Attend(ctx context.Context, id string, m llm.Model) (*research.Result, error) {
	info, err := d.own(ctx, id)
	if err != nil {
		return nil, err
	}
	if info.Model != research.Outside {
		return nil, fail(Conflict, nil, "", "run %s has a researcher of its own", id)
	}
	e := *d.engine
	build := e.Build
	e.Build = func(ctx context.Context, c research.Config, replay bool) (research.Parts, func() error, error) {
		p, release, err := build(ctx, c, replay)
		p.Model = m
		return p, release, err
	}
	for tries := 0; ; tries++ {
		result, err := e.Work(ctx, id)
		var busy *journal.Busy
		if !errors.As(err, &busy) || tries == attendTries {
			return result, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(attendPause):
		}
	}
}

const (
	attendTries = 20
	attendPause = 100 * time.Millisecond
)

// Verify checks a Markdown report against a run of the user's; nil means the run's own.
func (d *Desk) Verify(ctx context.Context, id string, markdown []byte) (audit.Result, error) {
	if _, err := d.own(ctx, id); err != nil {
		return audit.Result{}, err
	}
	return d.engine.Verify(ctx, id, markdown)
}
