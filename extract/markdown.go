package extract

import (
	"context"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	gfm "github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"ibid/evidence"
)

// readMarkdown reads Markdown as its reader sees it: the same blocks as in HTML, without the marks.
func readMarkdown(in Input) *Page {
	decoded, encoding := decode(in.Body, in.ContentType)
	page := &Page{Kind: evidence.Markdown, By: "markdown/1", Charset: encoding}
	exact := encoding == "utf-8" && len(decoded) == len(in.Body)
	source, skipped := frontMatter(decoded, page)
	md := goldmark.New(goldmark.WithExtensions(gfm.Table, gfm.Strikethrough, gfm.TaskList))
	m := &mdReader{page: page, source: []byte(source), links: newLinks(in.URL, nil), line: 1 + strings.Count(decoded[:skipped], "\n")}
	if exact {
		m.offset = skipped
	} else {
		m.offset = -1
	}
	m.blocks(md.Parser().Parse(text.NewReader(m.source)), evidence.RoleText, 0)
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
	page     *Page
	source   []byte
	offset   int // of source in the raw bytes; -1 where they differ
	line     int // of source's first line
	counted  int // bytes of source whose lines are in lineAt
	lineAt   int
	links    *links
	cur      line
	headings [7]string
}

// maxNesting bounds the recursion; deeper quotes and lists are nobody's text.
const maxNesting = 100

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
				m.cur.text(piece, true, false)
				m.emit(n, evidence.RoleCode, 0)
			}
		case *ast.Blockquote:
			m.blocks(n, evidence.RoleQuote, depth+1)
		case *ast.ListItem:
			if role != evidence.RoleQuote {
				m.blocks(n, evidence.RoleItem, depth+1)
			} else {
				m.blocks(n, role, depth+1)
			}
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
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			m.cur.text(unescape(n.Segment.Value(m.source), n.IsRaw()), false, link)
			switch {
			case n.HardLineBreak():
				m.cur.newline()
			case n.SoftLineBreak():
				m.cur.space = true
			}
		case *ast.String:
			m.cur.text(string(n.Value), false, link)
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					m.cur.text(string(t.Segment.Value(m.source)), false, link)
				}
			}
		case *ast.Link:
			m.cur.settle()
			start := len(m.cur.b)
			m.inline(n, true)
			if k := m.links.add(string(n.Destination)); k >= 0 && m.links.list[k].Text == "" {
				m.links.list[k].Text = oneLine(string(m.cur.b[start:]), 200)
			}
		case *ast.AutoLink:
			label := string(n.Label(m.source))
			m.cur.text(label, false, true)
			if k := m.links.add(string(n.URL(m.source))); k >= 0 && m.links.list[k].Text == "" {
				m.links.list[k].Text = clip(label, 200)
			}
		case *ast.Image: // a picture has no text on the page
		case *ast.RawHTML:
			tag := strings.ToLower(string(n.Segments.Value(m.source)))
			if strings.HasPrefix(tag, "<br") {
				m.cur.newline()
			}
		default:
			m.inline(n, link)
		}
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
		m.cur.text(strings.Join(cells, " | "), false, false)
		m.cur.letters, m.cur.linked = letters, linked
		m.emit(row, evidence.RoleRow, 0)
	}
}

// html reads a block of raw HTML by the rules of web pages: what it hides is left out. An unclosed hidden element hides
// only its own block, as Markdown ends it there.
func (m *mdReader) html(n *ast.HTMLBlock) {
	raw := string(n.Lines().Value(m.source))
	if n.HasClosure() {
		raw += string(n.ClosureLine.Value(m.source))
	}
	root, err := parse(context.Background(), raw)
	if err != nil {
		return
	}
	inner := &Page{}
	w := &walker{page: inner, links: m.links}
	w.walk(root)
	if w.hidden > 0 {
		m.page.flag(FlagHidden)
	}
	for _, b := range inner.Blocks {
		b.Path, b.Main, b.Quotable = m.lines(n), true, b.LinkText <= 0.5
		if b.Heading == "" {
			b.Heading = m.above(7)
		}
		m.page.add(b)
	}
}

func (m *mdReader) above(level int) string {
	for i := level - 1; i > 0; i-- {
		if m.headings[i] != "" {
			return m.headings[i]
		}
	}
	return ""
}

// emit ends the block that was gathered.
func (m *mdReader) emit(n ast.Node, role evidence.Role, level int) {
	text, share := m.cur.take()
	if text == "" {
		return
	}
	b := Block{Text: text, Role: role, LinkText: share, Main: true, Quotable: share <= 0.5 || role == evidence.RoleRow, Path: m.lines(n)}
	b.Heading = m.above(7)
	if level > 0 {
		b.Heading = m.above(level)
		m.headings[level] = oneLine(text, 300)
		clear(m.headings[level+1:])
	}
	if start, end, ok := extent(n); ok && m.offset >= 0 {
		b.Start, b.End = m.offset+start, m.offset+end
	}
	m.page.add(b)
}

// extent returns the byte range of a block's lines; of a table's row, that of its first cell.
func extent(n ast.Node) (start, end int, ok bool) {
	if n.Kind() == east.KindTableRow || n.Kind() == east.KindTableHeader {
		for c := n.FirstChild(); c != nil; c = c.FirstChild() {
			if t, isText := c.(*ast.Text); isText {
				return t.Segment.Start, t.Segment.Stop, true
			}
		}
		return 0, 0, false
	}
	if n.Type() == ast.TypeInline || n.Lines() == nil || n.Lines().Len() == 0 {
		return 0, 0, false
	}
	l := n.Lines()
	return l.At(0).Start, l.At(l.Len() - 1).Stop, true
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

// frontMatter reads the header between --- or +++ lines that many Markdown files begin with, and returns the text after
// it and where that begins.
func frontMatter(doc string, page *Page) (rest string, offset int) {
	fence, sep := "---", ":"
	if strings.HasPrefix(doc, "+++") {
		fence, sep = "+++", "="
	}
	firstLine, _, _ := strings.Cut(doc, "\n")
	if strings.TrimSpace(firstLine) != fence {
		return doc, 0
	}
	head := doc[:min(len(doc), 16<<10)]
	at := len(firstLine) + 1
	fields := map[string]string{}
	for at < len(head) {
		next := len(head)
		if i := strings.IndexByte(head[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		line := head[at:next]
		at = next
		if strings.TrimSpace(line) == fence {
			page.Title = oneLine(fields["title"], 300)
			page.Author = oneLine(fields["author"], 200)
			page.Published = isoDate(fields["date"])
			page.Language = languageTag(first(fields["lang"], fields["language"]))
			return doc[at:], at
		}
		if key, value, ok := strings.Cut(line, sep); ok && key == strings.TrimLeft(key, " \t-#") {
			fields[strings.ToLower(strings.TrimSpace(key))] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return doc, 0
}
