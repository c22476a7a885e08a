package report

import (
	"slices"
	"strings"
	"testing"

	"ibid/audit"
	"ibid/evidence"
)

// stated is the ferry's run, with what the audit report says about itself and the numbers printed on its pages.
func stated(t testing.TB) Input {
	in := ferry(t)
	in.Imprints = true
	s := &in.Record.Sources[1]
	s.Author, s.Publisher, s.Published, s.Modified = "A. Able; B. Bosun", "Audit Board", "2025-03-04", "2025-03"
	s.DOI, s.Licence = "10.5555/ferry.2025_7", "https://licences.example/by/4.0/"
	for i := range in.Record.Spans[s.ID] {
		in.Record.Spans[s.ID][i].Label = []string{"ii", "iv", "v"}[i]
	}
	return in
}

// A reader sees who made a source and when, where it says so, and finds a page by the number that is printed on it.
func TestImprint(t *testing.T) {
	in := stated(t)
	md := string(Assemble(in))
	if r := audit.Report([]byte(md), in.Record); !r.OK {
		t.Errorf("the report does not pass:\n%s", blocks(r))
	}
	for _, want := range []string{
		"electric ferries — by A. Able; B. Bosun, published by Audit Board on 2025-03-04, modified in 2025-03, doi 10.5555/ferry.2025_7, licence https\\://licences.example/by/4.0/ — <https://board.example/",
		"(n = 18). [S2 p.4] (printed page iv)\n", "further trial [S2 p.5] (printed page v)\n",
		"- **S1** Halden ferry: the first two years — <https://halden.example/",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("the report lacks %q:\n%s", want, md)
		}
	}
	for name, change := range map[string]func(string) string{
		"another author":       swap("by A. Able; B. Bosun", "by A. Able; C. Crane"),
		"one author more":      swap("by A. Able; B. Bosun", "by A. Able; B. Bosun; C. Crane"),
		"another publisher":    swap("published by Audit Board", "published by Audit Bureau"),
		"another day":          swap("on 2025-03-04", "on 2025-03-05"),
		"another month":        swap("modified in 2025-03", "modified in 2025-04"),
		"dates the other way":  func(md string) string { return swap("modified in 2025-03,", "modified on 2025-03-04,")(md) },
		"another DOI":          swap("doi 10.5555/ferry", "doi 10.5555/fairy"),
		"another licence":      swap("licence https\\://licences.example/by/4.0/", "licence https\\://licences.example/zero/"),
		"a claim beside":       swap("doi 10.5555", "peer reviewed, doi 10.5555"),
		"of a source without":  swap("the first two years —", "the first two years — by A. Able —"),
		"another printed page": swap("(printed page iv)", "(printed page vi)"),
		"a page without number": func(md string) string {
			return strings.Replace(md, "[S1 para.3]\n", "[S1 para.3] (printed page 3)\n", 1)
		},
	} {
		forged := change(md)
		r := audit.Report([]byte(forged), in.Record)
		if forged == md || !slices.ContainsFunc(r.Failures, func(f audit.Failure) bool {
			return f.Severity == audit.Block && (f.Code == audit.SourceList || f.Code == audit.QuotedText)
		}) {
			t.Errorf("%s passes", name)
		}
	}
}

func TestImprintIsShort(t *testing.T) {
	names := strings.Repeat("A. Able; ", 40) + "B. Bosun"
	got := audit.Imprint(evidence.Source{Author: names, Publisher: strings.Repeat("ø", 300), Title: "t"})
	if len(got) != 2 || len(got[0]) > 180 || !strings.HasSuffix(got[0], "A. Able et al.") || len(got[1]) > 190 {
		t.Errorf("%q", got)
	}
	if got := audit.Imprint(evidence.Source{Title: "Harbour News", Author: "Harbour Press", Publisher: "harbour press", Published: "2024", Modified: "2024"}); strings.Join(got, ", ") != "published by harbour press in 2024" {
		t.Errorf("%q", got)
	}
	if got := audit.Imprint(evidence.Source{Title: "t"}); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
