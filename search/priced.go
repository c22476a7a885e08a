package search

import (
	"context"
	"errors"
)

// Priced returns a provider whose searches cost their list price, in millionths of a dollar, where it does not say what
// one cost. A search that did not do its work costs nothing but what it says.
func Priced(p Provider, microUSD int64) Provider { return priced{p, microUSD} }

type priced struct {
	Provider
	price int64
}

func (p priced) Search(ctx context.Context, query string, n int) (Answer, error) {
	answer, err := p.Provider.Search(ctx, query, n)
	var failed *Error
	if answer.MicroUSD == 0 && (err == nil || errors.As(err, &failed) && failed.Outcome == Degraded) {
		answer.MicroUSD = p.price
	}
	return answer, err
}
