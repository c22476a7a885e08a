package research

import (
	"context"
	"strings"
	"testing"

	"ibid/audit/conflict"
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
