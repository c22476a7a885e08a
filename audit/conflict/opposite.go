package conflict

// opposite looks for a word of the one statement whose opposite, or another of its class, stands in the other.
func (m *meeting) opposite() (verdict, bool) {
	if m.a.denials%2 != m.b.denials%2 || m.tense == otherTime || len(m.restA)+len(m.restB) > 0 {
		return verdict{}, false
	}
	for _, i := range m.onlyA {
		for _, j := range m.onlyB {
			v, w := m.a.r.Words[i], m.b.r.Words[j]
			opposed := v.Opposite(w)
			if !opposed && !v.Apart(w) {
				continue
			}
			told := opposed && (!m.a.attributive(i) && !m.b.attributive(j) || m.a.predicated(i) && m.b.predicated(j))
			saysA, saysB := m.a.around(i), m.b.around(j)
			poorer, richer := m.covers()
			switch {
			case told && len(m.onlyA) == 1 && len(m.onlyB) == 1 && m.parts == 0 && m.a.scope == m.b.scope && m.tense != openTime:
				return m.verdict(Opposite, Certain, saysA, saysB)
			case poorer >= 0.6 && richer >= 0.5 && len(m.shared) >= 3 && m.rare:
				return m.verdict(Opposite, Possible, saysA, saysB)
			}
		}
	}
	return verdict{}, false
}

// around is the word at i with its neighbours.
func (s *statement) around(i int) string {
	from, to := i, i+1
	for from > s.from && i-from < 2 && !s.r.Words[from-1].Mark {
		from--
	}
	for to < s.to && to-i < 3 && !s.r.Words[to].Mark {
		to++
	}
	return s.r.Span(from, to)
}

// otherSide looks for statements that are the same but for a preposition of the opposite side (before, after), or a negator
// beside what they say.
func (m *meeting) otherSide() (verdict, bool) {
	if len(m.onlyA)+len(m.onlyB)+m.parts+len(m.restA)+len(m.restB) > 0 || len(m.shared) < 3 || m.a.scope == m.b.scope {
		return verdict{}, false
	}
	differ := m.a.scope ^ m.b.scope
	if differ == deniedBeside && len(m.shared) > 3 {
		return m.verdict(Denial, Possible, m.a.denied(false), m.b.denied(false))
	}
	for _, p := range sides {
		for _, q := range [][2]string{p, {p[1], p[0]}} {
			if differ == scopeOf(p[0])|scopeOf(p[1]) && m.a.scope&scopeOf(q[0]) != 0 && m.b.scope&scopeOf(q[1]) != 0 {
				return m.verdict(Opposite, Possible, q[0], q[1])
			}
		}
	}
	return verdict{}, false
}

var sides = [][2]string{{"before", "after"}, {"over", "under"}, {"above", "below"}, {"within", "outside"}, {"more", "less"}, {"more", "fewer"}, {"up", "down"}}
