package extract

import (
	"fmt"
	"slices"
	"strings"

	"ibid/evidence"
)

// stylePart is the part whose styles count at a place: headers and footers stand among the styles.
func (o *odf) stylePart(at odfPlace) string {
	if o.parts.files != nil && (!at.aside || at.comment) {
		return "content"
	}
	return "styles"
}

// walk reads what stands in the element that was begun last, paragraph by paragraph and row by row.
func (o *odf) walk(c cursor, at odfPlace, n *counter) {
	for e := c.child(); e != nil && !o.out.full; e = c.child() {
		switch e.name {
		case "text:p", "text:h":
			c.fill(e)
			n.paragraphs++
			in := at
			in.path += fmt.Sprintf("/p[%d]", n.paragraphs)
			o.paragraph(e, in)
		case "text:list":
			in := at
			in.level++
			in.list = first(e.attr("text:style-name"), at.list)
			if at.level == 0 && e.attr("text:continue-numbering") != "true" && e.attr("text:continue-list") == "" {
				delete(o.numbers, in.list)
			}
			o.walk(c, in, n)
		case "text:list-item":
			in := at
			in.item = new(bool)
			*in.item = true
			o.walk(c, in, n)
		case "text:list-header":
			in := at
			in.item = nil
			o.walk(c, in, n)
		case "text:section":
			if d := e.attr("text:display"); d == "none" || d == "condition" && e.attr("text:is-hidden") == "true" {
				c.fill(e)
				o.dropped(e)
				continue
			}
			in := at
			in.boxed = at.boxed || o.styles.paint(o.stylePart(at), "section", e.attr("text:style-name"), odfPaint{}).ground != ""
			o.walk(c, in, n)
		case "text:table-of-content", "text:illustration-index", "text:table-index", "text:object-index":
			in := at
			in.contents = true
			o.walk(c, in, n)
		case "text:index-body", "text:index-title", "text:numbered-paragraph", "text:alphabetical-index", "text:bibliography", "text:user-index", "draw:text-box":
			o.walk(c, at, n)
		case "table:table":
			o.table(c, at, n)
		case "office:annotation":
			c.fill(e)
			o.comments = append(o.comments, e)
		default:
			if isShape(e.name) {
				c.fill(e)
				o.shape(e, at)
				o.emptyBoxes()
				continue
			}
			c.skip()
		}
	}
}

func isShape(name string) bool {
	switch name {
	case "draw:frame", "draw:g", "draw:custom-shape", "draw:rect", "draw:ellipse", "draw:circle", "draw:line", "draw:connector", "draw:polygon",
		"draw:polyline", "draw:path", "draw:caption", "draw:measure", "draw:regular-polygon", "draw:a":
		return true
	}
	return false
}

// dropped says that text was left out, if there was any.
func (o *odf) dropped(e *elem) {
	if visible(e.words()) {
		o.page.flag(FlagHidden)
	}
}

// paragraph reads a paragraph or heading with what is anchored in it.
func (o *odf) paragraph(e *elem, at odfPlace) {
	style, part := e.attr("text:style-name"), o.stylePart(at)
	hidden := o.styles.any(part, "paragraph", style, func(s *odfStyle) bool { return s.hidden == on })
	run := odfRun{part: part, hidden: hidden}
	if o.sees(at) {
		run.paint = o.styles.paint(part, "paragraph", style, odfPaint{})
		run.hidden = run.hidden || run.paint.blends()
	}
	o.inline(e, run, at)
	text, linked := o.cur.take()
	if text != "" {
		b := Block{Text: text, LinkText: linked, Path: at.path, Heading: at.heading, Main: !at.aside}
		o.judge(&b, e, at)
		b.Quotable = b.Main && linked <= 0.5 && !at.contents
		o.out.add(b)
	}
	o.emptyBoxes()
}

