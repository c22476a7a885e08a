package recheck

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ibid/corpus"
	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
	"ibid/report"
)

// pages is a web: what a URL says, or why it cannot be had.
type pages map[string]any

func (p pages) Fetch(_ context.Context, url string) (*fetch.Document, error) {
	switch v := p[url].(type) {
	case string:
		body := "<!doctype html><title>Ferries</title><main><p>" + strings.ReplaceAll(v, "\n", "</p><p>") + "</p></main>"
		return &fetch.Document{Requested: url, URL: url, ContentType: "text/html; charset=utf-8", Body: []byte(body), Fetched: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)}, nil
	case fetch.Outcome:
		return nil, &fetch.Unavailable{URL: url, Outcome: v, Reason: "it is " + string(v)}
	case error:
		return nil, v
	}
	return nil, &fetch.Unavailable{URL: url, Outcome: fetch.NotFound, Reason: "there is no such page"}
}

func reader(p pages) *corpus.Reader { return &corpus.Reader{Fetcher: p, Extract: extract.Extract} }

const url = "https://ferry.example/log"

// bundleOf is a report whose findings have these quotes, from the page that says text.
func bundleOf(t *testing.T, text string, quotes ...string) report.Bundle {
	t.Helper()
	r, err := reader(pages{url: text}).Read(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	c := corpus.New()
	id, _ := c.Ingest(*r)
	b := report.Bundle{Sources: c.Sources(), Spans: map[string][]evidence.Span{id: c.Spans(id)}}
	for i, quote := range quotes {
		key, m := c.Quote(id, quote)
		if !m.OK() {
			t.Fatalf("%q is not there", quote)
		}
		b.Findings = append(b.Findings, evidence.Finding{ID: evidence.FindingID(i + 1), Claim: quote, Quote: m.Quote, Source: id, Locator: key.Locator, Match: m.Kind})
	}
	return b
}

const log = "The ferry carried 412 wagons in 2024.\nIts engine was changed in May.\nThe pilots asked for a third boat."

func TestStates(t *testing.T) {
	for _, c := range []struct {
		name   string
		now    any
		state  State
		quotes string // states of the two quotes
		at     string // where the second stands
	}{
		{"the same", log, Unchanged, "unchanged unchanged", "para.2"},
		{"something else changed", strings.Replace(log, "third boat", "fourth boat", 1), Unchanged, "unchanged unchanged", "para.2"},
		{"a paragraph put in front", "A new notice stands here, and it is long enough.\n" + log, Moved, "moved moved", "para.3"},
		{"a paragraph between", strings.Replace(log, "Its", "A new notice stands here, too.\nIts", 1), Moved, "unchanged moved", "para.3"},
		{"other typography", strings.Replace(log, "in May", "in\u00a0May", 1), Unchanged, "unchanged unchanged", "para.2"},
		{"a figure edited", strings.Replace(log, "412", "413", 1), Edited, "edited unchanged", "para.2"},
		{"a quote taken out", strings.Replace(log, "Its engine was changed in May.\n", "", 1), Edited, "unchanged edited", ""},
		{"not found", fetch.NotFound, Gone, "", ""},
		{"empty", fetch.Empty, Gone, "", ""},
		{"network", fetch.Failed, Unreachable, "", ""},
		{"blocked", fetch.Blocked, Unreachable, "", ""},
		{"rate limited", fetch.RateLimited, Unreachable, "", ""},
		{"moved to another site", fetch.Moved, Unreachable, "", ""},
		{"consent wall", fetch.ConsentWall, Unreachable, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := bundleOf(t, log, "The ferry carried 412 wagons in 2024.", "Its engine was changed in May.")
			list, err := Report(context.Background(), b, func(evidence.Source) Reader { return reader(pages{url: c.now}) })
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			s := list[0]
			var states []string
			for _, q := range s.Quotes {
				states = append(states, string(q.State))
				if q.State != Edited && q.Now == nil || len(q.Selectors) != 2 {
					t.Errorf("%+v", q)
				}
			}
			if s.State != c.state || strings.Join(states, " ") != c.quotes || !s.Cited {
				t.Errorf("%+v", s)
			}
			if c.at != "" && (s.Quotes[1].Now == nil || s.Quotes[1].Now.String() != c.at) {
				t.Errorf("the second quote: %+v", s.Quotes[1])
			}
			if c.name == "a figure edited" && !strings.Contains(s.Quotes[0].Nearest, "413 wagons") {
				t.Errorf("nearest: %q", s.Quotes[0].Nearest)
			}
		})
	}
}

