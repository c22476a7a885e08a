package journal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Outcomes visits the outcomes of a kind that are on record so far, in the order recorded: for what a resumed run has to
// know of its effects before it comes to them again. It is not a way to meet them.
func (r *Run) Outcomes(kind string, visit func(k Key, outcome []byte) error) error {
	r.mu.Lock()
	var list []*record
	for at, rec := range r.recorded {
		if at.kind == kind && rec.state == done {
			list = append(list, rec)
		}
	}
	r.mu.Unlock()
	slices.SortFunc(list, func(a, b *record) int { return cmp.Compare(a.seq, b.seq) })
	for _, rec := range list {
		body, err := rec.body()
		if err != nil {
			return fmt.Errorf("journal: the outcome of %s: %w", rec.key, err)
		}
		if err := visit(rec.key, body); err != nil {
			return err
		}
	}
	return nil
}

// Count is how many events of a kind a run has on record.
func (j *Journal) Count(ctx context.Context, id, kind string) (n int, err error) {
	if err = j.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM event WHERE run = $1 AND kind = $2`, id, kind).Scan(&n); err != nil {
		err = fmt.Errorf("journal: counting in run %s: %w", id, err)
	}
	return n, err
}
