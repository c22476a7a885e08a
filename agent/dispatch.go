package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ibid/budget"
	"ibid/gate"
	"ibid/journal"
	"ibid/llm"
)

// pending is one call on its way through a step.
type pending struct {
	call     llm.ToolCall
	key      journal.Key
	action   Action
	outcomes []Outcome
	holds    []*budget.Hold
	carved   []*budget.Child
	cost     budget.Amount // reserved for it, for the budget line
	result   *Result       // set when the call was settled before its effects
	repeated bool          // refused by the loop guard
	unusable bool          // no tool could be asked: unknown name, or arguments that are no JSON object
}

// dispatch runs the calls of one step and returns a result for each, in the order asked. Nothing that a tool does can
// fail the run (LOOP-4); an error here is the journal's, or gate.ErrPending when a person must decide first.
func (r *looping) dispatch(ctx context.Context, calls []llm.ToolCall, cut bool) ([]llm.Block, error) {
	if len(calls) == 0 {
		return []llm.Block{{Text: "Your answer was cut off before it ended. Say it again, shorter, or call one tool at a time."}}, nil
	}
	batch := make([]*pending, len(calls))
	parked := false
	for i, c := range calls {
		p := &pending{call: c, key: r.key(fmt.Sprintf("tool.%d", i))}
		batch[i] = p
		if cut {
			p.refuse("This call was not run: your answer was cut off at its length limit, so its arguments may be incomplete. Send it again, with less around it.")
			continue
		}
		r.observe(Event{Kind: BeforeTool, Key: string(p.key), Tool: c.Name, Text: c.Args, Recorded: r.onRecord(p)})
		r.admit(p)
		waits, err := r.clear(ctx, p)
		if err != nil {
			release(batch[:i+1])
			return nil, err
		}
		parked = parked || waits
	}
	if parked {
		release(batch)
		return nil, gate.ErrPending
	}
	r.guard.turn(!slices.ContainsFunc(batch, func(p *pending) bool { return !p.unusable }))
	if err := r.perform(ctx, batch); err != nil {
		return nil, err
	}
	blocks := make([]llm.Block, len(batch))
	for i, p := range batch {
		result := r.conclude(p)
		if result.Fault != nil {
			return nil, result.Fault
		}
		if err := r.note(p, result); err != nil {
			return nil, err
		}
		blocks[i] = llm.Block{Result: &llm.ToolResult{ID: p.call.ID, Name: p.call.Name, Content: result.Content, IsError: result.IsError}}
	}
	return blocks, nil
}

func (p *pending) refuse(format string, args ...any) {
	p.result = &Result{Content: fmt.Sprintf(format, args...), IsError: true}
}

// admit finds the tool and asks it what the call needs.
func (r *looping) admit(p *pending) {
	defer func() {
		if fault := recover(); fault != nil {
			p.action = Action{}
			p.refuse("The tool %s failed on these arguments. Try others, or another tool.", p.call.Name)
		}
	}()
	tool, ok := r.tools[p.call.Name]
	if !ok {
		names := make([]string, len(r.specs))
		for i, s := range r.specs {
			names[i] = s.Name
		}
		p.unusable = true
		p.refuse("There is no tool %q. The tools are: %s.", p.call.Name, strings.Join(names, ", "))
		return
	}
	if err := Decode(json.RawMessage(p.call.Args), &struct{}{}); err != nil {
		p.unusable = true
		p.refuse("%s", err.Error())
		return
	}
	if n := r.guard.repeated(p.call); n >= r.Guard.repeats() {
		p.repeated = true
		p.refuse("You have made this very call %d times with the same result. It will not change: take a different angle, or answer.", n)
		return
	}
	action, err := tool.Admit(Call{Args: json.RawMessage(p.call.Args), Left: r.Ledger.Left()})
	if err != nil {
		p.refuse("%s", err.Error())
		return
	}
	p.action = action
}

