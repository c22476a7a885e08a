package main

import (
	"math"
	"testing"

	"ibid/budget"
)

// A limit holds however small it is, and what is no limit is refused and not left out.
func TestLimitsThatAreHardlyAny(t *testing.T) {
	for _, tt := range []struct {
		f    researchFlags
		want budget.Limits
	}{
		{researchFlags{MaxCost: 0.0000001}, budget.Limits{MicroUSD: 1}},
		{researchFlags{MaxSeconds: 0.0001}, budget.Limits{Millis: 1}},
		{researchFlags{MaxCost: 0.07, MaxSeconds: 2.5, MaxTokens: 3}, budget.Limits{MicroUSD: 70_000, Millis: 2500, Tokens: 3}},
	} {
		tt.f.Tier, tt.f.Approve = "auto", "auto"
		if c, err := tt.f.limits("a question"); err != nil || c.Limits != tt.want {
			t.Errorf("%+v: %+v, %v", tt.want, c.Limits, err)
		}
	}
	for _, n := range []float64{-1, -1e-9, math.NaN(), math.Inf(1), 1e300} {
		for _, f := range []researchFlags{{MaxCost: n}, {MaxSeconds: n}, {AskAbove: n}} {
			f.Tier, f.Approve = "auto", "auto"
			if c, err := f.limits("a question"); err == nil {
				t.Errorf("%v is taken for a limit: %+v, %+v", n, c.Limits, c.Policy)
			}
		}
	}
}

// TestTeamFlag: a number of agents is what the run begins with, and what is none is refused.
func TestTeamFlag(t *testing.T) {
	for given, want := range map[string]int{"": 3, "auto": 3, "0": 0, "1": 1, "8": 8, "9": -1, "-1": -1, "many": -1} {
		f := researchFlags{Tier: "deep", Approve: "auto", Team: given}
		c, err := f.limits("a question")
		got := 0
		if c.Team != nil {
			got = c.Team.Parallel
		}
		if (err != nil) != (want < 0) || want >= 0 && got != want {
			t.Errorf("--team %q: %d agents, %v", given, got, err)
		}
	}
}
