package extract

import (
	"fmt"
	"strconv"
	"strings"

	"ibid/evidence"
)

// docxTable is a table while its rows are read.
type docxTable struct {
	at      docxPlace
	n       *counter // of what stands in its cells, where these are read as paragraphs
	rows    int
	headed  bool // its first row is formatted as a head
	caption string
	table   tableRows
}

// newTable begins a table. The caption is the paragraph of that style right above it.
func (d *docx) newTable(at docxPlace, n *counter) *docxTable {
	n.tables++
	at.path += fmt.Sprintf("/tbl[%d]", n.tables)
	t := &docxTable{at: at, n: &counter{}}
	if k := len(d.page.Blocks); k > 0 && d.page.Blocks[k-1].Role == evidence.RoleCaption {
		t.caption = oneLine(d.page.Blocks[k-1].Text, 300)
	}
	return t
}

// rows reads the rows of a table.
func (d *docx) rows(c cursor, t *docxTable) {
	for e := c.child(); e != nil && !d.out.full; e = c.child() {
		switch e.name {
		case "w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo":
			d.rows(c, t)
		case "w:tblPr":
			c.fill(e)
			t.headed = headedLook(e.child("w:tblLook"))
			if st := d.styles.byID[e.child("w:tblStyle").attr("w:val")]; st != nil && st.painted {
				t.at.ground = docxGround{unknown: true}
			}
			t.at.ground = t.at.ground.shaded(e.child("w:shd"))
		case "w:tr":
			c.fill(e)
			t.rows++
			d.row(t, e)
		default:
			c.skip()
		}
	}
}

// headedLook reports whether a table's first row is formatted as a head, in the newer form or as a bit of the older one.
func headedLook(look *elem) bool {
	if first := look.attr("w:firstRow"); first != "" {
		return first == "1" || first == "true"
	}
	bits, err := strconv.ParseUint(look.attr("w:val"), 16, 16)
	return err == nil && bits&0x20 != 0
}

// row reads a row: as one block, or, where its cells hold whole texts, paragraph by paragraph.
func (d *docx) row(t *docxTable, tr *elem) {
	trPr := tr.child("w:trPr")
	if trPr.child("w:del") != nil {
		return
	}
	if toggleOf(trPr.child("w:hidden")) == on {
		if visible(tr.words()) {
			d.page.flag(FlagHidden)
		}
		return
	}
	cells := cellsOf(tr)
	at := t.at
	at.path += fmt.Sprintf("/tr[%d]", t.rows)
	before := min(atoi(trPr.child("w:gridBefore").attr("w:val"), 0), maxSpan)
	if before == 0 && holdsTexts(cells) {
		for _, tc := range cells {
			if tc.child("w:tcPr", "w:cellDel") == nil {
				in := at
				in.ground = at.ground.shaded(tc.child("w:tcPr", "w:shd"))
				d.tree(tc, in, t.n)
			}
		}
		return
	}
	var row []tableCell
	if before > 0 {
		row = append(row, tableCell{cols: before})
	}
	for _, tc := range cells {
		tcPr := tc.child("w:tcPr")
		c := tableCell{cols: min(max(atoi(tcPr.child("w:gridSpan").attr("w:val"), 1), 1), maxSpan)}
		if tcPr.child("w:cellDel") == nil {
			in := at
			in.ground = at.ground.shaded(tcPr.child("w:shd"))
			d.cell(tc, in, &c)
		}
		if merge := tcPr.child("w:vMerge"); merge != nil {
			c.down, c.above = true, merge.attr("w:val") != "restart"
		}
		row = append(row, c)
	}
	head := toggleOf(trPr.child("w:tblHeader")) == on || t.headed && t.rows == 1 && looksLikeHead(row)
	d.emitRow(t, row, head, at)
}

// emitRow adds a row, and what is anchored in its cells.
func (d *docx) emitRow(t *docxTable, cells []tableCell, head bool, at docxPlace) {
	row, ok := t.table.add(cells, head)
	if ok {
		b := Block{Text: row.text, Role: evidence.RoleRow, LinkText: row.linked, Columns: row.columns, Caption: t.caption,
			Path: at.path, Heading: at.heading, Main: !at.aside, Quotable: !at.aside && (row.linked <= 0.5 || row.filled > 1)}
		if at.comment {
			b.Role = evidence.RoleComment
		}
		d.out.add(b)
	}
	d.readBoxes(at)
}

// cellsOf returns the cells of a row, also those in content controls.
func cellsOf(tr *elem) (cells []*elem) {
	for _, k := range tr.kids {
		switch k.name {
		case "w:tc":
			cells = append(cells, k)
		case "w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo":
			cells = append(cells, cellsOf(k)...)
		}
	}
	return cells
}

// holdsTexts reports whether the cells of a row lay out texts rather than hold data: a single cell, tables inside, or
// long texts.
func holdsTexts(cells []*elem) bool {
	if len(cells) < 2 {
		return true
	}
	for _, tc := range cells {
		if tc.child("w:tbl") != nil || len(tc.words()) > 2000 {
			return true
		}
	}
	return false
}

// cell gathers the text of a cell: its paragraphs in one line.
func (d *docx) cell(e *elem, at docxPlace, c *tableCell) {
	for _, k := range e.kids {
		switch k.name {
		case "w:p":
			b, ok := d.gather(k, at)
			if !ok {
				continue
			}
			n := len(b.Text)
			c.linked += b.LinkText * float64(n)
			c.letters += n
			c.text = strings.TrimSpace(c.text + " " + oneLineOf(b.Text))
		case "w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo":
			d.cell(k, at, c)
		case "mc:AlternateContent":
			if k = alternative(k); k != nil {
				d.cell(k, at, c)
			}
		}
	}
}
