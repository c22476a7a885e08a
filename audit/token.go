package audit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a number with what is glued to it, a word, or a sign that counts.
type token struct {
	text       string
	start, end int
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// tokens lists the tokens of a folded text, in order.
func tokens(low string) []token {
	toks := make([]token, 0, len(low)/5+1)
	for i := 0; i < len(low); {
		r, n := rune(low[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(low[i:])
		}
		end := i + n
		switch {
		case isDigit(r):
			end = numberEnd(low, i)
			if e, ok := glued(low, end); ok {
				end = e
			}
		case unicode.IsLetter(r):
			for end < len(low) {
				r, n := utf8.DecodeRuneInString(low[end:])
				if !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && !unicode.IsMark(r) {
					break
				}
				end += n
			}
		case r == '%' || r == '$' || r == '€' || r == '£' || r == '¥':
		default:
			i = end
			continue
		}
		toks = append(toks, token{low[i:end], i, end})
		i = end
	}
	return toks
}

// numberEnd is the end of the number that begins at i: digits with separators between them, of which a space or an
// apostrophe only parts groups of three.
func numberEnd(low string, i int) int {
	digits := func(i int) int {
		for i < len(low) && isDigit(rune(low[i])) {
			i++
		}
		return i
	}
	end := digits(i)
	grouped := end-i <= 3
	for end+1 < len(low) && isDigit(rune(low[end+1])) {
		next := digits(end + 1)
		switch c := low[end]; {
		case c == '\'' || c == ' ':
			if !grouped || next-end-1 != 3 {
				return end
			}
		case c == '.' || c == ',' || c == ':' || c == '/' || c == '^':
			grouped = grouped && c == ',' && next-end-1 == 3
		default:
			return end
		}
		end = next
	}
	return end
}

// glued is the end of the letters that stand right behind a number, which are its unit or make it part of a name.
func glued(low string, i int) (int, bool) {
	r, n := utf8.DecodeRuneInString(low[i:])
	if !unicode.IsLetter(r) && r != '_' {
		return i, false
	}
	for i < len(low) && (unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_') {
		i += n
		r, n = utf8.DecodeRuneInString(low[i:])
	}
	return i, true
}

// hasNumberWord reports whether a text may hold a number in words.
func hasNumberWord(low string) bool {
	for w := range strings.FieldsFuncSeq(low, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if countWords[w] || w == "one" || partWord[w] != 0 || timesWord[w] != 0 {
			return true
		}
	}
	return false
}
