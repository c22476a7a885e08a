package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"ibid/budget"
	"ibid/store"
)

// Amount is budget.Amount: what an effect reserved and spent.
type Amount = budget.Amount

// A Key is a position in a run: lead/3/tool.1/fetch.0. Its first element is the lane, the agent that acts. Positions, not
// a global count, so that parallel calls replay in any order.
type Key string

// step is the key's lane and step: lead/3.
func (k Key) step() string {
	lane, rest, _ := strings.Cut(string(k), "/")
	step, _, _ := strings.Cut(rest, "/")
	return lane + "/" + step
}

func (k Key) lane() string {
	lane, _, _ := strings.Cut(string(k), "/")
	return lane
}

// An Effect says where in the run something happens, what it is, and what was reserved for it.
type Effect struct {
	Key    Key
	Kind   string         // model, search, fetch, gate, clock …
	Hold   *budget.Hold   // settled by Do; nil: the effect costs nothing, and no intent is written for it
	Ledger *budget.Ledger // charged for what is in doubt; may be nil
}

// Done is an effect's outcome.
type Done[Out any] struct {
	Value    Out
	Took     time.Duration // as recorded
	Recorded bool          // served from the journal
}

// A Failure is an effect that ended in an error. It is an outcome like any other: recorded, and served again. It holds
// the error's text alone, so that a replay gives the very same.
type Failure struct{ Text string }

func (e *Failure) Error() string { return e.Text }

// Lost says that an effect happened, was paid for, and could not be recorded.
type Lost struct {
	Key Key
	Err error
}

func (e *Lost) Error() string {
	return fmt.Sprintf("journal: the outcome of %s was paid for and could not be stored (free space on the disk, then resume the run): %v", e.Key, e.Err)
}

func (e *Lost) Unwrap() error { return e.Err }

// Do performs an effect once. If the journal holds its outcome, that is returned and nothing is spent. Otherwise the
// intent is recorded and the budget reserved in one transaction, do runs, and the outcome is recorded before it is
// returned. []byte values are kept as they are, others as JSON.
//
// An intent without an outcome, from a crash in between, is in doubt: its worst case is charged, and it is performed again
// under the same idempotency key. An error of do is recorded as a *Failure, unless the run itself is being cancelled or
// the error is gate.ErrPending; then nothing is recorded. A nil run records nothing.
func Do[In, Out any](ctx context.Context, run *Run, e Effect, in In, do func(context.Context) (Out, Amount, error)) (Done[Out], error) {
	var d Done[Out]
	perform := func(ctx context.Context) (body []byte, spent Amount, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("%s failed: internal fault", e.Kind)
			}
		}()
		out, spent, err := do(ctx)
		if err != nil {
			return nil, spent, err
		}
		if run == nil { // not recorded: no need to pass through bytes
			d.Value = out
			return nil, spent, nil
		}
		body, err = jsonBytes(out)
		return body, spent, err
	}
	if run == nil {
		began := time.Now()
		_, spent, err := perform(ctx)
		d.Took = time.Since(began)
		settle(e, spent)
		return d, unrecorded(ctx, err)
	}
	request, err := jsonBytes(in)
	if err != nil {
		return d, fmt.Errorf("journal: the request of %s: %w", e.Key, err)
	}
	rec, served, err := run.do(ctx, e, request, perform)
	if rec != nil {
		d.Took, d.Recorded = time.Duration(rec.took)*time.Millisecond, served
	}
	if err != nil {
		return d, err
	}
	body, err := rec.body()
	if err != nil {
		return d, fmt.Errorf("journal: the outcome of %s: %w", e.Key, err)
	}
	if b, ok := any(&d.Value).(*[]byte); ok {
		*b = body
		return d, nil
	}
	if err := json.Unmarshal(body, &d.Value); err != nil {
		return d, fmt.Errorf("journal: the outcome of %s: %w", e.Key, err)
	}
	return d, nil
}

