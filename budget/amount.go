// Package budget holds the limits of a run and the ledger that keeps them. A ledger is charged before the spend: an
// amount is reserved, the effect runs, the actual figure settles it. Six currencies each catch another runaway
// (BUDGET-1): steps, searches, reads, tokens, time and money.
package budget

import (
	"fmt"
	"strings"
	"time"
)

// An Amount is a quantity of each currency. It is additive, comparable, and its zero value is nothing.
type Amount struct {
	Steps    int64 `json:"steps,omitempty"`    // model turns
	Searches int64 `json:"searches,omitempty"` // queries to a search provider
	Reads    int64 `json:"reads,omitempty"`    // documents fetched
	Tokens   int64 `json:"tokens,omitempty"`   // in and out, cached or not
	Millis   int64 `json:"millis,omitempty"`   // wall time
	MicroUSD int64 `json:"micro_usd,omitempty"`
}

// Add returns a + b.
func (a Amount) Add(b Amount) Amount {
	return Amount{a.Steps + b.Steps, a.Searches + b.Searches, a.Reads + b.Reads, a.Tokens + b.Tokens, a.Millis + b.Millis, a.MicroUSD + b.MicroUSD}
}

// Sub returns a − b; currencies may become negative.
func (a Amount) Sub(b Amount) Amount {
	return Amount{a.Steps - b.Steps, a.Searches - b.Searches, a.Reads - b.Reads, a.Tokens - b.Tokens, a.Millis - b.Millis, a.MicroUSD - b.MicroUSD}
}

// Currency names one field of an Amount, as users write it: budget:steps.
type Currency string

const (
	Steps    Currency = "steps"
	Searches Currency = "searches"
	Reads    Currency = "reads"
	Tokens   Currency = "tokens"
	Seconds  Currency = "seconds"
	Dollars  Currency = "dollars"
)

// Currencies lists all six, in the order in which they are checked and told.
var Currencies = [...]Currency{Steps, Searches, Reads, Tokens, Seconds, Dollars}

// Hard says whether a spent currency ends the loop with an answer (BUDGET-3). Searches and reads are soft: the model
// is told, and the run goes on.
func (c Currency) Hard() bool { return c != Searches && c != Reads }

// In returns the field of a that c names: milliseconds for Seconds, millionths for Dollars.
func (c Currency) In(a Amount) int64 {
	switch c {
	case Steps:
		return a.Steps
	case Searches:
		return a.Searches
	case Reads:
		return a.Reads
	case Tokens:
		return a.Tokens
	case Seconds:
		return a.Millis
	case Dollars:
		return a.MicroUSD
	}
	return 0
}

// set changes the field of a that c names.
func (a *Amount) set(c Currency, n int64) {
	switch c {
	case Steps:
		a.Steps = n
	case Searches:
		a.Searches = n
	case Reads:
		a.Reads = n
	case Tokens:
		a.Tokens = n
	case Seconds:
		a.Millis = n
	case Dollars:
		a.MicroUSD = n
	}
}

// Format writes a quantity of c for a person: "3", "2.5 s", "$0.04".
func (c Currency) Format(n int64) string {
	switch c {
	case Seconds:
		return (time.Duration(n) * time.Millisecond).Round(100 * time.Millisecond).String()
	case Dollars:
		if n%10_000 == 0 { // whole cents
			return fmt.Sprintf("$%.2f", float64(n)/1e6)
		}
		return fmt.Sprintf("$%.4f", float64(n)/1e6)
	}
	return fmt.Sprint(n)
}

// Count writes an amount with its unit, as people say it: "1 search", "3 searches".
func (c Currency) Count(n int64) string {
	one := strings.TrimSuffix(string(c), "s")
	switch {
	case n != 1:
		return fmt.Sprintf("%d %s", n, c)
	case strings.HasSuffix(one, "che"):
		one = strings.TrimSuffix(one, "e")
	}
	return "1 " + one
}
