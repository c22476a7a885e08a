package claim

import (
	"fmt"
	"slices"
)

// checkNegation compares what the two texts deny, clause by clause.
func (p *pair) checkNegation() {
	for i := range p.claim.words {
		if !p.claim.words[i].often && p.claim.negator(i) {
			p.negationAdded(i)
		}
	}
	for _, m := range p.align {
		if m.copied {
			p.negationCutOut(m)
		}
	}
	for j := range p.quote.words {
		if !p.quote.words[j].often && p.quote.negator(j) && !p.quote.ofTheCompared(j) && (strictNegators[p.quote.words[j].s] || plainNegators[p.quote.words[j].s]) {
			p.negationLost(j)
		}
	}
}

// negationAdded looks whether the quote says what the claim denies at word i.
func (p *pair) negationAdded(i int) {
	m := p.sentenceOf(i)
	said := p.claim.about(i)
	for _, e := range m.edits {
		if m.copied && i >= e.claim[0] && i < e.claim[1] && !p.quote.denies(e.quote[0]-1, e.quote[1]+1) && !p.oppositeBehind(i, m) && !p.deniesOther(i, m.quoteAt[0], m.quoteAt[1]) {
			p.add(NegationAdded, Block, said, p.quote.about(e.quote[0]), fmt.Sprintf("The claim says %q, and the quote does not deny it: %q.", said, p.quote.about(e.quote[0])))
			return
		}
	}
	scope := p.claim.scope(i)
	if m.copied || len(scope) == 0 {
		return
	}
	sent, share := p.saidIn(scope)
	if sent < 0 || share == 0 {
		return
	}
	from, to := p.quote.bounds(sent)
	if p.quote.deniesBesides(from, to, p.claim, i) || p.oppositeIn(scope, from, to) {
		return
	}
	there := clip(p.quote.span(from, to), 300)
	s := Flag
	if share >= 0.5 && (share == 1 || strictNegators[p.claim.words[i].s] && len(scope) > 2) && !p.deniesOther(i, from, to) {
		s = Block
	}
	p.add(NegationAdded, s, said, there, fmt.Sprintf("The claim denies (%q) what the quote says: %q.", said, there))
}

// deniesOther reports whether what the claim denies at i is of a name, figure or date that the quote's sentence has not:
// "not born in India" is true of who was born in Canada.
func (p *pair) deniesOther(i, from, to int) bool {
	for k := i + 1; k < len(p.claim.words) && p.claim.words[k].clause == p.claim.words[i].clause; k++ {
		w := p.claim.words[k]
		if !w.capital && !(w.figure && w.kind == digits) || w.kind == mark || functionWords[w.s] {
			continue
		}
		found := false
		for _, j := range p.quote.places(w.stem) {
			found = found || j >= from && j < to
		}
		if !found && !(w.capital && p.known(k)) {
			return true
		}
	}
	return false
}

// saidIn finds the sentence of the quote that says the most of some words of the claim, and which share of them.
func (p *pair) saidIn(scope []int) (sent int, share float64) {
	score := map[int]int{}
	seen := map[string]bool{}
	n := 0
	for _, k := range scope {
		w := p.claim.words[k]
		if seen[w.stem] {
			continue
		}
		seen[w.stem] = true
		n++
		last := -1
		for _, j := range p.quote.places(w.stem) {
			if s := p.quote.words[j].sent; s != last {
				score[s] += 2
				last = s
			}
		}
	}
	if n == 0 {
		return -1, 0
	}
	best := 0
	sent = -1
	aligned := p.sentenceOf(scope[0]).sent
	for s := range p.quote.sents {
		v := score[s]
		if v > 0 && s == aligned {
			v++
		}
		if v > best {
			best, sent = v, s
		}
	}
	return sent, float64(best/2) / float64(n)
}

// bounds are the words of sentence s.
func (t *text) bounds(s int) (from, to int) {
	for i, w := range t.words {
		if w.sent == s {
			return t.sentence(i)
		}
	}
	return 0, 0
}

// oppositeIn reports whether a range of the quote has the opposite of one of some words of the claim.
func (p *pair) oppositeIn(scope []int, from, to int) bool {
	for j := from; j < to; j++ {
		for _, k := range scope {
			if opposites(&p.claim.words[k], &p.quote.words[j]) {
				return true
			}
		}
	}
	return false
}

// oppositeBehind reports whether the word that the claim denies at i has its opposite in the quote: "not low" for "high".
func (p *pair) oppositeBehind(i int, m match) bool {
	return p.oppositeIn(p.claim.scope(i)[:min(2, len(p.claim.scope(i)))], m.quoteAt[0], m.quoteAt[1])
}

// negationCutOut looks in a claim that is nearly a copy whether a negator of the quote is missing.
func (p *pair) negationCutOut(m match) {
	for n, e := range m.edits {
		if e.quote[1]-e.quote[0] > 3 || n == len(m.edits)-1 && e.quote[1] == m.quoteAt[1] && e.quote[0] < e.quote[1]-1 && e.claim[0] == e.claim[1] {
			continue
		}
		for j := e.quote[0]; j < e.quote[1]; j++ {
			if p.quote.negator(j) && !p.leftOutWhole(j, e) && !p.claim.denies(e.claim[0]-1, e.claim[1]+1) && !p.oppositeBefore(j, e) {
				p.add(NegationLost, Block, p.claim.about(e.claim[0]), p.quote.about(j), fmt.Sprintf("The quote says %q, and the claim leaves out %q.", p.quote.about(j), p.quote.words[j].s))
			}
		}
	}
}

