package evidence

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	beginsWithID = regexp.MustCompile(`(?i)^(?:(?:see|cf|source|sources|src|from|ref|in)[.:]?\s)?s0*[1-9][0-9]*(?:$|[^\pL\pN_])`)
	findingIDs   = regexp.MustCompile(`(?i)^f[0-9]+(?:\s?[,;&+]?\s?f[0-9]+)*$`)
	onlyLocator  = regexp.MustCompile(`^(?:para\.[0-9]+|p\.[0-9]+\.[0-9]+|t=[0-9]+:[0-9:]+|(?:slide|cell)\.[0-9]+(?:\.[0-9]+)?|ch\.[0-9]+ para\.[0-9]+|\S+:L[0-9]+(?:-L?[0-9]+)?)$`)
)

// looksLike reports whether a reader would take the text of a bracket for a citation.
func looksLike(s string, round bool) bool {
	for _, alike := range []bool{false, true} {
		t := plainText(s, alike)
		var id, locator, own bool // own: a locator of the kind that only ibid writes
		for _, f := range looseRead(t) {
			id = id || f.source != ""
			locator = locator || f.source == ""
			own = own || f.source == "" && !f.plain
		}
		words := len(strings.Fields(t))
		switch {
		case round && beginsWithID.MatchString(t) && locator && words <= 12:
			return true
		case round:
			if onlyLocator.MatchString(t) {
				return true
			}
		case beginsWithID.MatchString(t), findingIDs.MatchString(t):
			return true
		case words <= 6 && (id && locator || own || onlyPage.MatchString(t)):
			return true
		}
	}
	return false
}

var onlyPage = regexp.MustCompile(`(?i)^(?:[^\s\d]+\s)?(?:pages?|pp?)[. ]\s?[0-9]+(?:\s?-\s?[0-9]+)?$`)

// bare is a source id with a locator of ours, brackets or not.
var bare = regexp.MustCompile(`\b[Ss][0-9]{1,9}(?::|,?[ \x{a0}]{1,2})(?:para\.?[ \x{a0}]?[0-9]+|(?:slide|cell)\.[0-9]+(?:\.[0-9]+)?|ch\.[0-9]+[ \x{a0}]para\.[0-9]+|pp?\.[ ]?[0-9]+(?:\.[0-9]+)?|t=[0-9]+:[0-9:]*[0-9]|` +
	`sheet\.[^\s!\[\]]+![A-Z]+[0-9]+(?::[A-Z]+[0-9]+)?|[^\s\[\]();,:]+:L[0-9]+(?:-L[0-9]+)?)`)

// addBare adds the mentions without brackets, or with one that is never closed, to the sorted mentions in brackets.
func addBare(text string, ms []Mention) []Mention {
	inBrackets := len(ms)
	k := 0
	for _, at := range bare.FindAllStringIndex(text, -1) {
		m := Mention{Start: at[0], End: at[1], Inner: text[at[0]:at[1]], Problem: "a citation stands in square brackets"}
		for k < inBrackets && ms[k].End <= m.Start {
			k++
		}
		if k < inBrackets && ms[k].Start < m.End {
			continue
		}
		if r, n := utf8.DecodeLastRuneInString(text[:m.Start]); n > 0 && (r == '[' || r == '(') {
			m.Start -= n
			m.Problem = "the bracket is never closed"
		}
		m.Near = nearCitation(m.Inner)
		ms = append(ms, m)
	}
	slices.SortFunc(ms, func(a, b Mention) int { return a.Start - b.Start })
	return ms
}
