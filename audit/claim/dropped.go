package claim

import (
	"slices"
	"strings"
)

// A claim that leaves words of its quote out mostly says less. It says more, or something else, where the words restrict what is
// denied or counted, or take back what they stand beside.

// Shares of a sentence's words that the quote's has.
const (
	nearShare   = 0.6  // where its light words are looked at
	copiedShare = 0.75 // where what it leaves out is
)

var (
	// softeners leave open whether a thing is what the noun behind them says, or for how long.
	softeners = set(`suspected preliminary provisional tentative prototype adoptive foster surrogate prospective potential mock model replica toy
		artificial simulated hypothetical presumed accused interim temporary partial experimental conditional unconfirmed unverified imitation honorary`)
	// short of what the word behind them says.
	nearlyWords = set("nearly almost virtually practically partly partially half nominally theoretically ostensibly")
	joining     = set("and or nor") // of two that are denied, each is denied
	pronouns    = set("me you him her it us them anyone anything anybody")
	exceptions  = set("except excluding excepting")
	trials      = set(`mice mouse rats rat animals animal monkeys pigs dogs rabbits hamsters zebrafish rodents primates vitro vivo silico theory principle simulation simulations cells
		laboratory lab prototypes`)
)

// checkKept looks at what a sentence of the claim that is nearly one of the quote's has in the place of its words, and what it leaves out.
func (p *pair) checkKept(m match) {
	if m.sent < 0 || m.share < nearShare {
		return
	}
	f := p.frame(m)
	if f.to == nil {
		return
	}
	p.checkLight(f)
	if m.share < copiedShare || float64(f.inOrder) < copiedShare*float64(p.claim.telling(m.claimAt)) {
		return
	}
	at := f.inverse()
	p.checkPrepositions(f, at)
	p.checkDropped(f, at)
}

// telling counts the words of a range that say something.
func (t *text) telling(at [2]int) int {
	n := 0
	for i := at[0]; i < at[1]; i++ {
		if t.words[i].tells() {
			n++
		}
	}
	return n
}

// checkDropped looks for the first word of the quote without which the claim says something else.
func (p *pair) checkDropped(f *frame, at []int) {
	for j := f.m.quoteAt[0]; j < f.m.quoteAt[1]; j++ {
		q := &p.quote.words[j]
		takesBack := exceptions[q.s] || q.s == "but" && p.quote.at(j+1).figure
		if !q.content && !takesBack || q.often || p.said(q) || len(q.s) > 3 && p.claim.family(q.s) {
			continue
		}
		left, right := f.kept(at, j, !takesBack && !p.restricts(j))
		if left < 0 && right < 0 || f.put(left, right) {
			continue
		}
		if from, _ := f.omitted(at, j); takesBack || p.restricts(j) && from == j-1 || p.weakens(j) || p.widens(f, at, j, left, right) || p.shareOf(f, at, j, left, right) {
			p.drop(p.claim.about(max(left, right)), j)
			return
		}
	}
}

// weakens reports whether word j of the quote leaves open whether the next one, which the claim has, holds.
func (p *pair) weakens(j int) bool {
	q, next := &p.quote.words[j], p.quote.at(j+1)
	return (softeners[q.s] || nearlyWords[q.s]) && next.kind == letters && next.is&functional == 0 && p.said(next)
}

// widens reports whether the claim denies more without word j of the quote, or says more of all: "no harm" for "no serious harm". left and right
// are the words of the claim between which it is missing, -1 without. Of two that are denied, each is denied.
func (p *pair) widens(f *frame, at []int, j, left, right int) bool {
	if !p.quote.downward(j) || association[p.quote.words[j].s] { // checkCause has looked at it
		return false
	}
	from, to := f.omitted(at, j)
	if k := p.quote.determiner(j); k >= f.m.quoteAt[0] && (at[k-f.m.quoteAt[0]] >= 0 || p.quote.words[from].is&functional == 0 || definites[p.quote.words[from].s]) {
		return false // of that thing the claim speaks, too, or it is no addition to another
	}
	for _, w := range []*word{&p.quote.words[from], &p.quote.words[to], p.quote.at(j - 1), p.quote.at(j + 1)} {
		if joining[w.s] || w.s == "," {
			return false
		}
	}
	if right >= 0 {
		return p.claim.downward(right)
	}
	return p.claim.downward(left)
}

