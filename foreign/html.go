package foreign

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ibid/audit"
)

// readHTML takes a report in HTML, or a piece of one, apart by its tags. What does not show, and what frames a page rather
// than reports (navigation, buttons), is left out.
func readHTML(src []byte) *document {
	r := &htmlReader{z: html.NewTokenizer(bytes.NewReader(src)), line: 1}
	r.z.SetMaxBuf(maxReport)
	for r.next() {
	}
	r.flush()
	return &r.doc
}

// htmlReader makes blocks of a stream of tags; it needs no well-formed tree.
type htmlReader struct {
	doc    document
	z      *html.Tokenizer
	line   int
	block  *block // that is being filled
	lists  []htmlList
	quiet  int // elements that do not show, one in the other
	dead   int // elements of code or struck-out text
	from   int // where the outermost of them began
	sups   []int
	as     []link
	cell   bool
	heads  []string
	ids    []string
	before *block // the last paragraph, which may introduce what follows
}

type htmlList struct {
	ordered bool
	n       int
	lead    *block
}

// hiddenTags do not show, or do not report.
var hiddenTags = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true, atom.Nav: true, atom.Svg: true,
	atom.Head: true, atom.Iframe: true, atom.Button: true, atom.Select: true, atom.Textarea: true}

// next reads one token. It is false at the end.
func (r *htmlReader) next() bool {
	kind := r.z.Next()
	if kind == html.ErrorToken {
		return false
	}
	raw := bytes.Count(r.z.Raw(), []byte{'\n'})
	switch kind {
	case html.TextToken:
		r.text(string(r.z.Text()))
	case html.StartTagToken, html.SelfClosingTagToken:
		t := r.z.Token()
		r.open(t, kind == html.SelfClosingTagToken)
	case html.EndTagToken:
		r.end(r.z.Token().DataAtom)
	}
	r.line += raw
	return true
}

// text appends running text: white space is one space, and none begins a block.
func (r *htmlReader) text(s string) {
	if r.quiet > 0 {
		return
	}
	if strings.TrimSpace(s) == "" && (r.block == nil || len(r.block.text) == 0) {
		return
	}
	b := r.current(paragraph)
	line := r.line
	for part := range strings.SplitAfterSeq(s, "\n") {
		if n := len(b.lines); strings.TrimSpace(part) != "" && (n == 0 || b.lines[n-1].line < line) {
			b.lines = append(b.lines, anchor{len(b.text), line})
		}
		for _, c := range []byte(part) {
			if c == '\n' || c == '\r' || c == '\t' || c == '\f' {
				c = ' '
			}
			if c == ' ' && (len(b.text) == 0 || b.text[len(b.text)-1] == ' ' || b.text[len(b.text)-1] == '\n') {
				continue
			}
			b.text = append(b.text, c)
		}
		line++
	}
}

// current is the block that text goes to.
func (r *htmlReader) current(k kind) *block {
	if r.block == nil {
		r.block = &block{kind: k}
	}
	return r.block
}

// flush ends the block.
func (r *htmlReader) flush() {
	b := r.block
	r.block = nil
	if b == nil {
		return
	}
	for len(r.sups) > 0 {
		r.endRaised(b)
	}
	for len(r.as) > 0 {
		r.endLink(b)
	}
	r.before = nil
	if len(bytes.TrimSpace(b.text)) == 0 {
		return
	}
	if b.kind == paragraph {
		r.before = b
	}
	b.ids, r.ids = r.ids, nil
	r.doc.blocks = append(r.doc.blocks, b)
}

func (r *htmlReader) endRaised(b *block) {
	n := len(r.sups)
	b.sups = append(b.sups, audit.Range{Start: min(r.sups[n-1], len(b.text)), End: len(b.text)})
	r.sups = r.sups[:n-1]
}

func (r *htmlReader) endLink(b *block) {
	n := len(r.as)
	b.addLink(min(r.as[n-1].Start, len(b.text)), r.as[n-1].dest)
	r.as = r.as[:n-1]
}