// A quote that stands in several places is the one among its old surroundings, wherever that went.
func TestAnchoredByItsSurroundings(t *testing.T) {
	then := "In the north the depot was closed at once.\nIn the south the depot was closed after a year.\nEnd of the list of depots."
	b := bundleOf(t, then, "the depot was closed")
	b.Findings[0].Locator.A = 2 // the one in the south
	now := "The list of depots follows, from the south up.\nIn the south the depot was closed after a year.\nOn the islands the depot was closed, too.\nIn the north the depot was closed at once."
	list, err := Report(context.Background(), b, func(evidence.Source) Reader { return reader(pages{url: now}) })
	if err != nil || list[0].State != Unchanged || list[0].Quotes[0].Now.String() != "para.2" {
		t.Errorf("%+v %v", list, err)
	}
	now = "A word in front of all that follows here.\nIn the north the depot was closed at once.\nOn the islands the depot was closed, too.\nIn the south the depot was closed after a year."
	list, err = Report(context.Background(), b, func(evidence.Source) Reader { return reader(pages{url: now}) })
	if err != nil || list[0].State != Moved || list[0].Quotes[0].Now.String() != "para.4" {
		t.Errorf("%+v %v", list, err)
	}
	sel := list[0].Quotes[0].Selectors
	if sel[0].Exact != "the depot was closed" || sel[0].Prefix == "" || *sel[1].End-*sel[1].Start != len("the depot was closed") {
		t.Errorf("%+v", sel)
	}
}

func TestUncitedAndRejected(t *testing.T) {
	b := bundleOf(t, log, "The ferry carried 412 wagons in 2024.")
	b.Findings[0].Rejected = "a reader knows better"
	list, err := Report(context.Background(), b, func(evidence.Source) Reader { return reader(pages{url: strings.Replace(log, "412", "7", 1)}) })
	if err != nil || list[0].State != Edited || list[0].Cited || list[0].Same {
		t.Errorf("%+v %v", list, err)
	}
}

// A fault of the program is an error and no state of a source; an end of the context is one, too.
func TestFaults(t *testing.T) {
	b := bundleOf(t, log, "The ferry carried 412 wagons in 2024.")
	fault := errors.New("a fault")
	if _, err := Report(context.Background(), b, func(evidence.Source) Reader { return reader(pages{url: fault}) }); !errors.Is(err, fault) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Report(ctx, b, func(evidence.Source) Reader { return reader(pages{url: log}) }); err == nil {
		t.Error("an ended context is no error")
	}
}

// FuzzAnchor: whatever a page became, a quote that is found stands where it is said to stand.
func FuzzAnchor(f *testing.F) {
	f.Add("The ferry carried 412 wagons.", "in front", 3, 12)
	f.Add("ä\u00adö the same the same", "", 0, 100)
	f.Fuzz(func(t *testing.T, page, front string, from, to int) {
		spans := func(texts ...string) (list []evidence.Span) {
			for i, text := range texts {
				list = append(list, evidence.Span{Source: "S1", Locator: evidence.Locator{Unit: evidence.Para, A: i + 1}, Text: text})
			}
			return list
		}
		from = max(0, min(from, len(page)))
		to = max(from, min(to, len(page)))
		old, now := newText(evidence.HTML, spans(page)), newText(evidence.HTML, spans(front, page))
		q := old.find(evidence.Finding{ID: "F1", Quote: page[from:to], Source: "S1", Locator: evidence.Locator{Unit: evidence.Para, A: 1}}, now)
		if (q.Now == nil) != (q.State == Edited) {
			t.Errorf("%+v", q)
		}
		if q.Now != nil && !now.doc.Match(*q.Now, page[from:to]).OK() {
			t.Errorf("%q does not stand at %s", page[from:to], q.Now)
		}
	})
}
