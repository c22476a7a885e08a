package claim

import "fmt"

// checkNames looks for the names of the claim in the quote and beside it. Names are flagged only: whether "the river" is
// the Aller a rule cannot tell.
func (p *pair) checkNames() {
	if !p.claim.english {
		return // other languages write other words with a capital
	}
	for i := 0; i < len(p.claim.words); i++ {
		if !p.claim.nameAt(i) {
			continue
		}
		j := i + 1
		for j < len(p.claim.words) && (p.claim.nameAt(j) || p.claim.words[j].capital && !functionWords[p.claim.words[j].s]) && p.claim.joined(j) {
			j++
		}
		p.checkName(i, j)
		i = j - 1
	}
}

// nameAt reports whether a name begins at word i: a capital within a sentence, or at its start before another.
func (t *text) nameAt(i int) bool {
	w := t.words[i]
	if w.kind != letters || !w.capital || w.figure || functionWords[w.s] || len(w.s) < 2 || negators[w.s] || exclusiveWords[w.s] || strength[w.s] > 0 {
		return false
	}
	if t.firstOf(i) || t.at(i-1).s == "\"" {
		next := t.at(i + 1)
		return next.capital && next.kind == letters && t.joined(i+1)
	}
	return true
}

// checkName judges the name from word i to j, exclusive.
func (p *pair) checkName(i, j int) {
	missing := 0
	last := -1
	for k := i; k < j; k++ {
		w := p.claim.words[k]
		if w.often || functionWords[w.s] || p.known(k) {
			continue
		}
		missing++
		last = k
	}
	if missing == 0 {
		return
	}
	name := p.claim.span(i, j)
	if x, y := p.nameInstead(last); x >= 0 {
		there := p.quote.span(x, y)
		p.add(NameConflict, Flag, name, there, fmt.Sprintf("The claim names %q where the quote names %q.", name, there))
		return
	}
	p.add(NameAbsent, Flag, name, "", fmt.Sprintf("The quote does not name %q, nor does its heading. Make sure that it is what the quote is about.", name))
}

// known reports whether word i of the claim stands in the quote or beside it, also as the adjective of a name or a part of a
// compound.
func (p *pair) known(i int) bool {
	if p.knows == nil {
		p.knows = make([]answer, len(p.claim.words))
	}
	if p.knows[i] == unasked {
		p.knows[i] = no
		if w := &p.claim.words[i]; p.stands(w) || p.named(w.s) {
			p.knows[i] = yes
		}
	}
	return p.knows[i] == yes
}

// An answer is kept where a question is asked again.
type answer byte

const (
	unasked answer = iota
	no
	yes
)

// stands reports whether a word of the claim stands in the quote or beside it, in the same form or as one of many.
func (p *pair) stands(w *word) bool {
	if len(p.there(w)) > 0 || p.context.has(w.stem) || p.around.has(w.stem) {
		return true
	}
	many := stem(w.s + "s")
	return many != w.stem && (p.quote.has(many) || p.context.has(many) || p.around.has(many))
}

// named reports whether a name in the quote or beside it begins like a word.
func (p *pair) named(s string) bool {
	if len(s) <= 5 {
		return false
	}
	for _, t := range []*text{p.quote, p.context, p.around} {
		for _, k := range t.capitals {
			if q := t.words[k].s; len(q) > 5 && q[:5] == s[:5] {
				return true
			}
		}
	}
	return false
}

// nameInstead is the name of the quote in whose place the claim has another.
func (p *pair) nameInstead(i int) (from, to int) {
	m := p.sentenceOf(i)
	for _, e := range m.edits {
		if m.copied && i >= e.claim[0] && i < e.claim[1] && e.quote[1] > e.quote[0] && p.quote.words[e.quote[0]].capital {
			return e.quote[0], e.quote[1]
		}
	}
	before, verb := p.claim.at(i-1), p.claim.at(i-2)
	for i > 1 && before.capital && before.kind == letters {
		i--
		before, verb = p.claim.at(i-1), p.claim.at(i-2)
	}
	if !functionWords[before.s] || !verb.content {
		return -1, -1
	}
	for _, j := range p.quote.places(verb.stem) {
		if p.quote.at(j+1).s == before.s && p.quote.at(j+2).capital {
			to := j + 3
			for to < len(p.quote.words) && p.quote.words[to].capital && p.quote.joined(to) {
				to++
			}
			return j + 2, to
		}
	}
	return -1, -1
}
