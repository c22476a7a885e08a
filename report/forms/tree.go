package forms

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	gmhtml "github.com/yuin/goldmark/renderer/html"

	"ibid/audit"
	"ibid/evidence"
)

// kind is what a block is.
type kind string

const (
	heading   kind = "heading"
	paragraph kind = "paragraph"
	list      kind = "list"
	item      kind = "item"
	quotation kind = "quotation"
	code      kind = "code"
	table     kind = "table"
	row       kind = "row"
	headRow   kind = "head"
	cell      kind = "cell"
	rule      kind = "rule"
)

// A block is a piece of a report, as a printer needs it.
type block struct {
	Kind    kind
	Level   int    // of a heading
	Ordered bool   // of a list
	Start   int    // of an ordered list
	Source  string // the source that a list item is the entry of
	Runs    []run  // of a heading, a paragraph or a cell
	Code    string
	Blocks  []block // of a list, an item, a quotation, a table or a row
}

// A run is a stretch of text in one style.
type run struct {
	Text   string
	Cite   int    // the number of the span that the text cites, from 1
	URL    string // that the text links to: http or https, of a source that was read
	Break  bool   // a line break, and nothing else
	Static bool   // for paper
	style
}

type style struct{ Strong, Emphasis, Code, Struck, Sub, Sup bool }

// plain is the text of runs.
func plain(runs []run) string {
	var b strings.Builder
	for _, r := range runs {
		if r.Break {
			b.WriteByte(' ')
		}
		b.WriteString(r.Text)
	}
	return strings.TrimSpace(b.String())
}

// A taker takes a parsed report apart.
type taker struct {
	report *Report
	src    []byte
	cites  []audit.Cited   // by place
	listed map[string]bool // sources that have an entry
}

func (t *taker) children(n ast.Node) []block {
	var out []block
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, t.block(c)...)
	}
	return out
}

func (t *taker) block(n ast.Node) []block {
	switch n := n.(type) {
	case *ast.Heading:
		return []block{{Kind: heading, Level: n.Level, Runs: t.runs(n)}}
	case *ast.Paragraph, *ast.TextBlock:
		return []block{{Kind: paragraph, Runs: t.runs(n)}}
	case *ast.List:
		b := block{Kind: list, Ordered: n.IsOrdered(), Start: n.Start, Blocks: t.children(n)}
		return []block{b}
	case *ast.ListItem:
		return []block{t.item(n)}
	case *ast.Blockquote:
		return []block{{Kind: quotation, Blocks: t.children(n)}}
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		return []block{{Kind: code, Code: strings.TrimRight(string(n.Lines().Value(t.src)), "\n")}}
	case *ast.ThematicBreak:
		return []block{{Kind: rule}}
	case *ast.HTMLBlock: // the check refuses it
		return nil
	case *east.Table:
		return []block{{Kind: table, Blocks: t.children(n)}}
	case *east.TableHeader:
		return []block{{Kind: headRow, Blocks: t.children(n)}}
	case *east.TableRow:
		return []block{{Kind: row, Blocks: t.children(n)}}
	case *east.TableCell:
		return []block{{Kind: cell, Runs: t.runs(n)}}
	case *east.FootnoteList:
		return []block{{Kind: list, Ordered: true, Start: 1, Blocks: t.children(n)}}
	case *east.Footnote:
		return []block{t.item(n)}
	}
	return t.children(n)
}

// item is a list item; one that begins with the id of a source in bold is that source's entry.
func (t *taker) item(n ast.Node) block {
	b := block{Kind: item, Blocks: t.children(n)}
	if len(b.Blocks) > 0 && len(b.Blocks[0].Runs) > 0 {
		if first := b.Blocks[0].Runs[0]; first.Strong && t.report.sources[first.Text] != nil && !t.listed[first.Text] {
			t.listed[first.Text] = true
			b.Source = first.Text
		}
	}
	return b
}

// runs reads the inline content of a block.
func (t *taker) runs(n ast.Node) []run {
	w := &inliner{taker: t}
	w.walk(n, run{})
	return w.out
}

// An inliner reads the inline content of one block.
type inliner struct {
	*taker
	out    []run
	raised style // by HTML tags that only change the look
	done   int   // where the last citation ended in the Markdown
}

func (w *inliner) walk(n ast.Node, in run) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.inline(c, in)
	}
}

