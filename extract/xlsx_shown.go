package extract

import (
	"slices"
	"strings"
)

// unknownColour stands for one that a sheet's own parts do not tell.
const unknownColour = "?"

// sheetColour returns a colour as RRGGBB: of the theme's, and of the numbered ones, only black and white are the same in
// all workbooks (ISO 29500-1 §18.8.3, §18.8.27).
func sheetColour(c *elem) string {
	if tint := c.attr("tint"); tint != "" && tint != "0" {
		return unknownColour
	}
	if rgb := c.attr("rgb"); len(rgb) == 8 {
		return rgb[2:]
	}
	switch c.attr("theme") + "/" + c.attr("indexed") {
	case "0/", "/1", "/9", "/65":
		return "FFFFFF"
	case "1/", "/0", "/8", "/64":
		return "000000"
	}
	return unknownColour
}

// fillColour returns the colour that a cell's fill has; that of the sheet where it has none.
func fillColour(fill *elem) string {
	p := fill.child("x:patternFill")
	switch kind := p.attr("patternType"); {
	case p != nil && (kind == "" || kind == "none"):
		return "FFFFFF"
	case kind == "solid" && p.child("x:fgColor") != nil:
		return sheetColour(p.child("x:fgColor"))
	}
	return unknownColour
}

// palette are the colours that a workbook's cell styles are made of.
type palette struct{ fonts, fills []string }

func (p *palette) readFonts(e *elem) {
	e.each("x:font", func(f *elem) {
		colour := unknownColour
		if c := f.child("x:color"); c != nil {
			colour = sheetColour(c)
		}
		p.fonts = append(p.fonts, colour)
	})
}

func (p *palette) readFills(e *elem) {
	e.each("x:fill", func(f *elem) { p.fills = append(p.fills, fillColour(f)) })
}

// pale reports whether a cell style writes in the colour of its ground.
func (p *palette) pale(xf *elem) bool {
	font, fill := atoi(xf.attr("fontId"), -1), atoi(xf.attr("fillId"), 0)
	return font >= 0 && font < len(p.fonts) && fill < len(p.fills) && sameColour(p.fonts[font], p.fills[fill])
}

// readPainted notes what paints cells beside their own styles: tables, and rules about values.
func (r *sheetReader) readPainted(rels map[string]relation) {
	for _, name := range relatedAll(rels, "table") {
		if t, err := r.x.tree(name); err == nil {
			r.paint(t.attr("ref"))
		}
	}
	for _, name := range relatedAll(rels, "pivotTable") {
		if t, err := r.x.tree(name); err == nil {
			r.paint(t.child("x:location").attr("ref"))
		}
	}
}

func (r *sheetReader) paint(refs string) {
	for ref := range strings.FieldsSeq(refs) {
		if a, ok := areaOf(ref); ok && len(r.painted) < 10_000 {
			r.painted = append(r.painted, a)
		}
	}
}

// leaveOutPale leaves out the cells that cannot be told from their ground.
func (r *sheetReader) leaveOutPale() {
	for i := range r.grid.rows {
		row := &r.grid.rows[i]
		row.cells = slices.DeleteFunc(row.cells, func(c gridCell) bool {
			if !c.pale || r.pictured || slices.ContainsFunc(r.painted, func(a cellArea) bool {
				return a.row <= row.n && row.n <= a.row2 && a.col <= c.col && c.col <= a.col2
			}) {
				return false
			}
			r.x.page.flag(FlagHidden)
			return true
		})
	}
	r.grid.rows = slices.DeleteFunc(r.grid.rows, func(row gridRow) bool { return len(row.cells) == 0 })
}
