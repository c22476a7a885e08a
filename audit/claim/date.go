package claim

import (
	"strconv"
	"strings"
)

// A date is a day, month, year, quarter, decade or century, as far as a text states it.
type date struct {
	y, m, d  int // 0 where it is not stated
	until    int // last year of a decade, century or span of years; y where it is one year
	span     bool
	bound    dateBound
	from, to int
	upTo     int // index of the date that ends the span which this one begins, 0 if none
}

type dateBound byte

const (
	on     dateBound = iota
	around           // about, circa, early
	before           // by, until, before
	after            // since, after
)

var months = map[string]int{"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10,
	"november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
	"januar": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12}

// readDates finds the dates of a text and takes their words out of what else is read as figures.
func (t *text) readDates() {
	for i := 0; i < len(t.words) && len(t.dates) < maxFigures; {
		d, n := t.dateAt(i)
		if n == 0 {
			i++
			continue
		}
		d.from, d.to = i, i+n
		if d.until == 0 {
			d.until = d.y
		}
		d.bound = t.dateBound(i)
		for k := i; k < i+n; k++ {
			t.words[k].figure = true
		}
		t.dates = append(t.dates, d)
		t.joinDates()
		i += n
	}
}

// dateAt reads the date at word i.
func (t *text) dateAt(i int) (date, int) {
	w := &t.words[i]
	switch {
	case w.kind != digits && w.is&dating == 0:
	case w.kind == digits:
		if y, ok := whole(w.s, 1000, 2999); ok && t.at(i+1).hyphen && t.at(i+2).hyphen && len(t.at(i+1).s) == 2 && len(t.at(i+2).s) == 2 { // 2024-03-14
			m, okM := whole(t.at(i+1).s, 1, 12)
			d, okD := whole(t.at(i+2).s, 1, 31)
			if okM && okD {
				return date{y: y, m: m, d: d}, 3
			}
		}
		if d, n := t.slashDate(w.s); n > 0 {
			return d, n
		}
		if d, n := t.dayFirst(i); n > 0 {
			return d, n
		}
		if d, n := t.decade(i); n > 0 {
			return d, n
		}
		return t.year(i)
	case w.kind == letters && months[w.s] != 0 && (w.capital || len(w.s) > 4 && w.s != "march"):
		return t.monthFirst(i)
	case decadeWord[w.s] != 0 && t.at(i-1).s == "the":
		y := decadeWord[w.s]
		return date{y: y, until: y + 9, span: true}, 1
	case ordinalWord[w.s] != 0 || smallNumber[w.s] == 20:
		return t.century(i)
	}
	return date{}, 0
}

// whole reads a whole number between least and most.
func whole(s string, least, most int) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= least && n <= most
}

// slashDate reads 2024/03/14. A date such as 3/4/2024 means two things and is read as neither.
func (t *text) slashDate(s string) (date, int) {
	part := strings.Split(s, "/")
	if len(part) != 3 {
		return date{}, 0
	}
	y, okY := whole(part[0], 1000, 2100)
	m, okM := whole(part[1], 1, 12)
	d, okD := whole(part[2], 1, 31)
	if !okY || !okM || !okD {
		return date{}, 0
	}
	return date{y: y, m: m, d: d}, 1
}

// dayNumber is the day of a month at word i: 14, 14th.
func (t *text) dayNumber(i int) (int, bool) {
	s := t.at(i).s
	if t.at(i).kind != digits {
		return 0, false
	}
	for _, end := range []string{"st", "nd", "rd", "th"} {
		s = strings.TrimSuffix(s, end)
	}
	return whole(s, 1, 31)
}

func (t *text) monthAt(i int) int {
	w := t.at(i)
	if w.kind != letters || !w.capital && len(w.s) < 5 {
		return 0
	}
	return months[w.s]
}

// dayFirst reads 14 March 2024, the 14th of March.
func (t *text) dayFirst(i int) (date, int) {
	d, ok := t.dayNumber(i)
	if !ok {
		return date{}, 0
	}
	k := i + 1
	if t.at(k).s == "of" {
		k++
	}
	m := t.monthAt(k)
	if m == 0 {
		return date{}, 0
	}
	y, n := t.yearAfter(k + 1)
	return date{y: y, m: m, d: d}, k + 1 + n - i
}

// monthFirst reads March 14, 2024; March 2024; March.
func (t *text) monthFirst(i int) (date, int) {
	m := t.monthAt(i)
	if m == 0 {
		return date{}, 0
	}
	k := i + 1
	if t.at(k).s == "." && t.at(k).start == t.words[i].end {
		k++
	}
	if t.at(k).s == "the" && t.at(k+1).kind == digits {
		k++
	}
	if d, ok := t.dayNumber(k); ok {
		y, n := t.yearAfter(k + 1)
		return date{y: y, m: m, d: d}, k + 1 + n - i
	}
	y, n := t.yearAfter(k)
	if n == 0 {
		if nameMonths[t.words[i].s] && !plainYears[t.at(i-1).s] || len(t.words[i].s) == 3 && t.words[i].s != "may" && !t.words[i].capital {
			return date{}, 0
		}
		k = i + 1
	}
	return date{y: y, m: m}, max(1, k+n-i)
}

// nameMonths are months that are names and verbs too; alone they are months behind a preposition only.
var nameMonths = set("may march april june august")

// yearAfter reads a year at word i, after a comma or "of", and says how many words that took.
func (t *text) yearAfter(i int) (y, n int) {
	k := i
	if t.at(k).s == "," || t.at(k).s == "of" || t.at(k).s == "in" {
		k++
	}
	w := t.at(k)
	if w.kind != digits {
		return 0, 0
	}
	v, ok := whole(w.s, 1000, 2100)
	if !ok || w.hyphen && k == i && t.at(k-1).kind == digits {
		return 0, 0
	}
	return v, k + 1 - i
}

