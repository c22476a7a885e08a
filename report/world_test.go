package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ibid/audit"
	"ibid/audit/conflict"
	"ibid/evidence"
)

// loc reads a locator that a test is sure of.
func loc(t testing.TB, s string) evidence.Locator {
	t.Helper()
	l, err := evidence.ParseLocator(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// addSource puts a source that was read into rec; spans are "locator|text".
func addSource(t testing.TB, rec *audit.Record, kind evidence.Kind, title, url string, spans ...string) string {
	t.Helper()
	id := evidence.SourceID(len(rec.Sources) + 1)
	for _, s := range spans {
		at, text, _ := strings.Cut(s, "|")
		rec.Spans[id] = append(rec.Spans[id], evidence.Span{Source: id, Locator: loc(t, at), Text: text})
	}
	rec.Sources = append(rec.Sources, evidence.Source{ID: id, URL: url, Title: title, Kind: kind, SHA256: fmt.Sprintf("%064x", 0xabcdef0123+len(rec.Sources)*7919),
		TextSHA256: evidence.TextHash(rec.Spans[id]), Fetched: time.Date(2026, 5, 4, 10, 20, len(rec.Sources), 0, time.UTC)})
	return id
}

func addFinding(t testing.TB, rec *audit.Record, source, at, claim, quote, sub string) {
	t.Helper()
	rec.Findings = append(rec.Findings, evidence.Finding{ID: evidence.FindingID(len(rec.Findings) + 1), Claim: claim, Quote: quote, Source: source,
		Locator: loc(t, at), Match: evidence.MatchExact, Subquestion: sub})
}

// ferry is a run about an invented ferry line.
func ferry(t testing.TB) Input {
	rec := audit.Record{Question: "What did the Halden ferry cost in its first 2 years, and why was it late?", Spans: map[string][]evidence.Span{},
		Facts: &audit.Facts{Run: "r-2026-05-04-k3", Finished: time.Date(2026, 5, 4, 10, 21, 0, 0, time.UTC), Searches: 3, Reads: 6, Unavailable: 1, Steps: 9, Stop: "done",
			Queries: []string{"halden ferry cost", "halden ferry delay 2024", `"late" ferry crew`}}}
	s1 := addSource(t, &rec, evidence.HTML, "Halden ferry: the first two years", "https://halden.example/ferry?year=2",
		"para.1|The electric ferry entered service on 3 June 2023, nineteen weeks after the date in the contract.",
		"para.2|Running the line cost 14.2 million crowns in the first two years, about 11 percent above the budget of 12.8 million.",
		"para.3|Cancelled departures fell from 46 in the first winter to 12 in the second, which the operator puts down to a new charging mast.",
		"para.4|Passengers filled 58 percent of the seats, although the count covered only seven of the eleven months.",
		"para.5|No decision has been taken about a second vessel.")
	s2 := addSource(t, &rec, evidence.PDF, "Audit report 7/2025: electric ferries", "https://board.example/audit/7-2025.pdf",
		"p.1|The auditors looked at three electric ferry lines and their charging masts.",
		"p.4|A mast of the second type failed after a median of 310 dock calls, against 140 for the first type (n = 18).",
		"p.5|The sample is small, and the auditors do not recommend replacing all masts before a further trial.")
	s3 := addSource(t, &rec, evidence.Transcript, "Harbour talk: batteries & boats", "https://video.example/watch?v=hB4x",
		"t=00:30|so the yard delivered the hull on time but the charging mast came four months late and that was our own contract",
		"t=12:00|people always say batteries were the problem and they were not")
	s4 := addSource(t, &rec, evidence.Repo, "ferry-sched", "https://code.example/ferry-sched",
		"sched/__init__.py:L1-L4|MAX_WAIT = 7\nRETRY = 2\n\ndef next_call(now):",
		"README.md:L1-L2|# ferry-sched\nPlans charging at the dock.")
	s5 := addSource(t, &rec, evidence.HTML, "Coast county yearbook 2025", "https://county.example/yearbook",
		"para.1|According to the county the line cost 13.1 million crowns in 2023 and 2024 together.",
		"para.2|The county has nine ferry lines.")
	addSource(t, &rec, evidence.HTML, "Timetable", "https://halden.example/times", "para.1|Departures every 40 minutes from 06:10.")
	addFinding(t, &rec, s1, "para.2", "The line cost 14.2 million crowns in its first two years, about 11 percent over budget.", "Running the line cost 14.2 million crowns in the first two years, about 11 percent above the budget of 12.8 million.", "cost")
	addFinding(t, &rec, s5, "para.1", "The county puts the cost at 13.1 million crowns.", "According to the county the line cost 13.1 million crowns in 2023 and 2024 together.", "cost")
	addFinding(t, &rec, s1, "para.1", "The ferry entered service on 3 June 2023, nineteen weeks late.", "The electric ferry entered service on 3 June 2023, nineteen weeks after the date in the contract.", "delay")
	addFinding(t, &rec, s3, "t=00:30", "The charging mast came four months late.", "the charging mast came four months late and that was our own contract", "delay")
	addFinding(t, &rec, s1, "para.3", "Cancelled departures fell from 46 in the first winter to 12 in the second.", "Cancelled departures fell from 46 in the first winter to 12 in the second", "service")
	addFinding(t, &rec, s2, "p.4", "Masts of the second type failed after a median of 310 dock calls, against 140 for the first type.", "A mast of the second type failed after a median of 310 dock calls, against 140 for the first type (n = 18).", "service")
	addFinding(t, &rec, s2, "p.5", "The auditors do not recommend replacing all masts before a further trial.", "the auditors do not recommend replacing all masts before a further trial", "service")
	addFinding(t, &rec, s4, "sched/__init__.py:L1-L4", "The scheduler waits for at most 7 minutes.", "MAX_WAIT = 7", "service")
	return Input{Record: rec, Sections: []Section{
		{"What did the line cost?", []string{"F1", "F2"}},
		{"Why was it late?", []string{"F3", "F4"}},
		{"How reliable is the service", []string{"F5", "F6", "F7", "F8"}},
		{"Will there be a second vessel by 2027?", nil}},
		Disagreements: []conflict.Conflict{{A: "F1", B: "F2", About: "the cost"}}}
}

func toCitation(f evidence.Finding) evidence.Citation { return evidence.Citation(f.Key()) }
