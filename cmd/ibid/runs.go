package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"ibid/gate"
	"ibid/journal"
	"ibid/research"
	"ibid/runs"
)

type runsCmd struct {
	List    runsListCmd    `cmd:"" help:"List runs, the newest first."`
	Show    runsShowCmd    `cmd:"" help:"Show a run: its state and, when it has one, its report."`
	Events  runsEventsCmd  `cmd:"" help:"Print a run's recorded events; --follow waits for more."`
	Stop    runsStopCmd    `cmd:"" help:"Ask a run to answer with what it has."`
	Cancel  runsCancelCmd  `cmd:"" help:"End a run without an answer."`
	Compare runsCompareCmd `cmd:"" help:"Compare two runs, claim by claim."`
	Export  runsExportCmd  `cmd:"" help:"Write a run's whole journal as JSON Lines."`
	Reject  runsRejectCmd  `cmd:"" help:"Reject a finding: the report is made again without it."`
	Import  runsImportCmd  `cmd:"" help:"Read a journal that was exported."`
}

type runsListCmd struct {
	Limit int `help:"How many." default:"20"`
}

// Run lists runs.
func (c *runsListCmd) Run(e *env) error {
	return e.withDesk(func(d *desk) error {
		list, err := d.journal.Runs(e.ctx, max(c.Limit, 1))
		if err != nil {
			return err
		}
		if e.cli.JSON {
			for i := range list {
				list[i].Config = nil
			}
			return json.NewEncoder(e.out).Encode(list)
		}
		for _, r := range list {
			state := string(r.State)
			if r.Stop != "" && r.Stop != state {
				state += " (" + r.Stop + ")"
			}
			fmt.Fprintf(e.out, "%s  %s  %-24s  %s\n", r.ID, r.Created.Format("2006-01-02 15:04"), state, gate.Clip(gate.Printable(r.Question), 70))
		}
		return nil
	})
}

type runsShowCmd struct {
	ID string `arg:"" name:"run" help:"The run's id, or 'last'."`
}

// Run shows a run. Its report is made again from the record, and checked.
func (c *runsShowCmd) Run(e *env) error {
	return e.withRun(c.ID, func(d *desk, e *env, id string) error {
		info, err := d.journal.Info(e.ctx, id)
		if err != nil {
			return d.notFound(id, err)
		}
		totals, err := d.journal.Totals(e.ctx, id)
		if err != nil {
			return err
		}
		doubts, err := d.journal.Doubts(e.ctx, id)
		if err != nil {
			return err
		}
		agents, err := d.journal.Count(e.ctx, id, "spawn")
		if err != nil {
			return err
		}
		var result *research.Result
		if info.State.Over() && info.State != journal.StateCancelled {
			if result, err = d.engine.Result(e.ctx, id); err != nil {
				return err
			}
		}
		if e.cli.JSON {
			info.Config = nil
			shown := struct {
				journal.Info
				Totals any             `json:"totals"`
				Agents int             `json:"agents"` // that were spawned
				Doubts []string        `json:"in_doubt"`
				Shape  *research.Shape `json:"shape,omitempty"`
				Report json.RawMessage `json:"report,omitempty"`
			}{info, totals, agents, doubts, nil, nil}
			if result != nil {
				shown.Shape = &result.Shape
			}
			if result != nil && result.Verified {
				shown.Report = result.JSON
			}
			return json.NewEncoder(e.out).Encode(shown)
		}
		fmt.Fprintf(e.err, "run %s: %s %s\nquestion: %s\nmodel %s, prompts %s, epoch %d\nspent: %d steps, %d searches, %d reads, %d tokens, %.1f s, $%.4f\n", id, info.State, info.Stop,
			gate.Printable(info.Question), info.Model, info.PromptVersion, info.Epoch, totals.Steps, totals.Searches, totals.Reads, totals.Tokens, float64(totals.Millis)/1000, float64(totals.MicroUSD)/1e6)
		if result != nil && result.Shape.Elided+result.Shape.Compact > 0 {
			fmt.Fprintf(e.err, "conversation: %d results elided, summarised %d times\n", result.Shape.Elided, result.Shape.Compact)
		}
		if agents > 0 {
			fmt.Fprintf(e.err, "sub-agents: %d\n", agents)
		}
		for _, doubt := range doubts {
			fmt.Fprintln(e.err, "in doubt:", doubt)
		}
		if result != nil && result.Verified {
			_, err = e.out.Write(result.Markdown)
		}
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
	return e.withRun(c.ID, func(d *desk, e *env, id string) error {
		if _, err := d.journal.Info(e.ctx, id); err != nil {
			return d.notFound(id, err)
		}
		enc := json.NewEncoder(e.out)
		write := func(ev journal.Event) error {
			if !c.Bodies {
				return enc.Encode(ev)
			}
			request, err := d.journal.Request(e.ctx, id, ev.Seq)
			if err != nil {
				return err
			}
			outcome, err := d.journal.Outcome(e.ctx, id, ev.Seq)
			if err != nil {
				return err
			}
			return enc.Encode(struct {
				journal.Event
				RequestBody string `json:"request"`
				OutcomeBody string `json:"outcome"`
			}{ev, string(request), string(outcome)})
		}
		if c.Follow {
			for ev, err := range d.journal.Subscribe(e.ctx, id, c.After) {
				if err != nil {
					return err
				}
				if err := write(ev); err != nil {
					return err
				}
			}
			return nil
		}
		for after := c.After; ; {
			events, err := d.journal.Events(e.ctx, id, after, 500)
			if err != nil || len(events) == 0 {
				return err
			}
			for _, ev := range events {
				after = ev.Seq
				if err := write(ev); err != nil {
					return err
				}
			}
		}
	})
}

type runsStopCmd struct {
	ID string `arg:"" name:"run" help:"The run's id, or 'last'."`
}

// Run asks for the answer.
func (c *runsStopCmd) Run(e *env) error {
	return e.withDesk(func(d *desk) error { return d.ask(e, c.ID, d.journal.AskStop, "is asked to answer with what it has") })
}

type runsCancelCmd struct {
	ID string `arg:"" name:"run" help:"The run's id, or 'last'."`
}

// Run cancels.
func (c *runsCancelCmd) Run(e *env) error {
	return e.withDesk(func(d *desk) error { return d.ask(e, c.ID, d.journal.Cancel, "is cancelled") })
}

type runsCompareCmd struct {
	A string `arg:"" help:"A run."`
	B string `arg:"" help:"Another run."`
}

// Run compares.
func (c *runsCompareCmd) Run(e *env) error {
	return e.withRun(c.A, func(d *desk, e *env, a string) error {
		b, err := d.id(e, c.B)
		if err != nil {
			return err
		}
		return d.compare(e, a, b)
	})
}

type runsExportCmd struct {
	ID string `arg:"" name:"run" help:"The run's id, or 'last'."`
}

// Run exports to stdout.
func (c *runsExportCmd) Run(e *env) error {
	return e.withRun(c.ID, func(d *desk, e *env, id string) error {
		return d.notFound(id, d.journal.Export(e.ctx, id, e.out))
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
		fmt.Fprintln(e.out, id)
		return nil
	})
}
