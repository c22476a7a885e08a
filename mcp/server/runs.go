package server

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ibid/agent"
	"ibid/gate"
	"ibid/journal"
	"ibid/research"
	"ibid/runs"
)

// startArgs are what ibid is asked to research.
type startArgs struct {
	Question string   `json:"question" jsonschema:"What is to be found out: one question, as a person would ask it."`
	Tier     string   `json:"tier,omitempty" jsonschema:"How much research: quick, standard, deep, or auto. Left out: as ibid is configured."`
	Model    string   `json:"model,omitempty" jsonschema:"provider/model, or extractive. Left out: as ibid is configured."`
	Search   []string `json:"search,omitempty" jsonschema:"Search providers. Left out: as ibid is configured."`
	MaxCost  float64  `json:"max_cost,omitempty" jsonschema:"Limit of dollars."`
	Wait     float64  `json:"wait_seconds,omitempty" jsonschema:"How long to wait for it to be over, up to 600. Progress is told while it works. Left out: not at all."`
}

// runArgs name a run.
type runArgs struct {
	Run  string  `json:"run" jsonschema:"The run's id."`
	Wait float64 `json:"wait_seconds,omitempty" jsonschema:"How long to wait for it to be over, up to 600. Progress is told while it works. Left out: not at all."`
}

// stopArgs say how a run is to end.
type stopArgs struct {
	Run    string `json:"run" jsonschema:"The run's id."`
	Cancel bool   `json:"cancel,omitempty" jsonschema:"True ends it without a report. Left out: it answers with what it has."`
}

// standing is how a run stands.
type standing struct {
	Run      string  `json:"run"`
	Question string  `json:"question"`
	State    string  `json:"state" jsonschema:"queued, working, parked (waits for a person, or was interrupted), stopping, done, partial, failed, cancelled"`
	Over     bool    `json:"over" jsonschema:"It has ended."`
	Stop     string  `json:"stop,omitempty" jsonschema:"Why it ended, or waits."`
	Steps    int64   `json:"steps"`
	Searches int64   `json:"searches"`
	Reads    int64   `json:"reads"`
	Findings int     `json:"findings" jsonschema:"Once it is over."`
	Tokens   int64   `json:"tokens"`
	Dollars  float64 `json:"dollars"`
	Waiting  []waits `json:"waiting" jsonschema:"What a person must decide before it goes on."`
	Next     string  `json:"next"`
}

// waits is a gate that waits.
type waits struct {
	Gate string `json:"gate"`
	Asks string `json:"asks"`
}

// reportArgs say which form of a report is wanted.
type reportArgs struct {
	Run  string `json:"run" jsonschema:"The run's id."`
	Form string `json:"form,omitempty" jsonschema:"markdown (the default), json, html, csl, bibtex, ris or annotations."`
}

// printed is a report in one form.
type printed struct {
	Run      string    `json:"run"`
	Form     string    `json:"form"`
	Type     string    `json:"type" jsonschema:"Media type of the text."`
	Verified bool      `json:"verified" jsonschema:"It passed its check; nothing else is shown."`
	Text     string    `json:"text"`
	Cut      bool      `json:"cut" jsonschema:"The text was longer than 1 MiB and is not whole: a person prints all of it with ibid report."`
	Claims   []claimed `json:"claims"`
}

// gateArgs are a decision.
type gateArgs struct {
	Gate   string `json:"gate" jsonschema:"The gate's id, as research_status shows it."`
	Allow  bool   `json:"allow" jsonschema:"What the person said. It is done once, exactly as asked."`
	Reason string `json:"reason,omitempty" jsonschema:"Why, in their words."`
}

// decidedGate is what became of it.
type decidedGate struct {
	Gate  string `json:"gate"`
	Run   string `json:"run"`
	State string `json:"state" jsonschema:"allowed or denied"`
	By    string `json:"by"`
	Next  string `json:"next"`
}

// maxWait bounds how long one call waits for a run.
const maxWait = 600 * time.Second

// maxPrinted bounds the text of a report in an answer, in bytes.
const maxPrinted = 1 << 20

