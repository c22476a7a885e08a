package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ibid/budget"
	"ibid/gate"
	"ibid/research"
	"ibid/runs"
)

// researchFlags shape a run; a configuration file may set them.
type researchFlags struct {
	Files       string   `help:"Research this folder of your own documents." placeholder:"DIR" type:"existingdir" env:"IBID_FILES"`
	Corpus      string   `help:"Research this offline corpus: a folder with an index.json." placeholder:"DIR" type:"existingdir" env:"IBID_CORPUS"`
	Model       string   `help:"The model: extractive needs no key and no network." enum:"extractive" default:"extractive" env:"IBID_MODEL"`
	Tier        string   `help:"The budget: quick, standard or deep." enum:"quick,standard,deep" default:"standard" env:"IBID_TIER"`
	MaxSteps    int64    `help:"Limit of model turns (0: the tier's)." env:"IBID_MAX_STEPS"`
	MaxSearches int64    `help:"Limit of searches (0: the tier's)." env:"IBID_MAX_SEARCHES"`
	MaxReads    int64    `help:"Limit of documents read (0: the tier's)." env:"IBID_MAX_READS"`
	MaxTokens   int64    `help:"Limit of tokens (0: the tier's)." env:"IBID_MAX_TOKENS"`
	MaxSeconds  float64  `help:"Limit of seconds (0: the tier's)." env:"IBID_MAX_SECONDS"`
	MaxDollars  float64  `help:"Limit of dollars (0: the tier's)." env:"IBID_MAX_DOLLARS"`
	Approve     string   `help:"Who decides where a person is needed: auto (by rule), console, deny, or durable (the run parks until 'ibid gate approve')." enum:"auto,console,deny,durable" default:"auto" env:"IBID_APPROVE"`
	Hosts       []string `help:"Read only from these hosts without asking." placeholder:"HOST" env:"IBID_HOSTS"`
	AskAfter    int64    `help:"Ask before every read after this many (0: never)." default:"6" env:"IBID_ASK_AFTER"`
	AskPlan     bool     `help:"Ask before a plan is followed." env:"IBID_ASK_PLAN"`
	AskAbove    float64  `help:"Ask when the run has cost more dollars than this (0: never)." env:"IBID_ASK_ABOVE"`
}

// config turns flags into a run's configuration.
func (f *researchFlags) config(question string) (research.Config, error) {
	c, err := research.New(question, budget.Tier(f.Tier))
	if err != nil {
		return c, &runs.Error{Code: runs.Invalid, Message: err.Error()}
	}
	if f.Files != "" && f.Corpus != "" {
		return c, &runs.Error{Code: runs.Invalid, Message: "--files and --corpus exclude each other", Hint: "Name one of the two."}
	}
	for _, n := range []float64{float64(f.MaxSteps), float64(f.MaxSearches), float64(f.MaxReads), float64(f.MaxTokens), f.MaxSeconds, f.MaxDollars, float64(f.AskAfter), f.AskAbove} {
		if n < 0 {
			return c, &runs.Error{Code: runs.Invalid, Message: "a limit is negative", Hint: "Limits are numbers from 0; 0 means the tier's own."}
		}
	}
	set := func(limit *int64, n int64) {
		if n > 0 {
			*limit = n
		}
	}
	set(&c.Limits.Steps, f.MaxSteps)
	set(&c.Limits.Searches, f.MaxSearches)
	set(&c.Limits.Reads, f.MaxReads)
	set(&c.Limits.Tokens, f.MaxTokens)
	set(&c.Limits.Millis, int64(f.MaxSeconds*1000))
	set(&c.Limits.MicroUSD, int64(f.MaxDollars*1e6))
	c.Model, c.Approver = f.Model, f.Approve
	c.Policy = gate.Default()
	c.Policy.AllowedHosts, c.Policy.AskAfter, c.Policy.AskPlan, c.Policy.AskAbove = f.Hosts, f.AskAfter, f.AskPlan, int64(f.AskAbove*1e6)
	if f.Files != "" {
		c.Files, err = filepath.Abs(f.Files)
	}
	if f.Corpus != "" && err == nil {
		c.Corpus, err = filepath.Abs(f.Corpus)
	}
	return c, err
}

type researchCmd struct {
	Question string `arg:"" help:"The question; - reads it from stdin."`
	researchFlags
}

// Run starts a run, works on it, and prints its report.
func (c *researchCmd) Run(e *env) error {
	question := c.Question
	if question == "-" {
		text, err := io.ReadAll(io.LimitReader(e.in, 1<<16))
		if err != nil {
			return fmt.Errorf("reading the question from stdin: %w", err)
		}
		question = string(text)
	}
	config, err := c.config(question)
	if err != nil {
		return err
	}
	d, err := e.desk()
	if err != nil {
		return err
	}
	defer d.close()
	id, err := d.engine.Start(e.ctx, config)
	if err != nil {
		return err
	}
	return d.work(e, id)
}

// show prints a finished run's report and says how it went; the exit code tells a verified report from an incomplete
// one. Nothing that failed its check is printed.
func show(e *env, id string, r *research.Result) error {
	switch {
	case r.Stop == "parked":
		fmt.Fprintf(e.err, "run %s waits for a decision:\n  ibid gate list\n  ibid resume %s\n", id, id)
		return exit(exitGate)
	case r.Stop == "cancelled":
		fmt.Fprintf(e.err, "run %s was stopped before its end. What it did is kept:\n  ibid resume %s\n", id, id)
		return exit(exitAborted)
	case !r.Verified:
		fmt.Fprintf(e.err, "run %s: the report did not pass its check and is not printed:\n%s", id, failures(r.Check))
		return exit(exitIntegrity)
	}
	w := bufio.NewWriter(e.out)
	if e.cli.JSON {
		line, err := json.Marshal(struct {
			Type   string          `json:"type"`
			Run    string          `json:"run"`
			Report json.RawMessage `json:"report"`
		}{"result", id, r.JSON})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\n", line)
	} else if _, err := w.Write(r.Markdown); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if !e.cli.Quiet {
		fmt.Fprintf(e.err, "run %s: %s\n", id, r.Shape.String())
	}
	switch {
	case r.Stop == "failed":
		return exit(exitFailed)
	case !r.Stop.Complete():
		fmt.Fprintf(e.err, "the report is incomplete (%s); it names what is missing\n", strings.TrimPrefix(string(r.Stop), "budget:"))
		return exit(exitIncomplete)
	}
	return nil
}
