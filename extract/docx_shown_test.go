package extract

import (
	"strings"
	"testing"
)

// formatted makes a run with properties.
func formatted(rPr, text string) string {
	return `<w:r><w:rPr>` + rPr + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r>`
}

// TestDOCXRaised: a number that stands above or below the line does not join the one before it, however it got there.
func TestDOCXRaised(t *testing.T) {
	const up, sup, sub = `<w:position w:val="6"/>`, `<w:vertAlign w:val="superscript"/>`, `<w:vertAlign w:val="subscript"/>`
	run := func(s string) string { return formatted("", s) }
	for _, c := range []struct{ name, runs, want string }{
		{"by its position", run("10") + formatted(up, "2") + run(" m"), "10² m"},
		{"below the line", run("10") + formatted(`<w:position w:val="-6"/>`, "2"), "10₂"},
		{"in several runs", run("10") + formatted(up, "-") + formatted(up, "1") + formatted(up, "2"), "10⁻¹²"},
		{"superscripts in several runs", run("10") + formatted(sup, "−") + formatted(sup, "12"), "10⁻¹²"},
		{"all of it", formatted(up, "In ") + formatted(up, "2020") + formatted(up, "/21"), "In 2020/21"},
		{"hardly", run("10") + formatted(`<w:position w:val="1"/>`, "24"), "1024"},
		{"by a style", run("10") + formatted(`<w:rStyle w:val="Hoch"/>`, "3"), "10³"},
		{"with letters", run("10") + formatted(sup, "2x") + run(" and 5") + formatted(sup, "th"), "10²x and 5th"},
		{"a fraction", run("10") + formatted(sup, "1/2"), "10¹/²"},
		{"an index before a number", run("log") + formatted(sub, "10") + run("2 of CO") + formatted(sub, "2"), "log₁₀2 of CO2"},
		{"a lone sign", run("10") + formatted(sup, "+"), "10+"},
	} {
		p := readOffice(t, "x.docx", documentOf(t, `<w:p>`+c.runs+`</w:p>`, "word/styles.xml", `<w:styles `+wordNS+`>
<w:style w:type="character" w:styleId="Hoch"><w:name w:val="Up"/><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style></w:styles>`))
		if got := quotable(p); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestDOCXColours: text in the colour of what it stands on is not seen, and left out; where that cannot be known, it stays.
func TestDOCXColours(t *testing.T) {
	const white, dark = `<w:color w:val="FFFFFF"/>`, `<w:shd w:val="clear" w:color="auto" w:fill="1F3864"/>`
	styles := `<w:styles ` + wordNS + `>
<w:style w:type="paragraph" w:styleId="Weiss"><w:name w:val="White"/><w:rPr>` + white + `</w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Banner"><w:name w:val="Banner"/><w:basedOn w:val="Weiss"/><w:pPr>` + dark + `</w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Fort"><w:name w:val="Gone"/><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Umkehr"><w:name w:val="Turned"/><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="table" w:styleId="Bunt"><w:name w:val="Colourful"/><w:tblStylePr w:type="firstRow"><w:tcPr>` + dark + `</w:tcPr></w:tblStylePr></w:style>
<w:style w:type="table" w:styleId="Netz"><w:name w:val="Table Grid"/></w:style></w:styles>`
	para := func(pPr, runs string) string { return `<w:p><w:pPr>` + pPr + `</w:pPr>` + runs + `</w:p>` }
	table := func(style, tcPr string) string {
		cell := func(s string) string { return `<w:tc><w:tcPr>` + tcPr + `</w:tcPr>` + para("", s) + `</w:tc>` }
		return `<w:tbl><w:tblPr><w:tblStyle w:val="` + style + `"/></w:tblPr><w:tr>` + cell(formatted(white, "Name")) + cell(formatted(white, "Rate")) + `</w:tr></w:tbl>`
	}
	for _, c := range []struct{ name, body, want string }{
		{"white", para("", formatted("", "Seen")+formatted(white, " unseen")), "Seen"},
		{"nearly white", para("", formatted("", "Seen")+formatted(`<w:color w:val="FDFDFD"/>`, " unseen")), "Seen"},
		{"grey", para("", formatted(`<w:color w:val="BFBFBF"/>`, "Seen")), "Seen"},
		{"by the theme", para("", formatted("", "Seen")+formatted(`<w:color w:themeColor="background1"/>`, " unseen")), "Seen"},
		{"by a style", para("", formatted("", "Seen")) + para(`<w:pStyle w:val="Weiss"/>`, formatted("", "unseen")), "Seen"},
		{"by its mark", para("", formatted("", "Seen")+formatted(`<w:color w:val="FFFF00"/><w:highlight w:val="yellow"/>`, " unseen")), "Seen"},
		{"black on black", para("", formatted("", "Seen")+formatted(`<w:color w:val="000000"/><w:shd w:val="clear" w:fill="000000"/>`, " unseen")), "Seen"},
		{"white on dark runs", para("", formatted(white+dark, "Seen")), "Seen"},
		{"white on dark paragraphs", para(dark, formatted(white, "Seen")) + para(`<w:pStyle w:val="Banner"/>`, formatted("", "too")), "Seen\ntoo"},
		{"white on dark cells", table("Netz", dark), "Name | Rate"},
		{"white in a table's style", table("Bunt", ""), "Name | Rate"},
		{"white in a table", table("Netz", "") + para("", formatted("", "Seen")), "Seen"},
		{"white in a box", `<w:p><w:r><w:pict><v:textbox><w:txbxContent>` + para("", formatted(white, "Seen")) + `</w:txbxContent></v:textbox></w:pict></w:r></w:p>`, "Seen"},
		{"white on a picture", `<w:p><w:r><w:pict><v:rect style="position:absolute;z-index:-5"/></w:pict></w:r>` + formatted(white, "Seen") + `</w:p>`, "Seen"},
		{"white on the page after it", `<w:p><w:r><w:pict><v:rect style="position:absolute;z-index:-5"/></w:pict><w:br w:type="page"/></w:r>` + formatted(white, "unseen") + formatted("", "Seen") + `</w:p>`, "Seen"},
		{"hidden by its paragraph's style", para("", formatted("", "Seen")) + para(`<w:pStyle w:val="Fort"/>`, formatted("", "unseen")), "Seen"},
		{"hidden twice over", para(`<w:pStyle w:val="Fort"/>`, formatted(`<w:rStyle w:val="Umkehr"/>`, "Seen")), "Seen"},
	} {
		p := readOffice(t, "x.docx", documentOf(t, c.body, "word/styles.xml", styles))
		if got, hidden := quotable(p), hasFlag(p, FlagHidden); got != c.want || hidden != (strings.Contains(c.body, "unseen") || c.name == "white in a table") {
			t.Errorf("%s: %q, hidden text %v, want %q", c.name, got, hidden, c.want)
		}
	}
}
