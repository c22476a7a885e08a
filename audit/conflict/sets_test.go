package conflict

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"ibid/evidence"
	"ibid/internal/testset"
)

// alone leaves a test that takes long out of a short run.
func alone(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long")
	}
}

// A sharedPair is one line of data/claims.
type sharedPair struct{ Claim, Evidence, Label, Edit string }

func sharedPairs(t testing.TB, name string) []sharedPair {
	t.Helper()
	body, err := os.ReadFile(testset.Path(t, "data", "claims", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []sharedPair
	for line := range bytes.Lines(body) {
		var p sharedPair
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// supported are findings of the supported pairs of a set, each claim once.
func supported(t testing.TB, name string) []evidence.Finding {
	var out []evidence.Finding
	seen := map[string]bool{}
	for _, p := range sharedPairs(t, name) {
		if n := len(out) + 1; p.Label == "SUPPORTS" && !seen[p.Claim] && !seen[p.Evidence] {
			seen[p.Claim], seen[p.Evidence] = true, true
			out = append(out, evidence.Finding{ID: evidence.FindingID(n), Source: evidence.SourceID(n), Claim: p.Claim, Quote: p.Evidence})
		}
	}
	return out
}

// A sentence and the same with one thing changed are found; a sentence and the same in other words are left alone.
func TestSingleEdits(t *testing.T) {
	alone(t)
	type tally struct{ n, certain, found int }
	got := map[string]*tally{}
	for _, p := range sharedPairs(t, "synthetic") {
		edit := p.Edit
		if p.Label == "SUPPORTS" {
			edit = "none"
		}
		if got[edit] == nil {
			got[edit] = &tally{}
		}
		got[edit].n++
		for _, c := range Find(says(p.Evidence, p.Claim), nil) {
			got[edit].found++
			if c.Severity == Certain {
				got[edit].certain++
			}
		}
	}
	// Floors in percent, a little under what was measured. Half of the changed digits make a year of no calendar.
	for edit, floor := range map[string][2]int{"digit changed": {27, 56}, "magnitude changed": {40, 85}, "month changed": {63, 91}, "year shifted": {37, 87}, "unit changed": {43, 86},
		"negation added": {78, 95}, "negation dropped": {41, 82}, "comparative or superlative flipped": {14, 48}} {
		if y := got[edit]; y == nil || 100*y.certain < floor[0]*y.n || 100*y.found < floor[1]*y.n {
			t.Errorf("%s: %+v, want %d and %d percent", edit, y, floor[0], floor[1])
		}
	}
	if y := got["none"]; y.certain > 1 || y.found > 3 {
		t.Errorf("of %d honest renderings %d are in conflict, %d for certain", y.n, y.found, y.certain)
	}
}

// Claims that are supported, each by its own text, do not conflict with each other.
func TestSupportedClaimsAgree(t *testing.T) {
	alone(t)
	for set, most := range map[string]int{"fever": 8, "fm2": 1, "scifact": 1, "synthetic": 2} {
		fs := supported(t, set)
		fs = fs[:min(len(fs), 1500)]
		possible := 0
		for len(fs) > 0 {
			n := min(500, len(fs))
			for _, c := range Find(fs[:n], nil) {
				if c.Severity == Certain {
					t.Errorf("%s: %+v", set, c)
				}
				possible++
			}
			fs = fs[n:]
		}
		if possible > most {
			t.Errorf("%s: %d possible conflicts", set, possible)
		}
	}
}

// Of the shared reports those about the first winter's output record what does not agree, and no other does. Honest ones
// are among both.
func TestSharedReports(t *testing.T) {
	want := map[string]bool{"H063A": true, "F116A": true, "F117A": true, "F120A": true}
	for _, name := range []string{"honest.jsonl", "forgeries.jsonl"} {
		body, err := os.ReadFile(testset.Path(t, "data", "reports", name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(body) {
			var r struct {
				ID       string
				Sources  []struct{ ID, Title, Published string }
				Findings []struct {
					ID, Source, Claim string
					Quote             any
				}
			}
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatal(err)
			}
			var findings []evidence.Finding
			for _, f := range r.Findings {
				quote, _ := f.Quote.(string)
				if list, ok := f.Quote.([]any); ok && len(list) > 0 {
					quote, _ = list[0].(string)
				}
				findings = append(findings, evidence.Finding{ID: f.ID, Source: f.Source, Claim: f.Claim, Quote: quote})
			}
			var sources []evidence.Source
			for _, s := range r.Sources {
				sources = append(sources, evidence.Source{ID: s.ID, Title: s.Title, Published: s.Published})
			}
			got := Find(findings, sources)
			if want[r.ID] != (len(got) > 0) || len(got) > 1 {
				t.Errorf("%s: %+v", r.ID, got)
			}
		}
	}
}
