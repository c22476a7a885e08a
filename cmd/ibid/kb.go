package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"ibid/budget"
	"ibid/gate"
	"ibid/knowledge"
	"ibid/llm"
	"ibid/research"
	"ibid/runs"
)

type kbCmd struct {
	Add    kbAddCmd    `cmd:"" help:"Remember documents, a text, or a run's findings."`
	Absorb kbAbsorbCmd `cmd:"" help:"Absorb what waits in the queue of a knowledge base."`
	Query  kbQueryCmd  `cmd:"" help:"Ask a knowledge base, or with --runs the findings of finished runs."`
	List   kbListCmd   `cmd:"" help:"List the knowledge bases."`
	Show   kbShowCmd   `cmd:"" help:"Show what a knowledge base knows: facts, what they are about, what does not agree."`
	Export kbExportCmd `cmd:"" help:"Write a knowledge base as JSON Lines."`
	Delete kbDeleteCmd `cmd:"" help:"Delete a knowledge base with all that is in it."`
}

// base is the knowledge base over the opened store.
func (e *env) base() (*knowledge.Base, error) {
	b := &knowledge.Base{DB: e.db, Open: func(model string) (knowledge.Extractor, error) { return e.factModel(model) }}
	m, err := e.embeddings()
	if err != nil {
		return nil, err
	}
	if m != nil {
		b.Meaning, b.Price = m.MeaningConfig, m.Price
	}
	return b, nil
}

// factModel opens a model that draws facts.
func (e *env) factModel(named string) (knowledge.Model, error) {
	if named == extractiveModel {
		return knowledge.Model{}, &runs.Error{Code: runs.Invalid, Message: "extractive draws no facts: rules do without it", Hint: "Leave --model out, or name a provider's model."}
	}
	name, at, price, err := e.findModel("choosing the model that draws facts", named, false)
	if err != nil {
		return knowledge.Model{}, err
	}
	model, err := e.openModel(name, at, false)
	if err != nil {
		return knowledge.Model{}, err
	}
	cost := func(u llm.Usage) budget.Amount {
		a := budget.Amount{Tokens: u.Total()}
		if price != nil {
			a.MicroUSD = price.MicroUSD(u)
		}
		return a
	}
	return knowledge.Model{Name: name, Prompt: knowledge.Prompt(), Ask: func(ctx context.Context, r llm.Request) (llm.Response, budget.Amount, error) {
		body, err := model.Encode(r)
		if err != nil {
			return llm.Response{}, budget.Amount{}, err
		}
		answer, err := model.Send(ctx, body, "")
		if err != nil {
			return llm.Response{}, budget.Amount{}, err
		}
		resp, err := model.Decode(answer)
		return resp, cost(resp.Usage), err
	}}, nil
}

// knowledge pins the knowledge base of a run, if it has one.
func (f *researchFlags) knowledge(e *env, c *research.Config) error {
	if f.KB == "" {
		if f.KBStore || f.KBWait {
			return &runs.Error{Code: runs.Invalid, Message: "--kb-store and --kb-wait are about a knowledge base, and none is named", Hint: "Name one with --kb."}
		}
		return nil
	}
	b, err := e.base()
	if err != nil {
		return err
	}
	k, err := research.NewKnowledge(f.KB, *c, b.Worst(""))
	if err != nil {
		return &runs.Error{Code: runs.Invalid, Message: "--kb", Err: err}
	}
	k.Store, k.Wait = f.KBStore, f.KBWait
	c.Knowledge = k
	return nil
}

// catchUp absorbs what waits in a dataset and costs nothing. Where another program is at it, that goes on.
func (e *env) catchUp(b *knowledge.Base, user, dataset string) error {
	_, err := b.WorkFree(e.ctx, user, dataset)
	var busy *knowledge.Busy
	if errors.As(err, &busy) {
		if !e.cli.Quiet {
			fmt.Fprintf(e.err, "%s: another program absorbs what was remembered\n", dataset)
		}
		return nil
	}
	return kbError(dataset, err)
}

// memorised tells what a run has left in its knowledge base.
func memorised(e *env, m *research.Memorised) {
	if m == nil {
		return
	}
	if m.Failed != "" {
		fmt.Fprintf(e.err, "knowledge base %s: %s\n", m.Dataset, gate.Printable(m.Failed))
	}
	if !e.cli.Quiet && m.Findings+m.LeftOut+m.Waiting > 0 {
		fmt.Fprintf(e.err, "knowledge base %s: %s remembered, %d left out, %d to be absorbed yet\n", m.Dataset, count(m.Findings, "finding"), m.LeftOut, m.Waiting)
	}
}

// kbError says what to do about an error of the knowledge base.
func kbError(dataset string, err error) error {
	var invalid knowledge.Invalid
	switch {
	case errors.Is(err, knowledge.ErrNotFound):
		return &runs.Error{Code: runs.NotFound, Message: "there is no knowledge base " + dataset, Hint: "See them with: ibid kb list"}
	case errors.As(err, &invalid):
		return &runs.Error{Code: runs.Invalid, Message: string(invalid)}
	}
	return err
}

// withBase opens the store and the knowledge base of its user.
func (e *env) withBase(f func(d *desk, b *knowledge.Base, user string) error) error {
	return e.withDesk(func(d *desk) error {
		b, err := e.base()
		if err != nil {
			return err
		}
		return f(d, b, d.engine.Everyone().User())
	})
}

type kbAbsorbCmd struct {
	Name string `arg:"" help:"The knowledge base."`
}

