package extract

import (
	"math"
	"strings"
	"unicode/utf8"
)

// A pdfDocument is what PDFium tells of a document, before it is laid out as blocks. It crosses from the process that
// reads PDFs to the one that asked.
type pdfDocument struct {
	Info  map[string]string // entries of the information dictionary and the catalogue, by name
	Pages []pdfPage
	Cut   bool // a limit ended the reading
}

// A pdfPage is one page. Places on it are in points from the top left corner of the page as it is displayed when it is
// turned so that most of its text is upright.
type pdfPage struct {
	Number        int    // from 1
	Label         string // as the document numbers its pages: "iv"
	Width, Height float64
	Lines         []pdfLine

	Hidden  bool    // text that shows nothing was left out
	Picture bool    // it has no text, and draws something that may show some
	PPI     float64 // pixels in an inch of its largest picture, likewise
	Garbled bool    // codes of its text stand for no known characters
	Scanned bool    // its text is an invisible layer over a picture of the same words: somebody's OCR
	Broken  bool    // it could not be read

	Recognised bool // its text was recognised in its picture
}

// A pdfLine is one printed line, or a part of one.
type pdfLine struct {
	Text     string    // U+0002 at its end stands for a hyphen that divides a word
	X, Right float64   // where it begins and ends
	Y        float64   // its baseline, downwards
	Size     float64   // of its type; 0 where its place is not known
	Turn     int       // quarter turns clockwise that make it upright; its place is in a page so turned
	Vertical bool      // its characters stand one under another
	Field    string    // of an annotation: the name of its form field, or its kind
	Words    []pdfWord // where it was recognised in a picture
	Begins   bool      // likewise: a paragraph begins with it
}

// A pdfWord is a word that was recognised in a picture. It ends at byte End of its line.
type pdfWord struct {
	End                      int
	Left, Top, Right, Bottom float64
}

// placed reports whether it is known where the line stands.
func (l *pdfLine) placed() bool { return l.Size > 0 }

// divided reports whether the line ends inside a word.
func (l *pdfLine) divided() bool { return strings.HasSuffix(l.Text, "\u0002") }

// A pageFrame turns places in a page's own space, y upwards, to those of a page that is turned and shown.
type pageFrame struct {
	left, bottom, right, top float64 // the visible part of the page
	turn                     int     // quarter turns clockwise, 0…3
}

func (f pageFrame) turned(turn int) pageFrame {
	f.turn = turn
	return f
}

func (f pageFrame) size() (width, height float64) {
	if f.turn%2 == 1 {
		return f.top - f.bottom, f.right - f.left
	}
	return f.right - f.left, f.top - f.bottom
}

func (f pageFrame) at(x, y float64) (float64, float64) {
	switch f.turn {
	case 1:
		return y - f.bottom, x - f.left
	case 2:
		return f.right - x, y - f.bottom
	case 3:
		return f.top - y, f.right - x
	}
	return x - f.left, f.top - y
}

// box turns a rectangle.
func (f pageFrame) box(left, bottom, right, top float64) (l, t, r, b float64) {
	x1, y1 := f.at(left, bottom)
	x2, y2 := f.at(right, top)
	return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)
}

// outside reports whether a place lies beyond the visible page, by more than a rounding.
func (f pageFrame) outside(left, bottom, right, top float64) bool {
	const slack = 1
	return right < f.left-slack || left > f.right+slack || top < f.bottom-slack || bottom > f.top+slack
}

// quarters is an angle in radians as quarter turns, 0…3.
func quarters(angle float64) int {
	return ((int(math.Round(angle/(math.Pi/2))) % 4) + 4) % 4
}

// firstRune and lastRune are those of a text that is not empty.
func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}
