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

// Claim takes a run for this worker: a new epoch, a lease, state working. It fails with *Busy while another's lease
// lives, and with *Ended when the run is over; a lease of a process of this machine that is gone counts as dead at once,
// and should that be a mistake, the new epoch fences the other off. The lease is renewed until Finish, Release or Abandon.
func (j *Journal) Claim(ctx context.Context, id string) (*Run, error) {
	r := &Run{j: j}
	err := j.db.Tx(ctx, func(tx *sql.Tx) error {
		i, err := j.hold(ctx, tx, id)
		if err != nil {
			return err
		}
		var stop, cancel bool
		if err := tx.QueryRowContext(ctx, `SELECT stop_asked, cancel_asked FROM run WHERE id = $1`, id).Scan(&stop, &cancel); err != nil {
			return err
		}
		switch {
		case i.State.Over():
			return &Ended{id, i.State}
		case i.State == StateWorking:
			return &Busy{id, i.LeaseOwner, i.LeaseUntil}
		case cancel: // its worker died before it could obey
			r.info.State = StateCancelled
			return j.cancel(ctx, tx, id)
		}
		now := j.now()
		i.Epoch, i.State, i.LeaseOwner, i.LeaseUntil = i.Epoch+1, StateWorking, j.options.Owner, instant(now+j.options.Lease.Milliseconds())
		r.info, r.stopAsked = i, stop
		if i.Parent != "" { // outcomes that are copied may speak of what the parent kept
			if _, err := tx.ExecContext(ctx, `INSERT INTO run_blob (run, sha256) SELECT $1, sha256 FROM run_blob WHERE run = $2 ON CONFLICT DO NOTHING`, id, i.Parent); err != nil {
				return err
			}
		}
		return one(tx.ExecContext(ctx, `UPDATE run SET state = $2, epoch = $3, lease_owner = $4, lease_until = $5, updated = $6 WHERE id = $1`,
			id, i.State, i.Epoch, i.LeaseOwner, i.LeaseUntil.UnixMilli(), now))
	})
	if err == nil && r.info.State == StateCancelled {
		err = &Ended{id, StateCancelled}
	}
	if err != nil {
		return nil, fmt.Errorf("journal: claiming run %s: %w", id, err)
	}
	if err := r.load(ctx); err != nil {
		return nil, errors.Join(err, r.Release(ctx))
	}
	r.done = make(chan struct{})
	r.beats.Add(1)
	go r.heartbeat()
	return r, nil
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
