package extract

import (
	"strings"

	"ibid/evidence"
)

// xmlTableState is what is known of a table while its rows are read.
type xmlTableState struct {
	rows tableRows
	down map[int]int // by column of the grid: how many rows below a cell still covers
}

// maxWide is how long a cell may be that stands in all columns and rows that it covers, in bytes.
const maxWide = 200

// row reads a row of a table as one block. What has no cells is no row.
func (w *xmlWalk) row(n *xmlNode, p xmlPlace) {
	if p.inCell || !hasCells(n) {
		w.children(n, p)
		return
	}
	w.flush()
	w.unlabelled(p)
	in, where, columns := w.in, w.where, w.columns
	w.in, w.where = n, w.printPath()
	if w.table == nil {
		w.table = &xmlTableState{}
	}
	cells, heads := w.cells(n, p)
	if row, ok := w.table.rows.add(cells, p.inHead || heads == len(cells) && heads > 1); ok {
		p.role = evidence.RoleRow
		w.columns = row.columns
		w.emit(row.text, row.linked, p)
	}
	w.in, w.where, w.columns = in, where, columns
	w.after()
}

func hasCells(n *xmlNode) bool {
	for _, k := range n.kids {
		if xmlRules[k.name] == xmlCell {
			return true
		}
	}
	return false
}

// cells gathers the cells of a row, and says how many of them are heads.
func (w *xmlWalk) cells(n *xmlNode, p xmlPlace) (cells []tableCell, heads int) {
	p.inCell, p.inText, p.role = true, true, evidence.RoleRow
	down, column := map[int]int{}, 0
	above := func() { // cells of the rows above that reach into this one
		for w.table.down[column] > 0 && column < maxSpan {
			left := w.table.down[column] - 1
			down[column] = left
			cells = append(cells, tableCell{cols: 1, above: true, down: left > 0})
			column++
		}
	}
	counts := map[string]int{}
	w.texts++
	for _, k := range n.kids {
		if xmlRules[k.name] != xmlCell || column >= maxSpan {
			continue
		}
		above()
		counts[k.name]++
		w.path = append(w.path, xmlStep{k.name, counts[k.name]})
		w.at = p
		w.children(k, p)
		w.path = w.path[:len(w.path)-1]
		c := tableCell{letters: w.cur.letters, cols: reaches(k, "colspan", "cols")}
		c.linked = float64(w.cur.linked)
		c.text, _ = w.cur.take()
		c.text = oneLineOf(c.text)
		rows := min(max(reaches(k, "rowspan", "rows"), 1+atoi(k.attr("morerows"), 0)), maxSpan)
		if len(c.text) > maxWide { // a text that long stands once
			c.cols, rows = 1, 1
		}
		c.down = rows > 1
		for range c.cols {
			down[column] = rows - 1
			column++
		}
		if k.name == "th" || k.attr("role") == "label" || n.attr("role") == "label" {
			heads++
		}
		cells = append(cells, c)
	}
	above()
	w.texts--
	w.at = xmlPlace{}
	w.table.down = down
	return cells, heads
}

// reaches returns how many columns or rows a cell covers.
func reaches(n *xmlNode, names ...string) int {
	for _, name := range names {
		if v := n.attr(name); v != "" {
			return min(max(atoi(v, 1), 1), maxSpan)
		}
	}
	return 1
}

// record reads an element whose parts are all short and hold nothing but text, as data has it: one block like the row
// of a table, the names of the parts as heads of its columns.
func (w *xmlWalk) record(n *xmlNode, p xmlPlace) bool {
	all, inner := n.elements()
	if all < 2 || all > maxSpan || inner > 0 || n.mixed() {
		return false
	}
	var names, cells []string
	size, linked := 0, 0
	for _, k := range n.kids {
		if k.name == "" {
			continue
		}
		text := k.content()
		if r := xmlRules[k.name]; len(text) > 300 || r != xmlUnknown && r != xmlFormat && r != xmlTitle && r != xmlLink {
			return false
		}
		if size += len(text); isWebAddress(text) {
			w.links.add(text)
			linked += len(text)
		}
		names, cells = append(names, k.name), append(cells, text)
	}
	if !visible(strings.Join(cells, "")) {
		return true
	}
	w.flush()
	in, where, columns := w.in, w.where, w.columns
	w.in, w.where, w.columns = n, w.printPath(), strings.Join(names, " | ")
	p.role = evidence.RoleRow
	share := float64(linked) / float64(size)
	w.emit(strings.TrimSpace(strings.Join(cutRight(cells), " | ")), share, p)
	if b := &w.page.Blocks[len(w.page.Blocks)-1]; share > 0.5 {
		b.Quotable = false
	}
	w.in, w.where, w.columns = in, where, columns
	return true
}

// isWebAddress reports whether a text is an address and nothing else.
func isWebAddress(s string) bool {
	return (strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")) && !strings.ContainsAny(s, " \t\n<>\"")
}