// plainYears are words that a year stands behind.
var plainYears = set(`in of since until till by from to through during before after around circa between and year fy mid early late summer winter spring autumn fall
	the a an as season its his her their for on at or this that current`)

// year reads a year by itself, also BC, and a span such as 2017-18.
func (t *text) year(i int) (date, int) {
	w := t.words[i]
	if next := t.at(i + 1).s; next == "bc" || next == "bce" || next == "ad" || next == "ce" {
		if y, ok := whole(w.s, 1, 9999); ok {
			if next[0] == 'b' {
				y = -y
			}
			return date{y: y}, 2
		}
	}
	y, ok := whole(w.s, 1000, 2100)
	if !ok || t.at(i-1).kind == sign || t.at(i-1).s == "#" {
		return date{}, 0
	}
	next := t.at(i + 1)
	_, measured := units[next.s]
	if t.joined(i+1) && (measured && next.s != "in" || scales[next.s] != 0 || t.at(i+1).s == "%") || money[units[next.s].dim] {
		return date{}, 0
	}
	plural := next.kind == letters && t.joined(i+1) && strings.HasSuffix(next.s, "s") && len(next.s) > 3 && next.stem != next.s && !next.capital && !t.words[i+1].hyphen
	b := t.at(i - 1)
	sure := b.kind == letters && plainYears[b.s] || b.s == "(" || b.s == "," || b.kind == digits && w.hyphen
	counting := boundWords[b.s] && !plainYears[b.s]
	if plural && (counting || b.kind == letters && !sure && !b.capital) || (y < 1500 || counting) && !sure {
		return date{}, 0
	}
	if b.kind == letters && w.hyphen && !plainYears[b.s] && b.s != "pre" && b.s != "post" || b.capital && b.kind == letters && !plainYears[b.s] && !t.firstOf(i-1) && y > 2030 {
		return date{}, 0 // TR-2024, Blade Runner 2049
	}
	if z := t.at(i + 1); z.hyphen && z.kind == digits && len(z.s) == 2 { // 2017-18
		if end, ok := whole(z.s, 0, 99); ok && y/100*100+end > y && !t.at(i+2).hyphen {
			return date{y: y, until: y/100*100 + end, span: true}, 2
		}
	}
	return date{y: y}, 1
}

var decadeWord = map[string]int{"twenties": 1920, "thirties": 1930, "forties": 1940, "fifties": 1950, "sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990}

// decade reads 1980s, '80s, and the century in digits: 19th century.
func (t *text) decade(i int) (date, int) {
	w := t.words[i]
	if base, ok := strings.CutSuffix(w.s, "s"); ok {
		if y, ok := whole(base, 1000, 2090); ok && y%10 == 0 {
			last := 9
			if y%100 == 0 && y < 2000 {
				last = 99
			}
			return date{y: y, until: y + last, span: true}, 1
		}
		if y, ok := whole(base, 10, 90); ok && y%10 == 0 && len(base) == 2 && (t.at(i-1).s == "'" || t.at(i-1).s == "the" || t.at(i-1).s == "early" || t.at(i-1).s == "late") {
			return date{y: 1900 + y, until: 1909 + y, span: true}, 1
		}
	}
	return t.century(i)
}

// century reads 19th century, nineteenth-century, twenty-first century.
func (t *text) century(i int) (date, int) {
	c, n := 0, 1
	w := t.words[i]
	switch {
	case w.kind == digits:
		for _, end := range []string{"st", "nd", "rd", "th"} {
			if base, ok := strings.CutSuffix(w.s, end); ok {
				c, _ = strconv.Atoi(base)
			}
		}
	case w.s == "twenty" && t.at(i+1).s == "first":
		c, n = 21, 2
	default:
		c = int(ordinalWord[w.s])
	}
	if next := t.at(i + n).s; c < 1 || c > 99 || next != "century" && next != "centuries" {
		return date{}, 0
	}
	d := date{y: (c - 1) * 100, until: c*100 - 1 + 1, span: true}
	if bc := t.at(i + n + 1).s; bc == "bc" || bc == "bce" {
		d.y, d.until = -c*100, -(c-1)*100
	}
	return d, n + 1
}

// dateBound reads the word before a date.
func (t *text) dateBound(i int) dateBound {
	k := i - 1
	if t.at(k).s == "the" {
		k--
	}
	switch w := t.at(k).s; w {
	case "before", "by", "pre":
		if w == "by" && t.at(k-1).kind == letters && strings.HasSuffix(t.at(k-1).s, "ed") {
			return on
		}
		return before
	case "since", "after", "post":
		return after
	case "about", "around", "circa", "c", "ca", "approximately", "roughly", "~", "near":
		return around
	case ".":
		if t.at(k-1).s == "c" || t.at(k-1).s == "ca" {
			return around
		}
	}
	return on
}

// joinDates makes a span of the last two dates if "to", "and" or a dash parts them.
func (t *text) joinDates() {
	n := len(t.dates)
	if n < 2 {
		return
	}
	a, b := &t.dates[n-2], &t.dates[n-1]
	gap := t.words[a.to:b.from]
	hyphen := (len(gap) == 0 || len(gap) == 1 && gap[0].s == "--") && t.words[b.from].hyphen
	word := len(gap) == 1 && (gap[0].s == "to" || gap[0].s == "until" || gap[0].s == "through" || gap[0].s == "and" && t.at(a.from-1).s == "between" || gap[0].s == "--")
	if !hyphen && !word || b.y != 0 && a.y > b.until {
		return
	}
	if a.y == 0 && b.y != 0 && a.m != 0 {
		a.y, a.until = b.y, b.y
	}
	a.upTo = n - 1
}
