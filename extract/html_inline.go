package extract

import (
	"strings"

	"golang.org/x/net/html"
)

func (w *walker) br(p place) {
	switch {
	case w.joined > 0:
		w.cur.space = true
	case p.white == keep:
		w.cur.keep(stretch{text: "\n", raw: -1})
	case len(w.cur.b) > 0 && w.cur.newline():
		w.flush()
	}
}

// link walks a link and notes where it leads, with its text.
func (w *walker) link(n *html.Node, p place, block bool) {
	walk := w.children
	if block {
		walk = w.block
	}
	href := attr(n, "href")
	if href == "" {
		walk(n, p)
		return
	}
	p.link = p.level == 0 || !strings.HasPrefix(href, "#") // a heading's link to itself is not link text
	k, blocks, start := w.links.add(href), len(w.page.Blocks), len(w.cur.b)
	if block {
		start = 0
	}
	walk(n, p)
	if k < 0 || w.links.list[k].Text != "" {
		return
	}
	text := ""
	if len(w.page.Blocks) > blocks { // a link around whole blocks: its text is their first
		text = w.page.Blocks[blocks].Text
	} else {
		text = string(w.cur.b[min(start, len(w.cur.b)):])
	}
	if strings.TrimSpace(text) == "" {
		text = attr(n, "title") + attr(n, "aria-label")
	}
	w.links.list[k].Text = clip(strings.Join(strings.Fields(text), " "), 200)
}

// script walks a superscript, if up, or a subscript, by walk.
func (w *walker) script(n *html.Node, p place, up bool, walk func()) {
	w.cur.settle()
	start, blocks := len(w.cur.b), len(w.page.Blocks)
	walk()
	if len(w.page.Blocks) > blocks || p.white == keep || len(w.cur.b) <= start {
		return
	}
	if up {
		if !w.cur.raise(start) && leadsToNote(n) {
			w.cur.setOff(start)
		}
		return
	}
	w.cur.subscript(start)
}

// leadsToNote reports whether an element is or holds a link within the page.
func leadsToNote(n *html.Node) bool {
	for c := range n.ChildNodes() {
		if c.Data == "a" && strings.Contains(attr(c, "href"), "#") {
			return true
		}
	}
	return n.Parent != nil && n.Parent.Data == "a" && strings.Contains(attr(n.Parent, "href"), "#")
}
