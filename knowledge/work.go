package knowledge

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"ibid/budget"
	"ibid/evidence"
)

// errFenced says that this worker no longer holds the queue: it was silent for too long.
var errFenced = errors.New("the lease on the queue is lost")

// errDone says that somebody else has absorbed a snippet meanwhile.
var errDone = errors.New("it is absorbed")

// A Toll is what absorbing came to.
type Toll struct {
	Snippets int64         `json:"snippets"`
	Spent    budget.Amount `json:"spent"`
}

// Work absorbs what waits in a dataset's queue, in order, and returns when the queue is empty. One worker does it at a time,
// in all processes: another is *Busy. What it has not done when it ends, however that is, the next one does. A dataset that is
// not there has nothing to do.
func (b *Base) Work(ctx context.Context, user, dataset string) (t Toll, err error) {
	return b.work(ctx, user, dataset, b.extractor)
}

// WorkFree is Work up to the first snippet that wants a model: what it absorbs costs nothing.
func (b *Base) WorkFree(ctx context.Context, user, dataset string) (Toll, error) {
	return b.work(ctx, user, dataset, func(s *stored) (Extractor, string) {
		if s.Model != "" {
			return nil, ""
		}
		return Rules{}, ""
	})
}

// work is Work with what reads a snippet; it ends where nothing does.
func (b *Base) work(ctx context.Context, user, dataset string, reader func(*stored) (Extractor, string)) (t Toll, err error) {
	id, err := find(ctx, b.DB, user, dataset)
	if errors.Is(err, ErrNotFound) {
		return t, nil
	}
	if err != nil {
		return t, fmt.Errorf("knowledge: the queue of %s: %w", dataset, err)
	}
	var waits bool
	if err := b.DB.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM kb_snippet WHERE dataset = $1 AND state = 'queued')`, id).Scan(&waits); err != nil || !waits {
		return t, err
	}
	epoch, err := b.claim(ctx, id, dataset)
	if err != nil {
		return t, err
	}
	ctx, beat := b.hold(ctx, id, epoch)
	defer beat()
	for {
		list, err := snippets(ctx, b.DB, id, `seq = (SELECT MIN(seq) FROM kb_snippet WHERE dataset = $1 AND state = 'queued')`)
		if err != nil || len(list) == 0 {
			return t, errors.Join(err, b.release(id, epoch))
		}
		x, why := reader(&list[0])
		if x == nil {
			return t, b.release(id, epoch)
		}
		done, spent, err := b.absorb(ctx, id, &list[0], x, why, epoch)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return t, errors.Join(fmt.Errorf("knowledge: absorbing snippet %d of %s: %w", list[0].Seq, dataset, err), b.release(id, epoch))
		}
		if t.Spent = t.Spent.Add(spent); done {
			t.Snippets++
		}
	}
}

// Wait returns when snippets of a dataset are absorbed: it works on the queue itself, or waits for who does.
func (b *Base) Wait(ctx context.Context, user, dataset string, seqs []int64) (t Toll, err error) {
	return b.wait(ctx, user, dataset, seqs, b.extractor)
}

// WaitWith is Wait for a caller who has an extractor for some of the snippets: it gets their numbers, and returns nil for the
// others.
func (b *Base) WaitWith(ctx context.Context, user, dataset string, seqs []int64, of func(seq int64) Extractor) (Toll, error) {
	return b.wait(ctx, user, dataset, seqs, func(s *stored) (Extractor, string) {
		if x := of(s.Seq); x != nil {
			return x, ""
		}
		return b.extractor(s)
	})
}

func (b *Base) wait(ctx context.Context, user, dataset string, seqs []int64, reader func(*stored) (Extractor, string)) (t Toll, err error) {
	for {
		done, err := b.absorbed(ctx, user, dataset, seqs)
		if err != nil || done {
			return t, err
		}
		more, err := b.work(ctx, user, dataset, reader)
		t.Snippets, t.Spent = t.Snippets+more.Snippets, t.Spent.Add(more.Spent)
		var busy *Busy
		if err != nil && !errors.As(err, &busy) && !errors.Is(err, errFenced) {
			return t, err
		}
		if err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return t, context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (b *Base) absorbed(ctx context.Context, user, dataset string, seqs []int64) (bool, error) {
	id, err := find(ctx, b.DB, user, dataset)
	if errors.Is(err, ErrNotFound) {
		return true, nil // deleted meanwhile, or nothing was ever there
	}
	if err != nil {
		return false, err
	}
	for _, seq := range seqs {
		var waits bool
		if err := b.DB.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM kb_snippet WHERE dataset = $1 AND seq = $2 AND state = 'queued')`, id, seq).Scan(&waits); err != nil || waits {
			return false, err
		}
	}
	return true, nil
}

