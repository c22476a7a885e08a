package runs

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"ibid/agent"
	"ibid/gate"
	"ibid/journal"
	"ibid/report"
	"ibid/report/forms"
	"ibid/research"
)

// A Desk is the Service of this machine: what one user can do with the runs of a journal. It shows and touches theirs and
// nobody else's, so who has a Desk cannot forget to look whose a run is.
type Desk struct {
	engine *Engine
	user   string
	anyone bool
}

// For is the desk of a user.
func (e *Engine) For(user string) *Desk { return &Desk{engine: e, user: user} }

// Everyone is the desk of who can open the database anyhow: all runs are there.
func (e *Engine) Everyone() *Desk { return &Desk{engine: e, user: userName(), anyone: true} }

var _ Service = (*Desk)(nil)

// User is whose desk it is.
func (d *Desk) User() string { return d.user }

// own returns a run of the user's. Another's is not found.
func (d *Desk) own(ctx context.Context, id string) (journal.Info, error) {
	info, err := d.engine.Journal.Info(ctx, id)
	if err == nil && !d.anyone && info.User != d.user {
		err = journal.ErrNotFound
	}
	if err != nil {
		return journal.Info{}, d.engine.explain(id, err)
	}
	return info, nil
}

// Start writes a new run, which a worker takes.
func (d *Desk) Start(ctx context.Context, r Request) (journal.Info, error) {
	if d.engine.Configure == nil {
		return journal.Info{}, fail(Internal, nil, "", "this program starts no runs for others")
	}
	c, err := d.engine.Configure(ctx, r)
	if err != nil {
		return journal.Info{}, err
	}
	return d.begin(ctx, "run", r.Key, r.Trace, r, func(s journal.Spec) (string, error) { return d.engine.create(ctx, c, s) })
}

// List lists the user's runs, the newest first.
func (d *Desk) List(ctx context.Context, p Page) ([]journal.Info, error) {
	if p.Limit == 0 {
		p.Limit = 20
	}
	if p.Limit < 0 || p.Limit > MaxPage {
		return nil, fail(Invalid, nil, "", "a page has 1 to %d runs", MaxPage)
	}
	if p.State != "" && !p.State.Stored() {
		return nil, fail(Invalid, nil, "They are: queued, working, parked, done, partial, failed, cancelled.", "there is no list of runs that are %q", p.State)
	}
	l := journal.Listing{User: d.user, Anyone: d.anyone, State: p.State, Limit: p.Limit}
	if p.After != "" {
		last, err := d.own(ctx, p.After)
		if err != nil {
			return nil, err
		}
		l.Before, l.BeforeID = last.Created, last.ID
	}
	list, err := d.engine.Journal.List(ctx, l)
	for i := range list {
		list[i].Config = nil
	}
	return list, err
}

// Show says how a run stands. What came of one that is over is made again from the record.
func (d *Desk) Show(ctx context.Context, id string) (Shown, error) {
	info, err := d.own(ctx, id)
	if err != nil {
		return Shown{}, err
	}
	j := d.engine.Journal
	info.Config = nil
	s := Shown{Info: info}
	if s.Totals, err = j.Totals(ctx, id); err != nil {
		return s, err
	}
	if s.Doubts, err = j.Doubts(ctx, id); err != nil {
		return s, err
	}
	if s.Agents, err = j.Count(ctx, id, "spawn"); err != nil {
		return s, err
	}
	if info.State.Over() && info.State != journal.StateCancelled {
		result, err := d.engine.Result(ctx, id)
		if err != nil {
			return s, err
		}
		s.Shape, s.Ended = &result.Shape, result.Stop
		return s, nil
	}
	waiting, err := d.Gates(ctx, id, false)
	s.Waiting = len(waiting)
	return s, err
}

// Stop asks a run to answer with what it has.
func (d *Desk) Stop(ctx context.Context, id string) error {
	return d.ask(ctx, id, d.engine.Journal.AskStop)
}

// Cancel ends a run without an answer.
func (d *Desk) Cancel(ctx context.Context, id string) error {
	return d.ask(ctx, id, d.engine.Journal.Cancel)
}

// Resume queues a run that is parked or interrupted.
func (d *Desk) Resume(ctx context.Context, id string) error {
	return d.ask(ctx, id, d.engine.Journal.Enqueue)
}

