package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"ibid/audit/judge"
	"ibid/budget"
	"ibid/eval"
	"ibid/llm"
	"ibid/research"
	"ibid/runs"
)

// judgeBudget bound what a judge may cost that is asked about pairs.
type judgeBudget struct {
	MaxCost float64 `help:"Limit of dollars (0: none)." placeholder:"DOLLARS" unset:""`
}

// asker opens the judge, with what it said before; the store is open.
func (f *judgeBudget) asker(e *env, named string, threshold int) (*eval.Asker, error) {
	switch {
	case threshold < 0 || threshold > 100:
		return nil, badThreshold()
	case !(f.MaxCost >= 0 && f.MaxCost <= maxLimit):
		return nil, &runs.Error{Code: runs.Invalid, Message: "--max-cost is no limit", Hint: "It is a number of dollars; 0 means none."}
	}
	name, at, price, err := e.judgeModel(named, false)
	if err != nil {
		return nil, err
	}
	switch {
	case price == nil && f.MaxCost > 0:
		return nil, noPrice(name)
	case price == nil && !e.cli.Quiet:
		fmt.Fprintf(e.err, "there is no price for %s: what the judge costs is not known\n", name)
	}
	j := research.NewJudge(name, at, price, threshold)
	a := &eval.Asker{Judge: judge.Judge{Model: name, Prompt: j.Prompt, Threshold: threshold}, Ledger: budget.NewLedger(budget.Limits{MicroUSD: units(f.MaxCost, 1e6)}, budget.Amount{}),
		Kept: &judge.Kept{DB: e.db, Now: time.Now}}
	a.Model, a.Price, err = e.judge(j, false)
	return a, err
}

// stopped tells what was spent, and why the work ended before its end.
func (f *judgeBudget) stopped(e *env, a *eval.Asker, err error) error {
	if spent := a.Ledger.Spent(); !e.cli.Quiet {
		fmt.Fprintf(e.err, "%s: %s\n", a.Judge.Model, cost(spent))
	}
	return explainStop(e, err)
}

// explainStop gives an end before the end its exit status.
func explainStop(e *env, err error) error {
	var over *budget.Exhausted
	var failed *llm.Error
	switch {
	case errors.As(err, &over):
		fmt.Fprintf(e.err, "ibid: %v; what was judged is kept, and not paid for again (--max-cost moves the limit)\n", over)
		return exit(exitIncomplete)
	case errors.As(err, &failed) && (failed.Kind == llm.Auth || failed.Kind == llm.Quota):
		return &runs.Error{Code: runs.Unready, Message: "asking the judge", Err: err, Hint: "'ibid doctor' tells which variable holds the key."}
	}
	return err
}

func cost(a budget.Amount) string {
	if a.MicroUSD == 0 {
		return fmt.Sprintf("%d tokens", a.Tokens)
	}
	return fmt.Sprintf("%d tokens, %s", a.Tokens, budget.Dollars.Format(a.MicroUSD))
}

type auditCalibrateCmd struct {
	Files       []string `arg:"" help:"JSON Lines with id, claim, evidence, label (SUPPORTS, REFUTES, NEI) and, where known, context and dataset; - for stdin."`
	FalseAlarms float64  `help:"The share of supported pairs that may be refused." default:"0.02" placeholder:"SHARE"`
	Judge       string   `help:"The model that judges, as provider/model." placeholder:"MODEL" env:"IBID_JUDGE"`
	judgeBudget
}

// Run asks the judge about all pairs and prints the threshold.
func (c *auditCalibrateCmd) Run(e *env) error {
	switch {
	case c.Judge == "":
		return &runs.Error{Code: runs.Invalid, Message: "there is no judge to calibrate", Hint: "Name it: --judge provider/model"}
	case !(c.FalseAlarms >= 0 && c.FalseAlarms < 1):
		return &runs.Error{Code: runs.Invalid, Message: "--false-alarms is a share from 0 to 1, such as 0.02"}
	}
	pairs, err := c.pairs(e)
	if err != nil {
		return err
	}
	return e.withDesk(func(*desk) error {
		a, err := c.asker(e, c.Judge, 0)
		if err != nil {
			return err
		}
		found, err := eval.Calibrate(e.ctx, pairs, a, c.FalseAlarms, func(done int) {
			if !e.cli.Quiet && (done%250 == 0 || done == len(pairs)) {
				fmt.Fprintf(e.err, "%d of %d pairs; %s\n", done, len(pairs), cost(a.Ledger.Spent()))
			}
		})
		if err != nil {
			return err
		}
		return c.tell(e, found)
	})
}

