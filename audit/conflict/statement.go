package conflict

import (
	"slices"
	"strings"

	"ibid/audit/claim"
)

// A statement is a sentence of a claim or quote, with what tells whether another speaks of the same.
type statement struct {
	r        *claim.Reading
	from, to int             // its words
	terms    []term          // what it is about, as it stands, each once
	ids      []int           // of the terms, in rising order
	figures  []*claim.Figure // without those that are marks
	dates    []claim.Date
	rates    []int    // where it says "a year", "per day"
	marks    []string // what tells parts of one thing apart: second, phase 2, A
	scope    scope
	denials  int
	vague    bool // begins with a pronoun: what it speaks of stands elsewhere
}

// A term is a content word.
type term struct {
	id, at int // of its stem, and where it stands first
}

// statements reads the sentences of a text.
func (b *board) statements(r *claim.Reading) []*statement {
	var out []*statement
	for i := 0; i < len(r.Words) && len(out) < maxSentences; {
		j := i
		for j < len(r.Words) && r.Words[j].Sentence == r.Words[i].Sentence {
			j++
		}
		if s := b.read(r, i, j); len(s.terms) > 0 && len(s.terms) <= maxTerms && max(len(s.figures), len(s.dates), len(s.marks)) <= maxFigures {
			out = append(out, s)
		}
		i = j
	}
	return out
}

func (b *board) read(r *claim.Reading, from, to int) *statement {
	s := &statement{r: r, from: from, to: to}
	if code(r.Words[from:to]) {
		return s
	}
	for i := range r.Figures {
		f := &r.Figures[i]
		if f.From < from || f.From >= to {
			continue
		}
		switch {
		case f.Ordinal, f.Label != "", f.Name, f.Unit == "" && numbers(r, f.From):
			s.mark(strings.ToLower(f.Label + " " + r.Span(f.From, f.To)))
		case f.Weak && f.Unit == "time":
			s.rates = append(s.rates, f.From)
		case !f.Weak:
			s.figures = append(s.figures, f)
		}
	}
	for _, d := range r.Dates {
		switch {
		case d.From < from || d.From >= to:
		case d.From == from+1 && articles[r.Words[from].Text] && d.To < to && r.Words[d.To].Content: // the 2014 honours
			s.mark(r.Span(d.From, d.To))
		default:
			s.dates = append(s.dates, d)
		}
	}
	for i := from; i < to; {
		j := i
		for j < to && r.Words[j].Clause == r.Words[i].Clause {
			j++
		}
		b.readClause(s, i, j)
		i = j
	}
	for _, t := range s.terms {
		s.ids = append(s.ids, t.id)
	}
	slices.Sort(s.ids)
	for i, w := range r.Words[from:min(to, from+2)] {
		s.vague = s.vague || pronouns[w.Text] || i == 0 && possessives[w.Text]
	}
	return s
}

func (s *statement) mark(m string) {
	if len(s.marks) <= maxFigures && !slices.Contains(s.marks, m) {
		s.marks = append(s.marks, m)
	}
}

// readClause takes in the words of a clause. One that only says who says so says nothing of what it is about.
func (b *board) readClause(s *statement, from, to int) {
	said, plain := from > s.from && s.r.Words[from].Text == "by", true
	for _, w := range s.r.Words[from:to] {
		said = said || reporting[w.Text]
		plain = plain && !w.Figure && !w.Denies
	}
	if said && plain && !(from == s.from && to == s.to) {
		return
	}
	for i := from; i < to; i++ {
		w := s.r.Words[i]
		switch {
		case w.Text == "according":
			i = s.pastSpeaker(i)
		case w.Figure || w.Mark:
		case w.Denies && s.main(i):
			s.denials++
		case w.Denies && w.Strictly:
			s.scope |= deniedBeside
		case designates(w) && i > s.from:
			s.mark(w.Text)
		case scopeOf(w.Text) != 0:
			if !s.besideFigure(i) {
				s.scope |= scopeOf(w.Text)
			}
		case (w.Content || w.Denies) && !neutral[w.Stem]:
			id := b.id(w.Stem)
			if len(s.terms) <= maxTerms && !slices.ContainsFunc(s.terms, func(t term) bool { return t.id == id }) {
				s.terms = append(s.terms, term{id, i})
			}
		}
	}
}

// pastSpeaker is the last word of "according to the county" from word i on.
func (s *statement) pastSpeaker(i int) int {
	if i+1 < s.to && s.r.Words[i+1].Text == "to" {
		i++
	}
	if i+1 < s.to && articles[s.r.Words[i+1].Text] {
		i++
	}
	for i+1 < s.to && s.r.Words[i+1].Content {
		i++
	}
	return i
}

// besideFigure reports whether a word stands right before a figure or date, and so belongs to its bound.
func (s *statement) besideFigure(i int) bool {
	for k := i + 1; k < s.to && k <= i+2; k++ {
		if s.r.Words[k].Figure {
			return true
		}
	}
	return false
}

// main reports whether the negator at word i denies what its statement says, and not only what it says beside: "those that
// are not", "but not", "without".
func (s *statement) main(i int) bool {
	w := s.r.Words[i]
	if !w.Strictly || aside[w.Text] || i > s.from && s.r.Words[i-1].Text == "but" {
		return false
	}
	for k := i - 1; k >= s.from && s.r.Words[k].Clause == w.Clause; k-- {
		if relative[s.r.Words[k].Text] {
			return false
		}
	}
	return true
}

// designates reports whether a word is a single letter, as in "type B" or "the slice s".
func designates(w claim.Word) bool {
	return len(w.Text) == 1 && !w.Mark && !w.Figure && w.Text != "i" && (w.Capital || w.Text != "a")
}

// numbers reports whether the number at word i numbers what stands before it: Go 1.26, n = 24.
func numbers(r *claim.Reading, i int) bool {
	if i == 0 {
		return false
	}
	w := r.Words[i-1]
	return w.Capital && w.Content && !w.Figure && !leading[w.Text] && !bounds[w.Text] && !strings.HasSuffix(w.Text, "ly") || strings.Contains("=/+*(", w.Text)
}

// code reports whether words are rather program text than a sentence.
func code(words []claim.Word) bool {
	n := 0
	for _, w := range words {
		if w.Mark && strings.Contains("{}[]=<>;/\\*&_", w.Text) {
			n++
		}
	}
	return n >= 3 && n*8 > len(words)
}

// overlaps reports whether two statements share two terms, and half of those of the shorter: no rule asks for less.
func (s *statement) overlaps(t *statement) bool {
	n := 0
	for i, j := 0, 0; i < len(s.ids) && j < len(t.ids); {
		switch a, b := s.ids[i], t.ids[j]; {
		case a < b:
			i++
		case a > b:
			j++
		default:
			i, j, n = i+1, j+1, n+1
		}
	}
	return n >= 2 && 2*n >= min(len(s.ids), len(t.ids))
}

// nearest is the sentence of a quote that says the most of what a claim says. What else is quoted with it is beside the point.
func nearest(said, quoted []*statement) []*statement {
	best, most := 0, 0
	for i, q := range quoted {
		n := 0
		for _, s := range said {
			for _, t := range s.terms {
				if _, ok := slices.BinarySearch(q.ids, t.id); ok {
					n += 2
				}
			}
			for _, f := range s.figures {
				if slices.ContainsFunc(q.figures, func(g *claim.Figure) bool { return f.Comparable(g) && f.Agrees(g) }) {
					n += 3
				}
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	if most == 0 {
		return []*statement{}
	}
	return quoted[best : best+1]
}
