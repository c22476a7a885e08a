package extract

import (
	"strings"
	"unicode"
)

// mathText writes an equation (ISO 29500-1 §22.1, or MathML) in one line, as people type it: a/b, x², √(x). Nothing is
// added but the signs and brackets that the layout stands for.
func mathText(e *elem) string {
	var b strings.Builder
	mathOf(e, &b)
	return oneLineOf(b.String())
}

func mathOf(e *elem, b *strings.Builder) {
	for _, k := range e.kids {
		mathElement(k, b)
	}
}

// mathPart is the text of a part of an equation.
func mathPart(e *elem) string {
	if e == nil {
		return ""
	}
	var b strings.Builder
	mathOf(e, &b)
	return strings.TrimSpace(b.String())
}

func mathElement(e *elem, b *strings.Builder) {
	part := func(name string) string { return mathPart(e.child(name)) }
	val := func(path ...string) string { return e.child(path...).attr("m:val") }
	switch e.name {
	case "m:t", "w:t":
		b.WriteString(e.words())
	case "m:oMath":
		b.WriteByte(' ')
		mathOf(e, b)
		b.WriteByte(' ')
	case "m:ctrlPr", "m:rPr", "w:rPr", "w:instrText", "w:del", "w:moveFrom":
	case "m:f":
		slash := "/"
		if val("m:fPr", "m:type") == "noBar" {
			slash = "¦"
		}
		b.WriteString(bracketed(part("m:num")) + slash + bracketed(part("m:den")))
	case "m:rad":
		radical(b, part("m:deg"), part("m:e"))
	case "m:sSup":
		b.WriteString(based(part("m:e")) + raised(part("m:sup")))
	case "m:sSub":
		b.WriteString(based(part("m:e")) + lowered(part("m:sub")))
	case "m:sSubSup":
		b.WriteString(based(part("m:e")) + lowered(part("m:sub")) + raised(part("m:sup")))
	case "m:sPre":
		b.WriteString(lowered(part("m:sub")) + raised(part("m:sup")) + part("m:e"))
	case "m:nary":
		sign := "∫"
		if c := e.child("m:naryPr", "m:chr"); c != nil {
			sign = c.attr("m:val")
		}
		b.WriteString(sign + lowered(part("m:sub")) + raised(part("m:sup")) + " " + part("m:e"))
	case "m:d":
		mathDelimited(e, b)
	case "m:func":
		b.WriteString(part("m:fName") + " " + part("m:e"))
	case "m:limLow":
		b.WriteString(part("m:e") + lowered(part("m:lim")))
	case "m:limUpp":
		b.WriteString(part("m:e") + raised(part("m:lim")))
	case "m:acc":
		mark := "\u0302"
		if c := e.child("m:accPr", "m:chr"); c != nil {
			mark = c.attr("m:val")
		}
		b.WriteString(part("m:e") + mark)
	case "m:m":
		mathRows(e, "m:mr", b)
	case "m:eqArr":
		n := 0
		e.each("m:e", func(k *elem) {
			if n++; n > 1 {
				b.WriteString("; ")
			}
			b.WriteString(mathPart(k))
		})
	case "mc:AlternateContent":
		if k := alternative(e); k != nil {
			mathOf(k, b)
		}
	default:
		if strings.HasPrefix(e.name, "mml:") {
			presentation(e, b)
			return
		}
		mathOf(e, b)
	}
}

// mathDelimited writes what stands in brackets.
func mathDelimited(e *elem, b *strings.Builder) {
	char := func(name, usual string) string {
		if c := e.child("m:dPr", name); c != nil {
			return c.attr("m:val")
		}
		return usual
	}
	b.WriteString(char("m:begChr", "("))
	n := 0
	e.each("m:e", func(k *elem) {
		if n++; n > 1 {
			b.WriteString(char("m:sepChr", "|"))
		}
		b.WriteString(mathPart(k))
	})
	b.WriteString(char("m:endChr", ")"))
}

// mathRows writes a matrix: a, b; c, d.
func mathRows(e *elem, row string, b *strings.Builder) {
	b.WriteByte('[')
	n := 0
	e.each(row, func(r *elem) {
		if n++; n > 1 {
			b.WriteString("; ")
		}
		m := 0
		for _, c := range r.kids {
			if c.name == "" {
				continue
			}
			if m++; m > 1 {
				b.WriteString(", ")
			}
			b.WriteString(mathPart(c))
		}
	})
	b.WriteByte(']')
}

// presentation writes presentation MathML.
func presentation(e *elem, b *strings.Builder) {
	var parts []*elem
	for _, k := range e.kids {
		if k.name != "" {
			parts = append(parts, k)
		}
	}
	part := func(i int) string {
		if i >= len(parts) {
			return ""
		}
		var b strings.Builder
		mathElement(parts[i], &b)
		return strings.TrimSpace(b.String())
	}
	switch e.name {
	case "mml:annotation", "mml:annotation-xml", "mml:mphantom", "mml:mspace":
	case "mml:mi", "mml:mn", "mml:mo", "mml:mtext", "mml:ms":
		b.WriteString(strings.TrimSpace(e.words()))
	case "mml:mfrac":
		b.WriteString(bracketed(part(0)) + "/" + bracketed(part(1)))
	case "mml:msqrt":
		radical(b, "", mathPart(e))
	case "mml:mroot":
		radical(b, part(1), part(0))
	case "mml:msup", "mml:mover":
		b.WriteString(based(part(0)) + raised(part(1)))
	case "mml:msub", "mml:munder":
		b.WriteString(based(part(0)) + lowered(part(1)))
	case "mml:msubsup", "mml:munderover":
		b.WriteString(based(part(0)) + lowered(part(1)) + raised(part(2)))
	case "mml:mtable":
		mathRows(e, "mml:mtr", b)
	case "mml:mfenced":
		b.WriteString("(" + mathPart(e) + ")")
	default:
		for _, k := range parts {
			mathElement(k, b)
		}
	}
}

func radical(b *strings.Builder, degree, of string) {
	switch degree {
	case "", "2":
		b.WriteString("√")
	case "3":
		b.WriteString("∛")
	case "4":
		b.WriteString("∜")
	default:
		b.WriteString(raised(degree) + "√")
	}
	b.WriteString("(" + of + ")")
}

// bracketed sets brackets around a term that would fall apart beside a fraction's slash: all but a number or a word.
func bracketed(s string) string {
	number := strings.Trim(s, "0123456789.,") == ""
	word := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	if number || word {
		return s
	}
	return "(" + s + ")"
}

// based sets brackets around what is raised as a whole.
func based(s string) string {
	if strings.ContainsAny(s, " +-−±=/·×") && !strings.HasPrefix(s, "(") {
		return "(" + s + ")"
	}
	return s
}

// raised writes an exponent: as superscript characters where it consists of digits and signs, else after ^.
func raised(s string) string {
	if s == "" {
		return ""
	}
	if up, ok := superscript(s); ok {
		return up
	}
	return "^" + grouped(s)
}

// lowered writes an index.
func lowered(s string) string {
	if s == "" {
		return ""
	}
	return "_" + grouped(s)
}

func grouped(s string) string {
	if len([]rune(s)) > 1 && !strings.HasPrefix(s, "(") {
		return "(" + s + ")"
	}
	return s
}
