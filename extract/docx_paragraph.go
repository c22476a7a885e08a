package extract

import (
	"cmp"
	"strings"

	"ibid/evidence"
)

// A field is computed text: its instruction, which is not shown, and then its result (ISO 29500-1 §17.16).
type field struct {
	instruction string
	result      bool
	toc         bool
	link        int // place of its target in the list of links, -1 none
}

// paragraph reads a paragraph with what is anchored in it.
func (d *docx) paragraph(e *elem, at docxPlace) {
	if b, ok := d.gather(e, at); ok {
		d.out.add(b)
	}
	d.readBoxes(at)
}

// readBoxes reads the text boxes, charts and diagrams that are anchored in what was gathered last.
func (d *docx) readBoxes(at docxPlace) {
	boxes := d.boxes
	d.boxes = nil
	for _, box := range boxes {
		fields := d.fields
		d.fields = nil
		in := at
		in.path += "/box"
		in.ground = docxGround{unknown: true}
		switch box.name {
		case "w:txbxContent":
			d.tree(box, in, &counter{})
		case "a:txBody":
			for _, p := range d.drawnText(box, d.rels, d.links.add) {
				d.out.add(Block{Text: p.text, Heading: in.heading, Main: !in.aside, Quotable: !in.aside, Path: in.path, LinkText: p.linked})
			}
		case "c:chart":
			d.chart(box.attr("r:id"), d.rels, d.out, in.path)
		case "dgm:relIds":
			d.diagram(box.attr("r:dm"), d.rels, d.out, in.path)
		}
		d.fields = fields
	}
}

// gather reads the text of a paragraph and says what it is; false if nothing of it is shown.
func (d *docx) gather(e *elem, at docxPlace) (Block, bool) {
	pPr := e.child("w:pPr")
	id := first(pPr.child("w:pStyle").attr("w:val"), d.styles.standard)
	style := d.styles.byID[id]
	if style == nil {
		style = &docxStyle{outline: -1, numLevel: -1}
	}
	run := style.run
	run.ground = at.ground.shaded(cmp.Or(pPr.child("w:shd"), style.shading))
	if toggleOf(pPr.child("w:pageBreakBefore")) == on || pPr.child("w:sectPr") != nil {
		d.behind = false
	}
	d.shift = run.shift
	d.inline(e, run, false)
	heading, number := style.outline, ""
	if own := outlineLevel(pPr); own >= 0 {
		heading = own
	}
	if style.name == "title" {
		heading = 1
	}
	listed, level := false, 0
	if shown := d.cur.letters > 0; shown {
		number, listed, level = d.number(pPr, style)
	}
	mark, initial := pPr.child("w:rPr"), pPr.child("w:framePr").attr("w:dropCap")
	if mark.child("w:del") != nil || mark.child("w:moveFrom") != nil || initial == "drop" || initial == "margin" {
		return Block{}, false // its end was deleted, or it is a large initial: the next paragraph goes on with its text
	}
	contents := at.contents || d.tocs > 0 || strings.HasPrefix(style.name, "toc ") || style.name == "table of figures"
	text, linked := d.cur.take()
	if text == "" {
		return Block{}, false
	}
	b := Block{Text: text, LinkText: linked, Path: at.path, Heading: at.heading, Main: !at.aside}
	switch {
	case at.comment:
		b.Role = evidence.RoleComment
	case heading > 0 && !at.aside && !contents:
		b.Role, b.Level = evidence.RoleHeading, heading
	case style.name == "caption":
		b.Role = evidence.RoleCaption
	case listed:
		b.Role, b.Level = evidence.RoleItem, level+1
	case style.name == "quote" || style.name == "intense quote":
		b.Role = evidence.RoleQuote
	}
	if number != "" && (b.Role == evidence.RoleHeading || strings.Count(strings.Trim(number, "."), ".") > 0) {
		b.Text = number + " " + b.Text
	}
	b.Quotable = b.Main && linked <= 0.5 && !contents
	return b, true
}

