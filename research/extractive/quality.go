package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/lazyregexp"
)

var (
	site   = lazyregexp.New(`https?://|www\.`)
	data   = lazyregexp.New(`"\s*[:,\]}]\s*["\[{]|\\[nt"]|\}\s*,\s*\{`)               // JSON and its like
	listed = lazyregexp.New(`^\W*\p{Lu}[\p{L}’'-]+, \p{Lu}\.|\((?:19|20)\d\d\w?\): `) // an entry of a list of works
	silent = lazyregexp.New(`(?i)^\W*(?:see|click|read|check|visit|learn|note|figure|table|chapter|section|source|photo|image|credit|tags?|posted|published|updated|by) (?:the|our|also|more|out|here|on|in|by|\d)`)
)

// quality is fit, worked out once: for the question of the first part that asks.
func (e *sentence) quality(question string) float64 {
	if e.fitness == 0 {
		if e.fitness = fit(e, question); e.fitness == 0 {
			e.fitness = -1
		}
	}
	return max(e.fitness, 0)
}

// fit says how fit a sentence is to be quoted, 0…1, apart from what it is about: 0 for what is no statement at all.
func fit(e *sentence, question string) float64 {
	text := strings.TrimSpace(e.text)
	lower := strings.ToLower(text)
	code := e.kind == "repo" || e.role == "code"
	fewest := fewestWords
	switch {
	case e.role == "row", e.shown:
		fewest = 2
	case code:
		fewest = 3
	case digit.MatchString(text): // a fact may be short
		fewest = fewestWords - 1
	}
	switch {
	case e.n < fewest, e.n > mostWords+30, len(text) > maxClaimSize:
		return 0
	case strings.HasSuffix(strings.TrimRight(text, "\"'”’»)"), "?"), strings.HasSuffix(text, "？"):
		return 0
	}
	q := 1.0
	if e.n > mostWords {
		q *= 0.9
	}
	switch phrases := ballast(lower, question); {
	case phrases > 1:
		return 0
	case phrases == 1:
		q *= 0.5
	}
	if puffed(lower) {
		q *= 0.3
	}
	if e.role == "comment" {
		q *= 0.7
	}
	if method(split(text[:min(len(text), 60)])) {
		q *= 0.7
	}
	switch {
	case e.role == "row":
		if digit.MatchString(text) {
			q *= 0.8
		} else {
			q *= 0.5
		}
	case code && e.kind != "repo": // an example in a text
		q *= 0.5
	case code && comment.MatchString(text):
	case code && digit.MatchString(text):
		q *= 0.8
	case code:
		q *= 0.4
	case e.kind == "transcript":
	default:
		q *= proseQuality(e, text, question)
	}
	if q < unfit {
		return 0
	}
	return q
}

// unfit is the quality under which nothing is quoted, however well it matches.
const unfit = 0.2

// proseQuality marks down what has not the shape of a sentence.
func proseQuality(e *sentence, text, question string) float64 {
	q := 1.0
	whole := e.n >= 12 && strings.ContainsAny(text[len(text)-1:], ".!\"')")
	if !whole && !e.foreign && ascii(text) && !hasVerb(text, question) {
		if figures(text) > 4 {
			return 0
		}
		if e.role == "item" {
			q *= 0.6
		} else {
			q *= 0.5
		}
	}
	if figures(text) >= 12 && functionWords(text)*8 < e.n {
		return 0 // a table that has lost its lines
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, `"'“‘«([*_`))
	if unicode.IsLower(first) && e.role != "item" {
		q *= 0.85
	}
	if strings.ToUpper(text) == text && strings.ToLower(text) != text {
		q *= 0.5
	}
	if strings.HasSuffix(text, ":") || silent.MatchString(text) {
		q *= 0.6
	}
	if cutOff(text) {
		q *= 0.6
	}
	if separators(text) > 1 {
		q *= 0.2
	}
	if strings.ContainsAny(text, `{}[]\`) && data.MatchString(text) {
		q *= 0.1
	}
	if strings.Contains(text, "): ") && listed.MatchString(text) || strings.Contains(text[:min(len(text), 30)], ", ") && listed.MatchString(text) || strings.Contains(text, "____") {
		q *= 0.3
	}
	if site.MatchString(text) {
		q *= 0.7
	}
	if leans(split(text[:min(len(text), 60)])) {
		q *= 0.9
	}
	return q
}

// cutOff says whether a text ends in the middle of a sentence, as at the foot of a page.
func cutOff(text string) bool {
	last := text[strings.LastIndexByte(text, ' ')+1:]
	return stopWords[last]
}

// separators counts the marks that stand between the items of a menu.
func separators(s string) (n int) {
	for _, mark := range []string{" | ", " › ", " » ", " · ", " • ", " / ", " > "} {
		n += strings.Count(s, mark)
	}
	return n
}

// figures counts the runs of digits in a text.
func figures(s string) (n int) {
	for i := range len(s) {
		if classes[s[i]] == digitByte && (i == 0 || classes[s[i-1]] != digitByte) {
			n++
		}
	}
	return n
}

// functionWords counts the stop words of a text.
func functionWords(s string) (n int) {
	for _, w := range split(s) {
		if stopWords[strings.ToLower(w.text)] {
			n++
		}
	}
	return n
}

// ascii says whether a text is nearly all ASCII, so that rules for English may be tried on it.
func ascii(s string) bool {
	other := 0
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			other++
		}
	}
	return other*20 <= len(s)
}
