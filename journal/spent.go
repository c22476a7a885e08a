package journal

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// SpentSince is what a user's runs have cost since a time, in millionths of a dollar, what is in doubt or under way at its
// worst case, and what those cost that were deleted: as a transaction sees it, or as it is for nil. It looks at this day, no further.
func (j *Journal) SpentSince(ctx context.Context, tx *sql.Tx, user string, since time.Time) (int64, error) {
	var q querier = j.db
	if tx != nil {
		q = tx
	}
	var sum int64
	err := q.QueryRowContext(ctx, `SELECT (SELECT COALESCE(SUM(usd), 0) FROM spent WHERE user_name = $1 AND day >= $2) + COALESCE(SUM(e.spent_usd + e.reserved_usd * (e.doubts + CASE WHEN e.state = 'intent' THEN 1 ELSE 0 END)), 0)
		FROM event e JOIN run r ON r.id = e.run WHERE r.user_name = $1 AND r.updated >= $2 AND e.started >= $2 AND e.copied = ''`, user, since.UnixMilli()).Scan(&sum)
	if err != nil {
		return 0, fmt.Errorf("journal: what the runs of %s have cost: %w", user, err)
	}
	return sum, nil
}

// keepSpent writes down what a run that is being deleted has cost today.
func (j *Journal) keepSpent(ctx context.Context, tx *sql.Tx, i Info) error {
	day := j.options.Now().UTC().Truncate(24 * time.Hour).UnixMilli()
	if _, err := tx.ExecContext(ctx, `DELETE FROM spent WHERE day < $1`, day); err != nil {
		return err
	}
	var usd int64
	err := tx.QueryRowContext(ctx, `SELECT COALESCE(SUM(spent_usd + reserved_usd * (doubts + CASE WHEN state = 'intent' THEN 1 ELSE 0 END)), 0)
		FROM event WHERE run = $1 AND started >= $2 AND copied = ''`, i.ID, day).Scan(&usd)
	if err != nil || usd == 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO spent (user_name, day, usd) VALUES ($1, $2, $3) ON CONFLICT (user_name, day) DO UPDATE SET usd = spent.usd + excluded.usd`, i.User, day, usd)
	return err
}

// Now is the time by which the journal goes.
func (j *Journal) Now() time.Time { return j.options.Now() }
