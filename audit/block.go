package audit

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// What a block of a report is.
type blockKind int

const (
	paragraph blockKind = iota
	title               // the first heading, if it is of the first level
	heading
	item    // the text of a list item
	columns // the head of a table
	row     // of a table
	quote   // a block quote of nothing but text and code
	code    // a code block
	note    // a paragraph of a footnote
	rawHTML // a block of HTML
)

// A block is a piece of a report that is judged by itself.
type block struct {
	kind blockKind
	prose
	start, end int
	level      int    // of a heading
	lead       *block // the line that introduces it: it ends with a colon, or is a table's caption
	after      *block // the line after a picture or table, which may be its caption
	count      string // the number of a row in its table
	opens      int    // how many list items, rows or blocks it introduces
	note       int    // the number of the footnote that it belongs to
	cells      []Range
	mentions   []mention // what is or looks like a citation, in order
	sources    bool      // it is an entry of the list of sources
}

// A document is a parsed report.
type document struct {
	src    []byte
	blocks []*block
	listed bool // there is such a list
	refs   []reference
}

// A reference is a link definition ([x]: url "title"), which shows nothing by itself.
type reference struct {
	at                 int
	label, dest, title string
}

// The parser leaves the footnotes where they are, so that one that nothing refers to is checked too.
var markdownParser = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
	goldmark.WithParserOptions(
		parser.WithBlockParsers(util.Prioritized(extension.NewFootnoteBlockParser(), 999)),
		parser.WithInlineParsers(util.Prioritized(extension.NewFootnoteParser(), 101)))).Parser()

func parse(src []byte) *document {
	pc := parser.NewContext()
	root := markdownParser.Parse(text.NewReader(src), parser.WithContext(pc))
	w := &walker{document: document{src: src}}
	w.findSources(root)
	w.walk(root, nil, paragraph, 0)
	for _, r := range pc.References() {
		label := string(r.Label())
		at := strings.Index(string(src), "["+label+"]:")
		w.refs = append(w.refs, reference{max(at, 0), label, string(r.Destination()), string(r.Title())})
	}
	sortReferences(w.refs)
	return &w.document
}

type walker struct {
	document
	sourceLists map[ast.Node]bool // the lists that make up the list of sources
	titled      bool
	depth       int
}

// maxDepth bounds the nesting of blocks that is followed; deeper text is taken as one paragraph of raw text.
const maxDepth = 60

// walk adds the blocks under n. kind is what a paragraph there is, lead what introduces them.
func (w *walker) walk(n ast.Node, lead *block, kind blockKind, noteIndex int) {
	if w.depth++; w.depth > maxDepth {
		w.depth--
		w.tooDeep(n)
		return
	}
	defer func() { w.depth-- }()
	var prev *block // the paragraph right before, if it may introduce what comes
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		intro := lead
		if prev != nil && introduces(prev, c) {
			prev.lead = lead
			intro = prev
			prev.opens += max(c.ChildCount(), 1)
		}
		prev = w.walkBlock(c, intro, lead, kind, noteIndex)
	}
}

// walkBlock adds one block node and returns it if it is a paragraph, which may introduce the next.
func (w *walker) walkBlock(c ast.Node, intro, lead *block, kind blockKind, noteIndex int) *block {
	switch c := c.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		b := w.add(&block{kind: kind, lead: lead, note: noteIndex, sources: w.inSources(c)}, c)
		w.caption(b)
		return b
	case *ast.Heading:
		b := &block{kind: heading, level: c.Level}
		if c.Level == 1 && !w.titled && len(w.blocks) == 0 {
			b.kind = title
		}
		w.titled = true
		w.add(b, c)
	case *ast.List:
		for it := c.FirstChild(); it != nil; it = it.NextSibling() {
			k := item
			if kind == note {
				k = note
			}
			w.walk(it, intro, k, noteIndex)
		}
	case *ast.Blockquote:
		if q := w.quote(c); q != nil {
			q.lead = intro
			w.blocks = append(w.blocks, q)
		} else {
			w.walk(c, intro, kind, noteIndex)
		}
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		w.blocks = append(w.blocks, w.codeBlock(c, intro, noteIndex))
	case *ast.HTMLBlock:
		w.blocks = append(w.blocks, w.htmlBlock(c))
	case *east.Table:
		w.table(c, intro)
	case *east.FootnoteList:
		for f := c.FirstChild(); f != nil; f = f.NextSibling() {
			if f, ok := f.(*east.Footnote); ok {
				w.walk(f, nil, note, f.Index)
			}
		}
	case *ast.ThematicBreak:
	default:
		w.walk(c, intro, kind, noteIndex)
	}
	return nil
}

// add reads the inline text of n into b and appends b.
func (w *walker) add(b *block, n ast.Node) *block {
	b.read(n, w.src, part{})
	b.start, b.end = extent(n, &b.prose)
	b.scanMentions()
	w.blocks = append(w.blocks, b)
	return b
}

// extent is the range in the Markdown that a block node covers.
func extent(n ast.Node, p *prose) (start, end int) {
	if n.Type() == ast.TypeBlock {
		if l := n.Lines(); l != nil && l.Len() > 0 {
			return l.At(0).Start, l.At(l.Len() - 1).Stop
		}
	}
	if len(p.at) > 0 {
		return p.at[0], p.end()
	}
	return 0, 0
}

// introduces reports whether the paragraph b introduces the block c that follows it.
func introduces(b *block, c ast.Node) bool {
	t := strings.TrimSpace(withoutCitations(b))
	switch c.(type) {
	case *ast.List, *ast.Blockquote, *ast.CodeBlock, *ast.FencedCodeBlock:
		return strings.HasSuffix(t, ":") || strings.HasSuffix(t, "：")
	case *east.Table:
		return strings.HasSuffix(t, ":") || strings.HasSuffix(t, "：") || isCaption(t) || len(sentences(t, nil)) == 1 && !asserts(t)
	}
	return false
}

// isCaption reports whether a line is the caption of a figure or table by its label.
func isCaption(t string) bool { return captionLabel(t) > 0 }

// captionLabel is the length of the label that a caption begins with, 0 if it has none.
func captionLabel(t string) int { return len(captionLabels.FindString(t)) }

// caption makes b the caption of the picture or table before it, if its label says that it is one.
func (w *walker) caption(b *block) {
	if !isCaption(string(b.text)) {
		return
	}
	for i := len(w.blocks) - 2; i >= 0; i-- {
		p := w.blocks[i]
		if p.kind != row && p.kind != columns && len(p.links) == 0 {
			return
		}
		p.after = b
		if p.kind != row {
			return
		}
	}
}

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
