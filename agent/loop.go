package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ibid/budget"
	"ibid/gate"
	"ibid/journal"
	"ibid/llm"
)

// A Loop is what is the same for every run: the model and how it is called. One value may serve many runs at once.
type Loop struct {
	Model     llm.Model
	System    string
	MaxTokens int                   // of one answer; 0 means 4,096
	Free      bool                  // the model runs in this process and spends no tokens, so none are reserved
	Awaits    bool                  // the model is somebody who is waited for: a wait that is broken off was paid to nobody and is in no doubt
	Price     func(llm.Usage) int64 // of a call, in millionths of a dollar; nil: free
	Attempts  int                   // of a model call before it counts as failed; 0 means 4
	Backoff   time.Duration         // before the second attempt, about doubled after each; 0 means one second
	Parallel  int                   // effects of one step at once; 0 means 8
	Guard     Guard
	Texts     Texts // what the loop itself says to the model
}

// A Session is what belongs to one run of the loop.
type Session struct {
	Lane     string       // the agent's name; first element of its journal keys
	Record   *journal.Run // nil: nothing is recorded
	Ledger   *budget.Ledger
	Tools    []Tool
	Prompt   []llm.Message // how the conversation begins
	Used     budget.Amount // by others of the run, at worst, when this agent began: the policy counts it
	Policy   gate.Policy
	Approver gate.Approver // nil denies
	Context  *Context      // how the conversation is kept short; nil: all of it is sent each time
	Progress func() string // what the run knows, as a fingerprint; when it stays the same for long, the run is stalled
	Observe  func(Event)   // may be nil

	// Outstanding waits for what others do for this agent, and returns what it is told of it before it ends; "" where
	// nothing is. Nil: nobody works for it.
	Outstanding func() (string, error)
}

// An Answer is how a loop ended.
type Answer struct {
	Text    string // the model's last words; may be empty
	Stop    Stop
	Steps   int
	Guessed bool          // part of what was spent is the worst case, since a provider did not say
	Err     error         // why it failed, when Stop is StopFailed
	History []llm.Message // the whole conversation

	Elided      int // results that gave way to stubs
	Compactions int

	memory *memory
}

// looping is the state of one Run.
type looping struct {
	*Loop
	*Session
	step    int
	history []llm.Message
	tools   map[string]Tool
	specs   []llm.Tool
	guard   guardState
	guessed bool
	served  bool    // the last model call was served from the record
	memory  *memory // nil: there is no Context
}

// Run loops until the model answers, a budget stops it, or a person is needed. It returns an error only when the
// program or the journal is at fault (a divergence, a lost lease, a full disk); everything else is a stop reason.
func (l *Loop) Run(ctx context.Context, s *Session) (Answer, error) {
	r := &looping{Loop: l, Session: s, history: append([]llm.Message(nil), s.Prompt...), tools: make(map[string]Tool, len(s.Tools))}
	for _, t := range s.Tools {
		spec := t.Spec()
		r.specs = append(r.specs, spec)
		r.tools[spec.Name] = t
	}
	if r.Context != nil {
		r.specs = append(r.specs, r.Context.Fetch)
		r.tools[r.Context.Fetch.Name] = fetchTool{r}
	}
	r.remember()
	for {
		r.step++
		stop, err := r.whyClose(ctx)
		if err != nil {
			return r.end("", StopFailed, err)
		}
		if stop != "" {
			return r.close(ctx, stop)
		}
		if r.guard.tells(r.Guard) {
			text := r.Texts.stalled(r.guard.still)
			r.observe(Event{Kind: Stalling, Text: text})
			r.say(llm.Message{Role: llm.User, Blocks: []llm.Block{{Text: text}}})
		}
		if err := r.arrange(ctx); err != nil {
			return r.failed(ctx, err)
		}
		resp, err := r.call(ctx, llm.ChoiceAuto)
		var over *budget.Exhausted
		switch {
		case errors.As(err, &over):
			return r.close(ctx, OverBudgetStop(over.Currency))
		case outOfTime(err):
			r.step++ // this step's call is on record: it did not answer in the time that was left
			return r.close(ctx, OverBudgetStop(budget.Seconds))
		case tooLong(err):
			r.step++ // likewise
			if again, err := r.refused(ctx); err != nil {
				return r.failed(ctx, err)
			} else if again {
				continue
			}
			if r.history = withoutLast(r.history); r.history == nil {
				return r.end("", StopFull, nil)
			}
			return r.close(ctx, StopFull)
		case err != nil:
			return r.interrupted(ctx, err)
		}
		calls := resp.Calls()
		if len(calls) == 0 && resp.Stop == llm.StopRefusal {
			return r.end(resp.Text(), StopRefused, nil)
		}
		if len(calls) == 0 && resp.Stop != llm.StopLength {
			more, err := r.outstanding()
			if err != nil {
				return r.interrupted(ctx, err)
			}
			if more == "" {
				return r.end(resp.Text(), StopDone, nil)
			}
			r.say(llm.Message{Role: llm.User, Blocks: []llm.Block{{Text: more}}})
			continue
		}
		results, err := r.dispatch(ctx, calls, resp.Stop == llm.StopLength)
		if err != nil {
			return r.interrupted(ctx, err)
		}
		r.heard(calls, results)
	}
}

