package audit

import (
	"strings"
	"testing"
)

// Findings that do not agree are told together, or the report is flagged: as code finds them it cannot know which of the two
// matters.
func TestHiddenConflicts(t *testing.T) {
	const one, other = "The ferry made 412 crossings in its first winter [S1 para.1].", "The county counted 398 crossings in its first winter [S3 para.1]."
	for _, c := range []struct{ name, report, says string }{
		{"one side", one, "tells only F1"},
		{"the other side", other, "tells only F3"},
		{"neither", "The port was not closed once [S2 para.1].", "tells neither"},
		{"both, far from each other", one + "\n\n## Traffic\n\n" + other, "tells both"},
		{"both, as if they went together", one + " " + other, "tells both"},
		{"in a sentence", "The ferry made 412 crossings in its first winter [S1 para.1], but the county counted 398 [S3 para.1].", ""},
		{"in a paragraph", one + " " + other + " The two figures disagree.", ""},
		{"under one lead", "The counts differ:\n\n- " + one + "\n- " + other, ""},
		{"under a heading", one + "\n\n## Disagreements\n\n" + one + "\n\n" + other, ""},
		{"in another language", "Die Fähre fuhr 412-mal [S1 para.1], der Kreis zählte dagegen 398 [S3 para.1].", ""},
	} {
		rec := weighedRecord("The ferry made 412 crossings in its first winter.", "", "The ferry made 398 crossings in its first winter.")
		if c.name != "neither" {
			rec.Findings[1].Rejected = "the same as F1"
		} else {
			rec.Findings[1].Claim, rec.Findings[1].Quote = "the port was not closed once", "says the operator"
		}
		var said string
		r := Report([]byte("# What of the ferry?\n\n"+c.report+"\n"), rec)
		for _, f := range r.Failures {
			if f.Code == ConflictHidden {
				said += f.Message
				if f.Severity != Flag {
					t.Errorf("%s: %s", c.name, f.Severity)
				}
			}
		}
		if (said == "") != (c.says == "") || !strings.Contains(said, c.says) {
			t.Errorf("%s: %q, want %q", c.name, said, c.says)
		}
	}
}
