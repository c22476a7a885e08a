package main

import (
	"fmt"

	"ibid/evidence"
	"ibid/gate"
	"ibid/llm"
	"ibid/llm/catalog"
	"ibid/research"
	"ibid/runs"
)

// chooseJudge pins the model that looks at what rules flag, if one is named.
func (e *env) chooseJudge(c *research.Config, f *researchFlags) error {
	if f.Judge == "" {
		return nil
	}
	if f.JudgeThreshold < 0 || f.JudgeThreshold > 100 {
		return badThreshold()
	}
	name, at, price, err := e.judgeModel(f.Judge, f.Stream)
	if err != nil {
		return err
	}
	if f.MaxCost > 0 && price == nil {
		return noPrice(name)
	}
	c.Judge = research.NewJudge(name, at, price, f.JudgeThreshold)
	return nil
}

func badThreshold() error {
	return &runs.Error{Code: runs.Invalid, Message: "--judge-threshold is a score from 0 to 100", Hint: "'ibid audit calibrate' finds the one that fits a judge."}
}

// judgeModel finds the model that judges. One that runs in this process can do nothing that the rules do not.
func (e *env) judgeModel(named string, stream bool) (name string, at *research.Endpoint, price *catalog.Price, err error) {
	if named == extractiveModel {
		return "", nil, nil, &runs.Error{Code: runs.Invalid, Message: "extractive cannot judge: it runs in this program, and no model reads for it",
			Hint: "Name a model as provider/model, also one of your own machine such as ollama/NAME; without --judge flags stay flags."}
	}
	return e.findModel("choosing the judge", named, stream)
}

// noPrice refuses a limit of dollars that cannot hold.
func noPrice(model string) error {
	return &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("--max-cost cannot hold %s: there is no price for it", model),
		Hint: "Give it one in the configuration ([price] in docs/configuration.md), or limit tokens with --max-tokens."}
}

// openJudge opens a run's judge, if it has one.
func (e *env) openJudge(c research.Config, p *research.Parts, replay bool) (err error) {
	if c.Judge == nil {
		return nil
	}
	p.Judge, p.JudgePrice, err = e.judge(c.Judge, replay)
	return err
}

func (e *env) judge(j *research.Judge, replay bool) (m llm.Model, price func(llm.Usage) int64, err error) {
	if m, err = e.openModel(j.Model, j.Endpoint, replay); err != nil {
		return nil, nil, err
	}
	if j.Price != nil {
		price = j.Price.MicroUSD
	}
	return m, price, nil
}

// judgeWords say what a judge holds of a claim, in words that do no harm on a terminal.
func judgeWords(r evidence.Ruling) string {
	said := gate.Printable(r.Reason)
	if r.Verdict == "" {
		return fmt.Sprintf("%s gave no verdict: %s", gate.Printable(r.Model), said)
	}
	return fmt.Sprintf("%s: %s, %d of 100, and clears from %d on: %s", gate.Printable(r.Model), gate.Printable(r.Verdict), r.Score, r.Threshold, said)
}
