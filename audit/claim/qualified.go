package claim

import "fmt"

// privatives take from the noun behind them what it says: who is the former president is not the president.
var privatives = set(`former retired ex fake alleged supposed putative would self-styled acting deputy vice interim honorary aspiring failed attempted unsuccessful abandoned aborted
	proposed planned draft unofficial counterfeit cancelled canceled unbuilt unfinished`)

// checkPrivatives compares what a noun of the claim is denied or left of in the quote by the word before it, and the other
// way round.
func (p *pair) checkPrivatives() {
	for i, w := range p.claim.words {
		if w.often || !w.content || w.negated || privatives[w.s] || !p.claim.heads(i) {
			continue
		}
		mine := p.claim.privativeOf(i)
		at := p.quote.places(w.stem)
		if len(at) == 0 {
			continue
		}
		theirs, same := "", -1
		for _, j := range at {
			if q := p.quote.words[j]; q.s != w.s || !p.quote.heads(j) {
				continue
			}
			s := p.quote.privativeOf(j)
			if s == mine {
				same = -2
				break
			}
			if same < 0 {
				theirs, same = s, j
			}
		}
		if same < 0 || p.claim.anyOf(privatives, p.sentenceOf(i).claimAt) && mine == "" || p.sentenceOf(i).share < 0.5 || theirs != "" && mine != "" || p.claim.past(i) {
			continue
		}
		severity := Flag
		if m := p.sentenceOf(i); m.copied {
			severity = Block
		}
		p.add(HedgeLost, severity, p.claim.about(i), p.quote.about(same), fmt.Sprintf("The claim says %q, the quote %q. Keep its words.", trimmed(mine, w.s), trimmed(theirs, w.s)))
	}
}

func trimmed(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// heads reports whether the noun at i is the last of its phrase: nothing but a mark or a function word follows.
func (t *text) heads(i int) bool {
	next := t.at(i + 1)
	return next.kind != letters || functionWords[next.s] || next.sent != t.words[i].sent
}

// privativeOf is the privative in the phrase that the noun at i ends, "" if there is none: the former vice president.
func (t *text) privativeOf(i int) string {
	for k := i - 1; k >= i-4 && k >= 0 && t.words[k].kind == letters && t.words[k].clause == t.words[i].clause && !functionWords[t.words[k].s]; k-- {
		if privatives[t.words[k].s] {
			return t.words[k].s
		}
	}
	return ""
}

// past reports whether the sentence of word i tells of the past: who was president may be a former one.
func (t *text) past(i int) bool {
	from, to := t.sentence(i)
	for _, w := range t.words[from:to] {
		if w.s == "was" || w.s == "were" || w.s == "once" || w.s == "had" || w.s == "previously" || w.s == "formerly" || w.s == "served" || w.s == "used" {
			return true
		}
	}
	return false
}
