package forms

import (
	"bytes"
	"html"
	"strings"
	"testing"

	"ibid/evidence"
	"ibid/extract"
)

// TestMarks: what rules flag, a judge said and a person accepted is told in every form that people read, as text.
func TestMarks(t *testing.T) {
	w := ferry(t)
	w.doubted()
	w.finds("S2", "p.4.2", "A mast of the second type failed after a median of 310 dock calls")
	f := &w.in.Record.Findings[len(w.in.Record.Findings)-1]
	f.Claim = "A mast of the second type failed after a median of 410 dock calls."
	f.Accepted = &evidence.Acceptance{Codes: []string{"number_conflict"}, Reason: "the <b>yard</b> counted again", By: "ada"}
	r := w.report("")
	page := string(page1(t, r))
	paper, err := r.Paper()
	if err != nil {
		t.Fatal(err)
	}
	file, err := r.DOCX()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := extract.Extract(t.Context(), extract.Input{URL: "file:///report.docx", Body: file})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, b := range doc.Blocks {
		text.WriteString(b.Text + "\n")
	}
	for form, said := range map[string]string{"HTML": html.UnescapeString(page), "paper": html.UnescapeString(string(paper)), "DOCX": text.String()} {
		for _, want := range []string{"flagged by rules for number_absent, name_absent.", "the judge acme/judge says not_enough, 91 of 100, and clears from 80 on: it is left open <script>", "Cleared: name_absent.",
			"Accepted by a person (ada) against number_conflict: F8, “A mast of the second type failed after a median of 410 dock calls.”. Reason given: the <b>yard</b> counted again",
			"Remarks of the check", "accepted number_conflict, “"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s does not say %q", form, want)
			}
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "<b>") || bytes.Contains(paper, []byte("<script")) {
		t.Error("what a judge or a person says is markup")
	}
	if plain := string(page1(t, ferry(t).report(draft))); strings.Contains(plain, "flagged by") || strings.Contains(plain, "Accepted by") {
		t.Error("a report without remarks has some")
	}
}
