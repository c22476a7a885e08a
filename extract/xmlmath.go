package extract

import (
	"slices"
	"strings"

	"ibid/evidence"
)

// math reads a formula once, in the form that can be read as text. One that is displayed is a block of its own.
func (w *xmlWalk) math(n *xmlNode, p xmlPlace) {
	source := formula(n)
	if source == "" { // a picture
		w.cur.space = true
		return
	}
	displayed := n.name == "disp-formula" || n.name == "equation" || n.name == "informalequation" || !p.inText
	if !displayed || p.inCell {
		w.text(source, p)
		return
	}
	w.flush()
	if label := n.child("label"); label != nil {
		w.label = strings.TrimSpace(w.label + " " + label.content())
	}
	in, where := w.in, w.where
	w.in, w.where = n, w.printPath()
	if p.role != evidence.RoleItem && p.role != evidence.RoleQuote {
		p.role = evidence.RoleText
	}
	p.inText = true
	w.text(source, p)
	w.flush()
	w.in, w.where = in, where
}

// formula is a formula's source in TeX where the document has it, else its characters.
func formula(n *xmlNode) string {
	if n.name == "tex-math" {
		return texBody(n.content())
	}
	if tex := n.find("tex-math"); tex != nil {
		return texBody(tex.content())
	}
	for _, name := range []string{"annotation", "textual-form", "mathphrase"} {
		found := ""
		n.all(name, func(a *xmlNode) {
			if enc := a.attr("encoding"); found == "" && (name != "annotation" || strings.Contains(strings.ToLower(enc), "tex")) {
				found = texBody(a.content())
			}
		})
		if found != "" {
			return found
		}
	}
	if m := n.find("math"); m != nil && n.name != "math" {
		n = m
	}
	if alt := n.attr("alttext"); alt != "" {
		return alt
	}
	if n.find("mi") == nil && n.find("mn") == nil && n.find("mo") == nil {
		return withoutLabel(n)
	}
	var l passage
	symbols(n, &l)
	text, _ := l.take()
	return text
}

func withoutLabel(n *xmlNode) string {
	var b strings.Builder
	for _, k := range n.kids {
		if k.name != "label" {
			k.write(&b)
			b.WriteByte(' ')
		}
	}
	return oneLine(b.String(), 1<<20)
}

// symbols writes the characters of presentation MathML in order, apart from one another, so that ten to the second is
// not read as a hundred and two.
func symbols(n *xmlNode, l *passage) {
	switch n.name {
	case "annotation", "annotation-xml":
		return
	case "mi", "mn", "mo", "mtext", "ms":
		l.add(n.content(), false, false)
		l.space = true
		return
	case "msup":
		bases := 0
		for _, k := range n.kids {
			if k.name == "" {
				continue
			}
			if bases++; bases == 2 {
				l.space = false
				start := len(l.b)
				symbols(k, l)
				if !l.shift(start, superscripts) {
					l.b = slices.Insert(l.b, start, ' ')
				}
				continue
			}
			symbols(k, l)
		}
		return
	}
	for _, k := range n.kids {
		if k.name != "" {
			symbols(k, l)
		}
	}
}

// texBody is the body of a formula that is written as a whole TeX document.
func texBody(s string) string {
	if _, after, ok := strings.Cut(s, `\begin{document}`); ok {
		s, _, _ = strings.Cut(after, `\end{document}`)
	}
	return strings.TrimSpace(s)
}
