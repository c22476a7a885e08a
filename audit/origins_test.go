package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ibid/evidence"
)

// harbour is a record of six sources: S1 and S2 of one house, S3 that repeats S4, S5 by itself, S6 retracted and old.
func harbour() Record {
	rec := Record{Question: "What are the crane fees?", Spans: map[string][]evidence.Span{}}
	for i, s := range []struct{ url, title, published, quote, more string }{
		{"https://www.morning.example/a", "Fees", "2026-05-01", "Crane fees rose by four percent in Halden.", "The mayor spoke."},
		{"https://sport.morning.example/b", "Boats", "2026-05-02", "In Halden the crane fees rose by four percent.", "A race was held."},
		{"https://evening.example/c", "More fees", "2026-05-03", "The port of Halden raised its crane fees by four percent and told shippers to write to the tariff desk.", "Advertisement"},
		{"https://docks.example/d", "Notice", "2026-05-04", "The port of Halden raised its crane fees by four percent and told shippers to write to the tariff desk.", "We are open on Sundays."},
		{"https://county.example/e", "Tariffs", "2026-05-05", "Halden crane fees rose by four percent, which is widely accepted.", "The county has nine ports."},
		{"https://old.example/f", "Cranes", "2019-03-01", "The crane fees of Halden cost shippers a fortune.", "This article has been retracted at the request of its authors."},
	} {
		id := evidence.SourceID(i + 1)
		for n, text := range []string{s.quote, s.more} {
			rec.Spans[id] = append(rec.Spans[id], evidence.Span{Source: id, Locator: evidence.Locator{Unit: evidence.Para, A: n + 1}, Text: text})
		}
		rec.Sources = append(rec.Sources, evidence.Source{ID: id, URL: s.url, Title: s.title, Published: s.published, Kind: evidence.HTML, SHA256: fmt.Sprintf("%064x", 0xabcdef01+i),
			Fetched: time.Date(2026, 8, 6, 1, 2, 3, 0, time.UTC), TextSHA256: evidence.TextHash(rec.Spans[id])})
		rec.Findings = append(rec.Findings, evidence.Finding{ID: evidence.FindingID(i + 1), Source: id, Locator: evidence.Locator{Unit: evidence.Para, A: 1}, Claim: s.quote, Quote: s.quote})
	}
	return rec
}

// One house is no consensus: words that speak of many origins need as many.
func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		said string
		bad  bool
	}{
		{"Two independent sources put the rise of the crane fees in Halden at four percent [S1 para.1; S2 para.1].", true},
		{"Two independent sources put the rise of the crane fees in Halden at four percent [S3 para.1; S4 para.1].", true},
		{"Two independent sources put the rise of the crane fees in Halden at four percent [S1 para.1; S5 para.1].", false},
		{"Three independent sources put the rise of the crane fees in Halden at four percent [S1 para.1; S2 para.1; S3 para.1].", true},
		{"Three independent sources put the rise of the crane fees in Halden at four percent [S1 para.1; S3 para.1; S5 para.1].", false},
		{"Several sources agree that crane fees in Halden rose by four percent [S1 para.1; S2 para.1].", true},
		{"The sources agree that crane fees in Halden rose by four percent [S1 para.1; S2 para.1].", true},
		{"Both sources confirm that crane fees in Halden rose by four percent [S3 para.1; S4 para.1].", true},
		{"Both sources confirm that crane fees in Halden rose by four percent [S1 para.1; S4 para.1].", false},
		{"It is widely held that crane fees in Halden rose by four percent [S1 para.1].", true},
		{"It is widely accepted that crane fees in Halden rose by four percent [S5 para.1].", false}, // so the county says
		{"There is a broad consensus that crane fees in Halden rose by four percent [S1 para.1; S2 para.1].", true},
		{"Experts agree that crane fees in Halden rose by four percent [S1 para.1].", true},
		{"That crane fees in Halden rose by four percent was independently confirmed [S3 para.1; S4 para.1].", true},
		{"That crane fees in Halden rose by four percent was reported by several outlets [S3 para.1; S4 para.1].", true},
		{"According to several outlets, crane fees in Halden rose by four percent [S3 para.1; S4 para.1].", true},
		{"Multiple sources report that crane fees in Halden rose by four percent [S1 para.1; S2 para.1].", true},
		{"Mehrere Medien berichten: crane fees Halden, four percent [S3 para.1; S4 para.1].", true},
		{"Many shippers say that crane fees in Halden rose by four percent [S1 para.1].", false},
		{"Mehrere unabhängige Quellen nennen für Halden four percent [S1 para.1; S2 para.1].", true},
		{"Alle Quellen stimmen überein: in Halden four percent [S1 para.1; S2 para.1].", true},
		{"Plusieurs sources indépendantes: crane fees Halden, four percent [S3 para.1; S4 para.1].", true},
		{"Varias fuentes independientes: crane fees Halden, four percent [S3 para.1; S4 para.1].", true},
		{"Crane fees rose by four percent in Halden [S1 para.1; S2 para.1].", false},
		{"The port of Halden, which is independent, raised crane fees by four percent [S1 para.1].", false},
		{"It is not widely held that crane fees in Halden rose by four percent [S1 para.1].", false},
	} {
		rec := harbour()
		is := func() (is bool) {
			for _, f := range Fragment([]byte(c.said+"\n"), rec).Failures {
				if f.Code == NotIndependent {
					is = true
					if f.Severity != Block || !strings.Contains(f.Message, "cite") {
						t.Errorf("%s\n%+v", c.said, f)
					}
				}
			}
			return is
		}
		if got := is(); got != c.bad {
			t.Errorf("%s\nnot independent %v, want %v: %+v", c.said, got, c.bad, Fragment([]byte(c.said+"\n"), rec).Failures)
		}
		if rec.Cards = CardsIgnored; is() {
			t.Errorf("%s: although the run is of before", c.said)
		}
	}
}

