package extract

import (
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxDepth is how deep the flat parser nests. Deeper elements become siblings at that depth: their text keeps its order
// and its block boundaries, and loses its ancestors.
const maxDepth = 200

// maxAttrs is how many attributes of <html> and <body> are kept, which may come in many tags.
const maxAttrs = 100

var (
	voidTags       = set("area base br col embed hr img input link meta param source track wbr")
	formattingTags = set("a b big code em font i nobr s small strike strike strong tt u")
	// closedBy lists, for elements whose end tag may be left out, the siblings that end them.
	closedBy = map[string]map[string]bool{
		"p":  set("address article aside blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul li"),
		"li": set("li"), "dt": set("dt dd"), "dd": set("dt dd"), "option": set("option"),
		"tr": set("tr tbody tfoot"), "td": set("td th tr tbody tfoot"), "th": set("td th tr tbody tfoot"),
	}
)

// A burden weighs what a page costs the standard parser, which needs far more than linear time or memory for some: every
// new block opens all unclosed formatting elements again, and every further <body> is compared with all attributes seen
// so far.
type burden struct{ open, most, starts, bodies int }

func (b *burden) start(name string) {
	switch {
	case formattingTags[name]:
		b.open++
		b.most = max(b.most, b.open)
	case name == "body" || name == "html":
		b.bodies++
	default:
		b.starts++
	}
}

func (b *burden) end(name string) {
	if b.open > 0 && formattingTags[name] {
		b.open--
	}
}

func (b *burden) heavy() bool { return b.bodies > 50 || b.most > 40 && b.most*b.starts > 2_000_000 }

// flatTree is a forgiving tree builder in linear time: no error recovery beyond implied end tags.
type flatTree struct {
	page  *html.Node // <html>, and in it
	body  *html.Node // <body>, which hold all that follows whatever is written
	open  []*html.Node
	count map[string]int // of open elements by name, so that a stray end tag costs nothing
	over  []string       // open elements below maxDepth
	leaf  *html.Node     // where text below maxDepth goes; nil before there is any
	// Whether that begins a line, and whether a line has ended below maxDepth since the last text.
	block, broken bool
	skip          int // len(over) at which hidden text ends; 0 means shown
}

func parseFlat(page io.Reader) (*html.Node, error) {
	root := &html.Node{Type: html.DocumentNode}
	t := &flatTree{page: element("html", nil), body: element("body", nil), count: map[string]int{}}
	root.AppendChild(t.page)
	t.page.AppendChild(t.body)
	t.open = []*html.Node{t.body}
	z := html.NewTokenizer(page)
	var drawn foreign
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if z.Err() == io.EOF {
				return root, nil
			}
			return nil, z.Err()
		case html.TextToken:
			t.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			token, closed := z.Token(), kind == html.SelfClosingTagToken
			drawn.start(token.Data, closed)
			if drawn.inside() || token.Data == "noscript" { // as in mark
				z.NextIsNotRawText()
			}
			t.start(token, voidTags[token.Data] || closed && drawn.inside())
		case html.EndTagToken:
			name, _ := z.TagName()
			drawn.end(string(name))
			t.end(string(name))
		}
	}
}

func element(name string, attr []html.Attribute) *html.Node {
	return &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name)), Attr: attr}
}

func (t *flatTree) top() *html.Node { return t.open[len(t.open)-1] }

func (t *flatTree) text(s string) {
	n := &html.Node{Type: html.TextNode, Data: s}
	if strings.TrimSpace(s) != "" {
		t.cell("")
	}
	t.add(n)
}

// add puts a node where the page is, which below maxDepth is a block, or an inline element, of its own.
func (t *flatTree) add(n *html.Node) {
	switch {
	case len(t.over) == 0:
		if t.broken { // by a block that had nothing in it
			t.top().AppendChild(element("div", nil))
			t.broken = false
		}
		t.top().AppendChild(n)
		return
	case t.skip > 0:
		return
	case t.leaf == nil && t.block:
		t.leaf, t.broken = element("div", nil), false
		t.top().AppendChild(t.leaf)
	case t.leaf == nil:
		t.leaf = element("span", nil)
		t.top().AppendChild(t.leaf)
	}
	t.leaf.AppendChild(n)
}

func (t *flatTree) start(token html.Token, void bool) {
	name := token.Data
	switch name {
	case "html":
		t.page.Attr = append(t.page.Attr, token.Attr[:min(len(token.Attr), maxAttrs-len(t.page.Attr))]...)
		return
	case "body":
		t.body.Attr = append(t.body.Attr, token.Attr[:min(len(token.Attr), maxAttrs-len(t.body.Attr))]...)
		return
	case "head":
		return
	}
	for len(t.over) == 0 && len(t.open) > 1 && closedBy[t.top().Data][name] {
		t.pop()
	}
	t.cell(name)
	if void {
		t.add(element(name, token.Attr))
		return
	}
	if len(t.open) <= maxDepth {
		n := element(name, token.Attr)
		t.top().AppendChild(n)
		t.open = append(t.open, n)
		t.count[name]++
		return
	}
	t.over = append(t.over, name)
	t.count[name]++
	if t.skip == 0 && (notShown[name] || hiddenByAttributes(&html.Node{Type: html.ElementNode, Data: name, Attr: token.Attr})) {
		t.skip = len(t.over)
	}
	if len(t.over) == 1 || blockTags[name] {
		t.leaf, t.block = nil, blockTags[name]
		t.broken = t.broken || t.block
	}
}

// cell opens a cell where something else is written directly into a row.
func (t *flatTree) cell(name string) {
	if name != "td" && name != "th" && !notShown[name] && !voidTags[name] && len(t.over) == 0 && len(t.open) <= maxDepth && t.top().Data == "tr" {
		n := element("td", nil)
		t.top().AppendChild(n)
		t.open = append(t.open, n)
		t.count["td"]++
	}
}

func (t *flatTree) end(name string) {
	if t.count[name] == 0 {
		return
	}
	for closed := ""; closed != name; {
		if n := len(t.over); n > 0 {
			closed = t.over[n-1]
			t.over = t.over[:n-1]
			t.count[closed]--
			if t.skip > n-1 {
				t.skip = 0
			}
			if blockTags[closed] && n > 1 {
				t.leaf, t.block = nil, true
			}
			continue
		}
		closed = t.pop()
	}
}

func (t *flatTree) pop() string {
	n := t.top()
	t.open = t.open[:len(t.open)-1]
	t.count[n.Data]--
	return n.Data
}
