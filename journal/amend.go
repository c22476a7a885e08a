package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
)

// afterwards is the lane of what a person says of a run that is over. It is part of the record, is exported and imported
// with it, and no part of what the run did: a replay does not come to it.
const afterwards = "after"

// ErrNotOver says that a run has not ended.
var ErrNotOver = errors.New("the run is not over")

// Amend records what a person says of a run that is over, as the next event. What the run did stays as it is.
func (j *Journal) Amend(ctx context.Context, id, kind string, v any) error {
	body, err := jsonBytes(v)
	if err != nil {
		return fmt.Errorf("journal: run %s: amending: %w", id, err)
	}
	rec := &record{state: noted}
	if err := rec.pack(j.redact.bytes(body)); err != nil {
		return fmt.Errorf("journal: run %s: amending: %w", id, err)
	}
	err = j.db.Tx(ctx, func(tx *sql.Tx) error {
		i, err := j.hold(ctx, tx, id)
		if err != nil {
			return err
		}
		if !i.State.Over() {
			return ErrNotOver
		}
		var next int64
		if err := tx.QueryRowContext(ctx, `UPDATE run SET next_seq = next_seq + 1, updated = $2 WHERE id = $1 RETURNING next_seq`, id, j.now()).Scan(&next); err != nil {
			return err
		}
		seq := next - 1
		key := Key(afterwards + "/" + strconv.FormatInt(seq, 10))
		return one(tx.ExecContext(ctx, insertNote, id, seq, key, kind, noted, i.Epoch, j.now(), rec.outcomeSHA, rec.outcomeSize, rec.packed))
	})
	if err != nil {
		return fmt.Errorf("journal: run %s: amending: %w", id, err)
	}
	j.wake.one(id)
	return nil
}

// Amendments returns what was said of a run after its end, of one kind, in order, as JSON.
func (j *Journal) Amendments(ctx context.Context, id, kind string) ([][]byte, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT outcome_sha, outcome_size, outcome FROM event WHERE run = $1 AND kind = $2 AND state = $3 AND key LIKE '`+afterwards+`/%' ORDER BY seq`, id, kind, noted)
	if err != nil {
		return nil, fmt.Errorf("journal: amendments of run %s: %w", id, err)
	}
	defer rows.Close()
	var list [][]byte
	for rows.Next() {
		rec := &record{}
		if err := rows.Scan(&rec.outcomeSHA, &rec.outcomeSize, &rec.packed); err != nil {
			return nil, fmt.Errorf("journal: amendments of run %s: %w", id, err)
		}
		body, err := rec.body()
		if err != nil {
			return nil, fmt.Errorf("journal: amendments of run %s: %w", id, err)
		}
		list = append(list, body)
	}
	return list, rows.Err()
}
