package agent

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"ibid/budget"
	"ibid/journal"
	"ibid/llm"
)

// ModelError is a model call that failed for good.
type ModelError struct {
	Model string
	Err   error
}

func (e *ModelError) Error() string {
	return fmt.Sprintf("model %s: no answer: %v", e.Model, e.Err)
}

func (e *ModelError) Unwrap() error { return e.Err }

// Cause is the typed error of the call, or nil where there is only a text. A recorded failure is its text, from which the
// same cause is read again.
func (e *ModelError) Cause() *llm.Error {
	var typed *llm.Error
	if errors.As(e.Err, &typed) {
		return typed
	}
	return llm.ParseError(e.Err.Error())
}

// again says whether another attempt may help, and after how long. Who says how long to wait is waited for, up to
// longestPause; otherwise pauses double, and each is longer by a share that differs between runs, so that many runs which
// were refused together do not come back together. The share is drawn from the call's key: a replay has the same.
func (r *looping) again(e *ModelError, name string, try int) (pause time.Duration, retry bool) {
	cause := e.Cause()
	if cause != nil && (!cause.Retryable() || cause.RetryAfter > longestPause) {
		return 0, false
	}
	pause = r.Backoff
	if pause == 0 {
		pause = time.Second
	}
	pause <<= try - 1
	if cause != nil && cause.RetryAfter > 0 {
		pause = cause.RetryAfter
	}
	h := fnv.New32a()
	at := fmt.Sprint("pause.", try)
	if name != "model" {
		at = name + "." + at
	}
	h.Write([]byte(r.idempotencyKey(r.key(at))))
	return pause + pause/2*time.Duration(h.Sum32()%1000)/1000, true
}

// longestPause bounds a Retry-After that is still waited for.
const longestPause = time.Minute

// An asking is one request to the model, but for how often it is tried.
type asking struct {
	messages  []llm.Message
	choice    llm.Choice
	maxTokens int
	name      string // of its journal key
}

// answerTokens is the longest answer that is asked for.
func (l *Loop) answerTokens() int {
	if l.MaxTokens == 0 {
		return 4096
	}
	return l.MaxTokens
}

// call makes the step's model call and appends the answer to the history.
func (r *looping) call(ctx context.Context, choice llm.Choice) (llm.Response, error) {
	resp, err := r.exchange(ctx, asking{r.view(r.history), choice, r.answerTokens(), "model"})
	if err == nil {
		fillIDs(&resp, r.step)
		r.say(llm.Message{Role: llm.Assistant, Blocks: nonEmpty(resp.Blocks)})
	}
	return resp, err
}

// exchange makes a model call. One that fails is tried again, each time under a key, a reservation and a journal entry of its
// own.
func (r *looping) exchange(ctx context.Context, a asking) (llm.Response, error) {
	attempts := r.Attempts
	if attempts == 0 {
		attempts = 4
	}
	first := a.name
	for try := 1; ; try++ {
		if try > 1 {
			a.name = fmt.Sprintf("%s.%d", first, try)
		}
		resp, err := r.attempt(ctx, a)
		var over *budget.Exhausted
		var failed *ModelError
		switch {
		case err == nil:
			return resp, nil
		case errors.As(err, &over), !errors.As(err, &failed), try == attempts, ctx.Err() != nil, outOfTime(err):
			return resp, err
		}
		pause, retry := r.again(failed, first, try)
		if !retry || pause.Milliseconds() >= r.Ledger.LeftClosing().Millis {
			return resp, err
		}
		r.observe(Event{Kind: Retrying, Text: fmt.Sprintf("%v; trying again in %.1f s", failed.Err, pause.Seconds()), Error: true})
		if err := r.wait(ctx, pause); err != nil {
			return resp, err
		}
	}
}

// outOfTime says whether the budget's own clock ended a call; there is nothing left to try again with. It goes by the
// text, which is all that a recorded failure keeps.
func outOfTime(err error) bool {
	return err != nil && strings.Contains(err.Error(), errOutOfTime.Error())
}

var errOutOfTime = errors.New("the run's seconds ran out during the call")