// Run works on the queue until it is empty, with the models that were asked for.
func (c *kbAbsorbCmd) Run(e *env) error {
	return e.withBase(func(_ *desk, b *knowledge.Base, user string) error {
		toll, err := b.Work(e.ctx, user, c.Name)
		var busy *knowledge.Busy
		if errors.As(err, &busy) {
			return &runs.Error{Code: runs.Conflict, Message: busy.Error(), Hint: "It goes on there."}
		}
		if err != nil {
			return kbError(c.Name, err)
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(toll)
		}
		fmt.Fprintf(e.err, "%s: %s absorbed, %d tokens, $%.4f\n", c.Name, count(toll.Snippets, "snippet"), toll.Spent.Tokens, float64(toll.Spent.MicroUSD)/1e6)
		return nil
	})
}

type kbListCmd struct{}

// Run lists datasets.
func (c *kbListCmd) Run(e *env) error {
	return e.withBase(func(_ *desk, b *knowledge.Base, user string) error {
		list, err := b.Datasets(e.ctx, user)
		if err != nil {
			return err
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(list)
		}
		if len(list) == 0 && !e.cli.Quiet {
			fmt.Fprintln(e.err, "there is no knowledge base yet; make one with: ibid kb add NAME FILE")
		}
		for _, i := range list {
			fmt.Fprintf(e.out, "%-20s %s about %s, %s (%d to be absorbed), %s kept, %s\n", i.Name, count(i.Facts, "fact"), count(i.Entities, "thing"), count(i.Snippets, "snippet"), i.Waiting, count(i.Sources, "source"), count(i.Reports, "report"))
		}
		return nil
	})
}

type kbExportCmd struct {
	Name string `arg:"" help:"The knowledge base."`
	outFlag
}

// Run writes a dataset.
func (c *kbExportCmd) Run(e *env) error {
	return e.withBase(func(_ *desk, b *knowledge.Base, user string) error {
		return c.write(e, map[string]any{"dataset": c.Name}, func(w io.Writer) error { return kbError(c.Name, b.Export(e.ctx, user, c.Name, w)) })
	})
}

type kbDeleteCmd struct {
	Name string `arg:"" help:"The knowledge base."`
	Yes  bool   `help:"Do not ask."`
}

// Run deletes a dataset.
func (c *kbDeleteCmd) Run(e *env) error {
	return e.withBase(func(_ *desk, b *knowledge.Base, user string) error {
		info, err := b.Info(e.ctx, user, c.Name)
		if err != nil {
			return kbError(c.Name, err)
		}
		if !c.Yes && !confirmed(e, fmt.Sprintf("Delete %s with %s?", c.Name, count(info.Facts, "fact"))) {
			return &runs.Error{Code: runs.Unattended, Message: c.Name + " was not deleted", Hint: "--yes deletes it without asking."}
		}
		traces, err := b.Delete(e.ctx, user, c.Name)
		if err != nil {
			return kbError(c.Name, err)
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(struct {
				knowledge.Info
				Traces string `json:"traces,omitempty"`
			}{info, traces})
		}
		fmt.Fprintf(e.err, "%s is deleted: %s, %s\n", c.Name, count(info.Facts, "fact"), count(info.Sources, "source"))
		if traces != "" {
			fmt.Fprintf(e.err, "traces of it may be left in the database's files (%s): ibid gc rewrites them\n", traces)
		}
		return nil
	})
}

// confirmed asks a question on the terminal; only yes is yes.
func confirmed(e *env, question string) bool {
	fmt.Fprintf(e.err, "%s [y/N] ", question)
	var answer string
	if _, err := fmt.Fscanln(e.in, &answer); err != nil {
		fmt.Fprintln(e.err) // what follows stands on a line of its own
		return false
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

type kbShowCmd struct {
	Name  string `arg:"" help:"The knowledge base."`
	After int64  `help:"Only facts after this number: 12 for K12." placeholder:"N"`
	Limit int    `help:"How many facts." default:"50"`
}

// Run shows a dataset, a page of its facts, and which of these do not agree.
func (c *kbShowCmd) Run(e *env) error {
	return e.withBase(func(_ *desk, b *knowledge.Base, user string) error {
		if err := e.catchUp(b, user, c.Name); err != nil {
			return err
		}
		info, err := b.Info(e.ctx, user, c.Name)
		if err != nil {
			return kbError(c.Name, err)
		}
		about, err := b.Entities(e.ctx, user, c.Name, 20)
		if err != nil {
			return err
		}
		facts, err := b.Facts(e.ctx, user, c.Name, c.After, c.Limit)
		if err != nil {
			return err
		}
		rivals := knowledge.Disagreements(facts)
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(struct {
				knowledge.Info
				About     []knowledge.Entity `json:"about"`
				Listed    []knowledge.Fact   `json:"listed"`
				Conflicts any                `json:"conflicts"`
			}{info, about, facts, rivals})
		}
		fmt.Fprintf(e.err, "%s: %s, %s (%d to be absorbed), %s kept, %s; absorbing took %d tokens, $%.4f\n",
			info.Name, count(info.Facts, "fact"), count(info.Snippets, "snippet"), info.Waiting, count(info.Sources, "source"), count(info.Reports, "report"), info.Tokens, float64(info.MicroUSD)/1e6)
		for _, a := range about {
			fmt.Fprintf(e.err, "about %s: %d\n", gate.Printable(a.Name), a.Facts)
		}
		shown := knowledge.Answer{Facts: facts}
		for line := range strings.Lines(shown.String()) {
			fmt.Fprintln(e.out, gate.Printable(strings.TrimSuffix(line, "\n")))
		}
		for _, x := range rivals {
			fmt.Fprintf(e.out, "Conflict (%s): %s says %q, %s says %q\n", x.Severity, x.A, gate.Printable(x.SaysA), x.B, gate.Printable(x.SaysB))
		}
		return nil
	})
}
