package claim

import (
	"fmt"
	"slices"
	"strings"
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
	// conditional say in other words that a thing depends on another.
	conditional = set("when whether depending subject once should")
	// settled say that something is to be, and hedge nothing that may be.
	settled = set("will shall set wants would should")
)

// checkHedges looks whether the claim states what the quote leaves open.
func (p *pair) checkHedges() {
	for _, m := range p.align {
		switch {
		case m.sent < 0:
			continue
		case m.copied:
			p.hedgeCutOut(m)
		case m.share >= 0.5 && !p.claim.leavesOpen(m.claimAt):
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
			for _, i := range p.claim.places(p.quote.words[x].stem) {
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
		if w := &t.words[i]; set[w.s] && !w.figure && !(w.s == "may" && w.capital && !t.firstOf(i)) {
			return true
		}
	}
	return false
}

// leavesOpen reports whether a range has a hedge that is more than a future.
func (t *text) leavesOpen(at [2]int) bool {
	for i := at[0]; i < at[1]; i++ {
		if w := t.words[i]; hedges[w.s] && !settled[w.s] && t.anyOf(hedges, [2]int{i, i + 1}) {
			return true
		}
	}
	return false
}

func (p *pair) hedgeCutOut(m match) {
	for _, e := range m.edits {
		for j := e.quote[0]; j < e.quote[1]; j++ {
			q := p.quote.words[j]
			if !strongHedges[q.s] || p.quote.compared(j) || q.figure || p.claim.leavesOpen(e.claim) || e.quote[1]-e.quote[0] > 4 || e.quote[1] == m.quoteAt[1] && e.claim[0] == e.claim[1] {
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
			if at := p.claim.places(w.stem); w.content && len(at) > 0 {
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
	if m.share < 0.5 || p.claim.anyOf(conditions, m.claimAt) || p.claim.anyOf(conditional, m.claimAt) {
		return
	}
	for j := m.quoteAt[0]; j < m.quoteAt[1]; j++ {
		if q := p.quote.words[j]; conditions[q.s] && (q.s == "if" || q.s == "unless" || p.quote.at(j+1).s == "that") && p.quote.at(j-1).s != "as" && p.quote.at(j-1).s != "even" {
			p.add(ConditionLost, Flag, p.claim.span(m.claimAt[0], m.claimAt[1]), p.quote.about(j), fmt.Sprintf("The quote sets a condition (%q) that the claim leaves out.", p.quote.about(j)))
			return
		}
	}
}

// checkUnrealised looks for a deed that the claim reports and the quote only has before it: "was repaired" for "is to be
// repaired".
func (p *pair) checkUnrealised() {
	for i, w := range p.claim.words {
		if w.often || !w.content || w.negated || !p.claim.done(i) || p.sentenceOf(i).share < 0.5 {
			continue
		}
		ahead := -1
		for _, j := range p.quote.places(w.stem) {
			if !p.quote.ahead(j) {
				ahead = -1
				break
			}
			ahead = j
		}
		if ahead >= 0 {
			p.add(HedgeLost, Block, p.claim.about(i), p.quote.about(ahead), fmt.Sprintf("The quote has it still to come or only thought of: %q. Say so.", p.quote.about(ahead)))
		}
	}
}

// done reports whether the verb at i tells what has been done: was repaired, has been repaired.
func (t *text) done(i int) bool {
	for k := i - 1; k >= i-2 && k >= 0; k-- {
		switch s := t.words[k].s; s {
		case "was", "were":
			return t.at(k-1).s != "if" && !strings.HasSuffix(t.words[i].s, "ing") && strings.HasSuffix(t.words[i].s, "ed")
		case "been":
			return (t.at(k-1).s == "has" || t.at(k-1).s == "have" || t.at(k-1).s == "had") && strings.HasSuffix(t.words[i].s, "ed")
		}
	}
	return false
}

// ahead reports whether the verb at i stands behind words that put it in the future or in somebody's mind: is to be, will
// be, considered repairing.
func (t *text) ahead(i int) bool {
	switch before, first, second := t.at(i-1).s, t.at(i-2).s, t.at(i-3).s; {
	case before == "be" && first == "to":
		return second == "is" || second == "are" || second == "due" || second == "scheduled" || second == "expected" || second == "planned"
	case before == "be":
		return first == "will" || first == "shall"
	case strings.HasSuffix(t.words[i].s, "ing"):
		return before == "considered" || before == "considers" || before == "considering" || before == "proposed" || before == "suggested" || before == "discussed"
	}
	return false
}