func (r *htmlReader) open(t html.Token, empty bool) {
	if hiddenTags[t.DataAtom] {
		if !empty {
			r.quiet++
		}
		return
	}
	if r.quiet > 0 {
		return
	}
	lead := r.leading()
	switch t.DataAtom {
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Blockquote, atom.Dd, atom.Dt, atom.Figcaption, atom.Details, atom.Summary, atom.Aside, atom.Header, atom.Footer, atom.Figure, atom.Caption, atom.Hr:
		if r.cell {
			r.text(" ")
			break
		}
		if r.block != nil && r.block.kind == item && len(bytes.TrimSpace(r.block.text)) == 0 {
			break // the first paragraph of an item
		}
		r.flush()
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.flush()
		r.block = &block{kind: heading, level: int(t.Data[1] - '0')}
	case atom.Ul, atom.Ol:
		r.flush()
		r.lists = append(r.lists, htmlList{t.DataAtom == atom.Ol, start(t), lead})
	case atom.Li:
		r.flush()
		r.block = &block{kind: item}
		if n := len(r.lists); n > 0 {
			r.block.lead = r.lists[n-1].lead
			if r.lists[n-1].ordered {
				r.block.label = strconv.Itoa(r.lists[n-1].n)
				r.lists[n-1].n++
			}
		}
	case atom.Table:
		r.flush()
		r.heads = nil
	case atom.Tr:
		r.flush()
		r.block = &block{kind: row, heads: r.heads, lead: lead}
	case atom.Td, atom.Th:
		r.openCell(t.DataAtom)
	case atom.Br:
		if r.block != nil && !r.cell {
			r.block.text = append(r.block.text, '\n')
		} else {
			r.text(" ")
		}
	default:
		r.openInline(t)
	}
	for _, name := range []string{"id", "name"} {
		if id := attribute(t, name); id != "" {
			r.ids = append(r.ids, id)
		}
	}
}

func (r *htmlReader) openInline(t html.Token) {
	at := 0
	if r.block != nil {
		at = len(r.block.text)
	}
	switch t.DataAtom {
	case atom.Sup:
		r.sups = append(r.sups, at)
	case atom.A:
		if href := attribute(t, "href"); href != "" {
			r.as = append(r.as, link{audit.Range{Start: at}, href})
		}
	case atom.Code, atom.Pre, atom.Del, atom.S, atom.Kbd:
		if r.dead == 0 {
			r.from = at
		}
		r.dead++
	}
}

// leading is the line that introduces what is opened now, nil if none does.
func (r *htmlReader) leading() *block {
	b := r.before
	if r.block != nil {
		b = r.block
	}
	if b != nil && strings.HasSuffix(strings.TrimSpace(string(b.text)), ":") {
		return b
	}
	return nil
}

// start is the number that an ordered list begins with.
func start(t html.Token) int {
	n, err := strconv.Atoi(attribute(t, "start"))
	if err != nil {
		return 1
	}
	return n
}

func (r *htmlReader) openCell(a atom.Atom) {
	b := r.current(row)
	if len(b.text) > 0 {
		b.text = append(b.text, '\n')
	}
	if a == atom.Th && len(b.cells) == 0 {
		b.kind = head
	} else if a == atom.Td {
		b.kind = row
	}
	b.cells = append(b.cells, audit.Range{Start: len(b.text), End: len(b.text)})
	r.cell = true
}

func (r *htmlReader) end(a atom.Atom) {
	if hiddenTags[a] {
		r.quiet = max(r.quiet-1, 0)
		return
	}
	b := r.block
	switch a {
	case atom.Sup:
		if b != nil && len(r.sups) > 0 {
			r.endRaised(b)
		}
	case atom.A:
		if b != nil && len(r.as) > 0 {
			r.endLink(b)
		}
	case atom.Code, atom.Pre, atom.Del, atom.S, atom.Kbd:
		if r.dead = max(r.dead-1, 0); r.dead == 0 && b != nil {
			b.dead = append(b.dead, audit.Range{Start: min(r.from, len(b.text)), End: len(b.text)})
		}
	case atom.Td, atom.Th:
		if n := 0; b != nil && len(b.cells) > 0 {
			n = len(b.cells) - 1
			b.cells[n].End = max(len(b.text), b.cells[n].Start)
		}
		r.cell = false
	case atom.Tr:
		if b != nil && b.kind == head {
			r.heads = nil
			for _, c := range b.cells {
				r.heads = append(r.heads, oneLine(string(b.text[c.Start:c.End])))
			}
		}
		r.flush()
	case atom.Ul, atom.Ol:
		r.flush()
		if n := len(r.lists); n > 0 {
			r.lists = r.lists[:n-1]
		}
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Blockquote, atom.Dd, atom.Dt, atom.Figcaption, atom.Li, atom.Table,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Details, atom.Summary, atom.Aside, atom.Header, atom.Footer, atom.Figure, atom.Caption:
		if !r.cell {
			r.flush()
		}
	}
}
