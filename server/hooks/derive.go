package hooks

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// What is to be told follows from the rows of runs alone: a run that has ended or is parked, and a webhook of its user that
// is there already, wants to hear of this and was not told. Whoever looks first writes it down; the name of a delivery is
// made of what it is about, so that nobody writes it twice.
const untold = ` FROM run r JOIN webhook w ON w.user_name = r.user_name
	WHERE r.state IN ('parked', 'done', 'partial', 'failed', 'cancelled') AND w.disabled = 0 AND r.updated >= w.created AND r.updated >= $1
	AND (' ' || w.events || ' ') LIKE ('% ' || ` + eventOf + ` || ' %')
	AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.webhook = w.id AND d.run = r.id AND d.epoch = r.epoch AND d.event = ` + eventOf + `)`

const eventOf = `(CASE r.state WHEN 'partial' THEN 'run.done' ELSE 'run.' || r.state END)`

const derive = `INSERT INTO delivery (id, webhook, run, epoch, event, state, stop, at, next_at)
	SELECT 'msg_' || w.id || '-' || r.id || '-' || CAST(r.epoch AS TEXT) || '-' || r.state, w.id, r.id, r.epoch, ` + eventOf + `, r.state, r.stop, r.updated, $2` + untold + ` ON CONFLICT DO NOTHING`

// Derive writes down what is to be told of runs that changed since a time.
func (h *Hooks) Derive(ctx context.Context, since time.Time) error {
	var n int
	err := h.DB.QueryRowContext(ctx, `SELECT COUNT(*) FROM (SELECT 1`+untold+` LIMIT 1) AS untold`, since.UnixMilli()).Scan(&n)
	if err == nil && n > 0 { // only then is anything locked
		err = h.DB.Tx(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, derive, since.UnixMilli(), h.now().UnixMilli())
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("hooks: looking for what is to be told: %w", err)
	}
	return nil
}
