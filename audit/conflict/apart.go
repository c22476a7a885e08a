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
			if m.slotted(i, j) || v.Apart(w) && !(m.a.predicated(i) && m.b.predicated(j)) || v.Opposite(w) && (m.a.attributive(i) || m.b.attributive(j)) && !m.otherwiseEqual(i, j) {
				return true
			}
		}
	}
	// Each begins with what the other does not speak of.
	i, j := m.a.subject(), m.b.subject()
	return slices.Contains(m.onlyA, i) && slices.Contains(m.onlyB, j) && !m.a.r.Words[i].Opposite(m.b.r.Words[j])
}

// subject is the first term, or behind somebody who found it the next: "the survey found 12 nests".
func (s *statement) subject() int {
	if len(s.terms) > 2 && observing[s.r.Words[s.terms[1].at].Stem] {
		return s.terms[2].at
	}
	return s.terms[0].at
}

// slotted reports whether two words that are no opposites stand behind the same preposition and article: on the drug, on
// the placebo.
func (m *meeting) slotted(i, j int) bool {
	if m.a.r.Words[i].Opposite(m.b.r.Words[j]) {
		return false
	}
	p, q := m.a.slot(i), m.b.slot(j)
	return p != "" && p == q
}

// slot is the preposition before the word at i, and its article, "" if there is none.
func (s *statement) slot(i int) string {
	k := i - 1
	if k > s.from && articles[s.r.Words[k].Text] {
		k--
	}
	if k < s.from || !prepositions[s.r.Words[k].Text] {
		return ""
	}
	return s.r.Words[k].Text
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
