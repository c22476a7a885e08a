package claim

import "strings"

// A figure is a quantity as a text states it.
type figure struct {
	value, alt float64 // alt is the second reading of 1.234
	step       float64 // of one in the last place that is not nought
	unit       unit
	per        string   // stem of what it is for: per kilowatt-hour, a month
	noun       []string // stems of what it counts
	bound      bound
	from, to   int // its words, to exclusive, unit included
	ordinal    bool
	inWords    bool
	scaled     bool // with a word such as million, which rounds
	part       bool // a fraction: half, one in five
	of         float64
	label      string // what it numbers: pier 3, phase 2
	name       bool   // stands in a name: Blade Runner 2049
	weak       bool   // "one", which counts nothing for sure
	upTo       int    // index of the figure that ends the range which this one begins, 0 if none
}

// readFigures finds the quantities of a text. Dates are read before.
func (t *text) readFigures() {
	for i := 0; i < len(t.words) && len(t.figures) < maxFigures; {
		if t.words[i].figure {
			i++
			continue
		}
		f, n := t.figureAt(i)
		if n == 0 {
			i++
			continue
		}
		f.from, f.to = i, i+n
		t.finish(&f)
		for k := f.from; k < f.to; k++ {
			t.words[k].figure = true
		}
		t.figures = append(t.figures, f)
		t.joinRange()
		i = f.to
	}
}

// figureAt reads the number at word i, without its unit.
func (t *text) figureAt(i int) (figure, int) {
	w := &t.words[i]
	switch w.kind {
	case sign:
		if u := units[w.s]; money[u.dim] && t.at(i+1).kind == digits {
			f, n := t.figureAt(i + 1)
			if n == 0 || f.ordinal {
				return f, 0
			}
			f.unit = u
			return f, n + 1
		}
	case digits:
		return t.digitFigure(i)
	case letters:
		if w.is&counting == 0 {
			return figure{}, 0
		}
		if u := units[w.s]; (money[u.dim] && len(w.s) == 3) && t.at(i+1).kind == digits && w.s != "won" { // USD 5
			if f, n := t.figureAt(i + 1); n > 0 && !f.ordinal {
				f.unit = u
				return f, n + 1
			}
		}
		return t.wordFigure(i)
	}
	return figure{}, 0
}

func (t *text) digitFigure(i int) (figure, int) {
	w := t.words[i]
	var f figure
	for _, end := range []string{"st", "nd", "rd", "th"} {
		if base, ok := strings.CutSuffix(w.s, end); ok {
			v, _, _, ok := parseNumber(base)
			return figure{value: v, alt: v, ordinal: true}, b2i(ok)
		}
	}
	if base, ok := strings.CutSuffix(w.s, "s"); ok { // 30s of time, but not the 80s
		v, _, step, ok := parseNumber(base)
		if b := t.at(i - 1).s; !ok || t.at(i-1).kind == letters && (functionWords[b] || b == "mid" || b == "early" || b == "late") || v >= 1000 {
			return f, 0
		}
		return figure{value: v, alt: v, step: step, unit: units["seconds"]}, 1
	}
	var ok bool
	if f.value, f.alt, f.step, ok = parseNumber(w.s); !ok {
		return f, 0
	}
	f.part = strings.Contains(w.s, "/")
	n := 1
	if next := t.at(i + 1); next.kind == digits && strings.Contains(next.s, "/") && t.joined(i+1) { // 3 1/2
		if v, _, _, ok := parseNumber(next.s); ok && v < 1 {
			f.value += v
			f.alt = f.value
			n++
		}
	}
	if part := t.at(i + n); partWord[part.s] > f.value && t.joined(i+n) && (part.hyphen || t.at(i+n+1).s == "of") { // 2-thirds
		f.value /= partWord[part.s]
		f.alt, f.part, f.step = f.value, true, 0
		return f, n + 1
	}
	n += t.scale(&f, i+n)
	return f, n + t.outOf(&f, i+n)
}

// scale multiplies a figure by the word after it, and says how many words that took.
func (t *text) scale(f *figure, i int) int {
	w := t.at(i)
	s := scales[w.s]
	if s == 0 || !t.joined(i) || w.s == "k" && t.words[i-1].end != w.start {
		return 0
	}
	if !groupedScales[w.s] {
		f.alt = f.value // in English, 1.378 million is no group of three: that would be a billion
	}
	f.value, f.alt, f.step, f.scaled = f.value*s, f.alt*s, f.step*s, s != 12
	return 1
}