// runTools offers runs that ibid works on.
func (s *Server) runTools() {
	add(s, &mcp.Tool{Name: "research_start", Description: `Have ibid research a question in the background, and return its run. It plans, searches, reads and writes a report whose every claim was checked. Ask for it with research_status, and read it with research_report. Use research_open instead to research yourself.`,
		Annotations: hints("Start research", false, false, false, true)}, s.start)
	add(s, &mcp.Tool{Name: "research_status", Description: `Say how a run stands: its state, what it has spent, what waits for a person. With wait_seconds it waits for the run to be over and tells what happens meanwhile.`,
		Annotations: hints("Status of research", true, false, true, false)}, s.status)
	add(s, &mcp.Tool{Name: "research_stop", Description: `End a run early: it answers with what it has, or, with cancel, without a report.`,
		Annotations: hints("Stop research", false, true, true, false)}, s.stop)
	add(s, &mcp.Tool{Name: "research_report", Description: `Return the checked report of a run that is over, in one of several forms, with its claims and what carries each. Cite a claim by its url.`,
		Annotations: hints("Report of research", true, false, true, false)}, s.report)
	add(s, &mcp.Tool{Name: "gate_decide", Description: `File a person's decision on something that a run may not do without them. Only the person decides: ask them, and never decide in their place. Where the client can, they are asked once more, directly.`,
		Annotations: hints("Decide a gate", false, true, false, false)}, s.gate)
}

func (s *Server) start(ctx context.Context, req *mcp.CallToolRequest, in startArgs) (*mcp.CallToolResult, started, error) {
	user := userOf(req)
	info, err := s.desk(user).Start(ctx, runs.Request{Question: in.Question, Tier: in.Tier, Model: in.Model, Search: in.Search, MaxCost: in.MaxCost})
	if err != nil {
		return nil, started{}, forModel(err)
	}
	if knowsTasks(req.Params) { // what it waits for is its task
		in.Wait = 0
	}
	r, out, err := s.stands(ctx, req, info.ID, in.Wait)
	return r, started{standing: out}, err
}

func (s *Server) status(ctx context.Context, req *mcp.CallToolRequest, in runArgs) (*mcp.CallToolResult, standing, error) {
	return s.stands(ctx, req, in.Run, in.Wait)
}

// stands waits for a run, if it is to, and says how it stands.
func (s *Server) stands(ctx context.Context, req *mcp.CallToolRequest, run string, seconds float64) (*mcp.CallToolResult, standing, error) {
	user := userOf(req)
	if seconds > 0 {
		if err := follow(ctx, req, s.desk(user), run, min(time.Duration(seconds*float64(time.Second)), maxWait)); err != nil {
			return nil, standing{}, forModel(err)
		}
	}
	out, err := s.standing(ctx, user, run)
	return nil, out, forModel(err)
}

// standing says how a run stands.
func (s *Server) standing(ctx context.Context, user, run string) (standing, error) {
	desk := s.desk(user)
	shown, err := desk.Show(ctx, run)
	if err != nil {
		return standing{}, err
	}
	out := standing{Run: run, Question: shown.Question, State: string(shown.State), Over: shown.State.Over(), Stop: shown.Stop, Steps: shown.Totals.Steps,
		Searches: shown.Totals.Searches, Reads: shown.Totals.Reads, Tokens: shown.Totals.Tokens, Dollars: float64(shown.Totals.MicroUSD) / 1e6, Waiting: []waits{}}
	if shown.Shape != nil {
		out.Findings = shown.Shape.Findings
	}
	gates, err := desk.Gates(ctx, run, false)
	if err != nil {
		return standing{}, err
	}
	for _, g := range gates {
		out.Waiting = append(out.Waiting, waits{g.ID, question(g.Request)})
	}
	out.Next = next(shown, len(gates))
	return out, nil
}

// next says what to do about a run.
func next(shown runs.Shown, waiting int) string {
	switch {
	case shown.State == journal.StateCancelled:
		return "It was cancelled and has no report."
	case shown.State.Over() && shown.Ended != agent.StopFailed:
		return "Read its report with research_report."
	case shown.State.Over():
		return "It failed. What it found, if anything, is in research_report."
	case waiting > 0:
		return "Ask the person what waits, and file what they say with gate_decide."
	case shown.Model == research.Outside:
		return "It waits for its researcher: go on with ingest_source, record_finding and the others, or end it with write_report."
	case shown.State == journal.StateParked:
		return "It was interrupted, and is not gone on with from here. Ask the person to run: ibid resume " + shown.ID
	}
	return "It is at work. Ask again with wait_seconds, up to 600."
}

// follow tells a client what happens in a run until it is over, parks, or the time is up.
func follow(ctx context.Context, req *mcp.CallToolRequest, desk *runs.Desk, run string, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errWaited)
	defer cancel()
	token := req.Params.GetProgressToken()
	for event, err := range desk.Events(ctx, run, 0, true) {
		switch {
		case err != nil && errors.Is(context.Cause(ctx), errWaited):
			return nil
		case err != nil:
			return err
		}
		if token != nil && event.Kind != "tool" {
			// What cannot be told is not worth more: the client asked for it and has gone.
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(event.Seq), Message: fmt.Sprintf("%s %s", event.Kind, event.State)})
		}
	}
	return nil
}

var errWaited = errors.New("waited long enough")

