package extract

import (
	"strings"

	"golang.org/x/net/html"

	"ibid/evidence"
)

var tableParts = set("table thead tbody tfoot tr colgroup")

// table reads a table of data, one block a row, its cells joined by " | ", or a listing whose lines are rows; it reports
// whether the table is one of these.
func (w *walker) table(n *html.Node, p place) bool {
	if w.joined > 0 || w.listing > 0 {
		return false
	}
	if isNumberedListing(n) {
		p = w.enter(n, p)
		p.role, p.white = evidence.RoleCode, keep
		w.program(n, p)
		return true
	}
	if !isDataTable(n) {
		return false
	}
	w.flush()
	p = w.enter(n, p)
	w.rows(n, p, &tableGrid{caption: captionOf(n)})
	return true
}

// isDataTable tells a table of data, whose rows are read as rows, from one that only lays out a page: that has single
// cells, other tables or whole texts in it.
func isDataTable(table *html.Node) bool {
	if r := attr(table, "role"); r == "presentation" || r == "none" {
		return false
	}
	rows := 0
	ok := eachRow(table, func(tr *html.Node) bool {
		filled := 0
		for c := tr.FirstChild; c != nil; c = c.NextSibling {
			if !isCell(c) {
				continue
			}
			size, layout := measure(c)
			if layout || size > 2000 {
				return false
			}
			if size > 0 {
				filled++
			}
		}
		if filled > 1 {
			rows++
		}
		return true
	})
	return ok && rows > 0
}

func isCell(n *html.Node) bool {
	return n.Type == html.ElementNode && (n.Data == "td" || n.Data == "th")
}

// eachRow calls do for each row of a table itself, until do says no.
func eachRow(n *html.Node, do func(tr *html.Node) bool) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Data {
		case "tr":
			if !do(c) {
				return false
			}
		case "tbody", "thead", "tfoot":
			if !eachRow(c, do) {
				return false
			}
		}
	}
	return true
}

// measure returns the characters of a cell and whether it holds what no cell of data holds.
func measure(n *html.Node) (size int, layout bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			size += len(strings.TrimSpace(c.Data))
		case c.Type == html.ElementNode && !notShown[c.Data]:
			switch c.Data {
			case "table", "h1", "h2", "h3", "nav", "article", "section", "form", "pre", "blockquote":
				return size, true
			}
			s, l := measure(c)
			if size += s; l || size > 2000 {
				return size, true
			}
		}
	}
	return size, false
}

// isNumberedListing reports whether a table shows program text, each line a row beside its number.
func isNumberedListing(table *html.Node) bool {
	numbered, code := false, false
	eachRow(table, func(tr *html.Node) bool {
		for c := tr.FirstChild; c != nil; c = c.NextSibling {
			if isCell(c) {
				numbered = numbered || hasAttr(c, "data-line-number") || isLineNumber(c)
				code = code || anyWord(attr(c, "class"), codeWords)
			}
		}
		return false
	})
	return numbered && code && !holds(table, listingBlocks, nil)
}

var (
	codeWords     = set("code line lines")
	listingBlocks = set("pre table p")
)
