package extract

import (
	"context"
	"html"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ibid/evidence"
	"ibid/internal/testset"
)

// The box of a word is where another program finds it, on pages in columns, on their side, and in other scripts.
func TestPDFBoxes(t *testing.T) {
	if _, err := exec.LookPath("pdftotext"); err != nil && os.Getenv("CI") == "" {
		t.Skip("needs pdftotext")
	}
	x := newProcessExtractor(t, 0)
	dir := testset.Path(t, "data", "extract", "pdf")
	for _, name := range []string{"gen_twocol_times", "gen_landscape2", "var_rotate90", "gen_multilang", "real_docling_odf_presentation_01.odp"} {
		file := filepath.Join(dir, name+".pdf")
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		words, over := 0, 0
		err = x.askPDF(t.Context(), Input{Body: body}, func(_ context.Context, d *pdfDocument, ask asker) error {
			for page := 1; page <= min(3, len(d.Pages)); page++ {
				var ends []lineEnd
				var where []Box
				for text, b := range uniqueWords(t, file, page) {
					if e, ok := d.only(page, text); ok {
						ends, where = append(ends, e), append(where, b)
					}
				}
				if len(ends) == 0 {
					continue
				}
				a, err := ask(pdfCall{Boxes: ends})
				if err != nil {
					return err
				}
				if len(a.Boxes) != len(ends) {
					t.Errorf("%s: %d words have %d boxes", name, len(ends), len(a.Boxes))
					continue
				}
				for i, b := range a.Boxes {
					words++
					if boxOverlap(b, where[i]) > 0.5 {
						over++
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if words < 40 && name != "real_docling_odf_presentation_01.odp" || over*100 < words*99 {
			t.Errorf("%s: %d of %d words are where pdftotext finds them", name, over, words)
		}
	}
}

var bboxWord = regexp.MustCompile(`<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">([^<]*)</word>`)

// uniqueWords are the words that stand once on a page, as pdftotext places them.
func uniqueWords(t *testing.T, file string, page int) map[string]Box {
	t.Helper()
	n := strconv.Itoa(page)
	out, err := exec.Command("pdftotext", "-bbox", "-f", n, "-l", n, file, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	found, times := map[string]Box{}, map[string]int{}
	for _, m := range bboxWord.FindAllStringSubmatch(string(out), -1) {
		var v [4]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(m[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		text := html.UnescapeString(m[5])
		times[text]++
		found[text] = Box{page, v[0], v[1], v[2], v[3]}
	}
	for text, n := range times {
		if n > 1 || len([]rune(text)) < 3 {
			delete(found, text)
		}
	}
	return found
}

// only finds a text that stands once on a page, and there between spaces.
func (d *pdfDocument) only(page int, text string) (e lineEnd, ok bool) {
	times := 0
	for n, l := range d.Pages[page-1].Lines {
		if at := strings.Index(" "+l.Text+" ", " "+text+" "); at >= 0 {
			from := len([]rune(l.Text[:at]))
			e = lineEnd{page, n, from, from + len([]rune(text))}
		}
		times += strings.Count(l.Text, text)
	}
	return e, times == 1 && e.To > 0
}

// boxOverlap is the share of the smaller box that the two have in common.
func boxOverlap(a, b Box) float64 {
	w, h := min(a.Right, b.Right)-max(a.Left, b.Left), min(a.Bottom, b.Bottom)-max(a.Top, b.Top)
	if w <= 0 || h <= 0 {
		return 0
	}
	area := func(b Box) float64 { return (b.Right - b.Left) * (b.Bottom - b.Top) }
	return w * h / math.Min(area(a), area(b))
}

// A quote over three printed lines has three boxes; one in a form field that of the field.
func TestPDFBoxesOfQuote(t *testing.T) {
	x := newProcessExtractor(t, 0)
	body := writePDFWith([]string{"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada) /Rect [300 500 400 520] >>"}, "/Annots [5 0 R]", "/AcroForm << /Fields [5 0 R] >>",
		show(10, 60, 700, "It was found that the dock")+show(10, 60, 688, "had been dug by hand in")+show(10, 60, 676, "the year 1911, and not later."))
	in := Input{URL: "https://a.example/x.pdf", Body: body}
	p, err := x.Extract(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	text := p.Blocks[0].Text
	start, end := strings.Index(text, "the dock"), strings.Index(text, ", and")
	boxes, err := x.Boxes(t.Context(), in, p.Blocks[0].Locator, start, end)
	if err != nil || len(boxes) != 3 {
		t.Fatalf("%v, %v", boxes, err)
	}
	for i, want := range []float64{700, 688, 676} {
		b := boxes[i]
		if base := 842 - want; b.Page != 1 || b.Top > base-5 || b.Bottom < base || b.Bottom-b.Top > 20 {
			t.Errorf("line %d is at %+v, and its baseline at %v", i, b, base)
		}
	}
	if boxes[0].Left < 80 || boxes[1].Left != 60 && math.Abs(boxes[1].Left-60) > 1 || boxes[2].Right > 140 {
		t.Errorf("the boxes are not those of the words: %+v", boxes)
	}
	field := p.Blocks[len(p.Blocks)-1]
	boxes, err = x.Boxes(t.Context(), in, field.Locator, 0, len(field.Text))
	if err != nil || len(boxes) != 1 || boxes[0].Left < 299 || boxes[0].Right > 401 || boxes[0].Top < 842-521 || boxes[0].Bottom > 842-499 {
		t.Errorf("the field %+v: %v, %v", field, boxes, err)
	}
	for _, at := range []evidence.Locator{{Unit: evidence.Page, A: 2, B: 1}, {Unit: evidence.Page, A: 1, B: 9}, {Unit: evidence.Para, A: 1}} {
		if _, err := x.Boxes(t.Context(), in, at, 0, 1); err == nil {
			t.Errorf("%s has a box", at)
		}
	}
	if _, err := x.Boxes(t.Context(), in, p.Blocks[0].Locator, 3, 1000); err == nil {
		t.Error("text beyond the block has a box")
	}
}
