package audit

import (
	"slices"
	"testing"
	"time"

	"ibid/evidence"
)

// TestEmptyReport: a file in which there is nothing to check does not pass, whoever's it is; a report that found nothing does.
func TestEmptyReport(t *testing.T) {
	read := Record{Question: "How did the depot do?", Sources: []evidence.Source{{ID: "S1", Kind: evidence.HTML, Title: "Depot", URL: "https://depot.example/",
		SHA256: "0123456789abcdef0123456789abcdef", Fetched: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}}}
	unread := Record{Question: read.Question}
	const list = "## Sources\n\n- **S1** Depot — <https://depot.example/> (html, read, not cited, sha256 `0123456789ab`, fetched 2026-03-04T05:06:07Z)\n"
	for _, test := range []struct {
		name, report string
		rec          Record
		empty        bool
	}{
		{"no bytes", "", read, true},
		{"spaces", " \n\t\n", read, true},
		{"the question alone", "# How did the depot do?\n", read, true},
		{"questions", "Why? And how?\n", read, true},
		{"a list of another report", "## Sources\n\n- **S9** Other\n", read, true},
		{"a heading without its list", "## Sources\n", read, true},
		{"no bytes, and nothing was read", "", unread, true},
		{"nothing established", "No source that was read answers this question.\n\n" + list, read, false},
		{"nothing read", "No source was read.\n\n## Sources\n\nNo source was read.\n", unread, false},
		{"an uncited claim", "The depot moved 412 pallets.\n", read, false},
	} {
		r := Report([]byte(test.report), test.rec)
		got := slices.ContainsFunc(r.Failures, func(f Failure) bool { return f.Code == Empty && f.Severity == Block })
		if got != test.empty || got && r.OK {
			t.Errorf("%s: empty %v, ok %v, want %v: %v", test.name, got, r.OK, test.empty, r.Failures)
		}
	}
}
