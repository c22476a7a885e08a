package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"ibid/gate"
	"ibid/journal"
	"ibid/runs"
)

type gateCmd struct {
	List    gateListCmd   `cmd:"" help:"List what waits for a decision."`
	Show    gateShowCmd   `cmd:"" help:"Show what waits, with its exact arguments; a plan as a list that can be edited."`
	Edit    gateEditCmd   `cmd:"" help:"Put another plan in the place of one that waits: one sub-question a line."`
	Approve gateAnswerCmd `cmd:"" help:"Say yes."`
	Deny    gateDenyCmd   `cmd:"" help:"Say no."`
}

type gateListCmd struct {
	Of  string `arg:"" optional:"" name:"run" help:"Only those of this run: its id, or 'last'."`
	All bool   `help:"Also what was decided."`
}

// Run lists gates.
func (c *gateListCmd) Run(e *env) error {
	return e.withService(func(s runs.Service) error {
		run, err := newest(e, s, c.Of)
		if err != nil {
			return err
		}
		list, err := s.Gates(e.ctx, run, c.All)
		if err != nil {
			return err
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(list)
		}
		if len(list) == 0 && !e.cli.Quiet {
			fmt.Fprintln(e.err, "nothing waits for a decision")
		}
		for _, p := range list {
			fmt.Fprintf(e.out, "%s  run %s  %s (%s: %s)\n  %s %s\n  asked %s, expires %s\n", p.ID, p.Request.Run, p.State, p.Request.Policy, gate.Printable(p.Request.Reason),
				p.Request.Tool, gate.Printable(string(p.Request.Args)), p.Created.Format(time.DateTime), p.Expires.Format(time.DateTime))
		}
		return nil
	})
}

type gateShowCmd struct {
	ID string `arg:"" help:"The gate's id, as 'ibid gate list' shows it."`
}

// Run shows one gate. A plan is printed as 'gate edit' reads it.
func (c *gateShowCmd) Run(e *env) error {
	return e.withService(func(s runs.Service) error {
		p, err := s.Gate(e.ctx, c.ID)
		if err != nil {
			return err
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(p)
		}
		fmt.Fprintf(e.err, "%s  run %s  %s (%s: %s)\nhash %s\n", p.ID, p.Request.Run, p.State, p.Request.Policy, gate.Printable(p.Request.Reason), p.Hash)
		var plan planFile
		if p.Request.Kind != "plan" || json.Unmarshal(p.Request.Args, &plan) != nil {
			fmt.Fprintf(e.out, "%s %s\n", p.Request.Tool, gate.Printable(string(p.Request.Args)))
			return nil
		}
		for _, q := range plan.Subquestions {
			fmt.Fprintln(e.out, gate.Printable(q))
		}
		return nil
	})
}

// planFile is a plan as the run takes it.
type planFile struct {
	Subquestions []string `json:"subquestions"`
	Reason       string   `json:"reason"`
}

type gateEditCmd struct {
	ID   string `arg:"" help:"The gate's id, as 'ibid gate list' shows it."`
	Plan string `help:"A file with one sub-question a line; - for stdin." required:"" placeholder:"FILE"`
	Hash string `help:"Change it only if this is still the hash of what stands there." placeholder:"HASH"`
}

// maxPlan is in bytes.
const maxPlan = 64 << 10

// Run changes a plan and shows what a yes now allows.
func (c *gateEditCmd) Run(e *env) error {
	in := e.in
	if c.Plan != "-" {
		f, err := os.Open(c.Plan)
		if err != nil {
			return &runs.Error{Code: runs.Invalid, Message: "reading the plan", Err: err}
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxPlan+1))
	if err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	if len(text) > maxPlan {
		return &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("the plan has more than %d bytes", maxPlan), Hint: "Write one sub-question a line."}
	}
	plan := planFile{Subquestions: []string{}, Reason: "changed by a person"}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			plan.Subquestions = append(plan.Subquestions, line)
		}
	}
	args, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	return e.withService(func(s runs.Service) error {
		p, err := s.EditPlan(e.ctx, c.ID, c.Hash, args)
		if err != nil {
			return err
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(p)
		}
		fmt.Fprintf(e.err, "a yes to %s now allows this plan of %s, hash %s:\n  ibid gate approve %s --hash %s\n", p.ID, count(len(plan.Subquestions), "sub-question"), p.Hash, p.ID, p.Hash)
		return nil
	})
}

type gateAnswerCmd struct {
	ID     string `arg:"" help:"The gate's id, as 'ibid gate list' shows it."`
	Reason string `help:"Why; kept with the decision."`
	Hash   string `help:"Approve only if this is still the hash of what stands there." placeholder:"HASH"`
}

// Run approves.
func (c *gateAnswerCmd) Run(e *env) error {
	return answerGate(e, c.ID, gate.Answer{Allow: true, Reason: c.Reason, Seen: c.Hash})
}

type gateDenyCmd struct {
	ID     string `arg:"" help:"The gate's id, as 'ibid gate list' shows it."`
	Reason string `help:"Why; the model is told."`
}

// Run denies.
func (c *gateDenyCmd) Run(e *env) error { return answerGate(e, c.ID, gate.Answer{Reason: c.Reason}) }

func answerGate(e *env, id string, a gate.Answer) error {
	return e.withService(func(s runs.Service) error {
		p, err := s.Answer(e.ctx, id, a)
		if err != nil {
			return err
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(p)
		}
		fmt.Fprintf(e.out, "%s %s\n", p.ID, p.State)
		run, err := s.Show(e.ctx, p.Request.Run)
		switch {
		case err != nil:
			return err
		case e.cli.Quiet || run.State.Over():
		case run.Waiting > 0:
			fmt.Fprintf(e.err, "run %s waits for another decision: ibid gate list\n", run.ID)
		case run.Background && run.State != journal.StateParked:
			fmt.Fprintf(e.err, "run %s goes on with the next worker that is free\n", run.ID)
		default:
			fmt.Fprintf(e.err, "go on with: ibid resume %s\n", run.ID)
		}
		return nil
	})
}

// onPlans asks a person about plans, and decides by rule on everything else.
func onPlans(j *journal.Journal) gate.Approver {
	return gate.ByPolicy{gate.PolicyPlan: journal.Gates{Journal: j}, "": gate.Auto{}}
}
