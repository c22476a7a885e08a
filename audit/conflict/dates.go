package conflict

// dates looks for an event that the two statements date differently. Only what happens once has one date; other statements
// may be right of two times, unless they say word by word the same.
func (m *meeting) dates() (verdict, bool) {
	if m.tense != otherTime || m.a.denials != m.b.denials || len(m.restA)+len(m.restB) > 0 {
		return verdict{}, false
	}
	as, bs := other(m.a.dates, m.b.dates), other(m.b.dates, m.a.dates)
	if len(as) != 1 || len(bs) != 1 || !as[0].Exact || !bs[0].Exact {
		return verdict{}, false
	}
	once := false
	for _, at := range m.shared {
		once = once || events[m.a.r.Words[at[0]].Stem] && at[0] != m.a.terms[0].at // the building is no event
	}
	saysA, saysB := m.a.r.Span(as[0].From, as[0].To), m.b.r.Span(bs[0].From, bs[0].To)
	poorer, richer := m.covers()
	switch {
	case m.equal() && once:
		return m.verdict(Dates, Certain, saysA, saysB)
	case once && poorer >= 0.6 && richer >= 0.4 && m.rare, m.equal() && len(m.shared) >= 4:
		return m.verdict(Dates, Possible, saysA, saysB)
	}
	return verdict{}, false
}
