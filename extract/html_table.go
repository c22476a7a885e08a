package extract

import (
	"strings"

	"golang.org/x/net/html"

	"ibid/evidence"
)

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
			if c.Data != "td" && c.Data != "th" {
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

// table reads a table of data: one block a row, its cells joined by " | ".
func (w *walker) table(table *html.Node, p place) {
	for c := table.FirstChild; c != nil; c = c.NextSibling {
		if c.Data == "caption" && !w.styles.show(c).gone {
			w.block(c, w.enter(c, p))
		}
	}
	w.rows(table, p)
}

// rows reads the rows of a table or of one of its parts, keeping the path.
func (w *walker) rows(n *html.Node, p place) {
	counts := map[string]int{}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		counts[c.Data]++
		s := w.styles.show(c)
		if s.gone || s.invisible > 0 {
			w.hidden = w.hidden || holdsText(c)
			continue
		}
		w.path = append(w.path, step{c.Data, counts[c.Data]})
		switch c.Data {
		case "tr":
			w.row(c, p)
		case "tbody", "thead", "tfoot":
			w.rows(c, p)
		}
		w.path = w.path[:len(w.path)-1]
	}
}

// row gathers a row's cells. Empty cells keep their place, except at the end.
func (w *walker) row(tr *html.Node, p place) {
	p.inCell, p.role = true, evidence.RoleRow
	var cells []string
	letters, filled := 0, 0
	linked := 0.0
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		if c.Data != "td" && c.Data != "th" || c.Type != html.ElementNode {
			continue
		}
		s := w.styles.show(c)
		if s.gone {
			w.hidden = w.hidden || holdsText(c)
			continue
		}
		w.at = p
		in := p
		in.invisible = s.invisible > 0 || s.invisible == 0 && p.invisible
		w.children(c, in)
		n := w.cur.letters
		text, share := w.cur.take()
		if text = strings.TrimSpace(strings.ReplaceAll(text, "\n", " ")); text != "" {
			filled++
			letters += n
			linked += share * float64(n)
		}
		cells = append(cells, text)
	}
	w.at = place{}
	for len(cells) > 0 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	if letters == 0 {
		return
	}
	p.inCell, p.cells = false, filled
	w.frames = append(w.frames, frame{depth: len(w.path), node: tr})
	w.emit(strings.TrimSpace(strings.Join(cells, " | ")), linked/float64(letters), p, letters)
	w.frames = w.frames[:len(w.frames)-1]
}