// number counts a paragraph in its list.
func (d *docx) number(pPr *elem, style *docxStyle) (number string, listed bool, level int) {
	id := pPr.child("w:numPr", "w:numId").attr("w:val")
	level = atoi(pPr.child("w:numPr", "w:ilvl").attr("w:val"), -1)
	if id == "" {
		id = style.numID
		if level < 0 {
			level = style.numLevel
		}
		if level < 0 {
			level = d.lists.levelOf(id, style.id)
		}
	}
	if id == "" || id == "0" {
		return "", false, 0
	}
	level = max(level, 0)
	number, listed = d.lists.next(id, level)
	return number, listed, level
}

// inline reads the runs of a paragraph.
func (d *docx) inline(e *elem, base docxRun, link bool) {
	for _, k := range e.kids {
		switch k.name {
		case "w:r":
			d.run(k, base, link)
		case "w:hyperlink":
			d.hyperlink(k, base)
		case "w:fldSimple":
			target := d.links.add(hyperlinkField(k.attr("w:instr")))
			d.linked(target, func() { d.inline(k, base, link || target >= 0) })
		case "w:ins", "w:moveTo", "w:smartTag", "w:customXml", "w:sdt", "w:sdtContent", "w:dir", "w:bdo":
			d.inline(k, base, link)
		case "m:oMath", "m:oMathPara":
			if d.shown() {
				d.cur.space = true
				d.cur.text(mathText(k), link)
				d.cur.space = true
			}
		case "mc:AlternateContent":
			if k = alternative(k); k != nil {
				d.inline(k, base, link)
			}
		}
	}
}

// hyperlink reads a link: out of the document, or to a place in it.
func (d *docx) hyperlink(e *elem, base docxRun) {
	target := -1
	if r := d.rels[e.attr("r:id")]; r.external {
		target = d.links.add(r.target)
	}
	d.linked(target, func() { d.inline(e, base, true) })
}

// linked notes what read adds to the line as the text of a link.
func (d *docx) linked(target int, read func()) {
	start := len(d.cur.b)
	read()
	if target >= 0 && d.links.list[target].Text == "" {
		d.links.list[target].Text = oneLine(string(d.cur.b[min(start, len(d.cur.b)):]), 200)
	}
}

// run reads a run: text in one formatting.
func (d *docx) run(e *elem, base docxRun, link bool) {
	rPr := e.child("w:rPr")
	format := runProperties(rPr)
	if st := d.styles.byID[rPr.child("w:rStyle").attr("w:val")]; st != nil {
		own := format.hidden
		format = format.over(st.run)
		if own == unsaid && st.run.hidden == on && base.hidden == on {
			format.hidden = off // styles that both turn it over (ISO 29500-1 §17.7.3)
		}
	}
	format = format.over(base)
	if !d.behind && format.blends() {
		format.hidden = on
	}
	link = link || d.inLinkField()
	script := d.script(format)
	if script != "" {
		d.cur.settle()
	}
	start := len(d.cur.b)
	for _, k := range e.kids {
		d.content(k, format, link)
	}
	switch script {
	case "superscript":
		d.cur.raise(start)
	case "subscript":
		d.cur.lower(start)
	}
	if len(d.cur.b) > start && script == "" {
		d.shift = format.shift
	}
}

// leastShift is how far a text stands above or below the one before it, in half points, if it is raised or lowered; less
// than that only brings it into line.
const leastShift = 3

// script says whether a run is a superscript or a subscript: by its format, or by where it stands against the one before.
func (d *docx) script(format docxRun) string {
	if format.raised == "superscript" || format.raised == "subscript" {
		return format.raised
	}
	switch up := format.shift - d.shift; {
	case d.cur.space || len(d.cur.b) == 0:
		return ""
	case up >= leastShift:
		return "superscript"
	case up <= -leastShift:
		return "subscript"
	}
	return ""
}

