package extract

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	gfm "github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"ibid/evidence"
)

// readMarkdown reads Markdown as its reader sees it: the same blocks as in HTML, without the marks.
func readMarkdown(ctx context.Context, in Input) *Page {
	decoded, encoding := decode(in.Body, in.ContentType)
	page := &Page{Kind: evidence.Markdown, By: "markdown/2", Charset: encoding}
	source, skipped := frontMatter(decoded, page)
	m := &mdReader{ctx: ctx, page: page, source: []byte(source), links: newLinks(in.URL, nil), line: 1 + strings.Count(decoded[:skipped], "\n"),
		scripts: extension(in.URL) == ".mdx"}
	if m.offset = skipped; encoding != "utf-8" || len(decoded) != len(in.Body) {
		m.offset = -1
	}
	m.read()
	page.Links = m.links.list
	page.Title = first(page.Title, firstHeading(page.Blocks), baseName(in.URL))
	if isHub(page) {
		page.flag(FlagHub)
		for i := range page.Blocks {
			page.Blocks[i].Quotable = false
		}
	}
	return page
}

// mdReader turns the syntax tree into blocks.
type mdReader struct {
	ctx      context.Context
	page     *Page
	source   []byte
	offset   int // of source in the raw bytes; -1 where they differ
	line     int // of source's first line
	counted  int // bytes of source whose lines are in lineAt
	lineAt   int
	links    *links
	cur      passage
	headings [7]string // by level; 0 is what stands above the source
	columns  string    // heads of the columns of the table
	list     int       // open lists
	scripts  bool      // paragraphs may be imports and exports of a program (MDX)
	placed   []placedBlock
	around   mdTags // that stand between blocks
	inside   mdTags // of the block
}

// A placedBlock is a block and where it begins: notes are found before what stands before them.
type placedBlock struct {
	Block
	at int
}

// maxNesting bounds the recursion; deeper quotes and lists are nobody's text.
const maxNesting = 100

// read parses the source and adds its blocks to the page.
func (m *mdReader) read() {
	md := goldmark.New(goldmark.WithExtensions(gfm.Table, gfm.Strikethrough, gfm.TaskList),
		goldmark.WithParserOptions(parser.WithBlockParsers(util.Prioritized(gfm.NewFootnoteBlockParser(), 999))))
	m.blocks(md.Parser().Parse(text.NewReader(m.source)), evidence.RoleText, 0)
	slices.SortStableFunc(m.placed, func(a, b placedBlock) int { return a.at - b.at })
	for _, b := range m.placed {
		m.page.add(b.Block)
	}
}

func (m *mdReader) blocks(parent ast.Node, role evidence.Role, depth int) {
	if depth > maxNesting {
		return
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			m.inline(n, false)
			m.emit(n, evidence.RoleHeading, n.Level)
		case *ast.Paragraph, *ast.TextBlock:
			m.inline(n, false)
			m.emit(n, role, 0)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for _, piece := range splitPre(trimLines(string(n.Lines().Value(m.source)))) {
				m.cur.add(piece, true, false)
				m.emit(n, evidence.RoleCode, 0)
			}
		case *ast.Blockquote:
			m.blocks(n, evidence.RoleQuote, depth+1)
		case *ast.List:
			m.list++
			m.blocks(n, role, depth+1)
			m.list--
		case *ast.ListItem:
			if role != evidence.RoleQuote {
				m.blocks(n, evidence.RoleItem, depth+1)
			} else {
				m.blocks(n, role, depth+1)
			}
		case *east.Footnote:
			m.cur.add("[^"+string(n.Ref)+"]", false, false)
			m.cur.space = true
			m.blocks(n, evidence.RoleText, depth+1)
			m.cur.take() // the mark of an empty note
		case *ast.HTMLBlock:
			m.html(n)
		case *east.Table:
			m.table(n)
		default:
			m.blocks(n, role, depth+1)
		}
	}
}

// inline gathers the shown text of a block's children.
func (m *mdReader) inline(parent ast.Node, link bool) {
	script := -1 // where a text began that is raised or lowered
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			m.say(unescape(n.Segment.Value(m.source), n.IsRaw()), link)
			switch {
			case n.HardLineBreak():
				m.cur.newline()
			case n.SoftLineBreak():
				m.cur.space = true
			}
		case *ast.String:
			m.say(string(n.Value), link)
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					m.say(string(t.Segment.Value(m.source)), link)
				}
			}
		case *ast.Link:
			m.cur.settle()
			start := len(m.cur.b)
			m.inline(n, true)
			m.link(string(n.Destination), string(m.cur.b[start:]))
		case *ast.AutoLink:
			label := string(n.Label(m.source))
			m.say(label, true)
			m.link(string(n.URL(m.source)), label)
		case *ast.Image: // a picture has no text on the page
		case *east.TaskCheckBox:
			mark := "[ ]"
			if n.IsChecked {
				mark = "[x]"
			}
			m.say(mark, false)
			m.cur.space = true
		case *ast.RawHTML:
			script = m.rawTag(string(n.Segments.Value(m.source)), script)
		default:
			m.inline(n, link)
		}
	}
}

