package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// A Quota is how many runs a user may have at once; 0 means no limit.
type Quota struct {
	Working int `json:"working"` // that are worked on, in the background or at a terminal
	Queued  int `json:"queued"`  // that wait for a worker
}

// Full says that a user has as many runs as they may have.
type Full struct {
	User  string
	State State // of the runs: working, or queued
	Limit int
}

func (e *Full) Error() string {
	return fmt.Sprintf("no more than %d of %s's runs may be %s at once", e.Limit, e.User, e.State)
}

// SetQuota sets a user's own limits; nil gives them the program's again.
func (j *Journal) SetQuota(ctx context.Context, user string, q *Quota) error {
	var working, queued any
	if q != nil {
		if q.Working < 0 || q.Queued < 0 {
			return errors.New("journal: a limit of runs is negative")
		}
		working, queued = q.Working, q.Queued
	}
	_, err := j.db.ExecContext(ctx, `INSERT INTO quota (user_name, working, queued) VALUES ($1, $2, $3) ON CONFLICT (user_name) DO UPDATE SET working = excluded.working, queued = excluded.queued`,
		user, working, queued)
	if err != nil {
		return fmt.Errorf("journal: the limits of %s: %w", user, err)
	}
	j.waiting.all()
	return nil
}

// A UserQuota is a user with limits of their own.
type UserQuota struct {
	User string `json:"user"`
	Quota
}

// Quotas lists the users who have limits of their own, by name.
func (j *Journal) Quotas(ctx context.Context) ([]UserQuota, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT user_name, working, queued FROM quota WHERE working IS NOT NULL OR queued IS NOT NULL ORDER BY user_name`)
	if err != nil {
		return nil, fmt.Errorf("journal: users' limits: %w", err)
	}
	defer rows.Close()
	list := []UserQuota{}
	for rows.Next() {
		var u UserQuota
		var working, queued sql.NullInt64
		if err := rows.Scan(&u.User, &working, &queued); err != nil {
			return nil, fmt.Errorf("journal: users' limits: %w", err)
		}
		u.Quota = j.quota(working, queued)
		list = append(list, u)
	}
	return list, rows.Err()
}

// Quota tells a user's limits, their own or the program's.
func (j *Journal) Quota(ctx context.Context, user string) (Quota, error) {
	var working, queued sql.NullInt64
	err := j.db.QueryRowContext(ctx, `SELECT working, queued FROM quota WHERE user_name = $1`, user).Scan(&working, &queued)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Quota{}, fmt.Errorf("journal: the limits of %s: %w", user, err)
	}
	return j.quota(working, queued), nil
}

func (j *Journal) quota(working, queued sql.NullInt64) Quota {
	q := j.options.Quota
	if working.Valid {
		q.Working = int(working.Int64)
	}
	if queued.Valid {
		q.Queued = int(queued.Int64)
	}
	return q
}

// holdQuota is Quota for those who decide by it: nobody else claims or queues a run of the user until the transaction is
// over. Hold it before the run.
func (j *Journal) holdQuota(ctx context.Context, tx *sql.Tx, user string) (Quota, error) {
	if _, err := tx.ExecContext(ctx, `INSERT INTO quota (user_name) VALUES ($1) ON CONFLICT DO NOTHING`, user); err != nil {
		return Quota{}, err
	}
	var working, queued sql.NullInt64
	err := tx.QueryRowContext(ctx, `SELECT working, queued FROM quota WHERE user_name = $1`+j.db.ForUpdate, user).Scan(&working, &queued)
	return j.quota(working, queued), err
}

// margin is by how much the clocks of two programs that share a database may differ, each measured against the server's:
// a lease that lapsed less long ago may have been renewed in time by its owner's.
const margin = 250 * time.Millisecond

// working counts a user's runs, besides one, whose lease lives.
func (j *Journal) working(ctx context.Context, tx *sql.Tx, user, but string) (n int, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT lease_owner FROM run WHERE state = 'working' AND user_name = $1 AND lease_until > $2 AND id <> $3`, user, j.now()-margin.Milliseconds(), but)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var owner string
		if err := rows.Scan(&owner); err != nil {
			return 0, err
		}
		if !dead(owner, j.options.Owner) {
			n++
		}
	}
	return n, rows.Err()
}

// room says whether one more run of a user may be worked on, besides those that are: nil, or *Full. A worker leaves room
// for those who wait at a terminal, or a user's own queue would never let them have their turn.
func (j *Journal) room(ctx context.Context, tx *sql.Tx, q Quota, user, id string, worker bool) (*Full, error) {
	if q.Working == 0 {
		return nil, nil
	}
	n, err := j.working(ctx, tx, user, id)
	if err == nil && worker {
		var waiting int
		err = tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM run WHERE user_name = $1 AND state IN ('queued', 'working', 'parked') AND waits_until > $2 AND id <> $3`, user, j.now(), id).Scan(&waiting)
		n += waiting
	}
	if err != nil || n < q.Working {
		return nil, err
	}
	return &Full{user, StateWorking, q.Working}, nil
}

// mayQueue says whether one more run of a user may wait for a worker: nil, or *Full.
func (j *Journal) mayQueue(ctx context.Context, tx *sql.Tx, user string) error {
	q, err := j.holdQuota(ctx, tx, user)
	if err != nil || q.Queued == 0 {
		return err
	}
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM run WHERE state = 'queued' AND user_name = $1 AND background`, user).Scan(&n); err != nil {
		return err
	}
	if n >= q.Queued {
		return &Full{user, StateQueued, q.Queued}
	}
	return nil
}
