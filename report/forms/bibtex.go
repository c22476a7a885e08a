package forms

import (
	"fmt"
	"strings"
)

// bibtexTypes are the entry types that every style knows; what is none of them is misc.
var bibtexTypes = map[string]string{"book": "book", "article": "article"}

// BibTeX writes the sources that the report cites as a BibTeX file in UTF-8. Keys are the ids that the report cites by.
func (r *Report) BibTeX() []byte {
	var b strings.Builder
	for i, e := range r.bibliography() {
		if i > 0 {
			b.WriteByte('\n')
		}
		kind := bibtexTypes[e.Type]
		if kind == "" || kind == "article" { // an article wants a journal, which is not known
			kind = "misc"
		}
		fmt.Fprintf(&b, "@%s{%s", kind, e.ID)
		field := func(name, value string) {
			if value != "" {
				fmt.Fprintf(&b, ",\n  %s = {%s}", name, value)
			}
		}
		var authors []string
		for _, a := range e.Author {
			authors = append(authors, "{"+texText(a.Literal)+"}") // braces: taken whole, also with "and" in it
		}
		if e.Title != "" {
			field("title", "{"+texText(e.Title)+"}")
		}
		field("author", strings.Join(authors, " and "))
		field("publisher", texText(e.Publisher))
		if e.Issued != nil && len(e.Issued.Parts) > 0 {
			field("year", fmt.Sprintf("%04d", e.Issued.Parts[0][0]))
			if p := e.Issued.Parts[0]; len(p) > 1 {
				field("month", fmt.Sprint(p[1]))
			}
			field("date", e.Issued.iso())
		} else if e.Issued != nil {
			field("date", texText(e.Issued.Literal))
		}
		field("doi", texURL(e.DOI))
		field("url", texURL(e.URL))
		field("urldate", e.Accessed.iso())
		field("language", texText(e.Language))
		field("note", texText(e.Note))
		b.WriteString("\n}\n")
	}
	return []byte(b.String())
}

var texEscapes = strings.NewReplacer(`\`, `{\textbackslash}`, `{`, `{\textbraceleft}`, `}`, `{\textbraceright}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`,
	`_`, `\_`, `~`, `{\textasciitilde}`, `^`, `{\textasciicircum}`, `"`, `{"}`)

// texText makes text inert in TeX. BibTeX counts braces even after a backslash: those that do not pair are named.
func texText(s string) string {
	out := texEscapes.Replace(s)
	if paired(s) {
		out = strings.NewReplacer(`{\textbraceleft}`, `\{`, `{\textbraceright}`, `\}`).Replace(out)
	}
	return out
}

// paired reports whether each brace of a text has its other one.
func paired(s string) bool {
	open := 0
	for _, c := range s {
		switch c {
		case '{':
			open++
		case '}':
			open--
		}
		if open < 0 {
			return false
		}
	}
	return open == 0
}

// texURL is an address in a field that TeX takes as it is: only what would end the field is escaped.
func texURL(s string) string {
	return strings.NewReplacer(`{`, "%7B", `}`, "%7D", `\`, "%5C").Replace(s)
}
