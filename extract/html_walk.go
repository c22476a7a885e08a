package extract

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"ibid/evidence"
)

// A mark is what the walk notes about a block for the decision whether it is main content.
type mark struct {
	chrome  bool // inside page furniture, by the names of its elements
	root    int  // 1-based index of the enclosing element that is furniture by its class or id only; 0 none
	main    bool // inside <main>
	article int  // number of the enclosing outermost <article>; 0 none
	aside   bool // kept from screen readers: decoration or a copy
	cells   int  // of a table row
	letters int
}

// place is where in the document the walk stands; it is passed down by value.
type place struct {
	mark
	role              evidence.Role
	level             int // of the heading it is in
	quote, comment    bool
	pre, link         bool
	invisible, tiny   bool
	sectioned, inCell bool // inside article, main or section; inside a cell of a data table
}

type step struct {
	name string
	n    int // among its siblings of the same name
}

// A frame is an open block element: where its path ends, and how many blocks its own text has made.
type frame struct {
	depth, runs int
	node        *html.Node
}

// walker turns a tree into the numbered blocks of its shown text, in document order.
type walker struct {
	page       *Page
	styles     styles
	links      *links
	marks      []mark       // one for each block
	nodes      []*html.Node // the element whose text each block is
	roots      []root
	cur        line
	at         place // where cur's text stands
	path       []step
	frames     []frame // the open block elements
	headings   [7]string
	articles   int
	hidden     bool
	inChrome   bool
	scriptless bool // <noscript> holds the page's text
}

func (w *walker) walk(root *html.Node) {
	w.frames = []frame{{node: root}}
	w.children(root, place{})
	w.flush()
}

func (w *walker) children(n *html.Node, p place) {
	var counts map[string]int
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			w.text(c.Data, p)
		case html.ElementNode:
			if counts == nil {
				counts = map[string]int{}
			}
			counts[c.Data]++
			w.path = append(w.path, step{c.Data, counts[c.Data]})
			w.element(c, p)
			w.path = w.path[:len(w.path)-1]
		}
	}
}

func (w *walker) text(s string, p place) {
	if p.invisible || p.tiny {
		w.hidden = w.hidden || visible(s)
		return
	}
	if len(w.cur.b) == 0 {
		w.at = p
	}
	w.cur.text(s, p.pre, p.link)
}

func (w *walker) element(n *html.Node, p place) {
	if n.Data == "noscript" && w.scriptless {
		w.block(n, p)
		return
	}
	s := w.styles.show(n)
	if s.gone {
		w.hidden = w.hidden || !notShown[n.Data] && holdsText(n)
		if n.Data == "iframe" || n.Data == "img" {
			w.cur.space = true
		}
		return
	}
	p.pre = s.pre > 0 || s.pre == 0 && p.pre
	p.invisible = s.invisible > 0 || s.invisible == 0 && p.invisible
	p.tiny = s.tiny > 0 || s.tiny == 0 && p.tiny
	p.aside = p.aside || attr(n, "aria-hidden") == "true" && (s.block || blockTags[n.Data])
	switch n.Data {
	case "br":
		w.br()
		return
	case "wbr":
		return
	case "a", "area":
		if s.block {
			w.flush()
			defer w.flush()
		}
		w.link(n, p)
		return
	case "sup":
		w.superscript(n, p)
		return
	case "table":
		if !p.inCell && isDataTable(n) {
			w.flush()
			w.table(n, w.enter(n, p))
			return
		}
	}
	if !s.block && !blockTags[n.Data] {
		w.children(n, p)
		return
	}
	w.block(n, w.enter(n, p))
}

// block walks an element that begins and ends its lines.
func (w *walker) block(n *html.Node, p place) {
	w.flush()
	w.frames = append(w.frames, frame{depth: len(w.path), node: n})
	above, begins := w.headings, (p.chrome || p.root > 0) && !w.inChrome
	w.inChrome = w.inChrome || begins
	w.children(n, p)
	w.flush()
	if begins { // a heading of the furniture is no heading of what follows it
		w.headings, w.inChrome = above, false
	}
	w.frames = w.frames[:len(w.frames)-1]
}

