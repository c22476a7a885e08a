package foreign

import (
	"sort"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"ibid/audit"
	"ibid/internal/lazyregexp"
)

// The parser leaves footnotes where they are, so that one that nothing refers to is seen.
var markdownParser = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
	goldmark.WithParserOptions(
		parser.WithBlockParsers(util.Prioritized(extension.NewFootnoteBlockParser(), 999)),
		parser.WithInlineParsers(util.Prioritized(extension.NewFootnoteParser(), 101)))).Parser()

// readMarkdown takes a report in Markdown apart.
func readMarkdown(src []byte) *document {
	pc := parser.NewContext()
	root := markdownParser.Parse(text.NewReader(src), parser.WithContext(pc))
	w := &walker{src: src, starts: lineStarts(src), notes: map[int]string{}}
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if f, ok := n.(*east.Footnote); ok && entering {
			w.notes[f.Index] = string(f.Ref)
		}
		return ast.WalkContinue, nil
	})
	w.walk(root, nil, paragraph, "")
	at := labelsIn(src)
	for _, r := range pc.References() {
		label := string(r.Label())
		w.doc.definitions = append(w.doc.definitions, definition{label, string(r.Destination()), string(r.Title()), w.line(at[label])})
	}
	sort.Slice(w.doc.definitions, func(i, j int) bool {
		a, b := w.doc.definitions[i], w.doc.definitions[j]
		return a.line < b.line || a.line == b.line && a.label < b.label
	})
	return &w.doc
}

// labelsIn says where each label stands first that a colon follows: [1]:
func labelsIn(src []byte) map[string]int {
	at := map[string]int{}
	open := -1
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '[':
			open = i
		case ']':
			if open >= 0 && i+1 < len(src) && src[i+1] == ':' {
				label := string(src[open+1 : i])
				if _, known := at[label]; !known {
					at[label] = open
				}
			}
			open = -1
		}
	}
	return at
}

// walker turns the syntax tree into blocks.
type walker struct {
	doc    document
	src    []byte
	starts []int          // where each line begins
	notes  map[int]string // footnotes, by index
	depth  int
	quotes int // block quotes that are open
}

// maxDepth bounds the nesting of blocks that is followed. No report nests so deep.
const maxDepth = 60

func lineStarts(src []byte) []int {
	starts := []int{0}
	for i, b := range src {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// line is the number of the line that an offset of the report is on, from 1.
func (w *walker) line(at int) int {
	return sort.Search(len(w.starts), func(i int) bool { return w.starts[i] > max(at, 0) })
}

// walk adds the blocks under n. k is what a paragraph there is, lead the line that introduces them.
func (w *walker) walk(n ast.Node, lead *block, k kind, label string) {
	if w.depth++; w.depth > maxDepth {
		w.depth--
		return
	}
	defer func() { w.depth-- }()
	var prev *block
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		intro := lead
		if prev != nil && strings.HasSuffix(strings.TrimSpace(string(prev.text)), ":") || prev != nil && c.Kind() == east.KindTable && audit.IsCaption(string(prev.text)) {
			intro = prev
		}
		prev = w.walkBlock(c, intro, k, label)
		label = firstOnly(label, k)
	}
}

// firstOnly drops the number of an item after its first paragraph.
func firstOnly(label string, k kind) string {
	if k == item {
		return ""
	}
	return label
}

// walkBlock adds one block node, and returns it if it may introduce the next.
func (w *walker) walkBlock(c ast.Node, lead *block, k kind, label string) *block {
	switch c := c.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return w.add(&block{kind: k, lead: lead, label: label}, c)
	case *ast.Heading:
		w.add(&block{kind: heading, level: c.Level}, c)
	case *ast.List:
		n := c.Start - 1
		for it := c.FirstChild(); it != nil; it = it.NextSibling() {
			number, kind := "", item
			if c.IsOrdered() {
				n = max(n+1, w.written(it))
				number = strconv.Itoa(n)
			}
			if k == note {
				number, kind = label, note
			}
			w.walk(it, lead, kind, number)
		}
	case *ast.Blockquote:
		w.quotes++
		w.walk(c, lead, k, label)
		w.quotes--
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		w.doc.blocks = append(w.doc.blocks, &block{kind: code})
	case *ast.HTMLBlock:
		w.html(c)
	case *east.Table:
		w.table(c, lead)
	case *east.Footnote:
		w.walk(c, nil, note, string(c.Ref))
	case *ast.ThematicBreak:
		w.doc.blocks = append(w.doc.blocks, &block{kind: rule})
	default:
		w.walk(c, lead, k, label)
	}
	return nil
}

// written is the number that an item of an ordered list is written with, where a browser would count instead; 0 if it has none.
func (w *walker) written(it ast.Node) int {
	c := it.FirstChild()
	if c == nil || c.Type() != ast.TypeBlock || c.Lines() == nil || c.Lines().Len() == 0 {
		return 0
	}
	at := c.Lines().At(0).Start
	m := itemNumber.FindSubmatch(w.src[w.starts[w.line(at)-1]:at])
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n
}

var itemNumber = lazyregexp.New(`([0-9]{1,4})[.)]\s+$`)

// add reads the inline text of n into b.
func (w *walker) add(b *block, n ast.Node) *block {
	b.quoted = w.quotes > 0
	in := inline{prose: &b.prose, walker: w}
	if l := n.Lines(); l != nil && l.Len() > 0 {
		b.lines = append(b.lines, anchor{0, w.line(l.At(0).Start)})
	}
	in.read(n)
	in.close()
	w.doc.blocks = append(w.doc.blocks, b)
	return b
}

// table adds the rows of a table.
func (w *walker) table(t *east.Table, lead *block) {
	var heads []string
	for r := t.FirstChild(); r != nil; r = r.NextSibling() {
		b := &block{kind: row, lead: lead, heads: heads}
		if _, ok := r.(*east.TableHeader); ok {
			b.kind = head
		}
		in := inline{prose: &b.prose, walker: w}
		for cell := r.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if len(b.text) > 0 {
				b.text = append(b.text, '\n')
			}
			start := len(b.text)
			in.read(cell)
			in.close()
			for i := start; i < len(b.text); i++ { // a line break in a cell parts no sentences
				if b.text[i] == '\n' {
					b.text[i] = ' '
				}
			}
			b.cells = append(b.cells, audit.Range{Start: start, End: len(b.text)})
			if b.kind == head {
				heads = append(heads, oneLine(string(b.text[start:])))
			}
		}
		if len(b.lines) == 0 {
			b.lines = append(b.lines, anchor{0, w.line(r.Pos())})
		}
		w.doc.blocks = append(w.doc.blocks, b)
	}
}

// html adds what a block of raw HTML shows.
func (w *walker) html(n *ast.HTMLBlock) {
	var src []byte
	line := 0
	for i := 0; i < n.Lines().Len(); i++ {
		s := n.Lines().At(i)
		if i == 0 {
			line = w.line(s.Start)
		}
		src = append(src, s.Value(w.src)...)
	}
	if n.HasClosure() {
		src = append(src, n.ClosureLine.Value(w.src)...)
	}
	for _, b := range readHTML(src).blocks {
		for i := range b.lines {
			b.lines[i].line += line - 1
		}
		w.doc.blocks = append(w.doc.blocks, b)
	}
}
