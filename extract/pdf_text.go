package extract

import (
	"math"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// A textPage is the text of a loaded page as PDFium strings it together, and the lines made of it.
type textPage struct {
	lib   pdfium.Pdfium
	ref   references.FPDF_TEXTPAGE
	count int
	exact bool // the characters of the text are numbered as those of the page

	lines   []pdfLine
	chars   [][]int // for each line the number of each rune's character
	garbled bool
	hidden  bool // text off the page was left out
	stray   bool // there may be more text that nobody sees
}

func (r *pdfReader) openText(page requests.Page) (*textPage, error) {
	opened, err := r.lib.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return nil, err
	}
	t := &textPage{lib: r.lib, ref: opened.TextPage}
	n, err := t.lib.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: t.ref})
	if err != nil {
		t.close()
		return nil, err
	}
	t.count = n.Count
	return t, nil
}

func (t *textPage) close() {
	t.lib.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: t.ref})
}

// turn is how the page must be turned, in quarters clockwise, for most of its text to be upright; -1 where it has none.
func (t *textPage) turn() int {
	const samples = 25
	var votes [4]int
	for i := range min(samples, t.count) {
		at := i * t.count / min(samples, t.count)
		if g, err := t.lib.FPDFText_IsGenerated(&requests.FPDFText_IsGenerated{TextPage: t.ref, Index: at}); err != nil || g.IsGenerated {
			continue
		}
		a, err := t.lib.FPDFText_GetCharAngle(&requests.FPDFText_GetCharAngle{TextPage: t.ref, Index: at})
		if err == nil && !math.IsNaN(float64(a.CharAngle)) {
			votes[quarters(-float64(a.CharAngle))]++ // PDFium's angles run clockwise
		}
	}
	best := -1
	for turn, n := range votes {
		if n > 0 && (best < 0 || n > votes[best]) {
			best = turn
		}
	}
	return best
}

// A glyph is one rune of the text and the number of its character.
type glyph struct {
	r    rune
	char int
}

// read makes the lines. A line that PDFium joined to the next one, because a word is divided there, is parted again: the
// word may go on elsewhere than PDFium thinks.
func (t *textPage) read(f pageFrame) error {
	all, err := t.glyphs()
	if err != nil {
		return err
	}
	var kept [][]glyph
	var line []glyph
	end := func() {
		for len(line) > 0 && unicode.IsSpace(line[0].r) {
			line = line[1:]
		}
		for len(line) > 0 && unicode.IsSpace(line[len(line)-1].r) {
			line = line[:len(line)-1]
		}
		if line = t.dropFalseSpaces(line); len(line) > 0 {
			if l, ok := t.place(line, f); ok {
				t.lines = append(t.lines, l)
				kept = append(kept, line)
			}
		}
		line = nil
	}
	for _, g := range all {
		if g.r == '\r' || g.r == '\n' {
			end()
			continue
		}
		line = append(line, g)
		if g.r == lineEndHyphen {
			end()
		}
	}
	end()
	t.decode(kept)
	return nil
}

// lineEndHyphen stands for the hyphen of a word that is divided at a line's end; PDFium drops the hyphen itself.
const lineEndHyphen = '\u0002'

// glyphs reads the page's text in one call.
func (t *textPage) glyphs() ([]glyph, error) {
	if t.count == 0 {
		return nil, nil
	}
	got, err := t.lib.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: t.ref, Count: t.count})
	if err != nil {
		return nil, err
	}
	units := 0 // of UTF-16, which is what PDFium counts
	for _, r := range got.Text {
		units += utf16Len(r)
	}
	t.exact = units == t.count
	all := make([]glyph, 0, units)
	at := 0
	for _, r := range got.Text {
		char := at
		at += utf16Len(r)
		switch {
		case r == 0xfffe: // a divided word, or a character that stands for nothing
			char, r = t.char(char), unicode.ReplacementChar
			if h, err := t.lib.FPDFText_IsHyphen(&requests.FPDFText_IsHyphen{TextPage: t.ref, Index: char}); err == nil && h.IsHyphen {
				r = lineEndHyphen
			}
			all = append(all, glyph{r, char})
			continue
		case r < 0x20 && r != '\t' && r != '\n' && r != '\r', r >= 0x7f && r < 0xa0: // no page shows it: nothing, or a bare code
			if !t.unmapped(t.char(char)) {
				continue
			}
			r = unicode.ReplacementChar
		}
		all = append(all, glyph{r, char})
	}
	if !t.exact {
		for i, g := range all {
			all[i].char = t.char(g.char)
		}
	}
	return all, nil
}

