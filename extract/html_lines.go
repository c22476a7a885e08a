package extract

import (
	"strings"

	"golang.org/x/net/html"
)

var (
	// notInListing are elements that show that a <pre> is not program text, whatever its name: one that was never closed.
	notInListing = set("p h1 h2 h3 h4 h5 h6 ul dl blockquote section article main nav form figure")
	// notInLine are elements that show that a heading holds more than a heading.
	notInLine = set("p ul ol dl table pre blockquote h1 h2 h3 h4 h5 h6 section article nav form details figure hr")
)

// program walks preformatted program text, one block whatever its lines are made of: text, elements, rows of a table.
func (w *walker) program(n *html.Node, p place) {
	w.flush()
	w.frames = append(w.frames, frame{depth: len(w.path), node: n})
	w.listing++
	w.children(n, p)
	w.listing--
	w.flush()
	w.frames = w.frames[:len(w.frames)-1]
}

func isListing(n *html.Node) bool { return !holds(n, notInListing, nil) }

func isHeading(n *html.Node) bool {
	switch n.Data {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return true
	}
	return attr(n, "role") == "heading"
}

// isOneLine reports whether a heading holds nothing but a line of text.
func isOneLine(n *html.Node) bool {
	const longest = 500
	size := longest
	return !holds(n, notInLine, &size)
}

// holds reports whether an element holds one of some elements, or more text than size, if that is not nil.
func holds(n *html.Node, names map[string]bool, size *int) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && size != nil:
			if *size -= letterCount(c.Data); *size < 0 {
				return true
			}
		case c.Type == html.ElementNode && (names[c.Data] || !notShown[c.Data] && holds(c, names, size)):
			return true
		}
	}
	return false
}

// lineNumberWords are class names under which highlighters put the numbers of lines beside program text.
var lineNumberWords = set("lineno linenos linenodiv linenumber linenumbers ln lnt lntd line-number line-numbers gutter rouge-gutter hljs-ln-numbers blob-num lines")

// isLineNumber reports whether an element holds the numbers of program lines, which are not program text.
func isLineNumber(n *html.Node) bool {
	class := attr(n, "class")
	if class == "" {
		return false
	}
	for c := range classes(class) {
		if lineNumberWords[strings.ToLower(c)] {
			return onlyDigits(n)
		}
	}
	return false
}

// onlyDigits reports whether an element's text is numbers and nothing else.
func onlyDigits(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && strings.Trim(c.Data, "0123456789 \t\r\n\u00a0") != "":
			return false
		case c.Type == html.ElementNode && !onlyDigits(c):
			return false
		}
	}
	return true
}
