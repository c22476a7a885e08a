package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"ibid/budget"
	"ibid/journal"
	"ibid/runs"
)

type resumeCmd struct {
	ID string `arg:"" name:"run" help:"The run's id, or 'last'."`
}

// Run goes on with a run.
func (c *resumeCmd) Run(e *env) error {
	if e.cli.Server == "" {
		return e.withRun(c.ID, (*desk).work)
	}
	return e.withNamed(c.ID, func(s runs.Service, id string) error {
		if err := s.Resume(e.ctx, id); err != nil {
			return err
		}
		return follow(e, s, id)
	})
}

type replayCmd struct {
	ID     string `arg:"" name:"run" help:"The run's id, or 'last'."`
	Prompt string `help:"Use this system prompt instead of the recorded one, to see the first event that would differ." placeholder:"FILE" type:"existingfile"`
}

// Run replays a run and prints its report, which is the recorded one to the byte.
func (c *replayCmd) Run(e *env) error {
	system, err := promptFile(c.Prompt)
	if err != nil {
		return err
	}
	if e.cli.Server != "" {
		return e.withNamed(c.ID, func(s runs.Service, id string) error {
			if e.cli.JSON && system == "" {
				return printReport(e, s, id)
			}
			text, err := s.Replay(e.ctx, id, system)
			if err == nil {
				_, err = e.out.Write(text)
			}
			return err
		})
	}
	return e.withRun(c.ID, func(d *desk, e *env, id string) error {
		if system == "" {
			result, err := d.engine.Result(e.ctx, id)
			if err != nil {
				return err
			}
			return show(e, id, result)
		}
		result, err := d.engine.Replay(e.ctx, id, system)
		if err != nil {
			return err
		}
		return show(e, id, result)
	})
}

// promptFile reads a system prompt.
func promptFile(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", &runs.Error{Code: runs.Invalid, Message: "reading the prompt", Err: err}
	}
	if strings.TrimSpace(string(text)) == "" {
		return "", &runs.Error{Code: runs.Invalid, Message: "the prompt " + path + " is empty"}
	}
	return strings.TrimSpace(string(text)), nil
}

type forkCmd struct {
	ID          string  `arg:"" name:"run" help:"The run's id, or 'last'."`
	Prompt      string  `help:"System prompt of the fork." placeholder:"FILE" type:"existingfile"`
	Model       string  `help:"Model of the fork, as provider/model." placeholder:"MODEL"`
	Tier        string  `help:"Budget of the fork: quick, standard or deep." enum:",quick,standard,deep" default:""`
	MaxSeconds  float64 `help:"Limit of seconds (0: the tier's, or the run's)." placeholder:"SECONDS"`
	MaxCost     float64 `help:"Limit of dollars, as above." placeholder:"DOLLARS"`
	MaxTokens   int64   `help:"Limit of tokens." placeholder:"TOKENS"`
	MaxSteps    int64   `help:"Limit of model turns." placeholder:"N"`
	MaxSearches int64   `help:"Limit of searches." placeholder:"N"`
	MaxReads    int64   `help:"Limit of documents read." placeholder:"N"`
	At          int     `help:"Take the recorded model answers before this step (0: none)." default:"0"`
	Live        bool    `help:"Let the fork search and read beyond the recorded evidence."`
}

// Run makes the fork, works on it, and prints how the two runs compare, claim by claim.
func (c *forkCmd) Run(e *env) error {
	change := runs.Change{At: c.At, Live: c.Live, Model: c.Model, Tier: budget.Tier(c.Tier)}
	var err error
	if change.System, err = promptFile(c.Prompt); err != nil {
		return err
	}
	switch limits, err := limitsOf(c.MaxSteps, c.MaxSearches, c.MaxReads, c.MaxTokens, c.MaxSeconds, c.MaxCost); {
	case err != nil:
		return err
	case limits != budget.Limits{}:
		change.Limits = &limits
	}
	if e.cli.Server != "" {
		return e.withNamed(c.ID, func(s runs.Service, parent string) error {
			info, err := s.Fork(e.ctx, parent, change)
			if err != nil {
				return err
			}
			if of, err := s.Show(e.ctx, parent); err != nil || !reported(of.State) {
				return errors.Join(err, follow(e, s, info.ID))
			}
			p := *e
			p.out = io.Discard // its report stands in the comparison, claim by claim
			if err := follow(&p, s, info.ID); err != nil && !errors.Is(err, exit(exitIncomplete)) {
				return err
			}
			return compare(e, s, parent, info.ID)
		})
	}
	return e.withRun(c.ID, func(d *desk, e *env, parent string) error { return d.fork(e, parent, change) })
}

func (d *desk) fork(e *env, parent string, change runs.Change) error {
	of, config, err := d.engine.Forked(e.ctx, parent, change)
	if err != nil {
		return err
	}
	if err := e.ready(config); err != nil {
		return err
	}
	e.said(config)
	id, err := d.engine.Fork(e.ctx, parent, change)
	if err != nil {
		return err
	}
	p := newProgress(e, id)
	if !e.cli.JSON {
		d.engine.Observe = p.event
	}
	result, err := d.engine.Work(e.ctx, id)
	p.end()
	if err != nil {
		return err
	}
	if !result.Verified || !reported(of.State) { // there is nothing to compare
		return show(e, id, result)
	}
	fmt.Fprintf(e.err, "run %s (fork of %s): %s\n", id, parent, result.Shape)
	return compare(e, d.engine.Everyone(), parent, id)
}

// reported says whether a run that stands so has a report.
func reported(s journal.State) bool { return s.Over() && s != journal.StateCancelled }

// compare prints two runs side by side.
func compare(e *env, s runs.Service, a, b string) error {
	cmp, err := s.Compare(e.ctx, a, b)
	if err != nil {
		return err
	}
	if e.cli.JSON {
		return json.NewEncoder(e.out).Encode(cmp)
	}
	fmt.Fprintf(e.out, "# %s compared with %s\n\n%s in both, %d changed, %d only in %s, %d only in %s.\n", a, b, count(len(cmp.Both), "claim"), len(cmp.Changed), len(cmp.OnlyA), a, len(cmp.OnlyB), b)
	list := func(title string, claims []runs.Claimed) {
		if len(claims) > 0 {
			fmt.Fprintf(e.out, "\n## %s\n\n", title)
		}
		for _, c := range claims {
			fmt.Fprintf(e.out, "- %s [%s] <%s>\n", c.Claim, c.Span, c.URL)
		}
	}
	both := make([]runs.Claimed, len(cmp.Both))
	for i, p := range cmp.Both {
		both[i] = p.A
	}
	list("In both", both)
	if len(cmp.Changed) > 0 {
		fmt.Fprint(e.out, "\n## Changed\n\n")
	}
	for _, p := range cmp.Changed {
		fmt.Fprintf(e.out, "- %s\n  - %s: %s [%s] <%s>\n  - %s: %s [%s] <%s>\n", p.A.Claim, a, p.A.Quote, p.A.Span, p.A.URL, b, p.B.Quote, p.B.Span, p.B.URL)
	}
	list("Only in "+a, cmp.OnlyA)
	list("Only in "+b, cmp.OnlyB)
	return nil
}
