package extract

import (
	"strings"

	"ibid/evidence"
)

// odfSheet is a sheet while it is read.
type odfSheet struct {
	grid     grid
	col, row int
	hidden   []bool // columns, by number
	cells    int
	dropped  bool
	comments []odfRemark
}

type odfRemark struct {
	e    *elem
	area cellArea
}

// readSheet reads a sheet: its cells as they are shown, which the file keeps beside their values.
func (o *odf) readSheet(s *stream, e *elem) {
	hidden := func(st *odfStyle) bool { return st.tableHidden }
	if o.styles.any("content", "table", e.attr("table:style-name"), hidden) || o.parts.files == nil && o.styles.any("styles", "table", e.attr("table:style-name"), hidden) {
		o.page.flag(FlagHiddenSheet)
		s.skip()
		return
	}
	t := &odfSheet{grid: grid{name: clip(e.attr("table:name"), 200)}}
	o.sheetRows(s, t)
	if t.dropped {
		o.page.flag(FlagHiddenSheet)
	}
	if t.cells > maxCells {
		o.page.flag(FlagTruncated)
	}
	o.sheets.write(&t.grid)
	for _, c := range t.comments {
		by := first(oneLine(c.e.child("dc:creator").words(), 100), "an unknown author")
		var text []string
		c.e.each("text:p", func(p *elem) { text = append(text, p.words()) })
		o.sheets.add(&t.grid, c.area, Block{Text: oneLineOf(strings.Join(text, " ")), Role: evidence.RoleComment, Path: "comment by " + by})
	}
}

func (o *odf) sheetRows(s *stream, t *odfSheet) {
	for e := s.child(); e != nil; e = s.child() {
		switch e.name {
		case "table:table-columns", "table:table-header-columns", "table:table-column-group", "table:table-rows", "table:table-header-rows", "table:table-row-group":
			o.sheetRows(s, t)
		case "table:table-column":
			n := atoi(e.attr("table:number-columns-repeated"), 1)
			if v := e.attr("table:visibility"); v == "collapse" || v == "filter" {
				for to := min(t.col+n, sheetColumns); len(t.hidden) <= to; {
					t.hidden = append(t.hidden, len(t.hidden) > t.col)
				}
			}
			t.col = min(t.col+n, sheetColumns)
			s.skip()
		case "table:table-row":
			if t.cells > maxCells || t.row > sheetRows {
				s.skip()
				continue
			}
			s.fill(e)
			o.sheetRow(e, t)
		default:
			s.skip()
		}
	}
}

// sheetRow reads a row, which may stand for several equal ones.
func (o *odf) sheetRow(e *elem, t *odfSheet) {
	repeated := max(atoi(e.attr("table:number-rows-repeated"), 1), 1)
	visibility := e.attr("table:visibility")
	gone := visibility == "collapse" || visibility == "filter"
	var cells []gridCell
	col := 0
	for _, k := range e.kids {
		if k.name != "table:table-cell" && k.name != "table:covered-table-cell" {
			continue
		}
		n := max(atoi(k.attr("table:number-columns-repeated"), 1), 1)
		text := ""
		if k.name == "table:table-cell" { // what a merged cell covers is not shown
			text = o.cellText(k)
		}
		kind := k.attr("office:value-type")
		number := kind != "" && kind != "string"
		for i := 1; i <= n && text != "" && col+i <= sheetColumns && len(cells) < maxCells; i++ {
			if gone || t.isHidden(col+i) {
				t.dropped = true
				continue
			}
			cells = append(cells, gridCell{col: col + i, text: text, number: number})
		}
		row := t.row + 1
		cols, rows := atoi(k.attr("table:number-columns-spanned"), 1), atoi(k.attr("table:number-rows-spanned"), 1)
		if (cols > 1 || rows > 1) && text != "" {
			t.grid.merges = append(t.grid.merges, cellArea{row, col + 1, row + max(rows, 1) - 1, col + max(cols, 1)})
		}
		if a := k.child("office:annotation"); a != nil {
			t.comments = append(t.comments, odfRemark{a, cellArea{row, col + 1, row, col + 1}})
		}
		col += min(n, sheetColumns)
	}
	for i := 0; i < repeated; i++ {
		t.row++
		switch {
		case t.row > sheetRows || t.cells > maxCells:
			return
		case gone:
			t.grid.gone = append(t.grid.gone, t.row)
		case len(cells) > 0:
			t.grid.rows = append(t.grid.rows, gridRow{t.row, append([]gridCell(nil), cells...)})
			t.cells += len(cells)
		default:
			t.row += repeated - i - 1
			return
		}
	}
}

func (t *odfSheet) isHidden(col int) bool { return col < len(t.hidden) && t.hidden[col] }

// cellText is what a cell shows, in one line.
func (o *odf) cellText(e *elem) string {
	var texts []string
	for _, k := range e.kids {
		if k.name == "text:p" {
			o.inline(k, odfRun{part: o.stylePart(odfPlace{})}, odfPlace{})
			text, _ := o.cur.take()
			texts = append(texts, text)
		}
	}
	o.boxes, o.comments, o.notes = nil, nil, nil
	return oneLineOf(strings.Join(texts, " "))
}
