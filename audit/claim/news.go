package claim

import (
	"fmt"
	"slices"
)

// How near a claim has to be to its quote for a word of its own to be taken for an addition, and not for a part of a free
// rewording.
const (
	leastShare = 0.3  // of a sentence's words that the quote's has: with less it is no copy, whatever else is found
	maxNews    = 4    // words of a sentence that says the quote's words in their order
	maxFree    = 2    // and of one that says them in another
	framedLike = 1.5  // words in the quote's order for each new one
	ordered    = 0.75 // of the known words, that many are in the quote's order
	freeLike   = 4.0  // known words for each new one, where they are not
	mostly     = 0.75 // of the known words, that many are in the sentence that it is about
	maxRelated = 300  // words of the quote that a word is held against
	fewSents   = 3    // sentences of a quote that are taken together
)

// checkNews looks for words of the claim that stand neither in the quote nor around it, and are no other words for what
// does: "and unsafe", "illegally built", "to the mafia" for "to the council". It flags, since a rule knows few of the ways
// to say a thing.
func (p *pair) checkNews() {
	if p.claim.english != p.quote.english {
		return // a translation has no word in common with its original
	}
	for s, m := range p.align {
		if s < maxSents && m.claimAt[1] > m.claimAt[0] {
			p.newsOf(m)
			p.checkKept(m)
		}
	}
}

// newsOf judges the words of one sentence of the claim.
func (p *pair) newsOf(m match) {
	if m.share < leastShare && !p.claim.evaluates(m.claimAt) {
		return
	}
	n := p.newNovelty(m)
	fresh, known, here := n.read()
	if len(fresh) == 0 {
		return
	}
	f := p.frame(m)
	if f.to != nil {
		fresh = slices.DeleteFunc(fresh, func(i int) bool { return n.narrows(i, f) })
	}
	near := float64(f.inOrder) >= framedLike*float64(len(fresh)) && float64(f.inOrder) >= ordered*float64(known) && len(fresh) <= maxNews || known == 1 && len(fresh) == 1 && f.inOrder == 1
	close := float64(here) >= freeLike*float64(len(fresh)) && float64(here) >= mostly*float64(known) && m.back >= 0.5 && len(fresh) <= maxFree
	for k := 0; k < len(fresh); {
		i := fresh[k]
		j := k + 1
		for j < len(fresh) && p.claim.adjoin(fresh[j-1], fresh[j]) {
			j++
		}
		to := fresh[j-1] + 1
		at := f.around(i, to)
		if close || near && at.framed {
			p.tell(i, to, at)
		} else {
			for _, x := range fresh[k:j] {
				if evaluations[p.claim.words[x].stem] && known > 0 {
					p.tell(x, x+1, at)
				}
			}
		}
		k = j
	}
}

// evaluates reports whether a range has a word that judges.
func (t *text) evaluates(at [2]int) bool {
	return slices.ContainsFunc(t.words[at[0]:at[1]], func(w word) bool { return evaluations[w.stem] })
}

// adjoin reports whether nothing but function words that join stands between two words of one clause.
func (t *text) adjoin(i, j int) bool {
	for _, w := range t.words[i+1 : j] {
		if w.content || w.figure || w.kind == mark && w.s != "," || w.s == "." {
			return false
		}
	}
	return j-i <= 3
}

// told reports whether a rule has found something at word i of the claim.
func (p *pair) told(i int) bool {
	about := p.claim.about(i)
	return slices.ContainsFunc(p.verdicts, func(v Verdict) bool { return v.Claim == about })
}

// tell notes the words from i to j of the claim as news.
func (p *pair) tell(i, j int, at place) {
	said := p.claim.span(i, j)
	if j == i+1 && p.told(i) || slices.ContainsFunc(p.verdicts, func(v Verdict) bool { return v.Claim == said }) {
		return // another rule has told it
	}
	there := ""
	if at.quote[1] > at.quote[0] {
		there = p.quote.span(at.quote[0], at.quote[1])
	}
	judges := false
	for _, w := range p.claim.words[i:j] {
		judges = judges || evaluations[w.stem]
	}
	switch {
	case judges:
		p.add(Evaluation, Flag, said, there, fmt.Sprintf("The claim judges (%q), and the quote does not. Leave the judgement out, or quote the words that pass it and say whose it is.", said))
	case there != "":
		p.add(WordReplaced, Flag, said, there, fmt.Sprintf("The claim says %q where the quote says %q. Use the quote's words, or quote those that say yours.", said, there))
	default:
		p.add(WordAdded, Flag, said, clip(p.quote.span(at.sentence[0], at.sentence[1]), 300), fmt.Sprintf("The quote does not say %q, and nothing around it does. Leave it out, or quote the words that say it.", said))
	}
}
