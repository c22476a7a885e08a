package extract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ibid/evidence"
)

// drawnParagraph is a paragraph of the text in a shape (ISO 29500-1 §21.1.2).
type drawnParagraph struct {
	text   string
	linked float64
	level  int    // of indent, from 0
	bullet toggle // whether it stands as an item of a list
}

// drawnText reads the text of a shape. rels are the relations of its part, for links.
func (f *ooxmlFile) drawnText(txBody *elem, rels map[string]relation, add func(url string) int) []drawnParagraph {
	var list []drawnParagraph
	txBody.each("a:p", func(p *elem) {
		var l paraLine
		f.drawnRuns(&l, p, rels, add)
		text, linked := l.take()
		if text == "" {
			return
		}
		pPr := p.child("a:pPr")
		d := drawnParagraph{text: text, linked: linked, level: atoi(pPr.attr("lvl"), 0)}
		switch {
		case pPr.child("a:buNone") != nil:
			d.bullet = off
		case pPr.child("a:buChar") != nil, pPr.child("a:buAutoNum") != nil, pPr.child("a:buBlip") != nil:
			d.bullet = on
		}
		list = append(list, d)
	})
	return list
}

func (f *ooxmlFile) drawnRuns(l *paraLine, e *elem, rels map[string]relation, add func(url string) int) {
	for _, k := range e.kids {
		switch k.name {
		case "a:r", "a:fld":
			rPr := k.child("a:rPr")
			r := rels[rPr.child("a:hlinkClick").attr("r:id")]
			link := r.external && r.kind == "hyperlink"
			if unseenRun(rPr) {
				if visible(k.child("a:t").words()) {
					f.page.flag(FlagHidden)
				}
				continue
			}
			shift := signed(rPr.attr("baseline"))
			if shift != 0 {
				l.settle()
			}
			start := len(l.b)
			k.each("a:t", func(t *elem) { l.text(t.words(), link) })
			switch {
			case shift > 0:
				l.raise(start)
			case shift < 0:
				l.lower(start)
			}
			if link && add != nil {
				add(r.target)
			}
		case "a:br":
			l.newline()
		case "a14:m", "m:oMath", "m:oMathPara":
			l.space = true
			l.text(mathText(k), false)
			l.space = true
		case "mc:AlternateContent":
			if k = alternative(k); k != nil {
				f.drawnRuns(l, k, rels, add)
			}
		}
	}
}

// unseenRun reports whether nobody sees a text for how it is painted: not at all, wholly transparent, or at most two
// points high.
func unseenRun(rPr *elem) bool {
	if n := atoi(rPr.attr("sz"), 0); n > 0 && n <= 200 {
		return true
	}
	if rPr.child("a:noFill") != nil && (rPr.child("a:ln") == nil || rPr.child("a:ln", "a:noFill") != nil) {
		return true
	}
	clear := false
	rPr.child("a:solidFill").find("a:alpha", func(a *elem) { clear = clear || a.attr("val") == "0" || a.attr("val") == "0%" })
	return clear
}

// chart reads the figures of a chart from the copy that it keeps of its data: a row for each category, a column for each
// series, as in the table behind it.
func (f *ooxmlFile) chart(id string, rels map[string]relation, out *outline, path string) {
	r := rels[id]
	if r.external || r.target == "" {
		return
	}
	root, err := f.tree(r.target)
	if err != nil {
		return
	}
	path += "/chart"
	chart := root.child("c:chart")
	title := f.titleOf(chart)
	out.add(Block{Text: title, Role: evidence.RoleCaption, Main: true, Quotable: true, Path: path})
	formats := newNumberFormats(root.child("c:date1904").attr("val") == "1" || root.child("c:date1904").attr("val") == "true")
	defer formats.Close()
	var t chartTable
	chart.child("c:plotArea").find("c:ser", func(ser *elem) { t.add(ser, formats) })
	head := "" // the name of the column of categories is not said
	for i, s := range t.series {
		if i > 0 {
			head += " | "
		}
		head += s.name
	}
	if strings.Trim(head, " |") != "" {
		out.add(Block{Text: head, Role: evidence.RoleRow, Caption: title, Main: true, Quotable: true, Path: path})
	}
	for _, c := range t.categories {
		cells := []string{c}
		for _, s := range t.series {
			cells = append(cells, s.values[c])
		}
		out.add(Block{Text: strings.TrimSpace(strings.Join(cutRight(cells), " | ")), Role: evidence.RoleRow, Caption: title, Columns: "| " + head,
			Main: true, Quotable: true, Path: path})
	}
}

// chartTitle is the title that stands on a chart.
func (f *ooxmlFile) chartTitle(id string, rels map[string]relation) string {
	r := rels[id]
	if r.external || r.target == "" {
		return ""
	}
	root, err := f.tree(r.target)
	if err != nil {
		return ""
	}
	return f.titleOf(root.child("c:chart"))
}

