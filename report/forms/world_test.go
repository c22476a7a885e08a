package forms

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ibid/audit"
	"ibid/evidence"
	"ibid/report"
)

// A world is a run that a test makes.
type world struct {
	t  testing.TB
	in report.Input
}

func newWorld(t testing.TB, question string) *world {
	w := &world{t: t}
	w.in.Record = audit.Record{Question: question, Spans: map[string][]evidence.Span{}, Facts: &audit.Facts{Run: "r-forms", Finished: time.Date(2026, 5, 4, 10, 21, 0, 0, time.UTC),
		Searches: 1, Reads: 1, Steps: 3, Stop: "done", Queries: []string{"halden ferry"}}}
	w.in.Imprints = true
	return w
}

// source adds a source; spans are "locator|text".
func (w *world) source(s evidence.Source, spans ...string) string {
	w.t.Helper()
	s.ID = evidence.SourceID(len(w.in.Record.Sources) + 1)
	for _, line := range spans {
		at, text, _ := strings.Cut(line, "|")
		l, err := evidence.ParseLocator(at)
		if err != nil {
			w.t.Fatal(err)
		}
		w.in.Record.Spans[s.ID] = append(w.in.Record.Spans[s.ID], evidence.Span{Source: s.ID, Locator: l, Text: text, Heading: "Costs"})
	}
	s.SHA256 = fmt.Sprintf("%064x", 7919*(len(w.in.Record.Sources)+1))
	s.TextSHA256 = evidence.TextHash(w.in.Record.Spans[s.ID])
	s.Fetched = time.Date(2026, 5, 4, 10, 20, len(w.in.Record.Sources)%60, 0, time.UTC)
	w.in.Record.Sources = append(w.in.Record.Sources, s)
	w.in.Record.Facts.Reads = len(w.in.Record.Sources)
	return s.ID
}

// finds records a finding whose claim is its quote.
func (w *world) finds(source, at, quote string) {
	w.t.Helper()
	l, err := evidence.ParseLocator(at)
	if err != nil {
		w.t.Fatal(err)
	}
	m := evidence.NewDoc(w.kind(source), w.in.Record.Spans[source]).Match(l, quote)
	if !m.OK() {
		w.t.Fatalf("%s is not at %s %s: %s", quote, source, at, m.Reason)
	}
	w.in.Record.Findings = append(w.in.Record.Findings, evidence.Finding{ID: evidence.FindingID(len(w.in.Record.Findings) + 1), Claim: quote, Quote: m.Quote, Source: source,
		Locator: l, Until: m.Until, Match: m.Kind, Subquestion: "q1"})
}

func (w *world) kind(source string) evidence.Kind {
	for _, s := range w.in.Record.Sources {
		if s.ID == source {
			return s.Kind
		}
	}
	return ""
}

// bundle is the machine form of the report: assembled, or composed of a draft.
func (w *world) bundle(draft string) report.Bundle {
	w.t.Helper()
	markdown := report.Assemble(w.in)
	if draft != "" {
		var err error
		if markdown, err = report.Compose(draft, w.in); err != nil {
			w.t.Fatal(err)
		}
	}
	data, err := report.JSON(markdown, w.in)
	if err != nil {
		w.t.Fatal(err)
	}
	b, err := report.ParseJSON(data)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w *world) report(draft string) *Report {
	w.t.Helper()
	b := w.bundle(draft)
	r, err := New(b)
	if err != nil {
		for _, f := range b.Verify().Failures {
			w.t.Log(f.Severity, f.Code, f.Text, f.Message)
		}
		w.t.Fatal(err)
	}
	return r
}

const commit = "0123456789abcdef0123456789abcdef01234567"

