package extract

import (
	"strconv"

	"golang.org/x/net/html"
)

// A Block.Path of a web page is an XPath, for the console of a browser: $x("/html/body/main/p[3]"). It names the element
// whose text the block is or, where that element holds other blocks before it, the text node at which the block begins:
// /html/body/div[2]/text()[3]. It refers to the page as it was served, before any script. A path that would be very long
// counts the elements of one name through the whole page instead: /descendant::p[812].

// A step of a path: an element, and the how many-eth of its name it is among its siblings and, if that is known and not
// zero, in the page.
type step struct {
	node *html.Node
	n    int
	all  int
}

// Siblings counts the children of one element.
type siblings struct {
	all, texts int
	names      []string
	counts     []int
	more       map[string]int // names beyond the first few
}

func (c *siblings) reset() {
	c.all, c.texts, c.names, c.counts, c.more = 0, 0, c.names[:0], c.counts[:0], nil
}

// next counts an element and returns the number by which its path step knows it.
func (c *siblings) next(n *html.Node) int {
	const few = 24
	c.all++
	if !named(n) {
		return c.all
	}
	for i, name := range c.names {
		if name == n.Data {
			c.counts[i]++
			return c.counts[i]
		}
	}
	if len(c.names) < few {
		c.names, c.counts = append(c.names, n.Data), append(c.counts, 1)
		return 1
	}
	if c.more == nil {
		c.more = map[string]int{}
	}
	c.more[n.Data]++
	return c.more[n.Data]
}

// named reports whether XPath can name an element in a web page; else it is *, counted among all.
func named(n *html.Node) bool {
	if n.Namespace != "" || len(n.Data) > 40 {
		return false
	}
	if n.DataAtom != 0 {
		return true
	}
	for i := range len(n.Data) {
		if c := n.Data[i]; (c < 'a' || c > 'z') && (i == 0 || !isDigit(c) && c != '-') {
			return false
		}
	}
	return true
}

func nodeTest(n *html.Node) string {
	if named(n) {
		return n.Data
	}
	return "*"
}

// xpath prints a path; text, if not 0, is the number of a text node below it.
func (w *walker) xpath(outer, inner []step, text int) string {
	const longest = 300
	b := w.printed[:0]
	for _, steps := range [2][]step{outer, inner} {
		for i := 0; i < len(steps) && len(b) <= longest; i++ {
			b = appendStep(append(b, '/'), steps[i])
		}
	}
	if len(b) > longest {
		last := outer
		if len(inner) > 0 {
			last = inner
		}
		end := &last[len(last)-1]
		if end.all == 0 {
			end.all = w.ordinals.upTo(end.node, w.root, outer, inner, w.path[len(outer):])
		}
		b = appendStep(append(b[:0], "/descendant::"...), step{node: end.node, n: end.all})
	}
	if text > 0 {
		b = append(strconv.AppendInt(append(b, "/text()["...), int64(text), 10), ']')
	}
	w.printed = b
	return string(b)
}

func appendStep(b []byte, s step) []byte {
	b = append(b, nodeTest(s.node)...)
	if s.n == 1 && (s.node.Data == "html" || s.node.Data == "body") {
		return b
	}
	return append(strconv.AppendInt(append(b, '['), int64(s.n), 10), ']')
}

// An ordinals value counts the elements of a page by name, up to one of them.
type ordinals struct {
	at   *html.Node
	all  int
	name map[string]int
}

// upTo counts on up to an element and returns its number. It notes the numbers of those on the way to it and of others
// that are open, since their turn may come later: else elements are asked for in the order of the page.
func (o *ordinals) upTo(end, root *html.Node, paths ...[]step) int {
	for i, path := range paths {
		for len(path) > 0 && path[0].all > 0 {
			path = path[1:]
		}
		paths[i] = path
	}
	for o.at != end {
		if o.at == nil {
			*o = ordinals{at: root, name: map[string]int{}}
		} else if o.at = following(o.at); o.at == nil {
			continue
		}
		if o.at.Type != html.ElementNode {
			continue
		}
		o.all++
		if named(o.at) {
			o.name[o.at.Data]++
		}
		for i, path := range paths {
			if len(path) > 0 && path[0].node == o.at {
				path[0].all = o.last()
				paths[i] = path[1:]
			}
		}
	}
	return o.last()
}

// last is the number of the element that was counted last, as nodeTest names it.
func (o *ordinals) last() int {
	if named(o.at) {
		return o.name[o.at.Data]
	}
	return o.all
}
