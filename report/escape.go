package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/audit"
	"ibid/evidence"
)

// escape makes text from outside inert in Markdown: it shows as it is, on one line, and opens nothing. What would read
// as one of our citations is escaped down to its spaces, so that it does not count as one.
func escape(s string) string {
	s = audit.Shown(s)
	inert := citationLike(s)
	var b strings.Builder
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		switch {
		case inert(i) && r < 0x80 && unicode.In(r, unicode.P, unicode.S):
			b.WriteByte('\\')
		case inert(i) && !unicode.IsLetter(r) && !unicode.IsNumber(r), strings.ContainsRune("【】［］〔〕", r):
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		case special(r, before, next, i):
			b.WriteByte('\\')
		case (r == '.' || r == ')') && i < 10 && i > 0 && strings.Trim(s[:i], "0123456789") == "": // 1. and 1) begin a list
			b.WriteByte('\\')
		case r == ':' && strings.HasPrefix(s[i:], "://"), r == '.' && strings.HasSuffix(strings.ToLower(s[:i]), "www"):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// special reports whether a character would do something in Markdown where it stands.
func special(r, before, next rune, i int) bool {
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	switch r {
	case '\\', '`', '*', '[', ']', '|', '~':
		return true
	case '_':
		return !word(before) || !word(next)
	case '<':
		return unicode.IsLetter(next) || next == '/' || next == '!' || next == '?'
	case '&':
		return next == '#' || unicode.IsLetter(next)
	case '@':
		return word(before) || strings.ContainsRune("._+-", before)
	case '#', '+', '-', '=', '>', ':':
		return i == 0
	}
	return false
}

// citationLike tells for each byte of s whether it is part of what a reader could take for a citation.
func citationLike(s string) func(i int) bool {
	ms := evidence.ScanCitations(s)
	return func(i int) bool {
		for _, m := range ms {
			if i >= m.Start && i < m.End {
				return true
			}
		}
		return false
	}
}
