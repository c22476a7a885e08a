package claim

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a word is made of.
type kind byte

const (
	letters kind = iota
	digits       // a number
	sign         // %, $, °
	mark         // punctuation
)

// A word is a token of a text: contractions are undone ("isn't" is two) and parts of a compound stand by themselves.
type word struct {
	s          string // in lower case
	stem       string
	start, end int // in the folded text
	is         trait
	id         int32 // number of its stem in its text, -1 of a mark or sign
	sent       int   // number of its sentence
	clause     int   // and of its clause, counted through the text
	kind       kind
	capital    bool // begins with a capital letter
	hyphen     bool // a hyphen joins it to the word before
	content    bool // says something by itself: no function word, mark or figure
	figure     bool // part of a figure or date
	negated    bool // stands behind a negator of its clause
	often      bool // the same word stood in the text several times before: it is not looked at again
}

// split cuts a folded text into words.
func split(raw string) []word {
	ws := make([]word, 0, len(raw)/5+4)
	hyphen := false
	for i := 0; i < len(raw); {
		r, n := rune(raw[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(raw[i:])
		}
		switch {
		case r == ' ' || r == '\t' || r == '\r':
			i++
		case r >= '0' && r <= '9', r == '.' && i+1 < len(raw) && raw[i+1] >= '0' && raw[i+1] <= '9' && (i == 0 || strings.IndexByte(" ($£-<>=~", raw[i-1]) >= 0):
			start := i
			if r == '.' {
				i++ // .5
			}
			end := numberEnd(raw, i)
			i = start
			if i > 0 && raw[i-1] == '-' && (i == 1 || strings.IndexByte(" (,[=<>~\n", raw[i-2]) >= 0) && end-i < 8 && !hyphenRange(ws, raw, i) {
				start, hyphen = i-1, false
			}
			ws, i = addNumber(ws, raw, start, end, hyphen)
			hyphen = false
		case unicode.IsLetter(r):
			end := lettersEnd(raw, i)
			ws = addLetters(ws, raw, i, end, hyphen)
			i, hyphen = end, false
		case r == '-':
			hyphen = len(ws) > 0 && (ws[len(ws)-1].end == i || strings.HasPrefix(raw[i:], "- ") && strings.HasSuffix(raw[:i], " "))
			if strings.HasPrefix(raw[i:], "--") || strings.HasPrefix(raw[i:], "- ") && strings.HasSuffix(raw[:i], " ") {
				ws = append(ws, word{s: "--", stem: "--", start: i, end: i + 1, kind: mark})
			}
			for i < len(raw) && raw[i] == '-' {
				i++
			}
		case strings.ContainsRune("%$€£¥₹°‰", r):
			ws = append(ws, word{s: string(r), stem: string(r), start: i, end: i + n, kind: sign})
			i += n
		default:
			ws = append(ws, word{s: string(r), stem: string(r), start: i, end: i + n, kind: mark})
			i += n
		}
	}
	return ws
}

// hyphenRange reports whether the hyphen before i parts two numbers.
func hyphenRange(ws []word, raw string, i int) bool {
	return len(ws) > 0 && ws[len(ws)-1].kind == digits && strings.Trim(raw[ws[len(ws)-1].end:i], " -") == ""
}

// numberEnd is the end of the number that begins at i: digits with separators, of which a space or an apostrophe only
// parts groups of three.
func numberEnd(raw string, i int) int {
	run := func(i int) int {
		for i < len(raw) && raw[i] >= '0' && raw[i] <= '9' {
			i++
		}
		return i
	}
	end := run(i)
	grouped := end-i <= 3
	for end+1 < len(raw) && raw[end+1] >= '0' && raw[end+1] <= '9' {
		next := run(end + 1)
		switch c := raw[end]; c {
		case '\'', ' ':
			if !grouped || next-end-1 != 3 || c == ' ' && raw[i] == '0' {
				return end
			}
		case '.', ',', ':', '/', '^':
			if c == ',' && (next-end-1 != 3 || !grouped) && next-end-1 > 2 {
				return end
			}
			grouped = grouped && c == ',' && next-end-1 == 3
		default:
			return end
		}
		end = next
	}
	return end
}

// lettersEnd is the end of the word that begins at i. Digits within it belong to it, and full stops between single
// letters (U.S., p.m.).
func lettersEnd(raw string, i int) int {
	dotted := false
	single := true
	start := i
	for i < len(raw) {
		r, n := utf8.DecodeRuneInString(raw[i:])
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' || unicode.IsMark(r):
			if i > start && !dotted {
				single = false
			}
			dotted = false
		case r == '.' && single && !dotted:
			if next, _ := utf8.DecodeRuneInString(raw[i+1:]); !unicode.IsLetter(next) {
				if i-start > 1 {
					return i + 1
				}
				return i
			}
			dotted = true
		case r == '\'' && i+1 < len(raw) && unicode.IsLetter(rune(raw[i+1])):
			single = false
		default:
			return i
		}
		i += n
	}
	return i
}

