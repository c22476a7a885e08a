package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ibid/evidence"
)

// hundred is a report of 100 claims over 50 sources of 40 paragraphs each.
func hundred() ([]byte, Record) {
	rec := Record{Question: "How did the depots do?", Spans: map[string][]evidence.Span{}, Facts: &Facts{Searches: 5, Reads: 50, Steps: 60, Stop: "done"}}
	var md, list strings.Builder
	md.WriteString("# How did the depots do?\n\n## Findings\n\n")
	for i := range 50 {
		id := evidence.SourceID(i + 1)
		for p := range 40 {
			text := fmt.Sprintf("Depot %d of region %d moved %d.%d thousand pallets in week %d, which its foreman called “fair” after a slow spring, and %d of its vans stood idle.", i+1, p+1, 100+7*i+p, p%10, p+3, p+2)
			rec.Spans[id] = append(rec.Spans[id], evidence.Span{Source: id, Locator: evidence.Locator{Unit: evidence.Para, A: p + 1}, Text: text})
		}
		s := evidence.Source{ID: id, URL: "https://depots.example/" + id, Title: "Depot bulletin " + id, Kind: evidence.HTML, SHA256: strings.Repeat("ab", 32),
			TextSHA256: evidence.TextHash(rec.Spans[id]), Fetched: time.Date(2026, 1, 2, 3, 4, i, 0, time.UTC)}
		rec.Sources = append(rec.Sources, s)
		fmt.Fprintf(&list, "- **%s** %s — <%s> (html, sha256 `abababababab`, fetched %s)\n", id, s.Title, s.URL, s.Fetched.Format(time.RFC3339))
		for k := range 2 {
			p := (i*3 + k*11) % 40
			quote := rec.Spans[id][p].Text
			loc := rec.Spans[id][p].Locator
			claim := fmt.Sprintf("Depot %d moved %d.%d thousand pallets in week %d", i+1, 100+7*i+p, p%10, p+3)
			rec.Findings = append(rec.Findings, evidence.Finding{ID: evidence.FindingID(2*i + k + 1), Claim: claim + ".", Quote: quote, Source: id, Locator: loc})
			fmt.Fprintf(&md, "%s [%s %s].\n\n> %s [%s %s]\n\n", claim, id, loc, quote, id, loc)
		}
	}
	md.WriteString("## Sources\n\n" + list.String())
	return []byte(md.String()), rec
}

// The goal is 50 ms on an idle core.
func BenchmarkReport100Claims(b *testing.B) {
	md, rec := hundred()
	if r := Report(md, rec); !r.OK || r.Claims != 200 {
		b.Fatalf("%d claims, %+v", r.Claims, r.Failures[:min(3, len(r.Failures))])
	}
	b.ReportAllocs()
	for b.Loop() {
		if !Report(md, rec).OK {
			b.Fatal("blocked")
		}
	}
}

// What is done once a report: cards, origins, and which findings state the same.
func BenchmarkStanding(b *testing.B) {
	_, rec := hundred()
	b.ReportAllocs()
	for b.Loop() {
		if len(Standing(rec).Clusters()) == 0 || len(Joined(rec.Findings)) > 0 {
			b.Fatal("the depots are one house, and say different things")
		}
	}
}
