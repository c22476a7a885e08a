package claim

import "fmt"

// strength of the words that say how much of something is meant, from few to all.
var strength = map[string]int{"few": 1, "some": 2, "several": 2, "certain": 2, "various": 2, "sometimes": 2, "occasionally": 2, "partly": 2, "partially": 2, "part": 2, "number": 2,
	"many": 3, "often": 3, "frequently": 3, "numerous": 3, "much": 3, "half": 3, "most": 4, "mostly": 4, "usually": 4, "generally": 4, "majority": 4, "typically": 4, "mainly": 4, "largely": 4,
	"primarily": 4, "nearly": 4, "almost": 4, "all": 5, "every": 5, "each": 5, "always": 5, "entire": 5, "entirely": 5, "whole": 5, "completely": 5, "fully": 5, "everyone": 5,
	"everybody": 5, "everything": 5, "everywhere": 5, "universally": 5, "invariably": 5, "worldwide": 4, "constantly": 5, "both": 5, "any": 5, "total": 0}

// widening are the universal words that say where and when, and so widen what the quote says of one case.
var widening = set("everywhere always every invariably universally everyone everybody all entire whole")

var almost = set("almost nearly virtually practically")

// nearly reports whether the word at i is all but meant: nearly all, practically his whole life.
func (t *text) nearly(i int) bool {
	if s := t.at(i - 1).s; s == "the" || s == "his" || s == "her" || s == "its" || s == "their" {
		i--
	}
	return almost[t.at(i-1).s]
}

// checkQuantifiers looks for a claim about all where the quote speaks of some, and for one that speaks of all by itself.
func (p *pair) checkQuantifiers() {
	for i := range p.claim.words {
		w := &p.claim.words[i]
		mine := strength[w.s]
		if mine < 4 || w.often || w.negated || w.s == "most" && p.claim.superlativeMost(i) || w.s == "all" && (p.claim.at(i-1).s == "at" || p.claim.at(i-1).s == "of" && p.claim.at(i+1).s == "time" || p.claim.at(i-1).s == "after" || p.claim.at(i-1).s == "first") ||
			w.s == "almost" || w.s == "nearly" || w.s == "any" || w.s == "most" && p.claim.at(i-1).s == "at" || w.hyphen || p.claim.nearly(i) {
			continue
		}
		p.checkQuantifier(i, mine)
	}
}

// superlativeMost reports whether "most" at i makes a superlative: the most populous.
func (t *text) superlativeMost(i int) bool {
	before := t.at(i - 1).s
	return before == "the" || before == "its" || before == "his" || before == "her" || before == "their" || before == "second" || t.at(i-1).figure || before == "and" && t.at(i-2).s != "some"
}

// checkShares holds "most" and "a minority" against a share that the quote states of the same.
func (p *pair) checkShares() {
	for i, w := range p.claim.words {
		more, less := w.s == "most" && !p.claim.superlativeMost(i) || w.s == "majority" || w.s == "mostly", w.s == "minority" || w.s == "few" && p.claim.at(i-1).s != "a"
		if w.often || w.negated || !more && !less {
			continue
		}
		for _, f := range p.quote.figures {
			share := f.value * factor(f)
			if f.of > 0 && !f.part {
				share = f.value / f.of
			} else if !f.ratio() {
				continue
			}
			if share > 1 || !p.countsSame(i, f.to) || more && share > 0.5 || less && share < 0.5 {
				continue
			}
			there := p.quote.about(f.from)
			p.add(Quantifier, Block, p.claim.about(i), there, fmt.Sprintf("The claim says %q where the quote says %q.", w.s, there))
		}
	}
}

func (p *pair) checkQuantifier(i, mine int) {
	w := p.claim.words[i]
	m := p.sentenceOf(i)
	if m.copied {
		p.quantifierEdit(i, mine, m)
		return
	}
	weak := -1
	for j := range p.quote.words {
		q := &p.quote.words[j]
		if q.often || q.is&measuring == 0 {
			continue
		}
		theirs := strength[q.s]
		if theirs == 5 && p.quote.nearly(j) {
			theirs = 4
		}
		if theirs >= mine && q.s != "any" && !(q.s == "most" && p.quote.superlativeMost(j)) && (q.s == w.s || p.quote.sents <= 3 || p.common(i, j) > 0) {
			return
		}
		if theirs > 0 && theirs < mine && p.sameCounted(i, j) {
			weak = j
		}
	}
	for j, f := range p.quote.figures {
		if (f.of > 0 || f.part || f.unit.dim == "ratio" && f.value < 100) && mine == 5 && p.common(i, f.from) > 0 && (f.of > 0 && p.countsSame(i, f.to) || p.countsSame(i, f.to)) {
			weak = p.quote.figures[j].from
		}
	}
	said := p.claim.about(i)
	if weak >= 0 {
		p.add(Quantifier, Block, said, p.quote.about(weak), fmt.Sprintf("The claim says %q where the quote says %q. Say no more than it does.", w.s, p.quote.words[weak].s))
	} else if mine == 5 && widening[w.s] {
		p.add(Scope, Flag, said, "", fmt.Sprintf("Nothing in the quote says %q.", w.s))
	}
}

// quantifierEdit judges a quantifier that a copy has in place of another.
func (p *pair) quantifierEdit(i, mine int, m match) {
	for _, e := range m.edits {
		if e.claim[0] == i && e.claim[1] == i && mine == 5 && e.quote[1]-e.quote[0] == 1 && almost[p.quote.words[e.quote[0]].s] { // nearly all
			p.add(Quantifier, Block, p.claim.about(i), p.quote.about(e.quote[1]), fmt.Sprintf("The quote says %q, the claim %q. Say no more than it does.", p.quote.span(e.quote[0], e.quote[1]+1), p.claim.words[i].s))
			return
		}
		if i < e.claim[0] || i >= e.claim[1] {
			continue
		}
		for j := e.quote[0]; j < e.quote[1]; j++ {
			theirs := strength[p.quote.words[j].s]
			if theirs >= mine && p.quote.words[j].s != "most" {
				return
			}
			f := p.quote.words[j].figure && p.countsSame(i, j+1)
			if f || theirs > 0 && (e.inPlace() || p.sameCounted(i, j)) {
				p.add(Quantifier, Block, p.claim.about(i), p.quote.about(j), fmt.Sprintf("The claim says %q where the quote says %q. Say no more than it does.", p.claim.words[i].s, p.quote.words[j].s))
				return
			}
		}
		p.add(Scope, Flag, p.claim.about(i), p.quote.about(e.quote[0]), fmt.Sprintf("Nothing in the quote says %q.", p.claim.words[i].s))
	}
}

// sameCounted reports whether the quantifiers at i and j stand before the same noun, or the same word follows each.
func (p *pair) sameCounted(i, j int) bool { return p.countsSame(i, j+1) }

// countsSame reports whether one of the next content words behind i is among those from word j on.
func (p *pair) countsSame(i, j int) bool {
	n := 0
	for k := i + 1; k < len(p.claim.words) && k < i+5 && n < 2; k++ {
		w := p.claim.words[k]
		if w.kind == mark || w.sent != p.claim.words[i].sent {
			break
		}
		if !w.content {
			continue
		}
		n++
		for x := j; x < j+5 && x < len(p.quote.words); x++ {
			q := p.quote.words[x]
			if q.kind == mark || x > j && q.sent != p.quote.words[j].sent {
				break
			}
			if q.content && q.stem == w.stem {
				return true
			}
		}
	}
	return false
}
