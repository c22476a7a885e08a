package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
)

// textAt is a line of type of 10 points that is as wide as half a page's column.
func textAt(x, y float64, text string) pdfLine {
	return pdfLine{Text: text, X: x, Right: x + 230, Y: y, Size: 10}
}

// sized is a line in another size and of another width.
func sized(l pdfLine, size, width float64) pdfLine {
	l.Size, l.Right = size, l.X+width
	return l
}

func paragraphTexts(lines ...pdfLine) []string {
	p := pdfPage{Number: 1, Width: 595, Height: 842, Lines: lines}
	var texts []string
	for _, para := range p.paragraphs(nil) {
		texts = append(texts, para.text)
	}
	return texts
}

func TestPDFParagraphs(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []pdfLine
		want  []string
	}{
		{"a paragraph goes on in the next column, past a note and a table", []pdfLine{
			textAt(60, 700, "The dock was measured and found"), textAt(60, 712, "to be longer than any of the"),
			sized(textAt(70, 740, "1 As of May."), 7, 80),
			sized(textAt(340, 80, "Name Alpha"), 10, 90), sized(textAt(340, 92, "pier 12"), 10, 90), sized(textAt(310, 116, "Table 1: Piers."), 9, 120),
			textAt(310, 150, "others in the town."), textAt(310, 162, "Nobody had known."),
		}, []string{"The dock was measured and found\nto be longer than any of the\nothers in the town.\nNobody had known.", "1 As of May.", "Name Alpha\npier 12", "Table 1: Piers."}},
		{"a divided word goes on in the next column and not in the note", []pdfLine{
			textAt(60, 700, "It was built for the mea\u0002"), sized(textAt(70, 740, "2 Not a word of it."), 7, 80), textAt(310, 80, "surement of tides."), textAt(310, 92, "So it is said."),
		}, []string{"It was built for the mea\u0002surement of tides.\nSo it is said.", "2 Not a word of it."}},
		{"what ends does not go on", []pdfLine{
			textAt(60, 700, "It was dug in 1911."), textAt(310, 80, "another column begins here."),
		}, []string{"It was dug in 1911.", "another column begins here."}},
		{"a line of a table in the next column is no continuation", []pdfLine{
			textAt(60, 700, "The dock was measured and found"), sized(textAt(350, 80, "pier 12"), 10, 60), textAt(310, 120, "Nobody had known."),
		}, []string{"The dock was measured and found", "pier 12", "Nobody had known."}},
		{"raised type stays in its line", []pdfLine{
			sized(textAt(60, 400, "a"), 10, 5), sized(textAt(65.2, 396, "2"), 7, 4), sized(textAt(71, 400.5, "+ 8"), 10, 20),
		}, []string{"a2 + 8"}},
		{"lines that run downwards follow one another from right to left", []pdfLine{
			{Text: "日本語", X: 215, Right: 225, Y: 100, Size: 10, Vertical: true}, {Text: "あいうえお", X: 230, Right: 240, Y: 100, Size: 10, Vertical: true},
		}, []string{"あいうえお\n日本語"}},
		{"bullets begin anew", []pdfLine{
			textAt(60, 100, "Three things:"), textAt(60, 112, "• one,"), textAt(60, 124, "• two."),
		}, []string{"Three things:", "• one,", "• two."}},
		{"a heading over two lines is one", []pdfLine{
			sized(textAt(60, 100, "The Measuring of Har\u0002"), 16, 230), sized(textAt(60, 124, "bours"), 16, 50), textAt(60, 150, "It began"), textAt(60, 162, "in 1911."),
		}, []string{"The Measuring of Har\u0002bours", "It began\nin 1911."}},
		{"what stands on its side is apart", []pdfLine{
			textAt(60, 100, "A line"), {Text: "arXiv:1.2", X: 200, Right: 300, Y: 20, Size: 10, Turn: 3}, textAt(60, 112, "and another."),
		}, []string{"A line", "arXiv:1.2", "and another."}},
	} {
		if diff := cmp.Diff(c.want, paragraphTexts(c.lines...)); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
}