// ferry is a run with sources of each kind that has places of its own.
func ferry(t testing.TB) *world {
	w := newWorld(t, "What did the Halden ferry cost?")
	s1 := w.source(evidence.Source{URL: "https://halden.example/ferry?year=2#costs", Title: `Halden ferry: {50%} & "more" — the \first_ two #years`, Kind: evidence.HTML,
		Author: "A. Able; Bosun, B.", Publisher: "Halden & Co", Published: "2026-04-03T10:00:00Z", Language: "en"},
		"para.1|The electric ferry entered service on 3 June 2023.",
		"para.2|Running the line cost 14.2 million crowns in the first two years, about 11 percent above the budget of 12.8 million.",
		"para.3|Cancelled departures fell from 46 in the first winter to 12 in the second,", "para.4|which the operator puts down to a new charging mast.")
	s2 := w.source(evidence.Source{URL: "https://board.example/audit.pdf", Title: "Audit report", Kind: evidence.PDF, DOI: "10.5555/audit.7", Published: "2025"},
		"p.1.1|The auditors looked at three lines.", "p.4.2|A mast of the second type failed after a median of 310 dock calls (n = 18).")
	s3 := w.source(evidence.Source{URL: "https://www.youtube.com/watch?v=hB4xhB4xhB4", Title: "Harbour talk", Kind: evidence.Transcript},
		"t=00:30|so the yard delivered the hull on time but the charging mast came four months late")
	s4 := w.source(evidence.Source{URL: "https://github.com/ferry/sched/tree/" + commit, Title: "ferry/sched", Kind: evidence.Repo},
		"sched/__init__.py:L1-L4|MAX_WAIT = 7\nRETRY = 2\n\ndef next_call(now):")
	s5 := w.source(evidence.Source{URL: "file:///data/ferry/lines.csv", Title: "lines.csv", Kind: evidence.Sheet}, "sheet.lines!A2:C2|Halden | 14.2 | 2023")
	w.source(evidence.Source{URL: "https://halden.example/times", Title: "Timetable", Kind: evidence.HTML}, "para.1|Departures every 40 minutes.")
	w.finds(s1, "para.2", "Running the line cost 14.2 million crowns in the first two years, about 11 percent above the budget of 12.8 million.")
	w.finds(s1, "para.1", "The electric ferry entered service on 3 June 2023.")
	w.finds(s1, "para.3", "fell from 46 in the first winter to 12 in the second, which the operator puts down to a new charging mast")
	w.finds(s2, "p.4.2", "A mast of the second type failed after a median of 310 dock calls (n = 18).")
	w.finds(s3, "t=00:30", "the charging mast came four months late")
	w.finds(s4, "sched/__init__.py:L1-L4", "MAX_WAIT = 7")
	w.finds(s5, "sheet.lines!A2:C2", "Halden | 14.2 | 2023")
	w.in.Sections = []report.Section{{Question: "What did the line cost?", Findings: []string{"F1", "F7"}}, {Question: "Why was it late?", Findings: []string{"F2", "F3", "F4", "F5", "F6"}}}
	return w
}

// doubted has rules flag the first finding, and a judge talk of it in markup.
func (w *world) doubted() {
	f := &w.in.Record.Findings[0]
	f.Flags = []string{"number_absent", "name_absent"}
	f.Judged = &evidence.Ruling{Of: strings.Repeat("0", 64), Model: "acme/judge", Verdict: evidence.NotEnough, Score: 91, Threshold: 80,
		Reason: `it is left open <script>alert(1)</script>`, Cleared: []string{"name_absent"}}
}

// draft is what a model may write of it: nested lists, a table, emphasis, joint citations, computed figures.
const draft = `## Summary

The line **cost 14.2 million crowns** in the first two years [F1, F7]. It cost {compute: F1:14.2 - F1:12.8} more than the budget; departures that fell
were {compute: fall(F3:46, F3:12)} fewer in the second winter than in the first.

#### Why was it late?

1. The mast came *four months late* [F5].
   - A mast of the second type failed after a median of 310 dock calls [F4].
2. The electric ferry entered service on 3 June 2023 [F2].

| What | Figure |
| --- | --- |
| Cost of running the line, in million crowns | 14.2 [F1] |
| Dock calls until a mast of the second type failed, median | 310 [F4] |

> MAX_WAIT = 7 [F6]
`
