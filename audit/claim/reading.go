package claim

import (
	"math"
	"slices"
	"strings"
)

// A Reading is a text as the rules of this package read it, for rooms that hold texts against each other.
type Reading struct {
	Words   []Word
	Figures []Figure // a range is one
	Dates   []Date   // a span of dates is two
	text    *text
}

// A Word is a token: contractions are undone, and the parts of a compound stand by themselves.
type Word struct {
	Text     string // in lower case
	Stem     string
	Sentence int
	Clause   int  // counted through the text
	Content  bool // says something by itself: no function word, negator, mark or figure
	Mark     bool // punctuation
	Capital  bool // begins with a capital letter
	Name     bool // is, or begins, a name: a capital within a sentence
	Figure   bool // belongs to a figure or date
	Denies   bool // is a negator: not, no, never, lacks …
	Strictly bool // and nothing but a denial is said with it
	word     word
}

// A Figure is a quantity.
type Figure struct {
	From, To int      // its words, To exclusive, unit included
	Unit     string   // its dimension: length, usd, ratio; "" for a bare number
	Per      string   // what it is for: a stem, or a unit of time
	Counts   []string // stems of what a bare number counts
	Label    string   // stem of what it numbers like a name: pier 3, phase 2
	Value    float64  // as stated, in its own unit
	Ordinal  bool
	Name     bool // stands in a name: Blade Runner 2049
	Weak     bool // an article or "one", which counts nothing for sure
	Rough    bool // stated with "about" or the like
	Bounded  bool // stated with "more than", "up to" or the like
	low      figure
	high     figure // of a range, else low again
}

// A Date is a day, month, year, decade or century, as far as a text states it.
type Date struct {
	From, To int  // its words, To exclusive
	Exact    bool // no "before", "since", "about"
	date     date
}

// Read reads a text. What is beyond the length of a quote is not read.
func Read(s string) Reading {
	t := read(clip(s, MaxQuote))
	r := Reading{text: t, Words: make([]Word, len(t.words))}
	for i, w := range t.words {
		r.Words[i] = Word{Text: w.s, Stem: w.stem, Sentence: w.sent, Clause: w.clause, Content: w.content, Mark: w.kind == mark, Capital: w.capital,
			Name: t.nameAt(i), Figure: w.figure, Denies: t.negator(i), Strictly: strictNegators[w.s], word: w}
	}
	for i := 0; i < len(t.figures); i++ {
		f := t.figures[i]
		g := f
		if f.upTo == i+1 && f.upTo < len(t.figures) {
			i++
			g = t.figures[i]
		}
		r.Figures = append(r.Figures, Figure{From: f.from, To: g.to, Unit: f.unit.dim, Per: f.per, Counts: head(t, g), Label: f.label, Value: f.value, Ordinal: f.ordinal,
			Name: f.name, Weak: f.weak, Rough: f.bound == about || g.bound == about, Bounded: f.bound == atLeast || f.bound == atMost, low: f, high: g})
	}
	for _, d := range t.dates {
		r.Dates = append(r.Dates, Date{From: d.from, To: d.to, Exact: d.bound == on, date: d})
	}
	return r
}

// head is what a figure counts without what is said of it: "300 cups washed at 60 degrees" are cups.
func head(t *text, f figure) []string {
	for i := range f.noun {
		if i > 0 && strings.HasSuffix(t.at(f.to+i).s, "ed") {
			return f.noun[:i]
		}
	}
	return f.noun
}

// Span is the text from word i to word j, exclusive, in one line. Its marks are folded: it is not the text's own bytes.
func (r Reading) Span(i, j int) string { return r.text.span(i, j) }

// Opposite reports whether two words are antonyms, of opposite direction, or one the other with a denying prefix.
func (w Word) Opposite(v Word) bool { return opposites(&w.word, &v.word) }

// Apart reports whether two words are different members of a closed class, such as countries or seasons: what is of the
// one is not of the other.
func (w Word) Apart(v Word) bool {
	classes := members()
	found := false
	for _, a := range classes[w.Text] {
		for _, b := range classes[v.Text] {
			if a == b {
				return false
			}
			found = found || a.class == b.class
		}
	}
	return found
}

// Bare reports whether a figure has neither a unit nor a noun that it counts: what it measures is said elsewhere.
func (f *Figure) Bare() bool { return f.Unit == "" && len(f.Counts) == 0 }

// Small reports whether a figure is none, one or two in words, which are said for other reasons than to count.
func (f *Figure) Small() bool {
	return f.low.inWords && !f.low.part && f.low.value <= 2 && f.Unit == ""
}

// Comparable reports whether two figures may measure the same kind of thing: of one dimension and for the same, counts of
// the same noun, or numbers of which one is bare.
func (f *Figure) Comparable(g *Figure) bool {
	if f.Ordinal || g.Ordinal || f.Name || g.Name || f.Label != "" || g.Label != "" || f.Weak || g.Weak || f.Per != g.Per {
		return false
	}
	a, b := f.low, g.low
	switch {
	case a.ratio() || b.ratio():
		return a.ratio() && b.ratio()
	case f.Unit == "" && g.Unit == "":
		return f.Bare() || g.Bare() || slices.ContainsFunc(f.Counts, func(s string) bool { return slices.Contains(g.Counts, s) })
	}
	return f.Unit != "" && g.Unit != "" && a.unit.same(b.unit)
}

// Agrees reports whether two figures may be two ways to state one value: rounded, converted, within the other's bound or
// range. It takes more for agreement than Check does, which asks for what the quote says and no less.
func (f *Figure) Agrees(g *Figure) bool {
	if f.low.value == g.low.value && f.low.unit == g.low.unit && f.low.bound == g.low.bound {
		return true
	}
	a, b := f.reach(g), g.reach(f)
	if f.low.bound == atLeast && g.low.bound == atMost || f.low.bound == atMost && g.low.bound == atLeast {
		return a[0] < b[1] && b[0] < a[1] // more than 80 and less than 80 have no value in common
	}
	for _, a := range [...]figure{f.low, f.high} {
		for _, b := range [...]figure{g.low, g.high} {
			if a.equal(b) || b.equal(a) {
				return true
			}
		}
	}
	return a[0] <= b[1] && b[0] <= a[1]
}

// reach is from where to where a figure may lie, given how exactly another states it.
func (f *Figure) reach(g *Figure) [2]float64 {
	low, high := f.low, f.high
	lo, hi := low.value*factor(low), high.value*factor(high)
	if lo > hi {
		lo, hi = hi, lo
	}
	switch low.bound {
	case atLeast:
		hi = lo + math.Abs(lo) // nobody says "more than 40" of 400
	case atMost:
		lo = min(lo, 0)
	}
	slack, step := 0.0, low.step
	if step == 10 && g.low.step < 1 {
		step = 1 // 20 percent for 20.4
	}
	if step *= factor(low); step > g.low.step*factor(g.low) && !low.inWords && (low.step <= 10 && step <= factor(low) || low.scaled || low.step >= 100) {
		slack = step / 2 // stated with fewer places
	}
	if f.Rough {
		slack = max(slack, 0.1*math.Abs(hi))
	}
	return [2]float64{lo - slack, hi + slack}
}

// Agrees reports whether two dates may be the same: one may say less than the other.
func (d Date) Agrees(e Date) bool {
	return d.date.in(e.date) != absent || e.date.in(d.date) != absent
}

// Same reports whether two texts are the same words, marks aside.
func (r Reading) Same(o Reading) bool {
	return r.text.says(o.text) || r.text.unmarked(0) == len(r.text.words) && o.text.unmarked(0) == len(o.text.words)
}
