package extract

import (
	"strings"
	"testing"

	"ibid/evidence"
)

// para makes a paragraph of a style, which may be "", with a text.
func para(style, text string) string {
	pPr := ""
	if style != "" {
		pPr = `<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>`
	}
	return `<w:p>` + pPr + `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

const wordStyles = `<w:styles ` + wordNS + `>
<w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/><w:basedOn w:val="berschrift1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="eigene"><w:name w:val="Mine"/><w:basedOn w:val="berschrift2"/></w:style>
<w:style w:type="paragraph" w:styleId="Beschriftung"><w:name w:val="caption"/></w:style>
<w:style w:type="paragraph" w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="character" w:styleId="Geheim"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style>
</w:styles>`

const wordNumbering = `<w:numbering ` + wordNS + `>
<w:abstractNum w:abstractNumId="5"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="upperLetter"/><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="6"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%2."/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="6"/></w:num></w:numbering>`

func wordParts(more ...string) []string {
	return append([]string{"word/styles.xml", wordStyles, "word/numbering.xml", wordNumbering}, more...)
}

func TestDOCXStructure(t *testing.T) {
	item := func(level, text string) string {
		return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="2"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	p := readOffice(t, "x.docx", documentOf(t, para("Titel", "The Report")+
		para("Verzeichnis1", "Scope 3")+
		para("berschrift1", "Scope")+para("", "  Two   spaces,")+para("berschrift2", "Terms")+para("eigene", "More terms")+
		para("berschrift1", "Results")+item("0", "first")+item("1", "inner")+
		`<w:sdt><w:sdtContent>`+para("berschrift2", "In a control")+`</w:sdtContent></w:sdt>`+para("", " "), wordParts()...))
	wantBlocks(t, p, "para.1 heading1: The Report", "para.2 unquotable: Scope 3", "para.3 heading1: 1 Scope", "para.4: Two spaces,", "para.5 heading2: 1.A Terms",
		"para.6 heading2: 1.B More terms", "para.7 heading1: 2 Results", "para.8 item1: first", "para.9 item2: inner", "para.10 heading2: 2.A In a control")
	if p.Blocks[8].Heading != "2 Results" || p.Title != "The Report" || p.Kind != evidence.Document {
		t.Errorf("heading %q, title %q, kind %s", p.Blocks[8].Heading, p.Title, p.Kind)
	}
}

// TestDOCXShown: what a reader sees is read, once; what nobody sees is not.
func TestDOCXShown(t *testing.T) {
	run := func(s string) string { return `<w:r><w:t xml:space="preserve">` + s + `</w:t></w:r>` }
	mark := func(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }
	code := func(s string) string { return `<w:r><w:instrText>` + s + `</w:instrText></w:r>` }
	box := func(s string) string { return `<w:txbxContent>` + para("", s) + `</w:txbxContent>` }
	for _, c := range []struct{ name, body, want string }{
		{"runs join", `<w:p>` + run("work") + run("ing ") + run("title") + `</w:p>`, "working title"},
		{"tracked changes", `<w:p>` + run("It is ") + `<w:del><w:r><w:delText>not </w:delText></w:r></w:del><w:ins>` + run("now ") + `</w:ins>` + run("so.") + `</w:p>`, "It is now so."},
		{"moved text once", `<w:p><w:moveFrom>` + run("old place ") + `</w:moveFrom>` + run("stays ") + `<w:moveTo>` + run("new place") + `</w:moveTo></w:p>`, "stays new place"},
		{"a deleted end of paragraph", `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>` + run("One ") + `</w:p><w:p>` + run("text.") + `</w:p>`, "One text."},
		{"hidden run", `<w:p>` + run("Seen") + `<w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t> too</w:t></w:r></w:p>`, "Seen too"},
		{"hidden by a style", `<w:p>` + run("Seen") + `<w:r><w:rPr><w:rStyle w:val="Geheim"/></w:rPr><w:t>unseen</w:t></w:r></w:p>`, "Seen"},
		{"hidden by its size", `<w:p>` + run("Seen") + `<w:r><w:rPr><w:sz w:val="2"/></w:rPr><w:t>unseen</w:t></w:r></w:p>`, "Seen"},
		{"a field's result", `<w:p>` + run("See page ") + mark("begin") + code(" PAGEREF x ") + mark("separate") + run("7") + mark("end") + run(".") + `</w:p>`, "See page 7."},
		{"a field in a field's instruction", `<w:p>` + mark("begin") + code("IF ") + mark("begin") + code("DATE") + mark("separate") + run("2020") + mark("end") + code(" = 1") + mark("separate") + run("yes") + mark("end") + `</w:p>`, "yes"},
		{"alternative content once", `<w:p>` + run("Text") + `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>` + box("In the box") + `</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>` + box("In the box") + `</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`, "Text\nIn the box"},
		{"drawn shape", `<w:p><w:r><w:drawing><a:txBody><a:p><a:r><a:t>On a </a:t></a:r><a:r><a:t>canvas</a:t></a:r></a:p></a:txBody></w:drawing></w:r></w:p>`, "On a canvas"},
		{"powers and indices", `<w:p>` + run("10") + `<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r>` + run(" H") + `<w:r><w:rPr><w:vertAlign w:val="subscript"/></w:rPr><w:t>2</w:t></w:r>` + run("O") + `</w:p>`, "10⁶ H2O"},
		{"signs", `<w:p>` + run("a") + `<w:r><w:sym w:font="Symbol" w:char="F0A3"/></w:r>` + run("b") + `<w:r><w:noBreakHyphen/><w:t>c</w:t><w:tab/><w:t>d</w:t><w:softHyphen/><w:t>e</w:t><w:br/><w:t>f</w:t></w:r></w:p>`, "a≤b\u2011c de\nf"},
		{"a large initial", `<w:p><w:pPr><w:framePr w:dropCap="drop"/></w:pPr>` + run("T") + `</w:p><w:p>` + run("he pond.") + `</w:p>`, "The pond."},
		{"text in a symbol font", `<w:p><w:r><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr><w:t>` + "\uf061" + `</w:t></w:r>` + run(" = 5") + `<w:r><w:rPr><w:rFonts w:ascii="Unknown"/></w:rPr><w:t>` + "\uf061" + `</w:t></w:r></w:p>`, "α = 5"},
		{"ruby", `<w:p><w:r><w:ruby><w:rt><w:r><w:t>kan</w:t></w:r></w:rt><w:rubyBase>` + run("漢") + `</w:rubyBase></w:ruby></w:r>` + run("字") + `</w:p>`, "漢字"},
		{"a fraction", `<w:p>` + run("If") + `<m:oMath><m:r><m:t>x=</m:t></m:r><m:f><m:num><m:r><m:t>-b±</m:t></m:r><m:rad><m:e><m:sSup><m:e><m:r><m:t>b</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup><m:r><m:t>-4ac</m:t></m:r></m:e></m:rad></m:num><m:den><m:r><m:t>2a</m:t></m:r></m:den></m:f></m:oMath>` + run("then") + `</w:p>`, "If x=(-b±√(b²-4ac))/(2a) then"},
		{"a sum", `<w:p><m:oMath><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub><m:sup><m:r><m:t>n</m:t></m:r></m:sup><m:e><m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:r><m:t>i</m:t></m:r></m:e></m:d></m:e></m:nary></m:oMath></w:p>`, "∑_(i=1)ⁿ [i]"},
	} {
		p := readOffice(t, "x.docx", documentOf(t, c.body, wordParts()...))
		if got := strings.TrimSuffix(p.Text(false), "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if hidden := strings.HasPrefix(c.name, "hidden"); hasFlag(p, FlagHidden) != hidden {
			t.Errorf("%s: flags %v", c.name, p.Flags)
		}
	}
}

func TestDOCXTables(t *testing.T) {
	cell := func(pr, text string) string { return `<w:tc><w:tcPr>` + pr + `</w:tcPr>` + para("", text) + `</w:tc>` }
	row := func(cells ...string) string { return `<w:tr>` + strings.Join(cells, "") + `</w:tr>` }
	look := `<w:tblPr><w:tblLook w:firstRow="1"/></w:tblPr>`
	body := para("Beschriftung", "Table 1: Rates") +
		`<w:tbl>` + look + row(cell("", "Name"), cell(`<w:gridSpan w:val="2"/>`, "Rates")) + row(cell(`<w:vMerge w:val="restart"/>`, "A"), cell("", "1"), cell("", "2")) + row(cell(`<w:vMerge/>`, ""), cell("", "3"), cell("", "4")) +
		row(cell(`<w:gridSpan w:val="3"/>`, "All of them")) + `<w:tr><w:trPr><w:del/></w:trPr>` + cell("", "gone") + cell("", "gone") + `</w:tr></w:tbl>` +
		`<w:tbl>` + row(`<w:tc>`+para("berschrift1", "A text in a frame")+`<w:tbl>`+row(cell("", "x"), cell("", "y"))+`</w:tbl></w:tc>`) + `</w:tbl>`
	p := readOffice(t, "x.docx", documentOf(t, body, wordParts()...))
	wantBlocks(t, p, "para.1 caption: Table 1: Rates", "para.2 row: Name | Rates | Rates", "para.3 row: A | 1 | 2", "para.4 row: A | 3 | 4", "para.5: All of them",
		"para.6 heading1: 1 A text in a frame", "para.7 row: x | y")
	if b := p.Blocks[3]; b.Columns != "Name | Rates | Rates" || b.Caption != "Table 1: Rates" || b.Path != "/tbl[1]/tr[3]" {
		t.Errorf("columns %q, caption %q, path %q", b.Columns, b.Caption, b.Path)
	}
}

// TestDOCXBeside: notes are the author's words and follow the text; remarks of others, headers and footers are no main
// content.
func TestDOCXBeside(t *testing.T) {
	body := para("berschrift1", "Part") + `<w:p><w:r><w:t>Sales rose</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t> in 2020.</w:t></w:r></w:p>` +
		`<w:p><w:hyperlink r:id="rId9"><w:r><w:t>the source</w:t></w:r></w:hyperlink></w:p>`
	p := readOffice(t, "x.docx", documentOf(t, body, wordParts(
		"word/_rels/document.xml.rels", relsOf("rId3", "footnotes", "footnotes.xml", "rId4", "comments", "comments.xml", "rId5", "header", "header1.xml", "rId9", "hyperlink", "https://a.example/x"),
		"word/footnotes.xml", `<w:footnotes `+wordNS+`><w:footnote w:id="1">`+para("", "Never referred to")+`</w:footnote><w:footnote w:id="2">`+para("", "By volume.")+`</w:footnote></w:footnotes>`,
		"word/comments.xml", `<w:comments `+wordNS+`><w:comment w:id="0" w:author="A Reviewer">`+para("", "Really?")+`</w:comment></w:comments>`,
		"word/header1.xml", `<w:hdr `+wordNS+`>`+para("", "Confidential")+`</w:hdr>`,
		"docProps/core.xml", `<c:coreProperties xmlns:c="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>The Year</dc:title><dc:creator>An Office</dc:creator><dcterms:created>2021-03-04T10:00:00Z</dcterms:created><dc:language>en-GB</dc:language></c:coreProperties>`)...))
	wantBlocks(t, p, "para.1 heading1: 1 Part", "para.2: Sales rose in 2020.", "para.3 unquotable: the source", "para.4: By volume.", "para.5 comment aside: Really?", "para.6 aside: Confidential")
	if b := p.Blocks[3]; b.Heading != "1 Part" || !strings.HasPrefix(b.Path, "/footnote[2]") {
		t.Errorf("the note's heading is %q, its path %q", b.Heading, b.Path)
	}
	if p.Title != "The Year" || p.Author != "An Office" || p.Published != "2021-03-04" || p.Language != "en-GB" || p.Stated["published"] != "docProps dcterms:created" {
		t.Errorf("title %q, author %q, published %q, language %q, stated %v", p.Title, p.Author, p.Published, p.Language, p.Stated)
	}
	if len(p.Links) != 1 || p.Links[0] != (Link{"https://a.example/x", "the source"}) {
		t.Errorf("links %v", p.Links)
	}
}

// TestDOCXForms: the strict form, templates, documents with macros and in other encodings are the same document.
func TestDOCXForms(t *testing.T) {
	doc := `<?xml version="1.0"?><w:document ` + wordNS + `><w:body>` + para("", "Grüße") + `</w:body></w:document>`
	utf16 := []byte("\xff\xfe")
	for _, r := range strings.Replace(doc, `version="1.0"`, `version="1.0" encoding="UTF-16"`, 1) {
		utf16 = append(utf16, byte(r), byte(r>>8))
	}
	strict := strings.NewReplacer("http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main").Replace(doc)
	for name, main := range map[string]string{"as usual": doc, "strict": strict, "other prefix": strings.NewReplacer("w:", "q:", "xmlns:w=", "xmlns:q=").Replace(doc), "UTF-16": string(utf16)} {
		p := readOffice(t, "x", officeFile(t, "wordprocessingml.template", "other/place.xml", main))
		if got := quotable(p); got != "Grüße" || p.Kind != evidence.Document {
			t.Errorf("%s: %q, %s", name, got, p.Kind)
		}
	}
}
