// Package runs is a run's life: started, worked on, parked, resumed, replayed, forked. It knows of research only how to
// begin it.
package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/user"

	"ibid/agent"
	"ibid/audit"
	"ibid/budget"
	"ibid/journal"
	"ibid/report"
	"ibid/research"
	"ibid/research/prompts"
)

// An Engine works on runs of one journal.
type Engine struct {
	Journal *journal.Journal
	// Build makes what a run works with from its configuration, and a function that gives it back. A replay performs
	// nothing: it needs the model's codec and no more.
	Build   func(ctx context.Context, c research.Config, replay bool) (research.Parts, func() error, error)
	Observe func(agent.Event) // may be nil
	// Watch begins to watch a run that is worked on, for metrics and traces; what is done for it carries the context. nil:
	// nobody watches.
	Watch func(ctx context.Context, run journal.Info, c research.Config) (context.Context, Watcher)
	// Answered is told of each question that a person answered; nil: nobody is.
	Answered func(journal.Pending)
	// Configure turns what a user of a service asks for into a run's configuration; nil: nobody asks.
	Configure func(ctx context.Context, r Request) (research.Config, error)
	// Remodel pins another model in a run's configuration, by its name; nil: none can be chosen.
	Remodel func(c *research.Config, model string) error
	// Daily is what a user's runs of one day (UTC) may cost, in millionths of a dollar, before no other is begun for them, and those that wait are not taken;
	// 0 is no limit.
	Daily int64
	// Pack makes a run one file that anybody can check, its bundle; nil: nobody does.
	Pack func(ctx context.Context, id string) ([]byte, error)
	// Browser prints a page of HTML as PDF; nil: there is none.
	Browser func(ctx context.Context, page []byte) ([]byte, error)
}

// Start writes a new run and returns its id. Whoever started it works on it.
func (e *Engine) Start(ctx context.Context, c research.Config) (string, error) {
	return e.create(ctx, c, journal.Spec{})
}

// Queue writes a new run that a worker takes, and returns its id.
func (e *Engine) Queue(ctx context.Context, c research.Config) (string, error) {
	return e.create(ctx, c, journal.Spec{Background: true})
}

func (e *Engine) create(ctx context.Context, c research.Config, s journal.Spec) (string, error) {
	config, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("runs: the configuration: %w", err)
	}
	s.Question, s.Model, s.PromptVersion, s.Config = c.Question, c.Model, c.Prompts.Version(), config
	if s.User == "" {
		s.User = userName()
	}
	id, err := e.Journal.Create(ctx, s)
	var full *journal.Full
	if errors.As(err, &full) {
		err = fail(Conflict, err, "Wait until one of them is taken, or cancel one (--max-queued).", "queueing a run")
	}
	return id, err
}

func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// A Watcher sees one run while it is worked on: what happens in it, and how that ended. A run that is parked and goes on
// later is watched anew; events of before then say that they are recorded.
type Watcher interface {
	Event(agent.Event)
	End(ctx context.Context, r *research.Result, err error) // r is nil where it ended in a fault
}

// both tells two who observe.
func both(a, b func(agent.Event)) func(agent.Event) {
	if a == nil {
		return b
	}
	return func(e agent.Event) {
		a(e)
		b(e)
	}
}

// Work takes a run and works on it until it ends, parks or is stopped; what the journal holds is not done again.
func (e *Engine) Work(ctx context.Context, id string) (*research.Result, error) {
	run, err := e.Journal.Claim(ctx, id)
	if err != nil {
		return nil, e.explain(id, err)
	}
	defer run.Abandon() // unless it has ended
	result, _, err := e.work(ctx, run)
	if err != nil {
		return nil, e.explain(id, err)
	}
	return result, nil
}

// work works on a run that was taken, and says how it stands then. No result means that it was handed back.
func (e *Engine) work(ctx context.Context, run *journal.Run) (*research.Result, journal.State, error) {
	ctx, cancel := run.Context(ctx)
	defer cancel()
	result, err := e.run(ctx, run, false)
	// The journal may say why before the context does, which hears of it in a goroutine of its own.
	cause := errors.Join(context.Cause(ctx), err)
	switch {
	case errors.Is(cause, journal.ErrLeft) && (err != nil || result.Stop == agent.StopCancelled):
		return nil, "", run.Release(ctx)
	case errors.Is(cause, journal.ErrFenced): // whoever took it over says how it stands
		return nil, "", cause
	case err != nil && errors.Is(cause, journal.ErrCancelled):
		result = &research.Result{Stop: agent.StopCancelled}
	case err != nil:
		return nil, "", err
	}
	state := stateOf(cause, result)
	stop := string(result.Stop)
	if state == journal.StateParked && result.Stop == agent.StopCancelled {
		stop = string(journal.StateInterrupted) // it can be resumed; "cancelled" is for good
	}
	return result, state, run.Finish(ctx, state, stop)
}

