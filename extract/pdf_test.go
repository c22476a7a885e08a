package extract

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
	"ibid/internal/testset"
)

// buildPDF makes a PDF of objects, which are numbered from 1; the first is the catalogue.
func buildPDF(objects ...string) []byte {
	var b bytes.Buffer
	var offsets []int
	b.WriteString("%PDF-1.5\n")
	for i, o := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return b.Bytes()
}

// pdfStream is an object with data.
func pdfStream(dict, data string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data)
}

// deflated is one whose data are compressed.
func deflated(dict, data string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(data))
	_ = w.Close()
	return pdfStream(dict+" /Filter /FlateDecode", b.String())
}

const (
	helvetica   = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
	onePixel    = "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
	pdfResource = "/Resources << /Font << /F1 3 0 R >> /XObject << /Im1 4 0 R >> >>"
)

// writePDF makes a PDF of pages given by their content streams. extra goes into each page's dictionary, labels into the
// catalogue. /F1 is Helvetica, /Im1 a picture.
func writePDF(extra, catalogue string, contents ...string) []byte {
	return writePDFWith(nil, extra, catalogue, contents...)
}

// writePDFWith adds objects, which are numbered from 5 on.
func writePDFWith(more []string, extra, catalogue string, contents ...string) []byte {
	kids, first := "", 5+len(more)
	for i := range contents {
		kids += fmt.Sprintf("%d 0 R ", first+2*i)
	}
	objects := []string{"<< /Type /Catalog /Pages 2 0 R " + catalogue + " >>",
		fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(contents), kids), helvetica, pdfStream(onePixel, "x")}
	objects = append(objects, more...)
	for i, c := range contents {
		objects = append(objects, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] %s %s /Contents %d 0 R >>", extra, pdfResource, first+2*i+1), pdfStream("", c))
	}
	return buildPDF(objects...)
}

// show draws lines of text, each at a place, in a size.
func show(size, x, y int, text string) string {
	return fmt.Sprintf("BT /F1 %d Tf 1 0 0 1 %d %d Tm (%s) Tj ET\n", size, x, y, text)
}

func readPDF(t *testing.T, body []byte) *Page {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the PDF engine")
	}
	return read(t, "https://a.example/x.pdf", "application/pdf", string(body))
}

func TestPDF(t *testing.T) {
	body := writePDF("", "/PageLabels << /Nums [0 << >> 1 << /S /D /St 104 >>] >>",
		show(20, 60, 760, "The Harbour")+
			show(11, 60, 720, "The first paragraph begins here and")+show(11, 60, 707, "ends on the second line.")+
			show(11, 60, 670, "After a gap comes another one.")+show(11, 75, 657, "An indented line after a full stop.")+
			show(11, 320, 720, "The second column stands alone."),
		show(11, 60, 720, "Text of the second page."))
	p := readPDF(t, body)
	var got []string
	for _, b := range p.Blocks {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s", b.Locator, b.Role, b.Label, b.Text))
	}
	want := []string{
		"p.1.1|heading||The Harbour",
		"p.1.2|||The first paragraph begins here and\nends on the second line.",
		"p.1.3|||After a gap comes another one.", "p.1.4|||An indented line after a full stop.",
		"p.1.5|||The second column stands alone.",
		"p.2.1||104|Text of the second page.",
	}
	if diff := cmp.Diff(want, got); diff != "" || p.Title != "The Harbour" || p.Kind != evidence.PDF {
		t.Errorf("title %q; -want +got\n%s", p.Title, diff)
	}
	if p.Blocks[5].Heading != "The Harbour" {
		t.Errorf("heading %q", p.Blocks[5].Heading)
	}
	rotated := readPDF(t, writePDF("/Rotate 90", "", show(11, 60, 720, "First line.")+show(11, 60, 707, "Second line.")))
	if got := quotable(rotated); got != "First line.\nSecond line." {
		t.Errorf("a rotated page reads %q", got)
	}
	junk := readPDF(t, append([]byte("HTTP/1.1 200 OK\r\n\r\n"), writePDF("", "", show(11, 60, 700, "Behind a header."))...))
	if quotable(junk) != "Behind a header." {
		t.Errorf("a PDF after other bytes reads %q", quotable(junk))
	}
}

