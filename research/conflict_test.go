package research

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"ibid/audit/conflict"
	"ibid/corpus"
	"ibid/evidence"
	"ibid/report"
)

// A model that records what does not agree with an earlier finding is told so in the result, and what to do (FIND-6).
func TestConflictIsToldAtOnce(t *testing.T) {
	r, _, j, id := research(t, honest, nil)
	var of []string
	for _, said := range toolResults(t, j, id) {
		if strings.Contains(said, `"conflicts":`) {
			of = append(of, said)
		}
	}
	if len(of) != 1 {
		t.Fatalf("%d results tell of a conflict", len(of))
	}
	for _, want := range []string{`"finding":"F2"`, `"conflicts":[{"finding":"F1","severity":"certain","differ_in":"figures","this_says":{"untrusted_text":"4.6 percent"},"that_says":{"untrusted_text":"4.1 percent"}}]`, "revise the plan"} {
		if !strings.Contains(of[0], want) {
			t.Errorf("no %s in %s", want, of[0])
		}
	}
	bundle, err := report.ParseJSON(r.JSON)
	if err != nil {
		t.Fatal(err)
	}
	if d := bundle.Disagreements; len(d) != 1 || d[0].Severity != conflict.Certain || d[0].SaysA != "4.1 percent" {
		t.Errorf("%+v", d)
	}
}

// A run that began before replays as it was: nothing is told, and the pairs of its report are those of the old rule.
func TestConflictsOfBefore(t *testing.T) {
	r, _, j, id := research(t, honest, func(c *Config, _ *Parts) { c.Conflicts = false })
	for _, said := range toolResults(t, j, id) {
		if strings.Contains(said, `"conflicts":`) {
			t.Errorf("%s", said)
		}
	}
	if text := string(r.Markdown); !strings.Contains(text, "## Possible disagreements\n\nDo these findings agree about their figures?\n\n- ") || strings.Contains(text, "may not agree") {
		t.Errorf("%s", text)
	}
	if c, err := ParseConfig([]byte(`{"question":"What?","tier":"quick"}`)); err != nil || c.Conflicts {
		t.Errorf("%+v, %v", c, err)
	}
	again, err := j.OpenReplay(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	config, err := ParseConfig(again.Info().Config)
	if err != nil {
		t.Fatal(err)
	}
	_, p := world(t)
	replayed, err := Run(context.Background(), again, config, Parts{Model: scripted(honest...), Free: true, Search: p.Search})
	if err != nil || string(replayed.Markdown) != string(r.Markdown) {
		t.Errorf("%v", err)
	}
}

// Agents of a team look for conflicts at the same time, each among what it knows itself. The race detector is what fails here
// where they share what was read.
func TestBranchesLookByThemselves(t *testing.T) {
	said := func(id, claim string) evidence.Finding {
		return evidence.Finding{ID: id, Claim: claim, Quote: claim, Source: "S" + id[1:]}
	}
	lead := newState("How much did prices rise?", corpus.New())
	lead.conflicts = true
	lead.findings = append(lead.findings, said("F1", "Prices in Halden rose by 4.1 percent in 2024."))
	if d := lead.disagreements(); len(d) > 0 {
		t.Fatalf("one finding does not agree with itself: %+v", d)
	}
	var wg sync.WaitGroup
	for i, claim := range []string{"Prices in Halden rose by 4.6 percent in 2024.", "Prices in Halden rose by 4.9 percent in 2024.", "Prices in Halden rose by 4.1 percent in 2024."} {
		b := lead.branch(fmt.Sprint("a", i))
		b.findings = append(b.findings, said("F2", claim))
		wg.Go(func() {
			if d := b.disagreements(); len(d) != min(1, 2-i) {
				t.Errorf("%s: %d conflicts", claim, len(d))
			}
		})
	}
	wg.Wait()
}
