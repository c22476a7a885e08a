package claim

import (
	"math"
	"slices"
	"strings"
)

// A Number is a figure of a text, or a number in digits of a date, by itself: what a check compares that asks whether a
// text has a figure at all.
type Number struct {
	Text     string  // as written, with its unit
	Value    float64 // as written, scaled: 11e6 for eleven million
	Places   int     // behind its decimal point
	Counts   string  // the dimension of its unit, or the stem of what it counts; "" where neither is said
	Words    bool    // in words: six, half, twice
	Computed bool    // the words around say that it is computed, or it is of a kind that mostly is: by 12, 63 percent, twice
	figure   figure
	dated    bool
}

// Numbers lists the numbers of a text in their order. Ordinals in words and "one" by itself are none; those in names
// (TR-2024-17, 9f3c2ab) are left out where they are glued to them.
func Numbers(s string) []Number {
	if !mayCount(s) {
		return nil
	}
	t := scan(clip(s, MaxQuote))
	var out []Number
	at := make([]int, 0, len(t.figures)) // where each begins
	for i := range t.figures {
		f := &t.figures[i]
		if f.weak || f.ordinal && f.inWords || t.glued(f.from) {
			continue
		}
		n := Number{Text: t.span(f.from, f.to), Value: f.value, Counts: f.unit.dim, Words: f.inWords, figure: *f, Places: places(t.words[f.from].s),
			Computed: t.declared(f) || f.part || f.unit.dim == "ratio" || f.unit.dim == "points" || f.unit.dim == "times"}
		if t.words[f.from].kind == sign {
			n.Places = places(t.at(f.from + 1).s)
		}
		if before := t.at(f.from - 1).s; before == "from" || before == "to" {
			n.Computed = false
		}
		if n.Counts == "" && len(f.noun) > 0 {
			n.Counts = f.noun[0]
		}
		out, at = append(out, n), append(at, f.from)
	}
	for _, d := range t.dates {
		for i := d.from; i < d.to; i++ {
			if v, ok := dateNumber(t.words[i]); ok && !t.glued(i) {
				k, _ := slices.BinarySearch(at, i)
				w := t.words[i]
				out = slices.Insert(out, k, Number{Text: t.raw[w.start:w.end], Value: v, dated: true})
				at = slices.Insert(at, k, i)
			}
		}
	}
	return out
}

// mayCount reports whether a text may have a number; most parts of most texts have none.
func mayCount(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] >= '0' && s[i] <= '9' {
			return true
		}
	}
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < 'A' || r > 'z' }) {
		if startsFigure[strings.ToLower(w)] && w != "a" && w != "an" || scaleWord[w] != 0 || partWord[w] != 0 {
			return true
		}
	}
	return false
}

// glued reports whether the number at word i is a part of a name: behind a hyphen that letters stand before, or a mark that
// names begin with.
func (t *text) glued(i int) bool {
	w, before := t.words[i], t.at(i-1)
	if w.kind != digits || w.start == 0 {
		return false
	}
	if c := t.raw[w.start-1]; c == '#' || c == '_' {
		return true
	}
	if before.s == "commit" || before.s == "revision" {
		return true
	}
	for ; w.hyphen && i > 0; i-- {
		w, before = t.words[i], &t.words[i-1]
		if before.kind == letters {
			return !before.figure && !datePrefix[before.s]
		}
	}
	return false
}

var datePrefix = set("mid pre post early late since fy year years the year-end to in by of")

// dateNumber is the number that a word of a date states.
func dateNumber(w word) (float64, bool) {
	if w.kind != digits {
		return 0, false
	}
	s := w.s
	for _, end := range []string{"s", "st", "nd", "rd", "th"} {
		s = strings.TrimSuffix(s, end)
	}
	v, _, _, ok := parseNumber(s)
	return v, ok
}

// places counts the digits behind a decimal point.
func places(s string) int {
	_, behind, _ := strings.Cut(s, ".")
	n := 0
	for n < len(behind) && behind[n] >= '0' && behind[n] <= '9' {
		n++
	}
	return n
}

// Same reports whether a and b may state one value, as far as rounding, bounds and the conversion of units let them.
func (a Number) Same(b Number) bool {
	if close(a.Value, b.Value, 1e-9) {
		return true
	}
	if a.dated || b.dated {
		return false
	}
	how := a.figure.compare(b.figure)
	return how == same || how == noUnit || b.figure.equal(a.figure) || a.figure.isShare(b.figure)
}

// In reports whether a number is among known, by itself or computed where the text says that it is.
func (a Number) In(known []Number) bool {
	return slices.ContainsFunc(known, a.Same) || (a.Computed || a.Words && a.Value < 1) && a.follows(known)
}

// follows reports whether the value can be computed from two known figures: a difference, a sum, a ratio, a change in
// percent, or the rest to 100 percent.
func (a Number) follows(known []Number) bool {
	if len(known) > maxKnown {
		return false
	}
	const tolerance = 0.011
	for i, x := range known {
		if a.Counts == "ratio" && close(a.Value, 100-x.Value, tolerance) {
			return true
		}
		for j, y := range known {
			if i == j || y.Value == 0 {
				continue
			}
			for _, v := range [...]float64{x.Value - y.Value, x.Value + y.Value, x.Value / y.Value, 100 * x.Value / y.Value,
				100 * math.Abs(x.Value-y.Value) / y.Value} {
				if v > 0 && close(a.Value, v, tolerance) {
					return true
				}
			}
		}
	}
	return false
}