func (w *inliner) inline(c ast.Node, in run) {
	switch c := c.(type) {
	case *ast.Text:
		w.text(c, in)
	case *ast.String:
		w.put(string(c.Value), in)
	case *ast.CodeSpan:
		in.Code = true
		w.walk(c, in)
	case *ast.Emphasis:
		in.Strong, in.Emphasis = in.Strong || c.Level == 2, in.Emphasis || c.Level == 1
		w.walk(c, in)
	case *east.Strikethrough:
		in.Struck = true
		w.walk(c, in)
	case *ast.Link:
		in.URL = w.report.links[string(c.Destination)]
		w.walk(c, in)
	case *ast.AutoLink:
		in.URL = w.report.links[string(c.URL(w.src))]
		w.put(shownURL(string(c.Label(w.src))), in)
	case *ast.RawHTML:
		w.tag(c)
	case *east.FootnoteLink:
		in.Sup = true
		w.put(fmt.Sprintf("[%d]", c.Index), in)
	case *ast.Image: // which is never shown, but said to be there
		w.put("[picture: ", in)
		w.walk(c, in)
		w.put("]", in)
	default:
		w.walk(c, in)
	}
}

// text prints a stretch of the Markdown: a citation as what it cites, the rest with its escapes resolved.
func (w *inliner) text(c *ast.Text, in run) {
	from, to := c.Segment.Start, c.Segment.Stop
	first := sort.Search(len(w.cites), func(i int) bool { return w.cites[i].End > from })
	for _, m := range w.cites[first:] {
		if m.Start >= to || in.Code {
			break
		}
		w.decode(max(from, w.done), m.Start, c.IsRaw(), in)
		if w.done < m.End {
			w.citation(m.Spans, in)
			w.done = m.End
		}
		from = min(m.End, to)
	}
	w.decode(max(from, w.done), to, c.IsRaw() || in.Code, in)
	switch {
	case c.HardLineBreak():
		w.out = append(w.out, run{Break: true})
	case c.SoftLineBreak():
		w.put(" ", in)
	}
}

func (w *inliner) citation(spans []evidence.Citation, in run) {
	w.put("[", in)
	for i, s := range spans {
		if i > 0 {
			w.put("; ", in)
		}
		one := in
		one.Text, one.Cite = s.String(), w.report.cite(s)
		w.out = append(w.out, one)
	}
	w.put("]", in)
}

// decode prints Markdown text as it reads.
func (w *inliner) decode(from, to int, raw bool, in run) {
	if from >= to {
		return
	}
	text := w.src[from:to]
	if !raw {
		var b bytes.Buffer
		buf := bufio.NewWriter(&b)
		gmhtml.DefaultWriter.Write(buf, text)
		buf.Flush()
		text = []byte(html.UnescapeString(b.String()))
	}
	w.put(strings.NewReplacer("\n", " ", "\r", " ").Replace(string(text)), in)
}

// put adds text, to the run before it where that is alike.
func (w *inliner) put(text string, in run) {
	if text == "" {
		return
	}
	in.style = w.raised.with(in.style)
	if k := len(w.out) - 1; k >= 0 {
		if last := w.out[k]; last.Cite == 0 && !last.Break && last.URL == in.URL && last.style == in.style {
			w.out[k].Text += text
			return
		}
	}
	in.Text = text
	w.out = append(w.out, in)
}

// tag follows the HTML that a report may hold: tags that change the look of what stands between them.
func (w *inliner) tag(c *ast.RawHTML) {
	var name string
	for i := range c.Segments.Len() {
		s := c.Segments.At(i)
		name += string(w.src[s.Start:s.Stop])
	}
	name = strings.ToLower(strings.Trim(strings.ReplaceAll(name, " ", ""), "<>"))
	on := !strings.HasPrefix(name, "/")
	switch strings.Trim(name, "/") {
	case "br":
		w.out = append(w.out, run{Break: true})
	case "sub":
		w.raised.Sub = on
	case "sup":
		w.raised.Sup = on
	case "b", "strong":
		w.raised.Strong = on
	case "i", "em":
		w.raised.Emphasis = on
	case "kbd":
		w.raised.Code = on
	}
}

// with is a style and another one together.
func (s style) with(t style) style {
	return style{s.Strong || t.Strong, s.Emphasis || t.Emphasis, s.Code || t.Code, s.Struck || t.Struck, s.Sub || t.Sub, s.Sup || t.Sup}
}
