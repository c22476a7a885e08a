package corpus

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/index"
)

// snippetLength is about how many characters of a document a search result shows.
const snippetLength = 200

// snippet returns the sentence of a text that says most about the terms, word for word, with the next one if both are
// short. A longer sentence is cut at a word, around the terms.
func snippet(text string, terms []string, weight func(stem string) float64) string {
	wanted := map[string]float64{}
	var stems []string
	for _, t := range terms {
		wanted[t] = weight(t)
		stems = append(stems, t[:min(len(t), max(1, min(len(t)-1, 4)))]) // what every form of the word begins with
	}
	sentences := split(text)
	best, bestScore := 0, -1.0
	for i, s := range sentences {
		if i > 0 && !mayHold(text[s.start:s.end], stems) {
			continue
		}
		seen := map[string]bool{}
		score := 0.0
		for _, t := range index.Terms(text[s.start:s.end]) { // in order of the text: the same sum always
			if !seen[t] {
				score += wanted[t]
				seen[t] = true
			}
		}
		if len(seen) < 4 || !strings.ContainsAny(text[s.end-1:s.end], ".!\"'):;") && text[s.end-1] < utf8.RuneSelf {
			score /= 2 // a heading or a question names what it does not say
		}
		if score > bestScore {
			best, bestScore = i, score
		}
	}
	if len(sentences) == 0 {
		return ""
	}
	s := sentences[best]
	if utf8.RuneCountInString(text[s.start:s.end]) > snippetLength {
		return window(text[s.start:s.end], wanted)
	}
	if best+1 < len(sentences) && utf8.RuneCountInString(text[s.start:sentences[best+1].end]) <= snippetLength && sentences[best+1].line == s.line {
		s.end = sentences[best+1].end
	}
	return text[s.start:s.end]
}

// mayHold reports whether a sentence can hold one of the stems, of which the beginnings are given. It spares the stemming
// of long documents; what is not plain ASCII is always looked at.
func mayHold(s string, stems []string) bool {
	lower := strings.ToLower(s)
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return true
		}
	}
	return slices.ContainsFunc(stems, func(stem string) bool {
		return strings.Contains(lower, stem) || strings.ContainsAny(stem, "0123456789") // numbers are spelt in many ways
	})
}

// sentence is a byte range of a text, on one of its lines.
type sentence struct{ start, end, line int }

// split finds sentences: they end with a line, or with a full stop, question or exclamation mark before white space and
// something that is no lower-case letter. Abbreviations may cut one in two, which a snippet survives.
func split(text string) []sentence {
	var list []sentence
	line, start := 0, 0
	add := func(end int) {
		trimmed := strings.TrimSpace(text[start:end])
		if trimmed != "" {
			at := start + strings.Index(text[start:end], trimmed)
			list = append(list, sentence{at, at + len(trimmed), line})
		}
		start = end
	}
	for i, r := range text {
		switch r {
		case '\n':
			add(i)
			line++
		case '.', '!', '?':
			next, size := utf8.DecodeRuneInString(text[i+1:])
			after, _ := utf8.DecodeRuneInString(text[i+1+size:])
			if unicode.IsSpace(next) && !unicode.IsLower(after) {
				add(i + 1)
			}
		case '。', '！', '？':
			add(i + utf8.RuneLen(r))
		}
	}
	add(len(text))
	return list
}

// window cuts a long sentence to the part that begins shortly before the first wanted word.
func window(s string, wanted map[string]float64) string {
	all := fields(s)
	hit := max(0, slices.IndexFunc(all, func(f sentence) bool {
		return slices.ContainsFunc(index.Terms(s[f.start:f.end]), func(t string) bool { return wanted[t] > 0 })
	}))
	first := hit
	for first > 0 && all[hit].start-all[first-1].start <= snippetLength/4 {
		first--
	}
	last := first
	for last+1 < len(all) && utf8.RuneCountInString(s[all[first].start:all[last+1].end]) <= snippetLength {
		last++
	}
	part := s[all[first].start:all[last].end]
	if utf8.RuneCountInString(part) > snippetLength { // a script without spaces, or no words at all
		n := 0
		for i := range part {
			if n++; n > snippetLength {
				return part[:i]
			}
		}
	}
	return part
}

// fields returns the byte ranges of what white space separates.
func fields(s string) (list []sentence) {
	start := -1
	for i, r := range s {
		switch {
		case unicode.IsSpace(r) && start >= 0:
			list, start = append(list, sentence{start: start, end: i}), -1
		case !unicode.IsSpace(r) && start < 0:
			start = i
		}
	}
	if start >= 0 {
		list = append(list, sentence{start: start, end: len(s)})
	}
	return list
}
