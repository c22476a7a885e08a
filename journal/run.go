package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"ibid/gate"
)

// A Run is a claim on one run: the right to perform and record its effects, or, in a replay, to read them.
type Run struct {
	j      *Journal
	info   Info
	replay bool

	mu       sync.Mutex
	recorded map[place]*record // what the journal held when the run was opened, and what was recorded since
	steps    map[string]bool   // lane/step that has recorded events
	notes    []note            // not yet written
	lanes    map[string]*lane
	evidence *evidence // of the parent, in a fork
	diverged error     // the first divergence of a note

	stopAsked bool
	lost      context.CancelCauseFunc
	ctx       context.Context
	done      chan struct{} // ends the heartbeat
	beats     sync.WaitGroup
}

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
// lives; a lease of a process of this machine that is gone counts as dead at once, and should that be a mistake, the new
// epoch fences the other off.
func (j *Journal) Claim(ctx context.Context, id string) (*Run, error) {
	err := j.db.Tx(ctx, func(tx *sql.Tx) error {
		i, err := scanInfo(tx.QueryRowContext(ctx, `SELECT `+infoColumns+` FROM run WHERE id = $1`, id))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrNotFound
		case err != nil:
			return err
		case i.State.Over():
			return &Ended{id, i.State}
		case i.State == StateWorking && i.LeaseUntil.UnixMilli() > j.now() && !dead(i.LeaseOwner, j.options.Owner):
			return &Busy{id, i.LeaseOwner, i.LeaseUntil}
		}
		_, err = tx.ExecContext(ctx, `UPDATE run SET state = $2, epoch = epoch + 1, lease_owner = $3, lease_until = $4, updated = $5 WHERE id = $1`,
			id, StateWorking, j.options.Owner, j.now()+j.options.Lease.Milliseconds(), j.now())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("journal: claiming run %s: %w", id, err)
	}
	r, err := j.open(ctx, id)
	if err != nil {
		return nil, err
	}
	r.ctx, r.lost = context.WithCancelCause(context.Background())
	r.done = make(chan struct{})
	r.beats.Add(1)
	go r.heartbeat()
	return r, nil
}

// OpenReplay opens a run to run it again from its record: nothing is performed, nothing is written.
func (j *Journal) OpenReplay(ctx context.Context, id string) (*Run, error) {
	r, err := j.open(ctx, id)
	if err != nil {
		return nil, err
	}
	r.replay = true
	r.ctx, r.lost = context.WithCancelCause(context.Background())
	return r, nil
}

func (j *Journal) open(ctx context.Context, id string) (*Run, error) {
	info, err := j.Info(ctx, id)
	if err != nil {
		return nil, err
	}
	r := &Run{j: j, info: info, lanes: map[string]*lane{}}
	if r.recorded, r.steps, err = j.load(ctx, id); err != nil {
		return nil, err
	}
	if info.Parent != "" {
		if r.evidence, err = j.loadEvidence(ctx, info.Parent); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// dead says whether owner is a process of the same machine as self that is no more.
func dead(owner, self string) bool {
	host, rest, _ := strings.Cut(owner, "/")
	pid, _, _ := strings.Cut(rest, "/")
	mine, _, _ := strings.Cut(self, "/")
	n, err := strconv.Atoi(pid)
	if err != nil || host != mine || n == os.Getpid() {
		return false
	}
	p, err := os.FindProcess(n)
	if err != nil {
		return true
	}
	err = p.Signal(syscall.Signal(0))
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH)
}

// ID is the run's id.
func (r *Run) ID() string { return r.info.ID }

// Info is the run's row as it was when it was opened.
func (r *Run) Info() Info { return r.info }

// Replaying says whether nothing is performed.
func (r *Run) Replaying() bool { return r.replay }

// Context derives a context that ends when the lease is lost or the run is cancelled.
func (r *Run) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(r.ctx, func() { cancel(context.Cause(r.ctx)) })
	return ctx, func() { stop(); cancel(nil) }
}

// heartbeat renews the lease while it lives and brings the wishes of others: stop, cancel. A lapsed lease is never
// renewed: somebody else may have counted on its end.
func (r *Run) heartbeat() {
	defer r.beats.Done()
	look := min(r.j.options.Lease/3, 500*time.Millisecond)
	renewed := r.j.now()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		wake := r.j.wake.next()
		select {
		case <-r.done:
			return
		case <-tick.C:
		case <-wake:
		}
		var stop, cancel bool
		var until int64
		ctx, done := context.WithTimeout(context.Background(), r.j.options.Lease)
		err := r.j.db.QueryRowContext(ctx, `SELECT stop_asked, cancel_asked, lease_until FROM run WHERE id = $1 AND epoch = $2`, r.info.ID, r.info.Epoch).Scan(&stop, &cancel, &until)
		if err == nil && r.j.now()-renewed >= r.j.options.Lease.Milliseconds()/3 {
			err = r.renew(ctx)
			renewed = r.j.now()
		}
		done()
		switch {
		case errors.Is(err, sql.ErrNoRows), errors.Is(err, ErrFenced):
			r.lost(ErrFenced)
			return
		case cancel:
			r.lost(ErrCancelled)
			return
		case stop:
			r.AskStop()
		}
	}
}

