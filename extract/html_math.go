package extract

import (
	"strings"

	"golang.org/x/net/html"
)

// Formulas come several times over: as MathML, as glyphs in boxes or a picture for the eye, and as TeX. The first is
// read, else the second; TeX only where it is the alternative text of a picture and there is nothing else.

// formulaWords are class names of elements that hold one formula in several forms.
var formulaWords = set("katex mathjax mathjax_display mathjax_svg mathjax_chtml mwe-math-element")

// formula reads an element that is a formula, and reports whether it is one.
func (w *walker) formula(n *html.Node, p place) bool {
	if n.Namespace == "math" {
		w.math(n, p)
		return true
	}
	if n.Data != "mjx-container" {
		found := false
		if class := attr(n, "class"); strings.Contains(class, "ath") || strings.Contains(class, "katex") {
			for c := range classes(class) {
				found = found || formulaWords[strings.ToLower(c)]
			}
		}
		if !found {
			return false
		}
	}
	budget := 400
	m := findMath(n, &budget)
	if m == nil {
		return false
	}
	depth := len(w.path)
	w.descend(n, m)
	w.math(m, p)
	w.path = w.path[:depth]
	return true
}

// findMath finds the MathML below an element, among the first nodes.
func findMath(n *html.Node, budget *int) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if *budget--; *budget < 0 {
			return nil
		}
		if c.Namespace == "math" && c.Data == "math" {
			return c
		}
		if m := findMath(c, budget); m != nil {
			return m
		}
	}
	return nil
}

// descend lengthens the path from an element to one that it holds.
func (w *walker) descend(from, to *html.Node) {
	if to.Parent != from {
		w.descend(from, to.Parent)
	}
	w.count()
	for c := to.Parent.FirstChild; c != to; c = c.NextSibling {
		if c.Type == html.ElementNode {
			w.counts[len(w.path)].next(c)
		}
	}
	w.down(to)
}

// math reads an element of MathML as the line that a reader would type: scripts of numbers as such, the bar of a
// fraction as a slash, and roots, without which the numbers would be others.
func (w *walker) math(n *html.Node, p place) {
	p.white = collapse
	switch n.Data {
	case "annotation", "annotation-xml", "mphantom":
		return
	case "mspace":
		w.cur.space = true
		return
	case "math":
		if attr(n, "display") == "block" && w.joined == 0 && w.listing == 0 {
			w.flush()
			defer w.flush()
		}
	case "mtable", "mtr", "mtd":
		w.cur.space = true
		defer func() { w.cur.space = true }()
	case "msqrt":
		w.sign("√", p)
		if isCompound(n) {
			w.sign("(", p)
			defer w.sign(")", p)
		}
	}
	w.count()
	part := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			w.counts[len(w.path)].texts++
			w.mathText(n, c, p)
		case html.ElementNode:
			w.down(c)
			part++
			w.part(n.Data, part, c, p)
			w.up()
		}
	}
}

// part reads the k-th part of an element of MathML by the part's meaning in it.
func (w *walker) part(of string, k int, c *html.Node, p place) {
	w.cur.settle()
	start := len(w.cur.b)
	switch {
	case of == "semantics" && k > 1:
	case of == "mfrac":
		if k == 2 {
			w.sign("/", p)
		}
		w.grouped(c, p)
	case of == "mroot" && k == 1:
		w.grouped(c, p)
	case of == "mroot":
		w.sign("^(1/", p)
		w.grouped(c, p)
		w.sign(")", p)
	case of == "msup" && k == 2, of == "msubsup" && k == 3:
		w.math(c, p)
		if !w.cur.raise(start) && len(w.cur.b) > start {
			w.cur.insert(start, "^")
			if isCompound(c) {
				w.cur.insert(start+1, "(")
				w.sign(")", p)
			}
		}
	case of == "msub" && k == 2, of == "msubsup" && k == 2:
		w.math(c, p)
		w.cur.subscript(start)
	default:
		w.math(c, p)
	}
}

// grouped reads a part whose extent the page shows by a line above or below it.
func (w *walker) grouped(c *html.Node, p place) {
	if !isCompound(c) {
		w.math(c, p)
		return
	}
	w.sign("(", p)
	w.math(c, p)
	w.sign(")", p)
}

// isCompound reports whether a part of a formula is more than one number, name or sign.
func isCompound(n *html.Node) bool {
	var tokens func(n *html.Node, left int) int
	tokens = func(n *html.Node, left int) int {
		for c := n.FirstChild; c != nil && left > 0; c = c.NextSibling {
			if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
				left--
			}
			left = tokens(c, left)
		}
		return left
	}
	return tokens(n, 2) == 0
}

// sign adds a character that the page draws and does not spell.
func (w *walker) sign(s string, p place) {
	if !p.invisible {
		w.begins(p, 0)
		w.cur.word(s, -1, 0)
	}
}

// mathText adds the text of a token of MathML, without the white space around it and the operators that are not seen.
func (w *walker) mathText(in, n *html.Node, p place) {
	const unseen = "\u2061\u2062\u2063\u2064"
	if in.Data == "mtext" || strings.Trim(n.Data, " \t\r\n\f"+unseen) == "" {
		if in.Data == "mtext" {
			w.text(n, p)
		}
		return
	}
	if p.invisible || p.tiny {
		w.hidden += letterCount(n.Data)
		return
	}
	w.begins(p, w.counts[len(w.path)].texts)
	w.src.stretches(n, func(s stretch) {
		left := strings.TrimLeft(s.text, " \t\r\n\f")
		if s.raw >= 0 && s.size == 0 {
			s.raw += len(s.text) - len(left)
		}
		if s.text = strings.TrimRight(left, " \t\r\n\f"); s.text != "" {
			w.cur.add(s, collapse, p.link)
		}
	})
}

// picture reads an image: nothing to quote, but where it is a formula.
func (w *walker) picture(n *html.Node, p place) {
	if w.src == nil || p.invisible {
		w.cur.space = true
		return
	}
	of := w.src.piecesOf(n)
	alt := strings.TrimSpace(attr(n, "alt"))
	if len(of) == 0 || alt == "" {
		w.cur.space = true
		return
	}
	w.begins(p, 0)
	t := w.src.tokens[of[0].token]
	w.cur.space = true
	for i, word := range strings.Fields(alt) {
		if i == 0 {
			w.cur.word(word, int(t.start), int(t.end-t.start))
		} else {
			w.cur.space = true
			w.cur.word(word, -1, 0)
		}
		w.cur.letters += letterCount(word)
	}
	w.cur.space = true
}

// mayBeFormula reports whether the tag of an image is that of a formula, by the names that programs give them.
func mayBeFormula(tag string) bool {
	tag = strings.ToLower(tag[:min(len(tag), 4000)])
	return strings.Contains(tag, "alt=") && (strings.Contains(tag, "mwe-math") || strings.Contains(tag, `class="latex`) || strings.Contains(tag, `class="tex`) ||
		strings.Contains(tag, `class="math`) || strings.Contains(tag, `class='latex`) || strings.Contains(tag, `class=latex`))
}