// content reads a piece of a run.
func (d *docx) content(k *elem, format docxRun, link bool) {
	say := func(s string) {
		switch {
		case !d.shown():
		case format.invisible():
			if visible(s) {
				d.page.flag(FlagHidden)
			}
		default:
			before := d.cur.letters
			d.cur.text(s, link)
			d.langs[format.lang] += d.cur.letters - before
		}
	}
	switch k.name {
	case "w:t":
		say(unsymbol(format.font, k.words()))
	case "w:tab", "w:ptab":
		say(" ")
	case "w:lastRenderedPageBreak":
		d.behind = false
	case "w:br", "w:cr":
		d.behind = d.behind && k.attr("w:type") != "page"
		if t := k.attr("w:type"); d.shown() && (t == "" || t == "textWrapping") {
			d.cur.newline()
		} else {
			say(" ")
		}
	case "w:noBreakHyphen":
		say("\u2011")
	case "w:sym":
		say(symbol(k.attr("w:font"), k.attr("w:char")))
	case "w:fldChar":
		d.fieldMark(k.attr("w:fldCharType"))
	case "w:instrText":
		if n := len(d.fields); n > 0 && !d.fields[n-1].result && len(d.fields[n-1].instruction) < 10_000 {
			d.fields[n-1].instruction += k.words()
		}
	case "w:footnoteReference", "w:endnoteReference":
		if d.shown() && !format.invisible() {
			kind := strings.TrimSuffix(strings.TrimPrefix(k.name, "w:"), "Reference")
			d.notes = append(d.notes, docxNote{kind, k.attr("w:id"), d.heading()})
		}
	case "w:ruby":
		if base := k.child("w:rubyBase"); base != nil {
			d.inline(base, format, link)
		}
	case "w:drawing", "w:pict", "w:object":
		d.behind = d.behind || backdrop(k)
		if d.shown() && !format.invisible() {
			d.boxesIn(k)
		}
	case "mc:AlternateContent":
		if k = alternative(k); k != nil {
			for _, c := range k.kids {
				d.content(c, format, link)
			}
		}
	}
}

// heading is the nearest heading above.
func (d *docx) heading() string {
	for i := len(d.out.headings) - 1; i > 0; i-- {
		if d.out.headings[i] != "" {
			return d.out.headings[i]
		}
	}
	return ""
}

// boxesIn finds the text that is drawn: text boxes, shapes, charts, diagrams.
func (d *docx) boxesIn(e *elem) {
	for _, k := range e.kids {
		switch k.name {
		case "w:txbxContent", "a:txBody", "c:chart", "dgm:relIds":
			d.boxes = append(d.boxes, k)
		case "mc:AlternateContent":
			if k = alternative(k); k != nil {
				d.boxesIn(k)
			}
		default:
			d.boxesIn(k)
		}
	}
}

// fieldMark begins a field, turns from its instruction to its result, or ends it.
func (d *docx) fieldMark(kind string) {
	n := len(d.fields)
	switch {
	case kind == "begin" && n < maxXMLDepth:
		d.fields = append(d.fields, field{link: -1})
	case kind == "separate" && n > 0 && !d.fields[n-1].result:
		f := &d.fields[n-1]
		f.result = true
		f.link = d.links.add(hyperlinkField(f.instruction))
		if w := strings.Fields(f.instruction); len(w) > 0 && strings.EqualFold(w[0], "TOC") {
			f.toc = true
			d.tocs++
		}
	case kind == "end" && n > 0:
		if d.fields[n-1].toc {
			d.tocs--
		}
		d.fields = d.fields[:n-1]
	}
}

// shown reports whether text that comes now is shown: it is in no instruction of a field.
func (d *docx) shown() bool {
	for i := range d.fields {
		if !d.fields[i].result {
			return false
		}
	}
	return true
}

func (d *docx) inLinkField() bool {
	for i := range d.fields {
		if d.fields[i].link >= 0 {
			return true
		}
	}
	return false
}

// hyperlinkField returns the address that a field leads to, "" if it is no link out of the document.
func hyperlinkField(instruction string) string {
	w := strings.Fields(instruction)
	if len(w) < 2 || !strings.EqualFold(w[0], "HYPERLINK") || strings.HasPrefix(w[1], `\`) {
		return ""
	}
	return strings.Trim(w[1], `"“”`)
}
