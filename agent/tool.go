// Package agent is the loop: send the conversation and the tool list, run what the model asks for, append the results,
// repeat until it answers or a budget stops it. It dispatches tools through gate, budget and journal, and knows nothing
// of research.
package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"ibid/budget"
	"ibid/llm"
)

// A Tool is one kind of action that a model may ask for. A call of it has three moments, so that the calls of one step
// can run side by side and still have one order: Admit, in the order asked; the effects, concurrently; Action.Then, in
// the order asked again. Only effects touch the world; Admit and Then are repeated when a run is replayed or resumed.
type Tool interface {
	// Spec is what the model is told. It must not change during a run.
	Spec() llm.Tool
	// Admit checks the arguments against what the run knows, and names the effects that the call needs. An error is
	// written for the model as its reader: what went wrong, and what to do instead.
	Admit(c Call) (Action, error)
}

// A Call is one request by the model.
type Call struct {
	Args json.RawMessage
	Left budget.Amount // what may still be reserved
}

// An Action is an admitted call.
type Action struct {
	Effects []Effect
	// Then draws the consequences: it may change the run's state, and returns what the model reads. outcomes has one
	// element for each effect, in order.
	Then func(outcomes []Outcome) Result
}

// An Effect is one touch of the world: gated, charged and journaled by the loop.
type Effect struct {
	Kind    string        // search, fetch, plan, write: how policy and journal file it
	Input   any           // exactly what is asked; journaled as JSON, shown to the approver
	URL     string        // what the policy looks at, where there is one
	Mutates bool          // changes something outside the run
	Policy  string        // a rule by which the tool itself wants a person, whatever the run's policy says; "": none
	Why     string        // for the person who decides, where Policy is set
	Cost    budget.Amount // worst case; reserved before Run
	// Edit takes arguments that a person put in the place of Input before they allowed it. Nil: nobody can change it.
	Edit  func(args json.RawMessage) error
	Carve *Carve // in the place of Cost and Run: a budget that is taken in the same admission
	// Run performs the effect and returns its outcome and what it spent. Nil: the effect is only a question to the gate.
	Run func(ctx context.Context) (out []byte, spent budget.Amount, err error)
	// Look is done after the gate and before Run, and recorded before Run begins: what was there before the effect. After a
	// crash Run is performed again with the very same record, and can tell what it has done already. See is given the
	// record, also in a replay. May be nil.
	Look func(ctx context.Context) ([]byte, error)
	See  func(seen []byte)
}

// A Carve takes a budget for another agent out of this one's.
type Carve struct {
	Limits  budget.Limits
	Closing budget.Amount
	Child   **budget.Child // set when it was taken
}

// An Outcome is how an effect ended. Err is nil, a *budget.Exhausted, a *Denied, or the effect's own failure.
type Outcome struct {
	Body []byte
	Err  error
}

// Denied is the outcome of an effect that the gate refused.
type Denied struct {
	Policy, Reason, By string
}

func (e *Denied) Error() string {
	s := "DENIED: this was not approved (" + e.Policy + ")"
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	return s + ". Do not ask for it again; go on without it, or take another source."
}

// A Result is what the model reads of a call.
type Result struct {
	Content string
	IsError bool
	Fault   error // no result: the run cannot go on, as a person is waited for (gate.ErrPending), or the journal is at fault
}

// A Refusal is an error whose text is written for a model: what went wrong, and what to do instead.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Refusef makes a Refusal.
func Refusef(format string, args ...any) error { return Refusal(fmt.Sprintf(format, args...)) }

// Decode reads a call's arguments into v. Its errors are written for a model.
func Decode(args json.RawMessage, v any) error {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || bytes.Equal(args, []byte("null")) {
		return Refusal("The call had no arguments. Send one JSON object with the fields that the tool's schema asks for.")
	}
	if args[0] != '{' {
		return Refusef("The arguments must be one valid JSON object, and began with %q. Send an object with the fields that the tool's schema asks for.", args[:1])
	}
	d := json.NewDecoder(bytes.NewReader(args))
	if err := d.Decode(v); err != nil {
		return Refusef("The arguments are not what the schema asks for (%v). Send the call again with valid JSON.", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return Refusal("The arguments are not valid JSON: there was text after the object. Send one object and nothing else.")
	}
	return nil
}
