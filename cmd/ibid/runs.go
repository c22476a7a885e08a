package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"ibid/gate"
	"ibid/journal"
	"ibid/runs"
)

type runsCmd struct {
	List     runsListCmd     `cmd:"" help:"List runs, the newest first."`
	Show     runsShowCmd     `cmd:"" help:"Show a run: its state and, when it has one, its report."`
	Events   runsEventsCmd   `cmd:"" help:"Print a run's recorded events; --follow waits for more."`
	Stop     runsStopCmd     `cmd:"" help:"Ask a run to answer with what it has."`
	Cancel   runsCancelCmd   `cmd:"" help:"End a run without an answer."`
	Compare  runsCompareCmd  `cmd:"" help:"Compare two runs, claim by claim."`
	Export   runsExportCmd   `cmd:"" help:"Write a run's whole journal as JSON Lines."`
	Findings runsFindingsCmd `cmd:"" help:"List what a run found, and what was refused and why."`
	Reject   runsRejectCmd   `cmd:"" help:"Reject a finding: the report is made again without it."`
	Accept   runsAcceptCmd   `cmd:"" help:"Accept a finding that was refused, against the rules that block it: the report is made again with it."`
	Import   runsImportCmd   `cmd:"" help:"Read a journal that was exported."`
	Delete   runsDeleteCmd   `cmd:"" help:"Delete runs with all that names them or came of them."`
}

type runsListCmd struct {
	Limit int    `help:"How many." default:"20"`
	State string `help:"Only those that stand so: queued, working, parked, done, partial, failed, cancelled." placeholder:"STATE"`
}

// Run lists runs.
func (c *runsListCmd) Run(e *env) error {
	return e.withService(func(s runs.Service) error {
		list, err := pages(e, s, max(c.Limit, 1), journal.State(c.State))
		if err != nil {
			return err
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(list)
		}
		if len(list) == 0 && !e.cli.Quiet {
			fmt.Fprintln(e.err, "there are no runs")
		}
		for _, r := range list {
			fmt.Fprintf(e.out, "%s  %s  %-24s  %s\n", r.ID, r.Created.Format("2006-01-02 15:04"), standing(r), gate.Clip(gate.Printable(r.Question), 70))
		}
		return nil
	})
}

// standing says how a run stands, and why.
func standing(r journal.Info) string {
	if r.Stop == "" || r.Stop == string(r.State) {
		return string(r.State)
	}
	return fmt.Sprintf("%s (%s)", r.State, r.Stop)
}

// pages lists runs, as many as are wanted.
func pages(e *env, s runs.Service, limit int, state journal.State) ([]journal.Info, error) {
	list, page := []journal.Info{}, runs.Page{State: state}
	for len(list) < limit {
		page.Limit = min(limit-len(list), runs.MaxPage)
		more, err := s.List(e.ctx, page)
		if err != nil {
			return nil, err
		}
		if list = append(list, more...); len(more) < page.Limit {
			break
		}
		page.After = more[len(more)-1].ID
	}
	return list, nil
}

type runsShowCmd struct {
	ID string `arg:"" name:"run" help:"The run's id, or 'last'."`
}

// Run shows a run. Its report is made again from the record, and checked.
func (c *runsShowCmd) Run(e *env) error {
	return e.withNamed(c.ID, func(s runs.Service, id string) error {
		shown, err := s.Show(e.ctx, id)
		if err != nil {
			return err
		}
		form := "markdown"
		if e.cli.JSON {
			form = "json"
		}
		var report []byte
		if reported(shown.State) {
			if report, err = s.Report(e.ctx, id, form); err != nil && runs.CodeOf(err) != runs.Integrity && runs.CodeOf(err) != runs.Conflict {
				return err
			}
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(struct {
				runs.Shown
				Report json.RawMessage `json:"report,omitempty"`
			}{shown, report})
		}
		t := shown.Totals
		fmt.Fprintf(e.err, "run %s: %s\nquestion: %s\nmodel %s, prompts %s\nspent: %s, %s, %s, %d tokens, %.1f s, $%.4f\n", id, standing(shown.Info),
			gate.Printable(shown.Question), shown.Model, shown.PromptVersion, count(t.Steps, "step"), count(t.Searches, "search"), count(t.Reads, "read"), t.Tokens, float64(t.Millis)/1000, float64(t.MicroUSD)/1e6)
		if shape := shown.Shape; shape != nil && shape.Elided+shape.Compact > 0 {
			fmt.Fprintf(e.err, "conversation: %s elided, summarised %s\n", count(shape.Elided, "result"), count(shape.Compact, "time"))
		}
		if shown.Agents > 0 {
			fmt.Fprintf(e.err, "sub-agents: %d\n", shown.Agents)
		}
		if shown.Waiting > 0 {
			fmt.Fprintf(e.err, "waiting for a person: %d (ibid gate list %s)\n", shown.Waiting, id)
		}
		for _, doubt := range shown.Doubts {
			fmt.Fprintln(e.err, "in doubt:", doubt)
		}
		_, err = e.out.Write(report)
		return err
	})
}

