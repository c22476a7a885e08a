package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/evidence"
)

// xmlPlace is where in a document the walk stands; it is passed down by value.
type xmlPlace struct {
	role     evidence.Role
	depth    int    // open sections
	list     int    // open lists
	aside    bool   // not main content
	listed   bool   // in a list of references: an entry names a work, it states nothing
	inText   bool   // in running text, where an element does not begin a block unless it is known to
	captions bool   // in a figure or a table, whose title is a caption
	inCell   bool   // of a table
	inHead   bool   // of a table
	caption  string // of the table
	pre      bool
	link     bool
}

// An xmlStep is an element of a path: its name, and which one of that name it is beside the others.
type xmlStep struct {
	name string
	n    int
}

// xmlWalk turns the tree of an XML document into the numbered blocks of its text, in document order.
type xmlWalk struct {
	page     *Page
	links    *links
	cur      passage
	at       xmlPlace // where cur's text stands
	in       *xmlNode // the innermost element that begins and ends its lines
	where    string   // its path
	label    string   // a number or a mark, which stands before the text that follows
	texts    int      // open blocks of running text
	notes    []xmlNote
	columns  string         // heads of the columns of what is read now
	table    *xmlTableState // the innermost table
	headings [7]string
	path     []xmlStep
}

// An xmlNote is a note that stands inside a text: it is read after it.
type xmlNote struct {
	n     *xmlNode
	place xmlPlace
}

func (w *xmlWalk) children(n *xmlNode, p xmlPlace) {
	counts := map[string]int{}
	fields := p.inText && !p.pre && (p.listed || !n.mixed()) // elements side by side are apart
	beside := false
	for _, k := range n.kids {
		if k.name == "" {
			w.text(k.text, p)
			beside = false
			continue
		}
		counts[k.name]++
		w.path = append(w.path, xmlStep{k.name, counts[k.name]})
		field := fields && xmlRules[k.name] != xmlFormat
		w.cur.space = w.cur.space || field && beside
		w.element(k, p)
		beside = field
		w.path = w.path[:len(w.path)-1]
	}
}

func (w *xmlWalk) text(s string, p xmlPlace) {
	if len(w.cur.b) == 0 {
		w.at = p
	}
	w.cur.add(s, p.pre, p.link)
}

func (w *xmlWalk) element(n *xmlNode, p xmlPlace) {
	switch rule := ruleOf(n, p); rule {
	case xmlSkip:
		w.cur.space = w.cur.space || !p.pre && n.attr("break") != "no"
	case xmlBreak:
		w.cur.space = w.cur.space || n.attr("break") != "no"
	case xmlGone:
		if visible(n.content()) {
			w.page.flag(FlagHidden)
		}
	case xmlFormat:
		w.format(n, p)
	case xmlLink:
		w.link(n, p)
	case xmlMath:
		w.math(n, p)
	case xmlMark:
		w.label = strings.TrimSpace(w.label + " " + n.content())
	case xmlChoice:
		w.choose(n, p)
	case xmlRow:
		w.row(n, p)
	case xmlNoted:
		if p.inText && len(w.cur.b) > 0 {
			w.notes = append(w.notes, xmlNote{n, p})
			return
		}
		w.block(n, w.enter(rule, n, p))
	case xmlUnknown:
		switch {
		case p.inText:
			w.children(n, p)
		case !w.record(n, p):
			w.block(n, w.enter(rule, n, p))
		}
	default:
		if p.inCell {
			w.cur.space = true
			w.children(n, p)
			w.cur.space = true
			return
		}
		w.block(n, w.enter(rule, n, p))
	}
}

// enter returns the place inside an element that begins and ends its lines.
func (w *xmlWalk) enter(rule xmlRule, n *xmlNode, p xmlPlace) xmlPlace {
	p.inText = n.mixed()
	switch rule {
	case xmlPart:
		p.depth++
	case xmlTitle:
		p.inText, p.role = true, evidence.RoleHeading
		if p.captions {
			p.role = evidence.RoleCaption
		}
	case xmlPara, xmlLines:
		p.inText = true
	case xmlList:
		p.list++
	case xmlItem:
		if p.role != evidence.RoleQuote {
			p.role = evidence.RoleItem
		}
	case xmlQuote:
		p.role = evidence.RoleQuote
	case xmlCode:
		p.role, p.pre, p.inText = evidence.RoleCode, true, true
	case xmlFigure, xmlTable:
		p.captions, p.role = true, evidence.RoleCaption
		if p.caption == "" {
			title := first(n.child("caption", "title").content(), n.child("title").content(), n.child("caption", "p").content(), n.child("head").content())
			p.caption = oneLine(n.child("label").content()+" "+title, 500)
		}
		if rule == xmlTable {
			w.table = &xmlTableState{}
		}
	case xmlHead:
		p.inHead = true
	case xmlEntry:
		p.role, p.listed, p.inText = evidence.RoleItem, true, true
	}
	return p
}

// block walks an element that begins and ends its lines.
func (w *xmlWalk) block(n *xmlNode, p xmlPlace) {
	w.flush()
	in, where := w.in, w.where
	w.in, w.where = n, w.printPath()
	if p.inText {
		w.texts++
	}
	label := w.label
	w.children(n, p)
	w.flush()
	if w.label != label {
		w.unlabelled(p)
	}
	w.in, w.where = in, where
	if p.inText {
		w.texts--
	}
	w.after()
}