func (w *walker) br() {
	switch {
	case w.at.inCell && len(w.cur.b) > 0:
		w.cur.space = true
	case len(w.cur.b) > 0 && w.cur.newline():
		w.flush()
	}
}

// link notes where a link leads, with its text.
func (w *walker) link(n *html.Node, p place) {
	href := attr(n, "href")
	if href == "" {
		w.children(n, p)
		return
	}
	p.link = p.level == 0 || !strings.HasPrefix(href, "#") // a heading's link to itself is not link text
	k, blocks, start := w.links.add(href), len(w.page.Blocks), len(w.cur.b)
	w.children(n, p)
	if k < 0 || w.links.list[k].Text != "" {
		return
	}
	text := string(w.cur.b[min(start, len(w.cur.b)):])
	for _, b := range w.page.Blocks[blocks:] { // a link around whole blocks: its text is their first
		text = b.Text
		break
	}
	if strings.TrimSpace(text) == "" {
		text = attr(n, "title") + attr(n, "aria-label")
	}
	w.links.list[k].Text = clip(strings.Join(strings.Fields(text), " "), 200)
}

func (w *walker) superscript(n *html.Node, p place) {
	w.cur.settle()
	start, blocks := len(w.cur.b), len(w.page.Blocks)
	w.children(n, p)
	if len(w.page.Blocks) == blocks && !p.pre {
		w.cur.raise(start)
	}
}

// flush ends the block that is being gathered.
func (w *walker) flush() {
	if w.at.inCell {
		w.cur.space = true
		return
	}
	if len(w.cur.b) == 0 {
		return
	}
	p, letters, pre := w.at, w.cur.letters, w.cur.pre
	w.at = place{}
	text, share := w.cur.take()
	if text == "" {
		return
	}
	if pre && p.role == evidence.RoleCode {
		for _, piece := range splitPre(text) {
			if prose(piece) {
				p.role = evidence.RoleText
			} else {
				p.role = evidence.RoleCode
			}
			w.emit(piece, share, p, len(piece))
		}
		return
	}
	w.emit(text, share, p, letters)
}

func (w *walker) emit(text string, share float64, p place, letters int) {
	b := Block{Text: text, Role: p.role, LinkText: share, Path: w.where()}
	if p.quote && (b.Role == evidence.RoleText || b.Role == evidence.RoleItem) {
		b.Role = evidence.RoleQuote
	}
	level := 7
	if p.level > 0 {
		b.Role, level = evidence.RoleHeading, p.level
	}
	for i := level - 1; i > 0; i-- {
		if b.Heading = w.headings[i]; b.Heading != "" {
			break
		}
	}
	if p.level > 0 {
		w.headings[p.level] = clip(strings.Join(strings.Fields(text), " "), 300)
		clear(w.headings[p.level+1:])
	}
	if p.comment {
		b.Role = evidence.RoleComment
	}
	p.letters = letters
	w.page.add(b)
	w.marks = append(w.marks, p.mark)
	w.nodes = append(w.nodes, w.frames[len(w.frames)-1].node)
	if p.root > 0 {
		w.roots[p.root-1].count(letters, share, p.level)
	}
}

// where returns the path of the element whose text is being gathered, and which of its runs of text it is, where text
// and blocks alternate. A path longer than maxPath is left out.
func (w *walker) where() string {
	const maxPath = 1000
	in := &w.frames[len(w.frames)-1]
	var b strings.Builder
	for _, s := range w.path[:in.depth] {
		b.WriteByte('/')
		b.WriteString(s.name)
		if s.name != "html" && s.name != "body" {
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(s.n))
			b.WriteByte(']')
		}
		if b.Len() > maxPath {
			return ""
		}
	}
	if in.runs++; in.runs > 1 {
		b.WriteString("/text()[" + strconv.Itoa(in.runs) + "]")
	}
	return b.String()
}

// holdsText reports whether a hidden element holds any text that would otherwise be shown.
func holdsText(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode && visible(c.Data) || c.Type == html.ElementNode && !notShown[c.Data] && holdsText(c) {
			return true
		}
	}
	return false
}

// clip shortens a text to n bytes, at a rune's edge.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
