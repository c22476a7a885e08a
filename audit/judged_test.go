package audit

import (
	"slices"
	"strings"
	"testing"

	"ibid/evidence"
)

// judgedReport is a report with a flagged statement, its record, and a ruling on all that is open.
func judgedReport(t *testing.T, text string, ruling evidence.Ruling, claims ...string) Result {
	t.Helper()
	rec := weighedRecord(claims...)
	for _, q := range Open([]byte(text), rec) {
		r := ruling
		r.Of, r.Claim = q.ID(), q.Claim
		rec.Rulings = append(rec.Rulings, r)
	}
	if open := Open([]byte(text), rec); len(open) > 0 {
		t.Errorf("open after all was ruled on: %+v", open)
	}
	return Fragment([]byte(text), rec)
}

const flaggedText = "At Eastbrook the ferry made 412 crossings in its first winter [S1 para.1]."

// A ruling does to a flag what the judge says, and to a block nothing (FIND-8).
func TestRulingsInACheck(t *testing.T) {
	sure := evidence.Ruling{Model: "m", Verdict: evidence.Supported, Score: 90, Threshold: 80, Reason: "r"}
	for name, c := range map[string]struct {
		text   string
		claims []string
		ruling evidence.Ruling
		want   string // severities and codes
	}{
		"clears":            {flaggedText, nil, sure, "cleared name_absent"},
		"not sure enough":   {flaggedText, nil, evidence.Ruling{Verdict: evidence.Supported, Score: 79, Threshold: 80}, "flag name_absent"},
		"contradicts":       {flaggedText, nil, evidence.Ruling{Verdict: evidence.Contradicted, Score: 0, Threshold: 0}, "flag name_absent, flag judge_contradicts"},
		"no verdict":        {flaggedText, nil, evidence.Ruling{Threshold: 0}, "flag name_absent"},
		"a relation":        {"The ferry made 412 crossings in its first winter [S1 para.1], because the county counted 398 crossings [S3 para.1].", nil, sure, "cleared unsupported_relation"},
		"a block":           {"The ferry made 421 crossings in its first winter [S1 para.1].", nil, sure, "block number_conflict, block claim_citation_mismatch"},
		"a block and flags": {"At Eastbrook the ferry made 421 crossings in its first winter [S1 para.1].", nil, sure, "block number_conflict, flag name_absent, block claim_citation_mismatch"},
		"of a finding":      {"The ferry made 412 crossings in its first winter [S1 para.1].", []string{"At Eastbrook the ferry made 412 crossings in its first winter."}, sure, "cleared name_absent"},
	} {
		got := judgedReport(t, c.text, c.ruling, c.claims...)
		var list []string
		for _, f := range got.Failures {
			list = append(list, string(f.Severity)+" "+string(f.Code))
			if f.Severity == Cleared && (f.Judge == nil || f.Judge.Model != "m" || f.Judge.Reason != "r") {
				t.Errorf("%s: by whom is not said: %+v", name, f)
			}
		}
		slices.Sort(list)
		want := strings.Split(c.want, ", ")
		slices.Sort(want)
		if !slices.Equal(list, want) {
			t.Errorf("%s: %q, want %q", name, list, want)
		}
		if got.OK == strings.Contains(c.want, "block") {
			t.Errorf("%s: OK %v", name, got.OK)
		}
	}
}

// A ruling is on one claim, quote and context: whatever changes of them, it is a ruling on something else.
func TestRulingOnAnother(t *testing.T) {
	rec := weighedRecord()
	q := Open([]byte(flaggedText), rec)
	if len(q) != 1 {
		t.Fatalf("open: %+v", q)
	}
	rec.Rulings = []evidence.Ruling{{Of: q[0].ID(), Model: "m", Verdict: evidence.Supported, Score: 90}}
	for name, change := range map[string]func(*Record, *string){
		"claim": func(_ *Record, s *string) { *s = strings.Replace(*s, "Eastbrook", "Westbrook", 1) },
		"quote": func(r *Record, _ *string) {
			r.Findings[0].Quote += " crossings"[:0]
			r.Findings[0].Quote = strings.TrimPrefix(r.Findings[0].Quote, "Over ")
		},
		"context": func(r *Record, _ *string) { r.Sources[0].Title = "Another title" },
	} {
		rec, text := rec, flaggedText
		rec.Findings, rec.Sources = slices.Clone(rec.Findings), slices.Clone(rec.Sources)
		change(&rec, &text)
		for _, f := range Fragment([]byte(text), rec).Failures {
			if f.Severity == Cleared {
				t.Errorf("%s: cleared %+v", name, f)
			}
		}
	}
}

// What a report says of its judge is the record's own, word by word.
func TestWhatTheJudgeDid(t *testing.T) {
	facts := &Facts{Run: "abc", Judge: &Bench{Model: "m", Cleared: 2, Kept: 1, Unjudged: 3}}
	for _, c := range []struct {
		text  string
		facts *Facts
		ok    bool
	}{
		{"The judge of this run cleared 2 flagged claims. It left 1 flagged claim marked. It gave no verdict on 3 flagged claims.", facts, true},
		{"The judge of this run cleared 3 flagged claims.", facts, false},
		{"It left 2 flagged claims marked.", facts, false},
		{"The judge of this run cleared 2 flagged claims, and all is well.", facts, false},
		{"The judge of this run cleared 2 flagged claims.", &Facts{Run: "abc"}, false},
		{"The judge of this run cleared 0 flagged claims.", &Facts{Run: "abc", Judge: &Bench{}}, false},
		{"The judge of this run cleared 2 flagged claims.", nil, false},
		{"The judge cleared the agent of all claims.", facts, false},
		{"The judge of this run confirmed 4 possible disagreements and doubted 5.", &Facts{Run: "abc", Judge: &Bench{Confirmed: 4, Doubted: 5}}, true},
		{"The judge of this run confirmed 4 possible disagreements and doubted 6.", &Facts{Run: "abc", Judge: &Bench{Confirmed: 4, Doubted: 5}}, false},
	} {
		rec := weighedRecord()
		rec.Facts = c.facts
		if got := Fragment([]byte(c.text), rec); got.OK != c.ok {
			t.Errorf("%q with %+v: OK %v %+v", c.text, c.facts, got.OK, got.Failures)
		}
	}
}

func TestJudgedCounts(t *testing.T) {
	text := flaggedText + " At Norrport the ferry made 412 crossings in its first winter [S2 para.1]. At Vik the county counted 398 crossings of the ferry in its first winter [S3 para.1]."
	rec := weighedRecord()
	open := Open([]byte(text), rec)
	if len(open) != 3 {
		t.Fatalf("%+v", open)
	}
	for i, want := range []Bench{{Unjudged: 3}, {Cleared: 1, Unjudged: 2}, {Cleared: 1, Kept: 1, Unjudged: 1}, {Cleared: 1, Kept: 1, Unjudged: 1}} {
		if got := Judged([]byte(text), rec); got != want {
			t.Errorf("after %d rulings %+v, want %+v", i, got, want)
		}
		if i < 3 {
			r := []evidence.Ruling{{Verdict: evidence.Supported, Score: 90, Threshold: 80}, {Verdict: evidence.NotEnough, Score: 30, Threshold: 80}, {Threshold: 80}}[i]
			r.Of = open[i].ID()
			rec.Rulings = append(rec.Rulings, r)
		}
	}
}
