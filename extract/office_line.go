package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A paraLine gathers the text of one paragraph of an office document: runs of white space are one space, none at the
// edges.
type paraLine struct {
	b       []byte
	space   bool // a space is due before the next character
	letters int  // characters that are not space
	linked  int  // of those, the ones inside links
	up      span // the superscript that the last run was, which the next one may go on
	down    span // likewise of a subscript
}

// text adds a run of text.
func (l *paraLine) text(s string, link bool) {
	before := l.letters
	for _, r := range s {
		if r == 0 || r == '\u00ad' || r == '\ufeff' { // a soft hyphen is shown at a line's end only
			continue
		}
		if r <= ' ' {
			l.space = true
			continue
		}
		l.settle()
		if n := len(l.b); n > 0 && n == l.down.end && r >= '0' && r <= '9' {
			l.rewrite(l.down.start, subscripts) // log₁₀2 must not read as log102
		}
		l.b = utf8.AppendRune(l.b, r)
		if !unicode.IsSpace(r) {
			l.letters++
		}
	}
	if link {
		l.linked += l.letters - before
	}
}

// settle writes the space that is due.
func (l *paraLine) settle() {
	if n := len(l.b); l.space && n > 0 && l.b[n-1] != '\n' && l.b[n-1] != ' ' {
		l.b = append(l.b, ' ')
	}
	l.space = false
}

func (l *paraLine) newline() {
	l.space = false
	l.b = append(l.b, '\n')
}

// raise turns the text from start on, which stands as a superscript, into superscript characters where it consists of
// digits and signs: 10 to the 6th must not read as 106. Behind a number so are the digits and signs of any other text. A
// superscript may come in several runs.
func (l *paraLine) raise(start int) {
	if start = min(start, len(l.b)); start == len(l.b) {
		return
	}
	if l.up.end == start && l.up.end > 0 {
		start = l.up.start
	}
	s := string(l.b[start:])
	if up, ok := superscript(s); ok {
		l.b = append(l.b[:start], up...)
	} else if start > 0 && isDigit(l.b[start-1]) && strings.ContainsAny(s, "0123456789") && s[0] != ' ' {
		l.rewrite(start, superscripts)
	}
	l.up = span{start, len(l.b)}
}

// lower turns digits from start on, which stand as a subscript against a digit, into subscript characters. Elsewhere they
// stay as they are, as in H2O, unless a digit follows.
func (l *paraLine) lower(start int) {
	if start = min(start, len(l.b)); start == len(l.b) {
		return
	}
	if l.down.end == start && l.down.end > 0 {
		start = l.down.start
	}
	s := string(l.b[start:])
	switch {
	case start > 0 && isDigit(l.b[start-1]) && strings.ContainsAny(s, "0123456789") && s[0] != ' ':
		l.rewrite(start, subscripts)
		l.down = span{start, len(l.b)}
	case inTable(s, subscripts):
		l.down = span{start, len(l.b)}
	}
}

// rewrite replaces the characters from start on by those that a table has for them.
func (l *paraLine) rewrite(start int, table map[rune]rune) {
	old := string(l.b[start:])
	l.b = l.b[:start]
	for _, r := range old {
		if to, ok := table[r]; ok {
			r = to
		}
		l.b = utf8.AppendRune(l.b, r)
	}
}

// superscript returns a text of digits and signs in superscript characters; false for any other. What is one already
// stays.
func superscript(s string) (string, bool) {
	var up []byte
	digits := false
	for _, r := range s {
		u, ok := superscripts[r]
		if !ok && !strings.ContainsRune(raisedSigns, r) {
			return "", false
		}
		if !ok {
			u = r
		}
		digits = digits || r >= '0' && r <= '9' || r == 'n' || !ok
		up = utf8.AppendRune(up, u)
	}
	return string(up), digits
}

// raisedSigns are the superscripts of Unicode that this package writes.
const raisedSigns = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ"

// take returns the text and the share of it that is links, and begins anew; "" if there is nothing to see.
func (l *paraLine) take() (text string, linked float64) {
	if l.letters > 0 {
		text = strings.TrimSpace(strings.ToValidUTF8(string(l.b), "\ufffd"))
		linked = float64(l.linked) / float64(l.letters)
	}
	*l = paraLine{b: l.b[:0]}
	if !visible(text) {
		return "", 0
	}
	return text, linked
}
