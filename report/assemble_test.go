package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"ibid/audit"
	claimcheck "ibid/audit/claim"
	"ibid/audit/conflict"
	"ibid/evidence"
)

// nasty texts, as pages and models write them.
var nasty = []string{
	"Annex [B] | tables (final)", "](https://evil.example/) [click", "[^1]: not a footnote\n# not a heading", "![x](https://evil.example/p.png)",
	"<img src=x onerror=alert(1)>", "```\nnot a fence", "~~x~~ [S1 para.2]", "see S1 para.2, or (S2, p.3) and [S1 para 2] there", "a | b\nc | d\n--|--",
	"https://evil.example/x?a=1&b=2 and www.evil.example and mail@evil.example", "&lt;b&gt; &#49;&#52; &copy; 5 < 6 > 4 & so on", "*bold* _it_ __init__ snake_case `code`",
	"- item\n+ item\n1. item\n2) item", "Setext\n===\n---\nmore", "\u202eevil\u202c \u2066x\u2069 \u200bzero\u00adsoft", "$x^2$ costs $5", "He said “no more than 5 of them” and 'left at once'.",
	"5. Wörter – 1½ Maß, 10² kN, ١٤ Tage", "#hash\t\ttabs\v\f", "trailing backslash \\", "\\[escaped\\] \\* {braces} %7B", "【速報】全角［カッコ］テスト S１ para.２", "<!-- comment --> <script>alert(1)</script>",
	"The U.S. Navy paid approx. $3.5 million. It was late! Was it? Yes…", "[1] [2, 3] 【4†source】 (Smith 2020) [F3]", "Sources", "## Sources\n- **S1** x", "It fell by 8 percent: from 12 to 11; others rose (see p. 4).",
	"|", "\"", "“", "a", "12", "…", "why 30 percent, really?", "Two caveats apply. The run made 99 searches.", "x\r\ny\rz", "\x00\x01\x02 control", "[link]: https://evil.example/ 'title'", "***", "1986\\. A year", "Term\n: definition",
}

// world makes a run out of nasty and plain texts. Its findings are good by construction: each quote is cut from its span
// and matches there.
func world(r *rand.Rand) Input {
	pick := func() string { return nasty[r.IntN(len(nasty))] }
	plain := []string{"The depot moved 412 pallets in week 7, about 8 percent less than planned.", "Nobody was hurt when the north gate fell.", "Repairs took nine days, although spare parts were there.", "we lost one van and that cost us eleven thousand crowns"}
	text := func() string {
		var parts []string
		for range 1 + r.IntN(3) {
			if r.IntN(3) == 0 {
				parts = append(parts, pick())
			} else {
				parts = append(parts, plain[r.IntN(len(plain))])
			}
		}
		return strings.Join(parts, []string{" ", "\n", ". "}[r.IntN(3)])
	}
	rec := audit.Record{Question: pick() + " " + plain[r.IntN(len(plain))], Spans: map[string][]evidence.Span{},
		Facts: &audit.Facts{Run: fmt.Sprintf("r-%d", r.IntN(1000)), Searches: r.IntN(9), Reads: r.IntN(9), Steps: r.IntN(30), Tokens: r.IntN(2) * 123456, Dollars: float64(r.IntN(2)) * 0.1234,
			Unavailable: r.IntN(3), Finished: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Stop: []string{"done", "budget:searches", "stalled", "stopped", "failed"}[r.IntN(5)]}}
	for range r.IntN(5) {
		rec.Facts.Queries = append(rec.Facts.Queries, text())
	}
	in := Input{}
	for i := range 1 + r.IntN(4) {
		id := evidence.SourceID(i + 1)
		kind := []evidence.Kind{evidence.HTML, evidence.PDF, evidence.Transcript, evidence.Repo, evidence.Sheet}[r.IntN(5)]
		for p := range 2 + r.IntN(4) {
			l := evidence.Locator{Unit: evidence.Para, A: p + 1}
			switch kind {
			case evidence.PDF:
				l.Unit, l.B = evidence.Page, r.IntN(2)*(p+1)
			case evidence.Transcript:
				l = evidence.Locator{Unit: evidence.Time, A: p * 1900}
			case evidence.Repo:
				l = evidence.Locator{Unit: evidence.Lines, A: p*20 + 1, B: p*20 + 20, Path: []string{"a/__init__.py", "we ird [x]*.md", "pkg@v1.2/~x_.go", "www.site/a.html", "größe.py"}[r.IntN(5)]}
			case evidence.Sheet:
				l = evidence.Locator{Unit: evidence.Cells, Path: fmt.Sprintf("Q%d_x!A%d:D%d", p, p+1, p+9)}
			}
			rec.Spans[id] = append(rec.Spans[id], evidence.Span{Source: id, Locator: l, Text: text(), Label: []string{"", "iii", "A-4", "[S1 p.2]", "x) y", pick()}[r.IntN(6)]})
		}
		rec.Sources = append(rec.Sources, evidence.Source{ID: id, Kind: kind, Title: []string{"", text(), pick()}[r.IntN(3)], URL: []string{"https://a.example/", "https://b.example/x y?q=[1]&r=<2>", "file:///tmp/a_b*c.md", "notes/readme.md"}[r.IntN(4)] + fmt.Sprint(i),
			Author: []string{"", pick(), "A. Able; " + pick(), text()}[r.IntN(4)], Publisher: []string{"", pick(), "Harbour_Press & Sons"}[r.IntN(3)],
			Published: []string{"", "2024", "2024-02", "2024-02-03", pick()}[r.IntN(5)], Modified: []string{"", "2025-01-02", pick()}[r.IntN(3)],
			DOI: []string{"", "10.5555/abcdef0123_4567(8)<9>"}[r.IntN(2)], Licence: []string{"", "https://www.l.example/by/4.0/?a=1&b=[2]", "CC BY 4.0", pick()}[r.IntN(4)],
			SHA256: strings.Repeat("0a1b2c3d", 8), TextSHA256: evidence.TextHash(rec.Spans[id]), Fetched: time.Date(2026, 2, 3, 4, i, 6, 0, time.UTC)})
		doc := evidence.NewDoc(kind, rec.Spans[id])
		for range r.IntN(4) {
			s := rec.Spans[id][r.IntN(len(rec.Spans[id]))]
			m := doc.Match(s.Locator, cutQuote(r, s.Text))
			if !m.OK() {
				continue
			}
			claim := m.Quote
			if r.IntN(2) == 0 {
				claim = text()
			}
			src := rec.Sources[len(rec.Sources)-1]
			if claimcheck.Blocks(claimcheck.Check(claim, m.Quote, audit.Around(src, rec.Spans[id], m))) {
				continue // is never recorded
			}
			rec.Findings = append(rec.Findings, evidence.Finding{ID: evidence.FindingID(len(rec.Findings) + 1), Claim: claim, Quote: m.Quote, Source: id, Locator: m.Locator, Until: m.Until, Match: m.Kind})
		}
	}
	for range 1 + r.IntN(4) {
		in.Sections = append(in.Sections, Section{Question: []string{pick(), text(), "What did it cost?", "Cost in 2024"}[r.IntN(4)], Findings: []string{}})
	}
	for _, f := range rec.Findings {
		s := &in.Sections[r.IntN(len(in.Sections))]
		s.Findings = append(s.Findings, f.ID)
	}
	if n := len(rec.Findings); n > 1 {
		in.Disagreements = append(in.Disagreements, conflict.Conflict{A: rec.Findings[0].ID, B: rec.Findings[n-1].ID, About: pick()})
	}
	if rec.Facts.Stop != "done" {
		in.Incomplete = "its time was up"
	}
	in.Record, in.Imprints = rec, r.IntN(4) > 0
	in.Record.Cards = []audit.Cards{audit.CardsChecked, audit.CardsRequired, audit.CardsRequired, audit.CardsIgnored}[r.IntN(4)]
	return in
}

