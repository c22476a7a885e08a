package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A passage gathers the text of one block from its parts: runs of white space are one space, none at the edges; what is
// preformatted stays.
type passage struct {
	b       []byte
	space   bool // a space is due before the next character
	letters int  // characters that are not space
	linked  int  // of those, the ones inside links
	pre     bool // some of it is preformatted
}

// add appends a text.
func (p *passage) add(s string, pre, link bool) {
	before := p.letters
	if pre {
		p.settle()
		p.b = append(p.b, s...)
		p.pre = true
	}
	for i, r := range s {
		if !pre && r > ' ' && r < utf8.RuneSelf { // nearly all of them
			if p.space {
				p.settle()
			}
			p.letters++
			p.b = append(p.b, s[i])
			continue
		}
		if !unicode.IsSpace(r) {
			p.letters++
		}
		switch {
		case pre, r == 0:
		case r == ' ', r == '\t', r == '\n', r == '\r', r == '\f', r == '\v': // other spaces mean something
			p.space = true
		default:
			p.settle()
			p.b = utf8.AppendRune(p.b, r)
		}
	}
	if link {
		p.linked += p.letters - before
	}
}

// settle writes the space that is due.
func (p *passage) settle() {
	if n := len(p.b); p.space && n > 0 && p.b[n-1] != '\n' && p.b[n-1] != ' ' {
		p.b = append(p.b, ' ')
	}
	p.space = false
}

// newline begins a new line.
func (p *passage) newline() {
	p.space = false
	if len(p.b) > 0 {
		p.b = append(p.b, '\n')
	}
}

// before is the last character, 0 if there is none or a space is due.
func (p *passage) before() rune {
	if p.space || len(p.b) == 0 {
		return 0
	}
	r, _ := utf8.DecodeLastRune(p.b)
	return r
}

// shift writes the text from start on in the characters of a table, if it has all of them and one is a digit: ten to the
// sixth must not read as 106, nor the number of a note as the last digit of a figure.
func (p *passage) shift(start int, table map[rune]rune) bool {
	var shifted []byte
	digit := false
	for _, r := range string(p.b[start:]) {
		to, ok := table[r]
		if !ok {
			return false
		}
		digit = digit || r >= '0' && r <= '9' || r == 'n'
		shifted = utf8.AppendRune(shifted, to)
	}
	if digit {
		p.b = append(p.b[:start], shifted...)
	}
	return digit
}

// take returns the text and begins anew; "" if there is nothing to see.
func (p *passage) take() (text string, linkShare float64) {
	if p.letters > 0 {
		if text = string(p.b); !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "\ufffd")
		}
		linkShare = float64(p.linked) / float64(p.letters)
	}
	pre := p.pre
	*p = passage{b: p.b[:0]}
	if pre {
		return trimLines(text), linkShare
	}
	if text = strings.TrimSpace(text); !visible(text) {
		return "", 0
	}
	return text, linkShare
}
