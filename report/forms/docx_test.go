package forms

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ibid/evidence"
	"ibid/extract"
	"ibid/internal/testset"
)

// TestDOCX: our own reader finds in the document what the report holds: every citation, headings, items, rows, links, and
// each quote with its place.
func TestDOCX(t *testing.T) {
	r := ferry(t).report(draft)
	doc, err := r.DOCX()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := r.DOCX(); err != nil || !bytes.Equal(doc, again) {
		t.Error("two documents of one report")
	}
	page, err := extract.Extract(t.Context(), extract.Input{URL: "file:///report.docx", Body: doc})
	if err != nil {
		t.Fatal(err)
	}
	var cites, headings []string
	roles := map[evidence.Role]int{}
	nested := false
	for _, b := range page.Blocks {
		roles[b.Role]++
		switch {
		case b.Role == evidence.RoleHeading:
			headings = append(headings, b.Text)
		case b.Role == evidence.RoleItem && b.Level == 2:
			nested = true
		}
		cites = append(cites, citations(b.Text)...)
	}
	if want := citations(strings.ReplaceAll(r.bundle.Report, `\_`, "_")); !slices.Equal(cites, want) {
		t.Errorf("citations %q; want %q", cites, want)
	}
	for _, want := range []string{"What did the Halden ferry cost?", "Summary", "Why was it late?", "Sources", "Quotes", "S2 p.4.2: Audit report"} {
		if !slices.Contains(headings, want) {
			t.Errorf("no heading %q in %q", want, headings)
		}
	}
	if page.Title != r.title || roles[evidence.RoleItem] < 9 || roles[evidence.RoleRow] < 2 || !nested {
		t.Errorf("title %q, %v, nested %v", page.Title, roles, nested)
	}
	text, links := page.Text(true), part1(t, doc, "word/_rels/document.xml.rels")
	for _, q := range r.quotes {
		for _, f := range q.Found {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(f.Finding.Quote), " ")) {
				t.Errorf("the document lacks %q", f.Finding.Quote)
			}
			if !strings.Contains(links, `Target="`+xmlText(f.URL)+`" TargetMode="External"`) && f.URL != "" {
				t.Errorf("no link to %s", f.URL)
			}
		}
	}
}

// part1 is one part of a document.
func part1(t *testing.T, doc []byte, name string) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(doc), int64(len(doc)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	body, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestDOCXInOffice: LibreOffice reads the document to a text with every citation, list numbers and table cells.
func TestDOCXInOffice(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts an office")
	}
	office, err := exec.LookPath("soffice")
	if err != nil {
		testset.Lacks(t, "LibreOffice", "apt-get install libreoffice-writer-nogui")
	}
	r := ferry(t).report(draft)
	doc, err := r.DOCX()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "report.docx"), doc, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), office, "-env:UserInstallation=file://"+dir+"/profile", "--headless", "--convert-to", "txt:Text (encoded):UTF8", "--outdir", dir, filepath.Join(dir, "report.docx"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := citations(string(text)), citations(strings.ReplaceAll(r.bundle.Report, `\_`, "_")); !slices.Equal(got, want) {
		t.Errorf("citations %q; want %q", got, want)
	}
	for _, want := range []string{"1. The mast came four months late", "2. The electric ferry entered service", "Dock calls until a mast", "{50%} & \"more\" — the \\first_ two #years", "MAX_WAIT = 7\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