// omitted is the stretch around word j of the quote that the claim leaves out, its end inclusive.
func (f *frame) omitted(at []int, j int) (from, to int) {
	from, to = j, j
	for from > f.m.quoteAt[0] && at[from-1-f.m.quoteAt[0]] < 0 {
		from--
	}
	for to+1 < f.m.quoteAt[1] && at[to+1-f.m.quoteAt[0]] < 0 {
		to++
	}
	return from, to
}

// shareOf reports whether word j of the quote, which the claim leaves out, says of what the share is that the sentence states: "households in
// rural districts spend 14 percent", "most of the reported thefts".
func (p *pair) shareOf(f *frame, at []int, j, left, right int) bool {
	if right < 0 {
		return false
	}
	for k := j - 2; k >= f.m.quoteAt[0] && j-k <= 3; k-- {
		if s := p.quote.words[k].s; (s == "most" || s == "majority" || s == "half") && p.quote.words[k+1].s == "of" && at[k-f.m.quoteAt[0]] >= 0 {
			return j+1 < f.m.quoteAt[1] && p.quote.words[j+1].content && at[j+1-f.m.quoteAt[0]] >= 0 && slices.ContainsFunc(adjectival, func(end string) bool { return strings.HasSuffix(p.quote.words[j].s, end) })
		}
	}
	from, to := f.omitted(at, j)
	if left < 0 || !restrictive[p.quote.words[from].s] || p.quote.words[from].s == "of" && p.quote.words[j].capital && p.claim.determiner(left) >= 0 {
		return false // "the port" is that of Halden, as a text goes on to speak of it
	}
	for _, q := range p.quote.figures {
		if q.ratio() && q.from > to && q.to <= f.m.quoteAt[1] && at[q.from-f.m.quoteAt[0]] >= 0 {
			return true
		}
	}
	return false
}

// adjectival are endings of words that stand before a noun and are none.
var adjectival = strings.Fields("ed al ic ive ous ian ish ary ent ant ble ful less")

var restrictive = set("in of from with on at for under over aged within outside without")

// restricts reports whether word j of the quote says of which beings or things alone it holds: in mice, and of a rate, among smokers.
func (p *pair) restricts(j int) bool {
	q, b := &p.quote.words[j], p.quote.at(j-1).s
	switch {
	case q.capital:
		return false
	case trials[q.s]:
		return b == "in" || b == "on" || b == "of"
	case b == "among" || b == "amongst":
		return q.s != "others" && p.quote.shares(j)
	}
	return false
}

// shares reports whether the sentence of word j states a share, rate or risk.
func (t *text) shares(j int) bool {
	from, to := t.sentence(j)
	for _, f := range t.figures {
		if f.from >= from && f.to <= to && f.ratio() {
			return true
		}
	}
	for i := from; i < to; i++ {
		if rates[t.words[i].stem] {
			return true
		}
	}
	return false
}

var rates = stems("rate share proportion percentage prevalence incidence risk mortality odds likelihood average median mean")

// inverse are for the words of the quote's sentence their places in the claim, -1 without.
func (f *frame) inverse() []int {
	at := make([]int, f.m.quoteAt[1]-f.m.quoteAt[0])
	for j := range at {
		at[j] = -1
	}
	for i, j := range f.to {
		if j >= 0 {
			at[j-f.m.quoteAt[0]] = f.m.claimAt[0] + i
		}
	}
	return at
}

// kept are the words of the claim that stand for the nearest content words on both sides of word j of the quote, in its clause or its sentence;
// -1 without.
func (f *frame) kept(at []int, j int, inClause bool) (left, right int) {
	q := f.p.quote
	side := func(step int) int {
		for k := j + step; k >= f.m.quoteAt[0] && k < f.m.quoteAt[1] && (!inClause || q.words[k].clause == q.words[j].clause); k += step {
			if i := at[k-f.m.quoteAt[0]]; i >= 0 && (f.p.claim.words[i].tells() || q.negator(k)) {
				return i
			}
		}
		return -1
	}
	return side(-1), side(1)
}

// put reports whether the claim has content words of its own between two of its words.
func (f *frame) put(left, right int) bool {
	if left < 0 {
		left = f.m.claimAt[0] - 1
	}
	if right < 0 {
		right = f.m.claimAt[1]
	}
	for i := left + 1; i < right; i++ {
		if w := &f.p.claim.words[i]; (w.tells() || pronouns[w.s]) && f.to[i-f.m.claimAt[0]] < 0 {
			return true
		}
	}
	return false
}
