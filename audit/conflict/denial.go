package conflict

import "slices"

// denial looks for a statement that denies what the other says.
func (m *meeting) denial() (verdict, bool) {
	if m.a.denials%2 == m.b.denials%2 || m.tense == otherTime || len(m.restA)+len(m.restB) > 0 || len(m.shared) < 3 {
		return verdict{}, false
	}
	saysA, saysB := m.a.denied(true), m.b.denied(true)
	poorer, richer := m.covers()
	switch {
	case m.equal() && m.tense != openTime && m.a.denials+m.b.denials == 1:
		return m.verdict(Denial, Certain, saysA, saysB)
	case poorer >= 0.8 && richer >= 0.6 && m.rare && m.sameSubject():
		return m.verdict(Denial, Possible, saysA, saysB)
	}
	return verdict{}, false
}

// sameSubject reports whether both statements begin with the same, as far as their first two terms tell.
func (m *meeting) sameSubject() bool {
	i, j := m.a.terms[0].at, m.b.terms[0].at
	inA := slices.ContainsFunc(m.shared, func(at [2]int) bool { return at[1] == j && at[0] <= m.a.terms[1].at })
	inB := slices.ContainsFunc(m.shared, func(at [2]int) bool { return at[0] == i && at[1] <= m.b.terms[1].at })
	return inA && inB
}

// denied is what a statement denies with its negator, or its first words. A main negator denies the statement itself.
func (s *statement) denied(main bool) string {
	for i := s.from; i < s.to; i++ {
		if s.r.Words[i].Denies && (!main || s.main(i)) {
			return s.around(i)
		}
	}
	return s.r.Span(s.from, min(s.to, s.from+8))
}