// judge says what a paragraph is.
func (o *odf) judge(b *Block, e *elem, at odfPlace) {
	style, part := e.attr("text:style-name"), o.stylePart(at)
	named := func(names ...string) bool {
		return o.styles.any(part, "paragraph", style, func(s *odfStyle) bool { return slices.Contains(names, s.display) })
	}
	switch {
	case at.comment:
		b.Role = evidence.RoleComment
	case at.aside || at.contents:
	case e.name == "text:h":
		b.Role, b.Level = evidence.RoleHeading, max(atoi(e.attr("text:outline-level"), 1), 1)
		listless := e.attr("text:is-list-header") == "true" || o.styles.any(part, "paragraph", style, func(s *odfStyle) bool { return s.unlisted })
		if number := o.number(at, b.Level); number != "" && !listless {
			b.Text = number + " " + b.Text
		}
	case at.class == "title" || named("title"):
		b.Role, b.Level = evidence.RoleHeading, 1
	case named("subtitle") && o.page.Kind == evidence.Document:
		b.Role, b.Level = evidence.RoleHeading, 2
	case named("caption", "illustration", "table", "figure", "drawing"):
		b.Role = evidence.RoleCaption
	case at.item != nil && at.level > 0:
		b.Role, b.Level = evidence.RoleItem, at.level
		if number := o.number(at, 0); strings.Count(strings.Trim(number, "."), ".") > 0 {
			b.Text = number + " " + b.Text
		}
	case named("quotations"):
		b.Role = evidence.RoleQuote
	}
}

// number counts a heading, or the first paragraph of a list's item, and returns the number that is printed before it.
func (o *odf) number(at odfPlace, heading int) string {
	list, level := "", heading
	switch {
	case o.page.Kind != evidence.Document:
		return ""
	case at.item != nil && *at.item:
		*at.item = false
		if list, level = at.list, at.level; list == "" {
			return ""
		}
	case at.item != nil:
		return "" // goes on with an item
	}
	counts := o.numbers[list]
	if counts == nil {
		counts = new([10]int)
		o.numbers[list] = counts
	}
	return o.styles.next(list, counts, level)
}

// odfRun is what matters of the formatting around a text.
type odfRun struct {
	part         string
	hidden, link bool
	paint        odfPaint
}

// inline reads what stands in a paragraph.
func (o *odf) inline(e *elem, run odfRun, at odfPlace) {
	for _, k := range e.kids {
		switch k.name {
		case "":
			if run.hidden {
				o.dropped(k)
			} else {
				o.cur.text(k.text, run.link)
			}
		case "text:s", "text:tab":
			if !run.hidden {
				o.cur.text(" ", run.link)
			}
		case "text:line-break":
			if !run.hidden {
				o.cur.newline()
			}
		case "text:span":
			o.span(k, run, at)
		case "text:a":
			o.link(k, run, at)
		case "text:note":
			if !run.hidden {
				o.notes = append(o.notes, odfNote{k, o.headingAbove()})
			}
		case "office:annotation":
			o.comments = append(o.comments, k)
		case "text:ruby":
			if base := k.child("text:ruby-base"); base != nil {
				o.inline(base, run, at)
			}
		case "text:hidden-text", "text:hidden-paragraph", "text:conditional-text":
			in := run
			in.hidden = run.hidden || k.name != "text:conditional-text" && k.attr("text:is-hidden") != "false"
			o.inline(k, in, at)
		case "text:variable-set", "text:user-defined", "text:user-field-get", "text:variable-get", "text:expression":
			if k.attr("text:display") != "none" { // computed, and not shown
				o.inline(k, run, at)
			}
		case "text:script", "text:number", "office:annotation-end", "text:tracked-changes", "text:ruby-text":
		default:
			switch {
			case !isShape(k.name):
				o.inline(k, run, at)
			case run.hidden:
				o.dropped(k)
			default:
				o.anchored(k, run, at)
			}
		}
	}
}

// anchored reads a shape in a paragraph: an equation is part of the text, anything else stands beside it.
func (o *odf) anchored(e *elem, run odfRun, at odfPlace) {
	if m := o.equation(e); m != nil {
		o.cur.space = true
		o.cur.text(mathText(m), run.link)
		o.cur.space = true
		return
	}
	at.item, at.level = nil, 0
	o.boxes = append(o.boxes, odfBox{e, at})
}

func (o *odf) span(e *elem, run odfRun, at odfPlace) {
	name := e.attr("text:style-name")
	for range 20 { // the nearest style that says so decides
		s := o.styles.get(run.part, "text", name)
		if s == nil {
			break
		}
		if s.hidden != unsaid {
			run.hidden = s.hidden == on
			break
		}
		name = s.parent
	}
	if o.sees(at) {
		blended := run.paint.blends()
		run.paint = o.styles.paint(run.part, "text", e.attr("text:style-name"), run.paint)
		run.hidden = run.hidden && !blended || run.paint.blends()
	}
	raised := o.styles.any(run.part, "text", e.attr("text:style-name"), func(s *odfStyle) bool { return s.raised })
	lowered := o.styles.any(run.part, "text", e.attr("text:style-name"), func(s *odfStyle) bool { return s.lowered })
	if raised || lowered {
		o.cur.settle()
	}
	start := len(o.cur.b)
	o.inline(e, run, at)
	switch {
	case raised:
		o.cur.raise(start)
	case lowered:
		o.cur.lower(start)
	}
}

