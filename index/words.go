package index

import (
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// maxWord bounds one word, in bytes: what is longer is no word but encoded data, and its beginning identifies it.
const maxWord = 64

// A wordKind says how a token counts.
type wordKind uint8

const (
	whole wordKind = iota
	part           // findable, but not asked for and not counted in a document's length: 1.26 of 1.26.8, C of C++
)

// words calls emit for each token of a text, in order, lower case. Numbers keep their value over their punctuation:
// 6,814,000 and $6814000 are one token (case 029 of the failure bank is why). The slice is valid during the call only.
func words(text string, emit func(word []byte, kind wordKind)) {
	t := tokeniser{text: fold(text), emit: emit}
	for t.pos < len(t.text) {
		r, size := utf8.DecodeRuneInString(t.text[t.pos:])
		switch {
		case digit(r):
			t.number()
		case unspaced(r):
			t.pairs()
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			t.word(t.pos)
		default:
			t.pos += size
		}
	}
}

type tokeniser struct {
	text string
	pos  int
	buf  []byte
	emit func([]byte, wordKind)
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

func asciiLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// word emits a run of letters and digits that begins at start, where everything up to pos is known to belong to it.
func (t *tokeniser) word(start int) {
	t.buf = append(t.buf[:0], t.text[start:t.pos]...)
	letters := 0
	for t.pos < len(t.text) {
		r, size := utf8.DecodeRuneInString(t.text[t.pos:])
		if unspaced(r) || !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			break
		}
		t.pos += size
		if letters++; len(t.buf) < maxWord-utf8.UTFMax {
			t.buf = utf8.AppendRune(t.buf, unicode.ToLower(r))
		}
	}
	switch rest := t.text[t.pos:]; {
	case letters <= 2 && start+letters == t.pos && len(rest) > 0 && (rest[0] == '#' || len(rest) > 1 && rest[:2] == "++"):
		t.emit(t.buf, part) // the C of C++ and C#
		n := 1
		if rest[0] == '+' {
			n = 2
		}
		t.pos += n
		t.buf = append(t.buf, rest[:n]...)
	case len(rest) > 1 && rest[0] == '\'' && asciiLetter(rest[1]):
		t.pos += contraction(rest)
	}
	t.emit(t.buf, whole)
}

// contraction returns the length of an apostrophe and the ending behind it, as in what's, don't, we'll; 0 where a name
// goes on, as in O'Dell.
func contraction(rest string) int {
	n := 1
	for n < len(rest) && asciiLetter(rest[n]) {
		n++
	}
	switch rest[1:n] {
	case "s", "t", "d", "m", "re", "ve", "ll", "S", "T", "D", "M", "RE", "VE", "LL":
		return n
	}
	return 0
}

// number emits a number with its group separators dropped, or a version with its dots kept.
func (t *tokeniser) number() {
	start := t.pos
	t.buf = t.buf[:0]
	n := t.digits()
	separator, groups := rune(0), 0
	for n <= 3 && t.text[start] != '0' {
		r, size := utf8.DecodeRuneInString(t.text[t.pos:])
		if r != ',' && r != '\'' && r != 0xA0 && r != '.' || separator != 0 && r != separator || !t.groupAt(t.pos+size) {
			break
		}
		if r == '.' && groups == 0 && !t.dotGroups(t.pos) {
			break // 6.814 is a decimal fraction, 6.814.000 is not
		}
		separator, groups = r, groups+1
		t.pos += size
		t.digits()
	}
	if groups > 0 {
		if separator != '.' {
			t.fraction('.')
		} else {
			t.fraction(',')
		}
		t.emit(t.buf, whole)
		return
	}
	for dots := 0; t.fraction('.'); dots++ {
		if dots == 0 && t.fractionAt('.') {
			t.emit(t.buf, part)
		}
	}
	if t.pos < len(t.text) && len(t.buf) == t.pos-start && t.pos-start == n {
		if r, _ := utf8.DecodeRuneInString(t.text[t.pos:]); (unicode.IsLetter(r) || unicode.IsMark(r)) && !unspaced(r) {
			t.word(start) // 4gb, 1st, 5ht
			return
		}
	}
	t.emit(t.buf, whole)
}

// digits reads digits into the buffer and returns how many there were.
func (t *tokeniser) digits() (n int) {
	for t.pos < len(t.text) && digit(rune(t.text[t.pos])) {
		if len(t.buf) < maxWord {
			t.buf = append(t.buf, t.text[t.pos])
		}
		t.pos++
		n++
	}
	return n
}

// groupAt reports whether exactly three digits stand at a position.
func (t *tokeniser) groupAt(i int) bool {
	n := 0
	for i+n < len(t.text) && n < 4 && digit(rune(t.text[i+n])) {
		n++
	}
	return n == 3
}

// dotGroups reports whether at least two groups follow, each after a dot.
func (t *tokeniser) dotGroups(i int) bool {
	return t.groupAt(i+1) && i+4 < len(t.text) && t.text[i+4] == '.' && t.groupAt(i+5)
}

// fractionAt reports whether a point and a digit come next.
func (t *tokeniser) fractionAt(point byte) bool {
	return t.pos+1 < len(t.text) && t.text[t.pos] == point && digit(rune(t.text[t.pos+1]))
}

// fraction reads a point and the digits behind it, and reports whether they were there.
func (t *tokeniser) fraction(point byte) bool {
	if !t.fractionAt(point) {
		return false
	}
	if len(t.buf) < maxWord {
		t.buf = append(t.buf, '.')
	}
	t.pos++
	t.digits()
	return true
}

// pairs emits a run of an unspaced script as overlapping pairs of characters, and each character as a part, so that
// words of one and two characters are found.
func (t *tokeniser) pairs() {
	first, size := utf8.DecodeRuneInString(t.text[t.pos:])
	t.pos += size
	last, n := first, 1
	for t.pos < len(t.text) {
		r, size := utf8.DecodeRuneInString(t.text[t.pos:])
		if !unspaced(r) {
			break
		}
		t.pos += size
		n++
		t.single(last, part)
		t.buf = utf8.AppendRune(utf8.AppendRune(t.buf[:0], last), r)
		t.emit(t.buf, whole)
		last = r
	}
	if n == 1 {
		t.single(last, whole)
	} else {
		t.single(last, part)
	}
}

func (t *tokeniser) single(r rune, kind wordKind) {
	if unicode.IsMark(r) {
		return
	}
	t.buf = utf8.AppendRune(t.buf[:0], r)
	t.emit(t.buf, kind)
}

// stem returns the Porter2 stem of an English word. A word with digits or letters beyond a–z is left alone. The language
// is judged word by word: a query is too short to guess it, and what is done to a query has to be done to every
// document, or an English stem would miss the same word in a document taken for German.
func stem(word string) string {
	for i := 0; i < len(word); i++ {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	return english.Stem(word, true)
}
