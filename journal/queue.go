package journal

import (
	"context"
	"database/sql"
)

// Enqueue puts a run that is parked, or whose worker is gone, back into the queue. One that is queued or worked on is left
// alone; one that is over is *Ended.
func (j *Journal) Enqueue(ctx context.Context, id string) error {
	return j.ask(ctx, id, "queueing", func(tx *sql.Tx, i Info) error {
		if i.State != StateParked && i.State != StateInterrupted {
			return nil
		}
		return one(tx.ExecContext(ctx, `UPDATE run SET state = $2, epoch = epoch + 1, lease_owner = '', lease_until = 0, updated = $3 WHERE id = $1`, id, StateQueued, j.now()))
	})
}