func (f *ooxmlFile) titleOf(chart *elem) (title string) {
	for _, p := range f.drawnText(chart.child("c:title", "c:tx", "c:rich"), nil, nil) {
		title = strings.TrimSpace(title + " " + oneLineOf(p.text))
	}
	if title == "" {
		title = oneLineOf(lastValue(chart.child("c:title", "c:tx", "c:strRef", "c:strCache")))
	}
	return title
}

// chartTable is the table behind a chart.
type chartTable struct {
	categories []string
	known      map[string]bool
	series     []chartSeries
}

type chartSeries struct {
	name   string
	values map[string]string // by category
}

// Limits of a chart: more cannot be seen.
const (
	maxSeries = 100
	maxPoints = 2000
)

func (t *chartTable) add(ser *elem, formats *numberFormats) {
	if len(t.series) == maxSeries {
		return
	}
	if t.known == nil {
		t.known = map[string]bool{}
	}
	tx := ser.child("c:tx")
	s := chartSeries{name: oneLineOf(cmp.Or(lastValue(tx.child("c:strRef", "c:strCache")), tx.child("c:v").words())), values: map[string]string{}}
	names := points(ser, formats, "c:cat", "c:xVal")
	for i, v := range points(ser, formats, "c:val", "c:yVal") {
		if v == "" {
			continue
		}
		name := ""
		if i < len(names) {
			name = names[i]
		}
		if name == "" {
			name = fmt.Sprint(i + 1)
		}
		if !t.known[name] {
			if len(t.categories) == maxPoints {
				break
			}
			t.known[name] = true
			t.categories = append(t.categories, name)
		}
		if s.values[name] == "" {
			s.values[name] = v
		}
	}
	t.series = append(t.series, s)
}

// points reads the kept values of one of a series' dimensions.
func points(ser *elem, formats *numberFormats, names ...string) []string {
	for _, name := range names {
		e := ser.child(name)
		if e == nil {
			continue
		}
		for _, cache := range [][]string{{"c:strRef", "c:strCache"}, {"c:numRef", "c:numCache"}, {"c:strLit"}, {"c:numLit"}, {"c:multiLvlStrRef", "c:multiLvlStrCache", "c:lvl"}} {
			if c := e.child(cache...); c != nil {
				return pointsOf(c, formats)
			}
		}
	}
	return nil
}

func pointsOf(cache *elem, formats *numberFormats) []string {
	var list []string
	code := cache.child("c:formatCode").words()
	cache.each("c:pt", func(pt *elem) {
		i := atoi(pt.attr("idx"), -1)
		if i < 0 || i >= maxPoints {
			return
		}
		for len(list) <= i {
			list = append(list, "")
		}
		v := oneLineOf(pt.child("c:v").words())
		if own := pt.attr("formatCode"); own != "" {
			v = formats.show(own, v)
		} else if code != "" {
			v = formats.show(code, v)
		}
		list[i] = v
	})
	return list
}

func lastValue(cache *elem) (v string) {
	cache.each("c:pt", func(pt *elem) { v = strings.TrimSpace(v + " " + pt.child("c:v").words()) })
	return v
}

// diagram reads the text of a diagram (SmartArt): its points, each below the one that it belongs to.
func (f *ooxmlFile) diagram(id string, rels map[string]relation, out *outline, path string) {
	r := rels[id]
	if r.external || r.target == "" {
		return
	}
	root, err := f.tree(r.target)
	if err != nil {
		return
	}
	points := map[string]*elem{}
	var order []string
	root.child("dgm:ptLst").each("dgm:pt", func(pt *elem) {
		points[pt.attr("modelId")] = pt
		order = append(order, pt.attr("modelId"))
	})
	type child struct {
		id string
		n  int
	}
	below, isBelow := map[string][]child{}, map[string]bool{}
	root.child("dgm:cxnLst").each("dgm:cxn", func(c *elem) {
		if t := c.attr("type"); t == "" || t == "parOf" {
			below[c.attr("srcId")] = append(below[c.attr("srcId")], child{c.attr("destId"), atoi(c.attr("srcOrd"), 0)})
			isBelow[c.attr("destId")] = true
		}
	})
	told := map[string]bool{}
	var tell func(id string, level int)
	tell = func(id string, level int) {
		pt := points[id]
		if pt == nil || told[id] || level > maxNesting {
			return
		}
		told[id] = true
		switch pt.attr("type") {
		case "", "node", "asst":
			for _, p := range f.drawnText(pt.child("dgm:t"), nil, nil) {
				out.add(Block{Text: p.text, Role: evidence.RoleItem, Level: max(level, 1), Main: true, Quotable: true, Path: path + "/diagram"})
			}
		}
		kids := below[id]
		slices.SortStableFunc(kids, func(a, b child) int { return cmp.Compare(a.n, b.n) })
		for _, k := range kids {
			tell(k.id, level+1)
		}
	}
	for _, id := range order {
		if !isBelow[id] {
			tell(id, 0)
		}
	}
}
