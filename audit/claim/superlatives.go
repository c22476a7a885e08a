package claim

import (
	"fmt"
	"strings"
)

// records are superlatives that do not end in -est.
var records = set("best worst most least record unprecedented unrivalled unparalleled unique first-ever foremost leading top")

// notSuperlative end in -est and are none.
var notSuperlative = set(`west test rest guest forest interest request protest contest harvest invest suggest quest nest nest chest arrest honest modest latest earnest midwest southwest northwest
	digest attest manifest conquest priest budapest bucharest everest crest vest pest best zest jest fest wrest unrest ernest`)

// checkSuperlatives looks for a superlative that the quote has not.
func (p *pair) checkSuperlatives() {
	for i := range p.claim.words {
		w := &p.claim.words[i]
		if w.often || !w.superlative(p.claim.at(i-1), p.claim.at(i+1)) || p.quote.has(w.stem) || p.context.has(w.stem) {
			continue
		}
		other := false
		for j := range p.quote.words {
			q := &p.quote.words[j]
			other = other || !q.often && q.superlative(p.quote.at(j-1), p.quote.at(j+1)) && p.common(i, j) > 0
		}
		if !other {
			p.add(Superlative, Flag, p.claim.about(i), "", fmt.Sprintf("Nothing in the quote says %q.", w.s))
		}
	}
}

func (w *word) superlative(before, next *word) bool {
	switch {
	case w.kind != letters || w.figure || w.capital:
		return false
	case w.s == "most" || w.s == "least":
		return (before.s == "the" || before.s == "its" || before.s == "one" || before.figure) && next.content
	case records[w.s]:
		return w.s != "leading" && w.s != "top" && w.s != "record" || (before.s == "the" || before.s == "a") && w.s != "top" && next.s != "company" && next.s != "label" && next.s != "producer" && next.s != "deal"
	}
	return len(w.s) > 5 && strings.HasSuffix(w.s, "est") && !notSuperlative[w.s]
}
