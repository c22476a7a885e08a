package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"ibid/gate"
	"ibid/runs"
)

type runsFindingsCmd struct {
	ID string `arg:"" name:"run" help:"The run's id, or 'last'."`
}

// Run lists a run's findings, and what was refused with the rules that block it.
func (c *runsFindingsCmd) Run(e *env) error {
	return e.withNamed(c.ID, func(s runs.Service, id string) error {
		list, err := s.Findings(e.ctx, id)
		if err != nil {
			return err
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(list)
		}
		fmt.Fprint(e.out, findingLines(list))
		return nil
	})
}

// findingLines prints findings for a person.
func findingLines(list runs.Findings) string {
	var b strings.Builder
	for _, f := range list.Findings {
		state := ""
		switch {
		case f.Rejected != "":
			state = "rejected: " + f.Rejected
		case f.Accepted != nil:
			state = "accepted against " + strings.Join(f.Accepted.Codes, ", ") + ": " + f.Accepted.Reason
		case len(f.Flags) > 0:
			state = "flagged: " + strings.Join(f.Flags, ", ")
		}
		fmt.Fprintf(&b, "%s  %s  %s\n", f.ID, f.Key(), gate.Printable(f.Claim))
		if state != "" {
			fmt.Fprintf(&b, "    %s\n", gate.Printable(state))
		}
	}
	for _, r := range list.Refused {
		fmt.Fprintf(&b, "%s  %s  %s\n", r.ID, r.Key(), gate.Printable(r.Claim))
		if r.NotQuoted != "" {
			fmt.Fprintf(&b, "    refused, and cannot be accepted: its quote does not stand there (%s)\n", r.NotQuoted)
			continue
		}
		fmt.Fprintf(&b, "    refused: %s\n    quote: %q\n", strings.Join(r.Codes(), ", "), r.Quote)
		for _, v := range r.Problems {
			fmt.Fprintf(&b, "    %s %s: %s\n", v.Severity, v.Code, gate.Printable(v.Message))
		}
	}
	return b.String()
}

// said is what a person says of a finding.
type said struct {
	ID      string `arg:"" name:"run" help:"The run's id, or 'last'."`
	Finding string `arg:"" help:"The finding's id: F3."`
	Reason  string `help:"Why; it is kept with the run."`
	Undo    bool   `help:"Take it back."`
}

type runsRejectCmd struct{ said }

// Run rejects a finding and prints the report without it.
func (c *runsRejectCmd) Run(e *env) error {
	return c.say(e, runs.Service.Reject, "rejected; the report is made again without it")
}

type runsAcceptCmd struct{ said }

// Run accepts a finding that was refused and prints the report with it.
func (c *runsAcceptCmd) Run(e *env) error {
	return c.say(e, runs.Service.Accept, "accepted; the report is made again with it, and says so")
}

func (c *said) say(e *env, it func(s runs.Service, ctx context.Context, id, finding, reason string) error, done string) error {
	if c.Undo {
		it, done = runs.Service.Undo, "as it was; the report is made again"
	}
	return e.withNamed(c.ID, func(s runs.Service, id string) error {
		if err := it(s, e.ctx, id, c.Finding, c.Reason); err != nil {
			return err
		}
		if !e.cli.Quiet {
			fmt.Fprintf(e.err, "run %s: %s is %s, and so it is shown and bundled from now on\n", id, c.Finding, done)
		}
		return printReport(e, s, id)
	})
}
