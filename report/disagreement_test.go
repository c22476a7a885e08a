package report

import (
	"strings"
	"testing"

	"ibid/audit"
	"ibid/audit/conflict"
)

// differing is the ferry run with what the rules find in it.
func differing(t *testing.T) Input {
	in := ferry(t)
	in.Disagreements = conflict.Find(in.Record.Findings, in.Record.Sources)
	if len(in.Disagreements) != 1 || in.Disagreements[0].A != "F1" || in.Disagreements[0].B != "F2" {
		t.Fatalf("%+v", in.Disagreements)
	}
	return in
}

// section is a section of a report, without its heading.
func section(report []byte, heading string) string {
	_, rest, _ := strings.Cut(string(report), "\n## "+heading+"\n")
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// Findings that do not agree stand side by side in their sources' own words, with what each says and how sure it is, in
// reports that are assembled and in those that are composed (FIND-4).
func TestDisagreementsAreShown(t *testing.T) {
	for _, c := range []struct {
		severity           conflict.Severity
		heading, says, not string
	}{
		{conflict.Possible, "Possible disagreements", "These findings may not agree in their figures:", "do not agree"},
		{conflict.Certain, "Disagreements", "These findings do not agree in their figures:", "may not"},
	} {
		in := differing(t)
		in.Disagreements[0].Severity = c.severity
		composed, err := Compose("## Summary\n\nThe line cost 14.2 million crowns in its first two years [F1].\n", in)
		if err != nil {
			t.Fatal(err)
		}
		own, err := Compose("## Disagreements\n\nThe operator says 14.2 million crowns [F1], the county 13.1 million crowns [F2]; the two figures disagree.\n", in)
		if err != nil {
			t.Fatal(err)
		}
		for name, md := range map[string][]byte{c.heading: Assemble(in), c.heading + " ": composed, c.heading + " side by side": own} {
			got := section(md, strings.TrimSpace(name))
			for _, want := range []string{c.says, "> Running the line cost 14.2 million crowns in the first two years, about 11 percent above the budget of 12.8 million. [S1 para.2]",
				"> According to the county the line cost 13.1 million crowns in 2023 and 2024 together. [S5 para.1]",
				"One says “14.2 million crowns” [S1 para.2], the other “13.1 million crowns” [S5 para.1]."} {
				if !strings.Contains(got, want) {
					t.Errorf("%s lacks %q:\n%s", name, want, md)
				}
			}
			if strings.Contains(got, c.not) {
				t.Errorf("%s says %q:\n%s", name, c.not, got)
			}
			r := audit.Report(md, in.Record)
			for _, f := range r.Failures {
				if f.Severity == audit.Block || f.Code == audit.ConflictHidden {
					t.Errorf("%s: %+v\n%s", name, f, md)
				}
			}
		}
	}
}

// Words that a quote has not are not put into its mouth, and a rejected finding disagrees with nothing.
func TestDisagreementsInOwnWords(t *testing.T) {
	in := differing(t)
	in.Disagreements[0].SaysA = "14 million crowns"
	if md := Assemble(in); strings.Contains(string(md), "One says") || !strings.Contains(string(md), "may not agree") {
		t.Errorf("%s", md)
	}
	in.Record.Findings[1].Rejected = "another line"
	if md := Assemble(in); strings.Contains(string(md), "isagreements") {
		t.Errorf("%s", md)
	}
}

// Reports of before are made again as they were.
func TestDisagreementsOfBefore(t *testing.T) {
	in := ferry(t)
	want := "Do these findings agree about the cost?\n\n- The line cost 14.2 million crowns in its first two years, about 11 percent over budget [S1 para.2].\n- The county puts the cost at 13.1 million crowns [S5 para.1].\n"
	if got := section(Assemble(in), "Possible disagreements"); !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
	md, err := Compose("## Where they disagree\n\nThe operator says 14.2 million crowns [F1], the county 13.1 million crowns [F2]; the two figures disagree.\n", in)
	if err != nil || strings.Contains(string(md), "Possible disagreements") {
		t.Errorf("%v\n%s", err, md)
	}
}

// The machine form carries the pairs.
func TestDisagreementsInJSON(t *testing.T) {
	in := differing(t)
	data, err := JSON(Assemble(in), in)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, data)
	b, err := ParseJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Disagreements[0]; got != in.Disagreements[0] || got.Kind != conflict.Figures || got.SaysB != "13.1 million crowns" {
		t.Errorf("%+v", got)
	}
}
