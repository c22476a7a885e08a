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
	whole   wordKind = iota
	capital          // a whole word that does not begin with a lower-case letter, so that a name may begin with it
	part             // findable, but not asked for and not counted in a document's length: 1.26 of 1.26.8, C of C++
	also             // another spelling of what stands here: findable and asked for, but not counted
)

// words calls emit for each token of a text, in order, lower case. Numbers keep their value over their punctuation:
// 6,814,000 and $6814000 are one token (case 029 of the failure bank is why). The slice is valid during the call only.
func words(text string, emit func(word []byte, kind wordKind)) {
	t := tokeniser{text: foldMarked(text), emit: emit}
	for t.pos < len(t.text) {
		if c := t.text[t.pos]; c < utf8.RuneSelf {
			switch {
			case digit(rune(c)):
				t.number()
			case asciiLetter(c):
				t.word(t.pos)
			default:
				t.pos++
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(t.text[t.pos:])
		switch {
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
	text    string
	pos     int
	grouped int // end of a number that was written in groups with spaces
	buf     []byte
	other   []byte // another spelling of buf
	chain   []byte // the words before, where they are joined to the next: foo_ of foo_bar
	emit    func([]byte, wordKind)
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

func asciiLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// word emits a run of letters and digits that begins at start, where everything up to pos is known to belong to it.
func (t *tokeniser) word(start int) {
	t.buf, t.other = append(t.buf[:0], t.text[start:t.pos]...), t.other[:0]
	letters := t.letters()
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
	kind := whole
	if first, _ := utf8.DecodeRuneInString(t.text[start:]); !unicode.IsLower(first) {
		kind = capital
	}
	t.emit(t.buf, kind)
	if len(t.other) > 0 {
		t.emit(t.other, also)
	}
	t.humps(t.text[start:t.pos])
	t.join()
}

// letters reads letters, digits and marks into the buffer, lower case, and returns how many there were.
func (t *tokeniser) letters() (n int) {
	for t.pos < len(t.text) {
		if c := t.text[t.pos]; len(t.other) == 0 && len(t.buf) < maxWord-utf8.UTFMax && (asciiLetter(c) || digit(rune(c))) { // nearly all of them
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			t.buf, t.pos, n = append(t.buf, c), t.pos+1, n+1
			continue
		}
		r, size := rune(t.text[t.pos]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(t.text[t.pos:])
			if unspaced(r) || !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
				break
			}
		} else if !asciiLetter(byte(r)) && !digit(r) {
			break
		}
		t.pos += size
		n++
		if len(t.buf) >= maxWord-utf8.UTFMax {
			continue
		}
		if r == diaeresis { // Müller is Muller and also Mueller
			if len(t.other) == 0 {
				t.other = append(t.other, t.buf...)
			}
			t.other = append(t.other, 'e')
			continue
		}
		was := len(t.buf)
		t.buf = utf8.AppendRune(t.buf, unicode.ToLower(r))
		if len(t.other) > 0 {
			t.other = append(t.other, t.buf[was:]...)
		}
	}
	return n
}

// humps emits the parts of a name like fooBar or HTTPServer, each of two letters or more.
func (t *tokeniser) humps(word string) {
	lower := false
	for i := 0; i < len(word); i++ {
		if c := word[i]; !asciiLetter(c) && !digit(rune(c)) {
			return
		} else if c >= 'a' {
			lower = true
		}
	}
	if !lower || len(word) > maxWord-utf8.UTFMax {
		return
	}
	upper := func(i int) bool { return i < len(word) && word[i] <= 'Z' && word[i] >= 'A' }
	var parts [][2]int
	from := 0
	for i := 1; i <= len(word); i++ {
		if i == len(word) || upper(i) && (!upper(i-1) || i+1 < len(word) && !upper(i+1) && !digit(rune(word[i+1]))) {
			if i-from < 2 {
				return
			}
			parts, from = append(parts, [2]int{from, i}), i
		}
	}
	if len(parts) < 2 {
		return
	}
	for _, p := range parts {
		t.emit(t.buf[p[0]:p[1]], part)
	}
}

// join remembers the words of foo_bar and foo-bar, and emits them as one, foobar, at the end.
func (t *tokeniser) join() {
	rest := t.text[t.pos:]
	goesOn := len(rest) > 1 && (rest[0] == '_' || rest[0] == '-') && asciiLetter(rest[1])
	if !goesOn && len(t.chain) == 0 {
		return
	}
	if t.chain = append(t.chain, t.buf...); goesOn {
		return
	}
	if last := t.chain[len(t.chain)-1]; len(t.chain) <= maxWord-utf8.UTFMax && last != '#' && last != '+' {
		t.emit(t.chain, also)
	}
	t.chain = t.chain[:0]
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
		t.emit(t.buf, capital)
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
