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
		end := closeAfter(text, i+n)
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

// closeAfter extends an end over more stops and over closing quotation marks and brackets.
func closeAfter(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !isStop(r) && !strings.ContainsRune(`"'”’»›)]}*_`, r) {
			break
		}
		i += n
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
	next := strings.TrimLeft(text[end:], " \t\u00a0\u202f")
	spaced := len(next) < len(text)-end
	if r >= 0x2E80 || r == '।' || r == '۔' {
		return true
	}
	if !spaced && !strings.HasPrefix(next, "\n") {
		return r != '.' && r != '…' && opensSentence(next) && end > i+1
	}
	if !opensSentence(next) {
		return false
	}
	if r != '.' || strings.HasPrefix(text[i+1:], ".") {
		return true
	}
	word := lastWord(text[start:i])
	if word == "" {
		return true
	}
	if strings.TrimSpace(text[start:i]) == word && isEnumerator(word) {
		return false // "1. Output": the numeral of a heading or a list
	}
	low := strings.ToLower(word)
	switch {
	case neverEnds[low]:
		return false
	case low == "no" || low == "nos" || low == "art" || low == "sec" || low == "fig" || low == "vol" || low == "pp" || low == "p" || low == "ch":
		return !unicode.IsNumber(firstRune(next))
	case mayEnd[low] || isInitials(word):
		return startsAnew(next)
	case utf8.RuneCountInString(word) == 1 && unicode.IsUpper(firstRune(word)):
		return startsAnew(next)
	}
	return true
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

// isInitials reports whether word is of the kind U.S or e.g, without its last stop.
func isInitials(word string) bool {
	if !strings.Contains(word, ".") {
		return false
	}
	for _, part := range strings.Split(word, ".") {
		if utf8.RuneCountInString(part) != 1 || !unicode.IsLetter(firstRune(part)) {
			return false
		}
	}
	return true
}

// startsAnew reports whether the text begins with a word that opens sentences and is no part of a name, as after
// "the U.S. The" and not after "the U.S. Navy".
func startsAnew(next string) bool {
	w := strings.TrimLeft(next, "\"'“‘«‹„(*_")
	end := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(w)
	}
	return starters[strings.ToLower(w[:end])]
}

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Abbreviations, without their last stop: those that a sentence never ends with, those that it may end with, and the
// words that show that a new one has begun.
var (
	neverEnds = set(`e.g i.e eg ie cf vs approx ca viz resp dr mr mrs ms prof st mt rev gen col sgt lt capt cmdr hon sr
		messrs mme mlle eq eqs figs ref refs vols eds op cit al. jan feb mar apr jun jul aug sep sept oct nov dec
		mon tue tues wed thu thur thurs fri sat sun u.k.c z.b d.h bzw ggf usw. nr bd`)
	mayEnd = set(`etc al inc ltd corp co llc plc jr bros dept univ assn est ed min max avg hr hrs sec secs ft in oz lb lbs
		a.m p.m u.s u.k u.n e.u d.c ph.d b.a m.a b.sc m.sc usw`)
	starters = set(`the a an this that these those it its he she they we you i his her their our my there here in on at by
		for from with within without over under after before during since until while when where what which who why how
		if although though because as but and or nor so yet however moreover also not no none all both each every some
		many most few several another other such only even still then thus hence according to of one two three four five
		six seven eight nine ten about between among across nobody nothing der die das ein eine es sie wir`)
)
