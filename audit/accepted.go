package audit

import (
	"fmt"
	"strings"

	"ibid/evidence"
)

// AcceptanceLine is what a report says of a finding that a person accepted though rules block it (FIND-8): who, against which
// rules, what, and why. It is a paragraph of its own.
func AcceptanceLine(f evidence.Finding) string {
	a := f.Accepted
	if a == nil {
		return ""
	}
	by := "a person"
	if who := Shown(a.By); who != "" {
		by += " (" + who + ")"
	}
	return fmt.Sprintf("Accepted by %s against %s: %s, “%s”. Reason given: %s", by, strings.Join(a.Codes, ", "), f.ID, Shown(f.Claim), Shown(a.Reason))
}

// isAcceptance reports whether a block says of a finding, word by word, what a person said of it. It claims nothing else, so it
// needs no source.
func (c *checker) isAcceptance(b *block) bool {
	text := string(b.text)
	if b.kind != paragraph || !strings.HasPrefix(text, "Accepted by ") {
		return false
	}
	for _, f := range c.rec.Findings {
		if f.Accepted != nil && f.Rejected == "" && strings.Join(strings.Fields(text), " ") == strings.Join(strings.Fields(AcceptanceLine(f)), " ") {
			c.accepted[f.ID] = true
			return true
		}
	}
	return false
}

// checkAccepted refuses a report that rests on what a person accepted and does not say so.
func (c *checker) checkAccepted() {
	for _, f := range c.rec.Findings {
		if f.Accepted != nil && f.Rejected == "" && c.used[f.Key()] && !c.accepted[f.ID] {
			c.fail(Failure{Code: Unmarked, Text: f.ID, Claim: f.Claim,
				Message: fmt.Sprintf("Rules block %s, a person accepted it, and the report cites it without saying so in a paragraph of its own: %q", f.ID, clip(AcceptanceLine(f)))})
		}
	}
}
