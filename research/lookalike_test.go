package research

import (
	"testing"

	"ibid/evidence"
)

// Runs of before replay: the rule by which their disagreements were found still finds them.
func TestLookAlikes(t *testing.T) {
	for _, c := range []struct{ a, b, about string }{
		{"The night ferry carries 40 cars to the outer islands.", "The night ferry carries 62 cars to the outer islands.", "their figures"},
		{"The night ferry stops at the outer islands in winter.", "The night ferry does not stop at the outer islands in winter.", "what they say"},
		{"Slow sailing raises the fuel bill of the night ferry.", "Slow sailing lowers the fuel bill of the night ferry.", "what they say"},
		{"The night ferry stops at the outer islands in winter.", "The night ferry stops at the outer islands in the winter months.", ""},
		{"The night ferry stops at the outer islands in winter.", "Bread does not keep in damp cellars.", ""},
	} {
		got := lookAlikes([]evidence.Finding{{ID: "F1", Source: "S1", Claim: c.a}, {ID: "F2", Source: "S2", Claim: c.b}})
		if c.about == "" && len(got) > 0 || c.about != "" && (len(got) != 1 || got[0].About != c.about) {
			t.Errorf("%s / %s: %+v", c.a, c.b, got)
		}
	}
}