// unrecorded turns an effect's error into what Do returns for it.
func unrecorded(ctx context.Context, err error) error {
	switch {
	case err == nil, pending(err):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return &Failure{err.Error()}
}

func settle(e Effect, spent Amount) {
	if e.Hold != nil {
		e.Hold.Settle(spent)
	}
}

// IdempotencyKey is the same for every attempt at one effect of one run, and for no other.
func IdempotencyKey(r *Run, k Key) string {
	return store.Hash([]byte(r.info.ID + "\x00" + string(k)))[:32]
}

func (r *Run) do(ctx context.Context, e Effect, request []byte, perform func(context.Context) ([]byte, Amount, error)) (*record, bool, error) {
	if err := r.Err(); err != nil {
		return nil, false, err
	}
	request = r.j.redact.bytes(request)
	sha := store.Hash(request)
	at := place{e.Key, e.Kind}
	r.mu.Lock()
	rec := r.recorded[at]
	r.mu.Unlock()
	if rec != nil && rec.requestSHA != sha {
		return nil, false, r.requestDiffers(ctx, e, rec, request)
	}
	if rec != nil {
		rec.visited = true
		if e.Kind == "model" {
			r.remember(e.Key, rec.seq, request)
		}
	}
	if rec != nil && rec.state != intent {
		doubts := times(rec.reserved, rec.doubts)
		settle(e, rec.spent)
		if e.Ledger != nil {
			e.Ledger.Charge(doubts)
		}
		return rec, true, rec.failed()
	}
	if r.replay {
		return nil, false, &Divergence{r.info.ID, e.Key, e.Kind, "nothing is recorded for it"}
	}
	if rec == nil {
		copied, err := r.copy(ctx, e, sha, request)
		if copied != nil || err != nil {
			if copied == nil {
				return nil, false, err
			}
			settle(e, copied.spent)
			return copied, true, copied.failed()
		}
	}
	rec, err := r.begin(ctx, e, rec, sha, request)
	if err != nil {
		if e.Hold != nil {
			e.Hold.Release()
		}
		return nil, false, err
	}
	began := time.Now()
	body, spent, err := perform(ctx)
	took := time.Since(began)
	if err != nil && (pending(err) || ctx.Err() != nil) {
		if e.Hold != nil {
			e.Hold.Settle(e.Hold.Amount()) // in doubt: perhaps it was paid for
		}
		return nil, false, unrecorded(ctx, err)
	}
	rec.took, rec.spent = took.Milliseconds(), spent
	if err != nil {
		rec.state, rec.failure = failed, r.j.redact.text(err.Error())
	} else {
		rec.state, rec.plain = done, r.j.redact.bytes(body)
	}
	settle(e, spent)
	if err := r.conclude(ctx, e, rec, request); err != nil {
		return rec, false, err
	}
	return rec, false, rec.failed()
}

func times(a Amount, n int64) Amount {
	return Amount{Steps: a.Steps * n, Searches: a.Searches * n, Reads: a.Reads * n, Tokens: a.Tokens * n, Millis: a.Millis * n, MicroUSD: a.MicroUSD * n}
}

// begin records the intent with its reservation, or counts a doubt for an intent that a crash left behind. An effect
// that costs nothing needs no intent: it may simply be asked again.
func (r *Run) begin(ctx context.Context, e Effect, rec *record, sha string, request []byte) (*record, error) {
	if rec != nil {
		if e.Ledger != nil {
			e.Ledger.Charge(rec.reserved)
		}
		rec.doubts++
		return rec, r.write(ctx, "the doubt about "+string(e.Key), 0, func(tx *sql.Tx, _ int64) error {
			_, err := tx.ExecContext(ctx, `UPDATE event SET doubts = $3, epoch = $4, started = $5 WHERE run = $1 AND seq = $2 AND state = 'intent'`,
				r.info.ID, rec.seq, rec.doubts, r.info.Epoch, r.j.now())
			return err
		})
	}
	rec = &record{state: intent, requestSHA: sha, visited: true}
	if e.Hold == nil {
		return rec, nil
	}
	rec.reserved = e.Hold.Amount()
	return rec, r.insert(ctx, e, rec, request)
}

// conclude records the outcome. The body is kept in memory while a full or busy disk is tried again.
func (r *Run) conclude(ctx context.Context, e Effect, rec *record, request []byte) error {
	if err := rec.pack(); err != nil {
		return &Lost{e.Key, err}
	}
	// The outcome was paid for: it is recorded even when the user has just cancelled the run.
	ctx = context.WithoutCancel(ctx)
	var err error
	for try := range 4 {
		if try > 0 {
			time.Sleep(50 * time.Millisecond << (2 * try))
		}
		if rec.seq == 0 {
			err = r.insert(ctx, e, rec, request)
		} else {
			err = r.write(ctx, "the outcome of "+string(e.Key), 0, func(tx *sql.Tx, _ int64) error {
				_, err := tx.ExecContext(ctx, `UPDATE event SET state = $3, took = $4, outcome_sha = $5, outcome_size = $6, outcome = $7, failure = $8,
					spent_steps = $9, spent_searches = $10, spent_reads = $11, spent_tokens = $12, spent_millis = $13, spent_usd = $14 WHERE run = $1 AND seq = $2`,
					r.info.ID, rec.seq, rec.state, rec.took, rec.outcomeSHA, rec.outcomeSize, rec.packed, rec.failure,
					rec.spent.Steps, rec.spent.Searches, rec.spent.Reads, rec.spent.Tokens, rec.spent.Millis, rec.spent.MicroUSD)
				return err
			})
		}
		if err == nil || errors.Is(err, ErrFenced) {
			break
		}
	}
	if err != nil && !errors.Is(err, ErrFenced) {
		return &Lost{e.Key, err}
	}
	return err
}

// insert writes a new event, as an intent or whole, with the notes that came before it.
func (r *Run) insert(ctx context.Context, e Effect, rec *record, request []byte) error {
	p, err := r.packRequest(e, request)
	if err != nil {
		return err
	}
	var seq int64
	err = r.write(ctx, string(e.Key), 1, func(tx *sql.Tx, next int64) error {
		seq = next
		_, err := tx.ExecContext(ctx, `INSERT INTO event (run, seq, key, kind, state, epoch, started, took, request_sha, request_base, request_same, request_size, request,
			outcome_sha, outcome_size, outcome, failure, copied, reserved_steps, reserved_searches, reserved_reads, reserved_tokens, reserved_millis, reserved_usd,
			spent_steps, spent_searches, spent_reads, spent_tokens, spent_millis, spent_usd)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30)`,
			r.info.ID, seq, e.Key, e.Kind, rec.state, r.info.Epoch, r.j.now(), rec.took, rec.requestSHA, p.base, p.same, len(request), p.packed,
			rec.outcomeSHA, rec.outcomeSize, rec.packed, rec.failure, rec.copied,
			rec.reserved.Steps, rec.reserved.Searches, rec.reserved.Reads, rec.reserved.Tokens, rec.reserved.Millis, rec.reserved.MicroUSD,
			rec.spent.Steps, rec.spent.Searches, rec.spent.Reads, rec.spent.Tokens, rec.spent.Millis, rec.spent.MicroUSD)
		return err
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	rec.seq = seq
	r.recorded[place{e.Key, e.Kind}] = rec
	r.steps[e.Key.step()] = true
	r.mu.Unlock()
	if e.Kind == "model" {
		r.remember(e.Key, seq, request)
	}
	return nil
}

// write runs one fenced transaction: the notes that wait, and then f, which gets the first of n sequence numbers. Those who
// watch are woken.
func (r *Run) write(ctx context.Context, what string, n int, f func(tx *sql.Tx, seq int64) error) error {
	notes := r.takeNotes()
	err := r.j.db.Tx(ctx, func(tx *sql.Tx) error {
		seq, err := r.fence(ctx, tx, len(notes)+n)
		if err != nil {
			return err
		}
		for _, note := range notes {
			if err := r.insertNote(ctx, tx, seq, note); err != nil {
				return err
			}
			seq++
		}
		return f(tx, seq)
	})
	if err != nil {
		r.giveBack(notes)
		return fmt.Errorf("journal: run %s: recording %s: %w", r.info.ID, what, err)
	}
	r.j.wake.all()
	return nil
}