// outOf reads what a fraction is of: "in five", "out of 5", "of the twelve". Only the first two make a fraction of it.
func (t *text) outOf(f *figure, i int) int {
	read := func(i int) (float64, int) {
		if w := t.at(i); w.kind == digits {
			v, _, _, ok := parseNumber(w.s)
			return v, b2i(ok)
		}
		return t.cardinal(i)
	}
	k := 0
	switch w := t.at(i).s; {
	case w == "in" && (f.value == 1 || t.at(i+1).s == "every" || t.shareOf(i+1, f.value)):
		k = 1
	case w == "out" && t.at(i+1).s == "of":
		k = 2
	case w == "of" && (t.at(i+1).s == "the" || t.at(i+1).s == "all" || t.at(i+1).kind == digits || smallNumber[t.at(i+1).s] > 1):
		k = 1
	}
	if k == 0 {
		return 0
	}
	for k < 4 && (t.at(i+k).s == "the" || t.at(i+k).s == "every" || t.at(i+k).s == "all" || t.at(i+k).s == "its" || t.at(i+k).s == "these") {
		k++
	}
	v, n := read(i + k)
	if n == 0 || v <= f.value || v < 2 || v > 1000 && t.at(i).s == "in" {
		return 0
	}
	f.of = v
	if t.at(i).s == "of" {
		return 0 // the twelve is a figure by itself
	}
	f.value, f.alt, f.part, f.step = f.value/v, f.value/v, true, 0
	return k + n
}

// shareOf reports whether the number at i makes a share of one before it: two in three adults.
func (t *text) shareOf(i int, n float64) bool {
	v, k := t.cardinal(i)
	if k == 0 {
		var ok bool
		if v, _, _, ok = parseNumber(t.at(i).s); !ok || t.at(i).kind != digits {
			return false
		}
		k = 1
	}
	next := t.at(i + k)
	return n < v && v <= 10 && next.kind == letters && !functionWords[next.s] && units[next.s].dim == ""
}

var timesWord = map[string]float64{"twice": 2, "double": 2, "doubled": 2, "doubles": 2, "doubling": 2, "thrice": 3, "triple": 3, "tripled": 3, "triples": 3, "tripling": 3,
	"twofold": 2, "threefold": 3, "fourfold": 4, "fivefold": 5, "tenfold": 10, "halved": 0.5, "quadrupled": 4, "quadruple": 4}

var ordinalWord = map[string]float64{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30}

// startsFigure are the words that a figure may begin with.
var startsFigure = func() map[string]bool {
	m := set("half a an one usd eur gbp jpy inr rmb cny chf rub sek nok dkk")
	for _, words := range []map[string]float64{timesWord, ordinalWord, smallNumber} {
		for w := range words {
			m[w] = true
		}
	}
	return m
}()

// wordFigure reads a number in words.
func (t *text) wordFigure(i int) (figure, int) {
	w, next := t.words[i].s, t.at(i+1).s
	f := figure{inWords: true}
	whole := func(v float64) figure { f.value, f.alt = v, v; return f }
	if v := timesWord[w]; v != 0 {
		f.unit = units["times"]
		return whole(v), 1
	}
	if w == "half" {
		f.part = true
		return whole(0.5), 1
	}
	if w == "a" || w == "an" || w == "one" {
		if d := partWord[next]; d > 2 && t.joined(i+1) && (t.at(i+2).s == "of" || t.words[i+1].hyphen || w == "one" || t.at(i+2).kind == mark || aboutWords[t.at(i-1).s] || t.at(i-1).s == "by" || t.at(i-1).s == "than") {
			f.part = true
			return whole(1 / d), 2
		}
		if s := scaleWord[next]; s != 0 && w != "one" {
			return whole(s), 2
		}
	}
	if u := units[next]; (w == "a" || w == "an") && u.dim == "time" && u.factor > 1 {
		f.weak = true // a decade is ten years, and "a year" counts nothing for sure
		return whole(1), 1
	}
	if v := ordinalWord[w]; v != 0 {
		f.ordinal = true
		return whole(v), 1
	}
	v, n := t.cardinal(i)
	if n == 0 {
		return f, 0
	}
	if next := t.at(i + n); v >= 20 && v < 100 && ordinalWord[next.s] > 0 && ordinalWord[next.s] < 10 && t.joined(i+n) { // twenty-first
		f.ordinal = true
		return whole(v + ordinalWord[next.s]), n + 1
	}
	if d := partWord[t.at(i+n).s]; d != 0 && v < d && t.joined(i+n) && (strings.HasSuffix(t.at(i+n).s, "s") || v == 1) {
		f.part = true
		return whole(v / d), n + 1
	}
	if t.at(i+n).s == "point" && t.at(i+n+1).kind == letters {
		if d, k := t.pointDigits(i + n + 1); k > 0 {
			v, n = v+d, n+1+k
		}
	}
	if n == 1 && w == "one" {
		f.weak = true
	}
	f = whole(v)
	n += t.scale(&f, i+n)
	k := t.outOf(&f, i+n)
	f.weak = f.weak && k == 0
	return f, n + k
}

// pointDigits reads the digits in words after "point".
func (t *text) pointDigits(i int) (v float64, n int) {
	place := 0.1
	for {
		d, ok := smallNumber[t.at(i+n).s]
		if !ok || d > 9 {
			return v, n
		}
		v += d * place
		place /= 10
		n++
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
