package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
)

// rankConstant is k of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): a page is worth 1/(k+rank) for each
// provider that found it.
const rankConstant = 60

// Fuse returns a provider that asks all of these at once and ranks what they find together. The same answers give the
// same results. Where some fail, the results of the others come with an *Error that is Degraded and names who failed;
// where all fail, with the outcome that can be helped soonest. One provider is returned as it is.
func Fuse(providers ...Provider) Provider {
	if len(providers) == 1 {
		return providers[0]
	}
	return fused(slices.Clone(providers))
}

type fused []Provider

func (f fused) Name() string {
	names := []string{}
	for _, p := range f {
		names = append(names, p.Name())
	}
	return cmp.Or(strings.Join(names, "+"), "none")
}

func (f fused) Search(ctx context.Context, query string, n int) (Answer, error) {
	if len(f) == 0 {
		return Answer{}, &Error{Outcome: Failed, Reason: "no search provider is set up", Hint: "Name at least one."}
	}
	answers, failures := make([]Answer, len(f)), make([]error, len(f))
	var asked sync.WaitGroup
	for i, p := range f {
		asked.Go(func() { answers[i], failures[i] = p.Search(ctx, query, MaxResults) })
	}
	asked.Wait()
	fusion := Answer{Results: []Result{}}
	lists := make([][]Result, len(f))
	var errs []*Error
	answered := false
	for i, err := range failures {
		fusion.Tokens += answers[i].Tokens
		fusion.MicroUSD += answers[i].MicroUSD
		fusion.Skipped = append(fusion.Skipped, answers[i].Skipped...)
		var e *Error
		switch {
		case err == nil:
			answered = true
		case errors.As(err, &e):
			answered = answered || e.Outcome == Degraded
		case ctx.Err() != nil:
			return Answer{}, err
		default:
			e = &Error{Outcome: Failed, Reason: err.Error()}
		}
		if e != nil {
			own := *e
			own.Provider, own.Outcome = f[i].Name(), cmp.Or(own.Outcome, Failed)
			errs = append(errs, &own)
		}
		if err == nil || e.Outcome == Degraded {
			lists[i] = answers[i].Results
			fusion.Notices = append(fusion.Notices, answers[i].Notices...)
		}
	}
	fusion.Results = Clean(rank(lists), n)
	switch {
	case len(errs) == 0:
		return fusion, nil
	case answered:
		return fusion, f.degraded(errs)
	}
	fusion.Results = nil
	return fusion, f.failed(errs)
}

// rank orders the pages of several lists by reciprocal rank fusion. Pages of equal worth are ordered by their best rank,
// then by the order of the lists.
func rank(lists [][]Result) []Result {
	type page struct {
		Result
		worth float64
	}
	var pages []*page
	known := map[string]*page{}
	for at := 0; ; at++ {
		more := false
		for _, l := range lists {
			if at >= len(l) {
				continue
			}
			more = true
			address, key, ok := cleanURL(l[at].URL)
			if !ok {
				continue
			}
			p := known[key]
			if p == nil {
				p = &page{Result: Result{URL: address}}
				known[key], pages = p, append(pages, p)
			}
			p.Title, p.Snippet = cmp.Or(p.Title, l[at].Title), cmp.Or(p.Snippet, l[at].Snippet)
			p.worth += 1 / float64(rankConstant+at+1)
		}
		if !more {
			break
		}
	}
	slices.SortStableFunc(pages, func(a, b *page) int { return cmp.Compare(b.worth, a.worth) })
	ranked := []Result{}
	for _, p := range pages {
		ranked = append(ranked, p.Result)
	}
	return ranked
}

// degraded names who failed where others answered.
func (f fused) degraded(errs []*Error) *Error {
	return &Error{Provider: f.Name(), Outcome: Degraded, Reason: reasons(errs), RetryAfter: soonest(errs),
		Hint: "The other providers answered; what these would have found is missing."}
}

// failed is the error of a search in which all failed.
func (f fused) failed(errs []*Error) *Error {
	order := []Outcome{RateLimited, Suspicious, Failed, Quota, Unauthorised} // what waiting helps against comes first
	best := slices.MinFunc(errs, func(a, b *Error) int {
		return cmp.Compare(slices.Index(order, a.Outcome), slices.Index(order, b.Outcome))
	})
	return &Error{Provider: f.Name(), Outcome: best.Outcome, Reason: reasons(errs), Hint: best.Hint, RetryAfter: soonest(errs), Err: best}
}

func reasons(errs []*Error) string {
	var said []string
	for _, e := range errs {
		said = append(said, e.Provider+": "+string(e.Outcome)+", "+e.Reason)
	}
	return strings.Join(said, "; ")
}

// soonest is the smallest wait that any of the errors names, or zero.
func soonest(errs []*Error) (wait time.Duration) {
	for _, e := range errs {
		if e.RetryAfter > 0 && (wait == 0 || e.RetryAfter < wait) {
			wait = e.RetryAfter
		}
	}
	return wait
}
