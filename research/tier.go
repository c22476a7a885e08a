package research

import (
	"context"
	"errors"
	"math"
	"strings"

	"ibid/agent"
	"ibid/budget"
	"ibid/journal"
	"ibid/llm"
)

// chooseTier asks the model once, cheaply, how much research a question takes (BUDGET-5). A model that runs in this
// process is not asked, and an answer that cannot be had or read means standard: a budget is no reason to fail. It
// returns what the question cost, which counts in the run.
func chooseTier(ctx context.Context, run *journal.Run, c Config, p Parts) (budget.Tier, budget.Amount, error) {
	if p.Free {
		return budget.Standard, budget.Amount{}, nil
	}
	limits, err := budget.Quick.Limits()
	if err != nil {
		return "", budget.Amount{}, err
	}
	ledger := budget.NewLedger(limits.With(c.Limits), budget.Amount{})
	loop := &agent.Loop{Model: p.Model, System: c.Prompts["tier"], MaxTokens: 2048, Price: p.Price, Attempts: 2}
	answer, err := loop.Run(ctx, &agent.Session{Lane: "tier", Record: run, Ledger: ledger, Observe: p.Observe,
		Prompt: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "Question: " + c.Question}}}}})
	if err != nil && !errors.Is(err, context.Canceled) {
		return "", budget.Amount{}, err
	}
	return tierIn(answer.Text), ledger.Spent(), nil
}

// tierIn reads the tier that an answer names: the last one, for models that think aloud.
func tierIn(answer string) budget.Tier {
	tier, at := budget.Standard, -1
	for _, t := range budget.Tiers {
		if i := strings.LastIndex(strings.ToLower(answer), string(t)); i > at {
			tier, at = t, i
		}
	}
	return tier
}

// tellAfter is how many steps in a row may bring nothing new before an agent is told so.
const tellAfter = 4

// guard is how a run's loops are kept from going in circles (LOOP-9).
func guard(c Config) agent.Guard {
	if c.outside() { // goes its own way, for its own money
		return agent.Guard{Repeats: 10, Stall: math.MaxInt, Bad: math.MaxInt}
	}
	if !c.Told {
		return agent.Guard{}
	}
	return agent.Guard{Tell: tellAfter}
}
