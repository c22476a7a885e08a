package journal

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// SpentSince is what a user's runs have cost since a time, in millionths of a dollar, what is in doubt or under way at its
// worst case, as a transaction sees it.
func (j *Journal) SpentSince(ctx context.Context, tx *sql.Tx, user string, since time.Time) (int64, error) {
	var sum int64
	err := tx.QueryRowContext(ctx, `SELECT COALESCE(SUM(e.spent_usd + e.reserved_usd * (e.doubts + CASE WHEN e.state = 'intent' THEN 1 ELSE 0 END)), 0)
		FROM event e JOIN run r ON r.id = e.run WHERE r.user_name = $1 AND r.updated >= $2 AND e.started >= $2 AND e.copied = ''`, user, since.UnixMilli()).Scan(&sum)
	if err != nil {
		return 0, fmt.Errorf("journal: what the runs of %s have cost: %w", user, err)
	}
	return sum, nil
}

// Now is the time by which the journal goes.
func (j *Journal) Now() time.Time { return j.options.Now() }
