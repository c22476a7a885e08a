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
// digits and signs: 10 to the 6th must not read as 106.
func (l *paraLine) raise(start int) {
	if s, ok := superscript(string(l.b[min(start, len(l.b)):])); ok {
		l.b = append(l.b[:start], s...)
	}
}

// lower turns digits from start on, which stand as a subscript against a digit, into subscript characters. Elsewhere they
// stay as they are, as in H2O.
func (l *paraLine) lower(start int) {
	if start == 0 || start >= len(l.b) || l.b[start-1] < '0' || l.b[start-1] > '9' {
		return
	}
	var down []byte
	for _, c := range l.b[start:] {
		if c < '0' || c > '9' {
			return
		}
		down = utf8.AppendRune(down, '₀'+rune(c-'0'))
	}
	l.b = append(l.b[:start], down...)
}

// superscript returns a text of digits and signs in superscript characters; false for any other.
func superscript(s string) (string, bool) {
	var up []byte
	digits := false
	for _, r := range s {
		u, ok := superscripts[r]
		if !ok {
			return "", false
		}
		digits = digits || r >= '0' && r <= '9' || r == 'n'
		up = utf8.AppendRune(up, u)
	}
	return string(up), digits
}

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
