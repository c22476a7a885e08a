package fetch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/fetch"
)

func TestLooksLikeFile(t *testing.T) {
	for at, want := range map[string]bool{
		"https://a.example/report.pdf": true, "https://a.example/Rates.XLSX?x=1": true, "https://a.example/slides.pptm": true, "https://a.example/book.epub#c": true,
		"https://a.example/pdf/2101.00001": true, "https://a.example/data.csv": true, "https://a.example/x.tar.gz": true, "https://a.example/x.odp": true,
		"https://a.example/": false, "https://a.example/page.html": false, "https://a.example/docx": false, "https://a.example/README.md": false, "https://a.example/v1.2": false,
	} {
		if got := fetch.LooksLikeFile(at); got != want {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	}
}

// TestFolderOffice: office documents and books of a folder are listed by their names, with what they are; so are the old
// formats, so that a reader is told that they cannot be read.
func TestFolderOffice(t *testing.T) {
	binary := "PK\x03\x04\x00\x01"
	f, dir := tree(t, map[string]string{"a.docx": binary, "b.PPTX": binary, "c.xlsm": binary, "d.odt": binary, "e.odp": binary, "f.ods": binary, "g.epub": binary, "h.doc": binary, "i.xls": binary, "j.ppt": binary, "k.fodt": "<x/>", "l.zip": binary})
	var got []string
	for _, e := range f.Entries() {
		got = append(got, e.Title+" "+e.Kind)
	}
	want := []string{"a.docx document", "b.PPTX slides", "c.xlsm sheet", "d.odt document", "e.odp slides", "f.ods sheet", "g.epub book", "h.doc document", "i.xls sheet", "j.ppt slides", "k.fodt document"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries -want +got\n%s", diff)
	}
	doc, err := f.Fetch(t.Context(), "file://"+dir+"/b.PPTX")
	if err != nil || doc.ContentType != "application/vnd.openxmlformats-officedocument.presentationml.presentation" {
		t.Errorf("%+v, %v", doc, err)
	}
}
