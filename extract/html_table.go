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

// rows reads the rows of a table or of one of its parts.
func (w *walker) rows(n *html.Node, p place, t *tableGrid) {
	w.count()
	for c := n.FirstChild; c != nil && !w.full; c = c.NextSibling {
		if c.Type == html.TextNode {
			w.counts[len(w.path)].texts++
		}
		if c.Type != html.ElementNode {
			continue
		}
		w.down(c)
		switch s := w.styles.show(c); {
		case s.gone || s.invisible > 0:
			w.hidden += lettersIn(c)
		case c.Data == "tr":
			w.row(c, p, t)
		case c.Data == "caption":
			w.block(c, w.enter(c, p))
		case c.Data == "tbody" || c.Data == "thead" || c.Data == "tfoot":
			w.rows(c, p, t)
		}
		w.up()
	}
}

// row gathers a row's cells. Empty cells keep their place, except at the end.
func (w *walker) row(tr *html.Node, p place, t *tableGrid) {
	w.frames = append(w.frames, frame{depth: len(w.path), node: tr})
	w.joined++
	w.count()
	p.role = evidence.RoleRow
	var text strings.Builder
	in, known := span{}, false
	t.begin(tr)
	linked, empty, written := 0.0, 0, 0
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		w.down(c)
		if isCell(c) {
			s := w.styles.show(c)
			if s.gone {
				w.hidden += lettersIn(c)
				w.up()
				continue
			}
			w.children(c, s.over(p))
			g := w.cur.gather()
			if g.text == "" {
				empty++
			} else {
				if written > 0 || empty > 0 {
					text.WriteString(strings.Repeat(" | ", empty+min(written, 1)))
				}
				text.WriteString(strings.ReplaceAll(g.text, "\n", " "))
				if r, ok := w.cur.within(g.off, g.off+len(g.text)); ok {
					in, known = in.with(r, known), true
				}
				written++
				empty = 0
				p.cells++
				p.letters += g.letters
				linked += g.links * float64(g.letters)
			}
			t.cell(c, g.text)
			w.cur.reset()
		}
		w.up()
	}
	w.joined--
	if p.letters > 0 {
		b := Block{Text: strings.TrimSpace(text.String()), LinkText: linked / float64(p.letters), Path: w.xpath(w.path, nil, 0), Caption: t.caption}
		b.Columns = t.columns(empty)
		w.emit(b, in, known, p)
	}
	w.frames = w.frames[:len(w.frames)-1]
}

// with widens a range, if it is one, by another.
func (s span) with(r span, some bool) span {
	if !some {
		return r
	}
	return span{min(s.start, r.start), max(s.end, r.end)}
}
