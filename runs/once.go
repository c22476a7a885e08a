package runs

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ibid/journal"
	"ibid/store"
)

// ErrOtherRequest says that the key of a request was used for another one.
var ErrOtherRequest = errors.New("the key was used for something else")

// again says that a request was made before.
type again struct{ run, asked string }

func (e *again) Error() string { return "the run exists: " + e.run }

// begin writes a new run of the user's, for a worker. A key belongs to its user and makes a request one however often it
// comes: it is written in the transaction that writes the run, so there is never one without the other, and lives as long as
// the run.
func (d *Desk) begin(ctx context.Context, what, key, trace string, request any, create func(journal.Spec) (string, error)) (journal.Info, error) {
	s := journal.Spec{User: d.user, Background: true, Trace: trace, First: d.afford}
	var asked string
	if key != "" {
		body, err := json.Marshal(request)
		if err != nil {
			return journal.Info{}, fmt.Errorf("runs: the request: %w", err)
		}
		asked = store.Hash(append([]byte(what+"\n"), body...))
		s.First = func(ctx context.Context, tx *sql.Tx, id string) error {
			if err := once(ctx, tx, d.user, key, asked, id); err != nil {
				return err
			}
			return d.afford(ctx, tx, id)
		}
	}
	id, err := create(s)
	var before *again
	var full *journal.Full
	switch {
	case errors.As(err, &before) && before.asked != asked:
		return journal.Info{}, fail(Conflict, ErrOtherRequest, "Take another key for another request.", "run %s was begun with this key", before.run)
	case errors.As(err, &before):
		id = before.run
	case errors.As(err, &full):
		return journal.Info{}, fail(Exhausted, nil, "Wait until one of them has had its turn, or cancel one.", "%v", full)
	case err != nil:
		return journal.Info{}, err
	}
	return d.own(ctx, id)
}

// once keeps a user's key for a run that is about to be written, or is *again. Of those who come at once with the same key
// the others wait for the first.
func once(ctx context.Context, tx *sql.Tx, user, key, asked, id string) error {
	key = store.Hash([]byte(key))
	res, err := tx.ExecContext(ctx, `INSERT INTO idempotency (user_name, key, sha256, run) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, user, key, asked, id)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	before := &again{}
	if err := tx.QueryRowContext(ctx, `SELECT run, sha256 FROM idempotency WHERE user_name = $1 AND key = $2`, user, key).Scan(&before.run, &before.asked); err != nil {
		return err
	}
	return before
}

// afford says whether the user may have another run today, as a transaction sees it.
func (d *Desk) afford(ctx context.Context, tx *sql.Tx, _ string) error {
	spent, day, err := d.engine.overspent(ctx, tx, d.user)
	if err != nil || spent == 0 {
		return err
	}
	most := d.engine.Daily
	return fail(Exhausted, nil, "Come again after "+day.Add(24*time.Hour).Format(time.RFC3339)+", or have the limit raised.",
		"the runs of %s have cost $%.2f today, and $%.2f a day are allowed", d.user, float64(spent)/1e6, float64(most)/1e6)
}

// overspent is what a user's runs have cost today, if that is as much as they may cost, and when the day began. tx may be nil.
func (e *Engine) overspent(ctx context.Context, tx *sql.Tx, user string) (spent int64, day time.Time, err error) {
	day = e.Journal.Now().UTC().Truncate(24 * time.Hour)
	if e.Daily == 0 {
		return 0, day, nil
	}
	spent, err = e.Journal.SpentSince(ctx, tx, user, day)
	if spent < e.Daily {
		spent = 0
	}
	return spent, day, err
}
