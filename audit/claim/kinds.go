package claim

import "fmt"

// checkKinds looks for a word of a closed class in the claim where the quote has another of the class in its place.
func (p *pair) checkKinds() {
	classes := members()
	for i := range p.claim.words {
		w := &p.claim.words[i]
		if w.often || w.is&classed == 0 || w.kind != letters || w.negated || p.claim.negator(i) {
			continue
		}
		for _, v := range classes[w.s] {
			if !p.claim.partOfName(i, v) {
				p.checkKind(i, v)
			}
		}
	}
}

func (p *pair) checkKind(i int, v member) {
	classes := members()
	best, score, how := -1, 0, Flag
	for _, t := range []*text{p.quote, p.context} {
		for k := range t.words {
			q := &t.words[k]
			if q.is&classed == 0 {
				continue
			}
			for _, u := range classes[q.s] {
				if u == v {
					return // it has it
				}
			}
		}
	}
	for j := range p.quote.words {
		q := &p.quote.words[j]
		if q.often || q.is&classed == 0 {
			continue
		}
		for _, u := range classes[q.s] {
			if u.class != v.class || q.negated || p.quote.partOfName(j, u) || p.claimHas(u) {
				continue
			}
			if n, s := p.slot(i, j); n > score {
				best, score, how = j, n, s
			}
		}
	}
	if best < 0 {
		return
	}
	p.add(KindConflict, how, p.claim.about(i), p.quote.about(best), fmt.Sprintf("The claim says %q where the quote says %q.", p.claim.words[i].s, p.quote.words[best].s))
}

func (p *pair) claimHas(u member) bool {
	for k := range p.claim.words {
		w := &p.claim.words[k]
		if w.is&classed == 0 {
			continue
		}
		for _, x := range members()[w.s] {
			if x == u {
				return true
			}
		}
	}
	return false
}

// slot says how surely two words stand in the same place: before the same noun, behind the same verb and preposition, or
// as what the same subject is said to be.
func (p *pair) slot(i, j int) (score int, s Severity) {
	m := p.sentenceOf(i)
	if m.copied {
		if e, ok := m.editAt(i); ok && e.inPlace() && j >= e.quote[0] && j < e.quote[1] {
			return 9, Block
		}
		if m.back > 0.8 {
			return 0, Flag
		}
	}
	n := p.common(i, j)
	if n == 0 && p.claim.predicate(i) && p.quote.predicate(j) && p.sameSubject(i, j) {
		n = 1
	}
	if n == 0 {
		return 0, Flag
	}
	before, otherBefore := p.claim.at(i-1), p.quote.at(j-1)
	switch {
	case p.sameNoun(i, j):
		return 4 + n, Block
	case before.s == otherBefore.s && functionWords[before.s] && !be[before.s] && !articles[before.s] && p.claim.at(i-2).stem == p.quote.at(j-2).stem:
		return 3 + n, Block
	case p.claim.predicate(i) && p.quote.predicate(j) && !p.claim.at(i+1).capital && !p.quote.at(j+1).capital:
		return 2 + n, Block
	}
	return n, Flag
}

// partOfName reports whether a word that is written with a small letter elsewhere stands in a name: Green Day, White House.
func (t *text) partOfName(i int, v member) bool {
	w := &t.words[i]
	return w.capital && !v.proper && (!t.firstOf(i) || t.at(i+1).capital)
}

// sameSubject reports whether the sentence of the quote has in front of j what the claim's begins with in front of i.
func (p *pair) sameSubject(i, j int) bool {
	from, _ := p.quote.sentence(j)
	all, found := 0, 0
	for k := i - 1; k >= 0 && p.claim.words[k].sent == p.claim.words[i].sent; k-- {
		w := p.claim.words[k]
		if !w.content {
			continue
		}
		all++
		for _, x := range p.quote.places(w.stem) {
			if x >= from && x < j {
				found++
				break
			}
		}
	}
	return found > 0 && found*2 >= all
}

var (
	be       = set("is are was were be been being am")
	articles = set("a an the his her their its")
)

// sameNoun reports whether both words stand, with at most two others between, before the same noun.
func (p *pair) sameNoun(i, j int) bool {
	for k := i + 1; k <= i+3 && k < len(p.claim.words); k++ {
		w := p.claim.words[k]
		if w.kind == mark || functionWords[w.s] {
			return false
		}
		for x := j + 1; x <= j+4 && x < len(p.quote.words); x++ {
			q := p.quote.words[x]
			if q.kind == mark || functionWords[q.s] {
				break
			}
			if q.stem == w.stem {
				return true
			}
		}
	}
	return false
}

// predicate reports whether word i belongs to what "is a" says of the subject.
func (t *text) predicate(i int) bool {
	for k := i - 1; k >= 0 && i-k < 7; k-- {
		w := t.words[k]
		switch {
		case be[w.s]:
			return true
		case w.kind == mark && w.s != "," && w.s != "-" || w.sent != t.words[i].sent, functionWords[w.s] && !articles[w.s] && w.s != "and":
			return false
		}
	}
	return false
}
