package foreign

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/audit"
	"ibid/internal/lazyregexp"
)

// This file finds citations that were raised figures before a report was made plain: "in their fields.12 The rest". They count
// only in a report that is full of them and has a numbered list of references.

// minGlued is how many of them, behind a full stop or the like, show that a report cites so.
const minGlued = 3

// notGlued end in a full stop and are followed by a figure of their own.
var notGlued = set("no nr fig figs p pp vol ch sec eq ver v art para tab q approx ca est max min st op")

// scanGlued marks the figures that stand right behind a sentence or a word.
func (b *block) scanGlued(text string) {
	for i := 0; i < len(text); {
		from := strings.IndexFunc(text[i:], func(r rune) bool { return r >= '0' && r <= '9' })
		if from < 0 {
			return
		}
		from += i
		to := from
		for to < len(text) && (text[to] >= '0' && text[to] <= '9' || text[to] == ',' && to+1 < len(text) && text[to+1] >= '0' && text[to+1] <= '9') {
			to++
		}
		i = to
		said := text[from:to]
		if !regexpNumbers.MatchString(said) || said[0] == '0' {
			continue
		}
		if behind, sure := gluedTo(text[:from], text[to:]); behind {
			b.addMark(mark{Range: audit.Range{Start: from, End: to}, keys: labels(said), weak: true, glued: true, worded: !sure})
		}
	}
}

var yearAtEnd = lazyregexp.New(`(?:^|[^0-9.,])(?:19|20)[0-9]{2}$`)

// gluedTo reports whether a figure between these texts may be a citation, and whether that is likely: behind the end of a
// sentence or clause rather than behind a word.
func gluedTo(before, after string) (is, likely bool) {
	next, _ := utf8.DecodeRuneInString(after)
	last, n := utf8.DecodeLastRuneInString(before)
	switch {
	case strings.ContainsRune(".,;:!?)”\"’", last) && (after == "" || unicode.IsSpace(next)):
		rest := strings.TrimRight(before[:len(before)-n], ".!?)”\"’")
		end, _ := utf8.DecodeLastRuneInString(rest)
		if unicode.IsDigit(end) && last == '.' && len(rest) == len(before)-1 { // the decimals of a number, but for a year's
			begins, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " \n"))
			return yearAtEnd.MatchString(rest) && (unicode.IsUpper(begins) || strings.TrimSpace(after) == ""), false
		}
		word := strings.ToLower(rest[strings.LastIndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })+1:])
		return (unicode.IsLetter(end) || unicode.IsDigit(end) || end == '%') && !notGlued[word], true
	case unicode.IsLower(last) && (after == "" || strings.ContainsRune(".,;:", next) && (len(after) == 1 || unicode.IsSpace(rune(after[1])))):
		word := before[strings.LastIndexAny(before, " \n(\u00a0")+1:]
		return utf8.RuneCountInString(word) >= 4 && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }), false
	}
	return false, false
}

// citesGlued reports whether the report cites by figures that stand right behind its sentences, and by no other numbers.
func (c *checker) citesGlued(marked []*block) bool {
	glued, others := 0, 0
	for _, b := range marked {
		for _, m := range b.marks {
			switch found := len(c.lookAll(b, m)); {
			case m.glued && !m.worded && found == len(m.keys):
				glued++
			case !m.glued && m.keys != nil && m.problem == "" && found > 0:
				others++
			}
		}
	}
	return glued >= minGlued && glued > 2*others
}
