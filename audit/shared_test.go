package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid/evidence"
	"ibid/internal/testset"
)

// A sharedReport is one line of data/reports.
type sharedReport struct {
	ID, Layer, Category, Why string
	Expect                   struct {
		Verdict       string
		Codes, Accept []string
	}
	Question string
	Report   string
	Sources  []struct {
		ID, Kind, Title, URL, SHA256 string
		Fetched, Published           *string
		Publisher                    string
		Spans                        []struct{ Locator, Text string }
	}
	Findings []struct {
		ID, Source, Locator, Claim string
		Quote                      any // a string, or a list of fragments
	}
}

// record makes the record of a shared report. The data hash the spans in another form, so a source gets our own hash
// exactly if theirs is right.
func (r sharedReport) record(t testing.TB) Record {
	rec := Record{Question: r.Question, Spans: map[string][]evidence.Span{}}
	for _, s := range r.Sources {
		src := evidence.Source{ID: s.ID, URL: s.URL, Title: s.Title, Kind: evidence.Kind(s.Kind), SHA256: s.SHA256, Publisher: s.Publisher}
		if s.Published != nil {
			src.Published = *s.Published
		}
		if s.Fetched != nil {
			at, err := time.Parse(time.RFC3339, *s.Fetched)
			if err != nil {
				t.Fatal(err)
			}
			src.Fetched = at
		}
		pairs := [][2]string{}
		for _, sp := range s.Spans {
			loc, err := evidence.ParseLocator(sp.Locator)
			if err != nil {
				t.Fatal(err)
			}
			rec.Spans[s.ID] = append(rec.Spans[s.ID], evidence.Span{Source: s.ID, Locator: loc, Text: sp.Text})
			pairs = append(pairs, [2]string{sp.Locator, sp.Text})
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(pairs)
		sum := sha256.Sum256(bytes.TrimSpace(b.Bytes()))
		if hex.EncodeToString(sum[:]) == s.SHA256 {
			src.TextSHA256 = evidence.TextHash(rec.Spans[s.ID])
		}
		rec.Sources = append(rec.Sources, src)
	}
	for _, f := range r.Findings {
		loc, err := evidence.ParseLocator(f.Locator)
		if err != nil {
			t.Fatal(err)
		}
		quotes := []string{}
		switch q := f.Quote.(type) {
		case string:
			quotes = append(quotes, q)
		case []any:
			for _, part := range q {
				quotes = append(quotes, part.(string))
			}
		}
		for _, q := range quotes {
			rec.Findings = append(rec.Findings, evidence.Finding{ID: f.ID, Claim: f.Claim, Quote: q, Source: f.Source, Locator: loc})
		}
	}
	return rec
}

func sharedReports(t testing.TB, name string) []sharedReport {
	var out []sharedReport
	body, err := os.ReadFile(testset.Path(t, "data", "reports", name))
	if err != nil {
		t.Fatal(err)
	}
	sc := bufio.NewScanner(bytes.NewReader(body))
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var r sharedReport
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
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
		got := Report([]byte(r.Report), r.record(t))
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
		got := Report([]byte(r.Report), r.record(t))
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