// What counts its sources rightly has no remark for it.
func TestRightCountsPass(t *testing.T) {
	for _, said := range []string{
		"Crane fees rose by four percent in Halden, as two independent sources say [S1 para.1; S5 para.1].",
		"Crane fees rose by four percent in Halden, which is reported by three different outlets [S1 para.1; S3 para.1; S5 para.1].",
	} {
		if r := Fragment([]byte(said+"\n"), harbour()); len(r.Failures) > 0 {
			t.Errorf("%s\n%+v", said, r.Failures)
		}
	}
}

// A count of who states a thing is of origins, and only of what is the same.
func TestStatedBy(t *testing.T) {
	for _, c := range []struct {
		said string
		code Code // "" for none
	}{
		{"Stated by 2 sources of one origin [S1 para.1; S2 para.1].", ""},
		{"Stated by 3 sources, 2 of them independent [S1 para.1; S2 para.1; S5 para.1].", ""},
		{"Stated by 2 independent sources [S1 para.1; S5 para.1].", ""},
		{"Stated by 2 independent sources [S1 para.1; S2 para.1].", NotIndependent},
		{"Stated by 3 independent sources [S1 para.1; S2 para.1; S5 para.1].", NotIndependent},
		{"Stated by 4 sources, 2 of them independent [S1 para.1; S2 para.1; S5 para.1].", NotIndependent},
		{"Stated by two independent sources [S1 para.1; S5 para.1].", NotIndependent}, // code writes the line
		{"Stated by 2 independent sources [S1 para.1; S6 para.1].", ClaimMismatch},
	} {
		r := Fragment([]byte(c.said+"\n"), harbour())
		ok := c.code == "" && r.OK
		for _, f := range r.Failures {
			ok = ok || f.Code == c.code && f.Severity == Block
		}
		if !ok {
			t.Errorf("%s\nwant %q: %+v", c.said, c.code, r.Failures)
		}
	}
}

// What was taken back is flagged where it is cited, unless the report says so.
func TestFallenSources(t *testing.T) {
	const cited = "Crane fees of Halden cost shippers a fortune [S6 para.1]."
	for said, want := range map[string]bool{
		cited:                          true,
		cited + "\n\nS6 is retracted.": false,
		"An article that was since retracted says that crane fees of Halden cost shippers a fortune [S6 para.1].": false,
		"Crane fees rose by four percent in Halden [S1 para.1].":                                                  false,
	} {
		r := Fragment([]byte(said+"\n"), harbour())
		is := false
		for _, f := range r.Failures {
			is = is || f.Code == Retracted && f.Severity == Flag
		}
		if is != want {
			t.Errorf("%s\nflagged %v, want %v: %+v", said, is, want, r.Failures)
		}
	}
	r := Fragment([]byte("S1 is retracted.\n"), harbour())
	if r.OK {
		t.Error("a source is called retracted that is not")
	}
}

// The present is not told by what is old; the day is the run's, never the clock's.
func TestStaleStatements(t *testing.T) {
	rec := harbour()
	stale := func(md string) bool {
		for _, f := range Fragment([]byte(md+"\n"), rec).Failures {
			if f.Code == Stale && f.Severity == Flag {
				return true
			}
		}
		return false
	}
	if !stale("Crane fees of Halden now cost shippers a fortune [S6 para.1].") {
		t.Error("2019 is now")
	}
	if stale("Crane fees of Halden now rose by four percent [S1 para.1].") {
		t.Error("three months are too long")
	}
	rec.Facts = &Facts{Finished: time.Date(2019, 4, 1, 0, 0, 0, 0, time.UTC)}
	if stale("Crane fees of Halden now cost shippers a fortune [S6 para.1].") {
		t.Error("a month was too long, as of then")
	}
}

// A list of sources that says what one is worth says it of all, and rightly.
func TestListedStanding(t *testing.T) {
	rec := harbour()
	list := func(cards ...string) string {
		var b strings.Builder
		b.WriteString("Crane fees rose by four percent in Halden [S1 para.1].\n\n## Sources\n\n")
		for i, s := range rec.Sources {
			card, cited := "", ", not cited"
			if i < len(cards) && cards[i] != "" {
				card = ", " + cards[i]
			}
			if i == 0 {
				cited = ""
			}
			fmt.Fprintf(&b, "- **%s** %s — <%s> (html%s%s, sha256 `%.12s`, fetched %s)\n", s.ID, s.Title, s.URL, card, cited, s.SHA256, s.Fetched.Format(time.RFC3339))
		}
		return b.String()
	}
	right := make([]string, len(rec.Sources))
	for i := range rec.Sources {
		right[i] = Standing(rec).Cards[i].String()
	}
	if !strings.Contains(right[5], "retracted") {
		t.Fatalf("%v", right)
	}
	check := func(name string, want bool, cards ...string) {
		t.Helper()
		if r := Report([]byte(list(cards...)), rec); r.OK != want {
			t.Errorf("%s: %v, want %v: %+v", name, r.OK, want, r.Failures)
		}
	}
	check("no standing at all", true)
	check("all of it", true, right...)
	check("another class", false, append([]string{"scholarly"}, right[1:]...)...)
	check("a status that it has not", false, append([]string{right[0] + ", superseded"}, right[1:]...)...)
	dropped := append([]string{}, right...)
	dropped[5] = strings.ReplaceAll(right[5], ", retracted", "")
	check("retracted left out", false, dropped...)
	dropped[5] = ""
	check("one left out", false, dropped...)
	rec.Cards = CardsRequired
	check("required and not there", false)
	check("required", true, right...)
}
