package conflict

import (
	"slices"

	"ibid/audit/claim"
)

// figures looks for a measure that the two statements give different values of.
func (m *meeting) figures() (verdict, bool) {
	if m.tense == otherTime {
		return verdict{}, false
	}
	var f, g *claim.Figure
	score, second := -1, -1
	for _, x := range m.restA {
		for _, y := range m.restB {
			if !m.comparable(x, y) || m.contrasted(x, y) {
				continue
			}
			if n := m.near(x, y); n > score {
				f, g, score, second = x, y, n, score
			} else {
				second = max(second, n)
			}
		}
	}
	if f == nil {
		return verdict{}, false
	}
	saysA, saysB := m.a.figure(f), m.b.figure(g)
	if m.equal() {
		s := Possible
		if len(m.restA) == 1 && len(m.restB) == 1 && m.tense != openTime && !loose(f) && !loose(g) && m.a.denials == m.b.denials {
			s = Certain
		}
		return m.verdict(Figures, s, saysA, saysB)
	}
	poorer, richer := m.covers()
	if poorer < 0.5 || richer < 0.25 || !m.rare || score < 1 || score == second || m.conditioned() || f.Small() || g.Small() {
		return verdict{}, false
	}
	return m.verdict(Figures, Possible, saysA, saysB)
}

// unmatched adds to out the figures of which the others have no other way to state them.
func unmatched(out, fs, gs []*claim.Figure) []*claim.Figure {
	for _, f := range fs {
		if !slices.ContainsFunc(gs, func(g *claim.Figure) bool { return f.Comparable(g) && (f.Agrees(g) || g.Agrees(f)) }) {
			out = append(out, f)
		}
	}
	return out
}

// comparable reports whether two figures measure the same: by their units and nouns, or, of bare ones, by the words before
// them. In statements that are the same otherwise one value of two units is a conflict too.
func (m *meeting) comparable(f, g *claim.Figure) bool {
	if !f.Comparable(g) {
		return m.equal() && f.Value == g.Value && f.Unit != "" && g.Unit != ""
	}
	if !f.Bare() && !g.Bare() || m.equal() {
		return true
	}
	return f.Bare() && g.Bare() && m.a.told(f) && m.b.told(g) &&
		slices.ContainsFunc(m.shared, func(at [2]int) bool { return leads(at[0], f) && leads(at[1], g) })
}

// leads reports whether the word at i stands right before a figure: a population of 311,287.
func leads(i int, f *claim.Figure) bool { return i < f.From && i >= f.From-5 }

// told reports whether the word before a figure gives it to what stands before: of, is, at.
func (s *statement) told(f *claim.Figure) bool {
	i := f.From - 1
	for i >= s.from && i > f.From-4 && (bounds[s.r.Words[i].Text] || articles[s.r.Words[i].Text]) {
		i--
	}
	return i >= s.from && leading[s.r.Words[i].Text]
}

// near counts the words that stand near both figures.
func (m *meeting) near(f, g *claim.Figure) int {
	n := 0
	for _, at := range m.shared {
		if beside(at[0], f) && beside(at[1], g) {
			n++
		}
	}
	return n
}

// besides is how many words on each side of a figure belong to it.
const besides = 8

func beside(i int, f *claim.Figure) bool { return i >= f.From-besides && i < f.To+besides }

// conditioned reports whether one statement is of a condition, or of each of several, and the other is not.
func (m *meeting) conditioned() bool {
	const conditions = "if unless when each every per"
	return (m.a.scope^m.b.scope)&scopesOf(conditions) != 0
}

// contrasted reports whether one of two figures is said to be of another sort than the other: planned, net, an average.
func (m *meeting) contrasted(f, g *claim.Figure) bool {
	return m.a.sort(f) != m.b.sort(g) || m.a.namedCount(f, m.onlyA) || m.b.namedCount(g, m.onlyB)
}

// sort is what the words beside a figure, or the first three of its statement, say of what sort it is, "" if they do not.
func (s *statement) sort(f *claim.Figure) string {
	if slices.ContainsFunc(s.rates, func(i int) bool { return i >= f.To && i < f.To+5 }) {
		return "rate"
	}
	clause := s.r.Words[f.From].Clause
	for i := s.from; i < min(s.from+3, f.From); i++ {
		if sort := sorts[s.r.Words[i].Stem]; sort == "average" || sort == "total" {
			return sort
		}
	}
	for i := max(s.from, f.From-6); i < min(s.to, f.To+4); i++ {
		w := s.r.Words[i]
		if w.Clause != clause && (i >= f.From || i < f.From-3) {
			continue
		}
		if sort := sorts[w.Stem]; sort != "" {
			return sort
		}
	}
	return ""
}

// namedCount reports whether what a figure counts has a name that the other statement does not have: five Grammy awards.
func (s *statement) namedCount(f *claim.Figure, only []int) bool {
	return slices.ContainsFunc(only, func(i int) bool { return i >= f.To && i < f.To+len(f.Counts) && s.name(i) })
}

// loose reports whether a figure is no exact value.
func loose(f *claim.Figure) bool { return f.Rough || f.Bounded }

// figure is a figure as its statement has it, with what it counts.
func (s *statement) figure(f *claim.Figure) string {
	to := f.To
	for f.Unit == "" && to < min(s.to, f.To+len(f.Counts), f.To+2) && s.r.Words[to].Content {
		to++
	}
	return s.r.Span(f.From, to)
}