// clear takes a call's effects through the gate and reserves what they may cost, in order. It says whether a person's
// decision is waited for.
func (r *looping) clear(ctx context.Context, p *pending) (waits bool, err error) {
	p.outcomes = make([]Outcome, len(p.action.Effects))
	p.holds = make([]*budget.Hold, len(p.action.Effects))
	for i, e := range p.action.Effects {
		denied, err := r.ask(ctx, p, i, e)
		if errors.Is(err, gate.ErrPending) {
			waits = true
			continue
		}
		if err != nil {
			return false, err
		}
		if denied != nil {
			p.outcomes[i].Err = denied
			continue
		}
		hold, err := r.take(p, e)
		if err != nil {
			p.outcomes[i].Err = err
			r.observe(Event{Kind: OverBudget, Key: string(p.key), Tool: p.call.Name, Text: err.Error()})
			continue
		}
		p.holds[i], p.cost = hold, p.cost.Add(e.Cost)
	}
	return waits, nil
}

// take reserves what an effect may cost, or carves out what it is to have.
func (r *looping) take(p *pending, e Effect) (*budget.Hold, error) {
	if e.Carve == nil {
		return r.Ledger.Reserve(e.Cost)
	}
	child, err := r.Ledger.Carve(e.Carve.Limits, e.Carve.Closing)
	if err != nil {
		return nil, err
	}
	*e.Carve.Child = child
	p.carved, p.cost = append(p.carved, child), p.cost.Add(child.Carved())
	return nil, nil
}

// ask puts an effect to the policy and, when that wants a person, to the approver. The decision is journaled, so it is
// asked for once; what the approver sees is exactly what will be done.
func (r *looping) ask(ctx context.Context, p *pending, i int, e Effect) (*Denied, error) {
	used := r.Used.Add(r.Ledger.Spent()).Add(r.Ledger.Held())
	policy, reason := r.Policy.Check(gate.Action{Kind: e.Kind, URL: e.URL, Mutates: e.Mutates, Reads: used.Reads, MicroUSD: used.MicroUSD})
	if policy == "" {
		policy, reason = e.Policy, e.Why
	}
	if policy == "" {
		return nil, nil
	}
	args, err := json.Marshal(e.Input)
	if err != nil {
		return nil, fmt.Errorf("gate %s: arguments of %s: %w", p.key, p.call.Name, err)
	}
	key := journal.Key(fmt.Sprintf("%s/gate.%d", p.key, i))
	request := gate.Request{Key: string(key), Tool: p.call.Name, Kind: e.Kind, URL: e.URL, Args: args, Policy: policy, Reason: reason}
	if r.Record != nil {
		request.Run = r.Record.ID()
	}
	var decision gate.Decision
	done, err := journal.Do(ctx, r.Record, journal.Effect{Key: key, Kind: "gate"}, request,
		func(ctx context.Context) (gate.Decision, budget.Amount, error) {
			if r.Approver == nil {
				return gate.Decision{By: "nobody", Reason: "no approver is set", Hash: request.Hash()}, budget.Amount{}, nil
			}
			d, err := r.Approver.Decide(ctx, request)
			return d, budget.Amount{}, err
		})
	switch failure := (*journal.Failure)(nil); {
	case errors.As(err, &failure): // fails closed
		decision = gate.Decision{By: "nobody", Reason: "the approver failed: " + failure.Error()}
	case err != nil:
		return nil, err
	default:
		decision = done.Value
	}
	allowed := decision.Allows(request)
	if allowed && decision.Args != nil {
		if err := edit(e, decision.Args); err != nil {
			allowed, decision.Reason = false, err.Error()
		}
	}
	r.observe(Event{Kind: Gated, Key: string(key), Tool: p.call.Name, Text: policy + ": " + reason, Error: !allowed})
	if allowed {
		return nil, nil
	}
	return &Denied{Policy: policy, Reason: decision.Reason, By: decision.By}, nil
}

// edit has an effect take what a person changed.
func edit(e Effect, args json.RawMessage) error {
	if e.Edit == nil {
		return errors.New("it was approved with other arguments than were asked for, and cannot be changed")
	}
	return e.Edit(args)
}

// perform runs the effects of all calls side by side. Their time is that of the slowest.
func (r *looping) perform(ctx context.Context, batch []*pending) error {
	limit := r.Parallel
	if limit == 0 {
		limit = 8
	}
	left := time.Duration(r.Ledger.Left().Millis) * time.Millisecond
	slots := make(chan struct{}, limit)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var fault error
	var slowest time.Duration
	for _, p := range batch {
		for i, e := range p.action.Effects {
			if p.holds[i] == nil {
				continue
			}
			if e.Run == nil {
				p.holds[i].Settle(e.Cost)
				continue
			}
			wg.Add(1)
			go func() {
				defer wg.Done()
				slots <- struct{}{}
				defer func() { <-slots }()
				took, err := r.effect(ctx, p, i, e, left)
				mu.Lock()
				defer mu.Unlock()
				slowest = max(slowest, took)
				if fault == nil {
					fault = err
				}
			}()
		}
	}
	wg.Wait()
	r.Ledger.Charge(budget.Amount{Millis: slowest.Milliseconds()})
	return fault
}

