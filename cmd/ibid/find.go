package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"ibid/evidence"
	"ibid/extract"
	"ibid/gate"
	"ibid/index"
	"ibid/runs"
)

// A place is where a quote stands in a document.
type place struct {
	URL     string             `json:"url"`
	Locator evidence.Locator   `json:"locator"`
	Until   *evidence.Locator  `json:"until,omitempty"` // last span, where the quote runs over into the next one
	Match   evidence.MatchKind `json:"match"`
	Quote   string             `json:"quote"` // in the document's own bytes
	Heading string             `json:"heading,omitempty"`
	Columns string             `json:"columns,omitempty"`
	Label   string             `json:"label,omitempty"` // printed on the page
	Path    string             `json:"path,omitempty"`  // of the block in the document's structure
	Start   int                `json:"start,omitempty"` // byte range of the block in the document as decoded to UTF-8
	End     int                `json:"end,omitempty"`
	Boxes   []extract.Box      `json:"boxes,omitempty"` // of the quote on the pages of a PDF, one a printed line
}

// find prints where a quote stands, or what stands nearest to it.
func (c *extractCmd) find(e *env, x *extract.Extractor, in extract.Input, page *extract.Page) error {
	spans := extract.Spans("S1", page.Blocks)
	doc := evidence.NewDoc(page.Kind, spans)
	m := doc.Find(c.Find)
	if !m.OK() {
		err := &runs.Error{Code: runs.NotFound, Message: fmt.Sprintf("%s does not hold these words (%s)", in.URL, m.Reason)}
		if at, text := nearest(doc, spans, c.Find); text != "" {
			err.Hint = fmt.Sprintf("Nearest to it, at %s: %s", at, gate.Printable(text))
		}
		return err
	}
	p := place{URL: in.URL, Locator: m.Locator, Until: m.Until, Match: m.Kind, Quote: m.Quote}
	for _, b := range page.Blocks {
		if b.Locator == m.Locator {
			p.Heading, p.Columns, p.Label, p.Path, p.Start, p.End = b.Heading, b.Columns, b.Label, b.Path, b.Start, b.End
			p.Locator = b.At(m.Start)
			break
		}
	}
	if page.Kind == evidence.PDF {
		var err error
		if p.Boxes, err = boxes(e.ctx, x, in, page, m); err != nil {
			return err
		}
	}
	if e.cli.JSON {
		return json.NewEncoder(e.out).Encode(p)
	}
	fmt.Fprintf(e.out, "%s\t%s\n", p.Locator, gate.Printable(p.Quote))
	for _, detail := range []struct{ name, value string }{
		{"match", string(p.Match)}, {"heading", p.Heading}, {"columns", p.Columns}, {"printed page", p.Label}, {"path", p.Path},
	} {
		if detail.value != "" {
			fmt.Fprintf(e.err, "%s: %s\n", detail.name, gate.Printable(detail.value))
		}
	}
	if p.End > 0 {
		fmt.Fprintf(e.err, "bytes: %d-%d\n", p.Start, p.End)
	}
	for _, b := range p.Boxes {
		fmt.Fprintf(e.err, "box on page %d: %.1f %.1f %.1f %.1f\n", b.Page, b.Left, b.Top, b.Right, b.Bottom)
	}
	return nil
}

// boxes are where a quote stands on the pages of a PDF, which may be in two paragraphs.
func boxes(ctx context.Context, x *extract.Extractor, in extract.Input, page *extract.Page, m evidence.Match) ([]extract.Box, error) {
	if m.Until == nil {
		return x.Boxes(ctx, in, m.Locator, m.Start, m.End)
	}
	end := m.Start
	for _, b := range page.Blocks {
		if b.Locator == m.Locator {
			end = len(b.Text)
		}
	}
	head, err := x.Boxes(ctx, in, m.Locator, m.Start, end)
	if err != nil {
		return nil, err
	}
	tail, err := x.Boxes(ctx, in, *m.Until, 0, m.End)
	return append(head, tail...), err
}

// nearest is the text most like a quote, in the span that has most of its words.
func nearest(doc *evidence.Doc, spans []evidence.Span, quote string) (evidence.Locator, string) {
	x := index.New(index.Config{})
	for i, s := range spans {
		x.Add(index.Item{Key: strconv.Itoa(i), Body: s.Text})
	}
	for _, h := range x.Search(quote, 1) {
		i, _ := strconv.Atoi(h.Key)
		return spans[i].Locator, doc.Closest(spans[i].Locator, quote)
	}
	return evidence.Locator{}, ""
}
