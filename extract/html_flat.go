package extract

import (
	"io"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxDepth is how deep the flat parser nests. Deeper elements become siblings at that depth: their text keeps its order
// and its block boundaries, and loses its ancestors.
const maxDepth = 200

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
	root  *html.Node
	open  []*html.Node
	count map[string]int // of open elements by name, so that a stray end tag costs nothing
	over  []string       // open elements below maxDepth
	leaf  *html.Node     // where text below maxDepth goes
	skip  int            // len(over) at which hidden text ends; 0 means shown
}

func parseFlat(page io.Reader) (*html.Node, error) {
	root := &html.Node{Type: html.DocumentNode}
	t := &flatTree{root: root, open: []*html.Node{root}, count: map[string]int{}}
	z := html.NewTokenizer(page)
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() == io.EOF {
				return root, nil
			}
			return nil, z.Err()
		case html.TextToken:
			t.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			if token.Data == "noscript" {
				z.NextIsNotRawText()
			}
			t.start(token)
		case html.EndTagToken:
			name, _ := z.TagName()
			t.end(string(name))
		}
	}
}

func (t *flatTree) top() *html.Node { return t.open[len(t.open)-1] }

func (t *flatTree) text(s string) {
	n := &html.Node{Type: html.TextNode, Data: s}
	switch {
	case len(t.over) == 0:
		t.top().AppendChild(n)
	case t.skip == 0:
		t.leaf.AppendChild(n)
	}
}

func (t *flatTree) start(token html.Token) {
	name := token.Data
	for len(t.over) == 0 && len(t.open) > 1 && closedBy[t.top().Data][name] {
		t.pop()
	}
	n := &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name)), Attr: token.Attr}
	if voidTags[name] {
		if len(t.over) == 0 {
			t.top().AppendChild(n)
		} else if t.skip == 0 {
			t.leaf.AppendChild(n)
		}
		return
	}
	if len(t.open) <= maxDepth {
		t.top().AppendChild(n)
		t.open = append(t.open, n)
		t.count[name]++
		return
	}
	t.over = append(t.over, name)
	t.count[name]++
	if t.skip == 0 && (notShown[name] || hiddenByAttributes(n)) {
		t.skip = len(t.over)
	}
	if len(t.over) == 1 || blockTags[name] {
		t.newLeaf()
	}
}

// newLeaf begins a new block below maxDepth.
func (t *flatTree) newLeaf() {
	t.leaf = &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	t.top().AppendChild(t.leaf)
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
				t.newLeaf()
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
