package foreign

import (
	"bytes"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ibid/audit"
)

func (r *htmlReader) open(t html.Token, empty bool) {
	if r.hides(t, empty) {
		return
	}
	lead := r.leading()
	switch t.DataAtom {
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Blockquote, atom.Dd, atom.Dt, atom.Figcaption, atom.Details, atom.Summary, atom.Aside, atom.Header, atom.Footer, atom.Figure, atom.Caption:
		if r.cell {
			r.text(" ")
			break
		}
		if r.block != nil && r.block.kind == item && len(bytes.TrimSpace(r.block.text)) == 0 {
			break // the first paragraph of an item
		}
		r.flush()
		if t.DataAtom == atom.Blockquote {
			r.quotes++
		}
	case atom.Hr:
		r.flush()
		r.doc.blocks = append(r.doc.blocks, &block{kind: rule})
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.flush()
		r.block = &block{kind: heading, level: int(t.Data[1] - '0')}
	case atom.Ul, atom.Ol:
		r.flush()
		r.lists = append(r.lists, htmlList{t.DataAtom == atom.Ol, start(t), lead})
	case atom.Li:
		r.flush()
		r.block = &block{kind: item}
		if n := len(r.lists); n > 0 {
			r.block.lead = r.lists[n-1].lead
			if r.lists[n-1].ordered {
				r.block.label = strconv.Itoa(r.lists[n-1].n)
				r.lists[n-1].n++
			}
		}
	case atom.Table:
		r.closeRow()
		r.heads = nil
	case atom.Tr:
		r.closeRow()
		r.block = &block{kind: row, heads: r.heads, lead: lead}
	case atom.Td, atom.Th:
		r.openCell(t.DataAtom)
	case atom.Br:
		if r.block != nil && !r.cell {
			r.block.text = append(r.block.text, '\n')
		} else {
			r.text(" ")
		}
	default:
		r.openInline(t)
	}
	for _, name := range []string{"id", "name"} {
		if id := attribute(t, name); id != "" {
			r.ids = append(r.ids, id)
		}
	}
}

// hides reports whether an element, or one that it stands in, does not show.
func (r *htmlReader) hides(t html.Token, empty bool) bool {
	switch {
	case r.hidden > 0: // the element that does not show is counted by its own name
		if t.DataAtom == r.hiddenBy && !empty {
			r.hidden++
		}
		return true
	case hiddenTags[t.DataAtom] && attribute(t, "popovertarget") == "":
		if !empty {
			r.quiet++
		}
		return true
	case r.quiet > 0:
		return true
	case (has(t, "hidden") || has(t, "popover")) && !empty && t.DataAtom != 0 && t.DataAtom != atom.Input:
		r.flush()
		r.hidden, r.hiddenBy = 1, t.DataAtom
		return true
	}
	return false
}

func (r *htmlReader) openInline(t html.Token) {
	at := 0
	if r.block != nil {
		at = len(r.block.text)
	}
	switch t.DataAtom {
	case atom.Sup:
		r.sups = append(r.sups, at)
	case atom.A:
		if href := attribute(t, "href"); href != "" {
			r.as = append(r.as, link{audit.Range{Start: at}, href})
		}
	case atom.Code, atom.Pre, atom.Del, atom.S, atom.Kbd:
		if r.dead == 0 {
			r.from = at
		}
		r.dead++
	}
}

func has(t html.Token, name string) bool {
	for _, a := range t.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

// leading is the line that introduces what is opened now, nil if none does.
func (r *htmlReader) leading() *block {
	b := r.before
	if r.block != nil {
		b = r.block
	}
	if b != nil && bytes.HasSuffix(bytes.TrimSpace(b.text), []byte{':'}) { // asked at each tag: nothing is copied
		return b
	}
	return nil
}

// start is the number that an ordered list begins with.
func start(t html.Token) int {
	n, err := strconv.Atoi(attribute(t, "start"))
	if err != nil {
		return 1
	}
	return n
}

func (r *htmlReader) openCell(a atom.Atom) {
	b := r.current(row)
	r.closeCell()
	if len(b.text) > 0 {
		b.text = append(b.text, '\n')
	}
	if a == atom.Th && len(b.cells) == 0 {
		b.kind = head
	} else if a == atom.Td {
		b.kind = row
	}
	b.cells = append(b.cells, audit.Range{Start: len(b.text), End: len(b.text)})
	r.cell = true
}

// closeCell ends a cell, if one is open: its tag may be left out.
func (r *htmlReader) closeCell() {
	if b := r.block; r.cell && b != nil && len(b.cells) > 0 {
		b.cells[len(b.cells)-1].End = len(b.text)
	}
	r.cell = false
}

// closeRow likewise ends a row.
func (r *htmlReader) closeRow() {
	r.closeCell()
	if b := r.block; b != nil && b.kind == head {
		r.heads = nil
		for _, c := range b.cells {
			r.heads = append(r.heads, oneLine(string(b.text[c.Start:c.End])))
		}
	}
	r.flush()
}

func (r *htmlReader) end(a atom.Atom) {
	if r.hidden > 0 {
		if a == r.hiddenBy {
			r.hidden--
		}
		return
	}
	if hiddenTags[a] {
		r.quiet = max(r.quiet-1, 0)
		return
	}
	b := r.block
	switch a {
	case atom.Sup:
		if b != nil && len(r.sups) > 0 {
			r.endRaised(b)
		}
	case atom.A:
		if b != nil && len(r.as) > 0 {
			r.endLink(b)
		}
	case atom.Code, atom.Pre, atom.Del, atom.S, atom.Kbd:
		if r.dead = max(r.dead-1, 0); r.dead == 0 && b != nil {
			b.dead = append(b.dead, audit.Range{Start: min(r.from, len(b.text)), End: len(b.text)})
		}
	case atom.Td, atom.Th:
		r.closeCell()
	case atom.Tr, atom.Table:
		r.closeRow()
	case atom.Ul, atom.Ol:
		r.flush()
		if n := len(r.lists); n > 0 {
			r.lists = r.lists[:n-1]
		}
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Blockquote, atom.Dd, atom.Dt, atom.Figcaption, atom.Li,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Details, atom.Summary, atom.Aside, atom.Header, atom.Footer, atom.Figure, atom.Caption:
		if !r.cell {
			r.flush()
		}
		if a == atom.Blockquote {
			r.quotes = max(r.quotes-1, 0)
		}
	}
}
