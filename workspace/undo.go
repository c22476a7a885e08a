package workspace

import (
	"context"
	"errors"
	"fmt"
)

// Undo takes changes back, the last first: what was deleted or replaced is put back as it was, what was moved goes back, what
// was made goes away. It overwrites nothing: where the workspace holds something else than what the changes left, that one
// is not undone, and the result says why. What is as before already is left as it is, so undoing twice does no more than
// once. blob returns bytes that were kept. dry says what would be done and does nothing.
func (r *Root) Undo(ctx context.Context, changes []Change, seen Seen, blob func(sha256 string) ([]byte, error), dry bool) ([]Result, error) {
	for _, c := range changes {
		if c.fault(seen) != "" {
			return nil, nil // none was made
		}
	}
	free, err := r.take(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	var results []Result
	for i := len(changes) - 1; i >= 0; i-- {
		c := changes[i]
		back, left, err := c.inverse(seen, blob)
		result := Result{Op: back.Op, Path: back.Path, To: back.To}
		if err == nil {
			result.Why, err = r.undo(ctx, c, back, left, seen, dry)
		}
		if err != nil {
			return results, fmt.Errorf("undoing %s %s: %w", c.Op, c.Path, err)
		}
		result.Done = result.Why == "" || result.Why == asBefore
		results = append(results, result)
	}
	return results, nil
}

// asBefore says that there was nothing to undo.
const asBefore = "it is as before already"

// inverse is the change that takes c back, and what c left.
func (c Change) inverse(seen Seen, blob func(string) ([]byte, error)) (back Change, left Seen, err error) {
	was := seen.at(c.Path)
	made := Sum([]byte(c.Content))
	switch c.Op {
	case Create:
		return Change{Op: Delete, Path: c.Path, Was: made}, Seen{[]Version{{Path: c.Path, SHA256: made}}}, nil
	case Move:
		return Change{Op: Move, Path: c.To, To: c.Path, Was: was.SHA256}, Seen{[]Version{{Path: c.To, SHA256: was.SHA256}, {Path: c.Path}}}, nil
	}
	old, err := blob(was.SHA256)
	if err == nil && Sum(old) != was.SHA256 {
		err = errors.New("the kept bytes are not those that were there")
	}
	if c.Op == Delete {
		return Change{Op: Create, Path: c.Path, Content: string(old), mode: was.Mode}, Seen{[]Version{{Path: c.Path}}}, err
	}
	return Change{Op: Replace, Path: c.Path, Content: string(old), Was: made}, Seen{[]Version{{Path: c.Path, SHA256: made}}}, err
}

// undo makes one inverse change.
func (r *Root) undo(ctx context.Context, c, back Change, left, seen Seen, dry bool) (why string, err error) {
	if c.Op == Move && !dry { // that a crash left with both names
		if _, err := r.finishMove(c, seen); err != nil {
			return "", err
		}
	}
	before := true
	for _, want := range left.Files {
		now, err := r.version(ctx, want.Path)
		if err != nil {
			return "", err
		}
		if now.Refused != "" {
			return now.Refused, nil
		}
		before = before && now.SHA256 == seen.at(want.Path).SHA256
		if now.SHA256 != want.SHA256 && now.SHA256 != seen.at(want.Path).SHA256 {
			return "it is not what the run left: somebody has changed it since, and it is not overwritten", nil
		}
	}
	switch {
	case before:
		return asBefore, nil
	case dry:
		return "", nil
	}
	if why, err = r.make(ctx, back, left); why == "" && err == nil {
		made := c.Path
		if c.Op == Move {
			made = c.To
		}
		r.bare(made, seen.at(made).Folders)
	}
	return why, err
}