// tooLong says whether the conversation no longer fits the model's window.
func tooLong(err error) bool {
	var failed *ModelError
	if !errors.As(err, &failed) {
		return false
	}
	cause := failed.Cause()
	return cause != nil && cause.Kind == llm.TooLong
}

// Repair asks for the answer again, in the conversation that a made, with what is wrong with it. It returns "" when there
// is no budget for it; the answer's history and steps go on.
func (l *Loop) Repair(ctx context.Context, s *Session, a *Answer, wrong string) (string, error) {
	r := &looping{Loop: l, Session: s, step: a.Steps + 1, history: a.History, memory: a.memory}
	for _, t := range s.Tools {
		r.specs = append(r.specs, t.Spec())
	}
	if r.Context != nil {
		r.specs = append(r.specs, r.Context.Fetch)
	}
	r.say(llm.Message{Role: llm.User, Blocks: []llm.Block{{Text: wrong}}})
	resp, err := r.call(ctx, llm.ChoiceNone)
	var over *budget.Exhausted
	var failed *ModelError
	switch {
	case errors.As(err, &over), errors.As(err, &failed):
		return "", nil
	case err != nil:
		return "", err
	}
	a.Steps, a.History, a.Guessed = r.step, r.history, a.Guessed || r.guessed
	return resp.Text(), nil
}

// whyClose says whether this step must be the last, before its model call: the user asked for an answer, a hard limit
// is spent, or nothing new has come for long.
func (r *looping) whyClose(ctx context.Context) (Stop, error) {
	if r.Record != nil {
		asked, err := r.Record.StopAsked(ctx, r.key("stop"))
		if err != nil {
			return "", err
		}
		if asked {
			return StopAsked, nil
		}
	}
	if over := r.Ledger.Over(); over != "" {
		return OverBudgetStop(over), nil
	}
	if r.guard.stalled(r.Guard, r.Progress) {
		return StopStalled, nil
	}
	return "", nil
}

// close asks for the answer, with no tools (LOOP-2, LOOP-3). The share that was set aside pays for it. Where the last steps
// brought more than it pays for, or than the model's window holds, the answer is made of what was known before them.
func (r *looping) close(ctx context.Context, stop Stop) (Answer, error) {
	r.observe(Event{Kind: Closing, Text: string(stop)})
	more, err := r.outstanding()
	if err != nil {
		return r.interrupted(ctx, err)
	}
	text := strings.TrimSpace(more + "\n\n" + r.Texts.closing(stop))
	known := r.history
	for refused := 0; ; {
		r.history = append(known[:len(known):len(known)], llm.Message{Role: llm.User, Blocks: []llm.Block{{Text: text}}})
		resp, err := r.call(ctx, llm.ChoiceNone)
		var over *budget.Exhausted
		switch {
		case err == nil:
			return r.end(resp.Text(), stop, nil)
		case tooLong(err) && refused < closingTries:
			refused++
			r.step++ // the refused request is on record
			r.history = known
			if again, err := r.refused(ctx); err != nil {
				return r.failed(ctx, err)
			} else if again {
				continue
			}
		case errors.As(err, &over):
		case outOfTime(err), tooLong(err):
			return r.end("", stop, nil) // what was found must speak for itself
		default:
			return r.failed(ctx, err)
		}
		if known = withoutLast(known); known == nil {
			return r.end("", stop, nil)
		}
	}
}

// closingTries bounds the requests for an answer that the model's window refuses.
const closingTries = 2

// withoutLast is a history without what the model said last and what came of it, or nil if it said nothing.
func withoutLast(history []llm.Message) []llm.Message {
	for i := len(history) - 1; i > 0; i-- {
		if history[i].Role == llm.Assistant {
			return history[:i]
		}
	}
	return nil
}

// outstanding is what others have done for this agent that it does not know yet, or "".
func (r *looping) outstanding() (string, error) {
	if r.Outstanding == nil {
		return "", nil
	}
	return r.Outstanding()
}

// interrupted ends a loop that cannot go on for now, or at all.
func (r *looping) interrupted(ctx context.Context, err error) (Answer, error) {
	if errors.Is(err, gate.ErrPending) {
		return r.end("", StopParked, nil)
	}
	return r.failed(ctx, err)
}

// failed tells the three ways apart in which a run ends without an answer: cancelled by the user, a fault of program or
// journal (an error), and a model that kept failing (a stop reason, so that the findings still become a report).
func (r *looping) failed(ctx context.Context, err error) (Answer, error) {
	var model *ModelError
	switch {
	case ctx.Err() != nil:
		return r.end("", StopCancelled, nil)
	case errors.As(err, &model):
		a, _ := r.end("", StopFailed, nil)
		a.Err = err
		return a, nil
	}
	return r.end("", StopFailed, err)
}

func (r *looping) end(text string, stop Stop, err error) (Answer, error) {
	a := Answer{Text: text, Stop: stop, Steps: r.step, Guessed: r.guessed, History: r.history, Err: err, memory: r.memory}
	if r.memory != nil {
		a.Elided, a.Compactions = r.memory.elided, r.memory.compactions
	}
	return a, err
}

// key is a position in this step: lead/3/model.
func (r *looping) key(what string) journal.Key {
	return journal.Key(fmt.Sprintf("%s/%d/%s", r.Lane, r.step, what))
}

func (r *looping) observe(e Event) {
	if r.Observe == nil {
		return
	}
	e.Lane, e.Step = r.Lane, r.step
	r.Observe(e)
}
