package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"ibid/eval"
	"ibid/runs"
)

type auditCmd struct {
	Pairs     auditPairsCmd     `cmd:"" help:"Hold claims against their evidence: pairs in JSON Lines in, judgements out."`
	Calibrate auditCalibrateCmd `cmd:"" help:"Find the score from which on a judge's word is taken, on pairs with labels."`
	Reports   auditReportsCmd   `cmd:"" help:"Hold reports against their sources: reports in JSON Lines in, judgements out."`
	Sources   auditSourcesCmd   `cmd:"" help:"Say what the sources of reports are worth and which are one origin: the same JSON Lines in, cards and clusters out."`
}

type auditPairsCmd struct {
	File    string `arg:"" help:"JSON Lines with id, claim, evidence and, where known, context; - for stdin."`
	Explain bool   `help:"Also what each rule compared, and what it says."`
	Judge   string `help:"A model that is asked about each pair, as provider/model. It may clear what the rules flag." placeholder:"MODEL" unset:""`
	judgeBudget
	JudgeThreshold int `help:"The judge's score, 0 to 100, from which on it clears a flag." default:"80" placeholder:"SCORE" env:"IBID_JUDGE_THRESHOLD"`
}

// Run judges each pair.
func (c *auditPairsCmd) Run(e *env) error {
	if c.Judge == "" {
		return c.judge(e, nil)
	}
	return e.withDesk(func(*desk) error {
		a, err := c.asker(e, c.Judge, c.JudgeThreshold)
		if err != nil {
			return err
		}
		return c.stopped(e, a, c.judge(e, a))
	})
}

func (c *auditPairsCmd) judge(e *env, a *eval.Asker) error {
	return judgeFile(e, c.File, c.Explain, "pairs", func(ctx context.Context, in io.Reader, out io.Writer, explain bool, bad func(int, error)) error {
		return eval.Pairs(ctx, in, out, explain, a, bad)
	})
}

type auditReportsCmd struct {
	File    string `arg:"" help:"JSON Lines with id, question, report, sources and findings; - for stdin."`
	Explain bool   `help:"Also what fails, where and why."`
}

// Run judges each report.
func (c *auditReportsCmd) Run(e *env) error {
	return judgeFile(e, c.File, c.Explain, "reports", eval.Reports)
}

type auditSourcesCmd struct {
	File string `arg:"" help:"JSON Lines with id, sources and, where known, question and findings; - for stdin."`
}

// Run weighs the sources of each line.
func (c *auditSourcesCmd) Run(e *env) error {
	return judgeFile(e, c.File, false, "sources", func(ctx context.Context, in io.Reader, out io.Writer, _ bool, bad func(int, error)) error {
		return eval.Sources(ctx, in, out, bad)
	})
}

// judgeFile judges a file line by line. Lines that cannot be read are told and left out, and end the command with 1.
func judgeFile(e *env, file string, explain bool, what string, judge func(context.Context, io.Reader, io.Writer, bool, func(int, error)) error) error {
	in := e.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return noFile(what, err)
		}
		defer f.Close()
		in = io.Reader(f)
	}
	bad := 0
	err := judge(e.ctx, in, e.out, explain, func(line int, err error) {
		bad++
		fmt.Fprintf(e.err, "ibid: %s: line %d: %v\n", file, line, err)
	})
	switch {
	case err != nil:
		return fmt.Errorf("judging the %s of %s: %w", what, file, err)
	case bad > 0:
		return fmt.Errorf("%s of %s left out", count(bad, "line"), file)
	}
	return nil
}

// noFile says that a file cannot be read.
func noFile(what string, err error) error {
	code := runs.Invalid
	if errors.Is(err, fs.ErrNotExist) {
		code = runs.NotFound
	}
	return &runs.Error{Code: code, Message: "reading the " + what, Err: err}
}
