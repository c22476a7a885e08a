package extract

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// pdfWorkerVariable makes the test binary a process that reads PDFs.
const pdfWorkerVariable = "EXTRACT_TEST_PDF_WORKER"

func servePDFTests() {
	if err := ServePDF(os.Stdin, os.Stdout, ""); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func testWorker() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), pdfWorkerVariable+"=1")
	return cmd
}

// newProcessExtractor reads PDFs in processes.
func newProcessExtractor(t testing.TB, limit time.Duration) *Extractor {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the PDF engine")
	}
	x := &Extractor{Worker: testWorker, PDFTime: limit}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	// The first one on a machine compiles the engine, which is not the document's time, nor this test's.
	if _, err := x.Extract(t.Context(), Input{URL: "https://a.example/x.pdf", Body: writePDF("", "", show(11, 60, 700, "Words."))}); err != nil {
		t.Fatal(err)
	}
	return x
}

// A process reads as this one does, says the same of what cannot be read, and is kept for the next document.
func TestPDFProcess(t *testing.T) {
	x := newProcessExtractor(t, 0)
	good := writePDF("", "/Lang (en-GB)", show(20, 60, 760, "The Harbour")+show(11, 60, 720, "It was dug in 1911."))
	here, err := Extract(t.Context(), Input{URL: "https://a.example/x.pdf", Body: good})
	if err != nil {
		t.Fatal(err)
	}
	was := x.pdf.idle[0]
	if err := x.Ready(t.Context()); err != nil || len(x.pdf.idle) != 1 {
		t.Errorf("made ready again: %d processes, %v", len(x.pdf.idle), err)
	}
	for _, body := range [][]byte{good, []byte("%PDF-1.7\nnothing"), good} {
		there, err := x.Extract(t.Context(), Input{URL: "https://a.example/x.pdf", Body: body})
		var u *Unreadable
		switch {
		case len(body) < 100:
			if !errors.As(err, &u) || u.Reason != Damaged {
				t.Errorf("a damaged document: %v", err)
			}
		case err != nil:
			t.Error(err)
		default:
			if diff := cmp.Diff(here, there); diff != "" {
				t.Errorf("in a process it reads otherwise: -here +there\n%s", diff)
			}
		}
	}
	if len(x.pdf.idle) != 1 || x.pdf.idle[0] != was {
		t.Error("the process was not kept")
	}
	if here.Language != "en-GB" || here.Stated["title"] == "" {
		t.Errorf("the document states %q, from %v", here.Language, here.Stated)
	}
}