func (s *Server) stop(ctx context.Context, req *mcp.CallToolRequest, in stopArgs) (*mcp.CallToolResult, standing, error) {
	user := userOf(req)
	info, err := s.desk(user).Find(ctx, in.Run)
	switch {
	case err != nil:
		return nil, standing{}, forModel(err)
	case in.Cancel:
		err = s.desk(user).Cancel(ctx, in.Run)
	case info.Model == research.Outside: // its researcher says that it is over
		_, err = s.call(ctx, user, in.Run, "write_report", "{}")
	default:
		err = s.desk(user).Stop(ctx, in.Run)
	}
	if err != nil {
		return nil, standing{}, forModel(err)
	}
	return s.stands(ctx, req, in.Run, 0)
}

func (s *Server) report(ctx context.Context, req *mcp.CallToolRequest, in reportArgs) (*mcp.CallToolResult, printed, error) {
	user := userOf(req)
	if in.Form == "" {
		in.Form = "markdown"
	}
	out, err := s.print(ctx, user, in.Run, in.Form)
	if err != nil {
		return nil, printed{}, forModel(err)
	}
	result := s.fenced(ctx, user, in.Run, out)
	result.StructuredContent = nil // the SDK fills it in
	return result, out, nil
}

// print prints the report of a run.
func (s *Server) print(ctx context.Context, user, run, in string) (printed, error) {
	form, ok := runs.FormOf(in)
	if !ok || form.Binary {
		return printed{}, fmt.Errorf("reports are not sent in the form %q. The forms are: markdown, json, html, csl, bibtex, ris, annotations", in)
	}
	body, b, err := s.desk(user).Printed(ctx, run, in)
	if err != nil {
		return printed{}, err
	}
	out := printed{Run: run, Form: in, Type: form.Type, Verified: true, Text: string(body), Claims: s.claims(run, b)}
	if len(body) > maxPrinted {
		out.Text, out.Cut = beginning(body, maxPrinted), true
	}
	return out, nil
}

// beginning is as much of a text as fits into n bytes, in whole characters.
func beginning(text []byte, n int) string {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return string(text[:n])
}

func (s *Server) gate(ctx context.Context, req *mcp.CallToolRequest, in gateArgs) (*mcp.CallToolResult, decidedGate, error) {
	if !s.mayDecide(req) {
		return nil, decidedGate{}, fmt.Errorf("who holds this token may not decide gates: it takes the scope %s", s.config.GateScope)
	}
	user := userOf(req)
	pending, err := s.desk(user).Gates(ctx, "", false)
	if err != nil {
		return nil, decidedGate{}, forModel(err)
	}
	var p *journal.Pending
	for i := range pending {
		if pending[i].ID == in.Gate {
			p = &pending[i]
		}
	}
	if p == nil {
		return nil, decidedGate{}, fmt.Errorf("there is no gate %s that waits. research_status shows those that do", in.Gate)
	}
	info, err := s.desk(user).Find(ctx, p.Request.Run)
	if err != nil {
		return nil, decidedGate{}, forModel(err)
	}
	id, said, has := answered(req)
	switch {
	case has && id != in.Gate:
		return nil, decidedGate{}, errors.New("the answer is to another question. Make the call again without `requestState`")
	case req.Params.RequestState != "" && !has:
		return nil, decidedGate{}, errors.New("nobody has decided: the question still waits")
	case !has && s.asksPeople(req):
		return ask(*p), decidedGate{}, nil
	case !has && info.Model == research.Outside:
		return nil, decidedGate{}, fmt.Errorf("a researcher does not decide what it may do itself. Ask the person to run: ibid gate approve %s (or: ibid gate deny %s)", in.Gate, in.Gate)
	case !has:
		said = gate.Answer{Allow: in.Allow, Reason: in.Reason}
	}
	answer, err := s.desk(user).Answer(ctx, in.Gate, said)
	if err != nil {
		return nil, decidedGate{}, forModel(err)
	}
	out := decidedGate{Gate: in.Gate, Run: p.Request.Run, State: answer.State, Next: "The run goes on. Ask for it with research_status."}
	if answer.Decision != nil {
		out.By = answer.Decision.By
	}
	if info.Model == research.Outside {
		out.Next = "Make the call again that waited for it."
	} else if err := s.goOn(ctx, user, info.ID); err != nil {
		out.Next = forModel(err).Error()
	}
	return nil, out, nil
}

// goOn queues a run again that a decision was waited for.
func (s *Server) goOn(ctx context.Context, user, run string) error {
	left, err := s.desk(user).Gates(ctx, run, false)
	if err != nil || len(left) > 0 {
		return err
	}
	return s.desk(user).Resume(ctx, run)
}
