package foreign

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"

	"ibid/audit"
)

// inline reads the inline nodes of Markdown into a prose.
type inline struct {
	*prose
	walker *walker
	sups   []int  // where raised text began that has not ended
	as     []link // links in raw HTML that have not ended
}

func (in *inline) read(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		in.node(c)
	}
}

func (in *inline) node(c ast.Node) {
	start := len(in.text)
	switch c := c.(type) {
	case *ast.Text:
		in.place(c.Segment.Start)
		value := c.Segment.Value(in.walker.src)
		if !c.IsRaw() {
			value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
		}
		in.put(string(value))
		switch {
		case c.HardLineBreak():
			in.text = append(in.text, '\n')
		case c.SoftLineBreak():
			in.breaks = append(in.breaks, len(in.text))
			in.text = append(in.text, ' ')
		}
	case *ast.String:
		in.put(string(c.Value))
	case *ast.CodeSpan, *east.Strikethrough:
		in.read(c)
		in.dead = append(in.dead, audit.Range{Start: start, End: len(in.text)})
	case *ast.Link:
		in.read(c)
		in.addLink(start, string(c.Destination))
	case *ast.AutoLink:
		in.put(string(c.Label(in.walker.src)))
		in.addLink(start, string(c.URL(in.walker.src)))
	case *ast.Image:
	case *ast.RawHTML:
		in.html(c)
	case *east.FootnoteLink:
		label := in.walker.notes[c.Index]
		in.put("[^" + label + "]")
		in.notes = append(in.notes, noteRef{audit.Range{Start: start, End: len(in.text)}, label})
	default:
		in.read(c)
	}
}

// place remembers which line the text goes on with.
func (in *inline) place(at int) {
	line := in.walker.line(at)
	if n := len(in.lines); n == 0 || in.lines[n-1].line < line {
		in.lines = append(in.lines, anchor{len(in.text), line})
	}
}

// put appends text on one line.
func (p *prose) put(s string) {
	p.text = append(p.text, strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, s)...)
}

func (p *prose) addLink(start int, dest string) {
	p.links = append(p.links, link{audit.Range{Start: start, End: len(p.text)}, dest})
}

// html reads a tag of raw HTML for what it does to citations.
func (in *inline) html(c *ast.RawHTML) {
	var tag strings.Builder
	for i := 0; i < c.Segments.Len(); i++ {
		s := c.Segments.At(i)
		tag.Write(s.Value(in.walker.src))
	}
	z := html.NewTokenizer(strings.NewReader(tag.String()))
	z.Next()
	t := z.Token()
	switch closing := t.Type == html.EndTagToken; t.Data {
	case "br":
		in.text = append(in.text, '\n')
	case "sup":
		if closing {
			in.endRaised()
		} else {
			in.sups = append(in.sups, len(in.text))
		}
	case "a":
		if closing {
			in.endLink()
		} else if href := attribute(t, "href"); href != "" {
			in.as = append(in.as, link{audit.Range{Start: len(in.text)}, href})
		}
	}
	for _, name := range []string{"id", "name"} {
		if id := attribute(t, name); id != "" {
			in.ids = append(in.ids, id)
		}
	}
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

func (in *inline) endRaised() {
	if n := len(in.sups); n > 0 {
		in.prose.sups = append(in.prose.sups, audit.Range{Start: in.sups[n-1], End: len(in.text)})
		in.sups = in.sups[:n-1]
	}
}

func (in *inline) endLink() {
	if n := len(in.as); n > 0 {
		in.addLink(in.as[n-1].Start, in.as[n-1].dest)
		in.as = in.as[:n-1]
	}
}

// close ends what raw HTML left open.
func (in *inline) close() {
	for len(in.sups) > 0 {
		in.endRaised()
	}
	for len(in.as) > 0 {
		in.endLink()
	}
}
