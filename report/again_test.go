package report

import (
	"slices"
	"strings"
	"testing"

	"ibid/evidence"
)

// Whatever finding a person rejects, and be it all of them, what is left is a report that passes and does not say it.
func TestWithoutAnyFinding(t *testing.T) {
	in := ferry(t)
	data, err := JSON(Assemble(in), in)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ParseJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range b.Findings {
		all[f.ID] = "no"
		got, err := b.Again(Changes{Rejected: map[string]string{f.ID: "it is out of date"}, Imprints: in.Imprints})
		if err != nil {
			t.Fatal(err)
		}
		if r := got.Verify(); !r.OK {
			t.Errorf("without %s: %s", f.ID, blocks(r))
		}
		if strings.Contains(got.Report, citation(toCitation(f))) && !slices.ContainsFunc(got.Findings, func(g evidence.Finding) bool { return g.ID != f.ID && g.Key() == f.Key() }) {
			t.Errorf("%s is still cited:\n%s", f.ID, got.Report)
		}
		i := slices.IndexFunc(got.Findings, func(g evidence.Finding) bool { return g.ID == f.ID })
		if got.Findings[i].Rejected != "it is out of date" || b.Findings[i].Rejected != "" {
			t.Errorf("%+v", got.Findings[i])
		}
	}
	got, err := b.Again(Changes{Rejected: all, Imprints: in.Imprints})
	if err != nil {
		t.Fatal(err)
	}
	if r := got.Verify(); !r.OK || len(got.Gaps) != len(got.Sections) {
		t.Errorf("without all: %s\n%s", blocks(r), got.Report)
	}
	if same, err := b.Again(Changes{Imprints: in.Imprints}); err != nil || same.Report != b.Report {
		t.Errorf("without none it differs: %v", err)
	}
}
