package main

import (
	"fmt"
	"ibid/runs"
)

type runsRejectCmd struct {
	ID      string `arg:"" name:"run" help:"The run's id, or 'last'."`
	Finding string `arg:"" help:"The finding's id: F3."`
	Reason  string `help:"Why; it is kept with the run." required:""`
}

// Run rejects a finding and prints the report without it.
func (c *runsRejectCmd) Run(e *env) error {
	if e.cli.Server != "" {
		return e.withNamed(c.ID, func(s runs.Service, id string) error {
			if err := s.Reject(e.ctx, id, c.Finding, c.Reason); err != nil {
				return err
			}
			return printReport(e, s, id)
		})
	}
	return e.withRun(c.ID, func(d *desk, e *env, id string) error {
		result, err := d.engine.Reject(e.ctx, id, c.Finding, c.Reason)
		if err != nil {
			return err
		}
		if !e.cli.Quiet {
			fmt.Fprintf(e.err, "run %s: %s is rejected; the report is made again without it, and so it is shown and bundled from now on\n", id, c.Finding)
		}
		return show(e, id, result)
	})
}
