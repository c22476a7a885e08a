package claim

import (
	"strings"
	"testing"
)

// Texts that are made to be slow to compare take no longer than others of their size: with bounds gone, each of these
// takes many seconds.
func TestHostile(t *testing.T) {
	for _, c := range [][2]string{
		{"happy increase decrease ", "unhappy "}, {"only all some ", "not "}, {"never american british ", "from 5 to 7 "},
		{"5 km 7 kg ", "five hundred twenty "}, {"A. b! C? ", "a. B. c! "}, {"1990 1991 ", "1/2 "}, {"((((", "may if not "},
	} {
		claim, quote := strings.Repeat(c[0], MaxClaim/len(c[0])+9), strings.Repeat(c[1], MaxQuote/len(c[1])+9)
		vs := Check(claim, quote, Context{Before: quote, After: quote})
		if len(vs) > maxVerdicts {
			t.Errorf("%q against %q: %d verdicts", c[0], c[1], len(vs))
		}
	}
}