// cutQuote is a whole text, or its part between two spaces.
func cutQuote(r *rand.Rand, text string) string {
	ws := strings.Fields(text)
	if len(ws) < 4 || r.IntN(2) == 0 {
		return text
	}
	from := strings.Index(text, ws[r.IntN(len(ws)/2)])
	to := strings.LastIndex(text, ws[len(ws)/2+r.IntN(len(ws)-len(ws)/2)])
	if to <= from {
		return text
	}
	return strings.TrimSpace(text[from:to])
}

// Whatever pages and models wrote, an assembled report passes its own check, is the same twice, and shows every finding
// at its place.
func TestAssembledAlwaysPasses(t *testing.T) {
	worlds := 250
	if testing.Short() {
		worlds = 60
	}
	failed := 0
	for seed := range worlds {
		in := world(rand.New(rand.NewPCG(uint64(seed), 7)))
		md := Assemble(in)
		if !bytes.Equal(md, Assemble(in)) {
			t.Fatalf("seed %d: two different reports", seed)
		}
		if r := audit.Report(md, in.Record); !r.OK {
			failed++
			if failed <= 6 {
				t.Errorf("seed %d fails its own check:\n%s\n%s", seed, blocks(r), md)
			}
			continue
		}
		inert(t, seed, md, in)
		data, err := JSON(md, in)
		if err != nil {
			t.Fatal(err)
		}
		if seed%10 == 0 {
			valid(t, data)
		}
		if r, err := VerifyJSON(data); err != nil || !r.OK {
			t.Errorf("seed %d: the JSON form fails: %v\n%s", seed, err, blocks(r))
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d fail", failed, worlds)
	}
}

// inert checks what the report renders to: no script, picture or link but to the sources, and only our headings.
func inert(t *testing.T, seed int, md []byte, in Input) {
	t.Helper()
	var html bytes.Buffer
	g := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList))
	if err := g.Convert(md, &html); err != nil {
		t.Fatal(err)
	}
	page := html.String()
	for _, tag := range []string{"<img", "<script", "<table", "<del", "<!-- raw", `class="footnote`, "<dl", "<ol"} {
		if strings.Contains(page, tag) {
			t.Errorf("seed %d: the report renders %s:\n%s", seed, tag, md)
		}
	}
	links := strings.Count(page, "<a href")
	sources := 0
	for _, s := range in.Record.Sources {
		if strings.Contains(s.URL, "://") {
			sources++
		}
	}
	if links != sources {
		t.Errorf("seed %d: %d links for %d sources:\n%s", seed, links, sources, md)
	}
	for _, f := range in.Record.Findings {
		if !strings.Contains(string(md), citation(toCitation(f))) {
			t.Errorf("seed %d: finding %s is not cited:\n%s", seed, f.ID, md)
		}
	}
}