func utf16Len(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

// char is the number of the character at a place of the text. Characters without a code are left out of the text.
func (t *textPage) char(at int) int {
	if t.exact {
		return at
	}
	c, err := t.lib.FPDFText_GetCharIndexFromTextIndex(&requests.FPDFText_GetCharIndexFromTextIndex{TextPage: t.ref, NTextIndex: at})
	if err != nil || c.CharIndex < 0 {
		return at
	}
	return c.CharIndex
}

// unmapped reports whether no table of its font says what a character is.
func (t *textPage) unmapped(char int) bool {
	e, err := t.lib.FPDFText_HasUnicodeMapError(&requests.FPDFText_HasUnicodeMapError{TextPage: t.ref, Index: char})
	return err == nil && e.HasUnicodeMapError
}

// suspect reports whether a page has a character whose code no table explains. Of the letters of ASCII, which are most
// of most pages, it asks for three in a line: each question costs a call.
func (t *textPage) suspect(lines [][]glyph) bool {
	for _, line := range lines {
		for i, g := range line {
			plain := g.r < 0x7f && (unicode.IsLetter(g.r) || unicode.IsDigit(g.r) || strings.ContainsRune(" .,-", g.r))
			if (!plain || i == 0 || i == len(line)/2 || i == len(line)-1) && g.r != lineEndHyphen && t.unmapped(g.char) {
				return true
			}
		}
	}
	return false
}

// decode gives the lines their text. U+FFFD stands for a character whose code no table of its font explains: what PDFium
// gives for it is the bare code. A page where they are many is garbled, unless the bare codes make sense.
func (t *textPage) decode(lines [][]glyph) {
	shown, broken := 0, 0
	var unknown []*glyph
	var bare strings.Builder
	all := t.suspect(lines)
	for _, line := range lines {
		for i := range line {
			g := &line[i]
			if unicode.IsSpace(g.r) || g.r == lineEndHyphen {
				continue
			}
			shown++
			switch {
			case all && t.unmapped(g.char):
				unknown = append(unknown, g)
				bare.WriteRune(g.r)
			case g.r == unicode.ReplacementChar || unicode.Is(unicode.Co, g.r):
				broken++
			}
		}
	}
	if len(unknown) > 0 && !sensible(bare.String()) {
		broken += len(unknown)
		for _, g := range unknown {
			g.r = unicode.ReplacementChar
		}
	}
	t.garbled = shown >= 20 && broken*4 > shown
	at := 0
	for n, line := range lines {
		var b strings.Builder
		chars := make([]int, len(line))
		for i, g := range line {
			b.WriteRune(g.r)
			chars[i] = g.char
		}
		l := t.lines[n]
		if l.Text = b.String(); visible(l.Text) {
			t.lines[at], t.chars = l, append(t.chars, chars)
			at++
		}
	}
	t.lines = t.lines[:at]
}

// place finds where a line stands. It reports false for one that no reader can see.
func (t *textPage) place(line []glyph, f pageFrame) (l pdfLine, shown bool) {
	first, last := line[0].char, line[len(line)-1]
	if last.r == lineEndHyphen && len(line) > 1 {
		last = line[len(line)-2] // the mark itself has no box
	}
	o, errO := t.lib.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: t.ref, Index: first})
	e, errE := t.lib.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: t.ref, Index: last.char})
	s, errS := t.lib.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: t.ref, Index: first})
	m, errM := t.lib.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: t.ref, Index: first})
	if errO != nil || errE != nil || errS != nil || errM != nil {
		return l, true
	}
	size := s.FontSize * math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D)) // many files set the size in the text matrix
	end := e.Rect
	for _, v := range []float64{o.X, o.Y, size, float64(end.Left), float64(end.Right), float64(end.Top), float64(end.Bottom)} {
		if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 1e6 {
			return l, true
		}
	}
	l.Size = max(math.Abs(size), 0.01)
	l.Turn = quarters(math.Atan2(float64(m.Matrix.B), float64(m.Matrix.A)))
	turned := f.turned(l.Turn)
	l.X, l.Y = turned.at(o.X, o.Y)
	left, top, right, _ := turned.box(float64(end.Left), float64(end.Bottom), float64(end.Right), float64(end.Top))
	l.Vertical = len(line) > 1 && top > l.Y && math.Abs(left+right-2*l.X) < 1.2*l.Size
	l.X, l.Right = min(l.X, left), max(l.X, right)
	if c, err := t.lib.FPDFText_GetFillColor(&requests.FPDFText_GetFillColor{TextPage: t.ref, Index: first}); err == nil {
		t.stray = t.stray || white(c.R, c.G, c.B, c.A)
	}
	const slack = 2
	width, height := turned.size()
	if l.Size < tiny || l.Y < -slack || l.Y-l.Size > height+slack || l.Right < -slack || l.X > width+slack {
		t.hidden = true
		return l, false
	}
	t.stray = t.stray || l.X < -slack || l.Right > width+slack
	return l, true
}

// tiny is the size of type, in points, below which nobody can read. Patterns are drawn so, and text to hide it.
const tiny = 1

// dropFalseSpaces takes out spaces that PDFium puts where the document has none, before a sign that touches the word in
// front of it, as after a raised number.
func (t *textPage) dropFalseSpaces(line []glyph) []glyph {
	kept := line[:0:0]
	for i, g := range line {
		if g.r == ' ' && i > 0 && i+1 < len(line) && strings.ContainsRune(".,;:)]!?", line[i+1].r) && t.touch(line[i-1].char, g.char, line[i+1].char) {
			continue
		}
		kept = append(kept, g)
	}
	return kept
}

// touch reports whether there is no gap between two characters that a space parts which PDFium made up.
func (t *textPage) touch(before, space, after int) bool {
	if g, err := t.lib.FPDFText_IsGenerated(&requests.FPDFText_IsGenerated{TextPage: t.ref, Index: space}); err != nil || !g.IsGenerated {
		return false
	}
	a, errA := t.lib.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: t.ref, Index: before})
	b, errB := t.lib.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: t.ref, Index: after})
	if errA != nil || errB != nil {
		return false
	}
	height := b.Rect.Top - b.Rect.Bottom
	gap := b.Rect.Left - a.Rect.Right
	return height > 0 && gap < 0.06*height && gap > -0.5*height
}