// document makes pages of a header, a body whose first line stands apart from it, and a footer.
func document(pages int, header, body, footer func(page int) string) *pdfDocument {
	d := &pdfDocument{Info: map[string]string{}}
	for n := 1; n <= pages; n++ {
		p := pdfPage{Number: n, Width: 595, Height: 842}
		add := func(y float64, text string) {
			if text != "" {
				p.Lines = append(p.Lines, textAt(60, y, text))
			}
		}
		add(40, header(n))
		for i, line := range strings.Split(body(n), "\n") {
			add(90+12*float64(i), line)
		}
		add(800, footer(n))
		d.Pages = append(d.Pages, p)
	}
	return d
}

func TestPDFRunningLines(t *testing.T) {
	same := func(s string) func(int) string { return func(int) string { return s } }
	number := func(f string) func(int) string { return func(n int) string { return fmt.Sprintf(f, n) } }
	body := func(n int) string {
		return "Of " + []string{"", "docks", "piers", "quays", "cranes"}[n] + " there is much\nto tell, and nothing of it is said twice."
	}
	roman := func(n int) string { return []string{"", "i", "ii", "iii", "iv"}[n] }
	for _, c := range []struct {
		name                 string
		pages                int
		header, body, footer func(int) string
		want                 []string // set aside, on page 2
	}{
		{"header and page number", 4, same("Journal of Docks"), body, number("- %d -"), []string{"Journal of Docks", "- 2 -"}},
		{"header with the number in it", 4, number("Docks | Page %d of 4"), body, same(""), []string{"Docks | Page 2 of 4"}},
		{"roman numbers", 4, same(""), body, roman, []string{"ii"}},
		{"two pages prove no header", 2, same("Journal of Docks"), body, number("%d"), []string{"2"}},
		{"one page proves nothing", 1, same("Journal of Docks"), body, number("%d"), nil},
		{"numbers of a table", 4, func(n int) string { return []string{"", "17", "4", "911", "3"}[n] }, body, same(""), nil},
		{"the same text on each page", 4, same(""), same("It is said\nthree times\nand once more\nand then again\nuntil it is\nenough."), same(""), nil},
		{"headings that begin alike", 4, func(n int) string { return []string{"", "Docks", "Piers", "Quays", "Cranes"}[n] }, body, same(""), nil},
	} {
		d := document(c.pages, c.header, c.body, c.footer)
		page := d.layOut("https://a.example/x.pdf")
		var got []string
		for _, b := range page.Blocks {
			if b.Locator.A == 2 && !b.Main {
				got = append(got, b.Text)
			}
			if b.Quotable != b.Main {
				t.Errorf("%s: %s is quotable and set aside", c.name, b.Locator)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
}

func TestPDFHeadings(t *testing.T) {
	d := &pdfDocument{Info: map[string]string{"Subject": "Docks 4 (2026), doi:10.1234/docks.7.", "Title": "Microsoft Word - docks.docx"}, Pages: []pdfPage{{Number: 1, Label: "iv", Width: 595, Height: 842, Lines: []pdfLine{
		sized(textAt(60, 100, "On Docks"), 20, 100), sized(textAt(60, 140, "1 Their depth"), 14, 100), textAt(60, 170, "They are deep, as has been"), textAt(60, 182, "found by all who fell in."), sized(textAt(60, 220, "2 Their length"), 14, 100), textAt(60, 250, "They are long."),
	}}}}
	p := d.layOut("https://a.example/x.pdf")
	var got []string
	for _, b := range p.Blocks {
		got = append(got, fmt.Sprintf("%s %s%d %q %q", b.Locator, b.Role, b.Level, b.Heading, b.Label))
	}
	want := []string{`p.1.1 heading1 "" "iv"`, `p.1.2 heading2 "On Docks" "iv"`, `p.1.3 0 "1 Their depth" "iv"`, `p.1.4 heading2 "1 Their depth" "iv"`, `p.1.5 0 "2 Their length" "iv"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if p.Title != "On Docks" || p.DOI != "10.1234/docks.7" || p.Kind != evidence.PDF {
		t.Errorf("title %q, DOI %q", p.Title, p.DOI)
	}
}
