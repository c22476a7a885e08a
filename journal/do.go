package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ibid/budget"
	"ibid/store"
)

// Amount is budget.Amount: what an effect reserved and spent.
type Amount = budget.Amount

// A Key is a position in a run: lead/3/tool.1/fetch.0. Its first element is the lane, the agent that acts, and its
// second the step. Positions, not a global count, so that parallel calls replay in any order.
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
	Took     time.Duration // as recorded, in whole milliseconds
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
// returned. []byte values are kept as they are, others as JSON; Do keeps in and what do returned, so neither may be
// changed afterwards. Effects with different keys may be performed at the same time.
//
// An intent without an outcome, from a crash in between, is in doubt: its worst case is charged, and it is performed again
// under the same idempotency key. An error of do is recorded and returned as a *Failure, unless the run itself is being
// cancelled or the error is gate.ErrPending; then nothing is recorded. A request that differs from the recorded one is a
// *Divergence. A nil run records nothing.
func Do[In, Out any](ctx context.Context, run *Run, e Effect, in In, do func(context.Context) (Out, Amount, error)) (Done[Out], error) {
	var d Done[Out]
	perform := func(ctx context.Context) (body []byte, spent Amount, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("%s failed: internal fault: %v", e.Kind, fault)
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
		if e.Hold != nil {
			e.Hold.Settle(spent)
		}
		return d, told(ctx, err)
	}
	request, err := jsonBytes(in)
	if err != nil {
		return d, fmt.Errorf("journal: the request of %s: %w", e.Key, err)
	}
	o, err := run.do(ctx, e, request, perform)
	d.Took, d.Recorded = time.Duration(o.took)*time.Millisecond, o.recorded
	if err == nil {
		if err = decode(o.body, &d.Value); err != nil {
			err = fmt.Errorf("journal: the outcome of %s: %w", e.Key, err)
		}
	}
	return d, err
}

// jsonBytes is json.Marshal without HTML escaping; []byte and RawMessage stand for themselves.
func jsonBytes(v any) ([]byte, error) {
	switch b := v.(type) {
	case []byte:
		return b, nil
	case json.RawMessage:
		return b, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// decode is the way back. Numbers of no known type keep all their digits; no bytes are nil.
func decode(body []byte, out any) error {
	if len(body) == 0 {
		body = nil
	}
	switch p := out.(type) {
	case *[]byte:
		*p = body
		return nil
	case *json.RawMessage:
		*p = body
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return d.Decode(out)
}

// told is what Do returns for an effect's error.
func told(ctx context.Context, err error) error {
	switch {
	case err == nil, pending(err):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return &Failure{err.Error()}
}

// IdempotencyKey is the same for every attempt at one effect of one run, and for no other.
func IdempotencyKey(r *Run, k Key) string {
	return store.Hash([]byte(r.info.ID + "\x00" + string(k)))[:32]
}

// outcome is what do gives back.
type outcome struct {
	body     []byte
	took     int64
	recorded bool
}

// do is Do over bytes.
func (r *Run) do(ctx context.Context, e Effect, request []byte, perform func(context.Context) ([]byte, Amount, error)) (outcome, error) {
	if e.Hold != nil {
		defer e.Hold.Release() // whatever was not settled below was not spent
	}
	if err := r.Err(); err != nil {
		return outcome{}, err
	}
	if e.Key == "" || e.Kind == "" {
		return outcome{}, fmt.Errorf("journal: an effect without a key or a kind: %q, %q", e.Key, e.Kind)
	}
	request = r.j.redact.bytes(request)
	sha := store.Hash(request)
	rec := r.meet(place{e.Key, e.Kind})
	if rec != nil && rec.requestSHA != sha {
		return outcome{}, r.requestDiffers(ctx, e, rec, request)
	}
	if rec != nil && rec.state != intent {
		return r.serve(e, rec, sha, request)
	}
	if r.replay {
		return outcome{}, r.diverge(&Divergence{Run: r.info.ID, Key: e.Key, Kind: e.Kind, Reason: "nothing is recorded for it"})
	}
	if rec == nil {
		if o, found, err := r.copy(ctx, e, sha, request); found || err != nil {
			return o, err
		}
	}
	if err := r.enter(ctx); err != nil {
		return outcome{}, err
	}
	defer r.exit()
	rec, err := r.begin(ctx, e, rec, sha, request)
	if err != nil {
		return outcome{}, err
	}
	began := r.j.options.Now()
	body, spent, err := perform(ctx)
	took := r.j.options.Now().Sub(began)
	if err != nil && (pending(err) || ctx.Err() != nil) {
		if e.Hold != nil && !pending(err) {
			e.Hold.Settle(e.Hold.Amount()) // in doubt: perhaps it was paid for
		}
		return outcome{}, told(ctx, err)
	}
	if e.Hold != nil {
		e.Hold.Settle(spent)
	}
	if len(body) > store.MaxBody {
		err = fmt.Errorf("the outcome has %d bytes; %d is the limit", len(body), store.MaxBody)
	}
	rec.took, rec.spent = took.Milliseconds(), spent
	body = r.j.redact.bytes(body)
	if err != nil {
		body = nil
		rec.state, rec.failure = failed, r.j.redact.text(err.Error())
	} else {
		rec.state = done
	}
	if err := r.conclude(ctx, e, rec, request, body); err != nil {
		return outcome{took: rec.took}, err
	}
	return outcome{body: body, took: rec.took}, rec.failed()
}

// serve gives a recorded outcome again: what it cost is booked, and nothing is spent.
func (r *Run) serve(e Effect, rec *record, sha string, request []byte) (outcome, error) {
	if !r.replay {
		r.remember(e, rec, request)
		if rec.copied != "" {
			r.take(e, sha) // so that the next request of the same kind gets the parent's next outcome
		}
	}
	if e.Hold != nil {
		e.Hold.Settle(rec.spent)
	}
	if e.Ledger != nil && rec.doubts > 0 {
		e.Ledger.Charge(times(rec.reserved, rec.doubts))
	}
	o := outcome{took: rec.took, recorded: true}
	if err := rec.failed(); err != nil {
		return o, err
	}
	body, err := rec.body()
	if err != nil {
		return o, fmt.Errorf("journal: the outcome of %s: %w", e.Key, err)
	}
	o.body = body
	return o, nil
}

func times(a Amount, n int64) Amount {
	return Amount{Steps: a.Steps * n, Searches: a.Searches * n, Reads: a.Reads * n, Tokens: a.Tokens * n, Millis: a.Millis * n, MicroUSD: a.MicroUSD * n}
}
