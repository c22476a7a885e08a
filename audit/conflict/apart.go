package conflict

import "slices"

// apart reports whether the two statements speak of different things: other names, other parts, other members of a class.
func (m *meeting) apart() bool {
	marksA, marksB := missing(m.a.marks, m.b.marks), missing(m.b.marks, m.a.marks)
	if marksA > 0 && marksB > 0 {
		return true
	}
	m.parts = marksA + marksB
	if slices.ContainsFunc(m.onlyA, m.a.name) && slices.ContainsFunc(m.onlyB, m.b.name) {
		return true
	}
	for _, i := range m.onlyA {
		for _, j := range m.onlyB {
			v, w := m.a.r.Words[i], m.b.r.Words[j]
			if v.Apart(w) && !(m.a.predicated(i) && m.b.predicated(j)) || v.Opposite(w) && (m.a.attributive(i) || m.b.attributive(j)) && !m.otherwiseEqual(i, j) {
				return true
			}
		}
	}
	// Each begins with what the other does not speak of.
	i, j := m.a.terms[0].at, m.b.terms[0].at
	return slices.Contains(m.onlyA, i) && slices.Contains(m.onlyB, j) && !m.a.r.Words[i].Opposite(m.b.r.Words[j])
}

// missing counts the marks of a that b has not.
func missing(a, b []string) int {
	n := 0
	for _, s := range a {
		if !slices.Contains(b, s) {
			n++
		}
	}
	return n
}

func (s *statement) name(i int) bool { return s.r.Words[i].Name }

// otherwiseEqual reports whether nothing but the words at i and j differs, and neither is the first.
func (m *meeting) otherwiseEqual(i, j int) bool {
	return len(m.onlyA) == 1 && len(m.onlyB) == 1 && len(m.shared) >= 3 && m.a.terms[0].at < i && m.b.terms[0].at < j
}

// predicated reports whether the word at i belongs to what "is" says of the subject.
func (s *statement) predicated(i int) bool {
	for k := i - 1; k >= s.from && k >= i-7; k-- {
		switch w := s.r.Words[k]; {
		case copulas[w.Text]:
			return true
		case w.Mark && w.Text != ",", !w.Content && !w.Mark && !w.Figure && !articles[w.Text] && w.Text != "and" && !w.Denies:
			return false
		}
	}
	return false
}

// attributive reports whether the word at i stands before what it tells apart: "the upper basin", but not "is safe" or
// "raises the bill".
func (s *statement) attributive(i int) bool {
	if i+1 >= s.to {
		return false
	}
	next := s.r.Words[i+1]
	if !next.Content || next.Clause != s.r.Words[i].Clause {
		return false
	}
	if i == s.from {
		return true
	}
	before := s.r.Words[i-1]
	return !before.Content && !before.Figure && !beings[before.Text] && !before.Denies
}
