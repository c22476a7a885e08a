package claim

import (
	"fmt"
	"slices"
)

var (
	// hedges leave open whether something is so.
	hedges = set(`may might could can possibly possible perhaps probably probable likely unlikely potentially potential suggests suggest suggested appears appear appeared seems seem seemed
		allegedly alleged reportedly apparently believed believe believes thought considered expected expects expect plans plan planned planning aims aim intends intend proposed proposes propose
		hopes hope should would if unless estimated presumably purportedly supposedly rumored rumoured scheduled set will wants claims claimed claim preliminary tentative assumed`)
	// strongHedges may not be left out of what is otherwise a copy.
	strongHedges = set(`may might could possibly perhaps probably allegedly reportedly apparently plans planned planning intends aims proposed expected potentially supposedly believed thought
		likely seems appears suggests claimed`)
	conditions = set("if unless provided assuming")
)

// checkHedges looks whether the claim states what the quote leaves open.
func (p *pair) checkHedges() {
	for _, m := range p.align {
		switch {
		case m.sent < 0:
			continue
		case m.copied:
			p.hedgeCutOut(m)
		case m.share >= 0.5 && !p.claim.anyOf(hedges, m.claimAt):
			p.hedgeLost(m)
		}
		p.checkCondition(m)
	}
}

// proofs claim more certainty than finding or reporting does.
var proofs = set("prove proves proved proven proving demonstrate demonstrates demonstrated establishes established confirms confirmed guarantee guarantees guaranteed undeniable undeniably definitely certainly")

// checkProofs looks for a proof that the quote does not speak of.
func (p *pair) checkProofs() {
	for i, w := range p.claim.words {
		if proofs[w.s] && !w.negated && !p.quote.anyOf(proofs, [2]int{0, len(p.quote.words)}) && !p.quote.has(w.stem) {
			p.add(HedgeLost, Flag, p.claim.about(i), "", fmt.Sprintf("The quote does not say %q. Say no more than it does.", w.s))
		}
	}
}

// checkUnshown looks for a denial in the claim where the quote only has no evidence for the matter.
func (p *pair) checkUnshown() {
	for j := range p.quote.words {
		if p.quote.words[j].often || !p.quote.negator(j) {
			continue
		}
		k := p.quote.complement(j)
		if k < 0 {
			continue
		}
		for _, x := range p.quote.scope(k) {
			for _, i := range p.claim.places[p.quote.words[x].stem] {
				w := p.claim.words[i]
				from, to := p.claim.sentence(i)
				if w.content && w.negated && p.common(i, x) > 0 && !slices.ContainsFunc(p.claim.words[from:to], func(c word) bool { return reports[c.stem] }) {
					p.add(HedgeLost, Flag, p.claim.about(i), p.quote.about(j), fmt.Sprintf("The quote says %q: what is not shown may still be so. Say that it was not shown.", p.quote.about(j)))
					return
				}
			}
		}
	}
}

// anyOf reports whether one of the words in a range is in the set. "May" with a capital is a month.
func (t *text) anyOf(set map[string]bool, at [2]int) bool {
	for i := at[0]; i < at[1]; i++ {
		if w := t.words[i]; set[w.s] && !w.figure && !(w.s == "may" && w.capital && !t.firstOf(i)) {
			return true
		}
	}
	return false
}

func (p *pair) hedgeCutOut(m match) {
	for _, e := range m.edits {
		for j := e.quote[0]; j < e.quote[1]; j++ {
			q := p.quote.words[j]
			if !strongHedges[q.s] || p.quote.compared(j) || q.figure || p.claim.anyOf(hedges, e.claim) || e.quote[1]-e.quote[0] > 4 || e.quote[1] == m.quoteAt[1] && e.claim[0] == e.claim[1] {
				continue
			}
			p.add(HedgeLost, Block, p.claim.about(e.claim[0]), p.quote.about(j), fmt.Sprintf("The quote says %q, and the claim leaves it out. Keep it.", q.s))
		}
	}
}

// hedgeLost looks for a hedge in the clause of the quote that the claim is about.
func (p *pair) hedgeLost(m match) {
	for j := m.quoteAt[0]; j < m.quoteAt[1]; j++ {
		q := p.quote.words[j]
		if !strongHedges[q.s] || p.quote.compared(j) || q.figure || q.s == "may" && q.capital {
			continue
		}
		for k := j + 1; k < m.quoteAt[1] && k < j+4; k++ {
			w := p.quote.words[k]
			if at := p.claim.places[w.stem]; w.content && len(at) > 0 {
				p.add(HedgeLost, Flag, p.claim.about(at[0]), p.quote.about(j), fmt.Sprintf("The quote says %q, and the claim leaves it out. Keep it.", q.s))
				return
			}
		}
	}
}

// compared reports whether the word at i is what something is compared with: less than planned, as expected.
func (t *text) compared(i int) bool { return t.at(i-1).s == "than" || t.at(i-1).s == "as" }

// checkCondition looks for an "if" of the quote that the claim has not.
func (p *pair) checkCondition(m match) {
	if m.share < 0.5 || p.claim.anyOf(conditions, m.claimAt) || p.claim.anyOf(set("when whether depending subject once should"), m.claimAt) {
		return
	}
	for j := m.quoteAt[0]; j < m.quoteAt[1]; j++ {
		if q := p.quote.words[j]; conditions[q.s] && (q.s == "if" || q.s == "unless" || p.quote.at(j+1).s == "that") && p.quote.at(j-1).s != "as" && p.quote.at(j-1).s != "even" {
			p.add(ConditionLost, Flag, p.claim.span(m.claimAt[0], m.claimAt[1]), p.quote.about(j), fmt.Sprintf("The quote sets a condition (%q) that the claim leaves out.", p.quote.about(j)))
			return
		}
	}
}
