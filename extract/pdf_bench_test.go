package extract

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"

	"ibid/internal/testset"
)

// BenchmarkPDF reads a paper of five pages in two columns: in a process of its own, in this one, and, to compare with,
// what PDFium alone takes for the bare text.
func BenchmarkPDF(b *testing.B) {
	body, err := os.ReadFile(filepath.Join(testset.Path(b, "data", "extract", "pdf"), "gen_twocol_times.pdf"))
	if err != nil {
		b.Fatal(err)
	}
	in := Input{URL: "https://a.example/x.pdf", Body: body}
	extract := func(x *Extractor) func(*testing.B) {
		return func(b *testing.B) {
			pages := 0
			for b.Loop() {
				p, err := x.Extract(b.Context(), in)
				if err != nil {
					b.Fatal(err)
				}
				pages += p.Blocks[len(p.Blocks)-1].Locator.A
			}
			b.ReportMetric(float64(pages)/b.Elapsed().Seconds(), "pages/s")
		}
	}
	b.Run("process", extract(newProcessExtractor(b, 0)))
	b.Run("here", extract(&shared))
	for name, killable := range map[string]bool{"bare": false, "bare-killable": true} {
		pool, err := startPDFium("", killable)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			pages := 0
			for b.Loop() {
				err := withWorker(b.Context(), pool, func(lib pdfium.Pdfium) error {
					n, err := bareText(lib, body)
					pages += n
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(pages)/b.Elapsed().Seconds(), "pages/s")
		})
		if err := pool.Close(); err != nil {
			b.Error(err)
		}
	}
}

// bareText reads each page's text and nothing else.
func bareText(lib pdfium.Pdfium, body []byte) (pages int, err error) {
	r := &pdfReader{lib: lib}
	if err := r.open(body); err != nil {
		return 0, err
	}
	n, err := lib.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: r.doc})
	if err != nil {
		return 0, err
	}
	for i := range n.PageCount {
		loaded, err := lib.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: r.doc, Index: i})
		if err != nil {
			return 0, err
		}
		t, err := r.openText(requests.Page{ByReference: &loaded.Page})
		if err != nil {
			return 0, err
		}
		if _, err := t.glyphs(); err != nil {
			return 0, err
		}
		t.close()
		if _, err := lib.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page}); err != nil {
			return 0, err
		}
	}
	return n.PageCount, nil
}

// BenchmarkPDFFirst is the first PDF of a program: a process is started, and its engine loaded from the disk.
func BenchmarkPDFFirst(b *testing.B) {
	newProcessExtractor(b, 0) // compiles it, if need be
	body := writePDF("", "", show(11, 60, 700, "Words."))
	used := childrenTime()
	for b.Loop() {
		x := &Extractor{Worker: testWorker}
		if _, err := x.Extract(context.Background(), Input{URL: "https://a.example/x.pdf", Body: body}); err != nil {
			b.Fatal(err)
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(childrenTime()-used)/1e6/float64(b.N), "cpu-ms/op")
}
