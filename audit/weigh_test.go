package audit

import (
	"testing"
	"time"

	"ibid/evidence"
)

// weighedRecord is a record of two sources that say a thing in the same words, and one that says another.
func weighedRecord(claims ...string) Record {
	rec := Record{Spans: map[string][]evidence.Span{}}
	texts := []string{
		"Over its first winter the ferry made 412 crossings, we think, and the port was not closed once.",
		"Over its first winter the ferry made 412 crossings, says the operator.",
		"The county counted 398 crossings of the ferry in its first winter.",
	}
	quotes := []string{"Over its first winter the ferry made 412 crossings", "Over its first winter the ferry made 412 crossings", "The county counted 398 crossings of the ferry in its first winter"}
	for i, text := range texts {
		id := evidence.SourceID(i + 1)
		loc := evidence.Locator{Unit: evidence.Para, A: 1}
		rec.Spans[id] = []evidence.Span{{Source: id, Locator: loc, Text: text}}
		rec.Sources = append(rec.Sources, evidence.Source{ID: id, URL: "https://a.example/" + id, Kind: evidence.HTML, Fetched: time.Unix(1e9, 0).UTC(), TextSHA256: evidence.TextHash(rec.Spans[id])})
		claim := quotes[i]
		if i < len(claims) && claims[i] != "" {
			claim = claims[i]
		}
		rec.Findings = append(rec.Findings, evidence.Finding{ID: evidence.FindingID(i + 1), Claim: claim, Quote: quotes[i], Source: id, Locator: loc})
	}
	return rec
}

func TestStatementsAreWeighed(t *testing.T) {
	for _, c := range []struct {
		report string
		claims []string
		code   string
		want   Severity // "" for none
	}{
		{"The ferry made 412 crossings in its first winter [S1 para.1].", nil, "", ""},
		{"The ferry made 421 crossings in its first winter [S1 para.1].", nil, "number_conflict", Block},
		{"Only the ferry made 412 crossings in its first winter [S1 para.1].", nil, "exclusivity_added", Block},
		{"At Eastbrook the ferry made 412 crossings in its first winter [S1 para.1].", nil, "name_absent", Flag},
		// The finding's own claim goes beyond its quote, though the report does not.
		{"The ferry made 412 crossings in its first winter [S1 para.1].", []string{"The ferry made 512 crossings."}, "number_conflict", Block},
		{"Two independent sources confirm 412 crossings of the ferry in its first winter [S1 para.1][S2 para.1].", nil, "sources_not_independent", Block},
		{"Operator and county agree on 412 crossings of the ferry in its first winter [S1 para.1][S3 para.1].", nil, "conflict_hidden", Block},
		{"The operator counts 412 crossings of the ferry [S1 para.1], the county 398 [S3 para.1].", nil, "", ""},
		{"The ferry made 412 crossings in its first winter [S1 para.1], because the county counted 398 crossings [S3 para.1].", nil, "unsupported_relation", Flag},
	} {
		rec := weighedRecord(c.claims...)
		got := Fragment([]byte(c.report), rec)
		var found Severity
		for _, f := range got.Failures {
			if string(f.Code) == c.code {
				found = f.Severity
			}
		}
		if found != c.want || c.code == "" && !got.OK {
			t.Errorf("%s\n%s %q, want %q: %+v", c.report, c.code, found, c.want, got.Failures)
		}
		rec.Unweighed = true
		for _, f := range Fragment([]byte(c.report), rec).Failures {
			if string(f.Code) == c.code && c.code != "" {
				t.Errorf("%s\n%s although the run is of before", c.report, c.code)
			}
		}
	}
}