type runsEventsCmd struct {
	ID     string `arg:"" name:"run" help:"The run's id, or 'last'."`
	After  int64  `help:"Only events after this number."`
	Follow bool   `short:"f" help:"Wait for more until the run ends."`
	Bodies bool   `help:"With the exact requests and outcomes."`
}

// Run prints events as JSON Lines.
func (c *runsEventsCmd) Run(e *env) error {
	if c.Bodies && e.cli.Server != "" {
		return &runs.Error{Code: runs.Invalid, Message: "requests and outcomes are shown where they are kept, and not over a server", Hint: "Leave out --bodies; 'ibid runs export' has them all."}
	}
	if c.Bodies {
		return e.withRun(c.ID, func(d *desk, e *env, id string) error { return d.bodies(e, id, c.After, c.Follow) })
	}
	return e.withNamed(c.ID, func(s runs.Service, id string) error {
		enc := json.NewEncoder(e.out)
		for ev, err := range s.Events(e.ctx, id, c.After, c.Follow) {
			if err == nil {
				err = enc.Encode(ev)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// bodies prints events with the exact requests and outcomes, which only this machine has.
func (d *desk) bodies(e *env, id string, after int64, follow bool) error {
	enc := json.NewEncoder(e.out)
	for ev, err := range d.engine.Everyone().Events(e.ctx, id, after, follow) {
		if err != nil {
			return err
		}
		request, err := d.journal.Request(e.ctx, id, ev.Seq)
		if err != nil {
			return err
		}
		outcome, err := d.journal.Outcome(e.ctx, id, ev.Seq)
		if err != nil {
			return err
		}
		if err := enc.Encode(struct {
			journal.Event
			RequestBody string `json:"request"`
			OutcomeBody string `json:"outcome"`
		}{ev, string(request), string(outcome)}); err != nil {
			return err
		}
	}
	return nil
}

type runsStopCmd struct {
	ID string `arg:"" name:"run" help:"The run's id, or 'last'."`
}

// Run asks for the answer.
func (c *runsStopCmd) Run(e *env) error {
	return e.withNamed(c.ID, func(s runs.Service, id string) error {
		return asked(e, id, s.Stop(e.ctx, id), "stop", "is asked to answer with what it has: ibid watch "+id)
	})
}

type runsCancelCmd struct {
	ID string `arg:"" name:"run" help:"The run's id, or 'last'."`
}

// Run cancels.
func (c *runsCancelCmd) Run(e *env) error {
	return e.withNamed(c.ID, func(s runs.Service, id string) error {
		return asked(e, id, s.Cancel(e.ctx, id), "cancel", "is cancelled")
	})
}

// asked says that a wish was passed on.
func asked(e *env, id string, err error, what, done string) error {
	switch {
	case err != nil:
		return err
	case e.cli.JSON:
		return json.NewEncoder(e.out).Encode(map[string]string{"run": id, "asked": what})
	case !e.cli.Quiet:
		fmt.Fprintf(e.err, "run %s %s\n", id, done)
	}
	return nil
}

type runsCompareCmd struct {
	A string `arg:"" help:"A run."`
	B string `arg:"" help:"Another run."`
}

// Run compares.
func (c *runsCompareCmd) Run(e *env) error {
	return e.withNamed(c.A, func(s runs.Service, a string) error {
		b, err := newest(e, s, c.B)
		if err != nil {
			return err
		}
		return compare(e, s, a, b)
	})
}

type runsExportCmd struct {
	ID string `arg:"" name:"run" help:"The run's id, or 'last'."`
	outFlag
}

// Run exports.
func (c *runsExportCmd) Run(e *env) error {
	return e.withNamed(c.ID, func(s runs.Service, id string) error {
		return c.write(e, map[string]any{"run": id}, func(w io.Writer) error { return s.Export(e.ctx, id, w) })
	})
}

type runsImportCmd struct {
	File string `arg:"" help:"An exported journal, or - for stdin."`
}

// Run imports and prints the run's id.
func (c *runsImportCmd) Run(e *env) error {
	return e.withDesk(func(d *desk) error {
		var in io.Reader = e.in
		if c.File != "-" {
			f, err := os.Open(c.File)
			if err != nil {
				return &runs.Error{Code: runs.Invalid, Message: "opening the journal", Err: err}
			}
			defer f.Close()
			in = f
		}
		id, err := d.journal.Import(e.ctx, in)
		if err != nil {
			return &runs.Error{Code: runs.Integrity, Message: "importing the journal", Err: err, Hint: "Nothing of it was kept."}
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(map[string]string{"run": id})
		}
		fmt.Fprintln(e.out, id)
		return nil
	})
}
