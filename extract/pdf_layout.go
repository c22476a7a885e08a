package extract

import (
	"sort"
	"strings"
	"unicode"
)

// A pdfParagraph is lines of a page that belong together.
type pdfParagraph struct {
	text    string
	parts   []pdfPart
	size    float64 // of its type, in points
	running bool    // a running header, a footer or a page number
	lines   []pdfLine
}

// A pdfPart is where a line of the page begins in a paragraph's text.
type pdfPart struct {
	line int // its number on the page, from 0
	at   int // bytes
}

// add puts a line at the paragraph's end. The text of the page's lines is kept as it is; a line feed parts them, unless
// a word goes on or they are pieces of one printed line.
func (p *pdfParagraph) add(l *pdfLine, number int) {
	switch last := p.last(); {
	case last == nil:
		p.size = l.Size
	case last.divided():
	case continues(last, l):
		if l.X-last.Right > 0.12*max(last.Size, l.Size) {
			p.text += " "
		}
	default:
		p.text += "\n"
	}
	p.parts = append(p.parts, pdfPart{number, len(p.text)})
	p.text += l.Text
	p.lines = append(p.lines, *l)
}

func (p *pdfParagraph) last() *pdfLine {
	if len(p.lines) == 0 {
		return nil
	}
	return &p.lines[len(p.lines)-1]
}

// join adds the lines of a paragraph that goes on elsewhere.
func (p *pdfParagraph) join(q *pdfParagraph) {
	for i := range q.lines {
		p.add(&q.lines[i], q.parts[i].line)
	}
}

// continues reports whether b goes on in the printed line that a begins: PDFium ends a line at raised and lowered type.
func continues(a, b *pdfLine) bool {
	if !a.placed() || !b.placed() || a.Words != nil || b.Words != nil || a.Turn != b.Turn || a.Vertical || b.Vertical || a.Field != b.Field {
		return false
	}
	size := max(a.Size, b.Size)
	gap, rise := b.X-a.Right, a.Y-b.Y
	return gap > -0.2*size && gap < 0.35*size && rise > -0.6*size && rise < 0.6*size && (rise != 0 || a.Size != b.Size)
}

// paragraphs joins the lines of a page. running tells which of them repeat from page to page and stand for themselves.
func (p *pdfPage) paragraphs(running map[int]bool) []pdfParagraph {
	order := p.order()
	pitch := p.pitch(order)
	var list []pdfParagraph
	for i, n := range order {
		l := &p.Lines[n]
		if i > 0 {
			prev := order[i-1]
			para := &list[len(list)-1]
			if running[n] == running[prev] && !breaksBefore(&p.Lines[prev], l, pitch) && len(para.text) <= maxParagraph {
				para.add(l, n)
				continue
			}
		}
		para := pdfParagraph{running: running[n]}
		para.add(l, n)
		list = append(list, para)
	}
	return p.flow(list)
}

// order is the order of the lines: as the document draws them, but for lines that run downwards, which follow one
// another from right to left.
func (p *pdfPage) order() []int {
	order := make([]int, len(p.Lines))
	for i := range order {
		order[i] = i
	}
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && p.Lines[to].Vertical {
			to++
		}
		run := order[from:to]
		sort.SliceStable(run, func(i, j int) bool {
			a, b := &p.Lines[run[i]], &p.Lines[run[j]]
			return a.X > b.X+0.5*b.Size && a.Y < b.Y+2*b.Size && b.Y < a.Y+2*a.Size
		})
		from = max(to, from+1)
	}
	return order
}