// A system that starts no processes reads in this one.
func TestPDFWithoutProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the PDF engine")
	}
	for name, worker := range map[string]func() *exec.Cmd{
		"none":         func() *exec.Cmd { return nil },
		"not there":    func() *exec.Cmd { return exec.Command("/nonexistent/ibid") },
		"ends at once": func() *exec.Cmd { return exec.Command(os.Args[0], "-test.run=^$") },
	} {
		x := &Extractor{Worker: worker}
		p, err := x.Extract(t.Context(), Input{URL: "https://a.example/x.pdf", Body: writePDF("", "", show(11, 60, 700, "Words."))})
		if err != nil || quotable(p) != "Words." {
			t.Errorf("%s: %v", name, err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// bombs are small files that would keep a reader busy for minutes, or fill its memory.
var bombs = map[string]func() []byte{
	"forms in forms": func() []byte { // each draws the next ten times
		objects := pdfOf("/Font << /F1 3 0 R >> /XObject << /X 6 0 R >>", "/X Do")
		for i := range 10 {
			objects = append(objects, pdfStream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> /XObject << /X %d 0 R >> >>", 7+i), strings.Repeat("/X Do ", 10)))
		}
		return buildPDF(append(objects, pdfStream("/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >>", "BT /F1 9 Tf 10 10 Td (bomb) Tj ET"))...)
	},
	"pages of pages": func() []byte {
		objects := []string{"<< /Type /Catalog /Pages 2 0 R >>"}
		for i := range 12 {
			objects = append(objects, "<< /Type /Pages /Count 2000000000 /Kids ["+strings.Repeat(fmt.Sprintf("%d 0 R ", i+3), 10)+"] >>")
		}
		return buildPDF(append(objects, "<< /Type /Page /MediaBox [0 0 10 10] >>")...)
	},
	"a page of 50 MB": func() []byte {
		objects := pdfOf("/Font << /F1 3 0 R >>", "")
		objects[4] = deflated("", strings.Repeat("BT /F1 9 Tf 10 10 Td (bomb) Tj ET\n", 3<<19))
		return buildPDF(objects...)
	},
	"200,000 form fields": func() []byte {
		return writePDFWith([]string{"<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (value) /Rect [0 0 100 20] >>"}, "/Annots ["+strings.Repeat("5 0 R ", 200_000)+"]", "", show(11, 60, 700, "x"))
	},
	"a picture of 10 GB": func() []byte {
		objects := pdfOf("/XObject << /Im1 6 0 R >>", "q 595 0 0 842 0 0 cm /Im1 Do Q")
		return buildPDF(append(objects, pdfStream(strings.NewReplacer("Width 1", "Width 60000", "Height 1", "Height 60000").Replace(onePixel), "x"))...)
	},
	"labels that go round": func() []byte {
		return writePDFWith([]string{"<< /Kids [" + strings.Repeat("5 0 R ", 1000) + "] >>"}, "", "/PageLabels 5 0 R", show(11, 60, 700, "x"))
	},
}

// pdfOf are the objects of a document of one page; further ones are numbered from 6 on.
func pdfOf(resources, content string) []string {
	return []string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [4 0 R] >>", helvetica,
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << " + resources + " >> /Contents 5 0 R >>", pdfStream("", content)}
}

// A bomb is stopped within its limits of time and memory, and the next document is read.
func TestPDFBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, one thing after the other")
	}
	const limit = 500 * time.Millisecond
	x := newProcessExtractor(t, limit)
	for name, bomb := range bombs {
		body := bomb()
		if len(body) > 2<<20 {
			t.Fatalf("%s has %d bytes", name, len(body))
		}
		used, start := childrenTime(), time.Now()
		p, err := x.Extract(t.Context(), Input{URL: "https://a.example/bomb.pdf", Body: body})
		took, cpu := time.Since(start), childrenTime()-used
		var u *Unreadable
		if err != nil && !errors.As(err, &u) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			check(t, p, 16*len(body)+maxPDFText)
		}
		// A call for the document, one for its pages, and what a busy machine adds.
		if took > 2*limit+10*time.Second || cpu > 2*limit+time.Second {
			t.Errorf("%s took %v, and %v of a processor", name, took, cpu)
		}
		p, err = x.Extract(t.Context(), Input{URL: "https://a.example/x.pdf", Body: writePDF("", "", show(11, 60, 700, "Words."))})
		if err != nil || quotable(p) != "Words." {
			t.Errorf("after %s: %v", name, err)
		}
	}
}

// A reader that gives up leaves no process behind.
func TestPDFProcessKilled(t *testing.T) {
	x := newProcessExtractor(t, 0)
	p, bomb := x.pdf.idle[0], bombs["forms in forms"]()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	_, err := x.Extract(ctx, Input{URL: "https://a.example/bomb.pdf", Body: bomb})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after its context ended: %v", err)
	}
	if p.cmd.ProcessState == nil || p.cmd.ProcessState.Success() {
		t.Error("the process was not ended and waited for")
	}
	if len(x.pdf.idle) != 0 {
		t.Error("a killed process is kept")
	}
}

// That the engine is compiled is told once, and only where nothing compiled is kept.
func TestPDFCompilingIsTold(t *testing.T) {
	for _, kept := range []bool{false, true} {
		told := 0
		x := &Extractor{CacheDir: t.TempDir(), Compiling: func() { told++ }}
		if kept {
			if err := os.MkdirAll(filepath.Join(x.CacheDir, "wazero-v1", "engine"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		x.tell()
		x.tell()
		if want := map[bool]int{false: 1, true: 0}[kept]; told != want {
			t.Errorf("kept %v: told %d times, want %d", kept, told, want)
		}
	}
}
