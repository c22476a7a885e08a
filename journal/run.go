package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"ibid/gate"
	"ibid/store"
)

// A Run is a claim on one run: the right to perform and record its effects, or, in a replay, to read them. Its methods
// are safe for concurrent use.
type Run struct {
	j      *Journal
	info   Info
	replay bool

	mu        sync.Mutex
	recorded  map[place]*record // what the journal held when the run was opened, and what was recorded since
	steps     map[string]bool   // lane/step that has recorded events
	notes     []*record         // not yet written
	blobs     []store.Packed    // not yet written
	lanes     map[string]lane
	evidence  *evidence // of the parent, in a fork
	diverged  error     // the first divergence
	stopAsked bool

	performing int  // effects
	leaving    bool // nothing new is begun

	ctx  context.Context // ends when the claim does
	lost context.CancelCauseFunc
}

// OpenReplay opens a run to run it again from its record: nothing is performed, nothing is written.
func (j *Journal) OpenReplay(ctx context.Context, id string) (*Run, error) {
	info, err := j.Info(ctx, id)
	if err != nil {
		return nil, err
	}
	r := &Run{j: j, info: info, replay: true}
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// load reads what the journal holds.
func (r *Run) load(ctx context.Context) (err error) {
	r.ctx, r.lost = context.WithCancelCause(context.Background())
	r.lanes, r.steps = map[string]lane{}, map[string]bool{}
	if r.recorded, err = r.j.load(ctx, r.info.ID); err != nil {
		return err
	}
	for at := range r.recorded {
		r.steps[at.key.step()] = true
	}
	if r.info.Parent != "" && !r.replay {
		r.evidence, err = r.j.loadEvidence(ctx, r.info.Parent)
	}
	return err
}

// ID is the run's id.
func (r *Run) ID() string { return r.info.ID }

// Info is the run's row as it was when it was opened.
func (r *Run) Info() Info { return r.info }

// Doubted says whether something in the run was charged at its worst case, since a crash left its outcome in doubt.
func (r *Run) Doubted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rec := range r.recorded {
		if rec.doubts > 0 {
			return true
		}
	}
	return false
}

// Replaying says whether nothing is performed.
func (r *Run) Replaying() bool { return r.replay }

// Context derives a context that ends when the lease is lost or the run is cancelled.
func (r *Run) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(r.ctx, func() { cancel(context.Cause(r.ctx)) })
	return ctx, func() { stop(); cancel(nil) }
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
	if r.meet(place{key, "stop"}) != nil {
		return true, nil
	}
	r.mu.Lock()
	no := r.replay || r.steps[key.step()] || !r.stopAsked
	r.mu.Unlock()
	if no {
		return false, nil
	}
	if err := r.Note(key, "stop", "asked by the user"); err != nil {
		return false, err
	}
	return true, r.Flush(ctx)
}

// Now is the journaled clock.
func (r *Run) Now(ctx context.Context, key Key) (time.Time, error) {
	d, err := Do(ctx, r, Effect{Key: key, Kind: "clock"}, "now", func(context.Context) (int64, Amount, error) {
		return r.j.now(), Amount{}, nil
	})
	return time.UnixMilli(d.Value).UTC(), err
}

// PutBlob keeps raw bytes for this run under their hash, with secrets replaced. They are written with the next
// transaction: called while an effect is performed, not later than its outcome. A replay only says the hash.
func (r *Run) PutBlob(_ context.Context, data []byte) (sha string, err error) {
	data = r.j.redact.bytes(data)
	if r.replay {
		return store.Hash(data), nil
	}
	p, err := store.Pack(data)
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	r.blobs = append(r.blobs, p)
	r.mu.Unlock()
	return p.SHA, nil
}

// Redact returns data with known secrets replaced, as PutBlob keeps it: for what must be read as it will be kept.
func (r *Run) Redact(data []byte) []byte { return r.j.redact.bytes(data) }

// Blob returns raw bytes that were kept, verified; fs.ErrNotExist when there are none.
func (r *Run) Blob(ctx context.Context, sha string) ([]byte, error) {
	r.mu.Lock()
	for _, p := range r.blobs {
		if p.SHA == sha {
			r.mu.Unlock()
			return p.Data()
		}
	}
	r.mu.Unlock()
	return r.j.Blob(ctx, sha)
}

