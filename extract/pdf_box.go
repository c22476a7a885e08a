package extract

import (
	"context"
	"errors"
	"fmt"

	"github.com/klippa-app/go-pdfium/requests"

	"ibid/evidence"
)

// A Box is a rectangle on a page, in points from the top left corner of the page as it is displayed.
type Box struct {
	Page   int     `json:"page"` // from 1
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Right  float64 `json:"right"`
	Bottom float64 `json:"bottom"`
}

// empty reports whether the box has no area.
func (b Box) empty() bool { return b.Right <= b.Left || b.Bottom <= b.Top }

// around is the smallest box around both; a box without area counts for nothing.
func (b Box) around(c Box) Box {
	switch {
	case b.empty():
		return c
	case c.empty():
		return b
	}
	return Box{b.Page, min(b.Left, c.Left), min(b.Top, c.Top), max(b.Right, c.Right), max(b.Bottom, c.Bottom)}
}

// A lineEnd is a range of the runes of a page's line.
type lineEnd struct{ Page, Line, From, To int }

// Boxes finds where the bytes from start to end of a block of a PDF's text stand on its page: a box for each printed
// line. The document must be the one that the block was extracted from, by an Extractor with the same settings.
func (x *Extractor) Boxes(ctx context.Context, in Input, at evidence.Locator, start, end int) ([]Box, error) {
	var boxes []Box
	err := x.askPDF(ctx, in, func(ctx context.Context, d *pdfDocument, ask asker) error {
		para := d.at(at)
		if para == nil || start < 0 || end > len(para.text) || start > end {
			return fmt.Errorf("there is no text from %d to %d at %s", start, end, at)
		}
		var ends []lineEnd
		for _, s := range para.spans(start, end) {
			l := &d.Pages[at.A-1].Lines[s.line]
			if l.Words == nil && l.Field == "" {
				ends = append(ends, lineEnd{at.A, s.line, len([]rune(l.Text[:s.from])), len([]rune(l.Text[:s.to]))})
				continue
			}
			if b := l.part(s.from, s.to); !b.empty() {
				b.Page = at.A
				boxes = append(boxes, b)
			}
		}
		if len(ends) == 0 {
			return nil
		}
		a, err := ask(pdfCall{Boxes: ends})
		boxes = append(boxes, a.Boxes...)
		return err
	})
	return boxes, err
}

// at finds the paragraph of a locator; nil if there is none.
func (d *pdfDocument) at(l evidence.Locator) *pdfParagraph {
	if l.Unit != evidence.Page || l.A < 1 || l.A > len(d.Pages) {
		return nil
	}
	if list := d.paragraphs()[l.A-1]; l.B >= 1 && l.B <= len(list) {
		return &list[l.B-1]
	}
	return nil
}

// A lineSpan is a range of bytes of a line of the page.
type lineSpan struct{ line, from, to int }

// spans are the parts of lines that make up a range of the paragraph's text.
func (p *pdfParagraph) spans(start, end int) []lineSpan {
	var list []lineSpan
	for i, part := range p.parts {
		from, to := max(start-part.at, 0), min(end-part.at, len(p.lines[i].Text))
		if from < to {
			list = append(list, lineSpan{part.line, from, to})
		}
	}
	return list
}

// part is the place of a range of bytes of a line that was recognised in a picture or stands in a form field.
func (l *pdfLine) part(from, to int) Box {
	if l.Words == nil {
		return Box{Left: l.X, Top: l.Y - 0.9*l.Size, Right: l.Right, Bottom: l.Y + 0.25*l.Size}
	}
	var b Box
	begin := 0
	for _, w := range l.Words {
		if begin < to && from < w.End {
			b = b.around(Box{Left: w.Left, Top: w.Top, Right: w.Right, Bottom: w.Bottom})
		}
		begin = w.End
	}
	return b
}

// boxes finds the places of parts of lines. All are on one page.
func (r *pdfReader) boxes(ends []lineEnd) ([]Box, error) {
	var boxes []Box
	_, err := r.page(ends[0].Page-1, func(t *textPage, own pageFrame) {
		for _, e := range ends {
			if b := t.box(e, own); !b.empty() {
				boxes = append(boxes, b)
			}
		}
	})
	if err == nil && len(boxes) == 0 {
		err = errors.New("the text has no place on its page")
	}
	return boxes, err
}

// box is the place of a part of a line on the page as displayed.
func (t *textPage) box(e lineEnd, own pageFrame) Box {
	if e.Line >= len(t.chars) || e.From < 0 || e.To > len(t.chars[e.Line]) || e.From > e.To {
		return Box{}
	}
	var b Box
	for _, char := range t.chars[e.Line][e.From:e.To] {
		got, err := t.lib.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: t.ref, Index: char})
		if err != nil {
			continue
		}
		c := Box{Page: e.Page}
		c.Left, c.Top, c.Right, c.Bottom = own.box(float64(got.Rect.Left), float64(got.Rect.Bottom), float64(got.Rect.Right), float64(got.Rect.Top))
		b = b.around(c)
	}
	return b
}
