package claim

import "testing"

// What is left out of a denial, a rate or an exception changes it; what is left out of a plain statement makes it say less.
func TestDropped(t *testing.T) {
	testRule(t, []Code{WordDropped}, []ruleCase{
		{"The filter does not stop viruses.", "The filter does not stop small viruses.", Flag},
		{"The filter stops viruses.", "The filter stops small viruses.", ""},
		{"The filter does not stop the viruses.", "The filter does not stop the small viruses.", ""}, // the same ones
		{"The filter does not stop viruses.", "The filter does not stop viruses or dust.", ""},
		{"The clerk never opened the safe.", "The clerk never opened the safe on Sundays.", Flag},
		{"Every pump has an alarm.", "Every electric pump has an alarm.", Flag},
		{"Pumps have an alarm.", "Electric pumps have an alarm.", ""},
		{"Few guards carried lamps.", "Few night guards carried lamps.", Flag},
		{"All doors were locked.", "All doors were locked except the back door.", Flag},
		{"The failure rate was 3 percent.", "The failure rate was 3 percent among new valves.", Flag},
		{"The new valves were popular.", "The new valves were popular among plumbers.", ""},
		{"The resin stopped the decay of the teeth.", "The resin stopped the decay of the teeth in rats.", Flag},
		{"The cause was a leak.", "The suspected cause was a leak.", Flag},
		{"The roof collapsed under the snow.", "The roof nearly collapsed under the snow.", Flag},
		{"Shops in the north pay 4 percent.", "Shops in the north pay 4 percent.", ""},
		{"Shops pay 4 percent of their income.", "Shops in the north pay 4 percent of their income.", Flag},
	})
}

func TestUndone(t *testing.T) {
	testRule(t, []Code{WordDropped}, []ruleCase{
		{"The crew repaired the mast.", "The crew tried to repair the mast.", Flag},
		{"The crew tried to repair the mast.", "The crew attempted to repair the mast.", ""},
		{"The crew may have repaired the mast.", "The crew tried to repair the mast.", ""},
		{"The crew repaired the mast.", "The crew managed to repair the mast.", ""},
		{"The crew repaired the mast.", "The crew tried to repair the mast, and on Friday they repaired it.", ""},
		{"The bailiff sealed the cellar.", "The judge ordered the bailiff to seal the cellar.", Flag},
		{"The bailiff was asked to seal the cellar.", "The judge ordered the bailiff to seal the cellar.", ""},
		{"The bailiff sealed the cellar.", "The judge demanded that the bailiff seal the cellar.", Flag},
		{"The grocer was selling stolen wine.", "The grocer was accused of selling stolen wine.", Flag},
		{"The repair of the mast took a week.", "The crew tried to repair the mast; it took a week.", ""},
		{"The spring was dug by a giant.", "Legend has it that the spring was dug by a giant.", Flag},
		{"According to legend, the spring was dug by a giant.", "Legend has it that the spring was dug by a giant.", ""},
	})
}

func TestPrepositions(t *testing.T) {
	testRule(t, []Code{WordReplaced}, []ruleCase{
		{"The pipe runs to the spring.", "The pipe runs from the spring.", Flag},
		{"The pipe runs away from the spring.", "The pipe runs towards the spring.", Flag},
		{"The miners marched for the owner.", "The miners marched against the owner.", Flag},
		{"The pipe runs into the spring.", "The pipe runs to the spring.", ""},
		{"The pipe runs from the spring to the barn.", "The pipe runs to the barn from the spring.", ""},
		{"The aunt got the farm from the uncle.", "The uncle gave the farm to the aunt.", ""},
	})
}

func TestLightWords(t *testing.T) {
	testRule(t, []Code{WordReplaced, Evaluation}, []ruleCase{
		{"The steward left the heiress in 1820.", "The steward married the heiress in 1820.", Flag},
		{"The steward lies to the heiress every month.", "The steward writes to the heiress every month.", Flag},
		{"The farm lies on the hill above the lake.", "The farm stands on the hill above the lake.", ""},
		{"The licensee pays the fee in March.", "The licensor pays the fee in March.", Flag},
		{"The heiress received a letter from the steward in May.", "The heiress got a letter from the steward in May.", ""},
	})
}

// Where a narrower word says less than a wider one, and where it says more.
func TestDownward(t *testing.T) {
	for _, c := range []struct {
		text, word string
		want       bool
	}{
		{"The filter does not stop small viruses.", "small", true},
		{"The filter stops small viruses.", "small", false},
		{"No small virus passes.", "small", true},
		{"If small stones block it, it stops.", "small", true},
		{"If small stones block it, it stops.", "stops", false},
		{"If it does not stop small stones, it breaks.", "small", false}, // a denial in a condition
		{"Every small stone counts.", "small", true},
		{"Every guest who did not eat small fish fell ill.", "small", false},
		{"At most five small stones fell.", "small", true},
		{"At least five small stones fell.", "small", false},
		{"Few small stones fell.", "small", true},
		{"A few small stones fell.", "small", false},
		{"It ran without small stones.", "small", true},
	} {
		r := read(c.text)
		if got := r.downward(r.places(stem(c.word))[0]); got != c.want {
			t.Errorf("%s: %s: %v", c.text, c.word, got)
		}
	}
}

// To add to what is denied makes a claim less, to put another thing in its place does not.
func TestNarrower(t *testing.T) {
	testRule(t, ofWords, []ruleCase{
		{"The filter does not stop rusty nails.", "The filter does not stop nails.", ""},
		{"The filter stops rusty nails.", "The filter stops nails.", Flag},
		{"The filter does not stop screws.", "The filter does not stop nails.", Flag},
		{"The filter does not stop the rusty nails.", "The filter does not stop the nails.", Flag}, // that they are rusty is news
		{"The filter does not stop illegal nails.", "The filter does not stop nails.", Flag},       // a judgement is, too
		{"The watchman did not buy a car.", "The watchman did not buy a vehicle.", ""},
	})
}
