package research

import (
	"slices"
	"strings"
	"testing"
)

// A claim enters a run only if its quote carries it (FIND-2): what surely goes beyond it is refused with a reason that the
// model can act on, what may is recorded and marked.
func TestClaimsAreWeighed(t *testing.T) {
	for name, c := range map[string]struct {
		claim, quote, span string
		refused            bool
		codes              []string
	}{
		"carried":            {"In 2024, grid losses in the north fell to 4.1 %.", "Losses in the northern grid fell to 4.1 percent in 2024", "S1:para.2", false, nil},
		"another figure":     {"Grid losses in the north fell to 4.7 percent in 2024.", "Losses in the northern grid fell to 4.1 percent in 2024", "S1:para.2", true, []string{"number_conflict"}},
		"another year":       {"Grid losses in the north fell to 4.1 percent in 2023.", "Losses in the northern grid fell to 4.1 percent in 2024", "S1:para.2", true, []string{"date_conflict"}},
		"the other way":      {"Grid losses in the north rose to 4.1 percent in 2024.", "Losses in the northern grid fell to 4.1 percent in 2024", "S1:para.2", true, []string{"direction_flip"}},
		"only":               {"Only losses in the northern grid fell to 4.1 percent in 2024.", "Losses in the northern grid fell to 4.1 percent in 2024", "S1:para.2", true, []string{"exclusivity_added"}},
		"a judgement":        {"Losses in the badly run northern grid fell to 4.1 percent in 2024.", "Losses in the northern grid fell to 4.1 percent in 2024", "S1:para.2", false, []string{"evaluation_added"}},
		"a word":             {"Losses in the northern grid fell to 4.1 percent in 2024 after a strike.", "Losses in the northern grid fell to 4.1 percent in 2024", "S1:para.2", false, []string{"word_added"}},
		"a word for another": {"Thefts in the northern grid fell to 4.1 percent in 2024.", "Losses in the northern grid fell to 4.1 percent in 2024", "S1:para.2", false, []string{"word_replaced"}},
		"a name":             {"In Eastbrook, losses in the northern grid fell to 4.1 percent in 2024.", "Losses in the northern grid fell to 4.1 percent in 2024", "S1:para.2", false, []string{"name_absent"}},
		"named in the title": {"Losses in the northern Halden grid fell to 4.1 percent in 2024.", "Losses in the northern grid fell to 4.1 percent in 2024", "S1:para.2", false, nil},
		"a figure outside":   {"Losses in the northern grid fell to 4.1 percent in 2024.", "Losses in the northern grid fell", "S1:para.2", false, []string{"number_absent", "date_absent"}},
	} {
		t.Run(name, func(t *testing.T) {
			args := toJSON(findingArgs{Claim: c.claim, Quote: c.quote, Span: c.span, Subquestion: "q1"})
			turns := append(append([]turn(nil), honest[:3]...), turn{calls: []string{"record_finding", string(args)}})
			r, _, j, id := research(t, turns, nil)
			all := toolResults(t, j, id)
			said := all[len(all)-1]
			if (len(r.Findings) == 0) != c.refused || !r.Verified {
				t.Fatalf("findings %+v, verified %v: %s", r.Findings, r.Verified, said)
			}
			for _, code := range c.codes {
				if !strings.Contains(said, `"code":"`+code+`"`) {
					t.Errorf("%s is not told: %s", code, said)
				}
				if !c.refused && !slices.Contains(r.Findings[0].Flags, code) {
					t.Errorf("%s is not recorded: %v", code, r.Findings[0].Flags)
				}
			}
			if len(c.codes) == 0 && len(r.Findings[0].Flags) > 0 {
				t.Errorf("flags %v: %s", r.Findings[0].Flags, said)
			}
			if c.refused && !strings.Contains(said, "Change the claim") {
				t.Errorf("the refusal says too little: %s", said)
			}
		})
	}
}

// A run that began before claims were weighed goes on as it began.
func TestClaimsOfBefore(t *testing.T) {
	args := `{"claim":"Losses fell to 4.7 percent.","quote":"Losses in the northern grid fell to 4.1 percent in 2024","span":"S1:para.2","subquestion":"q1"}`
	turns := append(append([]turn(nil), honest[:3]...), turn{calls: []string{"record_finding", args}})
	r, _, _, _ := research(t, turns, func(c *Config, _ *Parts) { c.Weighed = false })
	if len(r.Findings) != 1 || len(r.Findings[0].Flags) > 0 {
		t.Errorf("%+v", r.Findings)
	}
}

// A run that began before words were looked for that a claim adds goes on as it began.
func TestWordsOfBefore(t *testing.T) {
	args := `{"claim":"Thefts in the badly run northern grid fell to 4.1 percent in 2024 after a strike.","quote":"Losses in the northern grid fell to 4.1 percent in 2024","span":"S1:para.2","subquestion":"q1"}`
	turns := append(append([]turn(nil), honest[:3]...), turn{calls: []string{"record_finding", args}})
	for _, worded := range []bool{false, true} {
		r, _, j, id := research(t, turns, func(c *Config, _ *Parts) { c.Worded = worded })
		all := toolResults(t, j, id)
		told := strings.Contains(all[len(all)-1], "word_") || strings.Contains(all[len(all)-1], "evaluation_")
		if len(r.Findings) != 1 || (len(r.Findings[0].Flags) > 0) != worded || told != worded || (r.Check.Count("flag") > 0) != worded {
			t.Errorf("worded %v: told %v, flags %v, %+v", worded, told, r.Findings[0].Flags, r.Check.Failures)
		}
	}
}
