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
}

// split finds the words of s: runs of letters, digits and marks, with apostrophes, points and commas inside kept where
// they hold a word or a number together (don't, 3.5, 12,000). Scripts without spaces come out one character a word.
func split(s string) []word {
	words := make([]word, 0, len(s)/6+1)
	start := -1
	for i := 0; i < len(s); {
		c, n := rune(s[i]), 1
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case spaceless(c):
			if start >= 0 {
				words = append(words, word{s[start:i], start, i})
				start = -1
			}
			words = append(words, word{s[i : i+n], i, i + n})
		case wordRune(c):
			if start < 0 {
				start = i
			}
		case start >= 0 && joins(s, i, n, c):
		case start >= 0:
			words = append(words, word{s[start:i], start, i})
			start = -1
		}
		i += n
	}
	if start >= 0 {
		words = append(words, word{s[start:], start, len(s)})
	}
	return words
}

func wordRune(c rune) bool {
	if c < utf8.RuneSelf {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	}
	return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c)
}

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
	digits := '0' <= before && before <= '9' && '0' <= after && after <= '9'
	switch c {
	case '\'', '’':
		return !digits && (before >= utf8.RuneSelf || wordRune(rune(before))) && (after >= utf8.RuneSelf || wordRune(rune(after)))
	case '.', ',':
		return digits
	}
	return false
}

// A reader turns texts into terms and keeps the stems it has made, since a page says the same words again and again.
// It lives for one turn.
type reader struct {
	stems map[string]string
}

func newReader() *reader { return &reader{stems: make(map[string]string, 4096)} }

// terms returns the stems of the content words of s, in order. An identifier gives its parts as well.
func (r *reader) terms(s string) []string {
	ws := split(s)
	terms := make([]string, 0, len(ws))
	for _, w := range ws {
		if t := r.term(w.text); t != "" {
			terms = append(terms, t)
		}
		for _, part := range parts(w.text) {
			if t := r.term(part); t != "" {
				terms = append(terms, t)
			}
		}
	}
	return terms
}

// term is the stem of one word, or "" for a stop word.
func (r *reader) term(w string) string {
	if t, ok := r.stems[w]; ok {
		return t
	}
	t := ""
	if !stopWords[strings.ToLower(w)] {
		if terms := index.Terms(w); len(terms) > 0 {
			t = terms[0]
		}
	}
	r.stems[w] = t
	return t
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
	please make makes made making get gets got happen happens happened known role compare compared versus vs me’s let's us s t don't doesn't didn't isn't aren't wasn't`)

// fold lowers the case and makes one space of every run of white space.
func fold(s string) string { return strings.ToLower(oneLine(s)) }

// oneLine makes one space of every run of white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
