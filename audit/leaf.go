package audit

import (
	"strconv"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

func (w *walker) table(t *east.Table, lead *block) {
	n := 0
	for r := t.FirstChild(); r != nil; r = r.NextSibling() {
		b := &block{kind: row, lead: lead}
		if _, ok := r.(*east.TableHeader); ok {
			b.kind = columns
		}
		for cell := r.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if len(b.text) > 0 {
				b.put('\n', b.prose.end(), true)
			}
			start := len(b.text)
			b.read(cell, w.src, part{})
			for i := start; i < len(b.text); i++ { // a line break in a cell parts no sentences
				if b.text[i] == '\n' {
					b.text[i], b.scan[i] = ' ', ' '
				}
			}
			b.cells = append(b.cells, Range{start, len(b.text)})
		}
		b.start, b.end = extent(r, &b.prose)
		b.scanMentions()
		b.count = strconv.Itoa(n)
		n++
		w.blocks = append(w.blocks, b)
	}
}

// quote makes one block of a block quote that holds nothing but paragraphs and code, nil of any other.
func (w *walker) quote(q *ast.Blockquote) *block {
	b := &block{kind: quote}
	for c := q.FirstChild(); c != nil; c = c.NextSibling() {
		if len(b.text) > 0 {
			b.put('\n', b.prose.end(), true)
		}
		switch c := c.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			b.read(c, w.src, part{})
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			start := len(b.text)
			w.lines(b, c)
			b.code = append(b.code, Range{start, len(b.text)})
		default:
			return nil
		}
	}
	b.start, b.end = b.prose.place(Range{0, len(b.text)})
	b.scanMentions()
	return b
}

// lines appends the lines of a code block, masked.
func (w *walker) lines(b *block, n ast.Node) {
	for i := 0; i < n.Lines().Len(); i++ {
		s := n.Lines().At(i)
		for k := s.Start; k < s.Stop; k++ {
			if w.src[k] == '\n' {
				b.put('\n', k, true)
			} else if w.src[k] != '\r' {
				b.put(w.src[k], k, true)
			}
		}
	}
}

func (w *walker) codeBlock(n ast.Node, lead *block, noteIndex int) *block {
	b := &block{kind: code, lead: lead, note: noteIndex}
	w.lines(b, n)
	b.start, b.end = extent(n, &b.prose)
	if f, ok := n.(*ast.FencedCodeBlock); ok && f.Info != nil && b.start == 0 && b.end == 0 {
		b.start, b.end = f.Info.Segment.Start, f.Info.Segment.Stop
	}
	return b
}

func (w *walker) htmlBlock(n *ast.HTMLBlock) *block {
	b := &block{kind: rawHTML}
	w.lines(b, n)
	if n.HasClosure() {
		s := n.ClosureLine
		b.raw(w.src[s.Start:s.Stop], s.Start, part{masked: true})
	}
	b.start, b.end = extent(n, &b.prose)
	return b
}

// tooDeep takes everything under n as one piece of text.
func (w *walker) tooDeep(n ast.Node) {
	b := &block{kind: paragraph}
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && entering {
			b.raw(w.src[t.Segment.Start:t.Segment.Stop], t.Segment.Start, part{masked: true})
			b.put(' ', t.Segment.Stop, true)
		}
		return ast.WalkContinue, nil
	})
	if len(b.text) > 0 {
		b.start, b.end = b.prose.place(Range{0, len(b.text)})
		w.blocks = append(w.blocks, b)
	}
}
