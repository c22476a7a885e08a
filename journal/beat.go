package journal

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// heartbeat renews the lease while it lives and brings the wishes of others: stop, cancel.
func (r *Run) heartbeat() {
	defer r.beats.Done()
	third := r.j.options.Lease / 3
	renewed := r.j.options.Now()
	tick := time.NewTicker(max(min(third, 500*time.Millisecond), time.Millisecond))
	defer tick.Stop()
	for {
		asks := r.j.asks.next()
		if !r.wishes() {
			return
		}
		select {
		case <-r.done:
			return
		case <-tick.C:
		case <-asks:
		}
		if now := r.j.options.Now(); now.Sub(renewed) >= third {
			switch err := r.renew(); {
			case err == nil:
				renewed = now
			case errors.Is(err, ErrFenced):
				r.lost(err)
				return
			} // a busy database: the next beat tries again
		}
	}
}

// wishes looks at what others want of the run. It says whether the run goes on.
func (r *Run) wishes() bool {
	ctx, done := context.WithTimeout(context.Background(), r.j.options.Lease)
	defer done()
	var stop, cancel bool
	err := r.j.db.QueryRowContext(ctx, `SELECT stop_asked, cancel_asked FROM run WHERE id = $1 AND epoch = $2`, r.info.ID, r.info.Epoch).Scan(&stop, &cancel)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		r.lost(ErrFenced)
		return false
	case cancel:
		r.lost(ErrCancelled)
	case stop:
		r.AskStop()
	}
	return true
}

// renew lengthens the lease, never shortens it. A lapsed one is never renewed: somebody else may have counted on its end.
func (r *Run) renew() error {
	ctx, done := context.WithTimeout(context.Background(), r.j.options.Lease)
	defer done()
	if err := r.j.db.Sync(ctx); err != nil {
		return err
	}
	now := r.j.now()
	res, err := r.j.db.ExecContext(ctx, `UPDATE run SET lease_until = CASE WHEN lease_until < $3 THEN $3 ELSE lease_until END WHERE id = $1 AND epoch = $2 AND lease_until > $4`,
		r.info.ID, r.info.Epoch, now+r.j.options.Lease.Milliseconds(), now)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err == nil && n == 0 {
		return ErrFenced
	}
	return nil
}