// wait backs off before the next attempt. The time counts; it is not waited again where the attempt was served from the
// record.
func (r *looping) wait(ctx context.Context, pause time.Duration) error {
	r.Ledger.Charge(budget.Amount{Millis: pause.Milliseconds()})
	if r.served {
		return nil
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// attempt reserves, sends and decodes one model call.
func (r *looping) attempt(ctx context.Context, a asking) (llm.Response, error) {
	choice := a.choice
	req := llm.Request{Model: r.Model.Name(), System: r.System, Tools: r.specs, Choice: choice, Messages: a.messages, MaxTokens: a.maxTokens}
	body, err := r.Model.Encode(req)
	if err != nil {
		return llm.Response{}, &ModelError{r.Model.Name(), err}
	}
	for !r.affords(body, req.MaxTokens, choice) && req.MaxTokens/2 >= shortestAnswer { // a shorter answer may still be paid for
		req.MaxTokens /= 2
		if body, err = r.Model.Encode(req); err != nil {
			return llm.Response{}, &ModelError{r.Model.Name(), err}
		}
	}
	hold, left, err := r.reserve(body, req.MaxTokens, choice)
	if err != nil {
		var over *budget.Exhausted
		if errors.As(err, &over) {
			r.observe(Event{Kind: OverBudget, Text: err.Error()})
		}
		return llm.Response{}, err
	}
	key := r.key(a.name)
	r.observe(Event{Kind: BeforeModel, Key: string(key)})
	worst := hold.Amount()
	effect := journal.Effect{Key: key, Kind: "model", Hold: hold, Ledger: r.Ledger}
	if r.Awaits {
		effect.Hold = nil // no intent is written
		defer hold.Release()
	}
	var resp llm.Response
	done, err := journal.Do(ctx, r.Record, effect, body,
		func(ctx context.Context) ([]byte, budget.Amount, error) {
			ctx, cancel := context.WithTimeoutCause(ctx, left, errOutOfTime)
			defer cancel()
			out, err := r.Model.Send(ctx, body, r.idempotencyKey(key))
			if err != nil {
				if errors.Is(context.Cause(ctx), errOutOfTime) {
					err = errOutOfTime
				}
				return nil, r.failedCost(err, worst), err
			}
			answer, err := r.Model.Decode(out)
			if err != nil {
				return out, worst, nil // it was paid for; the decode below says what is wrong with it
			}
			return out, r.spent(answer.Usage, worst), nil
		})
	r.Ledger.Charge(budget.Amount{Millis: done.Took.Milliseconds()})
	r.served = done.Recorded
	if r.Awaits && err == nil {
		hold.Settle(worst)
	}
	if err != nil {
		if failure := (*journal.Failure)(nil); errors.As(err, &failure) {
			r.guessed = r.guessed || !r.Free && lostAnswer(err)
			return llm.Response{}, &ModelError{r.Model.Name(), err}
		}
		return llm.Response{}, err
	}
	resp, err = r.Model.Decode(done.Value)
	r.guessed = r.guessed || !r.Free && (err != nil || !resp.Usage.Known)
	if err != nil {
		return llm.Response{}, &ModelError{r.Model.Name(), err}
	}
	resp = llm.OffWire(r.specs, resp)
	if r.memory != nil {
		r.memory.learn(countedAll(a.messages), resp.Usage)
	}
	r.observe(Event{Kind: AfterModel, Key: string(key), Text: resp.Text(), Took: done.Took, Spent: r.spent(resp.Usage, worst),
		Model: r.Model.Name(), Usage: &resp.Usage, Recorded: done.Recorded})
	return resp, nil
}

// shortestAnswer is the fewest tokens that an answer is asked for with; less would cut it.
const shortestAnswer = 1024

// reserve holds the worst case of a call. It returns the time that the call may take. An ordinary call is refused where it
// could leave too little for an answer from what is known before it (law 3).
func (r *looping) reserve(body []byte, maxTokens int, choice llm.Choice) (*budget.Hold, time.Duration, error) {
	if choice == llm.ChoiceNone {
		left := r.Ledger.LeftClosing()
		hold, err := r.Ledger.ReserveClosing(r.worst(len(body), maxTokens))
		return hold, time.Duration(max(left.Millis, 1)) * time.Millisecond, err
	}
	left := r.Ledger.Left()
	hold, err := r.Ledger.Reserve(r.worst(len(body), maxTokens))
	if err != nil {
		return nil, 0, err
	}
	answer, err := r.Ledger.ReserveClosing(r.closingWorst(body))
	if err != nil {
		hold.Release()
		return nil, 0, err
	}
	answer.Release()
	return hold, time.Duration(left.Millis) * time.Millisecond, nil
}

// affords says whether tokens and dollars allow for the worst case of a call, and of the answer after it.
func (r *looping) affords(body []byte, maxTokens int, choice llm.Choice) bool {
	worst, all := r.worst(len(body), maxTokens), r.Ledger.LeftClosing()
	if choice == llm.ChoiceNone {
		return worst.Tokens <= all.Tokens && worst.MicroUSD <= all.MicroUSD
	}
	left, both := r.Ledger.Left(), worst.Add(r.closingWorst(body))
	return worst.Tokens <= left.Tokens && worst.MicroUSD <= left.MicroUSD && both.Tokens <= all.Tokens && both.MicroUSD <= all.MicroUSD
}

// closingWorst is the worst case of a request for the answer after a request that had this body.
func (r *looping) closingWorst(body []byte) budget.Amount {
	return r.worst(len(body)+len(r.Texts.closing(StopStalled))+closingRoom, shortestAnswer)
}

// closingRoom is what a request for the answer has in bytes besides the history and the closing text.
const closingRoom = 512

// worst is the most that a call of so many bytes and tokens costs: three bytes to a token is more than tokenizers make of
// text, and all of them may be written to a cache, which some charge more for.
func (l *Loop) worst(bytes, maxTokens int) budget.Amount {
	a := budget.Amount{Steps: 1}
	if l.Free {
		return a
	}
	in, out := int64(bytes/3), int64(maxTokens)
	a.Tokens = in + out
	if l.Price != nil {
		a.MicroUSD = max(l.Price(llm.Usage{In: in, Out: out, Known: true}), l.Price(llm.Usage{CacheWrite: in, Out: out, Known: true}))
	}
	return a
}

// spent is what a call cost: its real usage, or all that was reserved when the provider does not say (unknown is not
// zero).
func (l *Loop) spent(u llm.Usage, worst budget.Amount) budget.Amount {
	if !u.Known {
		return worst
	}
	a := budget.Amount{Steps: 1, Tokens: u.Total()}
	if l.Price != nil {
		a.MicroUSD = l.Price(u)
	}
	return a
}

// failedCost is what an attempt without an answer costs: a step where the provider refused it, and all that was reserved
// where the answer may have been made and was lost on its way.
func (l *Loop) failedCost(err error, worst budget.Amount) budget.Amount {
	if lostAnswer(err) {
		return worst
	}
	return budget.Amount{Steps: 1}
}

// lostAnswer says whether an answer may have been made, and paid for, that did not arrive: the connection broke, or we
// hung up.
func lostAnswer(err error) bool {
	cause := (&ModelError{Err: err}).Cause()
	return outOfTime(err) || cause != nil && (cause.Kind == llm.Network || cause.Kind == llm.Malformed)
}

func (r *looping) idempotencyKey(key journal.Key) string {
	if r.Record == nil {
		return string(key)
	}
	return journal.IdempotencyKey(r.Record, key)
}

// fillIDs gives calls without an id, or with one that an earlier call of the answer has, an id of their own, so that
// each can be answered.
func fillIDs(resp *llm.Response, step int) {
	seen := map[string]bool{}
	n := 0
	for i, b := range resp.Blocks {
		if b.Call == nil {
			continue
		}
		n++
		if b.Call.ID == "" || seen[b.Call.ID] {
			call := *b.Call
			call.ID = fmt.Sprintf("call_%d_%d", step, n)
			resp.Blocks[i].Call = &call
		}
		seen[resp.Blocks[i].Call.ID] = true
	}
}

// nonEmpty drops empty text blocks: providers refuse a history that holds them.
func nonEmpty(blocks []llm.Block) []llm.Block {
	kept := make([]llm.Block, 0, len(blocks))
	for _, b := range blocks {
		if b.Text != "" || b.Call != nil || b.Result != nil || b.Raw != nil {
			kept = append(kept, b)
		}
	}
	if len(kept) == 0 {
		kept = append(kept, llm.Block{Text: "(no answer)"})
	}
	return kept
}