// stateOf says how a run stands after it was worked on. A run that was interrupted can be resumed; one that the user
// cancelled is over.
func stateOf(cause error, r *research.Result) journal.State {
	switch {
	case errors.Is(cause, journal.ErrCancelled):
		return journal.StateCancelled
	case r.Stop == agent.StopParked, r.Stop == agent.StopCancelled:
		return journal.StateParked
	case r.Stop == agent.StopFailed, !r.Verified:
		return journal.StateFailed
	case r.Stop.Complete():
		return journal.StateDone
	}
	return journal.StatePartial
}

func (e *Engine) run(ctx context.Context, run *journal.Run, replay bool) (*research.Result, error) {
	c, err := research.ParseConfig(run.Info().Config)
	if err != nil {
		return nil, err
	}
	return e.with(ctx, run, c, replay)
}

func (e *Engine) with(ctx context.Context, run *journal.Run, c research.Config, replay bool) (result *research.Result, err error) {
	parts, release, err := e.Build(ctx, c, replay)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if !replay { // what is only repeated is no news
		parts.Observe = e.Observe
		if e.Watch != nil {
			var w Watcher
			ctx, w = e.Watch(ctx, run.Info(), c)
			parts.Observe = both(e.Observe, w.Event)
			defer func() { w.End(ctx, result, err) }()
		}
	}
	return research.Run(ctx, run, c, parts)
}

// Replay runs a run again from its record, with nothing performed: no network, no corpus, no model. The result is the
// recorded one to the byte, or an error that names the first event that differs. system, if not "", takes the place of
// the recorded system prompt, to see where it would have changed something.
func (e *Engine) Replay(ctx context.Context, id, system string) (*research.Result, error) {
	run, err := e.Journal.OpenReplay(ctx, id)
	if err != nil {
		return nil, e.explain(id, err)
	}
	c, err := research.ParseConfig(run.Info().Config)
	if err != nil {
		return nil, err
	}
	if system != "" {
		c.Prompts = withSystem(c.Prompts, system)
	}
	result, err := e.with(ctx, run, c, true)
	if err != nil {
		return nil, e.explain(id, err)
	}
	if result.Stop != agent.StopParked && result.Stop != agent.StopCancelled {
		if err := run.Finish(ctx, "", ""); err != nil {
			return nil, e.explain(id, err)
		}
	}
	return result, nil
}

func withSystem(set prompts.Set, system string) prompts.Set {
	changed := prompts.Set{}
	for name, text := range set {
		changed[name] = text
	}
	changed["system"] = system
	return changed
}

// A Change is what a fork does differently.
type Change struct {
	System string         `json:"system,omitempty"` // system prompt; "" keeps the parent's
	Model  string         `json:"model,omitempty"`  // as provider/model; "" keeps the parent's
	Tier   budget.Tier    `json:"tier,omitempty"`   // "" keeps the parent's limits
	Limits *budget.Limits `json:"limits,omitempty"` // those that are not 0 take the place of the tier's, or of the parent's
	At     int            `json:"at,omitempty"`     // first step whose model call is made anew; 0 means all are
	Live   bool           `json:"live,omitempty"`   // may go beyond the recorded evidence

	Key   string `json:"-"` // idempotency, as that of a Request
	Trace string `json:"-"`
}

// Fork starts a run over the evidence that another recorded (JOURNAL-4).
func (e *Engine) Fork(ctx context.Context, parent string, change Change) (string, error) {
	return e.fork(ctx, parent, change, journal.Spec{})
}

func (e *Engine) fork(ctx context.Context, parent string, change Change, s journal.Spec) (string, error) {
	info, c, err := e.Forked(ctx, parent, change)
	if err != nil {
		return "", err
	}
	if c.Rejected, err = e.forkRejections(ctx, parent, info, c); err != nil {
		return "", err
	}
	s.Parent, s.ForkAt, s.Live = parent, change.At, change.Live
	return e.create(ctx, c, s)
}

// Forked is a run's row, and the configuration that a fork of it with this change would begin with.
func (e *Engine) Forked(ctx context.Context, parent string, change Change) (of journal.Info, c research.Config, err error) {
	if of, err = e.Journal.Info(ctx, parent); err != nil {
		return of, c, e.explain(parent, err)
	}
	if c, err = research.ParseConfig(of.Config); err != nil {
		return of, c, err
	}
	if change.System != "" {
		c.Prompts = withSystem(c.Prompts, change.System)
	}
	return of, c, e.remodel(&c, change)
}

