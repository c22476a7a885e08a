package extract

import (
	"fmt"
	"strings"

	"ibid/evidence"
)

// sheetReader reads the part of one sheet.
type sheetReader struct {
	x       *xlsx
	grid    grid
	hidden  []bool // columns, by number
	rowless bool   // rows are hidden unless they say otherwise
	row     int
	cells   int
	dropped bool // something stands in hidden rows or columns
	drawing string

	painted  []cellArea // cells that more than their own style paints
	pictured bool       // a picture lies behind all of them
	pale     bool       // some cell writes in the colour of its ground
	links    []*elem
}

// readSheet reads a sheet; false if its part is damaged. What stands before a damage is kept.
func (x *xlsx) readSheet(name, part string) bool {
	s, err := x.stream(part)
	if err != nil {
		return false
	}
	r := &sheetReader{x: x, grid: grid{name: name}}
	s.child() // x:worksheet
	for e := s.child(); e != nil; e = s.child() {
		switch e.name {
		case "x:sheetFormatPr":
			z := e.attr("zeroHeight")
			r.rowless = z == "1" || z == "true"
			s.skip()
		case "x:cols":
			s.fill(e)
			e.each("x:col", r.column)
		case "x:sheetData":
			for row := s.child(); row != nil; row = s.child() {
				if r.cells > maxCells || x.formats.exhausted() {
					x.page.flag(FlagTruncated)
					s.skip()
					continue
				}
				s.fill(row)
				r.readRow(row)
			}
		case "x:mergeCells":
			s.fill(e)
			e.each("x:mergeCell", func(m *elem) {
				if a, ok := areaOf(m.attr("ref")); ok {
					r.grid.merges = append(r.grid.merges, a)
				}
			})
		case "x:hyperlinks":
			s.fill(e)
			e.each("x:hyperlink", func(l *elem) { r.links = append(r.links, l) })
		case "x:conditionalFormatting":
			r.paint(e.attr("sqref"))
			s.skip()
		case "x:picture":
			r.pictured = true
			s.skip()
		case "x:drawing":
			r.drawing = e.attr("r:id")
			s.skip()
		default:
			s.skip()
		}
	}
	err = s.Close()
	if r.dropped {
		x.page.flag(FlagHiddenSheet)
	}
	rels := x.relations(part)
	if r.pale {
		r.readPainted(rels)
		r.leaveOutPale()
	}
	x.readLinks(r, part)
	x.write.write(&r.grid)
	if len(rels) > 0 {
		x.readDrawing(&r.grid, rels[r.drawing])
		x.readComments(&r.grid, related(rels, "comments"))
	}
	return err == nil
}

// readLinks notes where links of cells lead, with the texts of the cells.
func (x *xlsx) readLinks(r *sheetReader, part string) {
	if len(r.links) == 0 {
		return
	}
	texts := map[cellArea]string{}
	for _, row := range r.grid.rows {
		for _, c := range row.cells {
			texts[cellArea{row: row.n, col: c.col}] = c.text
		}
	}
	rels := x.relations(part)
	for _, l := range r.links {
		at, ok := areaOf(l.attr("ref"))
		target := rels[l.attr("r:id")]
		text := texts[cellArea{row: at.row, col: at.col}]
		if !ok || !target.external || text == "" {
			continue
		}
		if k := x.links.add(target.target); k >= 0 && x.links.list[k].Text == "" {
			x.links.list[k].Text = oneLine(text, 200)
		}
	}
}

// readComments reads the remarks on cells: other people's words, so no main content.
func (x *xlsx) readComments(g *grid, name string) {
	root, err := x.tree(name)
	if err != nil {
		return
	}
	var authors []string
	root.child("x:authors").each("x:author", func(a *elem) { authors = append(authors, oneLine(a.words(), 100)) })
	root.child("x:commentList").each("x:comment", func(e *elem) {
		area, ok := areaOf(e.attr("ref"))
		text := e.child("x:text")
		if !ok || text == nil {
			return
		}
		by := "an unknown author"
		if i := atoi(e.attr("authorId"), -1); i >= 0 && i < len(authors) && authors[i] != "" {
			by = authors[i]
		}
		x.write.add(g, area, Block{Text: oneLineOf(richText(text)), Role: evidence.RoleComment, Path: "comment by " + by})
	})
}

// column notes hidden columns; they come in order.
func (r *sheetReader) column(e *elem) {
	h, width := e.attr("hidden"), e.attr("width")
	if h != "1" && h != "true" && width != "0" {
		return
	}
	from, to := atoi(e.attr("min"), 1), min(atoi(e.attr("max"), sheetColumns), sheetColumns)
	for len(r.hidden) <= to {
		r.hidden = append(r.hidden, len(r.hidden) >= from)
	}
}

