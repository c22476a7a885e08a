package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ibid/gate"
	"ibid/index"
	"ibid/knowledge"
	"ibid/runs"
)

type kbQueryCmd struct {
	Args []string `arg:"" name:"name question" help:"The knowledge base and the question; with --runs the question alone."`
	Runs bool     `help:"Search the findings of finished runs instead."`
	Last int      `help:"How many of the newest runs --runs looks at." default:"50" placeholder:"N"`
}

// Run answers a question.
func (c *kbQueryCmd) Run(e *env) error {
	switch {
	case c.Runs && len(c.Args) != 1:
		return &runs.Error{Code: runs.Invalid, Message: "--runs takes the question alone", Hint: "ibid kb query --runs \"…\""}
	case c.Runs:
		return e.withDesk(func(d *desk) error { return c.overRuns(e, d, c.Args[0]) })
	case len(c.Args) != 2:
		return &runs.Error{Code: runs.Invalid, Message: "a knowledge base and a question are wanted", Hint: "ibid kb query NAME \"…\""}
	}
	return e.withBase(func(_ *desk, b *knowledge.Base, user string) error {
		if _, err := b.Info(e.ctx, user, c.Args[0]); err != nil {
			return kbError(c.Args[0], err)
		}
		if err := e.catchUp(b, user, c.Args[0]); err != nil {
			return err
		}
		a, err := b.Query(e.ctx, user, c.Args[0], c.Args[1])
		if err != nil {
			return kbError(c.Args[0], err)
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(a)
		}
		for line := range strings.Lines(a.String()) {
			fmt.Fprintln(e.out, gate.Printable(strings.TrimSuffix(line, "\n")))
		}
		return nil
	})
}

// A found finding is one of an earlier run.
type foundFinding struct {
	Run      string `json:"run"`
	Question string `json:"question"` // of the run
	Finding  string `json:"finding"`
	Claim    string `json:"claim"`
	Quote    string `json:"quote"`
	URL      string `json:"url"`
	Title    string `json:"title"`
	Locator  string `json:"locator"`
}

// overRuns searches what the newest finished runs have found: each is made again from its record, so what a person has rejected
// since is out.
func (c *kbQueryCmd) overRuns(e *env, d *desk, question string) error {
	list, err := d.journal.Runs(e.ctx, max(c.Last, 1))
	if err != nil {
		return err
	}
	x := index.New(index.Config{})
	found := map[string]foundFinding{}
	terms := map[string][]string{}
	for _, info := range list {
		if !reported(info.State) {
			continue
		}
		result, err := d.engine.Result(e.ctx, info.ID)
		if err != nil {
			fmt.Fprintf(e.err, "run %s is left out: %v\n", info.ID, err)
			continue
		}
		for _, f := range result.Findings {
			source, ok := result.Read.Source(f.Source)
			if f.Rejected != "" || !ok || !result.Verified {
				continue
			}
			key := info.ID + " " + f.ID
			found[key] = foundFinding{info.ID, info.Question, f.ID, f.Claim, f.Quote, source.URL, source.Title, f.Locator.String()}
			x.Add(index.Item{Key: key, Body: f.Claim + "\n" + f.Quote})
			terms[key] = index.Terms(f.Claim + "\n" + f.Quote)
		}
	}
	asked := index.Terms(question)
	hits := []foundFinding{}
	more := 0
	for _, h := range x.Search(question, 200) {
		shared := 0
		for i, t := range asked {
			if !slices.Contains(asked[:i], t) && slices.Contains(terms[h.Key], t) {
				shared++
			}
		}
		switch {
		case shared == 0 || 3*shared < len(asked):
		case len(hits) == knowledge.MaxListed:
			more++
		default:
			hits = append(hits, found[h.Key])
		}
	}
	if e.cli.JSON {
		return json.NewEncoder(e.out).Encode(struct {
			Question string         `json:"question"`
			Findings []foundFinding `json:"findings"`
			More     int            `json:"more"`
		}{question, hits, more})
	}
	if len(hits) == 0 {
		fmt.Fprintln(e.out, "No finding of a finished run fits the question.")
	}
	for i, f := range hits {
		fmt.Fprintf(e.out, "%d. %s\n   %q, %s, %s, run %s %s\n", i+1, gate.Printable(f.Claim), gate.Printable(f.Quote), gate.Printable(f.URL), f.Locator, f.Run, f.Finding)
	}
	if more > 0 {
		fmt.Fprintf(e.out, "… and %d more\n", more)
	}
	return nil
}
