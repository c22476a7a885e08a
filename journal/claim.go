package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ibid/store"
)

// ErrFenced says that this worker no longer holds the run: it was silent for too long and another took it over, or the
// run ended. Nothing it does can be recorded any more.
var ErrFenced = errors.New("the lease on this run is lost")

// ErrCancelled is the cause of a run's context when the user cancelled it.
var ErrCancelled = errors.New("the run was cancelled")

// Busy says that another worker holds the run.
type Busy struct {
	Run, Owner string
	Until      time.Time
}

func (e *Busy) Error() string {
	return fmt.Sprintf("run %s is being worked on by %s (its lease lasts until %s)", e.Run, e.Owner, e.Until.Format(time.TimeOnly))
}

// Ended says that a run is over and cannot be worked on.
type Ended struct {
	Run   string
	State State
}

func (e *Ended) Error() string { return fmt.Sprintf("run %s is over (%s)", e.Run, e.State) }

// Claim takes a run for somebody who asks for it: a new epoch, a lease, state working. It fails with *Busy while another's
// lease lives, with *Ended when the run is over, and with *Full while its user has as many at work as they may; then the
// run's turn is kept for a while from the queue's workers. A lease of a process of this machine that is gone counts as dead at
// once, and should that be a mistake, the new epoch fences the other off. The lease is renewed until Finish, Release or
// Abandon.
func (j *Journal) Claim(ctx context.Context, id string) (*Run, error) { return j.claim(ctx, id, false) }

// Take is Claim for a worker: background runs alone, and none that waits for a person (*Parked). A run that has ended its
// workers again and again at the same place is parked instead.
func (j *Journal) Take(ctx context.Context, id string) (*Run, error) { return j.claim(ctx, id, true) }

func (j *Journal) claim(ctx context.Context, id string, worker bool) (*Run, error) {
	r, asked := &Run{j: j}, j.asks.next()
	var refused error // with something to be kept of it
	err := j.db.Tx(ctx, func(tx *sql.Tx) (err error) {
		refused, err = r.claim(ctx, tx, id, worker)
		return err
	})
	if err = errors.Join(refused, err); err != nil {
		return nil, fmt.Errorf("journal: claiming run %s: %w", id, err)
	}
	if err := r.load(ctx); err != nil {
		return nil, errors.Join(err, r.Release(ctx))
	}
	j.pulse.join(r, asked)
	return r, nil
}

// patience is how long the turn of a run is kept for those who wait for it; they ask again more often.
const patience = 5 * time.Second

// claim is Claim in a transaction. It is refused with an error, or with something that is to be kept.
func (r *Run) claim(ctx context.Context, tx *sql.Tx, id string, worker bool) (refused, err error) {
	j := r.j
	var user string
	if err := tx.QueryRowContext(ctx, `SELECT user_name FROM run WHERE id = $1`, id).Scan(&user); err != nil {
		return nil, found(err)
	}
	quota, err := j.holdQuota(ctx, tx, user)
	if err != nil {
		return nil, err
	}
	i, err := j.hold(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	var stop, cancel bool
	var next, claimed, crashes int64
	if err := tx.QueryRowContext(ctx, `SELECT stop_asked, cancel_asked, next_seq, claimed_seq, crashes FROM run WHERE id = $1`, id).Scan(&stop, &cancel, &next, &claimed, &crashes); err != nil {
		return nil, err
	}
	switch {
	case i.State.Over():
		return nil, &Ended{id, i.State}
	case i.State.held():
		return nil, &Busy{id, i.LeaseOwner, i.LeaseUntil}
	case cancel: // its worker died before it could obey
		return &Ended{id, StateCancelled}, j.end(ctx, tx, id, StateCancelled, "cancelled")
	case worker && !i.Background:
		return nil, ErrForeground
	case worker && i.State == StateParked:
		return nil, &Parked{id, i.Stop}
	}
	switch {
	case !worker || next > claimed:
		crashes = 0
	case i.State == StateInterrupted && i.LeaseOwner != "": // not handed back
		crashes++
	}
	if crashes >= MostCrashes {
		return &Parked{id, stopCrashed}, j.park(ctx, tx, id, stopCrashed)
	}
	full, err := j.room(ctx, tx, quota, user, id, worker)
	switch {
	case err != nil:
		return nil, err
	case full != nil && worker:
		return nil, full
	case full != nil:
		_, err := tx.ExecContext(ctx, `UPDATE run SET waits_until = $2 WHERE id = $1`, id, j.now()+patience.Milliseconds())
		return full, err
	}
	now := j.now()
	i.Epoch, i.State, i.LeaseOwner, i.LeaseUntil = i.Epoch+1, StateWorking, j.options.Owner, instant(now+j.options.Lease.Milliseconds())
	r.info, r.stopAsked = i, stop
	if i.Parent != "" { // outcomes that are copied may speak of what the parent kept
		if _, err := tx.ExecContext(ctx, `INSERT INTO run_blob (run, sha256) SELECT $1, sha256 FROM run_blob WHERE run = $2 ON CONFLICT DO NOTHING`, id, i.Parent); err != nil {
			return nil, err
		}
	}
	return nil, one(tx.ExecContext(ctx, `UPDATE run SET state = $2, epoch = $3, lease_owner = $4, lease_until = $5, updated = $6, claimed_seq = next_seq, crashes = $7, waits_until = 0 WHERE id = $1`,
		id, i.State, i.Epoch, i.LeaseOwner, i.LeaseUntil.UnixMilli(), now, crashes))
}

// machine names where process ids are this process's own: the host, and on Linux this boot of it and its namespace of
// processes, since machines and containers that share a database may share a name.
func machine() string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	host = strings.ReplaceAll(host, "/", "-")
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return host
	}
	processes, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return host
	}
	return host + "-" + store.Hash([]byte(string(boot) + processes))[:8]
}

// dead says whether owner is a process of the same machine as self that is no more.
func dead(owner, self string) bool {
	host, rest, _ := strings.Cut(owner, "/")
	pid, _, _ := strings.Cut(rest, "/")
	mine, _, _ := strings.Cut(self, "/")
	n, err := strconv.Atoi(pid)
	if err != nil || n <= 0 || host != mine || n == os.Getpid() {
		return false
	}
	p, err := os.FindProcess(n)
	if err != nil {
		return true
	}
	err = p.Signal(syscall.Signal(0))
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH)
}
