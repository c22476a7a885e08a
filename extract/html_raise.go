package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// raise turns the text from start on, which stands as a superscript, into superscript characters where it consists of
// digits and signs: 10 to the 6th must not read as 106, nor the footnote of a number as its last digit. It reports whether
// it did. Behind a number so are the digits of any other text. A superscript may come in several elements.
func (l *line) raise(start int) bool {
	from := start
	if l.raised.end == start {
		from = l.raised.start
	}
	text := string(l.b[from:])
	ok := inTable(text, superscripts) || from > 0 && isDigit(l.b[from-1]) && isDigit(text[0])
	if ok {
		l.rewrite(from, superscripts)
	} else {
		l.raised = span{from, len(l.b)}
	}
	return ok
}

// setOff puts a space before the mark of a note that is a letter and stands against a word or number.
func (l *line) setOff(start int) {
	text := l.b[start:]
	before, _ := utf8.DecodeLastRune(l.b[:start])
	if len(text) > 0 && len(text) <= 2 && text[0] >= 'a' && text[0] <= 'z' && (unicode.IsLetter(before) || unicode.IsDigit(before)) {
		l.insert(start, " ")
	}
}

// insert puts in a text that the page does not spell.
func (l *line) insert(at int, s string) {
	l.b = slices.Insert(l.b, at, []byte(s)...)
	for i := len(l.from) - 1; i >= 0 && int(l.from[i].at) >= at; i-- {
		l.from[i].at += int32(len(s))
	}
}

// subscript sees to the text from start on, which stands as a subscript: against a digit it becomes subscript characters,
// as a digit behind it will see; elsewhere it stays as it is, as in H2O.
func (l *line) subscript(start int) {
	switch {
	case len(l.b) <= start:
	case start > 0 && isDigit(l.b[start-1]):
		l.lower(start)
	default:
		l.lowered = span{start, len(l.b)}
	}
}

// lower turns the text from start on into subscript characters, where it consists of digits and signs.
func (l *line) lower(start int) {
	if inTable(string(l.b[start:]), subscripts) {
		l.rewrite(start, subscripts)
	}
}

// inTable reports whether a table holds every character of a text, and one of them is a digit or stands for a number.
func inTable(text string, table map[rune]rune) bool {
	for _, r := range text {
		if _, ok := table[r]; !ok {
			return false
		}
	}
	return strings.ContainsAny(text, "0123456789n")
}

// shifted is the character that a table has for another one, or that one.
func shifted(r rune, table map[rune]rune) string {
	if to, ok := table[r]; ok {
		r = to
	}
	return string(r)
}

// rewrite replaces each character from start on by the one that the table has for it.
func (l *line) rewrite(start int, table map[rune]rune) {
	old, first := string(l.b[start:]), len(l.from)
	for first > 0 && int(l.from[first-1].at) >= start {
		first--
	}
	from := append([]origin{{int32(start), -1, 0}}, l.from[max(first-1, 0):]...) // the one before may reach beyond start
	l.b, l.from = l.b[:start], l.from[:first]
	k := 0
	for i, r := range old {
		for k+1 < len(from) && int(from[k+1].at) <= start+i {
			k++
		}
		o, n := from[k], utf8.RuneLen(r)
		switch {
		case o.raw < 0:
			l.put(shifted(r, table), -1, 0)
		case o.size > 0:
			l.put(shifted(r, table), int(o.raw), int(o.size))
		default:
			l.put(shifted(r, table), int(o.raw)+start+i-int(o.at), n)
		}
	}
}

var superscripts = map[rune]rune{
	'0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹', '+': '⁺', '-': '⁻', '−': '⁻', '–': '⁻',
	'=': '⁼', '(': '⁽', ')': '⁾', 'n': 'ⁿ', ' ': ' ', ',': ',',
}

var subscripts = map[rune]rune{
	'0': '₀', '1': '₁', '2': '₂', '3': '₃', '4': '₄', '5': '₅', '6': '₆', '7': '₇', '8': '₈', '9': '₉', '+': '₊', '-': '₋', '−': '₋', '=': '₌',
	'(': '₍', ')': '₎', ' ': ' ', ',': ',',
}
