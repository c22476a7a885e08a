package extract

import (
	"math"
	"sort"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// A textLine is a line as PDFium ends it: at a word divided by a hyphen the next printed line belongs to it too.
// Positions are in points, y upwards; NaN never occurs, and placed is false where they are not known.
type textLine struct {
	text   string
	x, y   float64 // origin of the first character
	endY   float64 // baseline of the last one
	size   float64 // of the type
	placed bool
}

// textLines reads a page's text in one call and the place of each line's ends.
func textLines(lib pdfium.Pdfium, tp references.FPDF_TEXTPAGE) ([]textLine, error) {
	n, err := lib.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: tp})
	if err != nil || n.Count == 0 {
		return nil, err
	}
	got, err := lib.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: tp, Count: n.Count})
	if err != nil {
		return nil, err
	}
	// Characters without a code are left out of the text, and those beyond the BMP count twice: then the text's own
	// numbering is not PDFium's, and lines have no place.
	runes := []rune(got.Text)
	placed := len(runes) == n.Count && len(utf16.Encode(runes)) == len(runes)
	var lines []textLine
	for at := 0; at < len(runes); {
		end := at
		for end < len(runes) && runes[end] != '\n' && runes[end] != '\r' {
			end++
		}
		first, last := at, end-1
		for first <= last && unicode.IsSpace(runes[first]) {
			first++
		}
		for last >= first && unicode.IsSpace(runes[last]) {
			last--
		}
		if first <= last {
			l := textLine{text: rawText(runes[first : last+1])}
			if placed {
				l.place(lib, tp, first, last)
			}
			if visible(l.text) {
				lines = append(lines, l)
			}
		}
		at = end + 1
	}
	return lines, nil
}

// rawText keeps what PDFium read, with U+0002 for the hyphen at a line's end, which it reports as U+FFFE here, and
// without control characters that no page shows.
func rawText(runes []rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0xfffe:
			return 2
		case r < 0x20 && r != '\t' && r != 2:
			return -1
		}
		return r
	}, string(runes))
}

func (l *textLine) place(lib pdfium.Pdfium, tp references.FPDF_TEXTPAGE, first, last int) {
	a, errA := lib.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: tp, Index: first})
	b, errB := lib.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: tp, Index: last})
	s, errS := lib.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: tp, Index: first})
	m, errM := lib.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: tp, Index: first})
	if errA != nil || errB != nil || errS != nil || errM != nil {
		return
	}
	scale := math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D)) // many files set the size in the text matrix
	l.x, l.y, l.endY, l.size, l.placed = a.X, a.Y, b.Y, s.FontSize*scale, true
}

// A pdfParagraph is lines that belong together.
type pdfParagraph struct {
	text string
	size float64
}

// paragraphsOf joins lines to paragraphs: a new one begins after a wide gap, in another column, in another size, at an
// indented line after the end of a sentence, and where it grows too long.
func paragraphsOf(lines []textLine) []pdfParagraph {
	pitch := usualPitch(lines)
	var list []pdfParagraph
	for i, l := range lines {
		if i == 0 || breaksBefore(lines[i-1], l, pitch) || len(list[len(list)-1].text) > maxParagraph {
			list = append(list, pdfParagraph{l.text, l.size})
			continue
		}
		list[len(list)-1].text += "\n" + l.text
	}
	return list
}

// usualPitch is the median distance of a line from the one above it.
func usualPitch(lines []textLine) float64 {
	var gaps []float64
	for i := 1; i < len(lines); i++ {
		a, b := lines[i-1], lines[i]
		if gap := a.endY - b.y; a.placed && b.placed && gap > 0.5*b.size && gap < 3*b.size {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) == 0 {
		return 0
	}
	sort.Float64s(gaps)
	return gaps[len(gaps)/2]
}

func breaksBefore(a, b textLine, pitch float64) bool {
	if !a.placed || !b.placed {
		return false
	}
	gap := a.endY - b.y
	switch {
	case gap < -0.5*b.size: // upwards: another column, or a float
		return true
	case gap > 1.3*pitch && gap > 1.25*max(a.size, b.size):
		return true
	case b.size > a.size*1.12 || a.size > b.size*1.12:
		return gap > 0.5*b.size
	}
	indented := b.x > a.x+0.7*b.size && b.x < a.x+4*b.size && gap > 0.5*b.size
	return indented && strings.ContainsRune(".!?:”\"’", lastRune(a.text))
}

func lastRune(s string) rune {
	r := []rune(s)
	return r[len(r)-1]
}

// drawing is what a page draws besides text.
type drawing struct {
	images  int
	dropped bool
}

// dropInvisible removes text drawn in render mode 3, which no reader sees, from the loaded page. The text layer under a
// scan is drawn so too, and it stays: there the reader sees the same words in the picture.
func dropInvisible(lib pdfium.Pdfium, page requests.Page) (drawing, error) {
	var d drawing
	n, err := lib.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil {
		return d, err
	}
	var invisible []references.FPDF_PAGEOBJECT
	visibleTexts, picture := 0, 0.0
	for i := range min(n.Count, maxPageObjs) {
		o, err := lib.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err != nil {
			continue
		}
		kind, err := lib.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o.PageObject})
		if err != nil {
			continue
		}
		switch kind.Type {
		case enums.FPDF_PAGEOBJ_TEXT:
			mode, err := lib.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: o.PageObject})
			if err == nil && mode.TextRenderMode == enums.FPDF_TEXTRENDERMODE_INVISIBLE {
				invisible = append(invisible, o.PageObject)
			} else {
				visibleTexts++
			}
		case enums.FPDF_PAGEOBJ_IMAGE:
			d.images++
			if b, err := lib.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: o.PageObject}); err == nil {
				picture = max(picture, float64(b.Right-b.Left)*float64(b.Top-b.Bottom))
			}
		case enums.FPDF_PAGEOBJ_FORM:
			d.images++ // may be a picture: only asked about where there is no text at all
		}
	}
	if len(invisible) == 0 {
		return d, nil
	}
	w, errW := lib.FPDF_GetPageWidth(&requests.FPDF_GetPageWidth{Page: page})
	h, errH := lib.FPDF_GetPageHeight(&requests.FPDF_GetPageHeight{Page: page})
	if errW == nil && errH == nil && picture >= 0.5*w.Width*h.Height && visibleTexts*10 <= len(invisible) {
		return d, nil
	}
	for _, o := range invisible {
		if _, err := lib.FPDFPage_RemoveObject(&requests.FPDFPage_RemoveObject{Page: page, PageObject: o}); err != nil {
			return d, err
		}
	}
	d.dropped = true
	return d, nil
}

// garbled reports whether a text layer decodes to something else than words: codes without meaning, or letters mixed
// with signs inside of words.
func garbled(lines []textLine) bool {
	letters, broken, total := 0, 0, 0
	for _, l := range lines {
		for _, r := range l.text {
			switch {
			case unicode.IsSpace(r) || r == 2:
				continue
			case unicode.IsLetter(r):
				letters++
			case r == unicode.ReplacementChar || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Cc, r):
				broken++
			}
			total++
		}
	}
	return total >= 20 && broken*4 > total
}
