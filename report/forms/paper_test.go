package forms

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"ibid/fetch"
	"ibid/fetch/render"
	"ibid/internal/testset"
)

// TestPaper: what is printed holds every citation and every quote, and links lead from the one to the other.
func TestPaper(t *testing.T) {
	t.Parallel()
	r := ferry(t).report(draft)
	html, err := r.Paper()
	if err != nil {
		t.Fatal(err)
	}
	pdf, err := render.Print(t.Context(), "", html)
	var none *fetch.Unavailable
	if errors.As(err, &none) && none.Outcome == fetch.JSRequired && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(pdf, []byte("/Subtype /Link")); n < len(citations(strings.ReplaceAll(r.bundle.Report, `\_`, "_"))) {
		t.Errorf("%d links in the PDF", n)
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		testset.Lacks(t, "pdftotext", "apt-get install poppler-utils")
	}
	cmd := exec.Command("pdftotext", "-", "-")
	cmd.Stdin = bytes.NewReader(pdf)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(out)), " ")
	if got, want := citations(text), citations(strings.ReplaceAll(r.bundle.Report, `\_`, "_")); len(got) != len(want) {
		t.Errorf("citations %q; want %q", got, want)
	}
	for _, q := range r.quotes {
		for _, f := range q.Found {
			if !strings.Contains(text, strings.Join(strings.Fields(f.Finding.Quote), " ")) {
				t.Errorf("the PDF lacks %q", f.Finding.Quote)
			}
		}
	}
}
