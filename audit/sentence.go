package audit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Range is a stretch of bytes, End exclusive.
type Range struct{ Start, End int }

// Sentences splits running text into sentences, by rules alone: a full stop after an abbreviation, an initial or within
// a number ends nothing; quotation marks and brackets that close after the stop belong to the sentence; a line break
// ends one. The ranges hold no white space at their ends, do not overlap, and cover every other byte of the text.
func Sentences(text string) []Range { return sentences(text, nil) }

// sentences is Sentences with the places of citations, in order: one that stands right after a full stop belongs to the
// sentence before it, unless the next word shows that it begins the next.
func sentences(text string, cites []Range) []Range {
	var out []Range
	start := 0
	emit := func(end int) {
		s := text[start:end]
		from := start + len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
		to := start + len(strings.TrimRightFunc(s, unicode.IsSpace))
		if from < to {
			out = append(out, Range{from, to})
		}
		start = end
	}
	k := 0
	for i := 0; i < len(text); {
		for k < len(cites) && cites[k].End <= i {
			k++
		}
		if k < len(cites) && cites[k].Start <= i {
			i = cites[k].End
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == '\n' {
			emit(i)
			i += n
			start = i
			continue
		}
		if !isStop(r) {
			i += n
			continue
		}
		if after := leader(text, i); after > i {
			emit(after)
			i = after
			continue
		}
		end := closeAfter(text, start, i+n)
		end, attached := attachCites(text, end, cites[k:])
		if end == len(text) || attached || endsSentence(text, start, i, end, r) {
			emit(end)
		}
		i = end
	}
	emit(len(text))
	return out
}

func isStop(r rune) bool {
	switch r {
	case '.', '!', '?', '…', '。', '！', '？', '।', '؟', '۔', '｡':
		return true
	}
	return false
}

// leader returns where a row of at least four full stops with spaces between them ends, as a table of contents has
// them, with the page number behind it; or i.
func leader(text string, i int) int {
	dots, end := 0, i
	for j := i; j < len(text) && (text[j] == '.' || text[j] == ' '); j++ {
		if text[j] == '.' {
			dots, end = dots+1, j+1
		}
	}
	if dots < 4 || end-i < dots+2 {
		return i
	}
	page := strings.TrimLeft(text[end:], " ")
	page = strings.TrimLeft(page, "0123456789")
	return len(text) - len(page)
}

// longQuote is how far back an opening quotation mark is looked for, in bytes.
const longQuote = 1000

// closeAfter extends an end over more stops and over closing quotation marks and brackets. A straight quotation mark
// behind a space closes what the sentence, which begins at start, has opened.
func closeAfter(text string, start, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case isStop(r), strings.ContainsRune(`"'”’»›)]}*_」』）】〉》`, r):
			i += n
			continue
		case strings.HasPrefix(text[i:], ` "`) && strings.Count(text[max(start, i-longQuote):i], `"`)%2 == 1 && (i+2 == len(text) || text[i+2] == ' '):
			i += 2
			continue
		}
		break
	}
	return i
}

// attachCites extends an end over citations that follow it. It reports whether one was taken.
func attachCites(text string, end int, cites []Range) (int, bool) {
	i, taken := end, false
	for _, c := range cites {
		if c.Start < i || strings.TrimLeft(text[i:c.Start], " \t\u00a0") != "" {
			break
		}
		next := strings.TrimLeft(text[c.End:], " \t\u00a0")
		if r, _ := utf8.DecodeRuneInString(next); next != "" && (unicode.IsLower(r) || r == ',') && c.Start > i {
			break // the citation is the subject of what follows
		}
		i, taken = c.End, true
		for i < len(text) && (text[i] == '.' || text[i] == ',' || text[i] == ';') {
			i++
		}
	}
	return i, taken
}

// endsSentence decides on the stop r at i, with the next sentence beginning at end.
func endsSentence(text string, start, i, end int, r rune) bool {
	next := strings.TrimLeft(text[end:], " \t\u00a0\u2009\u202f")
	spaced := len(next) < len(text)-end
	if r >= 0x2E80 || r == '।' || r == '۔' {
		return true
	}
	if !spaced && !strings.HasPrefix(next, "\n") {
		return r != '.' && r != '…' && opensSentence(next) && end > i+1
	}
	word := lastWord(text[start:i])
	if !opensSentence(next) {
		closed := word == "" && strings.ContainsAny(text[max(start, i-1):i], ")]") // … (SIN). cDNA shows …
		return r == '.' && mixed(next) && !abbreviates(word) && (closed || utf8.RuneCountInString(word) > 1)
	}
	if isTitle(text[start:end], next) {
		return false
	}
	if r == '!' && named[word] {
		return startsAnew(next)
	}
	if r == '.' && strings.HasPrefix(text[i:end], "...") && trails(next) {
		return false // Beneath... Between... Beyond...
	}
	if r != '.' || word == "" || strings.ContainsRune(text[i+1:end], '.') {
		return true
	}
	before := strings.TrimRight(text[start:i-len(word)], " \t\u00a0\u2009\u202f")
	if before == "" && isEnumerator(word) {
		return false // "1. Output": the numeral of a heading or a list
	}
	return wordEnds(before, word, next)
}

// isTitle reports whether the stop at the end of s is one inside a title in quotation marks: "Cheer Up!" (2015), or
// "Nihtes... Magikes".
func isTitle(s, next string) bool {
	if strings.HasSuffix(s, `"`) {
		year, more := strings.CutPrefix(next, "(")
		return more && len(year) > 4 && year[4] == ')' && strings.Trim(year[:4], "0123456789") == ""
	}
	w := firstWord(next)
	return strings.HasSuffix(s, "...") && w != "" && strings.HasPrefix(next, w+`"`) &&
		strings.Count(s[max(0, len(s)-longQuote):], `"`)%2 == 1
}

// trails reports whether a text begins with one word and dots again.
func trails(s string) bool {
	w := firstWord(s)
	return w != "" && strings.HasPrefix(s[strings.Index(s, w)+len(w):], "...")
}

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

// opensSentence reports whether a sentence can begin so: not in lower case, not with a comma.
func opensSentence(next string) bool {
	r := firstRune(strings.TrimLeft(next, "\"'“‘«‹„([*_¿¡"))
	return r != utf8.RuneError && !unicode.IsLower(r) && !strings.ContainsRune(",;:)-–—/%&", r)
}

// lastWord is the run of letters, digits and inner full stops at the end of s.
func lastWord(s string) string {
	i := len(s)
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '.' {
			break
		}
		i -= n
	}
	return strings.TrimLeft(s[i:], ".")
}

// isEnumerator reports whether word is a number, a letter or a small Roman numeral that can count a heading.
func isEnumerator(word string) bool {
	if len(word) == 1 {
		return true
	}
	for _, part := range strings.Split(word, ".") {
		if part == "" || len(part) > 3 || strings.Trim(part, "0123456789") != "" && strings.Trim(part, "IVXivx") != "" {
			return false
		}
	}
	return true
}

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
