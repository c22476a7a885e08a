package claim

import "fmt"

// absenceWords begin a claim that there is nothing of a kind.
var absenceWords = set("no none nothing nobody neither never nowhere")

// checkAbsence looks for a claim that something is not there at all, over a quote that denies nothing: of what a source does
// not say it shows no words.
func (p *pair) checkAbsence() {
	for j := range p.quote.words {
		if p.quote.negator(j) {
			return
		}
	}
	for i, w := range p.claim.words {
		if w.often || !absenceWords[w.s] || !p.claim.negator(i) || !p.claim.firstOf(i) && !p.claim.thereIs(i) {
			continue
		}
		scope := p.claim.scope(i)
		if sent, share := p.saidIn(scope); len(scope) == 0 || sent >= 0 && share > 0 {
			continue // checkNegation has compared it
		}
		said := p.claim.about(i)
		p.add(NegationAdded, Flag, said, "", fmt.Sprintf("The claim says that something is not there (%q), and the quote denies nothing. Quote the words that say so, or state it as what could not be established.", said))
	}
}

// thereIs reports whether "there is" stands before word i, at the beginning of a sentence.
func (t *text) thereIs(i int) bool {
	return i > 1 && be[t.words[i-1].s] && t.words[i-2].s == "there" && t.firstOf(i-2)
}
