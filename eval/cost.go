package eval

import (
	"context"
	"fmt"
	"io"
	"strings"

	"ibid/agent"
	"ibid/budget"
	"ibid/llm"
	"ibid/llm/catalog"
)

// costModels are what runs are priced by: rows of the catalogue that stand for the ways in which providers charge for their
// caches. The goals are those of the first.
var costModels = []string{"anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-5-5", "openai/gpt-5", "openai/gpt-4.1", "openai/gpt-4o", "openai/gpt-6-astra"}

// Goals of a run, in percent of what it costs to send the whole conversation each time without a cache.
var costGoals = map[int]float64{40: 13.5, 120: 5.4}

// leastHits is the share of the input of 40 steps that is to be read from the cache, in percent.
const leastHits = 85

// A CostRun is one scripted run, priced.
type CostRun struct {
	Steps       int
	Model       string
	Naive       float64 // dollars, with the whole conversation sent each time and no cache
	Cached      float64 // with the provider's cache, and nothing left out
	Elided      float64 // with elision
	Spent       float64 // with all that a run does: elision, and compaction where it pays
	Hits        float64 // share of the input that was read from the cache, in percent
	Peak        int64   // tokens of the longest request
	Elisions    int     // results elided
	Compactions int
	Breaks      int // requests that did not begin with the whole request before
	Logged      int // changes of the conversation that were told
}

// Percent is what was spent of what a naive run costs.
func (r CostRun) Percent() float64 { return 100 * r.Spent / r.Naive }

// Missed says what goal a run misses, or "".
func (r CostRun) Missed() string {
	switch goal := costGoals[r.Steps]; {
	case r.Model != costModels[0] || goal == 0:
	case r.Percent() > goal:
		return fmt.Sprintf("%d steps cost %.1f %% of a naive run; %.1f %% is the goal", r.Steps, r.Percent(), goal)
	case r.Steps == 40 && r.Hits < leastHits:
		return fmt.Sprintf("%d steps read %.1f %% of their input from the cache; %d %% is the goal", r.Steps, r.Hits, leastHits)
	case r.Breaks > r.Logged:
		return fmt.Sprintf("%d steps broke the prefix %d times, of which %d were told", r.Steps, r.Breaks, r.Logged)
	}
	return ""
}

// Cost prices scripted runs of 40 and 120 steps through the loop, by the catalogue, and prints a table. It returns what
// goals were missed.
func Cost(ctx context.Context, known *catalog.Catalog, out io.Writer) (missed []string, err error) {
	fmt.Fprintln(out, "| steps | model | naive $ | cached $ | with elision $ | with all $ | of naive | cache hits | longest request | elided | summaries | prefix breaks |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, steps := range []int{40, 120} {
		plain, err := script(ctx, steps, catalog.Price{}, nil)
		if err != nil {
			return nil, err
		}
		for _, name := range costModels {
			price, ok := known.Price(name)
			if !ok {
				continue // a user's file may have replaced the row
			}
			r, err := PriceRun(ctx, steps, price, plain)
			if err != nil {
				return nil, err
			}
			r.Model = name
			fmt.Fprintf(out, "| %d | %s | %.3f | %.3f | %.3f | %.3f | %.1f %% | %.1f %% | %.0fk | %d | %d | %d |\n", steps, name, r.Naive, r.Cached, r.Elided, r.Spent, r.Percent(), r.Hits,
				float64(r.Peak)/1000, r.Elisions, r.Compactions, r.Breaks)
			if why := r.Missed(); why != "" {
				missed = append(missed, why)
			}
		}
	}
	return missed, nil
}

// PriceRun makes a scripted run by a price, and compares it with a plain one of the same length.
func PriceRun(ctx context.Context, steps int, price catalog.Price, plain *scripted) (CostRun, error) {
	r := CostRun{Steps: steps, Model: price.Model}
	for _, u := range plain.usages {
		r.Cached += float64(price.MicroUSD(u)) / 1e6
		r.Naive += float64(price.MicroUSD(llm.Usage{In: u.In + u.CacheRead + u.CacheWrite, Out: u.Out, Known: true})) / 1e6
	}
	elided, err := script(ctx, steps, price, &agent.Context{Window: windowOf(price), Elide: true})
	if err != nil {
		return r, err
	}
	r.Elided = elided.dollars(price)
	full, err := script(ctx, steps, price, &agent.Context{Window: windowOf(price), CompactAt: agent.DefaultCompactAt, Elide: true, Compact: true})
	if err != nil {
		return r, err
	}
	r.Spent, r.Elisions, r.Compactions, r.Breaks, r.Logged = full.dollars(price), full.answer.Elided, full.answer.Compactions, full.breaks, full.logged
	var in, read int64
	for _, u := range full.usages {
		n := u.In + u.CacheRead + u.CacheWrite
		in, read, r.Peak = in+n, read+u.CacheRead, max(r.Peak, n)
	}
	r.Hits = 100 * float64(read) / float64(in)
	return r, nil
}

func windowOf(p catalog.Price) int64 {
	if p.LongAbove > 0 {
		return min(p.Window, p.LongAbove)
	}
	return p.Window
}

// script makes a run of so many steps: a search, two reads and a finding of each, over and over, and a report.
func script(ctx context.Context, steps int, price catalog.Price, c *agent.Context) (*scripted, error) {
	m := newScripted(steps)
	if c != nil {
		c.Fetch, c.Keeps, c.About = fetchSpec, func(tool string) bool { return tool == "record_finding" }, sourceNames
		c.Pinned = func() string { return strings.Join(m.findings, "\n") }
	}
	session := &agent.Session{Lane: "lead", Ledger: budget.NewLedger(budget.Limits{Steps: int64(steps) + 1 + int64(steps)/24}, budget.Amount{Steps: 1}), Tools: m.tools(), Context: c,
		Prompt:  []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "Question: " + prose(0, 4000-10)}}}},
		Observe: m.observe}
	loop := &agent.Loop{Model: m, System: prose(1, 8800), MaxTokens: 8192, Price: price.MicroUSD}
	answer, err := loop.Run(ctx, session)
	if err != nil {
		return nil, err
	}
	if answer.Stop != agent.StopDone {
		return nil, fmt.Errorf("the scripted run of %d steps ended with %s", steps, answer.Stop)
	}
	m.answer = answer
	return m, nil
}

func (m *scripted) dollars(price catalog.Price) (sum float64) {
	for _, u := range m.usages {
		sum += float64(price.MicroUSD(u)) / 1e6
	}
	return sum
}
