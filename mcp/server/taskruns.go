package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ibid/gate"
	"ibid/journal"
	"ibid/research"
	"ibid/runs"
)

// runTasks keeps the runs that ibid researches as tasks: the run is the task, under its id, so nothing is kept beside it and a
// restart loses none. A run whose researcher is outside is no task: its client is at work on it, and does not wait.
type runTasks struct{ *Server }

// keeps says of which tools calls become tasks. A check takes long too and is none: what it finds is nowhere but in its answer.
func (k runTasks) keeps(tool string) bool { return tool == "research_start" }

// started is what research_start answers.
type started struct {
	standing
	Report *printed `json:"report,omitempty" jsonschema:"Its report, where the call became a task and the run is over. Elsewhere research_report returns it."`
}

func (k runTasks) begun(ctx context.Context, req asker, r *mcp.CallToolResult) (*task, error) {
	var begun struct{ Run string }
	body, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(body, &begun)
	}
	if err != nil {
		return nil, fmt.Errorf("reading which run began: %w", err)
	}
	info, err := k.find(ctx, req, begun.Run)
	if err != nil {
		return nil, err
	}
	return newTask(info.ID, info.Created, info.Updated), nil
}

// find is the run of a task, of who asks.
func (k runTasks) find(ctx context.Context, req asker, id string) (journal.Info, error) {
	info, err := k.desk(userOf(req)).Info(ctx, id)
	if err != nil && runs.CodeOf(err) == runs.NotFound || err == nil && info.Model == research.Outside {
		return info, errNoTask
	}
	return info, err
}

// get says how a run stands, as a task. Each state of a run is one of a task: done and partial runs have a report and are
// completed; queued, working, stopping and interrupted ones are at work; a parked one needs input if the client can be asked
// what it waits for, and is at work otherwise.
func (k runTasks) get(ctx context.Context, req asker, id string) (*task, error) {
	info, err := k.find(ctx, req, id)
	if err != nil {
		return nil, err
	}
	t := newTask(id, info.Created, info.Updated)
	switch info.State {
	case journal.StateCancelled:
		t.Status, t.Message = taskCancelled, "It was cancelled and has no report."
	case journal.StateFailed:
		t.Status = taskFailed
		t.Message = fmt.Sprintf("The research failed (%s). research_report says why, and what it found, if anything; the run is %s.", info.Stop, id)
		t.Error = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: t.Message}
	case journal.StateDone, journal.StatePartial:
		err = k.finished(ctx, req, t)
	case journal.StateStopping:
		t.Message = "It answers with what it has."
	default:
		err = k.unfinished(ctx, req, t)
	}
	return t, err
}

// unfinished tells of a run that is not over.
func (k runTasks) unfinished(ctx context.Context, req asker, t *task) error {
	desk := k.desk(userOf(req))
	waiting, err := desk.Gates(ctx, t.ID, false)
	if err != nil {
		return err
	}
	switch {
	case len(waiting) > 0 && k.asksPeople(req):
		t.Status, t.Message, t.Requests = taskInput, "A person must decide before it goes on.", mcp.InputRequestMap{}
		for _, p := range waiting {
			t.Requests[shown(p)] = elicitation(p)
		}
		return nil
	case len(waiting) > 0:
		t.Message = undecided(waiting[0])
		return nil
	}
	run, err := desk.Show(ctx, t.ID)
	if err != nil {
		return err
	}
	t.Message = fmt.Sprintf("It is %s: %d steps, %d searches, %d reads.", run.State, run.Totals.Steps, run.Totals.Searches, run.Totals.Reads)
	if run.State == journal.StateParked {
		t.Message = next(run, 0)
	}
	return nil
}

// turnWait is how long tasks/get waits for its turn to print a report. A client asks again, so it need not wait longer.
const turnWait = time.Second

// finished gives a task the result of its call: what research_start answers, which is how the run stands, and the report with
// it. Reports are printed in turn; while there is none, the task is at work still.
func (k runTasks) finished(ctx context.Context, req asker, t *task) error {
	if k.config.Turn != nil {
		waiting, cancel := context.WithTimeout(ctx, turnWait)
		done, err := k.config.Turn(waiting)
		cancel()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				done()
			}
			return context.Cause(ctx)
		case err != nil:
			t.Message = "The research is over. Its report waits for its turn to be printed."
			return nil
		}
		defer done()
	}
	user := userOf(req)
	var out started
	stands, err := k.standing(ctx, user, t.ID)
	if err == nil {
		var report printed
		report, err = k.print(ctx, user, t.ID, "markdown")
		out = started{stands, &report}
	}
	var told *runs.Error
	switch {
	case err == nil:
		t.Result = inTask(k.fenced(ctx, user, t.ID, out))
	case errors.As(err, &told) && told.Code != runs.Internal: // there is none to be shown, as research_report would say
		t.Result = inTask(refusal(forModel(err).Error()))
	default:
		return err
	}
	t.Status, t.Message = taskCompleted, fmt.Sprintf("The research is over (%s).", stands.Stop)
	return nil
}

// update files what a person said of the gates that a run waits for, each once, and lets the run go on. The key of a request holds
// the gate with the hash of what was shown; an answer under any other key is to something that does not wait, and is passed over.
func (k runTasks) update(ctx context.Context, req asker, id string, said map[string]json.RawMessage) error {
	if _, err := k.find(ctx, req, id); err != nil {
		return err
	}
	desk := k.desk(userOf(req))
	waiting, err := desk.Gates(ctx, id, false)
	if err != nil {
		return err
	}
	answers := map[string]gate.Answer{}
	for _, p := range waiting {
		body, ok := said[shown(p)]
		if !ok {
			continue
		}
		var r mcp.ElicitResult
		switch err := json.Unmarshal(body, &r); {
		case !k.mayDecide(req):
			return invalidParams("who holds this token may not decide gates: it takes the scope " + k.config.GateScope)
		case !k.asksPeople(req):
			return lacks("the client must be able to ask a person (elicitation)", `{"elicitation":{}}`)
		case err != nil || r.Action != "accept" && r.Action != "decline" && r.Action != "cancel":
			return invalidParams("inputResponses: the answer to " + p.ID + ` is no result of an elicitation: an object whose action is accept, decline or cancel`)
		}
		if a, has := heard(&r, p.Hash); has {
			answers[p.ID] = a
		}
	}
	for _, p := range waiting {
		a, has := answers[p.ID]
		if !has {
			continue
		}
		// A conflict is a question that was decided, changed or over meanwhile: this answer is to it no more.
		if _, err := desk.Answer(ctx, p.ID, a); err != nil && runs.CodeOf(err) != runs.Conflict {
			return err
		}
	}
	if len(answers) == 0 {
		return nil
	}
	if err := k.goOn(ctx, userOf(req), id); err != nil && runs.CodeOf(err) != runs.Conflict {
		return err
	}
	return nil
}

// cancel ends a run without a report. One that is over stays as it is.
func (k runTasks) cancel(ctx context.Context, req asker, id string) error {
	if _, err := k.find(ctx, req, id); err != nil {
		return err
	}
	err := k.desk(userOf(req)).Cancel(ctx, id)
	if over := (*journal.Ended)(nil); errors.As(err, &over) {
		return nil
	}
	return err
}