func (d *Desk) ask(ctx context.Context, id string, do func(context.Context, string) error) error {
	if _, err := d.own(ctx, id); err != nil {
		return err
	}
	return d.engine.explain(id, do(ctx, id))
}

// Fork starts a run over the evidence of one of the user's.
func (d *Desk) Fork(ctx context.Context, id string, c Change) (journal.Info, error) {
	if _, err := d.own(ctx, id); err != nil {
		return journal.Info{}, err
	}
	return d.begin(ctx, "fork "+id, c.Key, c.Trace, c, func(s journal.Spec) (string, error) { return d.engine.fork(ctx, id, c, s) })
}

// Delete removes a run with all that names it or came of it.
func (d *Desk) Delete(ctx context.Context, id string) error {
	if _, err := d.own(ctx, id); err != nil {
		return err
	}
	_, err := d.engine.Delete(ctx, id)
	return err
}

// Events gives a run's events, with what a person is told of them.
func (d *Desk) Events(ctx context.Context, id string, after int64, follow bool) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		if _, err := d.own(ctx, id); err != nil {
			yield(journal.Event{}, err)
			return
		}
		events := d.recorded(ctx, id, after)
		if follow {
			events = d.engine.Journal.Subscribe(ctx, id, after)
		}
		for ev, err := range events {
			if err == nil && telling[ev.Kind] && ev.Outcome > 0 {
				var outcome []byte
				if outcome, err = d.engine.Journal.Outcome(ctx, id, ev.Seq); err == nil {
					ev.Text = tell(ev, outcome)
				}
			}
			if !yield(ev, err) || err != nil {
				return
			}
		}
	}
}

// recorded gives what is on record, and nothing that comes.
func (d *Desk) recorded(ctx context.Context, id string, after int64) iter.Seq2[journal.Event, error] {
	const most = 500
	return func(yield func(journal.Event, error) bool) {
		for {
			events, err := d.engine.Journal.Events(ctx, id, after, most)
			if err != nil {
				yield(journal.Event{}, err)
				return
			}
			for _, ev := range events {
				if after = ev.Seq; !yield(ev, nil) {
					return
				}
			}
			if len(events) < most {
				return
			}
		}
	}
}

// Bundle is the report of a run with all that is needed to check it.
func (d *Desk) Bundle(ctx context.Context, id string) (report.Bundle, error) {
	result, err := d.result(ctx, id)
	if err != nil {
		return report.Bundle{}, err
	}
	return report.ParseJSON(result.JSON)
}

// result is what came of a run of the user's whose report may be shown.
func (d *Desk) result(ctx context.Context, id string) (*research.Result, error) {
	if _, err := d.own(ctx, id); err != nil {
		return nil, err
	}
	result, err := d.engine.Result(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case !result.Verified:
		return nil, fail(Integrity, nil, "", "the report of run %s did not pass its check and is not shown", id)
	case result.Stop == agent.StopFailed && len(result.Findings) == 0:
		return nil, fail(Conflict, result.Err, "", "run %s failed and has no report", id)
	}
	return result, nil
}

// Report prints the report of a run.
func (d *Desk) Report(ctx context.Context, id, form string) ([]byte, error) {
	body, _, err := d.Printed(ctx, id, form)
	return body, err
}

// Printed is Report with what was printed: the run is replayed once for both.
func (d *Desk) Printed(ctx context.Context, id, form string) ([]byte, report.Bundle, error) {
	f, ok := FormOf(form)
	if !ok {
		return nil, report.Bundle{}, fail(Invalid, nil, "", "there is no form of reports called %q", form)
	}
	b, err := d.Bundle(ctx, id)
	if err != nil {
		return nil, b, err
	}
	body, err := d.engine.Print(ctx, b, f)
	if failed := (*forms.FailedError)(nil); errors.As(err, &failed) {
		return nil, b, fail(Integrity, err, "", "the report of run %s is not shown", id)
	}
	return body, b, err
}

