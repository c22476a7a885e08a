package audit

import (
	"fmt"
	"slices"
	"strings"

	"ibid/audit/claim"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// agreement is said of sources that state the same.
var agreement = lazyregexp.New(`(?i)\b(?:agrees?|agreed|confirm(?:s|ed)?|corroborat(?:es?|ed)|both (?:sources|put|state|report|say|give)|in agreement|independent(?:ly)?)\b`)

// checkAgreement holds a statement that sources agree against each of them by itself: a figure must be in all.
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
	for _, id := range ids {
		quotes, around := c.quotesAt(bySource[id])
		text := strings.Join(quotes, "\n")
		if c.tooMuch(len(s.text) + len(text) + len(around.After)) {
			return
		}
		for _, v := range c.rules.Check(s.text, text, around) {
			if v.Severity == claim.Block && slices.Contains([]claim.Code{claim.NumberConflict, claim.UnitConflict, claim.DateConflict}, v.Code) {
				c.failAt(b, s.Range, Failure{Code: ConflictHidden, Claim: s.text, Text: v.Claim, Message: fmt.Sprintf("The sources are said to agree, and %s says %q for %q. Say what each of them says.", id, v.Source, v.Claim)})
			}
		}
	}
}
