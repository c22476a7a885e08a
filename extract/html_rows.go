package extract

import (
	"strings"

	"golang.org/x/net/html"

	"ibid/evidence"
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
		case c.Data == "tr" && (isTextRow(c) || w.src.isScattered(c)):
			w.textRow(c, p, t)
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

// isTextRow reports whether a row holds a text of several paragraphs or items, which are no one thing to quote. In the only
// row of a table a short one is: it is laid out as a box, such as a note, and is no record among others.
func isTextRow(tr *html.Node) bool {
	const longest = 300
	size := longest
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		if isCell(c) && paragraphsIn(c, 2) > 1 {
			return isOnlyRow(tr) || holds(tr, nil, &size)
		}
	}
	return false
}

// isOnlyRow reports whether a table has no other row than this one.
func isOnlyRow(tr *html.Node) bool {
	table := tr.Parent
	for table != nil && table.Data != "table" {
		table = table.Parent
	}
	if table == nil {
		return false
	}
	for part := table.FirstChild; part != nil; part = part.NextSibling {
		if part.Data == "tr" && part != tr {
			return false
		}
		for c := part.FirstChild; c != nil && part.Data != "tr"; c = c.NextSibling {
			if c.Data == "tr" && c != tr {
				return false
			}
		}
	}
	return true
}

// paragraphsIn counts the paragraphs and items of an element, up to most.
func paragraphsIn(n *html.Node, most int) int {
	sum := 0
	for c := n.FirstChild; c != nil && sum < most; c = c.NextSibling {
		switch {
		case c.Type != html.ElementNode || notShown[c.Data]:
		case c.Data == "p" || c.Data == "li" || c.Data == "dd" || c.Data == "h4" || c.Data == "h5" || c.Data == "h6":
			sum += min(lettersIn(c), 1)
		default:
			sum += paragraphsIn(c, most-sum)
		}
	}
	return sum
}

// textRow reads the cells of a row as texts of their own, each under the head of its column.
func (w *walker) textRow(tr *html.Node, p place, t *tableGrid) {
	w.count()
	t.begin(tr)
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		w.down(c)
		first := len(w.page.Blocks)
		w.element(c, p)
		if isCell(c) {
			t.cell(c, "")
			for i := range w.page.Blocks[first:] {
				b := &w.page.Blocks[first+i]
				b.Columns, b.Caption = t.row[len(t.row)-1], t.caption
			}
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
