package knowledge

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

func (b *Base) lease() time.Duration {
	if b.Lease > 0 {
		return b.Lease
	}
	return 5 * time.Second
}

// claim takes a dataset's queue for this worker: a new epoch and a lease. It fails with *Busy while another's lease lives.
func (b *Base) claim(ctx context.Context, id, dataset string) (epoch int64, err error) {
	err = b.DB.Tx(ctx, func(tx *sql.Tx) error {
		var owner string
		var until int64
		if err := tx.QueryRowContext(ctx, `SELECT epoch, lease_owner, lease_until FROM kb_dataset WHERE id = $1`+b.DB.ForUpdate, id).Scan(&epoch, &owner, &until); err != nil {
			if errors.Is(err, sql.ErrNoRows) {
				err = ErrNotFound
			}
			return err
		}
		now := b.DB.Now().UnixMilli()
		if owner != "" && until > now {
			return &Busy{dataset, owner, time.UnixMilli(until).UTC()}
		}
		epoch++
		_, err := tx.ExecContext(ctx, `UPDATE kb_dataset SET epoch = $2, lease_owner = $3, lease_until = $4 WHERE id = $1`, id, epoch, b.name(), now+b.lease().Milliseconds())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("knowledge: taking the queue of %s: %w", dataset, err)
	}
	return epoch, nil
}

// hold renews a lease until the returned function is called. The context ends when the lease is lost.
func (b *Base) hold(ctx context.Context, id string, epoch int64) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(b.lease() / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			now := b.DB.Now().UnixMilli()
			n, err := affected(b.DB.ExecContext(ctx, `UPDATE kb_dataset SET lease_until = $3 WHERE id = $1 AND epoch = $2 AND lease_until > $4`, id, epoch, now+b.lease().Milliseconds(), now))
			if err == nil && n == 0 {
				cancel(errFenced)
				return
			} // a busy database: the next beat tries again
		}
	}()
	return ctx, func() { cancel(nil); <-ended }
}

// release ends a lease before its time. It does so even when the worker was told to stop.
func (b *Base) release(id string, epoch int64) error {
	ctx, done := context.WithTimeout(context.Background(), b.lease())
	defer done()
	_, err := b.DB.ExecContext(ctx, `UPDATE kb_dataset SET lease_owner = '', lease_until = 0 WHERE id = $1 AND epoch = $2`, id, epoch)
	return err
}
