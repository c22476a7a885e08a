// Package search is the seam between a run and whatever finds pages for it: a web search provider, several of them
// fused, or a library of local documents. Changing the provider changes nothing that a model sees (SEARCH-1).
package search

import (
	"context"
	"fmt"
	"time"
)

// MaxResults is how many results a run shows at most for one query (TOOLS-2).
const MaxResults = 8

// A Result is one hit. It never carries page content: a snippet is a sentence or two.
type Result struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// A Provider answers queries with at most n results, best first.
//
// An Answer without results and a nil error says one thing: the provider searched and has nothing. Everything else that yields no
// results is an *Error, because absence is evidence only if it is known why (law 7). Results and an *Error whose Outcome
// is Degraded may come together. A cancelled context is returned as such.
type Provider interface {
	// Name identifies the provider in the journal and in reports; it is stable and lower case.
	Name() string
	Search(ctx context.Context, query string, n int) (Answer, error)
}

// An Answer is what a search brought, and what it cost where the provider tells.
type Answer struct {
	Results  []Result  `json:"results"`
	Tokens   int64     `json:"tokens,omitempty"`    // of a model that searched for us
	MicroUSD int64     `json:"micro_usd,omitempty"` // as the provider reports it; 0: it does not say, and its list price counts
	Notices  []Notice  `json:"notices,omitempty"`   // of works that were taken back or corrected, where the provider knows
	Skipped  []Skipped `json:"skipped,omitempty"`   // documents that it should have searched and could not, or not in full
}

// A Notice is what a register of works says of the standing of one that it found.
type Notice struct {
	URL    string `json:"url"` // of the result
	DOI    string `json:"doi,omitempty"`
	Status string `json:"status"` // retracted, doubted, corrected
	Says   string `json:"says"`   // who says so, and by what
}

// A Skipped document is one of the provider's own that it could not search.
type Skipped struct {
	URL    string `json:"url"`
	Reason string `json:"reason"` // a clause about the document
}

// Outcome says why there are no results, or fewer than there should be.
type Outcome string

const (
	Failed       Outcome = "failed"           // network, server or provider fault: an outage, not an answer
	RateLimited  Outcome = "rate_limited"     // too many requests, in any of its disguises
	Quota        Outcome = "quota"            // the plan's searches are used up
	Unauthorised Outcome = "unauthorised"     // no key, or a key that is refused
	Degraded     Outcome = "degraded"         // some of the engines behind the provider did not answer
	Suspicious   Outcome = "suspicious_empty" // an empty list where the provider's earlier answers make that hard to believe
)

// An Error is a search that did not do its work. It is recorded, so it consists of plain values; a nested cause lives
// only as long as the process. Reason says what happened, Hint what a model or a person can do instead.
type Error struct {
	Provider   string        `json:"provider,omitempty"`
	Outcome    Outcome       `json:"outcome"`
	Reason     string        `json:"reason"`
	Hint       string        `json:"hint,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"` // zero: the provider did not say
	Err        error         `json:"-"`
}

func (e *Error) Error() string {
	outcome := e.Outcome
	if outcome == "" {
		outcome = Failed
	}
	s := fmt.Sprintf("search: %s: %s", outcome, e.Reason)
	if e.Provider != "" {
		s = fmt.Sprintf("search %s: %s: %s", e.Provider, outcome, e.Reason)
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }
