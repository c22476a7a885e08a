package audit

import (
	"fmt"
	"slices"
	"strings"

	"ibid/audit/claim"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// numbering is what counts a heading and says nothing: "2.1", "IV.", "Part 2:".
var numbering = lazyregexp.New(`^(?:(?i:part|section|step|question|sub-question|chapter|appendix|annex|box|phase|note)\s)?(?:[0-9]{1,2}(?:\.[0-9]{1,2}){0,3}[.):]?|[IVX]{1,5}[.):]|[A-Za-z][.)])(?:\s+|$)`)

// checkTitle judges the first heading. It repeats the question, or its figures are those of recorded findings.
func (c *checker) checkTitle(b *block) {
	whole := Range{0, len(b.text)}
	s := b.statement(whole)
	if asked := plain(c.rec.Question); asked != "" && plain(string(b.text)) == asked {
		return
	}
	if len(b.mentions) > 0 {
		c.checkSentence(b, whole)
		return
	}
	if c.asks(s.text) {
		return
	}
	if !c.onFinding(s.figs) || HasNumber(s.text) && len(s.figs) == 0 && !numberIn(s.text, strings.ToLower(c.rec.Question)) {
		c.claims++
		c.failAt(b, whole, Failure{Code: UnsupportedFig, Claim: s.text, Suggestion: c.rec.Question,
			Message: fmt.Sprintf("The title states a figure that no finding has. Use the question as the title: %q.", clip(c.rec.Question))})
		return
	}
	if asserts(s.text) && !nounClause(s.text) {
		c.claims++
		c.pending = append(c.pending, s)
	}
}

// onFinding reports whether one finding, or the question, has all of the figures, each of the same thing.
func (c *checker) onFinding(figs []claim.Number) bool {
	has := func(text string) bool {
		known := claim.Numbers(text)
		return !slices.ContainsFunc(figs, func(f claim.Number) bool {
			return !slices.ContainsFunc(known, func(g claim.Number) bool { return f.Same(g) && (f.Counts == g.Counts || f.Value != g.Value) })
		})
	}
	return has(c.rec.Question) || slices.ContainsFunc(c.rec.Findings, func(f evidence.Finding) bool {
		return f.Rejected == "" && (has(f.Claim) || has(f.Quote))
	})
}

// checkHeading judges a heading within the report: one that asserts or has a figure needs a citation, or repeats a cited
// sentence.
func (c *checker) checkHeading(b *block) {
	whole := Range{0, len(b.text)}
	if len(b.mentions) > 0 {
		c.checkSentence(b, whole)
		return
	}
	s := b.statement(whole)
	rest := strings.TrimSpace(numbering.ReplaceAllString(s.text, ""))
	if rest == "" || strings.HasSuffix(rest, "?") && !tagged.MatchString(rest) && !rhetorical.MatchString(rest) && !c.takenForGranted(rest) || c.isName(rest) && !HasNumber(rest) || plain(rest) == plain(c.rec.Question) {
		return
	}
	number := HasNumber(rest)
	if number && c.knownYears(rest) {
		number = false
	}
	if !number && (!asserts(rest) || nounClause(rest) || isSignpost(rest)) {
		return
	}
	c.claims++
	s.text, s.stems, s.figs = rest, stems(rest), claim.Numbers(rest)
	c.pending = append(c.pending, s)
}

// nounClause reports whether a heading only names a matter: "How this was made", "What could not be established".
func nounClause(t string) bool {
	return nounClauses.MatchString(t) && !HasNumber(t)
}

var nounClauses = lazyregexp.New(`(?i)^(?:what|why|how|where|when|who|whether|which)\b`)

// knownYears reports whether the only numbers of a heading are years that the question or a finding names.
func (c *checker) knownYears(t string) bool {
	if HasNumber(years.ReplaceAllString(t, " ")) {
		return false
	}
	known := c.allFigures()
	for _, y := range claim.Numbers(t) {
		if !slices.ContainsFunc(known, func(f claim.Number) bool { return f.Value == y.Value }) {
			return false
		}
	}
	return true
}

var years = lazyregexp.New(`\b(?:19|20)[0-9]{2}(?:[-–/](?:[0-9]{2}|(?:19|20)[0-9]{2}))?\b`)
