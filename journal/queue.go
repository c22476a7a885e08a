package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"ibid/gate"
)

// MostCrashes is how often in a row a run may end its workers, with nothing new on record, before it is parked.
const MostCrashes = 5

// StopGate is why a run parks that waits for a person's decision.
const StopGate = "parked"

// stopCrashed is why a run was parked that ended its workers.
var stopCrashed = fmt.Sprintf("its workers ended %d times in a row at the same place", MostCrashes)

// Parked says that a run waits for a person, not for a worker.
type Parked struct{ Run, Reason string }

func (e *Parked) Error() string { return fmt.Sprintf("run %s is parked: %s", e.Run, e.Reason) }

// ErrForeground says that a run is worked on where it was begun, by no other worker.
var ErrForeground = errors.New("it is no background run")

// queue lets a run that nobody holds wait for a worker. Every time is a new epoch, so that whoever is to be told of it
// can tell one time from another.
func (j *Journal) queue(ctx context.Context, tx *sql.Tx, id string) error {
	var epoch int64
	err := tx.QueryRowContext(ctx, `UPDATE run SET state = 'queued', stop = '', epoch = epoch + 1, lease_owner = '', lease_until = 0, updated = $2 WHERE id = $1 RETURNING epoch`, id, j.now()).Scan(&epoch)
	if err != nil {
		return err
	}
	return j.tell(ctx, tx, id, epoch)
}

// tell lets others know, in the transaction that does it, that a run waits for a worker.
func (j *Journal) tell(ctx context.Context, tx *sql.Tx, id string, epoch int64) error {
	if j.options.Queued == nil {
		return nil
	}
	return j.options.Queued(ctx, tx, id, epoch)
}

// Waiting returns a channel that is closed when a run begins to wait for a worker, or may have its turn, by doing of this
// process.
func (j *Journal) Waiting() <-chan struct{} { return j.waiting.next() }

// Next lists at most n background runs that wait for a worker: first those whose worker is gone; then those that are
// queued, in turn of their users, who has fewest at work first, and of one user the oldest. Those whose users may have no
// more at work are left out.
func (j *Journal) Next(ctx context.Context, n int) ([]string, error) {
	ids, err := j.orphans(ctx, n)
	if err == nil && len(ids) < n {
		var queued []string
		queued, err = j.turns(ctx, n-len(ids))
		ids = append(ids, queued...)
	}
	if err != nil {
		return nil, fmt.Errorf("journal: looking for runs that wait: %w", err)
	}
	return ids, nil
}

