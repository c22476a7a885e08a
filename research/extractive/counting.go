package extractive

import (
	"slices"
	"strings"

	"ibid/internal/lazyregexp"
)

const (
	countBefore = 6 // words from a number to what it counts: 30 of Boeing's new long-range jets
	countBehind = 4 // words from what is counted to its number: the pollutants number 91
)

// numbered says how far a text has a number of the things that a part asks the number of: 1 where one stands by them,
// 0.5 where the things are not named and the number is.
func (p part) numbered(s string) float64 {
	ws := split(s)
	named := false
	for i, w := range ws {
		t := p.reader.term(w.text)
		if t == "" || !slices.Contains(p.things, t) {
			continue
		}
		named = true
		for j := i - 1; j >= max(0, i-countBefore) && !strings.ContainsAny(s[ws[j].end:ws[j+1].start], ".;:()—|"); j-- {
			if p.number(s, ws[j]) {
				return 1
			}
		}
		for j := i + 1; j <= i+countBehind && j < len(ws) && !strings.ContainsAny(s[ws[j-1].end:ws[j].start], ".;—"); j++ {
			if p.number(s, ws[j]) {
				return 1
			}
			if !counts[strings.ToLower(ws[j].text)] {
				break
			}
		}
	}
	if named {
		return 0
	}
	return 0.5
}

// besides says whether a sentence has one of the terms of a part that are not the things to be counted, if there are any.
func (p part) besides(e *sentence) bool {
	some, has := false, p.reader.terms(e.flat())
	for _, t := range p.terms {
		if slices.Contains(p.things, t.stem) {
			continue
		}
		if slices.Contains(has, t.stem) || slices.ContainsFunc(t.alts, func(k string) bool { return slices.Contains(has, k) }) {
			return true
		}
		some = true
	}
	return !some
}

// counts are words that may stand between what is counted and its number.
var counts = set("is are was were number numbers numbered total totals totalled totaled reached at about some to of beträgt betrug sind waren")

// grouped is a number with points between its thousands.
var grouped = lazyregexp.New(`^\d{1,3}(?:\.\d{3})+$`)

// number says whether a word is a number that the question does not have, and no part of a name or a date.
func (p part) number(s string, w word) bool {
	if p.figures[strings.ReplaceAll(w.text, ",", "")] {
		return false
	}
	if w.end < len(s) && s[w.end] == '-' { // a forty-step run
		return false
	}
	if c := w.text[0]; c < '0' || c > '9' {
		return numeral.MatchString(w.text) && !strings.EqualFold(w.text, "no") && !p.words[strings.ToLower(w.text)]
	}
	if otherUnit.MatchString(s[max(0, w.start-4):min(len(s), w.end+9)]) {
		return false
	}
	if strings.Contains(w.text, ".") && len(w.text) > 0 && !strings.Contains(s[w.end:min(len(s), w.end+9)], "illion") && !grouped.MatchString(w.text) {
		return false
	}
	year := len(w.text) == 4 && (w.text[0] == '1' || w.text[:2] == "20")
	return !year && (w.start == 0 || !isWordByte(s[w.start-1]) && s[w.start-1] != '/')
}
