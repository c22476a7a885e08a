package evidence

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the search for the closest text, which is a courtesy and must stay cheap.
const (
	maxCloseQuote = 200    // words of the quote that are compared
	maxCloseText  = 20_000 // words of the span
)

// Closest is the real text in the span at loc that is nearest to a quote which was not found there: a slice of the
// span, byte for byte, that cuts no word and no number, about as long as the quote. It is "" where the span is unknown
// or nothing in it is near. Whether it says what the quote says is for the reader to judge.
func (d *Doc) Closest(loc Locator, quote string) string {
	i, ok := d.at[loc]
	if !ok || len(quote) > maxQuote {
		return ""
	}
	return d.span(i).closest(newQuery(quote, d.Limits))
}

// closest returns the nearest text in t.
func (t *searched) closest(q *query) string {
	folded := q.folded(t.code).text
	qw := looseWords(folded)
	tw := looseWords(t.fold.text)
	qw, tw = qw[:min(len(qw), maxCloseQuote)], tw[:min(len(tw), maxCloseText)]
	a := align(wordKeys(folded, qw), wordKeys(t.fold.text, tw))
	if len(qw) == 0 || a.score < 2*sameWord && len(qw) > 1 || a.score*10 < 3*sameWord*len(qw) { // two words, and three in ten
		return ""
	}
	// What of the quote is not aligned stands for as many words around, up to the end of the sentence.
	first, last := a.textFrom, a.textTo
	for n := a.quoteFrom; n > 0 && first > 0 && !sentenceEnd(t.fold.text[tw[first-1].end:tw[first].start]); n-- {
		first--
	}
	for n := len(qw) - 1 - a.quoteTo; n > 0 && last+1 < len(tw) && !sentenceEnd(t.fold.text[tw[last].end:tw[last+1].start]); n-- {
		last++
	}
	start, end := t.whole(t.fold.rawStart(tw[first].start), t.fold.rawEnd(tw[last].end))
	text := t.raw[start:end]
	if end < len(t.raw) && (t.raw[end] == ')' && strings.LastIndexByte(text, '(') > strings.LastIndexByte(text, ')') ||
		t.raw[end] == ']' && strings.LastIndexByte(text, '[') > strings.LastIndexByte(text, ']')) {
		text = t.raw[start : end+1]
	}
	return text
}

func sentenceEnd(gap string) bool {
	i := strings.IndexAny(gap, ".!?")
	return i >= 0 && strings.HasSuffix(gap, " ")
}

// A wordKey is a word as it is compared here: the whole and its first letters, hashed, case aside.
type wordKey struct{ whole, stem uint64 }

var wordSeed = maphash.MakeSeed()

func wordKeys(text string, words []extent) []wordKey {
	keys := make([]wordKey, len(words))
	for i, w := range words {
		s := strings.ToLower(text[w.start:w.end])
		keys[i].whole = maphash.String(wordSeed, s)
		if n := len(s); n > 4 && !numeric(rune(s[0])) {
			keys[i].stem = maphash.String(wordSeed, s[:max(4, n*2/3)])
		}
	}
	return keys
}

// An alignment says which words of the text stand for which words of the quote, both ends included.
type alignment struct{ score, quoteFrom, quoteTo, textFrom, textTo int }

// Scores of an alignment. A word of the text that the quote lacks costs little, as quotes are made by leaving out.
const (
	sameWord  = 6
	likeWord  = 2 // begins alike
	otherWord = -2
	moreQuote = -2
	moreText  = -1
)

// align finds the best local alignment of two rows of words (Smith and Waterman 1981).
func align(quote, text []wordKey) alignment {
	type cell struct{ score, quoteFrom, textFrom int }
	var best alignment
	row := make([]cell, len(quote)+1)
	for i, w := range text {
		diagonal := cell{}
		for j, q := range quote {
			here := cell{diagonal.score, diagonal.quoteFrom, diagonal.textFrom}
			if here.score == 0 {
				here.quoteFrom, here.textFrom = j, i
			}
			switch {
			case q.whole == w.whole:
				here.score += sameWord
			case q.stem != 0 && q.stem == w.stem:
				here.score += likeWord
			default:
				here.score += otherWord
			}
			if up := row[j+1]; up.score+moreText > here.score {
				here, here.score = up, up.score+moreText
			}
			if left := row[j]; left.score+moreQuote > here.score {
				here, here.score = left, left.score+moreQuote
			}
			if here.score <= 0 {
				here = cell{}
			}
			diagonal, row[j+1] = row[j+1], here
			if here.score > best.score {
				best = alignment{here.score, here.quoteFrom, j, here.textFrom, i}
			}
		}
	}
	return best
}

// whole widens a raw range until its edges cut nothing, a word at a time.
func (t *searched) whole(start, end int) (int, int) {
	for n := 0; n < 16 && cutAt(t.raw, start, t.code) != cutNothing; n++ {
		start = wordBefore(t.raw, start)
	}
	for n := 0; n < 16 && cutAt(t.raw, end, t.code) != cutNothing; n++ {
		end = wordAfter(t.raw, end)
	}
	return start, end
}

// wordBefore is where the word before i begins: after white space, and no further than 40 bytes off.
func wordBefore(s string, i int) int {
	end := len(strings.TrimRightFunc(s[:i], func(r rune) bool { return unicode.IsSpace(r) || invisible(r) }))
	at := 0
	if k := strings.LastIndexFunc(s[:end], unicode.IsSpace); k >= 0 {
		_, n := utf8.DecodeRuneInString(s[k:])
		at = k + n
	}
	if at < end-40 {
		for at = end - 40; !utf8.RuneStart(s[at]); at++ {
		}
	}
	return at
}

// wordAfter is where the word after i ends, in the same way.
func wordAfter(s string, i int) int {
	from := len(s) - len(strings.TrimLeftFunc(s[i:], func(r rune) bool { return unicode.IsSpace(r) || invisible(r) }))
	at := len(s)
	if k := strings.IndexFunc(s[from:], unicode.IsSpace); k >= 0 {
		at = from + k
	}
	if at > from+40 {
		for at = from + 40; !utf8.RuneStart(s[at]); at-- {
		}
	}
	return at
}
