package evidence

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A transcript made by a machine has no punctuation and no capitals of its own, so a quote from one is compared by
// words alone. What belongs to a number (sign, point, percent, currency, range) counts as words.

// looseWords lists the words of a folded text.
func looseWords(text string) []extent {
	var ws []extent
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		end := i + n
		switch {
		case unspaced(r) && wordRune(r):
			for end < len(text) {
				m, k := utf8.DecodeRuneInString(text[end:])
				if !unicode.IsMark(m) {
					break
				}
				end += k
			}
			ws = append(ws, extent{i, end})
		case wordRune(r):
			end = wordEnd(text, end, r)
			ws = append(ws, extent{i, end})
		case numberSign(text, i, end, r):
			ws = append(ws, extent{i, end})
		}
		i = end
	}
	return ws
}

// wordEnd is where the word goes on to whose last rune so far, before end, is last.
func wordEnd(text string, end int, last rune) int {
	for end < len(text) {
		r, n := utf8.DecodeRuneInString(text[end:])
		if !wordRune(r) || unspaced(r) {
			next, k := utf8.DecodeRuneInString(text[end+n:])
			inWord := r == '\'' && unicode.IsLetter(last) && unicode.IsLetter(next)
			inNumber := strings.ContainsRune(".,:", r) && numeric(last) && numeric(next)
			if !inWord && !inNumber {
				return end
			}
			r, n = next, n+k
		}
		last, end = r, end+n
	}
	return end
}

// numberSign reports whether the rune at text[i:end], which is no word, belongs to a number.
func numberSign(text string, i, end int, r rune) bool {
	if percent(r) || comparison(r) || sign(r) && r != '+' || unicode.Is(unicode.Sc, r) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(text[end:])
	return strings.ContainsRune("-+/^.", r) && numeric(next) && (r != '.' || i == 0 || text[i-1] == ' ')
}

// looseKey is words joined by and within spaces, in lower case.
func looseKey(text string, words []extent) string {
	var b strings.Builder
	b.WriteByte(' ')
	for _, w := range words {
		b.WriteString(strings.ToLower(text[w.start:w.end]))
		b.WriteByte(' ')
	}
	return b.String()
}

// looseFind yields where the words of q stand in the text one after the other.
func (t *searched) looseFind(q *query) iter.Seq[extent] {
	return func(yield func(extent) bool) {
		if q.loose == "" {
			f := q.folded(false).text
			q.loose = looseKey(f, looseWords(f))
		}
		n := strings.Count(q.loose, " ") - 1
		if n < 1 {
			return
		}
		words := looseWords(t.fold.text)
		key := looseKey(t.fold.text, words)
		for i := range occurrences(key, q.loose) {
			first := strings.Count(key[:i+1], " ") - 1
			if !yield(extent{words[first].start, words[first+n-1].end}) {
				return
			}
		}
	}
}
