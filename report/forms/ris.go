package forms

import (
	"fmt"
	"strings"
)

// risTypes are the reference types of RIS; what is none of them is GEN.
var risTypes = map[string]string{"webpage": "ELEC", "article": "JOUR", "book": "BOOK", "motion_picture": "VIDEO", "software": "COMP", "dataset": "DATA", "speech": "SLIDE",
	"personal_communication": "PCOMM"}

// RIS writes the sources that the report cites in the tagged format that reference managers exchange.
func (r *Report) RIS() []byte {
	var b strings.Builder
	for _, e := range r.bibliography() {
		tag := func(name, value string) {
			if value != "" {
				fmt.Fprintf(&b, "%s  - %s\r\n", name, value)
			}
		}
		kind := risTypes[e.Type]
		if kind == "" {
			kind = "GEN"
		}
		tag("TY", kind)
		tag("ID", e.ID)
		tag("TI", e.Title)
		for _, a := range e.Author {
			tag("AU", a.Literal)
		}
		tag("PB", e.Publisher)
		if e.Issued != nil && len(e.Issued.Parts) > 0 {
			tag("PY", fmt.Sprintf("%04d", e.Issued.Parts[0][0]))
		}
		tag("DA", risDate(e.Issued))
		tag("Y2", risDate(e.Accessed))
		tag("UR", e.URL)
		tag("DO", e.DOI)
		tag("LA", e.Language)
		tag("N1", e.Note)
		b.WriteString("ER  - \r\n\r\n")
	}
	return []byte(b.String())
}

// risDate prints a date as RIS has it: YYYY/MM/DD/ and what else is said of it.
func risDate(d *cslDate) string {
	switch {
	case d == nil:
		return ""
	case len(d.Parts) == 0:
		return "///" + d.Literal
	}
	parts := append(strings.Split(d.iso(), "-"), "", "")[:3]
	return strings.Join(parts, "/") + "/"
}
