package agent

import (
	"slices"
	"strings"
	"testing"

	"ibid/llm/fence"
)

const saidBefore = `Question: losses? {"source":"S1","text":"The Northern Grid Authority said that losses fell to 4.1 percent, says https://halden.example/x.\nStadt Halden zahlte 3,5 Mio. Euro. Die Kosten, das Netz."} r2.0`

func checked(answer string) (summary, int, error) {
	s, err := parseSummary(answer)
	if err != nil {
		return s, 0, err
	}
	_, dropped := s.check(fold(saidBefore), func(handle string) bool { return handle == "r2.0" })
	return s, dropped, nil
}

// A statement stays if its handle exists and if all that is exact in it stands somewhere.
func TestSummaryIsHeldAgainstTheRecord(t *testing.T) {
	for claim, want := range map[string]bool{
		"Losses fell to 4.1 percent.":                      true,
		"The northern grid lost less.":                     true,
		"It was the Northern Grid Authority that said so.": true,
		"It was the Southern Grid Authority that said so.": false,
		"Losses fell to 4.2 percent.":                      false,
		"Losses fell to 41 percent.":                       false,
		"Die Kosten des Netzes trug die Stadt Halden.":     true,
		"Die Kosten des Netzes trug die Stadt Bergen.":     false,
		"Es waren 3,5 Mio. Euro, wie S1 sagt.":             true,
		"S11 says so.":                                     false,
		"See https://halden.example/x, and not another.":   true,
		"See https://halden.example/y.":                    false,
		"":                                                 false,
	} {
		s, _, err := checked(`{"established_facts":[{"claim":` + string(fence.JSON(claim)) + `,"handle":"r2.0"}]}`)
		if err != nil || (len(s.Facts) == 1) != want {
			t.Errorf("%q: %v, %v", claim, s.Facts, err)
		}
		if s, _, err = checked(`{"established_facts":[{"claim":` + string(fence.JSON(claim)) + `,"handle":"r3.0"}]}`); err != nil || len(s.Facts) != 0 {
			t.Errorf("%q stays with a handle that does not exist", claim)
		}
	}
}

// FuzzSummary: whatever a model answers, what is left of it holds no figure, date, name or address of its own.
func FuzzSummary(f *testing.F) {
	for _, s := range []string{`{"established_facts":[{"claim":"4.1 percent","handle":"r2.0"}],"open_questions":["Why 99?"]}`, "{}", "```json\n{\"current_state\":\"S1\"}```", `{"dead_ends":[{"approach":"x"}]} }`, `{{`, `{"exact_identifiers":["S1","S2",null]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		s, _, err := checked(answer)
		if err != nil {
			return
		}
		texts := append(append(slices.Clone(s.Identifiers), s.Open...), s.State, s.Next)
		for _, fact := range s.Facts {
			texts = append(texts, fact.Claim)
			if fact.Handle != "r2.0" {
				t.Fatalf("the handle %q", fact.Handle)
			}
		}
		for _, d := range s.DeadEnds {
			texts = append(texts, d.Approach, d.Why)
		}
		for _, id := range Identifiers(strings.Join(texts, " | ")) {
			for _, part := range named(id) {
				if !occurs(fold(saidBefore), fold(part)) {
					t.Fatalf("%q is left of %q", part, answer)
				}
			}
		}
	})
}
