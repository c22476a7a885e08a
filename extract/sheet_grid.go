package extract

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"ibid/evidence"
)

// Limits of a sheet, as spreadsheet programs have them (ISO 29500-1 §18.3.1.73).
const (
	sheetRows    = 1 << 20
	sheetColumns = 1 << 14
)

// A grid is what a sheet shows: its cells with text, sparse, in order.
type grid struct {
	name   string
	rows   []gridRow // those that are shown and not empty
	gone   []int     // numbers of hidden rows, which part no table
	merges []cellArea
}

type gridRow struct {
	n     int // as the sheet counts, from 1
	cells []gridCell
}

type gridCell struct {
	col    int // from 1
	text   string
	number bool // the cell holds a number, not a text
	over   bool // shown here because a merged cell reaches here
	pale   bool // written in the colour of its ground
}

// A cellArea is a rectangle of cells that are merged.
type cellArea struct{ row, col, row2, col2 int }

// A gridTable is a table found in a grid: rows in order, columns from first to last.
type gridTable struct {
	rows        []gridRow
	first, last int
}

// sheetWriter turns grids into blocks: a row of a table each, at the range of cells where it stands.
type sheetWriter struct {
	out   *outline
	used  map[string]bool // locators
	at    evidence.Locator
	title string // a line right above the next table
	near  int    // the row it stands in
}

func newSheetWriter(page *Page) *sheetWriter {
	w := &sheetWriter{used: map[string]bool{}}
	w.out = &outline{page: page, at: func(int) evidence.Locator { return w.at }}
	return w
}

// add appends a block at a range of cells, once for each range.
func (w *sheetWriter) add(g *grid, area cellArea, b Block) {
	path := fmt.Sprintf("%s!%s%d", norm.NFC.String(g.name), column(area.col), area.row)
	if area.col != area.col2 || area.row != area.row2 {
		path += fmt.Sprintf(":%s%d", column(area.col2), area.row2)
	}
	w.at = evidence.Locator{Unit: evidence.Cells, Path: path}
	if w.used[path] || !w.at.Valid() {
		return
	}
	w.used[path] = true
	if b.Heading == "" {
		b.Heading = g.name
	}
	w.out.add(b)
}

// write reads a grid as tables.
func (w *sheetWriter) write(g *grid) {
	w.title = ""
	g.spread()
	for _, band := range g.bands() {
		for _, t := range divideBand(band) {
			w.table(g, t)
		}
	}
}

// spread shows merged cells in all cells that they cover, as a reader sees them there, within the rows and columns in use.
func (g *grid) spread() {
	if len(g.rows) == 0 || len(g.merges) == 0 {
		return
	}
	last := 0
	for _, r := range g.rows {
		last = max(last, r.cells[len(r.cells)-1].col)
	}
	slices.SortFunc(g.merges, func(a, b cellArea) int {
		if a.row != b.row {
			return a.row - b.row
		}
		return a.col - b.col
	})
	type open struct {
		cellArea
		cell gridCell
	}
	var active []open
	next, work := 0, 4*maxCells // cells that are looked at
	for i := range g.rows {
		r := &g.rows[i]
		active = slices.DeleteFunc(active, func(o open) bool { return o.row2 < r.n })
		for ; next < len(g.merges) && g.merges[next].row <= r.n; next++ {
			if m := g.merges[next]; m.row == r.n {
				if c, ok := r.at(m.col); ok {
					active = append(active, open{m, c})
				}
			}
		}
		var more []gridCell
		for _, o := range active {
			for col := o.col; col <= min(o.col2, last); col++ {
				if work--; work < 0 {
					return // no sheet of people has so many merged cells
				}
				if _, own := r.at(col); !own {
					c := o.cell
					c.col, c.over = col, true
					more = append(more, c)
				}
			}
		}
		work -= len(active)
		if len(more) > 0 {
			r.cells = append(r.cells, more...)
			slices.SortStableFunc(r.cells, func(a, b gridCell) int { return a.col - b.col })
			r.cells = slices.CompactFunc(r.cells, func(a, b gridCell) bool { return a.col == b.col })
		}
	}
}

func (r gridRow) at(col int) (gridCell, bool) {
	i, ok := slices.BinarySearchFunc(r.cells, col, func(c gridCell, col int) int { return c.col - col })
	if !ok {
		return gridCell{}, false
	}
	return r.cells[i], true
}

// bands groups rows that stand under one another. An empty row parts them, a hidden one does not; so does a row of cells
// none of which stands below any of the rows before.
func (g *grid) bands() [][]gridRow {
	var list [][]gridRow
	start, first, last := 0, 0, 0
	for i, r := range g.rows {
		from, to := r.cells[0].col, r.cells[len(r.cells)-1].col
		if i > start && (!g.adjoin(g.rows[i-1].n, r.n) || len(r.cells) > 1 && (from > last || to < first)) {
			list = append(list, g.rows[start:i])
			start = i
		}
		if i == start {
			first, last = from, to
		}
		first, last = min(first, from), max(last, to)
	}
	if start < len(g.rows) {
		list = append(list, g.rows[start:])
	}
	return list
}

// adjoin reports whether all rows between two are hidden.
func (g *grid) adjoin(a, b int) bool {
	from, _ := slices.BinarySearch(g.gone, a+1)
	to, _ := slices.BinarySearch(g.gone, b)
	return to-from == b-a-1
}

// maxBeside is how many groups of columns may stand side by side to be told apart as tables.
const maxBeside = 50

