package claim

import (
	"fmt"
	"strings"
)

// What is tried, wanted, offered, asked or planned need not have been done; what somebody is accused of, neither. By stem.
var (
	attempts = stems("try attempt seek aim plan intend hope want wish offer threaten promise propose prepare pledge vow volunteer expect design schedule")
	askings  = stems("ask order urge advise invite request instruct tell encourage recommend command beg demand call")
	accusals = stems("accuse suspect charge")
	tales    = stems("legend myth rumour rumor folklore tradition fable hearsay")
)

// checkUndone looks for a deed that the claim reports and that the quote only has as tried, wanted, asked for, alleged or told:
// "stopped" for "tried to stop".
func (p *pair) checkUndone() {
	for i := range p.claim.words {
		w := &p.claim.words[i]
		if w.often || w.kind != letters || w.is&functional != 0 || w.negated || len(p.there(w)) == 0 || !p.claim.finite(i) {
			continue
		}
		m := p.sentenceOf(i)
		if m.share < 0.5 || p.claim.anyOf(hedges, m.claimAt) {
			continue
		}
		by := -1
		for _, j := range p.there(w) {
			if by = p.quote.governor(j); by < 0 {
				break
			}
		}
		if by < 0 || p.saysKind(by, m) {
			continue
		}
		p.drop(p.claim.about(i), by)
	}
	p.checkTale()
}

// drop notes that the claim leaves out word j of the quote, which changes what it says.
func (p *pair) drop(said string, j int) {
	p.add(WordDropped, Flag, said, p.quote.about(j), fmt.Sprintf("The quote says %q, and the claim leaves out %q. Keep it.", p.quote.about(j), p.quote.words[j].s))
}

// saysKind reports whether the sentence of the claim has a word of the quote, or another of its kind.
func (p *pair) saysKind(j int, m match) bool {
	kinds := []map[string]bool{attempts, askings, accusals}
	for k := m.claimAt[0]; k < m.claimAt[1]; k++ {
		s := p.claim.words[k].stem
		if s == p.quote.words[j].stem {
			return true
		}
		for _, kind := range kinds {
			if kind[s] && kind[p.quote.words[j].stem] {
				return true
			}
		}
	}
	return false
}

// finite reports whether the word at i may be a verb that says what somebody does or did: it stands behind a subject.
func (t *text) finite(i int) bool {
	b, w := t.at(i-1), &t.words[i]
	if t.firstOf(i) || b.kind == mark || w.capital {
		return false
	}
	if strings.HasSuffix(w.s, "ing") {
		return be[b.s]
	}
	if b.is&functional != 0 {
		return be[b.s] && (strings.HasSuffix(w.s, "ed") || irregular[w.s] != "") || auxiliaries[b.s] || subjects[b.s]
	}
	return strings.HasSuffix(w.s, "s") || strings.HasSuffix(w.s, "ed") || irregular[w.s] != ""
}

var (
	auxiliaries = set("has have had did does do also then")
	subjects    = set("he she it they we i you who which that")
)

// governor is the word that says of the deed at j that it was tried, wanted, asked for or alleged; -1 if there is none.
func (t *text) governor(j int) int {
	for g := j - 2; g >= 0 && j-g <= 8 && t.words[g].sent == t.words[j].sent; g-- {
		if t.words[g+1].s == "that" && (askings[t.words[g].stem] || t.words[g].stem == "propos") {
			return g
		}
	}
	k := j - 1
	for k > 0 && (strings.HasSuffix(t.words[k].s, "ly") || t.words[k].s == "be" || t.words[k].s == "have") {
		k--
	}
	if k < 1 {
		return -1
	}
	switch s := t.words[k].s; {
	case s == "to":
		if attempts[t.words[k-1].stem] {
			return k - 1
		}
		for g := k - 2; g >= 0 && k-g <= 8 && t.words[g].clause == t.words[j].clause; g-- {
			if askings[t.words[g].stem] && !t.words[g].negated {
				return g
			}
		}
	case (s == "of" || s == "with") && strings.HasSuffix(t.words[j].s, "ing"):
		for g := k - 1; g >= 0 && k-g <= 8 && t.words[g].clause == t.words[j].clause; g-- {
			if accusals[t.words[g].stem] {
				return g
			}
		}
	}
	return -1
}

// checkTale looks for what the claim states and the quote only has as a legend's.
func (p *pair) checkTale() {
	for _, m := range p.align {
		if m.sent < 0 || m.share < 0.6 || p.claim.anyOf(hedges, m.claimAt) {
			continue
		}
		for j := m.quoteAt[0]; j < m.quoteAt[1] && j < m.quoteAt[0]+6; j++ {
			q := &p.quote.words[j]
			if next := p.quote.at(j + 1).s; tales[q.stem] && (next == "has" || next == "have" || next == "says" || next == "say" || next == "holds" || next == "tells") && !p.said(q) {
				p.drop(p.claim.span(m.claimAt[0], m.claimAt[1]), j)
			}
		}
	}
}