func (m *mdReader) link(target, label string) {
	if k := m.links.add(target); k >= 0 && m.links.list[k].Text == "" {
		m.links.list[k].Text = oneLine(label, 200)
	}
}

// unescape resolves entities and back-slashes, as the reader sees them.
func unescape(b []byte, raw bool) string {
	if raw {
		return string(b)
	}
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(b))))
}

func (m *mdReader) table(t *east.Table) {
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		letters, linked := 0, 0
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			m.inline(c, false)
			letters, linked = letters+m.cur.letters, linked+m.cur.linked
			s, _ := m.cur.take()
			cells = append(cells, strings.ReplaceAll(s, "\n", " "))
		}
		for len(cells) > 0 && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}
		shown := strings.Join(cells, " | ")
		m.cur.add(shown, false, false)
		m.cur.letters, m.cur.linked = letters, linked
		m.emit(row, evidence.RoleRow, 0)
		if row.Kind() == east.KindTableHeader {
			m.columns = strings.TrimSpace(shown)
		}
	}
	m.columns = ""
}

// html reads a block of raw HTML by the rules of web pages: what it hides is left out, also the blocks of Markdown up to
// where it ends.
func (m *mdReader) html(n *ast.HTMLBlock) {
	raw := string(n.Lines().Value(m.source))
	if n.HasClosure() {
		raw += string(n.ClosureLine.Value(m.source))
	}
	covered := m.unseen(raw)
	if m.around.read(raw); covered {
		return
	}
	blocks, hidden := htmlBlocks(m.ctx, raw, m.links)
	if hidden {
		m.page.flag(FlagHidden)
	}
	for _, b := range blocks {
		b.Path = m.lines(n)
		b.Heading = first(b.Heading, m.above(7))
		m.place(n, b)
	}
}

func (m *mdReader) above(level int) string {
	for i := level - 1; i >= 0; i-- {
		if m.headings[i] != "" {
			return m.headings[i]
		}
	}
	return ""
}

// emit ends the block that was gathered.
func (m *mdReader) emit(n ast.Node, role evidence.Role, level int) {
	text, share := m.cur.take()
	m.inside = mdTags{}
	if text == "" || m.unseen(text) {
		return
	}
	b := Block{Text: text, Role: role, LinkText: share, Main: true, Quotable: share <= 0.5 || role == evidence.RoleRow, Path: m.lines(n)}
	b.Heading = m.above(7)
	switch role {
	case evidence.RoleHeading:
		b.Level, b.Heading = level, m.above(level)
		m.headings[level] = oneLine(text, 300)
		clear(m.headings[level+1:])
	case evidence.RoleItem:
		b.Level = max(m.list, 1)
	case evidence.RoleRow:
		b.Columns = m.columns
	case evidence.RoleText:
		if m.scripts && (strings.HasPrefix(text, "import ") || strings.HasPrefix(text, "export ")) {
			b.Main, b.Quotable = false, false
		}
	}
	m.place(n, b)
}

// place notes a block with its byte range.
func (m *mdReader) place(n ast.Node, b Block) {
	start, end, ok := extent(n)
	if ok && m.offset >= 0 {
		b.Start, b.End = m.offset+start, m.offset+end
	}
	if !ok && len(m.placed) > 0 {
		start = m.placed[len(m.placed)-1].at
	}
	m.placed = append(m.placed, placedBlock{b, start})
}

// extent returns the byte range of a block's lines; of a table's row, from its first cell to its last.
func extent(n ast.Node) (start, end int, ok bool) {
	if n.Kind() == east.KindTableRow || n.Kind() == east.KindTableHeader {
		start, _, ok = firstText(n, ast.Node.FirstChild, ast.Node.NextSibling)
		_, end, _ = firstText(n, ast.Node.LastChild, ast.Node.PreviousSibling)
		return start, end, ok && end >= start
	}
	if n.Type() == ast.TypeInline || n.Lines() == nil || n.Lines().Len() == 0 {
		return 0, 0, false
	}
	l := n.Lines()
	return l.At(0).Start, l.At(l.Len() - 1).Stop, true
}

// firstText returns the range of the first text below n, in the order that the two functions give.
func firstText(n ast.Node, down, on func(ast.Node) ast.Node) (start, end int, ok bool) {
	for c := down(n); c != nil; c = on(c) {
		if t, isText := c.(*ast.Text); isText {
			return t.Segment.Start, t.Segment.Stop, true
		}
		if start, end, ok = firstText(c, down, on); ok {
			return start, end, true
		}
	}
	return 0, 0, false
}

// lines names the lines of the file that a block stands on. Blocks come in order, so counting is linear.
func (m *mdReader) lines(n ast.Node) string {
	start, end, ok := extent(n)
	if !ok {
		return ""
	}
	if start < m.counted {
		m.counted, m.lineAt = 0, 0
	}
	m.lineAt += strings.Count(string(m.source[m.counted:start]), "\n")
	m.counted = start
	last := strings.TrimRightFunc(string(m.source[start:end]), unicode.IsSpace)
	return lines(m.line+m.lineAt, m.line+m.lineAt+strings.Count(last, "\n"))
}