// divideBand parts tables that stand side by side: at an empty column, if there is a table on both sides of it.
func divideBand(band []gridRow) []gridTable {
	used := map[int]int{} // rows by column
	for _, r := range band {
		for _, c := range r.cells {
			used[c.col]++
		}
	}
	cols := make([]int, 0, len(used))
	for c := range used {
		cols = append(cols, c)
	}
	slices.Sort(cols)
	var runs []gridTable
	for _, c := range cols {
		if n := len(runs); n > 0 && runs[n-1].last == c-1 {
			runs[n-1].last = c
			continue
		}
		runs = append(runs, gridTable{first: c, last: c})
	}
	if len(runs) > maxBeside {
		runs = []gridTable{{first: cols[0], last: cols[len(cols)-1]}}
	}
	isTable := func(t gridTable) bool {
		rows := 0
		for _, r := range band {
			filled := 0
			for _, c := range r.cells {
				if c.col >= t.first && c.col <= t.last {
					filled++
				}
			}
			if filled > 1 {
				rows++
			}
		}
		return rows > 1
	}
	var tables []gridTable
	for _, r := range runs {
		if n := len(tables); n > 0 && (!isTable(tables[n-1]) || !isTable(r)) {
			tables[n-1].last = r.last
			continue
		}
		tables = append(tables, r)
	}
	for i := range tables {
		t := &tables[i]
		for _, r := range band {
			var cells []gridCell
			for _, c := range r.cells {
				if c.col >= t.first && c.col <= t.last {
					cells = append(cells, c)
				}
			}
			if slices.ContainsFunc(cells, func(c gridCell) bool { return !c.over }) {
				t.rows = append(t.rows, gridRow{r.n, cells})
			}
		}
	}
	return tables
}

// maxTitles is how many lines above a table are taken for its title.
const maxTitles = 5

// table writes the rows of a table: lines above it as its caption, then its heads, then the rest.
func (w *sheetWriter) table(g *grid, t gridTable) {
	caption := ""
	if w.title != "" && t.rows[0].n-w.near <= 3 {
		caption = w.title
	}
	w.title = ""
	titles := 0
	for titles < len(t.rows) && t.rows[titles].lone() && t.rows[titles].cells[0].col == t.first {
		titles++
	}
	if titles > maxTitles || titles == len(t.rows) && titles > 1 { // a list
		titles = 0
	}
	var heads []gridRow
	columns := map[int]string{} // by last column
	begun := false
	for i, r := range t.rows {
		if w.out.full {
			return
		}
		lone := r.lone()
		area := cellArea{r.n, t.first, r.n, r.cells[len(r.cells)-1].col}
		if lone {
			area.col = r.cells[0].col
			area.col2 = area.col
		}
		b := Block{Text: r.texts(area.col), Role: evidence.RoleRow, Caption: caption, Main: true, Quotable: true}
		switch {
		case i < titles:
			b.Role, b.Caption = evidence.RoleCaption, ""
			caption = oneLine(b.Text, 300)
		case !begun && (!lone || area.col > t.first) && i+1 < len(t.rows) && r.headsColumns(heads):
			heads = append(heads, r)
		default:
			begun = true
		}
		if begun && !lone {
			joined, ok := columns[area.col2]
			if !ok {
				joined = headsOf(heads, t.first, area.col2)
				columns[area.col2] = joined
			}
			b.Columns = joined
		}
		w.add(g, area, b)
	}
	if titles == len(t.rows) { // nothing but a line: a title of what comes below
		w.title, w.near = caption, t.rows[titles-1].n
	}
}

// lone reports whether only one text stands in a row, be it in a cell that covers several.
func (r gridRow) lone() bool {
	for i, c := range r.cells {
		if i > 0 && (!c.over || c.text != r.cells[0].text) {
			return false
		}
	}
	return true
}

// texts joins the cells of a row from a column on.
func (r gridRow) texts(first int) string {
	if r.lone() {
		return r.cells[0].text
	}
	var b strings.Builder
	at := first
	for _, c := range r.cells {
		if b.Len() > maxShown {
			break // more than is kept of all rows
		}
		for ; at < c.col; at++ {
			b.WriteString(" | ")
		}
		b.WriteString(c.text)
	}
	return strings.TrimSpace(b.String())
}

// headsColumns reports whether a row names columns: texts, and no numbers but years. A second row of heads comes only
// below one whose cells span several columns.
func (r gridRow) headsColumns(above []gridRow) bool {
	if n := len(above); n > 2 || n > 0 && !above[n-1].spans() {
		return false
	}
	for _, c := range r.cells {
		if isYear(c.text) || c.text == "#" || c.text == "%" {
			continue
		}
		if c.number || !hasLetter(c.text) {
			return false
		}
	}
	return true
}

// spans reports whether a cell of the row covers several columns.
func (r gridRow) spans() bool {
	for i, c := range r.cells {
		if c.over && i > 0 && r.cells[i-1].text == c.text {
			return true
		}
	}
	return false
}

// headsOf joins the heads of the columns from first to last.
func headsOf(rows []gridRow, first, last int) string {
	if len(rows) == 0 {
		return ""
	}
	var t tableRows
	for _, r := range rows {
		heads := make([]string, last-first+1)
		for _, c := range r.cells {
			if c.col >= first && c.col <= last {
				heads[c.col-first] = c.text
			}
		}
		t.heads = append(t.heads, heads)
	}
	return strings.TrimSpace(t.columns(last - first + 1))
}
