package sources

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ibid/evidence"
)

// many are n pages of 200 kB each, of which every fifth repeats the one before.
func many(n int) (list []evidence.Source, spans map[string][]evidence.Span, findings []evidence.Finding) {
	spans = map[string][]evidence.Span{}
	for i := range n {
		id := evidence.SourceID(i + 1)
		of := i
		if i%5 == 4 {
			of = i - 1
		}
		r := rand.New(rand.NewPCG(uint64(of), 1))
		for p := range 400 {
			var b strings.Builder
			for range 70 {
				fmt.Fprintf(&b, "word%d ", r.IntN(5000))
			}
			spans[id] = append(spans[id], evidence.Span{Source: id, Locator: para(p + 1), Text: b.String()})
		}
		list = append(list, evidence.Source{ID: id, URL: fmt.Sprintf("https://site%d.example/", i), Kind: evidence.HTML, Fetched: evidenceDay})
		findings = append(findings, evidence.Finding{ID: evidence.FindingID(i + 1), Source: id, Locator: para(3), Quote: spans[id][2].Text})
	}
	return list, spans, findings
}

// Texts that are thinned out are still told apart from copies.
func TestCopiesAmongLongTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("5 MB of text")
	}
	list, spans, findings := many(20)
	got := Weigh(list, spans, findings, "").Clusters()
	for _, c := range got {
		if len(c.Sources) > 2 {
			t.Errorf("%v are one", c.Sources)
		}
	}
	if len(got) != 16 {
		t.Errorf("%d clusters, want 16", len(got))
	}
}

func BenchmarkClusters(b *testing.B) {
	list, spans, findings := many(50)
	size := 0
	for _, ss := range spans {
		for _, s := range ss {
			size += len(s.Text)
		}
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		Weigh(list, spans, findings, "").Clusters()
	}
}

// Cards alone, of 50 pages of 40 paragraphs.
func BenchmarkCards(b *testing.B) {
	list, spans, findings := many(50)
	for id := range spans {
		spans[id] = spans[id][:40]
		for p := range spans[id] {
			spans[id][p].Text = fmt.Sprintf("Depot %d moved 412 thousand pallets in week %d, which its foreman called “fair” after a slow spring, and 7 of its vans stood idle.", p, p)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		Weigh(list, spans, findings, "")
	}
}
