package claim

import (
	"strconv"
	"strings"
)

// letterUnits are units of one letter, which must be glued to the number or stand behind a degree sign: alone they are names.
var letterUnits = set("c f k v w x")

// finish reads what stands around a number: its unit, what it is per, what it counts, how exact it is, and whether it
// stands in a name.
func (t *text) finish(f *figure) {
	if f.ordinal {
		f.noun = t.counted(f.to)
		return
	}
	f.bound = t.boundAt(f)
	t.readUnit(f)
	if f.unit.dim != "" {
		t.readPer(f)
	} else {
		f.noun = t.counted(f.to)
		t.readRate(f)
	}
	if f.unit.dim == "" || f.unit.dim == "times" {
		t.readName(f)
	}
	if f.weak && (f.unit.dim != "" || f.label != "") && t.words[f.from].s == "one" {
		f.weak = false
	}
}

func (t *text) readUnit(f *figure) {
	i := f.to
	w := t.at(i)
	if between[w.s] && units[t.at(i+1).s].dim == "time" && t.joined(i) && t.joined(i+1) && f.unit.dim == "" {
		f.to++
		i++
		w = t.at(i)
	}
	if w.kind == mark || !t.joined(i) && w.start != t.at(i-1).end {
		return
	}
	if money[f.unit.dim] {
		if w.s == "m" && t.words[i-1].end == w.start { // $4.6m
			f.value, f.alt, f.step, f.scaled = f.value*1e6, f.alt*1e6, f.step*1e6, true
			f.to++
		}
		return
	}
	if f.unit.dim != "" {
		return
	}
	if u, ok := compounds[w.s+" "+t.at(i+1).s]; ok && (t.joined(i+1) || t.at(i+1).start == w.end) {
		f.unit = u
		f.to += 2
		return
	}
	if u, ok := compounds[w.s+" / "+t.at(i+2).s]; ok && t.at(i+1).s == "/" {
		f.unit = u
		f.to += 3
		return
	}
	u, ok := units[w.s]
	switch {
	case !ok, letterUnits[w.s] && t.words[i-1].end != w.start, len(w.s) == 1 && w.kind == letters && w.capital && t.words[i-1].end != w.start,
		f.inWords && len(w.s) < 3 && w.kind == letters && w.s != "mi" && w.s != "km", money[u.dim] && w.capital && w.s == "won":
		return
	}
	f.unit = u
	f.to++
}

// between are words that may part a number from the unit of time that it counts.
var between = set("consecutive full long calendar straight whole more additional separate further short successive entire")

// readPer reads "per month", "a month", "/month" behind a unit.
func (t *text) readPer(f *figure) {
	i := f.to
	switch w := t.at(i); {
	case w.s == "per" || w.s == "/", (w.s == "a" || w.s == "an" || w.s == "each" || w.s == "every") && units[t.at(i+1).s].dim == "time":
		next := t.at(i + 1)
		if next.kind != letters {
			return
		}
		f.per = next.stem
		u, ok := compounds[next.s+" "+t.at(i+2).s]
		if !ok {
			u, ok = units[next.s]
		}
		if next.s == "s" {
			u, ok = units["second"], true
		}
		if ok && u.dim == "time" && f.unit.dim == "length" { // km/s and metres per second are one kind of speed
			f.unit = unit{"speed", f.unit.factor / u.factor, f.unit.name + "/" + next.s}
			f.per = ""
			return
		}
		if ok {
			f.per = u.dim + " " + strconv.FormatFloat(u.factor, 'g', 6, 64) // one name for all spellings
		}
	}
}

// readRate reads "per minute" behind what a bare number counts: 60 requests per minute.
func (t *text) readRate(f *figure) {
	k := f.to
	for k < f.to+4 && t.at(k).kind == letters && t.joined(k) && !functionWords[t.at(k).s] {
		k++
	}
	if u := units[t.at(k+1).s]; k > f.to && u.dim == "time" && (t.at(k).s == "per" || t.at(k).s == "a" || t.at(k).s == "an" || t.at(k).s == "each" || t.at(k).s == "every") {
		f.per = u.dim + " " + strconv.FormatFloat(u.factor, 'g', 6, 64)
	}
}

// counted lists the stems of the noun phrase that begins at word i, at most four words.
func (t *text) counted(i int) []string {
	var out []string
	for k := i; k < len(t.words) && k < i+5; k++ {
		w := t.words[k]
		if w.kind != letters || w.figure || !t.joined(k) {
			break
		}
		if functionWords[w.s] {
			if len(out) == 0 && k == i && (w.s == "more" || w.s == "fewer" || w.s == "less" || w.s == "other" || w.s == "such" || w.s == "of" || w.s == "the") {
				continue
			}
			break
		}
		out = append(out, w.stem)
	}
	return out
}

