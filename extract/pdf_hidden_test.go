package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a reader of the page does not see is not read, and that is said; what may be seen is read.
func TestPDFUnseenText(t *testing.T) {
	const seen = "Total: 612,500 crowns."
	line := show(11, 60, 700, seen)
	in := func(color, text string) string { return "q " + color + " rg " + text + "Q\n" }
	for _, c := range []struct {
		name, content string
		hidden        bool
		want          string
	}{
		{"nothing hidden", line, false, seen},
		{"right of the page, on a line with other text", line + show(11, 700, 700, "Or two."), true, seen},
		{"left of it", show(11, -300, 600, "Or two.") + line, true, seen},
		{"above it", show(11, 60, 900, "Or two.") + line, true, seen},
		{"below it", line + show(11, 60, -40, "Or two."), true, seen},
		{"over its edge", line + show(11, 560, 600, "Crossing words."), false, seen + "\nCrossing words."},
		{"white", line + in("1 1 1", show(11, 60, 600, "Or two.")), true, seen},
		{"white on a dark ground", line + "q 0 0 0.5 rg 50 590 200 30 re f Q\n" + in("1 1 1", show(11, 60, 600, "Or two.")), false, seen + "\nOr two."},
		{"white on a picture", "q 595 0 0 842 0 0 cm /Im1 Do Q\n" + in("1 1 1", line), false, seen},
		{"light grey", line + in("0.9 0.9 0.9", show(11, 60, 600, "Or two.")), false, seen + "\nOr two."},
		{"too small to read", line + "BT /F1 1 Tf 0.4 0 0 0.4 60 600 Tm (Or two.) Tj ET\n", true, seen},
		{"small", line + show(4, 60, 600, "Or two."), false, seen + "\nOr two."},
	} {
		p := readPDF(t, writePDF("", "", c.content))
		if got := quotable(p); got != c.want || hasFlag(p, FlagHidden) != c.hidden {
			t.Errorf("%s: %q, flags %v", c.name, got, p.Flags)
		}
	}
}

// Invisible text in a form that the page draws is hidden too.
func TestPDFUnseenTextInForms(t *testing.T) {
	form := pdfStream("/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >>", "3 Tr "+show(11, 60, 600, "Or two."))
	p := readPDF(t, buildPDF(append(pdfOf("/Font << /F1 3 0 R >> /XObject << /X 6 0 R >>", show(11, 60, 700, "Total: 612,500 crowns.")+"/X Do"), form)...))
	if got := quotable(p); got != "Total: 612,500 crowns." || !hasFlag(p, FlagHidden) {
		t.Errorf("%q, flags %v", got, p.Flags)
	}
}

// A text layer behind the picture of a page is somebody's OCR.
func TestPDFTextLayer(t *testing.T) {
	p := readPDF(t, writePDF("", "", "q 595 0 0 842 0 0 cm /Im1 Do Q\nq 3 Tr "+show(11, 60, 680, "The total is 2 crowns.")+"Q\n"))
	if len(p.Blocks) != 1 || p.Blocks[0].Path != "ocr" || !hasFlag(p, FlagOCR) || hasFlag(p, FlagHidden) {
		t.Errorf("%+v, flags %v", p.Blocks, p.Flags)
	}
}

// Pages are read upright, however they are turned and however their text lies on them.
func TestPDFTurns(t *testing.T) {
	lines := []string{"The first line says one thing.", "The second says another one.", "The third is the last."}
	want := strings.Join(lines, "\n")
	for page := 0; page < 360; page += 90 {
		for name, matrix := range map[string]string{"upright": "1 0 0 1 0 0", "left": "0 1 -1 0 595 0", "on its head": "-1 0 0 -1 595 842", "right": "0 -1 1 0 0 842"} {
			var b strings.Builder
			for i, l := range lines {
				b.WriteString(show(11, 60, 500-13*i, l))
			}
			p := readPDF(t, writePDF("/Rotate "+map[int]string{0: "0", 90: "90", 180: "180", 270: "270"}[page], "", "q "+matrix+" cm\n"+b.String()+"Q\n"))
			if got := quotable(p); got != want {
				t.Errorf("a page turned by %d with text %s reads %q", page, name, got)
			}
		}
	}
}

