package foreign

import (
	"bytes"
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
	doc      document
	z        *html.Tokenizer
	line     int
	block    *block // that is being filled
	lists    []htmlList
	quiet    int // elements that do not show, one in the other
	hidden   int // likewise, of one that says so itself, with those of its name in it
	hiddenBy atom.Atom
	quotes   int // block quotes that are open
	dead     int // elements of code or struck-out text
	from     int // where the outermost of them began
	sups     []int
	as       []link
	cell     bool
	heads    []string
	ids      []string
	before   *block // the last paragraph, which may introduce what follows
}

type htmlList struct {
	ordered bool
	n       int
	lead    *block
}

// hiddenTags do not show, or do not report. All of them have to be closed: a head need not.
var hiddenTags = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true, atom.Nav: true, atom.Svg: true,
	atom.Title: true, atom.Iframe: true, atom.Button: true, atom.Select: true, atom.Textarea: true}

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
	if r.quiet > 0 || r.hidden > 0 {
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
	b.ids, r.ids, b.quoted = r.ids, nil, r.quotes > 0
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