func (j *Journal) orphans(ctx context.Context, n int) (ids []string, err error) {
	rows, err := j.db.QueryContext(ctx, `SELECT id, lease_owner, lease_until FROM run WHERE state = 'working' AND background ORDER BY created, id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, owner string
		var until int64
		if err := rows.Scan(&id, &owner, &until); err != nil {
			return nil, err
		}
		if len(ids) < n && (until <= j.now() || dead(owner, j.options.Owner)) {
			ids = append(ids, id)
		}
	}
	return ids, rows.Err()
}

// place of a run among those of its user, after those at work, is when its turn is.
const turns = `SELECT id FROM (
		SELECT r.id, r.created, q.working AS own, ROW_NUMBER() OVER (PARTITION BY r.user_name ORDER BY r.created, r.id) +
			(SELECT COUNT(*) FROM run w WHERE w.state = 'working' AND w.user_name = r.user_name AND w.lease_until > $1) AS place
		FROM run r LEFT JOIN quota q ON q.user_name = r.user_name
		WHERE r.state = 'queued' AND r.background
	) waits WHERE COALESCE(own, $2) = 0 OR place <= COALESCE(own, $2) ORDER BY place, created, id LIMIT $3`

func (j *Journal) turns(ctx context.Context, n int) (ids []string, err error) {
	rows, err := j.db.QueryContext(ctx, turns, j.now(), j.options.Quota.Working, n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// Enqueue lets workers go on with a run that is parked, or whose worker is gone, whatever it did to its workers before. One
// that was begun at a terminal is a background run from then on. One that is worked on or waits for a worker is left alone;
// one that is over is *Ended.
func (j *Journal) Enqueue(ctx context.Context, id string) error {
	return j.ask(ctx, id, "queueing", func(tx *sql.Tx, i Info) error {
		if i.State.held() || i.State == StateQueued && i.Background {
			return nil
		}
		if _, err := tx.ExecContext(ctx, `UPDATE run SET background = TRUE, crashes = 0, claimed_seq = 0 WHERE id = $1`, id); err != nil {
			return err
		}
		return j.queue(ctx, tx, id)
	})
}

// park lets a run that nobody holds wait for a person. Should somebody still believe to hold it, the new epoch stops them.
func (j *Journal) park(ctx context.Context, tx *sql.Tx, id, reason string) error {
	return j.end(ctx, tx, id, StateParked, reason)
}

// changed wakes those who watch runs and those who work on them.
func (j *Journal) changed() {
	j.wake.all()
	j.waiting.all()
}

// Expire denies what nobody decided in time, and lets the runs that waited for it go on. It returns these.
func (j *Journal) Expire(ctx context.Context) ([]string, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT DISTINCT g.run FROM gate g JOIN run r ON r.id = g.run WHERE g.state = 'pending' AND g.expires <= $1 AND r.state = 'parked' AND r.background ORDER BY g.run`, j.now())
	if err != nil {
		return nil, fmt.Errorf("journal: looking for gates that expired: %w", err)
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("journal: looking for gates that expired: %w", err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("journal: looking for gates that expired: %w", err)
	}
	for _, id := range ids {
		if err := j.db.Tx(ctx, func(tx *sql.Tx) error {
			i, err := j.hold(ctx, tx, id)
			if err != nil {
				return err
			}
			if err := j.deny(ctx, tx, id, j.now(), expired); err != nil {
				return err
			}
			return j.goOn(ctx, tx, i)
		}); err != nil {
			return nil, fmt.Errorf("journal: gates of run %s that expired: %w", id, err)
		}
	}
	if len(ids) > 0 {
		j.changed()
	}
	return ids, nil
}

var expired = gate.Decision{By: "expiry", Reason: "nobody decided in time"}

// deny decides a run's open questions that expire until then.
func (j *Journal) deny(ctx context.Context, tx *sql.Tx, id string, until int64, d gate.Decision) error {
	rows, err := tx.QueryContext(ctx, `SELECT `+gateColumns+` FROM gate WHERE run = $1 AND state = 'pending' AND expires <= $2 ORDER BY id`+j.db.ForUpdate, id, until)
	if err != nil {
		return err
	}
	hashes, ids := []string{}, []string{}
	for rows.Next() {
		p, hash, err := scanGate(rows)
		if err != nil {
			return errors.Join(err, rows.Close())
		}
		hashes, ids = append(hashes, hash), append(ids, p.ID)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for n, id := range ids {
		d.Hash = hashes[n]
		if err := (Gates{Journal: j}).write(ctx, tx, id, d); err != nil {
			return err
		}
	}
	return nil
}

// goOn queues a background run that waits for no decision any more. Others stay as they are: their terminal is elsewhere.
func (j *Journal) goOn(ctx context.Context, tx *sql.Tx, i Info) error {
	if i.State != StateParked || i.Stop != StopGate || !i.Background {
		return nil
	}
	open, err := j.asked(ctx, tx, i.ID)
	if err != nil || open {
		return err
	}
	return j.queue(ctx, tx, i.ID)
}

// asked says whether a question of a run is open.
func (j *Journal) asked(ctx context.Context, tx *sql.Tx, id string) (bool, error) {
	var n int
	err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM gate WHERE run = $1 AND state = 'pending'`, id).Scan(&n)
	return n > 0, err
}

// unused says whether a question of a run was decided, and the run has not yet heard of it.
func (j *Journal) unused(ctx context.Context, tx *sql.Tx, id string) (bool, error) {
	var n int
	err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM gate g WHERE g.run = $1 AND g.state <> 'pending'
		AND NOT EXISTS (SELECT 1 FROM event e WHERE e.run = g.run AND e.key = g.key AND e.kind = 'gate')`, id).Scan(&n)
	return n > 0, err
}
