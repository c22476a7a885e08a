package extract

import (
	"strings"

	"ibid/evidence"
)

// slidePlace says where a shape stands.
type slidePlace struct {
	title string // of the slide
	path  string
	depth int
	x, y  slideScale
}

// A slideScale leads from the measure of a group to that of the slide; the zero value is the slide's own.
type slideScale struct {
	grown float64 // by how much, less one
	from  float64
}

func (s slideScale) at(v int) float64 { return s.from + float64(v)*(1+s.grown) }

// within is the scale of a group that takes the room from to on, wide, and counts its parts from origin on, of which
// there are so many.
func (s slideScale) within(to, wide, origin, parts int) slideScale {
	if parts == 0 {
		return s
	}
	grown := float64(wide) / float64(parts)
	return slideScale{grown: (1+s.grown)*grown - 1, from: s.at(to) - (1+s.grown)*grown*float64(origin)}
}

// placeholder returns what a shape holds the place of: "title", "body"; "" for a shape of its own.
func placeholder(sp *elem) string {
	ph := sp.child("p:nvSpPr", "p:nvPr", "p:ph")
	switch {
	case ph == nil:
		return ""
	case ph.attr("type") == "":
		return "obj"
	}
	return ph.attr("type")
}

// shapes reads the shapes of a slide or of a group in their order, from the one that lies lowest.
func (p *pptx) shapes(tree *elem, at slidePlace) {
	if tree == nil || at.depth > maxNesting {
		return
	}
	for _, e := range tree.kids {
		switch e.name {
		case "p:sp":
			if p.seen(e, "p:nvSpPr", "p:spPr", at) {
				p.shape(e, at)
			}
		case "p:grpSp":
			if p.seen(e, "p:nvGrpSpPr", "p:grpSpPr", at) {
				in := at
				in.depth = at.depth + 1
				x := e.child("p:grpSpPr", "a:xfrm")
				off, ext, chOff, chExt := x.child("a:off"), x.child("a:ext"), x.child("a:chOff"), x.child("a:chExt")
				in.x = at.x.within(signed(off.attr("x")), atoi(ext.attr("cx"), 0), signed(chOff.attr("x")), atoi(chExt.attr("cx"), 0))
				in.y = at.y.within(signed(off.attr("y")), atoi(ext.attr("cy"), 0), signed(chOff.attr("y")), atoi(chExt.attr("cy"), 0))
				p.shapes(e, in)
			}
		case "p:graphicFrame":
			if p.seen(e, "p:nvGraphicFramePr", "", at) {
				p.frame(e, at)
			}
		case "mc:AlternateContent":
			if e = alternative(e); e != nil {
				in := at
				in.depth++
				p.shapes(e, in)
			}
		}
	}
}

// seen reports whether a shape is shown: it is not hidden, and lies at least partly on the slide.
func (p *pptx) seen(e *elem, properties, place string, at slidePlace) bool {
	if h := e.child(properties, "p:cNvPr").attr("hidden"); h == "1" || h == "true" {
		p.dropped(e)
		return false
	}
	xfrm := e.child("p:xfrm")
	if place != "" {
		xfrm = e.child(place, "a:xfrm")
	}
	offset, size := xfrm.child("a:off"), xfrm.child("a:ext")
	if p.width == 0 || p.height == 0 || offset == nil || size == nil {
		return true
	}
	x, y := signed(offset.attr("x")), signed(offset.attr("y"))
	left, right := at.x.at(x), at.x.at(x+atoi(size.attr("cx"), 0))
	top, bottom := at.y.at(y), at.y.at(y+atoi(size.attr("cy"), 0))
	if left >= float64(p.width) || top >= float64(p.height) || right < 0 || bottom < 0 {
		p.dropped(e)
		return false
	}
	return true
}

// dropped says that text was left out, if there was any.
func (p *pptx) dropped(e *elem) {
	e.find("a:t", func(t *elem) {
		if visible(t.words()) {
			p.page.flag(FlagHidden)
		}
	})
}

func signed(s string) int {
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		return -atoi(rest, 0)
	}
	return atoi(s, 0)
}

// shape reads the text of a shape.
func (p *pptx) shape(sp *elem, at slidePlace) {
	kind := placeholder(sp)
	for _, t := range p.drawnText(sp.child("p:txBody"), p.rels, p.links.add) {
		b := Block{Text: t.text, Heading: at.title, Main: true, LinkText: t.linked, Path: at.path}
		switch kind {
		case "title", "ctrTitle":
			b.Role, b.Level, b.Heading = evidence.RoleHeading, 1, ""
		case "sldNum", "dt", "ftr", "hdr":
			b.Main = false
		case "obj", "body":
			if t.bullet != off {
				b.Role, b.Level = evidence.RoleItem, t.level+1
			}
		default:
			if t.bullet == on {
				b.Role, b.Level = evidence.RoleItem, t.level+1
			}
		}
		if kind != "" {
			b.Path += "/" + oneLine(kind, 20)
		}
		b.Quotable = b.Main && t.linked <= 0.5
		p.out.add(b)
	}
}

// frame reads a table, a chart or a diagram.
func (p *pptx) frame(e *elem, at slidePlace) {
	data := e.child("a:graphic", "a:graphicData")
	if data == nil {
		return
	}
	for _, k := range data.kids {
		switch k.name {
		case "a:tbl":
			p.drawnTable(k, at)
		case "c:chart":
			p.chart(k.attr("r:id"), p.rels, p.out, at.path)
		case "dgm:relIds":
			p.diagram(k.attr("r:dm"), p.rels, p.out, at.path)
		}
	}
}

// drawnTable reads a table of a slide (ISO 29500-1 §21.1.3).
func (p *pptx) drawnTable(tbl *elem, at slidePlace) {
	headed := tbl.child("a:tblPr").attr("firstRow")
	var rows tableRows
	n := 0
	tbl.each("a:tr", func(tr *elem) {
		n++
		var cells []tableCell
		tr.each("a:tc", func(tc *elem) {
			if on := tc.attr("hMerge"); on == "1" || on == "true" {
				return // covered by the cell on its left, which says how many it covers
			}
			c := tableCell{cols: min(max(atoi(tc.attr("gridSpan"), 1), 1), maxSpan), down: atoi(tc.attr("rowSpan"), 1) > 1}
			if on := tc.attr("vMerge"); on == "1" || on == "true" {
				c.down, c.above = true, true
			}
			for _, t := range p.drawnText(tc.child("a:txBody"), p.rels, p.links.add) {
				c.text = strings.TrimSpace(c.text + " " + oneLineOf(t.text))
				c.letters += len(t.text)
				c.linked += t.linked * float64(len(t.text))
			}
			cells = append(cells, c)
		})
		head := n == 1 && (headed == "1" || headed == "true") && looksLikeHead(cells)
		if row, ok := rows.add(cells, head); ok {
			p.out.add(Block{Text: row.text, Role: evidence.RoleRow, Heading: at.title, Columns: row.columns, LinkText: row.linked,
				Main: true, Quotable: row.linked <= 0.5 || row.filled > 1, Path: at.path + "/table"})
		}
	})
}
