package bundled_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/corpus/bundled"
	"ibid/extract"
)

var update = flag.Bool("update", false, "write papers/run-economics.pdf from testdata/paper.txt")

// TestPaper: the PDF of the corpus is the one that this file makes of testdata/paper.txt: PDF 1.4 with a text layer in
// the standard fonts, the same bytes each time. After changing the text, run go test ./corpus/bundled -run Paper -update.
//
// A line of three dashes begins a page, # and ## are headings, | begins a table row.
func TestPaper(t *testing.T) {
	text, err := os.ReadFile("testdata/paper.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := render(string(text))
	if *update {
		if err := os.WriteFile("papers/run-economics.pdf", want, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("written; run again to compare")
	}
	got, err := fs.ReadFile(bundled.FS, "papers/run-economics.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("papers/run-economics.pdf is not what testdata/paper.txt says: run this test with -update")
	}
	for _, l := range wrap(string(text), bodySize, pageWidth-2*margin) {
		if w := measure(l) * bodySize / 1000; w > pageWidth-2*margin {
			t.Errorf("a line is %.1f points wide: %q", w, l)
		}
	}
}

// TestPaperRead: what is carried along as the reading of the paper is what the engine reads in it.
func TestPaperRead(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the PDF engine")
	}
	body, err := fs.ReadFile(bundled.FS, "papers/run-economics.pdf")
	if err != nil {
		t.Fatal(err)
	}
	in := extract.Input{URL: "https://papers.example/2025/run-economics.pdf", ContentType: "application/pdf", Body: body}
	want, err := extract.Extract(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		kept, err := json.MarshalIndent(want, "", " ")
		if err == nil {
			err = os.WriteFile("read/run-economics.json", kept, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Skip("written; run again to compare")
	}
	read := bundled.Extract(func(context.Context, extract.Input) (*extract.Page, error) {
		return nil, errors.New("asked the engine")
	})
	got, err := read(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read/run-economics.json is not what is read in the paper: run this test with -update\n%s", diff)
	}
	in.Body = append(in.Body, '\n')
	if _, err := read(t.Context(), in); err == nil {
		t.Error("another document has the paper's reading")
	}
}

// Page geometry in points: A4 with margins of an inch.
const (
	pageWidth, pageHeight = 595, 842
	margin                = 72
	bodySize              = 10.5
	leading               = 14.5
)

// render lays the text out and returns the file.
func render(text string) []byte {
	var streams [][]byte
	pages := strings.Split(strings.TrimSpace(text), "\n---\n")
	for i, page := range pages {
		streams = append(streams, layOut(page, fmt.Sprintf("Technical report 2025-07 - page %d of %d", i+1, len(pages))))
	}
	return write(streams)
}

// layOut makes one page's content stream.
func layOut(page, foot string) []byte {
	var b bytes.Buffer
	y := float64(pageHeight - margin)
	line := func(font string, size, x float64, s string) {
		fmt.Fprintf(&b, "BT /%s %g Tf 1 0 0 1 %g %g Tm (%s) Tj ET\n", font, size, x, y, escape.Replace(s))
	}
	for _, block := range strings.Split(strings.TrimSpace(page), "\n\n") {
		switch {
		case strings.HasPrefix(block, "## "):
			y -= 6
			line("F2", 12, margin, block[3:])
			y -= leading + 4
		case strings.HasPrefix(block, "# "):
			line("F2", 17, margin, block[2:])
			y -= 30
		case strings.HasPrefix(block, "|"):
			for _, row := range strings.Split(block, "\n") {
				for i, cell := range strings.Split(strings.Trim(row, "|"), "|") {
					line("F1", bodySize, margin+[]float64{0, 220, 310}[i], strings.TrimSpace(cell))
				}
				y -= leading
			}
			y -= 8
		default:
			for _, l := range wrap(strings.Join(strings.Fields(block), " "), bodySize, pageWidth-2*margin) {
				line("F1", bodySize, margin, l)
				y -= leading
			}
			y -= 8
		}
	}
	y = margin / 2
	line("F1", 8, margin, foot)
	return b.Bytes()
}

var escape = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`)

// wrap breaks text into lines no wider than a width in points.
func wrap(text string, size, width float64) (lines []string) {
	current := ""
	for _, word := range strings.Fields(text) {
		longer := strings.TrimPrefix(current+" "+word, " ")
		if current != "" && measure(longer)*size/1000 > width {
			lines = append(lines, current)
			longer = word
		}
		current = longer
	}
	return append(lines, current)
}

// helvetica holds the advance widths of Helvetica's printable ASCII, in thousandths of the size, as the Core 14 metrics
// give them.
var helvetica = [...]float64{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556,
	556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556,
	556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

func measure(s string) (w float64) {
	for _, r := range s {
		if i := int(r) - ' '; i >= 0 && i < len(helvetica) {
			w += helvetica[i]
		} else {
			w += 556
		}
	}
	return w
}

// write puts the pages into a file: catalogue, page tree, two fonts, information, then each page and its content.
func write(streams [][]byte) []byte {
	var kids strings.Builder
	for i := range streams {
		fmt.Fprintf(&kids, "%d 0 R ", 6+2*i)
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
		fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] >>", len(streams), kids.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
		"<< /Title (The Economics of Long Agent Runs) /Author (Institute for Measured Computing) /CreationDate (D:20250715090000Z) >>",
	}
	for i, s := range streams {
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 %d %d ] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents %d 0 R >>",
				pageWidth, pageHeight, 7+2*i),
			fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", len(s), s))
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}