// pitch is the median distance of a line from the one above it.
func (p *pdfPage) pitch(order []int) float64 {
	var gaps []float64
	for i := 1; i < len(order); i++ {
		a, b := &p.Lines[order[i-1]], &p.Lines[order[i]]
		if gap := b.Y - a.Y; a.placed() && b.placed() && a.Turn == b.Turn && gap > 0.5*b.Size && gap < 3*b.Size {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) == 0 {
		return 0
	}
	sort.Float64s(gaps)
	return gaps[len(gaps)/2]
}

// breaksBefore reports whether a new paragraph begins with b: after a wide gap, in another column, in another size, at
// an indented line after the end of a sentence, and at a bullet.
func breaksBefore(a, b *pdfLine, pitch float64) bool {
	switch {
	case a.Field != b.Field, (a.Words == nil) != (b.Words == nil):
		return true
	case b.Words != nil:
		return b.Begins
	case !a.placed() || !b.placed():
		return false
	case a.Turn != b.Turn || a.Vertical != b.Vertical:
		return true
	case a.Vertical:
		return a.X-b.X < 0 || a.X-b.X > 3*b.Size
	case continues(a, b):
		return false
	case bulleted(b.Text):
		return true
	}
	gap := b.Y - a.Y
	switch {
	case gap < -0.5*b.Size: // upwards: another column, or a float
		return true
	case a.divided() && gap > 0 && gap < 2*b.Size && b.Size < 1.03*a.Size && a.Size < 1.03*b.Size:
		return false
	case gap > 1.3*pitch && gap > 1.25*max(a.Size, b.Size):
		return true
	case b.Size > a.Size*1.12 || a.Size > b.Size*1.12:
		return gap > 0.5*b.Size
	}
	indented := b.X > a.X+0.7*b.Size && b.X < a.X+4*b.Size && gap > 0.5*b.Size
	return indented && ended(a.Text)
}

// ended reports whether a text ends as a sentence does.
func ended(s string) bool { return strings.ContainsRune(".!?:;…。！？”\"’)", lastRune(s)) }

func bulleted(s string) bool {
	return strings.ContainsRune("•◦▪▸‣●■□➢➤✓∙⁃", firstRune(s)) && strings.ContainsFunc(s, unicode.IsLetter)
}

// flow puts together the paragraphs that go on in the next column, past the notes at the foot of theirs. Notes that were
// passed follow the paragraph.
func (page *pdfPage) flow(list []pdfParagraph) []pdfParagraph {
	var out []pdfParagraph
	for i := 0; i < len(list); i++ {
		p := list[i]
		for {
			next := page.continuation(&p, list[i+1:])
			if next < 0 || len(p.text) > maxParagraph {
				break
			}
			j := i + 1 + next
			p.join(&list[j])
			list = append(list[:j:j], list[j+1:]...)
		}
		out = append(out, p)
	}
	return out
}

// continuation finds the paragraph with which p goes on at the head of another column; -1 if there is none. Notes at the
// foot of p's column are passed, and what floats at the head of the next one.
func (page *pdfPage) continuation(p *pdfParagraph, rest []pdfParagraph) int {
	end := p.last()
	if !end.placed() || end.Turn != p.lines[0].Turn || end.Vertical || p.running || end.Field != "" || !end.divided() && ended(end.Text) {
		return -1
	}
	floats := 0
	for i := range rest {
		q := &rest[i]
		begin := &q.lines[0]
		if !begin.placed() || begin.Turn != end.Turn || begin.Field != "" {
			return -1
		}
		if q.running || footnote(end, q) {
			continue
		}
		if begin.Y > end.Y-2*end.Size || begin.X < end.X+3*end.Size || begin.X < end.Right-0.5*end.Size {
			return -1 // not to the right, or not above
		}
		lower := unicode.IsLower(firstRune(begin.Text))
		if lower && !page.atLeft(begin, p) { // a row of a table
			lower = false
		}
		if begin.Size < end.Size*1.03 && end.Size < begin.Size*1.03 && (lower || end.divided() && floats == 0) {
			return i
		}
		if lower || floats == maxFloats {
			return -1
		}
		floats++
	}
	return -1
}

// atLeft reports whether a line begins at the left edge of its column, which is as wide as that of p.
func (page *pdfPage) atLeft(l *pdfLine, p *pdfParagraph) bool {
	width := 0.0
	for i := range p.lines {
		width = max(width, p.lines[i].Right-p.lines[i].X)
	}
	for i := range page.Lines {
		m := &page.Lines[i]
		if m.placed() && m.Turn == l.Turn && m.Y > l.Y && m.Right-m.X > 0.5*width && m.X < l.X-0.5*l.Size && m.X > l.X-0.6*width {
			return false
		}
	}
	return true
}

// maxFloats is how many paragraphs of a table or figure, with its caption, may stand between the parts of a paragraph.
const maxFloats = 12

// footnote reports whether q is a note below the column that ends with the line end.
func footnote(end *pdfLine, q *pdfParagraph) bool {
	for i := range q.lines {
		l := &q.lines[i]
		if l.Y < end.Y || l.Size > 0.95*end.Size || l.X > end.Right {
			return false
		}
	}
	return true
}
