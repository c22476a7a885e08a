package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ibid/audit/claim"
	"ibid/evidence"
)

var (
	// agreement is said of sources that state the same.
	agreement = regexp.MustCompile(`(?i)\b(?:agrees?|agreed|confirm(?:s|ed)?|corroborat(?:es?|ed)|both (?:sources|put|state|report|say|give)|in agreement|independent(?:ly)?)\b`)
	// independence is said of sources that did not take it from each other.
	independence = regexp.MustCompile(`(?i)\bindependent(?:ly)?\b|\b(?:two|three|several|both|separate) (?:separate |different )?sources\b`)
)

// checkAgreement holds a statement that sources agree against each of them by itself: a figure must be in all, and what
// repeats another word for word is no second source.
func (c *checker) checkAgreement(b *block, s statement, cites []evidence.Citation) {
	bySource := map[string][]evidence.Citation{}
	var ids []string
	for _, ci := range cites {
		if bySource[ci.Source] == nil {
			ids = append(ids, ci.Source)
		}
		bySource[ci.Source] = append(bySource[ci.Source], ci)
	}
	if len(ids) < 2 || c.rec.Unweighed || !agreement.MatchString(s.text) || negations(s.text) > 0 {
		return
	}
	for i, id := range ids {
		quotes, around := c.quotesAt(bySource[id])
		text := strings.Join(quotes, "\n")
		if c.tooMuch(len(s.text) + len(text) + len(around.After)) {
			return
		}
		for _, v := range claim.Check(s.text, text, around) {
			if v.Severity == claim.Block && slices.Contains([]claim.Code{claim.NumberConflict, claim.UnitConflict, claim.DateConflict}, v.Code) {
				c.failAt(b, s.Range, Failure{Code: ConflictHidden, Claim: s.text, Text: v.Claim, Message: fmt.Sprintf("The sources are said to agree, and %s says %q for %q. Say what each of them says.", id, v.Source, v.Claim)})
			}
		}
		if !independence.MatchString(s.text) {
			continue
		}
		for _, other := range ids[:i] {
			quotes, _ := c.quotesAt(bySource[other])
			if repeats(text, strings.Join(quotes, "\n")) {
				c.failAt(b, s.Range, Failure{Code: NotIndependent, Claim: s.text, Text: other + ", " + id, Message: fmt.Sprintf("%s and %s say it in the same words: one has it from the other, or both from a third. Count them as one.", other, id)})
			}
		}
	}
}

// shingle is how many words in a row are compared, and copied the share of them from which on a text is taken for a copy.
const (
	shingle = 5
	copied  = 0.5
)

// repeats reports whether one of two texts has most of the other, word for word.
func repeats(a, b string) bool {
	x, y := shingles(a), shingles(b)
	n := 0
	for s := range x {
		if y[s] {
			n++
		}
	}
	return n > 2 && float64(n) >= copied*float64(min(len(x), len(y)))
}

func shingles(text string) map[string]bool {
	ws := words(text)
	m := make(map[string]bool)
	for i := 0; i+shingle <= len(ws); i++ {
		m[strings.Join(ws[i:i+shingle], " ")] = true
	}
	return m
}
