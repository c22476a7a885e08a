package conflict

import (
	"slices"
	"strings"

	"ibid/audit/claim"
)

// A meeting is two statements side by side.
type meeting struct {
	a, b         *statement
	shared       [][2]int // words of the same stem, of a and of b, in the order of a
	onlyA, onlyB []int    // words of a and of b that the other has not
	tense        tense
	rare         bool // one of the shared words is in few findings
	parts        int  // marks that one has and the other has not
	restA, restB []*claim.Figure
}

// A tense is how two statements stand in time.
type tense int

const (
	timeless  tense = iota // neither names one
	sameTime               // each date of the one may be one of the other
	openTime               // only one names it, or names more
	otherTime              // no date of the one is one of the other
)

// A verdict is a conflict of two statements.
type verdict struct {
	Conflict
	open  bool // it names no time
	named bool // both name what they speak of
	bare  bool // they share two terms and no name, or begin with a pronoun: "the population was …"
	a, b  *statement
}

// meet puts two statements side by side. It reports whether they speak of the same.
func (m *meeting) meet(s, t *statement) bool {
	*m = meeting{a: s, b: t, shared: m.shared[:0], onlyA: m.onlyA[:0], onlyB: m.onlyB[:0], restA: m.restA[:0], restB: m.restB[:0]}
	for _, x := range s.terms {
		if at := t.place(x.id); at >= 0 {
			m.shared = append(m.shared, [2]int{x.at, at})
		} else {
			m.onlyA = append(m.onlyA, x.at)
		}
	}
	for _, y := range t.terms {
		if s.place(y.id) < 0 {
			m.onlyB = append(m.onlyB, y.at)
		}
	}
	m.tense = when(s.dates, t.dates)
	if m.apart() {
		return false
	}
	m.restA, m.restB = unmatched(m.restA, s.figures, t.figures), unmatched(m.restB, t.figures, s.figures)
	return true
}

// place is where a term stands, -1 if the statement has it not.
func (s *statement) place(id int) int {
	for _, t := range s.terms {
		if t.id == id {
			return t.at
		}
	}
	return -1
}

// when compares the dates of two statements.
func when(a, b []claim.Date) tense {
	switch {
	case len(a) == 0 && len(b) == 0:
		return timeless
	case len(a) == 0 || len(b) == 0:
		return openTime
	}
	missA, missB := len(other(a, b)), len(other(b, a))
	switch {
	case missA == 0 && missB == 0:
		return sameTime
	case missA > 0 && missB > 0:
		return otherTime
	}
	return openTime
}

// other are the dates of a that are none of b.
func other(a, b []claim.Date) []claim.Date {
	var out []claim.Date
	for _, d := range a {
		if !slices.ContainsFunc(b, d.Agrees) {
			out = append(out, d)
		}
	}
	return out
}

// covers is the share of the words of the poorer, and of the richer statement, that both have.
func (m *meeting) covers() (poorer, richer float64) {
	n := float64(len(m.shared))
	return n / (n + float64(min(len(m.onlyA), len(m.onlyB)))), n / (n + float64(max(len(m.onlyA), len(m.onlyB))))
}

// equal reports whether the two statements say the same but for figures, dates and what they deny.
func (m *meeting) equal() bool {
	return len(m.onlyA) == 0 && len(m.onlyB) == 0 && m.parts == 0 && m.a.scope == m.b.scope
}

// judge is the surest conflict of the two statements. Where a pronoun stands for what they speak of, none is sure.
func (m *meeting) judge() (verdict, bool) {
	var best verdict
	found := false
	for _, rule := range []func(*meeting) (verdict, bool){(*meeting).figures, (*meeting).dates, (*meeting).denial, (*meeting).opposite, (*meeting).otherSide} {
		v, ok := rule(m)
		if ok && (m.a.vague || m.b.vague) {
			ok = v.Severity == Certain || len(m.shared) >= 5 && len(m.onlyA)+len(m.onlyB) <= 2
			v.Severity = Possible
		}
		if ok && (!found || best.Severity == Possible && v.Severity == Certain) {
			best, found = v, true
		}
	}
	return best, found
}

// verdict makes a conflict of the words that differ.
func (m *meeting) verdict(k Kind, s Severity, saysA, saysB string) (verdict, bool) {
	words, named := make([]string, 0, len(m.shared)), false
	for _, at := range m.shared[:min(len(m.shared), 8)] {
		words = append(words, m.a.r.Span(at[0], at[0]+1))
		named = named || m.a.r.Words[at[0]].Name && m.b.r.Words[at[1]].Name || at[0] == m.a.from && at[1] == m.b.from // Halden has …
	}
	c := Conflict{About: strings.Join(words, " "), Kind: k, Severity: s, SaysA: saysA, SaysB: saysB}
	return verdict{c, m.tense != sameTime, named, !named && len(m.shared) < 3 || m.a.vague || m.b.vague, m.a, m.b}, true
}