// effect journals and runs one effect, and keeps its outcome. A failure of the effect is an outcome; an error is the
// journal's.
func (r *looping) effect(ctx context.Context, p *pending, i int, e Effect, left time.Duration) (time.Duration, error) {
	key := journal.Key(fmt.Sprintf("%s/%s.%d", p.key, e.Kind, i))
	if e.Look != nil {
		if failure, err := r.look(ctx, key, e, left); failure != nil || err != nil {
			p.holds[i].Settle(budget.Amount{})
			p.outcomes[i].Err = failure
			return 0, err
		}
	}
	done, err := journal.Do(ctx, r.Record, journal.Effect{Key: key, Kind: e.Kind, Hold: p.holds[i], Ledger: r.Ledger}, e.Input,
		func(ctx context.Context) (out []byte, spent budget.Amount, err error) {
			ctx, cancel := context.WithTimeoutCause(ctx, left, errOutOfTime)
			defer cancel()
			out, spent, err = e.Run(ctx)
			if err != nil && errors.Is(context.Cause(ctx), errOutOfTime) {
				err = errOutOfTime
			}
			return out, spent, err
		})
	if failure := (*journal.Failure)(nil); errors.As(err, &failure) {
		p.outcomes[i].Err = failure
		return done.Took, nil
	}
	p.outcomes[i].Body = done.Value
	return done.Took, err
}

// look journals what is there before an effect.
func (r *looping) look(ctx context.Context, key journal.Key, e Effect, left time.Duration) (failure, err error) {
	done, err := journal.Do(ctx, r.Record, journal.Effect{Key: key + "/look", Kind: "look"}, e.Input,
		func(ctx context.Context) ([]byte, budget.Amount, error) {
			ctx, cancel := context.WithTimeoutCause(ctx, left, errOutOfTime)
			defer cancel()
			seen, err := e.Look(ctx)
			return seen, budget.Amount{}, err
		})
	if failed := (*journal.Failure)(nil); errors.As(err, &failed) {
		return failed, nil
	}
	if err == nil {
		e.See(done.Value)
	}
	return nil, err
}

// conclude draws a call's consequences and adds what is left of the budget.
func (r *looping) conclude(p *pending) (result Result) {
	if p.result != nil {
		result = *p.result
	} else {
		func() {
			defer func() {
				if fault := recover(); fault != nil {
					result = Result{Content: "The tool " + p.call.Name + " failed on this result. Try other arguments, or another tool.", IsError: true}
				}
			}()
			result = p.action.Then(p.outcomes)
		}()
	}
	if !p.repeated {
		r.guard.met(p.call, result.Content)
	}
	result.Content += budgetLine(p.cost, r.Ledger.Left())
	return result
}

// onRecord says whether a call was concluded before.
func (r *looping) onRecord(p *pending) bool { return r.Record != nil && r.Record.Holds(p.key, "tool") }

// note records what a call came to: a consequence, compared on replay and not an effect of its own.
func (r *looping) note(p *pending, result Result) error {
	r.observe(Event{Kind: AfterTool, Key: string(p.key), Tool: p.call.Name, Text: result.Content, Error: result.IsError, Spent: p.cost, Recorded: r.onRecord(p)})
	if r.Record == nil {
		return nil
	}
	return r.Record.Note(p.key, "tool", struct {
		Tool    string `json:"tool"`
		Args    string `json:"args"`
		Result  string `json:"result"`
		IsError bool   `json:"is_error,omitempty"`
	}{p.call.Name, p.call.Args, result.Content, result.IsError})
}

// release gives back what calls of an abandoned step had reserved.
func release(batch []*pending) {
	for _, p := range batch {
		if p == nil {
			continue
		}
		for _, h := range p.holds {
			if h != nil {
				h.Release()
			}
		}
		for _, child := range p.carved {
			child.Return()
		}
	}
}
