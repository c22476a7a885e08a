package eval

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ibid/agent"
	"ibid/audit/claim"
	"ibid/audit/judge"
	"ibid/budget"
	"ibid/evidence"
	"ibid/llm"
)

// An Asker puts pairs to a judge, within a budget, and asks nothing twice. It is safe for concurrent use.
type Asker struct {
	Judge  judge.Judge
	Model  llm.Model
	Price  func(llm.Usage) int64 // of a call, in millionths of a dollar; nil: not known
	Ledger *budget.Ledger
	Kept   *judge.Kept                                // what was said before; nil: nothing is kept
	Sleep  func(context.Context, time.Duration) error // before the next attempt; nil: in real time

	silent atomic.Int32 // pairs in a row that brought no answer

	mu      sync.Mutex
	settled chan struct{} // closed when a call is settled; nil while none is under way
	calls   int           // under way
}

const (
	attempts   = 4
	answerWait = 60 * time.Second // for one answer
	maxPause   = time.Minute      // that is waited before another attempt
	maxSilent  = 8                // pairs in a row without an answer before it is no use to go on
)

// errUnjudged says that a pair cannot be put to a judge, or that this one brought no answer.
var errUnjudged = errors.New("no answer")

// Ask asks about q. errUnjudged leaves this pair out; any other error means that there is no use in going on: the budget is
// spent, the key is refused, nobody answers.
func (a *Asker) Ask(ctx context.Context, q claim.Question) (evidence.Ruling, error) {
	if !judge.Fits(q) {
		return evidence.Ruling{}, fmt.Errorf("the pair is empty or too long for a judge: %w", errUnjudged)
	}
	r := a.Judge.Request(q)
	body, err := a.Model.Encode(r)
	if err != nil {
		return evidence.Ruling{}, err
	}
	if kept, ok := a.Kept.Get(ctx, a.Judge, q.ID(), body); ok {
		return kept, nil
	}
	answer, err := a.exchange(ctx, r)
	if err != nil {
		return evidence.Ruling{}, err
	}
	out := a.Judge.Ruling(q, answer)
	a.Kept.Put(ctx, a.Judge, body, out)
	return out, nil
}

// exchange makes one call, tried again where that may help; each attempt is paid from the budget by itself.
func (a *Asker) exchange(ctx context.Context, r llm.Request) (llm.Response, error) {
	loop := agent.Loop{Model: a.Model, Price: a.Price}
	effect, err := loop.Aside("judge", "", r, answerWait)
	if err != nil {
		return llm.Response{}, err
	}
	pause := time.Second
	for try := 1; ; try++ {
		if a.silent.Load() >= maxSilent { // found out by others, while this pair was begun or waited
			return llm.Response{}, fmt.Errorf("%s does not answer", a.Judge.Model)
		}
		hold, err := a.reserve(effect.Cost)
		if err != nil {
			return llm.Response{}, err
		}
		body, spent, err := effect.Run(ctx)
		a.settle(hold, spent)
		if err == nil {
			a.silent.Store(0)
			answer, broken := a.Model.Decode(body)
			if broken != nil {
				answer = llm.Response{} // no verdict
			}
			return answer, nil
		}
		var cause *llm.Error
		switch {
		case ctx.Err() != nil:
			return llm.Response{}, context.Cause(ctx)
		case !errors.As(err, &cause), cause.Kind == llm.TooLong:
			return llm.Response{}, fmt.Errorf("%w: %w", errUnjudged, err)
		case !cause.Retryable():
			return llm.Response{}, err
		case try == attempts || cause.RetryAfter > maxPause:
			if a.silent.Add(1) >= maxSilent {
				return llm.Response{}, fmt.Errorf("%s does not answer: %w", a.Judge.Model, err)
			}
			return llm.Response{}, fmt.Errorf("%w: %w", errUnjudged, err)
		}
		if err := a.sleep(ctx, max(pause, cause.RetryAfter)); err != nil {
			return llm.Response{}, err
		}
		pause *= 2
	}
}

// reserve takes the worst case of a call from the budget. What does not fit waits for the calls under way, which mostly cost
// less than was reserved for them.
func (a *Asker) reserve(cost budget.Amount) (*budget.Hold, error) {
	for {
		a.mu.Lock()
		hold, err := a.Ledger.Reserve(cost)
		if err == nil {
			if a.calls++; a.settled == nil {
				a.settled = make(chan struct{})
			}
		}
		wait := a.settled
		a.mu.Unlock()
		if err == nil || wait == nil {
			return hold, err
		}
		<-wait
	}
}

// settle books what a call has cost, and wakes those that wait for it.
func (a *Asker) settle(hold *budget.Hold, spent budget.Amount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	hold.Settle(spent)
	close(a.settled)
	if a.settled = nil; a.calls > 1 {
		a.settled = make(chan struct{})
	}
	a.calls--
}

func (a *Asker) sleep(ctx context.Context, d time.Duration) error {
	if a.Sleep != nil {
		return a.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
