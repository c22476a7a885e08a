package extract

import (
	"strings"
	"unicode"

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
	role            evidence.Role
	level           int // of the heading it is in
	depth           int // of lists
	quote, comment  bool
	white           whiteSpace
	link            bool
	invisible, tiny bool
	sectioned       bool // inside article, main or section
}

// A frame is an open block element: where its path ends, and whether a block of text has begun in it.
type frame struct {
	depth int
	node  *html.Node
	used  bool
}

// walker turns a tree into the numbered blocks of its shown text, in document order.
type walker struct {
	page       *Page
	src        *source // nil where blocks have no ranges
	root       *html.Node
	styles     styles
	pale       map[*html.Node]bool // texts in the colour of their ground
	links      *links
	marks      []mark       // one for each block
	nodes      []*html.Node // the element whose text each block is
	roots      []root
	cur        line
	at         place  // where cur's text stands
	begin      []step // the path to cur's first text node, below the frame
	beginText  int    // and its number
	path       []step
	counts     []siblings // by depth of path
	frames     []frame    // the open block elements
	ordinals   ordinals
	printed    []byte // room for the next path
	headings   [7]string
	articles   int
	hidden     int // characters left out because a reader does not see them
	total      int // characters of the page, shown or not; 0 not counted yet
	joined     int // > 0 where the ends of blocks are spaces: in cells and headings
	listing    int // > 0 where they are line breaks: in program text
	inChrome   bool
	full       bool // no more blocks are taken
	scriptless bool // <noscript> holds the page's text
}

// expect makes room for n blocks.
func (w *walker) expect(n int) {
	n = min(n, maxPageBlocks)
	w.page.Blocks, w.marks, w.nodes = make([]Block, 0, n), make([]mark, 0, n), make([]*html.Node, 0, n)
}

func (w *walker) walk(root *html.Node) {
	w.root = root
	w.frames = []frame{{node: root}}
	w.children(root, place{})
	w.flush()
}

// count begins to count the children of the element that the path ends at.
func (w *walker) count() {
	for len(w.counts) <= len(w.path) {
		w.counts = append(w.counts, siblings{})
	}
	w.counts[len(w.path)].reset()
}

// down counts a child element and makes it the end of the path.
func (w *walker) down(c *html.Node) {
	w.path = append(w.path, step{node: c, n: w.counts[len(w.path)].next(c)})
}

func (w *walker) up() { w.path = w.path[:len(w.path)-1] }

func (w *walker) children(n *html.Node, p place) {
	w.count()
	for c := n.FirstChild; c != nil && !w.full; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			w.counts[len(w.path)].texts++
			w.text(c, p)
		case html.ElementNode:
			w.down(c)
			w.element(c, p)
			w.up()
		}
	}
}

func (w *walker) text(n *html.Node, p place) {
	if p.invisible || p.tiny || w.pale[n] {
		w.hidden += letterCount(n.Data)
		return
	}
	if w.listing > 0 && tableParts[n.Parent.Data] { // white space between cells
		return
	}
	w.begins(p, w.counts[len(w.path)].texts)
	w.src.stretches(n, func(s stretch) { w.cur.add(s, p.white, p.link) })
}

// begins notes where the block begins whose first text comes now: in the element that the path ends at, in text node
// number text, or with the element itself if that is 0.
func (w *walker) begins(p place, text int) {
	if len(w.cur.b) == 0 {
		in := w.frames[len(w.frames)-1]
		w.at, w.begin, w.beginText = p, append(w.begin[:0], w.path[in.depth:]...), text
	}
}

// letterCount counts the characters of a text that can be seen.
func letterCount(s string) int {
	n := 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

func (w *walker) element(n *html.Node, p place) {
	if n.Data == "noscript" && w.scriptless {
		w.block(n, p)
		return
	}
	s := w.styles.show(n)
	if (s.gone || s.invisible > 0) && w.awaitsScript(n) {
		s = shown{block: true}
	}
	if s.gone {
		w.leaveOut(n)
		return
	}
	p = s.over(p)
	p.aside = p.aside || (s.block || blockTags[n.Data]) && attr(n, "aria-hidden") == "true"
	block := s.block || blockTags[n.Data] && !s.inline
	switch n.Data {
	case "br":
		w.br(p)
		return
	case "wbr":
		return
	case "img":
		w.picture(n, p)
		return
	case "embed":
		w.cur.space = true
		return
	case "a", "area":
		if s.script != 0 && !block {
			w.script(n, p, s.script > 0, func() { w.link(n, p, false) })
		} else {
			w.link(n, p, block)
		}
		return
	case "sup", "sub":
		w.script(n, p, n.Data == "sup", func() { w.children(n, p) })
		return
	case "label": // stands for a control, and apart from the next
		w.cur.space = true
		defer func() { w.cur.space = true }()
	case "table":
		if w.table(n, p) {
			return
		}
	case "pre", "listing":
		if w.joined == 0 && w.listing == 0 && isListing(n) && !isLineNumber(n) {
			w.program(n, w.enter(n, p))
			return
		}
	}
	switch {
	case s.script != 0 && !block:
		w.script(n, p, s.script > 0, func() { w.children(n, p) })
	case w.formula(n, p), (w.listing > 0 || n.Data == "td" || n.Data == "pre") && isLineNumber(n):
	case !block:
		w.children(n, p)
	case w.listing > 0:
		w.block(n, p)
	case w.joined == 0 && isHeading(n) && isOneLine(n):
		w.heading(n, w.enter(n, p))
	default:
		w.block(n, w.enter(n, p))
	}
}

// awaitsScript reports whether a hidden element holds nearly all of a page, which would be blank without it: then a script
// shows it when it is ready. Dialogs and what is hidden by name stay hidden.
func (w *walker) awaitsScript(n *html.Node) bool {
	if notShown[n.Data] || hiddenByAttributes(n) || len(w.path) > 12 {
		return false
	}
	if w.total == 0 {
		w.total = 1 + lettersIn(w.root)
	}
	return lettersIn(n)*20 > w.total*17
}

// walkUnstyled walks a page again on which nothing is seen, because its style sheets hide every part of it until a script
// has that part ready. What an element's own attributes hide stays hidden.
func (w *walker) walkUnstyled(root *html.Node) {
	w.styles, w.hidden = nil, 0
	w.walk(root)
}

// leaveOut notes what a reader does not see. What is drawn in place of text parts the words beside it.
func (w *walker) leaveOut(n *html.Node) {
	if !notShown[n.Data] {
		w.hidden += lettersIn(n)
	}
	if replaced[n.Data] {
		w.cur.space = true
	}
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

// heading walks a heading, which is one line whatever stands in it.
func (w *walker) heading(n *html.Node, p place) {
	w.flush()
	w.frames = append(w.frames, frame{depth: len(w.path), node: n})
	w.joined++
	w.children(n, p)
	w.joined--
	w.flush()
	w.frames = w.frames[:len(w.frames)-1]
}

// clip shortens a text to n bytes, at a rune's edge.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
