package extract

import (
	"fmt"
	"path"
	"strings"

	"ibid/evidence"
)

// emptyBoxes reads the shapes that were anchored in what was read last.
func (o *odf) emptyBoxes() {
	for len(o.boxes) > 0 {
		boxes := o.boxes
		o.boxes = nil
		for _, b := range boxes {
			b.at.path += "/box"
			if strings.Count(b.at.path, "/box") > maxNesting {
				continue
			}
			o.shape(b.e, b.at)
		}
	}
}

// shape reads the text of a shape or a frame.
func (o *odf) shape(e *elem, at odfPlace) {
	if class := e.attr("presentation:class"); class != "" {
		at.class = class
		at.aside = at.aside || class == "footer" || class == "header" || class == "date-time" || class == "page-number"
	}
	at.boxed = true
	if e.attr("presentation:placeholder") == "true" {
		return // asks for a text, and has none
	}
	n := &counter{}
	for _, k := range e.kids {
		switch {
		case k.name == "draw:object":
			o.object(k, at)
		case k.name == "draw:text-box":
			o.walk(newTree(k), at, n)
		case isShape(k.name):
			o.shape(k, at)
		case k.name == "table:table":
			o.table(newTree(k), at, n)
		}
	}
	o.walk(newTree(&elem{kids: textsOf(e)}), at, n)
}

// textsOf returns the paragraphs and lists that stand in a shape itself.
func textsOf(e *elem) (kids []*elem) {
	for _, k := range e.kids {
		if k.name == "text:p" || k.name == "text:h" || k.name == "text:list" {
			kids = append(kids, k)
		}
	}
	return kids
}

// object reads a chart that is embedded; an equation on its own is a paragraph.
func (o *odf) object(e *elem, at odfPlace) {
	root := o.embedded(e)
	if root == nil {
		return
	}
	if root.name == "mml:math" {
		o.out.add(Block{Text: mathText(root), Heading: at.heading, Main: !at.aside, Quotable: !at.aside, Path: at.path})
		return
	}
	chart := root.child("office:body", "office:chart", "chart:chart")
	if chart == nil || o.sheets != nil {
		return
	}
	at.path += "/chart"
	title := oneLineOf(chart.child("chart:title").words())
	o.out.add(Block{Text: title, Role: evidence.RoleCaption, Heading: at.heading, Main: !at.aside, Quotable: !at.aside, Path: at.path})
	if t := chart.child("table:table"); t != nil {
		o.rows(newTree(t), &odfTable{at: at, n: &counter{}, caption: title}, false)
	}
}

// equation returns the equation that a frame holds, nil if it holds something else.
func (o *odf) equation(frame *elem) *elem {
	if obj := frame.child("draw:object"); obj != nil {
		if root := o.embedded(obj); root != nil && root.name == "mml:math" {
			return root
		}
	}
	return nil
}

// embedded returns the content of an object: in the file itself, or a part of the same document.
func (o *odf) embedded(obj *elem) *elem {
	for _, k := range obj.kids {
		if k.name == "mml:math" || k.name == "office:document" {
			return k
		}
	}
	href := obj.attr("xlink:href")
	if href == "" || o.parts.files == nil || strings.Contains(href, ":") {
		return nil
	}
	root, err := o.parts.tree(path.Join(href, "content.xml"))
	if err != nil {
		return nil
	}
	return root
}

// readSlide reads a slide: its shapes in their order, the speaker's notes, remarks. Hidden slides count and are left out.
func (o *odf) readSlide(page *elem) {
	o.slide++
	o.out.n, o.out.headings = 0, [7]string{}
	if o.styles.any("content", "drawing-page", page.attr("draw:style-name"), func(s *odfStyle) bool { return s.slideHidden }) ||
		o.styles.any("styles", "drawing-page", page.attr("draw:style-name"), func(s *odfStyle) bool { return s.slideHidden }) && o.parts.files == nil {
		o.page.flag(FlagHidden)
		return
	}
	title := ""
	page.each("draw:frame", func(f *elem) {
		if f.attr("presentation:class") == "title" && title == "" {
			title = oneLine(f.child("draw:text-box").words(), 300)
		}
	})
	at := odfPlace{path: fmt.Sprintf("/slide[%d]", o.slide), heading: title}
	for _, k := range page.kids {
		switch {
		case isShape(k.name):
			in := at
			if k.attr("presentation:class") == "title" {
				in.heading = ""
			}
			o.shape(k, in)
			o.emptyBoxes()
		case k.name == "office:annotation":
			o.comment(k, at)
		case k.name == "presentation:notes":
			notes := odfPlace{path: at.path + "/notes", heading: strings.TrimSpace(title + " (speaker notes)")}
			for _, f := range k.kids {
				if f.attr("presentation:class") == "notes" {
					o.shape(f, notes)
					o.emptyBoxes()
				}
			}
		}
	}
	for _, c := range o.comments {
		o.comment(c, at)
	}
	o.comments = nil
}