func (r *Run) renew(ctx context.Context) error {
	now := r.j.now()
	res, err := r.j.db.ExecContext(ctx, `UPDATE run SET lease_until = $3 WHERE id = $1 AND epoch = $2 AND lease_until > $4`,
		r.info.ID, r.info.Epoch, now+r.j.options.Lease.Milliseconds(), now)
	if err != nil {
		return err // a busy database: the next beat tries again
	}
	if n, err := res.RowsAffected(); err == nil && n == 0 {
		return ErrFenced
	}
	return nil
}

// fence takes n sequence numbers for a write, and refuses it unless this worker's epoch and lease are alive. It returns
// the first number.
func (r *Run) fence(ctx context.Context, tx *sql.Tx, n int) (int64, error) {
	var next int64
	now := r.j.now()
	err := tx.QueryRowContext(ctx, `UPDATE run SET next_seq = next_seq + $4, updated = $3 WHERE id = $1 AND epoch = $2 AND lease_until > $3 RETURNING next_seq`,
		r.info.ID, r.info.Epoch, now, n).Scan(&next)
	if errors.Is(err, sql.ErrNoRows) {
		r.lost(ErrFenced)
		return 0, ErrFenced
	}
	return next - int64(n), err
}

// AskStop asks this run to answer with what it has.
func (r *Run) AskStop() {
	r.mu.Lock()
	r.stopAsked = true
	r.mu.Unlock()
}

// StopAsked says whether the run is to close at this position, lane/step/stop (LOOP-8). A yes is recorded, so that a
// replay closes at the same step; at steps that are already recorded the record decides.
func (r *Run) StopAsked(ctx context.Context, key Key) (bool, error) {
	r.mu.Lock()
	_, yes := r.recorded[place{key, "stop"}]
	if yes {
		r.recorded[place{key, "stop"}].visited = true
	}
	no := r.replay || r.steps[key.step()] || !r.stopAsked
	r.mu.Unlock()
	if yes || no {
		return yes, nil
	}
	if err := r.Note(key, "stop", "asked by the user"); err != nil {
		return false, err
	}
	return true, r.Flush(ctx)
}

// Finish writes what is left and ends the claim. In a replay it checks that all that was recorded was met again. An
// error that was found on the way comes first.
func (r *Run) Finish(ctx context.Context, state State, stop string) error {
	if err := r.Err(); err != nil {
		return err
	}
	if r.replay {
		return r.unmet()
	}
	defer r.end()
	return r.write(ctx, "its end", 0, func(tx *sql.Tx, _ int64) error {
		_, err := tx.ExecContext(ctx, `UPDATE run SET state = $3, stop = $4, lease_owner = '', lease_until = 0, updated = $5 WHERE id = $1 AND epoch = $2`,
			r.info.ID, r.info.Epoch, state, stop, r.j.now())
		return err
	})
}

// Abandon ends the claim without writing anything: after a fault. The lease lapses by itself.
func (r *Run) Abandon() { r.end() }

func (r *Run) end() {
	if r.done == nil {
		return
	}
	r.mu.Lock()
	select {
	case <-r.done:
	default:
		close(r.done)
	}
	r.mu.Unlock()
	r.beats.Wait()
}

// PutBlob keeps raw bytes for this run under their hash.
func (r *Run) PutBlob(ctx context.Context, data []byte) (string, error) {
	if r.replay {
		return "", &Divergence{r.info.ID, "", "blob", "a replay keeps nothing"}
	}
	sha, err := r.j.db.PutBlob(ctx, data)
	if err != nil {
		return "", err
	}
	_, err = r.j.db.ExecContext(ctx, `INSERT INTO run_blob (run, sha256) VALUES ($1, $2) ON CONFLICT DO NOTHING`, r.info.ID, sha)
	return sha, err
}

// Now is the journaled clock.
func (r *Run) Now(ctx context.Context, key Key) (time.Time, error) {
	d, err := Do(ctx, r, Effect{Key: key, Kind: "clock"}, "now", func(context.Context) (int64, Amount, error) {
		return r.j.now(), Amount{}, nil
	})
	return time.UnixMilli(d.Value).UTC(), err
}

// pending says whether an error of an effect means that it has not happened yet.
func pending(err error) bool { return errors.Is(err, gate.ErrPending) }

// jsonBytes is json.Marshal without HTML escaping; []byte and RawMessage stand for themselves.
func jsonBytes(v any) ([]byte, error) {
	switch b := v.(type) {
	case []byte:
		return b, nil
	case json.RawMessage:
		return b, nil
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}