// leftOutWhole reports whether an edit leaves out what a negator denies together with it: "an account with no money" is an
// account.
func (p *pair) leftOutWhole(j int, e edit) bool {
	if e.claim[0] < e.claim[1] || j+1 >= e.quote[1] {
		return false
	}
	for _, k := range p.quote.scope(j) {
		if k > j && k < j+4 && k >= e.quote[1] && p.quote.words[j].s != "non" {
			return false
		}
	}
	return true
}

// oppositeBefore reports whether the claim has in an edit the opposite of a word that the quote denies.
func (p *pair) oppositeBefore(j int, e edit) bool {
	for _, k := range p.quote.scope(j) {
		for c := e.claim[0]; c < e.claim[1]; c++ {
			if opposites(&p.claim.words[c], &p.quote.words[k]) {
				return true
			}
		}
	}
	return false
}

// ofTheCompared reports whether the negator at j only says what others are compared with: "lower than in people who did
// not drink it".
func (t *text) ofTheCompared(j int) bool {
	k := j
	for k > 0 && t.words[k-1].clause == t.words[j].clause {
		k--
	}
	if s := t.words[k].s; s != "who" && s != "which" && s != "whose" {
		return false
	}
	for i := k - 1; i >= 0 && k-i <= 5 && t.words[i].kind != mark; i-- {
		if t.words[i].s == "than" || t.words[i].s == "with" && t.at(i-1).s == "compared" || t.words[i].s == "to" && t.at(i-1).s == "compared" {
			return true
		}
	}
	return false
}

// fails reports whether the clause of word i says that something failed.
func (t *text) fails(i int) bool {
	return slices.ContainsFunc(t.words, func(w word) bool { return w.clause == t.words[i].clause && (w.stem == "fail" || w.stem == "stop") })
}

// complement is the word "that", "of" or "for" behind which the matter of a denial stands: no evidence that it leaks, nobody says
// that it is safe. -1 if the negator at j denies no such word.
func (t *text) complement(j int) int {
	for k := j + 1; k < len(t.words) && k <= j+6 && t.words[k].sent == t.words[j].sent; k++ {
		w := t.words[k]
		if w.kind == mark {
			return -1
		}
		if !reports[w.stem] {
			continue
		}
		for n := k + 1; n <= k+4 && t.at(n).sent == w.sent; n++ {
			if s := t.at(n).s; s == "that" || (s == "of" || s == "for") && proofNouns[w.stem] {
				return n
			}
		}
	}
	return -1
}

var (
	proofNouns = stems("evidence proof sign indication support confirmation hint trace suggestion basis data")
	reports    = union(proofNouns, stems("say claim believe think show find suggest prove confirm establish demonstrate conclude report argue know indicate agree mean imply expect assume"))
)

// degrees are said of what is denied: who does not always win is not one who wins.
var degrees = set("always necessarily fully completely entirely generally usually automatically consistently reliably immediately actually really")

// negationLost looks whether the claim says what the quote denies at word j: its first denied words, undenied.
func (p *pair) negationLost(j int) {
	scope := p.quote.scope(j)
	if k := p.quote.complement(j); k >= 0 {
		scope = p.quote.scope(k)
	}
	for len(scope) > 1 && degrees[p.quote.words[scope[0]].s] {
		scope = scope[1:]
	}
	if len(scope) == 0 {
		return
	}
	found, at := 0, -1
	for n, k := range scope[:min(len(scope), 5)] {
		for _, i := range p.claim.places(p.quote.words[k].stem) {
			w := p.claim.words[i]
			if !w.content || w.negated && !p.onlyByDenied(i, j) || p.sentenceOf(i).copied && p.sentenceOf(i).sent != p.quote.words[j].sent {
				continue
			}
			from, to := p.claim.sentence(i)
			if p.claim.deniesBesides(from, to, p.quote, j) {
				return
			}
			if n == 0 {
				at = i
			}
			found++
			if w.negated {
				found++ // the word that denies it, which the quote denies too
			}
			break
		}
	}
	if at < 0 || found < min(3, len(scope)) || p.saidElsewhere(scope[0], j) {
		return
	}
	if from, to := p.claim.sentence(at); p.oppositeOfScope(scope, from, to) {
		return
	}
	if scope[0] < j && p.claim.fails(at) { // it did not: it failed
		return
	}
	m := p.sentenceOf(at)
	s := Flag
	if m.sent == p.quote.words[j].sent && m.share >= 0.75 && found >= 2 {
		s = Block
	}
	p.add(NegationLost, s, p.claim.about(at), p.quote.about(j), fmt.Sprintf("The quote denies it: %q. Keep its %q.", p.quote.about(j), p.quote.words[j].s))
}

// onlyByDenied reports whether what denies word i of the claim in its clause is a word that the quote denies at j: "birds avoid
// it" where they "do not avoid it".
func (p *pair) onlyByDenied(i, j int) bool {
	from, to := i, i
	for from > 0 && p.claim.words[from-1].clause == p.claim.words[i].clause {
		from--
	}
	for to < len(p.claim.words) && p.claim.words[to].clause == p.claim.words[i].clause {
		to++
	}
	return !p.claim.deniesBesides(from, to, p.quote, j)
}

func (p *pair) oppositeOfScope(scope []int, from, to int) bool {
	for _, k := range scope {
		for c := from; c < to; c++ {
			if opposites(&p.claim.words[c], &p.quote.words[k]) {
				return true
			}
		}
	}
	return false
}

// saidElsewhere reports whether the quote has the word at k without a negator too.
func (p *pair) saidElsewhere(k, j int) bool {
	for _, x := range p.quote.places(p.quote.words[k].stem) {
		if w := p.quote.words[x]; !w.negated && w.clause != p.quote.words[j].clause {
			return true
		}
	}
	return false
}
