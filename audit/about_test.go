package audit

import (
	"testing"
	"time"

	"ibid/evidence"
)

// TestAboutCited: what a sentence says of the source that it cites is not held against the quote; what it says of the world is.
func TestAboutCited(t *testing.T) {
	l, err := evidence.ParseLocator("para.1")
	if err != nil {
		t.Fatal(err)
	}
	spans := []evidence.Span{{Source: "S1", Locator: l, Text: "Type B seals lasted a median of 212 days at the northern site."}}
	rec := Record{Question: "How long did the seals last?", Sources: []evidence.Source{{ID: "S1", Kind: evidence.PDF, Title: "TR-2024-17: Blade seal redesign", URL: "https://array.example/tr.pdf",
		SHA256: "0123456789abcdef0123456789abcdef", TextSHA256: evidence.TextHash(spans), Fetched: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}},
		Spans:    map[string][]evidence.Span{"S1": spans},
		Findings: []evidence.Finding{{ID: "F1", Claim: "Type B seals lasted a median of 212 days.", Quote: "Type B seals lasted a median of 212 days at the northern site.", Source: "S1", Locator: l}}}
	for text, clean := range map[string]bool{
		"According to TR-2024-17, Type B seals lasted a median of 212 days [S1 para.1].":             true,
		"According to TR-2024-18, Type B seals lasted a median of 212 days [S1 para.1].":             false,
		"According to TR-2024-17, Type B seals lasted a median of 221 days [S1 para.1].":             false,
		"Type B seals lasted a median of 212 days [S1 para.1]; the two figures disagree.":            true,
		"Type B seals lasted a median of 212 days [S1 para.1]; the two figures disagree by 30 days.": false,
	} {
		if r := Fragment([]byte(text+"\n"), rec); (len(r.Failures) == 0) != clean {
			t.Errorf("%s: %v", text, r.Failures)
		}
	}
}