// unlabelled makes a label that nothing followed a block of its own.
func (w *xmlWalk) unlabelled(p xmlPlace) {
	label := w.label
	w.label = ""
	if visible(label) {
		p.pre = false
		w.emit(label, 0, p)
	}
}

// after reads the notes of a text that has ended.
func (w *xmlWalk) after() {
	for w.texts == 0 && len(w.notes) > 0 {
		note := w.notes[0]
		w.notes = w.notes[1:]
		p := note.place
		p.inText, p.inCell, p.role = false, false, evidence.RoleText
		w.block(note.n, w.enter(xmlNoted, note.n, p))
	}
}

// format walks what only looks different in running text. Numbers that are raised or lowered stay apart from those
// beside them.
func (w *xmlWalk) format(n *xmlNode, p xmlPlace) {
	before := w.cur.before()
	w.cur.settle()
	start, blocks := len(w.cur.b), len(w.page.Blocks)
	w.children(n, p)
	switch {
	case p.pre || len(w.page.Blocks) > blocks || len(w.cur.b) < start:
		return
	case n.name == "l":
		w.cur.newline()
	case n.name == "label":
		w.cur.space = true
	}
	look := n.name + " " + n.attr("rend") + " " + n.attr("role")
	joined := unicode.IsLetter(before) || unicode.IsNumber(before)
	switch {
	case strings.HasPrefix(look, "sup"), strings.Contains(look, " sup"), n.name == "xref" && joined:
		// The journal's style raises the number of a note or a reference. A letter that marks one is set off.
		if !w.cur.shift(start, superscripts) && joined && (n.name == "xref" || p.inCell || n.child("xref") != nil) && isNoteMark(string(w.cur.b[start:])) {
			w.cur.b = slices.Insert(w.cur.b, start, ' ')
		}
	case n.name == "sub" && unicode.IsDigit(before), n.name == "subscript" && unicode.IsDigit(before):
		w.cur.shift(start, subscripts)
	}
}

// isNoteMark reports whether a text is a letter or a sign that marks a note.
func isNoteMark(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n == len(s) && (r >= 'a' && r <= 'z' || strings.ContainsRune("*†‡§¶#", r))
}

// link walks an element that leads somewhere.
func (w *xmlWalk) link(n *xmlNode, p xmlPlace) {
	target := first(n.attr("href"), n.attr("url"), n.attr("target"), n.content())
	k := -1
	if strings.Contains(target, ":") || strings.HasPrefix(target, "/") {
		k = w.links.add(target)
	}
	p.link = p.link || k >= 0
	if p.inText {
		w.children(n, p)
	} else {
		w.block(n, w.enter(xmlPara, n, p))
	}
	if k >= 0 && w.links.list[k].Text == "" {
		w.links.list[k].Text = clip(n.content(), 200)
	}
}

// choose reads one of several forms of the same thing.
func (w *xmlWalk) choose(n *xmlNode, p xmlPlace) {
	for _, name := range []string{"reg", "corr", "expan"} { // what an editor of TEI gives to be read, before what stands in the source
		if k := n.child(name); k != nil {
			w.element(k, p)
			return
		}
	}
	if n.name == "choice" && n.mixed() && !p.inText { // of DITA: one of several steps
		w.block(n, w.enter(xmlItem, n, p))
		return
	}
	for _, k := range n.kids {
		if k.name != "" && xmlRules[k.name] != xmlSkip {
			w.element(k, p)
			return
		}
	}
}

// flush ends the block that is being gathered.
func (w *xmlWalk) flush() {
	if w.at.inCell {
		w.cur.space = true
		return
	}
	p := w.at
	w.at = xmlPlace{}
	text, share := w.cur.take()
	switch {
	case text == "":
	case p.pre:
		for _, piece := range splitPre(text) {
			w.emit(piece, share, p)
		}
	default:
		if w.label != "" {
			text = w.label + " " + text
			w.label = ""
		}
		w.emit(text, share, p)
	}
}

func (w *xmlWalk) emit(text string, share float64, p xmlPlace) {
	b := Block{Text: text, Role: p.role, LinkText: share, Main: !p.aside, Path: w.where}
	level := 7
	switch p.role {
	case evidence.RoleHeading:
		level = min(p.depth+1, 6)
		b.Level = level
	case evidence.RoleItem:
		b.Level = max(p.list, 1)
	case evidence.RoleRow:
		b.Caption = p.caption
		if !p.inHead {
			b.Columns = w.columns
		}
	}
	for i := level - 1; i > 0 && b.Heading == ""; i-- {
		b.Heading = w.headings[i]
	}
	if level < 7 {
		w.headings[level] = oneLine(text, 300)
		clear(w.headings[level+1:])
	}
	b.Quotable = b.Main && !p.listed && (share <= 0.5 || p.role == evidence.RoleRow)
	if isWebAddress(text) {
		w.links.add(text)
		b.LinkText, b.Quotable = 1, false
	}
	if w.in != nil {
		b.Start, b.End = w.in.start, w.in.end
	}
	w.page.add(b)
}

// printPath is the path of the element that the walk is in, "" where it is too long to be of use.
func (w *xmlWalk) printPath() string {
	const maxPath = 1000
	var b strings.Builder
	for i, s := range w.path {
		b.WriteByte('/')
		b.WriteString(s.name)
		if i > 0 {
			b.WriteString("[" + strconv.Itoa(s.n) + "]")
		}
		if b.Len() > maxPath {
			return ""
		}
	}
	return b.String()
}
