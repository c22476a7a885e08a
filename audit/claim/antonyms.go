package claim

import "fmt"

// checkAntonyms looks for words of the claim whose opposite stands in the quote in their place.
func (p *pair) checkAntonyms() {
	for i := range p.claim.words {
		w := &p.claim.words[i]
		if w.often || w.kind != letters || w.figure && ordinalWord[w.s] == 0 || len(w.s) < 2 || p.claim.negator(i) {
			continue
		}
		if w.capital && (!p.claim.firstOf(i) || p.claim.nameAt(i)) && !p.sentenceOf(i).copied {
			continue // of a name
		}
		others := lexicon()[w.stem]
		if len(others) == 0 && !up[w.stem] && !down[w.stem] {
			continue
		}
		for _, o := range others {
			p.checkOpposite(i, o)
		}
		if up[w.stem] {
			p.checkDirection(i, down)
		} else if down[w.stem] {
			p.checkDirection(i, up)
		}
	}
}

func (p *pair) checkOpposite(i int, o string) {
	for _, j := range p.quote.places(o) {
		if how := p.opposed(i, j); how != "" {
			p.opposite(i, j, how)
		}
	}
}

// checkDirection looks for a change in the other direction.
func (p *pair) checkDirection(i int, other map[string]bool) {
	tries := 0
	for j := range p.quote.words {
		q := &p.quote.words[j]
		if tries > maxTries {
			return
		}
		if other[q.stem] && q.kind == letters && !q.hyphen && !p.quote.at(j+1).hyphen {
			tries++
			if how := p.opposed(i, j); how != "" {
				p.opposite(i, j, how)
			}
		}
	}
}

func (p *pair) opposite(i, j int, s Severity) {
	code := Antonym
	a, b := p.claim.words[i], p.quote.words[j]
	if up[a.stem] && down[b.stem] || down[a.stem] && up[b.stem] {
		code = Direction
	}
	p.add(code, s, p.claim.about(i), p.quote.about(j), fmt.Sprintf("The claim says %q where the quote says %q.", a.s, b.s))
}

// opposed reports whether word i of the claim stands where its opposite j stands in the quote, and both or neither are
// denied: Block where the words beside them are the same, Flag where only what is spoken of is.
func (p *pair) opposed(i, j int) Severity {
	a, b := p.claim.words[i], p.quote.words[j]
	m := p.sentenceOf(i)
	if m.copied {
		if m.sent == b.sent {
			if e, ok := m.editAt(i); ok && e.inPlace() && j >= e.quote[0] && j < e.quote[1] {
				return Block
			}
		}
		if m.back > 0.8 {
			return ""
		}
	}
	if a.negated != b.negated || p.elsewhere(i, j) {
		return ""
	}
	next, other := p.claim.at(p.claim.pastArticle(i+1)), p.quote.at(p.quote.pastArticle(j+1))
	before, otherBefore := p.claim.at(i-1), p.quote.at(j-1)
	sameNext := next.s != "" && next.kind != mark && next.stem == other.stem
	sameBefore := before.kind != mark && before.stem == otherBefore.stem
	n := p.common(i, j)
	s := Block
	if at := p.quote.places(a.stem); len(at) > 0 && !functionWords[a.s] && p.quote.words[at[0]].s == a.s || p.sameDirection(a) {
		s = Flag
	}
	if p.quote.unrealised(j) && !p.claim.unrealised(i) {
		s = Flag // must be enabled: then it is disabled
	}
	if next.content && other.content && !sameNext && !p.sameNoun(i, j) && !(sameBefore && before.content) {
		s = Flag // of two different things
	}
	switch {
	case functionWords[a.s] || functionWords[b.s] || prepositions[a.s]:
		if sameNext && n > 0 && (next.content || next.figure || p.claim.at(i+2).stem == p.quote.at(j+2).stem) {
			return s
		}
		return ""
	case sameNext && (next.content || next.figure) && n > 0, sameNext && sameBefore, sameBefore && n > 1, n >= 3, m.share >= 0.7 && m.sent == b.sent && n >= 2:
		return s
	case n > 0:
		return Flag
	}
	return ""
}

// pastArticle is the place of the word at i, or behind it where that is an article.
func (t *text) pastArticle(i int) int {
	if s := t.at(i).s; s == "the" || s == "a" || s == "an" || s == "its" {
		return i + 1
	}
	return i
}

// unrealised reports whether the word at i says what must, may or is to be, rather than what is.
func (t *text) unrealised(i int) bool {
	for k := i - 1; k >= 0 && i-k <= 3 && t.words[k].clause == t.words[i].clause; k-- {
		if modals[t.words[k].s] {
			return true
		}
	}
	return false
}

var modals = set("must should can could may might would will shall to cannot if unless")

// sameDirection reports whether the quote has a change in the direction of a too.
func (p *pair) sameDirection(a word) bool {
	set := up
	if down[a.stem] {
		set = down
	}
	if !set[a.stem] {
		return false
	}
	for j := range p.quote.words {
		q := &p.quote.words[j]
		if set[q.stem] && q.kind == letters {
			return true
		}
	}
	return false
}

var prepositions = set("above below over under before after up down inside outside within on off in out")

// elsewhere reports whether the quote has the claim's word near the same words too, or the claim the quote's.
func (p *pair) elsewhere(i, j int) bool {
	a, b := p.claim.words[i], p.quote.words[j]
	for _, k := range p.quote.places(a.stem) {
		if k != j && (p.common(i, k) > 0 || p.quote.words[k].sent == b.sent) {
			return true
		}
	}
	for _, k := range p.claim.places(b.stem) {
		if p.claim.words[k].sent == a.sent {
			return true
		}
	}
	return false
}
