package audit

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

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
