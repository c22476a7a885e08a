package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A line gathers the inline content of one text block as a browser shows it: runs of white space are one space, none at
// the edges; what is preformatted stays.
type line struct {
	b       []byte
	space   bool // a space is due before the next character
	letters int  // characters that are not space
	linked  int  // of those, the ones inside links
	breaks  int  // line breaks since the last character
	pre     bool // some of it is preformatted
}

// text adds a text node.
func (l *line) text(s string, pre, link bool) {
	before := l.letters
	if pre {
		l.settle()
		l.b = append(l.b, s...)
		l.pre = true
		for _, r := range s {
			if !unicode.IsSpace(r) {
				l.letters++
			}
		}
	} else {
		for _, r := range s {
			switch r {
			case ' ', '\t', '\n', '\r', '\f':
				l.space = true
				continue
			case 0:
				continue
			}
			l.settle()
			l.b = utf8.AppendRune(l.b, r)
			if !unicode.IsSpace(r) {
				l.letters++
				l.breaks = 0
			}
		}
	}
	if link {
		l.linked += l.letters - before
	}
}

// settle writes the space that is due.
func (l *line) settle() {
	if n := len(l.b); l.space && n > 0 && l.b[n-1] != '\n' && l.b[n-1] != ' ' {
		l.b = append(l.b, ' ')
	}
	l.space = false
}

// newline adds a line break and reports whether it is one after another, which ends a paragraph.
func (l *line) newline() bool {
	l.space = false
	l.b = append(l.b, '\n')
	l.breaks++
	return l.breaks > 1 && !l.pre
}

// raise turns the text from start on, which stands as a superscript, into superscript characters where it consists of
// digits and signs: 10 to the 6th must not read as 106, nor the footnote of a number as its last digit.
func (l *line) raise(start int) {
	raised, digits := []byte(nil), false
	for _, r := range string(l.b[start:]) {
		up, ok := superscripts[r]
		if !ok {
			return
		}
		digits = digits || r >= '0' && r <= '9' || r == 'n'
		raised = utf8.AppendRune(raised, up)
	}
	if digits {
		l.b = append(l.b[:start], raised...)
	}
}

var superscripts = map[rune]rune{
	'0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹', '+': '⁺', '-': '⁻', '−': '⁻', '–': '⁻',
	'=': '⁼', '(': '⁽', ')': '⁾', 'n': 'ⁿ', ' ': ' ', ',': ',',
}

// take returns the text and begins anew; "" if there is nothing to see.
func (l *line) take() (text string, linkShare float64) {
	if l.letters > 0 {
		text = string(l.b)
		linkShare = float64(l.linked) / float64(l.letters)
	}
	pre := l.pre
	*l = line{b: l.b[:0]}
	text = strings.ToValidUTF8(text, "\ufffd")
	if pre {
		return trimLines(text), linkShare
	}
	if text = strings.TrimSpace(text); !visible(text) {
		return "", 0
	}
	return text, linkShare
}

// trimLines drops blank lines at both ends and white space at the very end.
func trimLines(s string) string {
	for {
		first, rest, more := strings.Cut(s, "\n")
		if !more || strings.TrimSpace(first) != "" {
			break
		}
		s = rest
	}
	if s = strings.TrimRightFunc(s, unicode.IsSpace); !visible(s) {
		return ""
	}
	return s
}

// visible reports whether a text has anything to see: not only spaces, marks of direction and joiners.
func visible(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Cc, r) {
			return true
		}
	}
	return false
}