// labels are what numbers count like names: pier 3, phase 2.
var labels = set(`phase type class part stage volume chapter section tier level grade mark act annex group page episode season series version pier number no
	figure table line route highway room floor gate platform track step rank place position day week round game division category article appendix equation item
	turn model unit zone district ward block line issue book film`)

// readName looks whether a number without a unit is a part of a name, or a label's.
func (t *text) readName(f *figure) {
	if f.from == 0 {
		f.name = len(f.noun) > 0 && t.at(f.to).capital && t.at(f.to).sent == t.words[f.from].sent && !f.inWords
		return
	}
	b := t.words[f.from-1]
	if b.kind == sign && b.s == "%" || b.s == "#" || b.s == "№" {
		f.name = true
		return
	}
	if b.s == "/" && t.at(f.from-2).kind == letters && t.at(f.from-2).capital && b.start == t.words[f.from-2].end {
		f.name = true // OCT3/4
		return
	}
	if b.kind == mark && b.s == "." && f.from > 1 && titles[t.words[f.from-2].s] {
		b = t.words[f.from-2]
		f.label = "no"
		return
	}
	if b.kind != letters || !t.joined(f.from) {
		return
	}
	switch {
	case t.acronym(f.from - 1):
		f.name = true
	case labels[b.s] || labels[b.stem]:
		f.label = b.stem
		f.name = b.capital && f.from > 1 && t.words[f.from-2].sent == b.sent && !functionWords[t.words[f.from-2].s]
	case t.words[f.from].hyphen && !boundPrefix[b.s]:
		f.name = true
	case b.capital && months[b.s] == 0 && !functionWords[b.s] && !boundWords[b.s] && !t.firstOf(f.from-1) && (len(f.noun) == 0 || t.at(f.to).capital):
		f.name = true
	case t.at(f.to).capital && t.joined(f.to) && !functionWords[t.at(f.to).s] && t.words[f.from].capital:
		f.name = true
	}
}

// acronym reports whether word i is one: of capitals, or with a digit.
func (t *text) acronym(i int) bool {
	w := t.words[i]
	s := t.raw[w.start:w.end]
	return w.capital && len(s) > 1 && (strings.ToUpper(s) == s || strings.ContainsAny(s[1:], "0123456789")) && units[w.s].dim == ""
}

// firstOf reports whether word i is the first of its sentence.
func (t *text) firstOf(i int) bool { return i == 0 || t.words[i-1].sent != t.words[i].sent }

var boundPrefix = set("mid pre post early late since sub over under about")

// joinRange makes a range of the last two figures if a hyphen or "to" parts them: the first takes what the second has.
func (t *text) joinRange() {
	n := len(t.figures)
	if n < 2 {
		return
	}
	a, b := &t.figures[n-2], &t.figures[n-1]
	if a.ordinal || b.ordinal || a.part != b.part {
		return
	}
	gap := t.words[a.to:b.from]
	hyphen := t.words[b.from].hyphen && (len(gap) == 0 || len(gap) == 1 && gap[0].s == "--")
	word := len(gap) == 1 && (gap[0].s == "to" || gap[0].s == "and" && t.at(a.from-1).s == "between" || gap[0].s == "or")
	if (len(gap) == 0 || len(gap) == 1 && gap[0].s == "and") && a.unit.dim == b.unit.dim && a.unit.dim != "" && a.unit.factor > b.unit.factor {
		a.alt = a.value + b.value*b.unit.factor/a.unit.factor // 2 hours and 30 minutes
		return
	}
	if !hyphen && !word {
		if s := lastScale(t, b); s != 0 && a.alt == a.value && !a.scaled && a.unit.dim == "" && a.value < 1000 && listed(gap) {
			a.alt = a.value * s // 13.1 and at 14.2 million
		}
		return
	}
	if a.unit.dim == "" {
		a.unit, a.per = b.unit, b.per
		if len(a.noun) == 0 {
			a.noun = b.noun
		}
	} else if b.unit.dim == "" && money[a.unit.dim] {
		b.unit = a.unit
	}
	if s := lastScale(t, b); s != 0 && !a.scaled && a.value < 1000 && a.value*s <= b.value*1.0001 {
		a.value, a.alt, a.step, a.scaled = a.value*s, a.alt*s, a.step*s, true
	}
	if len(gap) == 0 || gap[0].s != "or" {
		a.upTo = n - 1
	}
	b.name = b.name && a.name
}

// lastScale is the scale that a figure is stated with, 0 if there is none.
func lastScale(t *text, f *figure) float64 {
	for _, w := range t.words[f.from:f.to] {
		if s := scales[w.s]; s != 0 && f.scaled {
			return s
		}
	}
	return 0
}

// listed reports whether the words between two figures only list them.
func listed(gap []word) bool {
	for _, w := range gap {
		if w.s != "and" && w.s != "or" && w.s != "at" && w.s != "as" && w.s != "to" && w.s != "by" && w.s != "from" && w.s != "," {
			return false
		}
	}
	return len(gap) > 0 && len(gap) < 4
}
