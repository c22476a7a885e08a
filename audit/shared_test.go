package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ibid/internal/testset"
)

// A sharedReport is one line of data/reports.
type sharedReport struct {
	Case
	Layer, Category, Why string
	Expect               struct {
		Verdict       string
		Codes, Accept []string
	}
}

func sharedReports(t testing.TB, name string) []sharedReport {
	var out []sharedReport
	body, err := os.ReadFile(testset.Path(t, "data", "reports", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(body) {
		var r struct {
			Layer, Category, Why string
			Expect               struct {
				Verdict       string
				Codes, Accept []string
			}
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		c, err := ParseCase(line)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, sharedReport{c, r.Layer, r.Category, r.Why, r.Expect})
	}
	return out
}

func codes(r Result, s Severity) []string {
	var out []string
	for _, f := range r.Failures {
		if f.Severity == s && !slices.Contains(out, string(f.Code)) {
			out = append(out, string(f.Code))
		}
	}
	return out
}

// Forged reports of the layers that are code's business alone are all refused for the right reason, and no honest report
// of any layer is. Forged claims and quotes that are cut from their context (FIND-2) are blocked or flagged.
func TestSharedReports(t *testing.T) {
	type line struct{ n, blocked, right int }
	table := map[string]*line{}
	ours := map[string]bool{"structure": true, "bundle": true, "quote": true}
	for _, r := range sharedReports(t, "forgeries.jsonl") {
		got := Report([]byte(r.Report), r.Record)
		l := table["forged "+r.Layer]
		if l == nil {
			l = &line{}
			table["forged "+r.Layer] = l
		}
		l.n++
		right := false
		said := codes(got, Block)
		if !ours[r.Layer] {
			said = append(said, codes(got, Flag)...)
		}
		for _, c := range said {
			right = right || slices.Contains(r.Expect.Accept, c)
		}
		if !got.OK {
			l.blocked++
		}
		if right {
			l.right++
		}
		if ours[r.Layer] && !right {
			t.Errorf("%s %s (%s): ok %v, %v, want one of %v", r.ID, r.Category, r.Why, got.OK, codes(got, Block), r.Expect.Accept)
		}
	}
	for _, r := range sharedReports(t, "honest.jsonl") {
		got := Report([]byte(r.Report), r.Record)
		l := table["honest "+r.Layer]
		if l == nil {
			l = &line{}
			table["honest "+r.Layer] = l
		}
		l.n++
		if !got.OK {
			l.blocked++
			for _, f := range got.Failures {
				if f.Severity == Block {
					t.Errorf("%s %s: %s: %q (%s)", r.ID, r.Category, f.Code, f.Text, f.Message)
				}
			}
		}
	}
	// What is left needs the dates and the standing of sources, and findings that are not cited.
	if n := table["forged claim"]; n != nil && n.right*100 < n.n*95 {
		t.Errorf("%d of %d forged claims are blocked or flagged for the right reason", n.right, n.n)
	}
	if n := table["forged context"]; n != nil && n.right*100 < n.n*65 {
		t.Errorf("%d of %d forgeries of context are blocked or flagged for the right reason", n.right, n.n)
	}
	names := []string{}
	for n := range table {
		names = append(names, n)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "\n%-18s %3d reports %3d blocked %3d for the right reason", n, table[n].n, table[n].blocked, table[n].right)
	}
	t.Log(b.String())
}
