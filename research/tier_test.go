package research

import (
	"context"
	"strings"
	"testing"

	"ibid/budget"
	"ibid/llm"
	"ibid/search"
)

// TestTierIsChosen: the automatic tier is one cheap call, recorded and charged; what the user set stays.
func TestTierIsChosen(t *testing.T) {
	for answer, want := range map[string]budget.Tier{"quick": budget.Quick, "This is deep.": budget.Deep, "dunno": budget.Standard, "not quick, standard": budget.Standard} {
		t.Run(answer, func(t *testing.T) {
			asked := 0
			brain := scripted(honest...)
			model := &llm.Local{ID: "scripted", Answer: func(ctx context.Context, r llm.Request) (llm.Response, error) {
				if len(r.Tools) > 0 || len(r.Messages) > 1 {
					resp, err := brain.Answer(ctx, r)
					resp.Usage = llm.Usage{In: 100, Out: 10, Known: true}
					return resp, err
				}
				asked++
				return llm.Response{Blocks: []llm.Block{{Text: answer}}, Stop: llm.StopEnd, Usage: llm.Usage{In: 777, Out: 1, Known: true}}, nil
			}}
			r, _, _, _ := research(t, honest, func(c *Config, p *Parts) {
				c.Tier, c.Limits, c.Closing = budget.Auto, budget.Limits{Reads: 3}, budget.Amount{}
				p.Model, p.Free = model, false
			})
			limits, err := want.Limits()
			if err != nil {
				t.Fatal(err)
			}
			first := r.Shape
			if asked != 1 || first.Spent.Tokens < 777 {
				t.Errorf("asked %d times; %d tokens were charged", asked, first.Spent.Tokens)
			}
			if r.Tier != want || r.Limits.Searches != limits.Searches || r.Limits.Reads != 3 {
				t.Errorf("tier %s with limits %+v, want %s", r.Tier, r.Limits, want)
			}
			if !strings.Contains(string(r.Markdown), "What the run cost is not known in full.") || !r.Verified {
				t.Errorf("a model without a price is not said to have none:\n%s\n%+v", r.Markdown, r.Check.Failures)
			}
		})
	}
}

// TestFreeModelIsNotAsked: a model in this process gets the standard tier.
func TestFreeModelIsNotAsked(t *testing.T) {
	r, _, _, _ := research(t, honest, func(c *Config, _ *Parts) { c.Tier, c.Limits = budget.Auto, budget.Limits{} })
	if r.Tier != budget.Standard || strings.Contains(string(r.Markdown), "not known") {
		t.Errorf("tier %s:\n%s", r.Tier, r.Markdown)
	}
}

// priced is a provider that says what it spent, partly failed.
type priced struct{ search.Provider }

func (p priced) Search(ctx context.Context, q string, n int) (search.Answer, error) {
	a, err := p.Provider.Search(ctx, q, n)
	a.Tokens, a.MicroUSD = 1200, 9000
	if err == nil {
		err = &search.Error{Provider: "second", Outcome: search.Degraded, Reason: "second did not answer"}
	}
	return a, err
}

// TestSearchCost: what a search cost enters the run's totals, and an answer with gaps is told as one.
func TestSearchCost(t *testing.T) {
	r, _, j, id := research(t, honest, func(_ *Config, p *Parts) { p.Search, p.SearchPrice = priced{p.Search}, 5000 })
	if r.Shape.Spent.MicroUSD != 9000 || r.Shape.Spent.Tokens != 1200 || r.Shape.Spent.Searches != 1 {
		t.Errorf("charged %+v", r.Shape.Spent)
	}
	if !r.Verified || !strings.Contains(string(r.Markdown), "1 search failed or gave a part only") {
		t.Errorf("the report does not say that searching was impaired:\n%s\n%+v", r.Markdown, r.Check.Failures)
	}
	if got := toolResults(t, j, id)[1]; !strings.Contains(got, `"outcome":"degraded"`) || !strings.Contains(got, "second did not answer") {
		t.Errorf("the model reads %s", got)
	}
}
