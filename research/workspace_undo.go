package research

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"ibid/journal"
	"ibid/workspace"
)

// ErrAtWork says that a run may still change something.
var ErrAtWork = errors.New("the run is at work")

// UndoChanges takes back what a run changed in its workspace, the last first, as far as nobody has changed it since. It goes
// by the record alone: what was asked for and what was there before, so it knows also of a change that a crash left without
// an outcome. dry says what would be done.
func UndoChanges(ctx context.Context, j *journal.Journal, run journal.Info, root *workspace.Root, dry bool) ([]workspace.Result, error) {
	if run.State == journal.StateWorking || run.State == journal.StateStopping {
		return nil, fmt.Errorf("research: undoing run %s: %w", run.ID, ErrAtWork)
	}
	made, err := changesOf(ctx, j, run.ID)
	if err != nil {
		return nil, err
	}
	var results []workspace.Result
	for _, m := range slices.Backward(made) {
		undone, err := root.Undo(ctx, m.changes, m.seen, func(sha string) ([]byte, error) { return j.Blob(ctx, sha) }, dry)
		results = append(results, undone...)
		if err != nil {
			return results, fmt.Errorf("research: run %s: %w", run.ID, err)
		}
	}
	return results, nil
}

// made are changes that a run has made, or may have made, in one call.
type made struct {
	changes []workspace.Change
	seen    workspace.Seen
}

// changesOf reads the changes of a run from its record, in order. Those that a fork took over from its parent it did not
// make.
func changesOf(ctx context.Context, j *journal.Journal, id string) (list []made, err error) {
	seen := map[journal.Key]workspace.Seen{}
	const page = 500
	for after := int64(0); ; {
		events, err := j.Events(ctx, id, after, page)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			after = e.Seq
			switch {
			case e.Copied != "":
			case e.Kind == "look" && e.State == "done":
				body, err := j.Outcome(ctx, id, e.Seq)
				if err != nil {
					return nil, err
				}
				var s workspace.Seen
				if err := json.Unmarshal(body, &s); err != nil {
					return nil, fmt.Errorf("research: run %s: what was there before %s: %w", id, e.Key, err)
				}
				seen[e.Key] = s
			case e.Kind == "change" && (e.State == "done" || e.State == "intent" || e.State == "failed"):
				body, err := j.Request(ctx, id, e.Seq)
				if err != nil {
					return nil, err
				}
				var r changeRequest
				if err := json.Unmarshal(body, &r); err != nil {
					return nil, fmt.Errorf("research: run %s: the changes of %s: %w", id, e.Key, err)
				}
				if before, looked := seen[e.Key+"/look"]; looked {
					list = append(list, made{r.Changes, before})
				}
			}
		}
		if len(events) < page {
			return list, nil
		}
	}
}
