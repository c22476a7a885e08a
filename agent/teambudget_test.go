package agent

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"ibid/budget"
	"ibid/llm"
)

var randomRuns = flag.Int("runs", 1000, "random runs of teams over random budgets")

// gambler is a model that does anything at all: answers of random length that call tools at random, several at once.
func gambler(seed uint64) *llm.Local {
	return &llm.Local{ID: "gambler", Answer: func(_ context.Context, r llm.Request) (llm.Response, error) {
		lane := []byte(r.Messages[0].Blocks[0].Text)
		dice := rand.New(rand.NewPCG(seed, uint64(len(r.Messages))<<20|uint64(lane[len(lane)-1])))
		u := llm.Usage{In: dice.Int64N(40), Out: dice.Int64N(int64(r.MaxTokens)), Known: dice.IntN(8) > 0}
		if r.Choice == llm.ChoiceNone || dice.IntN(12) == 0 {
			return llm.Response{Blocks: []llm.Block{{Text: "the answer"}}, Stop: llm.StopEnd, Usage: u}, nil
		}
		if dice.IntN(30) == 0 {
			return llm.Response{}, &llm.Error{Kind: llm.BadRequest, Status: 400, Message: "no"}
		}
		resp := llm.Response{Stop: llm.StopTools, Usage: u}
		for i := range 1 + dice.IntN(4) {
			name := []string{"find", "find", "find", "spawn_subagent", "wait_subagents", "send_message", "nosuch"}[dice.IntN(7)]
			args := fmt.Sprintf(`{"n":%d,"task":"t","reason":"r","to":"a1","text":"x"}`, dice.IntN(50))
			resp.Blocks = append(resp.Blocks, llm.Block{Call: &llm.ToolCall{ID: fmt.Sprint("c", i), Name: name, Args: args}})
		}
		return resp, nil
	}}
}

// TestTeamsNeverOverspend: however calls run side by side and whoever spawns whom, no limit is overshot, nothing is held in
// the end, and each run ends in a stop reason (BUDGET-2, BUDGET-6). The goal is ten thousand runs:
//
//	go test ./agent -run TestTeamsNeverOverspend -runs 10000
func TestTeamsNeverOverspend(t *testing.T) {
	n := *randomRuns
	if testing.Short() {
		n = 50
	}
	spawned, answered := 0, 0
	for i := range n {
		seed := uint64(i)
		dice := rand.New(rand.NewPCG(seed, 1))
		maybe := func(n int64) int64 { return dice.Int64N(2) * (1 + dice.Int64N(n)) }
		limits := budget.Limits{Steps: 1 + dice.Int64N(60), Reads: maybe(30), Tokens: maybe(60_000), MicroUSD: maybe(90_000)}
		w := newTroupe(t, nil)
		w.limits = TeamLimits{Depth: 1 + dice.IntN(2), Number: 3, Parallel: 2}
		s := session(limits, w.fact("lead"))
		s.Ledger = budget.NewLedger(limits, budget.Amount{Steps: 1, Tokens: 8_000, MicroUSD: 12_000})
		loop := &Loop{Model: gambler(seed), MaxTokens: 1500, Attempts: 1, Price: func(u llm.Usage) int64 { return u.Total() * 3 / 2 }}
		crew := w.crew()
		hire := crew.Hire
		crew.Hire = func(m Member) (*Loop, *Session) {
			_, s := hire(m)
			return loop, s
		}
		team := NewTeam(t.Context(), nil, nil, crew)
		team.Lead(s)
		a, err := loop.Run(team.Context(), s)
		if err == nil {
			err = team.Finish("lead")
		}
		if err != nil || a.Stop == "" || a.Stop == StopCancelled || a.Stop == StopParked {
			t.Fatalf("run %d: stop %q, %v", i, a.Stop, err)
		}
		spent := s.Ledger.Spent()
		for _, c := range budget.Currencies {
			if limit := c.In(budget.Amount(limits)); limit > 0 && c.In(spent) > limit {
				t.Fatalf("run %d: %d %s of %d", i, c.In(spent), c, limit)
			}
		}
		if held := s.Ledger.Held(); held != (budget.Amount{}) {
			t.Fatalf("run %d: %+v is held in the end", i, held)
		}
		spawned += team.Members()
		if a.Text != "" {
			answered++
		}
		team.Close()
	}
	t.Logf("%d runs, %d agents, %d answers", n, spawned, answered)
	if spawned < n/4 || answered < n/3 {
		t.Errorf("only %d agents and %d answers in %d runs: the test does not test", spawned, answered, n)
	}
}
