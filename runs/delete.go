package runs

import (
	"context"
	"errors"

	"ibid/journal"
)

// Delete deletes a run with all that names it or came of it; see journal.Delete.
func (e *Engine) Delete(ctx context.Context, id string) (journal.Deleted, error) {
	d, err := e.Journal.Delete(ctx, id)
	return d, e.refused(id, err)
}

// Remove is Delete without looking after the files: for several, after which they are rewritten once.
func (e *Engine) Remove(ctx context.Context, id string) (journal.Deleted, error) {
	d, err := e.Journal.Remove(ctx, id)
	return d, e.refused(id, err)
}

func (e *Engine) refused(id string, err error) error {
	var busy *journal.Busy
	var needed *journal.Needed
	switch {
	case errors.As(err, &busy):
		return fail(Conflict, err, "Cancel it first: ibid runs cancel "+id, "deleting the run")
	case errors.As(err, &needed):
		return fail(Conflict, err, "Finish the fork, or cancel it first: ibid runs cancel "+needed.Fork, "deleting the run")
	}
	return e.explain(id, err)
}