func TestPDFInvisibleText(t *testing.T) {
	const scan = "q 595 0 0 842 0 0 cm /Im1 Do Q\n"
	secret := "q BT /F1 11 Tf 3 Tr 1 0 0 1 60 680 Tm (The official total is 2 crowns.) Tj ET Q\n"
	plain := readPDF(t, writePDF("", "", show(11, 60, 700, "Total: 612,500 crowns.")+secret+show(11, 60, 660, "Payments follow.")))
	if got := quotable(plain); strings.Contains(got, "official") || !strings.Contains(got, "612,500") || !strings.Contains(got, "Payments") || !hasFlag(plain, FlagHidden) {
		t.Errorf("invisible text on a page of text: %q, %v", got, plain.Flags)
	}
	over := readPDF(t, writePDF("", "", scan+show(11, 60, 700, "Total: 612,500 crowns.")+secret))
	if got := quotable(over); strings.Contains(got, "official") || !hasFlag(over, FlagHidden) {
		t.Errorf("invisible text over a background picture: %q, %v", got, over.Flags)
	}
	layer := readPDF(t, writePDF("", "", scan+secret))
	if got := quotable(layer); got != "The official total is 2 crowns." {
		t.Errorf("the text layer of a scan reads %q", got)
	}
	bare := readPDF(t, writePDF("", "", scan))
	if len(bare.Blocks) != 0 || !hasFlag(bare, FlagNoText) {
		t.Errorf("a scan without text: %+v, %v", bare.Blocks, bare.Flags)
	}
}

func TestPDFUnreadable(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the PDF engine")
	}
	good := writePDF("", "", show(11, 60, 700, "Words."))
	for name, c := range map[string]struct {
		body []byte
		want Reason
	}{
		"header only": {[]byte("%PDF-1.7\n"), Damaged},
		"noise":       {append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("\x00\xffnoise obj << >> stream "), 500)...), Damaged},
		"half":        {good[:120], Damaged},
	} {
		_, err := Extract(t.Context(), Input{URL: "https://a.example/x.pdf", Body: c.body})
		var u *Unreadable
		if !errors.As(err, &u) || u.Reason != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	slow := &Extractor{PDFTime: time.Nanosecond, CacheDir: shared.CacheDir}
	defer slow.Close()
	_, err := slow.Extract(t.Context(), Input{URL: "https://a.example/x.pdf", Body: good})
	var u *Unreadable
	if !errors.As(err, &u) || u.Reason != TooSlow {
		t.Errorf("out of time: %v", err)
	}
	if p, err := Extract(t.Context(), Input{URL: "https://a.example/x.pdf", Body: good}); err != nil || quotable(p) != "Words." {
		t.Errorf("after the failures: %v", err)
	}
}

// A document that keeps the engine busy is killed in the middle of a call, and others read on meanwhile.
func TestPDFKill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the PDF engine")
	}
	heavy := writePDF("", "", strings.Repeat("q 1 0 0 1 0 0 cm BT /F1 1 Tf (word after word after word) Tj ET Q\n", 150_000))
	light := writePDF("", "", show(11, 60, 700, "Words."))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := Extract(t.Context(), Input{URL: "https://a.example/warm.pdf", Body: light}); err != nil { // starts the engine
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			if _, err := Extract(t.Context(), Input{URL: "https://a.example/x.pdf", Body: light}); err != nil {
				t.Errorf("beside a heavy document: %v", err)
			}
		})
	}
	start := time.Now()
	_, err := Extract(ctx, Input{URL: "https://a.example/heavy.pdf", Body: heavy})
	if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > 10*time.Second {
		t.Errorf("after %v: %v", took, err)
	}
	wait.Wait()
}

// The engine costs seconds and memory: what is no PDF must not start it.
func TestPDFEngineIsLazy(t *testing.T) {
	var x Extractor
	for _, in := range []Input{{URL: "https://a.example/", Body: []byte(page(filler))}, {URL: "https://a.example/x.md", Body: []byte("# T")}} {
		if _, err := x.Extract(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	if x.pdf.pool != nil {
		t.Error("the PDF engine runs")
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// Hostile and real PDFs of the shared test data are read or refused in good time.
func TestPDFShared(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the PDF engine")
	}
	files, err := filepath.Glob(filepath.Join(testset.Path(t, "cases"), "*", "*.pdf"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no PDFs: %v", err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		p, err := Extract(t.Context(), Input{URL: "file:///" + filepath.Base(file), Body: body})
		var u *Unreadable
		if err != nil && !errors.As(err, &u) {
			t.Errorf("%s: %v", file, err)
		}
		if err == nil {
			check(t, p, 16*len(body)+maxPDFText)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s took %v", file, took)
		}
	}
}
