package agent

import "ibid/llm"

// rates are what tokens cost, in one unit: read from the provider's cache, written to it, and in an answer.
type rates struct{ read, write, out int64 }

// rates asks the model's own prices. Where they are not known, they are taken to be as is usual: a tenth to read, a
// quarter more to write, five times as much for an answer.
func (r *looping) rates() rates {
	if r.Price == nil {
		return rates{10, 125, 500}
	}
	const each = 10_000 // tokens, few enough for no surcharge
	return rates{r.Price(llm.Usage{CacheRead: each, Known: true}), r.Price(llm.Usage{CacheWrite: each, Known: true}), r.Price(llm.Usage{Out: each, Known: true})}
}

// further is how many model calls are to be expected, this one included: as many as the budget has left, but not more than
// twice as many as there were, since few runs use up their budget.
func (r *looping) further() int64 {
	return min(r.Ledger.LeftClosing().Steps, 2*int64(r.step))
}

// elisionPays says whether leaving out so many tokens saves more, over the steps that are to be expected, than it costs to
// write the tail behind them to the cache again. It does not near the end of the budget, and never where cached tokens
// are free.
func (r *looping) elisionPays(saved, tail int64) bool {
	if r.Ledger.LeftClosing().Steps <= endSteps {
		return false
	}
	c := r.rates()
	return saved > 0 && (c.write-c.read)*tail < c.read*saved*r.further()
}

// compactionPays says whether a compaction saves more than it costs: the summary, made of a cached conversation, and what
// is left, written to the cache again.
func (r *looping) compactionPays(used int64) bool {
	if r.Ledger.LeftClosing().Steps <= endSteps {
		return false
	}
	c := r.rates()
	left := r.Context.CompactAt * targetShare / compactShare
	cost := c.read*used + c.out*usualSummary + (c.write-c.read)*left
	return cost < c.read*(used-left)*r.further()
}

// usualSummary is the tokens of a summary, about.
const usualSummary = 1_500
