package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"ibid/store"
)

// Needed says that a run cannot be deleted yet: a fork that is not over takes its evidence from it.
type Needed struct{ Run, Fork string }

func (e *Needed) Error() string {
	return fmt.Sprintf("run %s holds the evidence of its fork %s, which is not over", e.Run, e.Fork)
}

// Deleted is what went with a run.
type Deleted struct {
	Run    string `json:"run"`
	Events int64  `json:"events"`
	Gates  int64  `json:"gates"`
	Blobs  int64  `json:"blobs"`  // raw pages that nobody else wants
	Cached int64  `json:"cached"` // entries of the cache of pages
	Bytes  int64  `json:"bytes"`  // of all bodies, as they were stored

	// Traces says why the database's files may still hold traces of the run, until they are rewritten: by Scrub, which 'ibid
	// gc' does. "" means that they hold none.
	Traces string `json:"traces,omitempty"`
}

// clocks is by how much the clocks of those who share a database may differ.
const clocks = 10 * time.Minute

// Delete deletes a run with all that names it or came of it: its record, its questions to people and their answers, what
// was said of it later, the raw pages that no other run holds, and of what is kept for later runs all that was made while it
// worked. All of it goes or nothing. Forks keep the copies that they made, and this run's id. Then the files of a small database
// are rewritten at once; see Deleted.Traces. A run that somebody works on is *Busy: it is cancelled first. One whose fork is
// not over is *Needed.
func (j *Journal) Delete(ctx context.Context, id string) (Deleted, error) {
	d, err := j.Remove(ctx, id)
	if err != nil {
		return d, err
	}
	d.Traces = j.db.Tidy(ctx)
	return d, nil
}

// Remove is Delete without looking after the files: for those who delete many runs and rewrite the files at the end.
func (j *Journal) Remove(ctx context.Context, id string) (d Deleted, err error) {
	err = j.db.Tx(ctx, func(tx *sql.Tx) error {
		d = Deleted{Run: id}
		i, err := j.hold(ctx, tx, id)
		if err != nil {
			return err
		}
		if i.State.held() {
			return &Busy{id, i.LeaseOwner, i.LeaseUntil}
		}
		var fork string
		err = tx.QueryRowContext(ctx, `SELECT id FROM run WHERE parent = $1 AND state NOT IN ($2, $3, $4, $5) ORDER BY created LIMIT 1`,
			id, StateDone, StatePartial, StateFailed, StateCancelled).Scan(&fork)
		if err == nil {
			return &Needed{id, fork}
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		return j.remove(ctx, tx, i, &d)
	})
	if err != nil {
		return Deleted{Run: id}, fmt.Errorf("journal: run %s: deleting: %w", id, err)
	}
	j.asks.all()
	j.wake.one(id)
	return d, nil
}

// Expired returns the runs that are over and that nothing has happened to since a time, the oldest first, without those that a
// fork still needs.
func (j *Journal) Expired(ctx context.Context, before time.Time) ([]Info, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT `+infoColumns+` FROM run WHERE updated < $1 AND state IN ($2, $3, $4, $5)
		AND NOT EXISTS (SELECT 1 FROM run AS fork WHERE fork.parent = run.id AND fork.state NOT IN ($2, $3, $4, $5)) ORDER BY updated, id`,
		before.UnixMilli(), StateDone, StatePartial, StateFailed, StateCancelled)
	if err != nil {
		return nil, fmt.Errorf("journal: looking for old runs: %w", err)
	}
	defer rows.Close()
	var list []Info
	for rows.Next() {
		i, err := j.scanInfo(rows)
		if err != nil {
			return nil, fmt.Errorf("journal: looking for old runs: %w", err)
		}
		list = append(list, i)
	}
	return list, rows.Err()
}

// madeMeanwhile picks the rows of what is kept for later runs that this one may have made: all those of its time. For the
// cache's entries that were used again since, it counts who else holds the page.
const (
	cachedMeanwhile = `fetched BETWEEN $2 AND $3 OR sha256 IN (SELECT sha256 FROM run_blob WHERE run = $1) AND NOT EXISTS (SELECT 1 FROM run_blob AS other WHERE other.sha256 = fetched.sha256 AND other.run <> $1)`
	madeMeanwhile   = `made BETWEEN $1 AND $2`
)

// remove deletes what belongs to a run that is held, and counts it.
func (j *Journal) remove(ctx context.Context, tx *sql.Tx, i Info, d *Deleted) error {
	var gates int64
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(COALESCE(LENGTH(request), 0) + COALESCE(LENGTH(outcome), 0)), 0) FROM event WHERE run = $1`, i.ID).Scan(&d.Events, &d.Bytes); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(LENGTH(request) + COALESCE(LENGTH(edited), 0) + COALESCE(LENGTH(decision), 0)), 0) FROM gate WHERE run = $1`, i.ID).Scan(&d.Gates, &gates); err != nil {
		return err
	}
	d.Bytes += gates
	from, to := i.Created.Add(-clocks).UnixMilli(), max(i.Updated.UnixMilli(), i.LeaseUntil.UnixMilli())+clocks.Milliseconds()
	rows, err := tx.QueryContext(ctx, `SELECT sha256 FROM run_blob WHERE run = $1 UNION SELECT sha256 FROM fetched WHERE sha256 <> '' AND (`+cachedMeanwhile+`) ORDER BY 1`, i.ID, from, to)
	if err != nil {
		return err
	}
	blobs, err := store.Column(rows)
	if err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, `DELETE FROM fetched WHERE `+cachedMeanwhile, i.ID, from, to)
	if err != nil {
		return err
	}
	if d.Cached, err = res.RowsAffected(); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM embedding WHERE `+madeMeanwhile, from, to); err != nil {
		return err
	}
	if err := j.keepSpent(ctx, tx, i); err != nil {
		return err
	}
	// Events, gates and holds on blobs go with the row.
	if err := one(tx.ExecContext(ctx, `DELETE FROM run WHERE id = $1`, i.ID)); err != nil {
		return err
	}
	for _, sha := range blobs {
		freed, err := j.db.Forget(ctx, tx, sha)
		if err != nil {
			return err
		}
		if freed > 0 {
			d.Blobs, d.Bytes = d.Blobs+1, d.Bytes+freed
		}
	}
	return j.db.Deleted(ctx, tx)
}
