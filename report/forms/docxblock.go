package forms

import (
	"fmt"
	"strings"
)

// maxLevels is how deep lists nest in a document; deeper ones stay at the last level (ECMA-376 §17.9.6).
const maxLevels = 9

// A setting is what a block stands in.
type setting struct {
	style string // of paragraphs
	depth int    // of lists
	num   int    // the list that the next paragraph is an item of, 0 for none
}

func (w *docxWriter) blocks(list []block, in setting) {
	for _, b := range list {
		w.block(b, in)
		in.num = 0 // only an item's first paragraph has its mark
	}
}

func (w *docxWriter) block(b block, in setting) {
	switch b.Kind {
	case heading:
		w.paragraph(fmt.Sprintf("Heading%d", min(b.Level, 6)), "", func() { w.runs(b.Runs) })
	case paragraph:
		w.paragraph(in.named(), in.properties(), func() { w.runs(b.Runs) })
	case code:
		w.paragraph("Code", in.properties(), func() { w.run(b.Code, "") })
	case quotation:
		in.style = "Quote"
		w.blocks(b.Blocks, in)
	case list:
		w.list(b, in)
	case table:
		w.table(b)
	case rule:
		w.paragraph("", `<w:pBdr><w:bottom w:val="single" w:sz="6" w:space="1" w:color="C9CCD3"/></w:pBdr>`, func() {})
	default:
		w.blocks(b.Blocks, in)
	}
}

func (in setting) named() string {
	if in.style == "" && in.depth > 0 {
		return "ListParagraph"
	}
	return in.style
}

// properties place a paragraph in its list.
func (in setting) properties() string {
	level := min(in.depth, maxLevels) - 1
	switch {
	case in.num > 0:
		return fmt.Sprintf(`<w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr>`, level, in.num)
	case in.depth > 0:
		return fmt.Sprintf(`<w:ind w:left="%d"/>`, 360*(level+1))
	}
	return ""
}

func (w *docxWriter) list(b block, in setting) {
	in.depth++
	num := bullets
	if b.Ordered {
		num = bullets + 1 + len(w.lists)
		w.lists = append(w.lists, fmt.Sprintf(`<w:num w:numId="%d"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="%d"><w:startOverride w:val="%d"/></w:lvlOverride></w:num>`,
			num, min(in.depth, maxLevels)-1, b.Start))
	}
	for _, it := range b.Blocks {
		in.num = num
		if len(it.Blocks) == 0 {
			w.paragraph(in.named(), in.properties(), func() {})
		}
		w.blocks(it.Blocks, in)
	}
}

func (w *docxWriter) table(b block) {
	w.body.WriteString(`<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/><w:tblBorders>`)
	for _, side := range []string{"top", "left", "bottom", "right", "insideH", "insideV"} {
		fmt.Fprintf(&w.body, `<w:%s w:val="single" w:sz="4" w:space="0" w:color="999999"/>`, side)
	}
	w.body.WriteString(`</w:tblBorders></w:tblPr><w:tblGrid>`)
	if len(b.Blocks) > 0 {
		w.body.WriteString(strings.Repeat(fmt.Sprintf(`<w:gridCol w:w="%d"/>`, 9600/max(len(b.Blocks[0].Blocks), 1)), len(b.Blocks[0].Blocks)))
	}
	w.body.WriteString(`</w:tblGrid>`)
	for _, row := range b.Blocks {
		w.body.WriteString(`<w:tr>`)
		if row.Kind == headRow {
			w.body.WriteString(`<w:trPr><w:tblHeader/></w:trPr>`)
		}
		for _, cell := range row.Blocks {
			w.body.WriteString(`<w:tc><w:tcPr><w:tcW w:w="0" w:type="auto"/></w:tcPr>`)
			w.paragraph("", "", func() {
				for _, r := range cell.Runs {
					r.Strong = r.Strong || row.Kind == headRow
					w.runs([]run{r})
				}
			})
			w.body.WriteString(`</w:tc>`)
		}
		w.body.WriteString(`</w:tr>`)
	}
	w.body.WriteString(`</w:tbl>`)
	w.paragraph("", "", func() {}) // two tables in a row would be one
}

func (w *docxWriter) paragraph(styleName, properties string, content func()) {
	w.body.WriteString(`<w:p>`)
	if styleName != "" {
		properties = `<w:pStyle w:val="` + styleName + `"/>` + properties
	}
	if properties != "" {
		w.body.WriteString(`<w:pPr>` + properties + `</w:pPr>`)
	}
	content()
	w.body.WriteString(`</w:p>`)
}

func (w *docxWriter) runs(list []run) {
	for _, r := range list {
		switch {
		case r.Break:
			w.body.WriteString(`<w:r><w:br/></w:r>`)
		case r.Cite > 0:
			fmt.Fprintf(&w.body, `<w:hyperlink w:anchor="q%d" w:history="1">`, r.Cite)
			w.run(r.Text, `<w:rStyle w:val="Hyperlink"/>`)
			w.body.WriteString(`</w:hyperlink>`)
		case r.URL != "":
			w.link(r.URL, r.Text, r.style)
		default:
			w.text(r.Text, r.style)
		}
	}
}

func (w *docxWriter) link(url, text string, s style) {
	w.targets = append(w.targets, url)
	fmt.Fprintf(&w.body, `<w:hyperlink r:id="link%d" w:history="1">`, len(w.targets))
	w.run(text, `<w:rStyle w:val="Hyperlink"/>`+strings.Replace(s.properties(), `<w:rStyle w:val="CodeText"/>`, "", 1))
	w.body.WriteString(`</w:hyperlink>`)
}

func (w *docxWriter) text(text string, s style) { w.run(text, s.properties()) }

// properties are in the order that the schema wants (ECMA-376 §17.3.2.28).
func (s style) properties() string {
	var b strings.Builder
	for _, p := range []struct {
		on  bool
		xml string
	}{{s.Code, `<w:rStyle w:val="CodeText"/>`}, {s.Strong, `<w:b/><w:bCs/>`}, {s.Emphasis, `<w:i/><w:iCs/>`}, {s.Struck, `<w:strike/>`},
		{s.Sub, `<w:vertAlign w:val="subscript"/>`}, {s.Sup && !s.Sub, `<w:vertAlign w:val="superscript"/>`}} {
		if p.on {
			b.WriteString(p.xml)
		}
	}
	return b.String()
}

// run writes text; its line breaks stay.
func (w *docxWriter) run(text, properties string) {
	if properties != "" {
		properties = `<w:rPr>` + properties + `</w:rPr>`
	}
	w.body.WriteString(`<w:r>` + properties)
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			w.body.WriteString(`<w:br/>`)
		}
		w.body.WriteString(`<w:t xml:space="preserve">` + xmlText(line) + `</w:t>`)
	}
	w.body.WriteString(`</w:r>`)
}
