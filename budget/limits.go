package budget

import (
	"cmp"
	"fmt"
)

// Limits bound a run, each currency on its own. Zero means no limit.
type Limits Amount

// With returns the limits with those of own that are set in their place.
func (l Limits) With(own Limits) Limits {
	l.Steps, l.Searches, l.Reads = cmp.Or(own.Steps, l.Steps), cmp.Or(own.Searches, l.Searches), cmp.Or(own.Reads, l.Reads)
	l.Tokens, l.Millis, l.MicroUSD = cmp.Or(own.Tokens, l.Tokens), cmp.Or(own.Millis, l.Millis), cmp.Or(own.MicroUSD, l.MicroUSD)
	return l
}

// A Tier is a named budget, chosen by the user or by one cheap classification (BUDGET-5).
type Tier string

const (
	Quick    Tier = "quick"
	Standard Tier = "standard"
	Deep     Tier = "deep"
)

// Auto stands for the tier that a classification chooses; it has no limits of its own.
const Auto Tier = "auto"

// Tiers lists the tiers, smallest first.
var Tiers = [...]Tier{Quick, Standard, Deep}

// Limits returns a fresh copy of the tier's limits: searches, reads and seconds as the specification gives them, and the
// steps, tokens and dollars that fit: a step for every search, read and finding with room to plan and to answer, and the
// tokens of that many steps over a growing context.
func (t Tier) Limits() (Limits, error) {
	switch t {
	case Quick:
		return Limits{Steps: 12, Searches: 2, Reads: 1, Tokens: 150_000, Millis: 20_000, MicroUSD: 250_000}, nil
	case Standard:
		return Limits{Steps: 40, Searches: 6, Reads: 4, Tokens: 800_000, Millis: 60_000, MicroUSD: 1_000_000}, nil
	case Deep:
		return Limits{Steps: 120, Searches: 15, Reads: 12, Tokens: 4_000_000, Millis: 240_000, MicroUSD: 5_000_000}, nil
	}
	return Limits{}, fmt.Errorf("budget: no tier %q; the tiers are quick, standard and deep", string(t))
}

// Closing is the share set aside at the start for the answer: one step, the tokens and time of one model call.
func (t Tier) Closing() Amount {
	switch t {
	case Quick:
		return Amount{Steps: 1, Tokens: 30_000, Millis: 5_000, MicroUSD: 50_000}
	case Deep:
		return Amount{Steps: 1, Tokens: 200_000, Millis: 30_000, MicroUSD: 500_000}
	}
	return Amount{Steps: 1, Tokens: 100_000, Millis: 15_000, MicroUSD: 150_000}
}