// contractions are what a word ends in and what stands for it.
var contractions = []struct{ end, word string }{{"n't", "not"}, {"'s", ""}, {"'re", "are"}, {"'ve", "have"}, {"'ll", "will"}, {"'d", ""}, {"'m", "am"}}

func addLetters(ws []word, raw string, start, end int, hyphen bool) []word {
	text := raw[start:end]
	low := strings.ToLower(text)
	first, _ := utf8.DecodeRuneInString(text)
	w := word{start: start, end: end, capital: unicode.IsUpper(first), hyphen: hyphen}
	if strings.Contains(low, ".") {
		low = strings.ReplaceAll(low, ".", "")
		if low == "us" {
			low = "usa"
		}
	} else if text == "US" {
		low = "usa"
	}
	put := func(s string) {
		l := lexemeOf(s)
		w.s, w.stem, w.is = s, l.stem, l.is
		ws = append(ws, w)
	}
	if strings.IndexByte(low, '\'') >= 0 || low == "cannot" {
		switch low {
		case "can't", "cannot":
			put("can")
			put("not")
			return ws
		case "won't":
			put("will")
			put("not")
			return ws
		}
		for _, c := range contractions {
			if base, ok := strings.CutSuffix(low, c.end); ok && base != "" {
				put(base)
				if c.word != "" {
					put(c.word)
				}
				return ws
			}
		}
		low = strings.ReplaceAll(low, "'", "")
	}
	if n := len(ws); low == "t" && n > 0 && ws[n-1].s == "'" && n > 1 && strings.HasSuffix(ws[n-2].s, "n") { // "does n ' t"
		ws = ws[:n-1]
		low = "not"
	}
	if low == "n" && strings.HasPrefix(raw[end:], "'t") || low == "n't" {
		low = "not"
	}
	put(low)
	return ws
}

// bigLetters are scales that are glued to a number as a capital letter.
var bigLetters = map[string]string{"M": "million", "B": "billion", "T": "trillion"}

// addNumber adds a number and, as a word of its own, the unit that is glued to it (41.6GWh). Other letters make it a
// part of a name (4x4, 9f3c2a).
func addNumber(ws []word, raw string, start, end int, hyphen bool) ([]word, int) {
	rest := lettersEnd(raw, end)
	w := word{s: raw[start:end], stem: raw[start:end], start: start, end: end, kind: digits, hyphen: hyphen}
	if rest == end {
		return append(ws, w), end
	}
	tail := strings.ToLower(strings.TrimSuffix(raw[end:rest], "."))
	if big := bigLetters[raw[end:rest]]; big != "" { // 7B, $12M
		tail = big
	}
	switch {
	case tail == "st" || tail == "nd" || tail == "rd" || tail == "th" || tail == "s":
		w.s += tail
		w.stem, w.end = w.s, rest
		return append(ws, w), rest
	case units[tail].dim != "" || scales[tail] != 0 || tail == "am" || tail == "pm" || tail == "bc" || tail == "ad" || tail == "x":
		ws = append(ws, w)
		return append(ws, word{s: tail, stem: tail, is: lexemeOf(tail).is, start: end, end: rest, kind: letters, capital: raw[end] < 'a'}), rest
	}
	s := strings.ToLower(raw[start:rest])
	return append(ws, word{s: s, stem: s, is: lexemeOf(s).is, start: start, end: rest, kind: letters, capital: true, hyphen: hyphen}), rest
}