func TestPDFForms(t *testing.T) {
	look := pdfStream("/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 3 0 R >> >>", "BT /F1 10 Tf 2 5 Td (Ada Lovelace) Tj ET")
	field := func(rest string) string { return "<< /Type /Annot /Subtype /Widget /FT /Tx " + rest + " >>" }
	objects := []string{look,
		field("/T (name) /V (Ada Lovelace) /Rect [60 600 260 620] /AP << /N 5 0 R >>"),
		field("/T (town) /V (London\\rMarylebone) /Rect [60 560 260 590]"),
		field("/T (word) /Ff 8192 /V (secret) /Rect [60 520 260 540]"),
		field("/T (note) /F 2 /V (nobody sees it) /Rect [60 480 260 500]"),
		"<< /Type /Annot /Subtype /FreeText /Contents (Seen by the clerk) /Rect [60 440 260 460] >>",
		"<< /Type /Annot /Subtype /Text /Contents (a note to open) /Rect [300 440 320 460] >>",
	}
	p := readPDF(t, writePDFWith(objects, "/Annots [6 0 R 7 0 R 8 0 R 9 0 R 10 0 R 11 0 R]", "/AcroForm << /Fields [6 0 R 7 0 R 8 0 R 9 0 R] >>", show(11, 60, 700, "Application")))
	var got []string
	for _, b := range p.Blocks {
		got = append(got, b.Path+": "+b.Text)
		if !b.Quotable {
			t.Errorf("%s may not be quoted", b.Locator)
		}
	}
	want := []string{": Application", "field name: Ada Lovelace", "field town: London\nMarylebone", "annotation: Seen by the clerk"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestPDFBareCodes(t *testing.T) {
	for text, want := range map[string]bool{
		"について削除してインストールする方法と表記がございます":                      true,
		"人人生而自由在尊严和权利上一律平等他们赋有理性和良心":                       true,
		"畏杆訃笯杤產耏臭甴對杆徎并筌赎朌琉怪色忆畏杆訃笯杤":                        false,
		"섻읻섣얻젟졳읻읃탟얷턳잓윣욳졷엇엓잋얷핛섻읻섣얻":                         false,
		"Running header of the journal of docks and piers": false, // in a font without a table any code may be any sign
		"χωψχψχφχϒϒψϋυφψχϊχφωψωψφϒωϊωχχ":                   false,
		"の": false, // too little to tell
	} {
		if got := sensible(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	// A font without a table: its codes are whatever its maker liked.
	bare := "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [.1 0 0 .1 0 0] /CharProcs << /x1 7 0 R >> /Encoding << /Differences [97 /x1 /x1 /x1 /x1 /x1] >> /FirstChar 97 /LastChar 101 /Widths [6 6 6 6 6] >>"
	glyph := pdfStream("", "6 0 0 0 6 6 d1 0 0 5 6 re f")
	words := strings.Repeat("abcde ", 20)
	p := readPDF(t, buildPDF(append(pdfOf("/Font << /F1 6 0 R >>", show(11, 60, 700, words)), bare, glyph)...))
	if len(p.Blocks) != 0 || !hasFlag(p, FlagGarbled) {
		t.Errorf("a page of bare codes: %+v, flags %v", p.Blocks, p.Flags)
	}
	p = readPDF(t, buildPDF(append(pdfOf("/Font << /F1 3 0 R /F2 6 0 R >>", show(11, 60, 700, "A page of words, and among them one sign ")+"BT /F2 11 Tf 1 0 0 1 280 700 Tm (a) Tj ET\n"+show(11, 60, 680, "that nobody knows.")), bare, glyph)...))
	if got := quotable(p); !strings.Contains(got, "\ufffd") || strings.Contains(got, "sign a") || hasFlag(p, FlagGarbled) {
		t.Errorf("one unknown sign: %q, flags %v", got, p.Flags)
	}
}