// pairs reads the files. What cannot be read is told and left out, as long as anything is left.
func (c *auditCalibrateCmd) pairs(e *env) (list []eval.Labelled, err error) {
	for _, file := range c.Files {
		in, name := e.in, "stdin"
		if file != "-" {
			f, err := openPairs(file)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			in, name = io.Reader(f), strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		}
		more, err := eval.ReadLabelled(in, name, func(line int, err error) { fmt.Fprintf(e.err, "ibid: %s: line %d: %v\n", file, line, err) })
		if err != nil {
			return nil, fmt.Errorf("reading the pairs of %s: %w", file, err)
		}
		list = append(list, more...)
	}
	if len(list) == 0 {
		return nil, &runs.Error{Code: runs.Invalid, Message: "there is no pair with a label in " + strings.Join(c.Files, ", ")}
	}
	return list, nil
}

// tell prints what was found. A judge for which no threshold does what was asked, and a calibration that was not finished,
// end with 3.
func (c *auditCalibrateCmd) tell(e *env, found eval.Calibration) error {
	if e.cli.JSON {
		if err := json.NewEncoder(e.out).Encode(found); err != nil {
			return err
		}
	} else {
		printCalibration(e.out, found)
	}
	switch {
	case found.Stopped != "":
		fmt.Fprintf(e.err, "ibid: only %d of %d pairs were judged: %s; what was judged is kept, and not paid for again\n", found.Judged, found.Pairs, found.Stopped)
	case !found.Reached:
		fmt.Fprintf(e.err, "ibid: no threshold refuses as few supported pairs as %.4g%%\n", 100*c.FalseAlarms)
	default:
		return nil
	}
	return exit(exitIncomplete)
}

func printCalibration(out io.Writer, f eval.Calibration) {
	fmt.Fprintf(out, "%s with prompt %s: %d of %d pairs judged, %d without a verdict; %s\n\n", f.Judge, f.Prompt, f.Judged, f.Pairs, f.Chosen.NoVerdict+f.Held.NoVerdict, cost(f.Spent))
	if f.Reached {
		fmt.Fprintf(out, "threshold %d refuses at most %.4g%% of supported pairs: %.1f%% of the %d that it was chosen on.\nOn the others it does this:\n\n", f.Threshold, 100*f.FalseAlarms, 100*f.Chosen.FalseAlarmRate(), f.Chosen.Supported)
	} else {
		fmt.Fprintf(out, "no threshold refuses at most %.4g%% of supported pairs: at 0 it is %.1f%% of %d.\nOn the others it does this:\n\n", 100*f.FalseAlarms, 100*f.Chosen.FalseAlarmRate(), f.Chosen.Supported)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "set\tsupported\trefused\tfalse alarms\tunsupported\trefused\trecall\tno verdict\t")
	for _, s := range append(f.Sets[:len(f.Sets):len(f.Sets)], eval.SetCount{Set: "all", Count: f.Held}, eval.SetCount{Set: "flagged by rules", Count: f.Flagged}) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%.1f%%\t%d\t%d\t%.1f%%\t%d\t\n", s.Set, s.Supported, s.FalseAlarms, 100*s.FalseAlarmRate(), s.Unsupported, s.Refused, 100*s.Recall(), s.NoVerdict)
	}
	w.Flush()
	if f.Reached && f.Threshold < 50 {
		fmt.Fprintf(out, "\nA threshold under 50 also clears what the judge itself takes to be open: of the unsupported pairs %.1f%% would pass.\n", 100*(1-f.Held.Recall()))
	}
	if f.Reached {
		fmt.Fprintf(out, "\nIn the configuration:\n\njudge = %q\njudge-threshold = %d\n", f.Judge, f.Threshold)
	}
}

// openPairs opens a file of pairs.
func openPairs(file string) (*os.File, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, noFile("pairs", err)
	}
	return f, nil
}
