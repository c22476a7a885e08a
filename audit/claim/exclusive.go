package claim

import "fmt"

var (
	exclusiveWords = set(`only solely exclusively exclusive merely purely strictly sole alone`)
	// What the quote may say instead.
	exclusiveLike = set(`only solely exclusively exclusive merely purely strictly sole alone single just simply unique uniquely except nothing none no limited restricted confined entirely
		wholly one never not neither lone last lone consists mere few`)
)

var slight = set("modest small slight slightly little few minor limited partial partially marginal marginally short brief weak some")

// checkExclusive looks for "only" in the claim where the quote has nothing like it.
func (p *pair) checkExclusive() {
	for i, w := range p.claim.words {
		if w.often || !exclusiveWords[w.s] && !(w.s == "nothing" && p.claim.at(i+1).s == "but") && !(w.s == "just" && p.claim.at(i+1).s == "a") {
			continue
		}
		before, next := p.claim.at(i-1), p.claim.at(i+1)
		switch {
		case before.s == "not", before.s == "if", w.s == "alone" && (before.s == "stand" || before.s == "live" || before.stem == "leav" || before.stem == "be" || next.hyphen),
			w.s == "exclusive" && (next.kind == letters && !functionWords[next.s] || before.s == "mutually" || before.s == "an"), w.capital && next.capital && i > 0:
			continue
		case w.s == "strictly" && next.s == "speaking", w.s == "only" && (next.s == "then" || next.s == "to" && next.sent == w.sent && p.quote.has("but")):
			continue
		}
		if next.s == "a" && slight[p.claim.at(i+2).s] || slight[next.s] {
			continue // how little it is, and not what else is not
		}
		if p.exclusiveThere(i) {
			continue
		}
		said := p.claim.about(i)
		m := p.sentenceOf(i)
		there := ""
		if m.sent >= 0 {
			there = clip(p.quote.span(m.quoteAt[0], m.quoteAt[1]), 300)
		}
		p.add(Exclusivity, Block, said, there, fmt.Sprintf("The claim says %q, and nothing in the quote excludes the rest. Take %q out, or quote the words that say so.", said, w.s))
	}
}

// exclusiveThere reports whether the quote excludes the rest too: anywhere in a short one, else near the same words.
func (p *pair) exclusiveThere(i int) bool {
	m := p.sentenceOf(i)
	if m.copied {
		for _, e := range m.edits {
			if i < e.claim[0] || i >= e.claim[1] {
				continue
			}
			for j := e.quote[0]; j < e.quote[1]; j++ {
				if exclusiveLike[p.quote.words[j].s] {
					return true
				}
			}
			return false
		}
		return true
	}
	for j := range p.quote.words {
		q := &p.quote.words[j]
		if q.often || !exclusiveLike[q.s] {
			continue
		}
		strong := exclusiveWords[q.s] || q.s == "just" || q.s == "single" || q.s == "unique" || q.s == "limited" || q.s == "restricted"
		if strong && p.quote.sents <= 3 || p.common(i, j) > 0 && (strong || q.sent == m.sent && q.s != "one" && q.s != "last") {
			return true
		}
	}
	return false
}
