package journal

import (
	"context"
	"fmt"
	"time"
)

// A Listing says which runs are wanted.
type Listing struct {
	User     string // whose, unless Anyone
	Anyone   bool
	State    State     // as it is stored; "" means any
	Before   time.Time // created before this run: the last of the page before; zero begins
	BeforeID string
	Limit    int
}

// List lists runs, the newest first.
func (j *Journal) List(ctx context.Context, l Listing) ([]Info, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT `+infoColumns+` FROM run WHERE ($1 OR user_name = $2) AND ($3 = '' OR state = $3)
		AND ($4 = '' OR created < $5 OR created = $5 AND id < $4) ORDER BY created DESC, id DESC LIMIT $6`,
		l.Anyone, l.User, string(l.State), l.BeforeID, l.Before.UnixMilli(), l.Limit)
	if err != nil {
		return nil, fmt.Errorf("journal: listing runs: %w", err)
	}
	defer rows.Close()
	list := []Info{}
	for rows.Next() {
		i, err := j.scanInfo(rows)
		if err != nil {
			return nil, fmt.Errorf("journal: listing runs: %w", err)
		}
		list = append(list, i)
	}
	return list, rows.Err()
}

// Runs lists the newest runs of all users first, at most limit.
func (j *Journal) Runs(ctx context.Context, limit int) ([]Info, error) {
	return j.List(ctx, Listing{Anyone: true, Limit: limit})
}
