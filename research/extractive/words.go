package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/index"
)

// A word is one word of a text, where it stands.
type word struct {
	text       string // as written
	start, end int    // bytes
	humps      bool   // has a capital behind a small letter, as identifiers do
}

// split finds the words of s: runs of letters, digits and marks, with apostrophes, points and commas inside kept where
// they hold a word or a number together (don't, 3.5, 12,000). Scripts without spaces come out one character a word.
func split(s string) []word { return appendWords(make([]word, 0, len(s)/6+1), s) }

// appendWords is split into a slice that is there.
func appendWords(words []word, s string) []word {
	start, humps := -1, false
	end := func(i int) {
		if start >= 0 {
			words = append(words, word{s[start:i], start, i, humps})
		}
		start, humps = -1, false
	}
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf {
			switch class := classes[b]; {
			case class >= digitByte:
				if start < 0 {
					start = i
				} else if class == capital && classes[s[i-1]] == small {
					humps = true
				}
			case start >= 0 && (class == other || !joins(s, i, 1, rune(b))):
				end(i)
			}
			i++
			continue
		}
		c, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case spaceless(c):
			end(i)
			words = append(words, word{text: s[i : i+n], start: i, end: i + n})
		case unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c):
			if start < 0 {
				start = i
			}
		case start >= 0 && !joins(s, i, n, c):
			end(i)
		}
		i += n
	}
	end(len(s))
	return words
}

// Classes of bytes; those of other characters are other.
const (
	other     byte = iota
	joining        // may stand inside a word
	digitByte      // from here on, a word's own
	capital
	small
)

var classes = func() (t [256]byte) {
	for c := range t {
		switch {
		case '0' <= c && c <= '9':
			t[c] = digitByte
		case 'A' <= c && c <= 'Z':
			t[c] = capital
		case 'a' <= c && c <= 'z':
			t[c] = small
		case c == '\'' || c == '.' || c == ',':
			t[c] = joining
		}
	}
	return t
}()

// spaceless says whether a script writes its words without spaces between them.
func spaceless(c rune) bool {
	return c >= 0x2E80 && (unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana)) || c >= 0x0E00 && c < 0x0E80
}

// joins says whether the mark c at s[i:i+n] is part of the word around it.
func joins(s string, i, n int, c rune) bool {
	if i == 0 || i+n >= len(s) {
		return false
	}
	before, after := s[i-1], s[i+n]
	if before >= utf8.RuneSelf || after >= utf8.RuneSelf {
		return c == '\'' || c == '’'
	}
	digits := classes[before] == digitByte && classes[after] == digitByte
	switch c {
	case '\'', '’':
		return !digits && classes[before] >= digitByte && classes[after] >= digitByte
	case '.', ',':
		return digits
	}
	return false
}

// A reader turns texts into terms and keeps what it has made of a word, since a page says the same words again and
// again. It lives for one turn.
type reader struct {
	lang     *language
	known    map[string]entry
	stems    *heads // beginnings of the words that matter; nil: all do
	suspects *heads
}

// An entry is what a word comes to.
type entry struct {
	stem    string // "" for a stop word
	parts   []string
	suspect suspicion
}

func newReader(lang *language) *reader {
	return &reader{lang: lang, known: make(map[string]entry, 1024)}
}

// terms returns the stems of the content words of s, in order. An identifier gives its parts as well.
func (r *reader) terms(s string) []string {
	terms, _ := r.termsOf(split(s))
	return terms
}

// termsOf is terms for words that were split, and says whether one of them is suspect.
func (r *reader) termsOf(ws []word) (terms []string, suspect suspicion) {
	if r.stems == nil {
		terms = make([]string, 0, len(ws)*3/4+1)
	}
	for i, w := range ws {
		if !w.humps && !r.matters(w.text) {
			continue
		}
		e := r.entry(paired(ws, i))
		if e.stem != "" {
			terms = append(terms, e.stem)
		}
		for _, part := range e.parts {
			if t := r.term(part); t != "" {
				terms = append(terms, t)
			}
		}
		suspect |= e.suspect
	}
	return terms, suspect
}

// term is the stem of one word, or "" for a stop word.
func (r *reader) term(w string) string { return r.entry(w).stem }

// paired is a word's text; of a script without spaces, the character with the one that follows it.
func paired(ws []word, i int) string {
	w := ws[i].text
	if w[0] < 0xE0 || i+1 == len(ws) || ws[i+1].start != ws[i].end {
		return w
	}
	if c, n := utf8.DecodeRuneInString(w); n < len(w) || !spaceless(c) {
		return w
	}
	if c, _ := utf8.DecodeRuneInString(ws[i+1].text); !spaceless(c) {
		return w
	}
	return w + ws[i+1].text
}

func (r *reader) entry(w string) entry {
	if e, ok := r.known[w]; ok {
		return e
	}
	lower := strings.ToLower(w)
	e := entry{parts: parts(w), suspect: suspects[lower]}
	switch {
	case r.lang.stop[lower] || r.stems != nil && !r.stems.has(w):
	case r.lang.stem != nil:
		e.stem = r.lang.stem(lower)
	case r.lang.asking != nil:
		e.stem = lower
	default:
		if terms := index.Terms(w); len(terms) > 0 {
			e.stem = terms[0]
		}
	}
	r.known[w] = e
	return e
}

// parts splits an identifier at its humps: maxRetries is max and retries. Words without humps have none.
func parts(w string) []string {
	var out []string
	from := 0
	for i := 1; i < len(w); i++ {
		if 'A' <= w[i] && w[i] <= 'Z' && 'a' <= w[i-1] && w[i-1] <= 'z' {
			out = append(out, w[from:i])
			from = i
		}
	}
	if from == 0 {
		return nil
	}
	return append(out, w[from:])
}

// set makes a set of space-separated words.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// stopWords carry no topic: the usual function words, and the interrogatives and auxiliaries of questions.
var stopWords = set(`a an and are as at be but by for if in into is it no not of on or such that the their then there these
	they this to was will with
	what which who whom whose when where why how do does did is are was were has have had having been being am can could
	should would may might must shall from between also both i you we he she me my your our his her its them us so than
	too very just about any some each other own same only more most much many few all tell explain describe list give
	please make makes made making get gets got happen happens happened known role done doing compare compared versus vs me’s let's us s t don't doesn't didn't isn't aren't wasn't`)

// fold lowers the case and makes one space of every run of white space.
func fold(s string) string { return strings.ToLower(oneLine(s)) }

// oneLine makes one space of every run of white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