// Replay runs a run again from its record, with another system prompt if there is one, and returns its report.
func (d *Desk) Replay(ctx context.Context, id, system string) ([]byte, error) {
	if system == "" {
		return d.Report(ctx, id, "markdown")
	}
	if _, err := d.own(ctx, id); err != nil {
		return nil, err
	}
	result, err := d.engine.Replay(ctx, id, system)
	switch {
	case err != nil:
		return nil, err
	case !result.Verified:
		return nil, fail(Integrity, nil, "", "the report of run %s did not pass its check and is not shown", id)
	}
	return result.Markdown, nil
}

// Compare sets two of the user's runs side by side.
func (d *Desk) Compare(ctx context.Context, a, b string) (Comparison, error) {
	for _, id := range []string{a, b} {
		if _, err := d.own(ctx, id); err != nil {
			return Comparison{}, err
		}
	}
	return d.engine.Compare(ctx, a, b)
}

// Findings lists what a run found, and what it was not allowed to record.
func (d *Desk) Findings(ctx context.Context, id string) (Findings, error) {
	result, err := d.result(ctx, id)
	if err != nil {
		return Findings{}, err
	}
	return findings(result), nil
}

// Reject takes a finding out of a report (FIND-7).
func (d *Desk) Reject(ctx context.Context, id, finding, reason string) error {
	return d.say(ctx, id, d.engine.reject, finding, reason)
}

// Accept takes a finding that rules block into a report (FIND-8).
func (d *Desk) Accept(ctx context.Context, id, finding, reason string) error {
	return d.say(ctx, id, d.engine.accept, finding, reason)
}

// Undo takes back that a finding was rejected or accepted. The reason may be left out.
func (d *Desk) Undo(ctx context.Context, id, finding, reason string) error {
	return d.say(ctx, id, d.engine.undo, finding, reason)
}

func (d *Desk) say(ctx context.Context, id string, it func(context.Context, string, Amendment) error, finding, reason string) error {
	if _, err := d.own(ctx, id); err != nil {
		return err
	}
	return it(ctx, id, Amendment{Finding: finding, Reason: reason, By: d.user})
}

// Gates lists what waits for a person in the user's runs, or all that was ever asked.
func (d *Desk) Gates(ctx context.Context, run string, all bool) ([]journal.Pending, error) {
	if run != "" {
		if _, err := d.own(ctx, run); err != nil {
			return nil, err
		}
	}
	gates := journal.Gates{Journal: d.engine.Journal}
	if d.anyone || run != "" {
		return gates.List(ctx, run, all)
	}
	return gates.Of(ctx, d.user, all)
}

// Gate returns a question of one of the user's runs.
func (d *Desk) Gate(ctx context.Context, id string) (journal.Pending, error) {
	p, err := journal.Gates{Journal: d.engine.Journal}.Find(ctx, id)
	if err == nil {
		_, err = d.own(ctx, p.Request.Run)
	}
	switch {
	case errors.Is(err, journal.ErrNoGate), CodeOf(err) == NotFound:
		return journal.Pending{}, fail(NotFound, nil, "See them with: ibid gate list", "there is no gate %s", id)
	case err != nil:
		return journal.Pending{}, err
	}
	return p, nil
}

// Answer decides a question of one of the user's runs, once.
func (d *Desk) Answer(ctx context.Context, id string, a gate.Answer) (journal.Pending, error) {
	if _, err := d.Gate(ctx, id); err != nil {
		return journal.Pending{}, err
	}
	a.By = d.user
	p, err := journal.Gates{Journal: d.engine.Journal}.Answer(ctx, id, a)
	if err != nil {
		return p, fail(Conflict, err, "", "answering")
	}
	if d.engine.Answered != nil {
		d.engine.Answered(p)
	}
	return p, nil
}

// EditPlan changes a plan that waits for a yes.
func (d *Desk) EditPlan(ctx context.Context, id, seen string, plan json.RawMessage) (journal.Pending, error) {
	p, err := d.Gate(ctx, id)
	switch {
	case err != nil:
		return p, err
	case p.Request.Kind != "plan":
		return p, fail(Invalid, nil, "Approve it or deny it.", "gate %s asks about no plan, and what it asks about cannot be changed", id)
	}
	if err := research.CheckPlan(plan); err != nil {
		return p, fail(Invalid, err, "", "the plan")
	}
	if p, err = (journal.Gates{Journal: d.engine.Journal}).Edit(ctx, id, seen, plan); err != nil {
		return p, fail(Conflict, err, "", "changing the plan")
	}
	return p, nil
}