// Blob returns raw bytes that a run kept, verified; fs.ErrNotExist when there are none.
func (j *Journal) Blob(ctx context.Context, sha string) ([]byte, error) {
	data, err := j.db.Blob(ctx, sha)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("journal: %w", err)
	}
	return data, err
}

// Finish writes what is left, sets the final state (or StateParked) and ends the claim. In a replay it writes nothing and
// checks that all that was recorded was met again. A divergence that was found on the way comes first; then the claim
// ends and the state stays as it was. It writes even when ctx is over.
func (r *Run) Finish(ctx context.Context, state State, stop string) error {
	ctx = context.WithoutCancel(ctx)
	if r.replay {
		if err := r.Err(); err != nil {
			return err
		}
		return r.unmet()
	}
	if err := r.Err(); err != nil {
		if r.info.Background { // no worker would come further
			return errors.Join(err, r.Park(ctx, err.Error()))
		}
		return errors.Join(err, r.Release(ctx))
	}
	if !state.Over() && state != StateParked {
		return fmt.Errorf("journal: run %s cannot end as %q", r.info.ID, state)
	}
	return r.leave(ctx, state, stop)
}

// Park ends the claim; the run waits for a person who resumes it, for a reason that they are told.
func (r *Run) Park(ctx context.Context, reason string) error {
	return r.leave(context.WithoutCancel(ctx), StateParked, reason)
}

// leave writes what is left and how the run stands.
func (r *Run) leave(ctx context.Context, state State, stop string) error {
	defer r.j.waiting.all() // its user may have another at work
	defer r.Abandon()
	return r.write(ctx, "its end", 0, func(tx *sql.Tx, _ int64) error {
		// An abort overtakes the wish to answer early: whoever resumes the run wants it to go on.
		if err := one(tx.ExecContext(ctx, `UPDATE run SET state = $3, stop = $4, stop_asked = (stop_asked AND $4 NOT IN ('cancelled', 'interrupted')), lease_owner = '', lease_until = 0, updated = $5 WHERE id = $1 AND epoch = $2`,
			r.info.ID, r.info.Epoch, state, r.j.redact.text(stop), r.j.now())); err != nil || state != StateParked || stop != StopGate || !r.info.Background {
			return err
		}
		// The answer may have come before the run had parked.
		if open, err := r.j.asked(ctx, tx, r.info.ID); open || err != nil {
			return err
		}
		if unused, err := r.j.unused(ctx, tx, r.info.ID); !unused || err != nil {
			return err
		}
		return r.j.queue(ctx, tx, r.info.ID)
	})
}

// Release hands the run back before it has ended: it stands as interrupted, or, in the background, as queued, and anybody may
// take it at once. It writes what is left, even when ctx is over.
func (r *Run) Release(ctx context.Context) error {
	if r.replay {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	r.Abandon()
	err := r.Flush(ctx)
	freed := r.j.db.Tx(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE run SET lease_owner = '', lease_until = 0 WHERE id = $1 AND epoch = $2 AND state = 'working'`, r.info.ID, r.info.Epoch)
		if err != nil || !r.info.Background {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 { // it is another's already
			return err
		}
		return r.j.queue(ctx, tx, r.info.ID)
	})
	if err = errors.Join(err, freed); err != nil {
		return fmt.Errorf("journal: releasing run %s: %w", r.info.ID, err)
	}
	r.j.changed()
	return nil
}

// Abandon ends the claim without writing anything, after a fault: the lease lapses by itself. After Finish or Release it
// does nothing.
func (r *Run) Abandon() { r.j.pulse.leave(r) }

// Outlive says that the worker of a run whose lease was lost lives: it was slow, or could not reach the database, and the run did not
// end it. That counts as no crash, whether another has the run by now or it is still to be taken.
func (r *Run) Outlive(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	err := r.j.db.Tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE run SET lease_owner = '' WHERE id = $1 AND epoch = $2 AND state = 'working' AND lease_until <= $3`, r.info.ID, r.info.Epoch, r.j.now()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE run SET crashes = crashes - 1 WHERE id = $1 AND epoch = $2 AND state = 'working' AND crashes > 0`, r.info.ID, r.info.Epoch+1)
		return err
	})
	if err != nil {
		return fmt.Errorf("journal: run %s: letting go of it: %w", r.info.ID, err)
	}
	return nil
}

// pending says whether an error of an effect means that it has not happened yet.
func pending(err error) bool { return errors.Is(err, gate.ErrPending) }