func (r *sheetReader) isHidden(col int) bool { return col < len(r.hidden) && r.hidden[col] }

// readRow reads the cells of a row. Rows and cells that do not say where they stand follow the last.
func (r *sheetReader) readRow(e *elem) {
	n := atoi(e.attr("r"), r.row+1)
	if e.name != "x:row" || n <= r.row || n > sheetRows {
		return // rows come in order
	}
	r.row = n
	h := e.attr("hidden")
	hidden := h == "1" || h == "true" || h == "" && r.rowless || e.attr("ht") == "0"
	row := gridRow{n: n}
	col := 0
	e.each("x:c", func(c *elem) {
		at := col + 1
		if a, ok := areaOf(c.attr("r")); ok {
			at = a.col
		}
		if at <= col || at > sheetColumns {
			return
		}
		col = at
		text, number := r.x.value(c)
		switch {
		case text == "" || !visible(text):
		case hidden || r.isHidden(at):
			r.dropped = true
		default:
			style := atoi(c.attr("s"), 0)
			pale := style < len(r.x.pale) && r.x.pale[style]
			r.pale = r.pale || pale
			row.cells = append(row.cells, gridCell{col: at, text: text, number: number, pale: pale})
			r.cells++
		}
	})
	switch {
	case hidden:
		if len(r.grid.gone) < sheetRows {
			r.grid.gone = append(r.grid.gone, n)
		}
	case len(row.cells) > 0:
		r.grid.rows = append(r.grid.rows, row)
	}
}

// value returns what a cell shows, in one line.
func (x *xlsx) value(c *elem) (text string, number bool) {
	v := strings.TrimSpace(c.child("x:v").words())
	switch c.attr("t") {
	case "s":
		if i := atoi(v, -1); i >= 0 && i < len(x.strings) {
			return x.strings[i], false
		}
		return "", false
	case "inlineStr":
		if is := c.child("x:is"); is != nil {
			return oneLineOf(richText(is)), false
		}
		return "", false
	case "str", "e", "d":
		return oneLineOf(c.child("x:v").words()), false
	case "b":
		if v == "1" || v == "true" {
			return "TRUE", false
		}
		return "FALSE", false
	}
	if v == "" {
		return "", false
	}
	code := ""
	if i := atoi(c.attr("s"), 0); i < len(x.codes) {
		code = x.codes[i]
	}
	shown := x.formats.show(code, v)
	if shown == "" {
		x.page.flag(FlagHidden) // a format like ;;; hides the value
	}
	return shown, true
}

// readDrawing reads text boxes and the titles of charts that lie on a sheet.
func (x *xlsx) readDrawing(g *grid, r relation) {
	root, err := x.tree(r.target)
	if err != nil || r.external {
		return
	}
	rels := x.relations(r.target)
	for _, anchor := range root.kids {
		from, to := anchor.child("xdr:from"), anchor.child("xdr:to")
		if from == nil {
			continue
		}
		cell := func(e *elem, name string, none int) int {
			return atoi(strings.TrimSpace(e.child(name).words()), none) + 1
		}
		area := cellArea{row: cell(from, "xdr:row", 0), col: cell(from, "xdr:col", 0)}
		area.row2, area.col2 = max(cell(to, "xdr:row", 0), area.row), max(cell(to, "xdr:col", 0), area.col)
		var texts []string
		role := evidence.RoleText
		anchor.find("xdr:txBody", func(e *elem) {
			for _, t := range x.drawnText(e, rels, nil) {
				texts = append(texts, t.text)
			}
		})
		anchor.find("c:chart", func(e *elem) {
			role = evidence.RoleCaption
			if title := x.chartTitle(e.attr("r:id"), rels); title != "" {
				texts = append(texts, title)
			}
		})
		x.write.add(g, area, Block{Text: strings.Join(texts, "\n"), Role: role, Main: true, Quotable: true, Path: fmt.Sprintf("drawing at %s%d", column(area.col), area.row)})
	}
}

// areaOf reads A1 and A1:D9.
func areaOf(ref string) (cellArea, bool) {
	from, to, isRange := strings.Cut(ref, ":")
	if !isRange {
		to = from
	}
	var a cellArea
	var ok, ok2 bool
	a.col, a.row, ok = cellAt(from)
	a.col2, a.row2, ok2 = cellAt(to)
	return a, ok && ok2 && a.col <= a.col2 && a.row <= a.row2
}

// cellAt reads a cell's name.
func cellAt(s string) (col, row int, ok bool) {
	s = strings.ReplaceAll(s, "$", "")
	i := 0
	for ; i < len(s) && i < 3 && s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z'; i++ {
		col = col*26 + int(s[i]|0x20-'a') + 1
	}
	row = atoi(s[i:], 0)
	return col, row, i > 0 && row >= 1 && row <= sheetRows && col <= sheetColumns
}
