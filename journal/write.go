package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"ibid/store"
)

// begin records the intent with its reservation, or counts a doubt for an intent that a crash left behind. An effect
// that costs nothing needs no intent: it may simply be asked again.
func (r *Run) begin(ctx context.Context, e Effect, rec *record, sha string, request []byte) (*record, error) {
	if rec == nil {
		rec = &record{place: place{e.Key, e.Kind}, state: intent, requestSHA: sha, visited: true}
		if e.Hold == nil {
			return rec, nil
		}
		rec.reserved = e.Hold.Amount()
		return rec, r.insert(ctx, e, rec, request)
	}
	r.remember(e, rec, request)
	err := r.write(ctx, "the doubt about "+string(e.Key), 0, func(tx *sql.Tx, _ int64) error {
		return one(tx.ExecContext(ctx, `UPDATE event SET doubts = doubts + 1, epoch = $3, started = $4 WHERE run = $1 AND seq = $2 AND state = 'intent'`,
			r.info.ID, rec.seq, r.info.Epoch, r.j.now()))
	})
	if err != nil {
		return nil, err
	}
	rec.doubts++
	if e.Ledger != nil {
		e.Ledger.Charge(times(rec.reserved, rec.doubts))
	}
	return rec, nil
}

// conclude records the outcome. The body is kept in memory while a full or busy disk is tried again.
func (r *Run) conclude(ctx context.Context, e Effect, rec *record, request, body []byte) error {
	if err := rec.pack(body); err != nil {
		return &Lost{e.Key, err}
	}
	ctx = context.WithoutCancel(ctx) // it was paid for: it is recorded even when the user has just cancelled the run
	for try := 0; ; try++ {
		var err error
		if rec.seq == 0 {
			err = r.insert(ctx, e, rec, request)
		} else {
			err = r.update(ctx, e, rec)
		}
		if err == nil || errors.Is(err, ErrFenced) {
			return err
		}
		if try == len(r.j.pauses) {
			return &Lost{e.Key, err}
		}
		time.Sleep(r.j.pauses[try])
	}
}

const updateEvent = `UPDATE event SET state = $3, took = $4, outcome_sha = $5, outcome_size = $6, outcome = $7, failure = $8,
	spent_steps = $9, spent_searches = $10, spent_reads = $11, spent_tokens = $12, spent_millis = $13, spent_usd = $14
	WHERE run = $1 AND seq = $2 AND state = 'intent'`

// update turns an intent into its outcome.
func (r *Run) update(ctx context.Context, e Effect, rec *record) error {
	s := rec.spent
	return r.write(ctx, "the outcome of "+string(e.Key), 0, func(tx *sql.Tx, _ int64) error {
		return one(tx.ExecContext(ctx, updateEvent, r.info.ID, rec.seq, rec.state, rec.took, rec.outcomeSHA, rec.outcomeSize, rec.packed, rec.failure,
			s.Steps, s.Searches, s.Reads, s.Tokens, s.Millis, s.MicroUSD))
	})
}

const insertEvent = `INSERT INTO event (run, seq, key, kind, state, epoch, started, took, request_sha, request_base, request_same, request_size, request,
	outcome_sha, outcome_size, outcome, failure, copied, doubts, reserved_steps, reserved_searches, reserved_reads, reserved_tokens, reserved_millis, reserved_usd,
	spent_steps, spent_searches, spent_reads, spent_tokens, spent_millis, spent_usd)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31)`

// insert writes a new event, as an intent or whole.
func (r *Run) insert(ctx context.Context, e Effect, rec *record, request []byte) error {
	p, err := r.packRequest(e, request)
	if err != nil {
		return err
	}
	a, s := rec.reserved, rec.spent
	var seq int64
	err = r.write(ctx, string(e.Key), 1, func(tx *sql.Tx, next int64) error {
		seq = next
		return one(tx.ExecContext(ctx, insertEvent, r.info.ID, seq, rec.key, rec.kind, rec.state, r.info.Epoch, r.j.now(), rec.took,
			rec.requestSHA, p.base, p.same, len(request), p.packed, rec.outcomeSHA, rec.outcomeSize, rec.packed, rec.failure, rec.copied, rec.doubts,
			a.Steps, a.Searches, a.Reads, a.Tokens, a.Millis, a.MicroUSD, s.Steps, s.Searches, s.Reads, s.Tokens, s.Millis, s.MicroUSD))
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	rec.seq, rec.depth = seq, p.depth
	r.recorded[rec.place] = rec
	r.steps[e.Key.step()] = true
	r.mu.Unlock()
	r.remember(e, rec, request)
	return nil
}

const insertNote = `INSERT INTO event (run, seq, key, kind, state, epoch, started, outcome_sha, outcome_size, outcome) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

// insertNote writes one note.
func (r *Run) insertNote(ctx context.Context, tx *sql.Tx, seq int64, rec *record) error {
	return one(tx.ExecContext(ctx, insertNote, r.info.ID, seq, rec.key, rec.kind, noted, r.info.Epoch, r.j.now(), rec.outcomeSHA, rec.outcomeSize, rec.packed))
}

// insertBlob writes raw bytes, and that a run kept them.
func (j *Journal) insertBlob(ctx context.Context, tx *sql.Tx, run string, b store.Packed) error {
	if err := j.db.Put(ctx, tx, b); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO run_blob (run, sha256) VALUES ($1, $2) ON CONFLICT DO NOTHING`, run, b.SHA)
	return err
}

// one checks that a statement wrote one row.
func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.Join(fmt.Errorf("%d rows were written instead of one", n), err)
	}
	return nil
}

// write runs one fenced transaction: the notes and blobs that wait, and then f, which gets the first of n sequence numbers. Those
// who watch are woken.
func (r *Run) write(ctx context.Context, what string, n int, f func(tx *sql.Tx, seq int64) error) error {
	notes, blobs := r.takeWaiting()
	err := r.j.db.Tx(ctx, func(tx *sql.Tx) error {
		seq, err := r.fence(ctx, tx, len(notes)+n)
		if err != nil {
			return err
		}
		for i, note := range notes {
			if err := r.insertNote(ctx, tx, seq+int64(i), note); err != nil {
				return err
			}
		}
		for _, b := range blobs {
			if err := r.j.insertBlob(ctx, tx, r.info.ID, b); err != nil {
				return err
			}
		}
		if err := f(tx, seq+int64(len(notes))); err != nil {
			return err
		}
		return r.j.crash("before " + what)
	})
	if err == nil {
		err = r.j.crash("after " + what)
	}
	if err != nil {
		r.giveBack(notes, blobs)
		return fmt.Errorf("journal: run %s: recording %s: %w", r.info.ID, what, err)
	}
	r.j.wake.one(r.info.ID)
	return nil
}

// crash is where a test may end the program's life: before and after each commit.
func (j *Journal) crash(point string) error {
	if j.failpoint == nil {
		return nil
	}
	return j.failpoint(point)
}

const fence = `UPDATE run SET next_seq = next_seq + $4, updated = $3 WHERE id = $1 AND epoch = $2 AND lease_until > $3 RETURNING next_seq`

// fence takes n sequence numbers for a write, and refuses it unless this worker's epoch and lease are alive. It returns
// the first number.
func (r *Run) fence(ctx context.Context, tx *sql.Tx, n int) (int64, error) {
	var next int64
	err := tx.QueryRowContext(ctx, fence, r.info.ID, r.info.Epoch, r.j.now(), n).Scan(&next)
	if errors.Is(err, sql.ErrNoRows) {
		r.lost(ErrFenced)
		return 0, ErrFenced
	}
	return next - int64(n), err
}
