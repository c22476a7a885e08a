package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ibid/budget"
	"ibid/gate"
	"ibid/journal"
	"ibid/llm"
	"ibid/store"
)

// maxAside bounds an answer outside of the conversation, in bytes. What is longer is no answer, and is not kept.
const maxAside = 1 << 20

// Aside makes an effect of one exchange with the loop's model outside of any conversation, so that a tool may ask a model:
// like any effect it is gated, reserved at its worst case, settled by its usage and journaled. It is no step, and is not
// tried again. Its outcome is the answer as it was received, for the model's Decode. run is what it belongs to, for its
// idempotency key; within is how long it may take.
func (l *Loop) Aside(kind, run string, r llm.Request, within time.Duration) (Effect, error) {
	body, err := l.Model.Encode(r)
	if err != nil {
		return Effect{}, &ModelError{l.Model.Name(), err}
	}
	worst := l.worst(len(body), r.MaxTokens)
	worst.Steps = 0
	key := store.Hash([]byte(run + "\x00" + string(body)))[:32]
	return Effect{Kind: kind, Input: json.RawMessage(body), Cost: worst, Run: func(ctx context.Context) ([]byte, budget.Amount, error) {
		silence := &llm.Error{Kind: llm.Network, Message: fmt.Sprintf("no answer within %.1f s", within.Seconds())}
		ctx, cancel := context.WithTimeoutCause(ctx, within, silence)
		defer cancel()
		out, err := l.Model.Send(ctx, body, key)
		if err == nil && len(out) > maxAside {
			err = &llm.Error{Kind: llm.Malformed, Message: fmt.Sprintf("the answer has %d bytes; %d is the limit", len(out), maxAside)}
		}
		if err != nil {
			spent := l.failedCost(err, worst)
			if ctx.Err() != nil { // we hung up: it may have been answered
				spent = worst
			}
			if errors.Is(context.Cause(ctx), silence) {
				err = silence
			}
			spent.Steps = 0
			return nil, spent, err
		}
		spent := worst // it was paid for, whatever it is
		if answer, broken := l.Model.Decode(out); broken == nil {
			spent = l.spent(answer.Usage, worst)
		}
		spent.Steps = 0
		return out, spent, nil
	}}, nil
}

// Perform performs effects that no call of the model asked for, side by side, as those of a call are: key/kind.0,
// key/kind.1 … in the journal. An error is the journal's, or gate.ErrPending when a person must decide first.
func (s *Session) Perform(ctx context.Context, key journal.Key, effects []Effect) ([]Outcome, error) {
	if len(effects) == 0 {
		return nil, nil
	}
	r := &looping{Loop: &Loop{}, Session: s}
	p := &pending{key: key, call: llm.ToolCall{Name: effects[0].Kind}, action: Action{Effects: effects}}
	waits, err := r.clear(ctx, p)
	if waits && err == nil {
		err = gate.ErrPending
	}
	if err == nil {
		err = r.perform(ctx, []*pending{p})
	}
	if err != nil {
		release([]*pending{p})
		return nil, err
	}
	return p.outcomes, nil
}
