package claim

import (
	"fmt"
	"strings"
)

// checkOrder looks whether figures and dates that the quote has stand in the claim for one another: from 7 to 19 for from
// 19 to 7, or A's figure for B's.
func (p *pair) checkOrder() {
	for i := 0; i+1 < len(p.claim.figures); i++ {
		a, b := p.claim.figures[i], p.claim.figures[i+1]
		if a.ordinal || b.ordinal || !p.claim.fromTo(a.from, a.to, b.from) || close(a.value, b.value, 1e-9) {
			continue
		}
		for j := 0; j+1 < len(p.quote.figures); j++ {
			x, y, ok := p.quote.fromToFigures(j)
			if ok && a.equal(y) && b.equal(x) && !a.equal(x) {
				said, there := p.claim.span(a.from-1, b.to), p.quote.span(x.from-1, y.to)
				p.add(NumberRole, Block, said, there, fmt.Sprintf("The claim says %q, the quote %q: the two figures have changed places.", said, there))
			}
		}
	}
	p.checkSwap()
}

// fromTo reports whether two figures stand as "from A to B".
func (t *text) fromTo(a, aEnd, b int) bool {
	return t.at(a-1).s == "from" && t.at(b-1).s == "to" && b-aEnd < 12 && t.words[a].sent == t.words[b].sent
}

// fromToFigures is what the next "from … to" from figure j on leads from and to. Ordinals in between do not count.
func (t *text) fromToFigures(j int) (a, b figure, ok bool) {
	a = t.figures[j]
	if t.at(a.from-1).s != "from" || a.ordinal {
		return a, b, false
	}
	for k := j + 1; k < len(t.figures); k++ {
		if b = t.figures[k]; b.from-a.to >= 12 {
			break
		}
		if !b.ordinal && t.at(b.from-1).s == "to" && b.from-a.to < 12 && t.words[a.from].sent == t.words[b.from].sent {
			return a, b, true
		}
	}
	return a, b, false
}

// checkSwap looks in a claim that is nearly a copy of the quote whether two names have changed places.
func (p *pair) checkSwap() {
	for _, m := range p.align {
		if !m.copied || len(m.edits) < 2 {
			continue
		}
		type side struct{ claim, quote string }
		sides := make([]side, len(m.edits))
		for i, e := range m.edits {
			sides[i] = side{p.claim.span(e.claim[0], e.claim[1]), p.quote.span(e.quote[0], e.quote[1])}
		}
		for i, e := range m.edits {
			a, x := sides[i].claim, sides[i].quote
			for j, f := range m.edits[i+1:] {
				b, y := sides[i+1+j].claim, sides[i+1+j].quote
				if a == "" || b == "" || !begins(y, a) || !begins(x, b) || strings.EqualFold(a, b) || p.symmetric(e, f) {
					continue
				}
				p.add(NumberRole, Block, p.claim.span(m.claimAt[0], m.claimAt[1]), p.quote.span(m.quoteAt[0], m.quoteAt[1]),
					fmt.Sprintf("%q and %q have changed places. Give each what the quote gives it.", a, b))
			}
		}
	}
}

// begins reports whether a text begins with these words.
func begins(text, words string) bool {
	return len(text) >= len(words) && strings.EqualFold(text[:len(words)], words) && (len(text) == len(words) || text[len(words)] == ' ')
}

// symmetric reports whether only "and", "or" or a comma stands between two edits: then their order says nothing.
func (p *pair) symmetric(e, f edit) bool {
	for _, w := range p.claim.words[e.claim[1]:f.claim[0]] {
		if w.s != "and" && w.s != "or" && w.s != "," && w.s != "the" {
			return false
		}
	}
	return true
}