// Absorb absorbs one snippet at once, whatever waits before it. x draws the facts; nil: who the snippet wants. One that is
// absorbed stays as it is.
func (b *Base) Absorb(ctx context.Context, user, dataset string, seq int64, x Extractor) (r Receipt, spent budget.Amount, err error) {
	fail := func(err error) (Receipt, budget.Amount, error) {
		return r, spent, fmt.Errorf("knowledge: absorbing snippet %d of %s: %w", seq, dataset, err)
	}
	id, err := find(ctx, b.DB, user, dataset)
	if err != nil {
		return fail(err)
	}
	one := func() (*stored, error) {
		list, err := snippets(ctx, b.DB, id, `seq = $2`, seq)
		if err == nil && len(list) == 0 {
			err = ErrNotFound
		}
		if err != nil {
			return nil, err
		}
		return &list[0], nil
	}
	s, err := one()
	if err != nil {
		return fail(err)
	}
	if s.State == queued {
		why := ""
		if x == nil {
			x, why = b.extractor(s)
		}
		if _, spent, err = b.absorb(ctx, id, s, x, why, 0); err != nil {
			return fail(err)
		}
		if s, err = one(); err != nil {
			return fail(err)
		}
	}
	return Receipt{Snippet: seq, Absorbed: s.State != queued, Facts: s.Facts}, spent, nil
}

const queued = "queued"

// extractor is who is to read a snippet: the model that it names, or rules, and why those if it names one.
func (b *Base) extractor(s *stored) (Extractor, string) {
	if s.Model == "" {
		return Rules{}, ""
	}
	if b.Open == nil {
		return Rules{}, "there is no model " + s.Model + " here"
	}
	x, err := b.Open(s.Model)
	if err != nil {
		return Rules{}, err.Error()
	}
	return x, ""
}

// absorb draws the facts of a snippet and merges them, in one transaction with its state: it is absorbed with all its facts, or
// not at all, and once. done is false where somebody else has. epoch is the worker's; 0: it holds no lease.
func (b *Base) absorb(ctx context.Context, id string, s *stored, x Extractor, why string, epoch int64) (done bool, spent budget.Amount, err error) {
	facts, by, spent, err := x.Extract(ctx, s.snippet())
	if ctx.Err() != nil {
		return false, spent, context.Cause(ctx)
	}
	if err != nil { // nothing is lost for a model that does not answer
		why = err.Error()
		facts, by = byRule(s.Text), rulesID
	}
	facts = once(facts)
	list, err := b.placed(ctx, id, s, facts)
	if err != nil {
		return false, spent, err
	}
	err = b.DB.Tx(ctx, func(tx *sql.Tx) error {
		done = false
		now := b.DB.Now().UnixMilli()
		fence, args := ``, []any{id}
		if epoch > 0 {
			fence, args = ` AND epoch = $2 AND lease_until > $3`, append(args, epoch, now)
		}
		if n, err := affected(tx.ExecContext(ctx, `UPDATE kb_dataset SET version = version + 1 WHERE id = $1`+fence, args...)); err != nil {
			return err
		} else if n == 0 {
			return errFenced
		}
		n, err := affected(tx.ExecContext(ctx, `UPDATE kb_snippet SET state = 'absorbed', absorbed = $3, failure = $4, facts = $5, spent_tokens = $6, spent_usd = $7, done = $8
			WHERE dataset = $1 AND seq = $2 AND state = 'queued'`, id, s.Seq, by, clip(plain(why), 1000), len(list), spent.Tokens, spent.MicroUSD, now))
		if err == nil && n == 0 {
			err = errDone
		}
		if err != nil {
			return err
		}
		done = true
		return merge(ctx, tx, id, s, list, now)
	})
	if errors.Is(err, errDone) {
		err = nil
	}
	return done, spent, err
}

func affected(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// snippet is what an extractor sees.
func (s *stored) snippet() Snippet {
	at, err := evidence.ParseLocator(s.Locator)
	if err != nil {
		at = evidence.Locator{}
	}
	return Snippet{Text: s.Text, Claim: s.Claim, Label: s.Label, URL: s.URL, Title: s.Title, Span: at, Run: s.Run, Model: s.Model}
}
