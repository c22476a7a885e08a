package extract

import (
	"strings"

	"ibid/evidence"
)

// begin enters an environment.
func (r *texReader) begin(c *texScan, p texPlace, open *[]texEnvironment) texPlace {
	c.command()
	a, b := c.group()
	name := strings.TrimSpace(c.s[a:b])
	end := `\end{` + name + `}`
	switch {
	case texMath[name]:
		a, b, ok := c.until(end)
		if !ok {
			return p
		}
		if name == "alignat" || name == "alignat*" { // its argument
			a += len(c.s[a:b]) - len(strings.TrimLeft(c.s[a:b], "{0123456789}"))
		}
		if p.inCell || p.inLine {
			r.add(strings.Join(strings.Fields(c.s[a:b]), " "), c)
		} else {
			r.formula(c, a, b, p)
		}
		return p
	case texUnread[name]:
		c.until(end)
		return p
	case texCode[name]:
		r.code(c, name, end, p)
		return p
	}
	if len(*open) > 1000 {
		return p
	}
	*open = append(*open, texEnvironment{name, p})
	if !texTables[name] && !p.inCell {
		r.flush(p)
	}
	if n, ok := texEnvironments[name]; ok {
		argumentsOf(c, n)
	}
	if strings.HasPrefix(name, "table") || strings.HasPrefix(name, "longtable") {
		r.caption = r.captionIn(c, end, p)
	}
	switch {
	case texLists[name]:
		if p.role != evidence.RoleItem {
			p.level = 0
		}
		p.level, p.role = p.level+1, evidence.RoleItem
	case texQuotes[name]:
		p.role = evidence.RoleQuote
	case texTables[name] && !p.inCell && !p.inLine:
		r.flush(p)
		r.table = &texRows{}
		p.inCell = true
	case name == "thebibliography":
		p.listed, p.role = true, evidence.RoleItem
	case name == "abstract":
		p.role = evidence.RoleText
	}
	return p
}

// captionIn is the caption of a table that begins here, which may stand below it.
func (r *texReader) captionIn(c *texScan, end string, p texPlace) string {
	inside, _, _ := strings.Cut(c.s[c.i:min(len(c.s), c.i+maxTeXArgument/4)], end)
	at := strings.Index(inside, `\caption`)
	if at < 0 {
		return ""
	}
	ahead := *c
	ahead.i += at
	ahead.command()
	ahead.star()
	ahead.option()
	from, to := ahead.group()
	return clip(r.plain(&ahead, from, to, p), 500)
}

// finish leaves an environment, and those that were not closed in it. depth is negative after the document.
func (r *texReader) finish(c *texScan, p texPlace, open *[]texEnvironment) texPlace {
	c.command()
	a, b := c.group()
	name := strings.TrimSpace(c.s[a:b])
	if name == "document" {
		p.inCell = false
		r.flush(p)
		p.depth = -1
		return p
	}
	k := len(*open) - 1
	for k >= 0 && (*open)[k].name != name {
		k--
	}
	if k < 0 {
		return p
	}
	outer := (*open)[k].outer
	if strings.HasPrefix(name, "table") {
		defer func() { r.caption = "" }()
	}
	if p.inCell && !outer.inCell {
		if r.table != nil {
			r.table.cell(&r.cur)
			r.row(c, p)
		}
		r.table = nil
		p.inCell = false
		r.cur.take()
	}
	r.flush(p)
	*open = (*open)[:k]
	return outer
}

// code adds an environment whose text stays as it is.
func (r *texReader) code(c *texScan, name, end string, p texPlace) {
	if name == "minted" {
		c.option()
		c.group()
	} else if name != "verbatim" {
		c.option()
	}
	from, to, ok := c.until(end)
	if !ok {
		return
	}
	if p.inCell || p.inLine {
		r.add(c.s[from:to], c)
		return
	}
	r.flush(p)
	code := trimLines(c.s[from:to])
	if !visible(code) {
		return
	}
	at := c.pos()
	if !c.in {
		at = c.at + from + strings.Index(c.s[from:to], code)
	}
	for _, piece := range splitCode(code) {
		r.emit(code[piece.start:piece.end], at+piece.start, at+piece.end, texPlace{role: evidence.RoleCode})
	}
}

// texRows is a table that is being read.
type texRows struct {
	rows    tableRows
	cells   []tableCell
	cols    int // that the next cell covers; 0 is 1
	n       int // rows so far
	columns string
}

// cell ends a cell.
func (t *texRows) cell(cur *passage) {
	letters := cur.letters
	text, _ := cur.take()
	t.cells = append(t.cells, tableCell{text: oneLineOf(text), letters: letters, cols: max(t.cols, 1)})
	t.cols = 0
}

// row ends a row.
func (r *texReader) row(c *texScan, p texPlace) {
	t := r.table
	cells := t.cells
	t.cells = nil
	start, end := r.start, c.pos()
	r.start = -1
	if start < 0 {
		return
	}
	rest := strings.TrimLeft(c.rest(), " \t\r\n")
	head := t.n == 0 && (strings.HasPrefix(rest, `\midrule`) || strings.HasPrefix(rest, `\hline`) || strings.HasPrefix(rest, `\cmidrule`)) && looksLikeHead(cells)
	row, ok := t.rows.add(cells, head)
	if !ok {
		return
	}
	t.n++
	t.columns = row.columns
	p.inCell, p.role = false, evidence.RoleRow
	r.emit(row.text, start, end, p)
	notes := r.notes
	r.notes = nil
	for _, n := range notes {
		r.run(n, texPlace{depth: p.depth})
	}
}