// remodel gives a fork the model and the budget that it is to have.
func (e *Engine) remodel(c *research.Config, change Change) error {
	if change.Tier != "" {
		limits, err := change.Tier.Limits()
		if err != nil {
			return fail(Invalid, err, "", "the fork's tier")
		}
		c.Limits, c.Tier, c.Closing = limits, change.Tier, change.Tier.Closing()
	}
	if change.Limits != nil {
		c.Limits = c.Limits.With(*change.Limits)
	}
	if change.Model == "" {
		return nil
	}
	if c.Model == research.Outside || e.Remodel == nil {
		return fail(Conflict, nil, "", "the run's model is outside of ibid, or no other can be chosen here")
	}
	if err := e.Remodel(c, change.Model); err != nil {
		return err
	}
	if change.Limits != nil && change.Limits.MicroUSD > 0 && c.Endpoint != nil && c.Price == nil {
		return fail(Invalid, nil, "Limit its tokens.", "a limit of dollars cannot hold %s: there is no price for it", c.Model)
	}
	return nil
}

// Result gives a run's result from its record, with what was said of its findings since. A run that has no report yet, or will
// have none, is a conflict that says so.
func (e *Engine) Result(ctx context.Context, id string) (*research.Result, error) {
	result, err := e.bare(ctx, id)
	if err != nil {
		return nil, err
	}
	s, err := e.said(ctx, id)
	if err != nil {
		return nil, err
	}
	return result, e.again(ctx, id, result, s)
}

// bare is the result of a run as it ended.
func (e *Engine) bare(ctx context.Context, id string) (*research.Result, error) {
	info, err := e.Journal.Info(ctx, id)
	switch {
	case err != nil:
		return nil, e.explain(id, err)
	case info.State == journal.StateCancelled:
		return nil, fail(Conflict, ErrNoReport, "", "run %s was cancelled", id)
	case info.State == journal.StateQueued, info.State == journal.StateWorking, info.State == journal.StateStopping:
		return nil, fail(Conflict, ErrNoReport, "Wait for it: ibid watch "+id, "run %s is %s", id, info.State)
	case !info.State.Over():
		return nil, fail(Conflict, ErrNoReport, "Go on with it: ibid resume "+id+" (a person may be waited for: ibid gate list "+id+")", "run %s is %s", id, info.State)
	}
	return e.Replay(ctx, id, "")
}

// Verify checks a Markdown report against the run that made it: with all that the run read, whether the report cites it
// or not.
func (e *Engine) Verify(ctx context.Context, id string, markdown []byte) (audit.Result, error) {
	result, err := e.Result(ctx, id)
	if err != nil {
		return audit.Result{}, err
	}
	bundle, err := report.ParseJSON(result.JSON)
	if err != nil {
		return audit.Result{}, err
	}
	if markdown != nil {
		bundle.Report = string(markdown)
	}
	return bundle.Verify(), nil
}

// explain turns the journal's errors into what a person is told.
func (e *Engine) explain(id string, err error) error {
	var busy *journal.Busy
	var over *journal.Ended
	var differs *journal.Divergence
	var full *journal.Full
	var lost *journal.Lost
	switch {
	case errors.As(err, &lost):
		return fail(Internal, lost.Err, "Make room, or mend what is wrong there; then go on with it: ibid resume "+id, "run %s is interrupted: what %s brought was paid for and could not be stored", id, lost.Key)
	case errors.As(err, &full):
		return fail(Conflict, err, "It has its turn when one of them ends.", "taking run %s", id)
	case errors.Is(err, journal.ErrNotFound):
		return fail(NotFound, nil, "See them with: ibid runs list", "there is no run %s", id)
	case errors.As(err, &busy):
		return fail(Conflict, busy, "Wait for it: ibid watch "+id+", or have it answer with what it has: ibid runs stop "+id, "%v", busy)
	case errors.As(err, &over) && over.State == journal.StateCancelled:
		return fail(Conflict, over, "What it has read can be used: ibid fork "+id+" --live", "%v", over)
	case errors.As(err, &over):
		return fail(Conflict, over, "See its report with: ibid runs show "+id, "%v", over)
	case errors.As(err, &differs):
		return fail(Integrity, err, "", "replaying")
	case errors.Is(err, journal.ErrFenced):
		return fail(Conflict, err, "Another worker goes on with it.", "working on run %s", id)
	}
	return err
}
