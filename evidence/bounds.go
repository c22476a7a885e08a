package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A cut is what a quote's edge would cut.
type cut uint8

const (
	cutNothing cut = iota
	cutWord
	cutNumber
)

// cuts reports what the edges of text[start:end] cut: the number first, since a number cut is the worse lie.
func cuts(text string, start, end int, code bool) cut {
	return max(cutAt(text, start, code), cutAt(text, end, code))
}

// cutAt reports what is cut by an edge at offset i of raw text: nothing, a word or compound, or a number with its sign,
// currency, grouping, range, exponent, percent sign and magnitude word. White space around i does not matter.
func cutAt(text string, i int, code bool) cut {
	j := newJunction(text, i, code)
	if j.l1 == 0 || j.r1 == 0 {
		return cutNothing
	}
	if j.tight {
		return max(j.tightWord(), j.tightNumber())
	}
	return max(j.brokenWord(), j.spacedNumber(), j.numberWords())
}

// A junction is the place around an edge: what stands left and right of it, invisible characters skipped and
// typographic variants made plain.
type junction struct {
	text           string
	left, right    int  // where the text before and after the white space at the edge ends and begins
	l1, l2, r1, r2 rune // the runes nearest to the edge and next to those, white space included in l2 and r2; 0 is none
	rawL1          rune // l1 as it stands
	tight          bool // no white space at the edge
	code           bool
}

func newJunction(text string, i int, code bool) junction {
	j := junction{text: text, code: code, left: i, right: i}
	for {
		r, at := before(text, j.left)
		if r == 0 || !unicode.IsSpace(r) {
			j.rawL1, j.l1 = r, plainRune(r)
			j.left = skipBack(text, j.left)
			j.l2, _ = before(text, at)
			j.l2 = plainRune(j.l2)
			break
		}
		j.left = at
	}
	for {
		r, end := after(text, j.right)
		if r == 0 || !unicode.IsSpace(r) {
			j.r1 = plainRune(r)
			j.right = skipOn(text, j.right)
			j.r2, _ = after(text, end)
			j.r2 = plainRune(j.r2)
			break
		}
		j.right = end
	}
	j.tight = strings.IndexFunc(text[j.left:j.right], unicode.IsSpace) < 0
	return j
}

// before is the last visible rune before i and where it begins, 0 at the start of the text.
func before(text string, i int) (rune, int) {
	i = skipBack(text, i)
	r, n := utf8.DecodeLastRuneInString(text[:i])
	if n == 0 {
		return 0, 0
	}
	return r, i - n
}

// after is the first visible rune from i on and where it ends, 0 at the end of the text.
func after(text string, i int) (rune, int) {
	i = skipOn(text, i)
	r, n := utf8.DecodeRuneInString(text[i:])
	if n == 0 {
		return 0, len(text)
	}
	return r, i + n
}

func skipBack(text string, i int) int {
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:i])
		if !invisible(r) && r != softHyphen {
			break
		}
		i -= n
	}
	return i
}

func skipOn(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !invisible(r) && r != softHyphen {
			break
		}
		i += n
	}
	return i
}

// tightWord finds words, compounds and code names cut where no white space stands at the edge.
func (j *junction) tightWord() cut {
	l, r := wordRune(j.l1), wordRune(j.r1)
	switch {
	case unicode.IsMark(j.r1):
		return cutWord
	case l && r:
		switch {
		case hanNumeral(j.l1) && hanNumeral(j.r1), numeric(j.l1) && hanMagnitude(j.r1):
			return cutNumber
		case unspaced(j.l1) || unspaced(j.r1):
			return cutNothing
		case numeric(j.l1):
			return cutNumber // 12|km, 4|1.6
		}
		return cutWord
	case j.l1 == '_' && r && (j.code || wordRune(j.l2) || j.l2 == '_'), l && j.r1 == '_' && (j.code || wordRune(j.r2) || j.r2 == '_'):
		return cutWord
	case l && (j.r1 == '+' || j.r1 == '#') && !unspaced(j.l1):
		return cutWord // C|++
	case l && wordRune(j.r2) && !unspaced(j.r2) && joins(j.r1, j.l1, j.r2), wordRune(j.l2) && !unspaced(j.l2) && r && joins(j.l1, j.l2, j.r1):
		return cutWord
	}
	if l && j.r1 == '-' && !j.code { // cur|-⏎rents
		_, end := after(j.text, j.right)
		return brokenLine(j.text[end:])
	}
	return cutNothing
}

// joins reports whether c makes one word of what stands left and right of it.
func joins(c, l, r rune) bool {
	switch c {
	case '-', '/', '&', '@', '^', '_':
		return true
	case '\'':
		return unicode.IsLetter(l) && unicode.IsLetter(r)
	}
	return false
}

// brokenLine reports whether s, which follows a hyphen, goes on with a word on the next line.
func brokenLine(s string) cut {
	word := strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || invisible(r) })
	if r, _ := utf8.DecodeRuneInString(word); wordRune(r) && strings.ContainsFunc(s[:len(s)-len(word)], isBreak) {
		return cutWord
	}
	return cutNothing
}

// brokenWord finds a word that is hyphenated over the line's end at the edge.
func (j *junction) brokenWord() cut {
	if j.code || !wordRune(j.r1) {
		return cutNothing
	}
	gap := j.text[j.left:j.right]
	switch {
	case wordRune(j.l1) && strings.ContainsRune(gap, lineEndMark):
		return cutWord
	case !strings.ContainsFunc(gap, isBreak):
	case wordRune(j.l1) && strings.ContainsRune(gap, softHyphen), j.l1 == '-' && wordRune(j.l2):
		return cutWord
	}
	return cutNothing
}