func (o *odf) link(e *elem, run odfRun, at odfPlace) {
	target := o.links.add(e.attr("xlink:href"))
	start := len(o.cur.b)
	run.link = true
	o.inline(e, run, at)
	if target >= 0 && o.links.list[target].Text == "" {
		o.links.list[target].Text = oneLine(string(o.cur.b[min(start, len(o.cur.b)):]), 200)
	}
}

func (o *odf) headingAbove() string {
	for i := len(o.out.headings) - 1; i > 0; i-- {
		if o.out.headings[i] != "" {
			return o.out.headings[i]
		}
	}
	return ""
}

// table reads a table of a text or a slide.
func (o *odf) table(c cursor, at odfPlace, n *counter) {
	n.tables++
	at.path += fmt.Sprintf("/table[%d]", n.tables)
	at.item, at.level = nil, 0
	t := &odfTable{at: at, n: &counter{}}
	if k := len(o.page.Blocks); k > 0 && o.page.Blocks[k-1].Role == evidence.RoleCaption {
		t.caption = oneLine(o.page.Blocks[k-1].Text, 300)
	}
	o.rows(c, t, false)
}

type odfTable struct {
	at      odfPlace
	n       *counter
	caption string
	count   int
	table   tableRows
}

func (o *odf) rows(c cursor, t *odfTable, head bool) {
	for e := c.child(); e != nil && !o.out.full; e = c.child() {
		switch e.name {
		case "table:table-header-rows":
			o.rows(c, t, true)
		case "table:table-rows", "table:table-row-group":
			o.rows(c, t, head)
		case "table:table-row":
			c.fill(e)
			t.count++
			o.row(e, t, head)
		default:
			c.skip()
		}
	}
}

// row reads a row: as one block, or, where its cells hold whole texts, paragraph by paragraph.
func (o *odf) row(e *elem, t *odfTable, head bool) {
	at := t.at
	at.path += fmt.Sprintf("/row[%d]", t.count)
	at.boxed = true
	var filled []*elem
	texts, cells := false, 0
	for _, k := range e.kids {
		if k.name == "table:table-cell" {
			cells++
			filled = append(filled, k)
			texts = texts || k.child("table:table") != nil || len(k.words()) > 2000
		}
		if k.name == "table:covered-table-cell" {
			cells++
		}
	}
	if texts || cells < 2 {
		for _, k := range filled {
			o.walk(newTree(k), at, t.n)
		}
		return
	}
	var row []tableCell
	covered := 0
	for _, k := range e.kids {
		repeated := min(max(atoi(k.attr("table:number-columns-repeated"), 1), 1), maxSpan)
		switch k.name {
		case "table:table-cell":
			c := tableCell{cols: min(max(atoi(k.attr("table:number-columns-spanned"), 1), 1), maxSpan), down: atoi(k.attr("table:number-rows-spanned"), 1) > 1}
			covered = c.cols - 1
			o.cell(k, at, &c)
			for range repeated {
				row = append(row, c)
			}
		case "table:covered-table-cell":
			for range repeated {
				if covered > 0 {
					covered--
					continue
				}
				row = append(row, tableCell{cols: 1, down: true, above: true})
			}
		}
	}
	head = head || t.count == 1 && looksLikeHead(row)
	if r, ok := t.table.add(row, head); ok {
		b := Block{Text: r.text, Role: evidence.RoleRow, LinkText: r.linked, Columns: r.columns, Caption: t.caption, Path: at.path,
			Heading: at.heading, Main: !at.aside, Quotable: !at.aside && (r.linked <= 0.5 || r.filled > 1)}
		o.out.add(b)
	}
	o.emptyBoxes()
}

// cell gathers the text of a cell in one line.
func (o *odf) cell(e *elem, at odfPlace, c *tableCell) {
	for _, k := range e.kids {
		switch k.name {
		case "text:p", "text:h":
			part := o.stylePart(at)
			hidden := o.styles.any(part, "paragraph", k.attr("text:style-name"), func(s *odfStyle) bool { return s.hidden == on })
			o.inline(k, odfRun{part: part, hidden: hidden}, at)
			text, linked := o.cur.take()
			c.text = strings.TrimSpace(c.text + " " + oneLineOf(text))
			c.letters += len(text)
			c.linked += linked * float64(len(text))
		case "text:list", "text:list-item", "text:list-header", "text:section":
			o.cell(k, at, c)
		}
	}
}
