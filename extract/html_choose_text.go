package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/evidence"
)

// wording is what one look at a block's text tells.
type wording struct {
	words, letters   int32
	digits           int32 // characters
	upper, caps      int32 // words that begin with a capital, or are all capitals
	stops            int32 // ends of sentences
	commas           int32
	title, described int32  // of its words, how many are in the page's title, in its description
	long, known      int32  // longer words, and how many of them running text elsewhere on the page uses, too
	text             uint32 // hash of its letters and digits, to find repetitions
	says             topics
	dated, priced    bool
	sign             bool // holds © or the like
	ends             bool // with the end of a sentence
	colon            bool // ends with a colon
	opens            bool // begins with a lower-case letter, as a part of a sentence does
	running          bool // running text: sentences, not links
}

// shortText is how many words of a text are looked up in the vocabulary: a longer one speaks of many things.
const shortText = 25

// A reader looks at the words of a page's blocks, one after the other.
type reader struct {
	title, described map[uint32]bool
	long             []uint32 // the longer words of all blocks

	w              *wording
	hash, before   uint32 // of the word, of the one before
	n, digits      int    // characters of the word, digits among them
	value          int    // of a number
	upper, lower   bool
	first          bool // the word begins with a capital
	han, hanBefore rune // of a script without spaces: how many characters, and the one before
}

// read looks at a block's text. Words of a script without spaces count as two characters each.
func (t *reader) read(b *Block) wording {
	w := wording{text: hashSeed}
	*t = reader{title: t.title, described: t.described, long: t.long, w: &w}
	var last rune
	for _, r := range b.Text {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf && unicode.IsLetter(r):
			t.letter(r)
		case r >= '0' && r <= '9':
			t.digit(r)
		default:
			t.end()
			w.mark(r, last)
		}
		if r != ' ' && r != '\n' {
			last = r
		}
	}
	t.end()
	w.ends = isStop(last) || w.stops > 0 && strings.ContainsRune(`"”»')]`, last)
	w.colon = last == ':' || last == '：'
	first, _ := utf8.DecodeRuneInString(b.Text)
	w.opens = unicode.IsLower(first)
	w.priced = w.priced && w.digits > 0
	w.running = w.words >= 10 && w.stops+w.commas > 0 && b.LinkText < 0.4 && b.Role != evidence.RoleRow && b.Role != evidence.RoleCode
	return w
}

func isStop(r rune) bool {
	switch r {
	case '.', '!', '?', '…', '。', '！', '？', '।', '؟':
		return true
	}
	return false
}

// mark notes a character that is neither letter nor digit.
func (w *wording) mark(r, last rune) {
	switch r {
	case ' ':
	case ',', ';', '、', '，', '；', '،':
		w.commas++
	case '©', '®', '™':
		w.sign = true
	case '$', '€', '£', '¥', '₹':
		w.priced = true
	default:
		if isStop(r) && !isStop(last) {
			w.stops++
		}
	}
}

func (t *reader) letter(r rune) {
	t.w.letters++
	if unspaced(r) {
		t.character(r)
		return
	}
	t.hanBefore = 0
	upper := r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf && unicode.IsUpper(r)
	if t.n == 0 {
		t.hash, t.first = hashSeed, upper
	}
	t.n++
	if upper {
		t.upper = true
		r = unicode.ToLower(r)
	} else {
		t.lower = true
	}
	t.hash = mix(t.hash, uint32(r))
}

// character notes a letter of a script without spaces.
func (t *reader) character(r rune) {
	if t.n > 0 {
		t.end()
	}
	if t.han++; t.han%2 == 1 {
		t.w.words++
	}
	t.w.text = mix(t.w.text, uint32(r))
	if t.hanBefore != 0 && t.w.words <= shortText {
		t.w.says |= vocabulary[mix(mix(hashSeed, uint32(t.hanBefore)), uint32(r))]
	}
	t.hanBefore = r
}

func (t *reader) digit(r rune) {
	if t.n == 0 {
		t.hash = hashSeed
	}
	t.n++
	t.digits++
	t.w.digits++
	t.value = min(t.value*10+int(r-'0'), 1_000_000)
	t.hash = mix(t.hash, uint32(r))
}

// end ends a word.
func (t *reader) end() {
	t.hanBefore = 0
	if t.n == 0 {
		return
	}
	w := t.w
	w.words++
	if t.first {
		w.upper++
	}
	if t.upper && !t.lower && t.n > 1 {
		w.caps++
	}
	w.dated = w.dated || t.digits == 4 && t.n == 4 && t.value > 1900 && t.value < 2100
	w.text = mix(w.text, t.hash)
	if t.n > 2 {
		if t.title[t.hash] {
			w.title++
		}
		if t.described[t.hash] {
			w.described++
		}
	}
	if t.n > 3 {
		w.long++
		t.long = append(t.long, t.hash)
	}
	if w.words <= shortText {
		w.says |= vocabulary[t.hash] | vocabulary[mix(t.before, t.hash)]
	}
	t.before, t.n, t.digits, t.value, t.upper, t.lower, t.first = t.hash, 0, 0, 0, false, false, false
}

// unspaced reports whether a letter is of a script that sets no spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && (r < 0x0e80 || r >= 0x2e80 && r < 0xac00 || r >= 0xf900 && r < 0xfb00 || r >= 0x20000)
}

const hashSeed = 2166136261

// mix adds to a hash (FNV-1a, over values in place of bytes).
func mix(h, v uint32) uint32 {
	h = (h ^ v) * 16777619
	return h ^ h>>15
}

func hashOf(s string) uint32 {
	h := uint32(hashSeed)
	for _, r := range s {
		h = mix(h, uint32(r))
	}
	return h
}

// wordSet are the words of a text, but for the very short ones.
func wordSet(text string) map[uint32]bool {
	m := map[uint32]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && (r < '0' || r > '9') }) {
		if len(word) > 2 {
			m[hashOf(word)] = true
		}
	}
	return m
}
