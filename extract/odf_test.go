package extract

import (
	"strings"
	"testing"

	"ibid/evidence"
)

const odfNS = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" xmlns:math="http://www.w3.org/1998/Math/MathML" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"`

const odfStyleParts = `<office:styles><style:style style:name="Title" style:family="paragraph"/><text:outline-style><text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/><text:outline-level-style text:level="2" style:num-format="a" text:display-levels="2"/></text:outline-style></office:styles>`

const odfMade = `<office:automatic-styles><style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/><style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style><style:style style:name="T2" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style><style:style style:name="ta" style:family="table"><style:table-properties table:display="false"/></style:style><style:style style:name="dp" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style></office:automatic-styles>`

// openDocument makes an OpenDocument of the content of its body.
func openDocument(t testing.TB, kind, body string, more ...string) []byte {
	return zipOf(t, append([]string{"mimetype", "application/vnd.oasis.opendocument." + kind, "content.xml", `<office:document-content ` + odfNS + `>` + odfMade + `<office:body>` + body + `</office:body></office:document-content>`,
		"styles.xml", `<office:document-styles ` + odfNS + `>` + odfStyleParts + `<office:master-styles><style:master-page><style:header><text:p>Running head</text:p></style:header></style:master-page></office:master-styles></office:document-styles>`,
		"meta.xml", `<office:document-meta ` + odfNS + `><office:meta><dc:title>Of Ponds</dc:title><meta:initial-creator>A. Writer</meta:initial-creator><dc:creator>An Editor</dc:creator><meta:creation-date>2019-05-06T07:00:00</meta:creation-date><dc:date>2020-01-02T00:00:00</dc:date></office:meta></office:document-meta>`}, more...)...)
}

const odtBody = `<office:text><text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion></text:changed-region></text:tracked-changes>
<text:p text:style-name="P1">Of Ponds</text:p><text:h text:outline-level="1">Ducks</text:h>
<text:p>There are 10<text:span text:style-name="T2">6</text:span><text:s text:c="2"/>ducks<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>Counted twice.</text:p></text:note-body></text:note><text:span text:style-name="T1">hidden</text:span> on <text:a xlink:href="https://a.example/pond">ponds</text:a>.<office:annotation><dc:creator>R</dc:creator><text:p>Sure?</text:p></office:annotation></text:p>
<text:h text:outline-level="2">Kinds</text:h><text:list><text:list-item><text:p>wild</text:p><text:list><text:list-item><text:p>mallard</text:p></text:list-item></text:list></text:list-item></text:list>
<text:section text:display="none"><text:p>hidden part</text:p></text:section>
<text:p>Box:<draw:frame><draw:text-box><text:p>In the box</text:p></draw:text-box></draw:frame> and <draw:frame><draw:object><math:math><math:mfrac><math:mi>a</math:mi><math:mrow><math:mi>b</math:mi><math:mo>+</math:mo><math:mn>1</math:mn></math:mrow></math:mfrac></math:math></draw:object></draw:frame></text:p>
<table:table><table:table-column table:number-columns-repeated="3"/><table:table-header-rows><table:table-row><table:table-cell><text:p>Pond</text:p></table:table-cell><table:table-cell table:number-columns-spanned="2"><text:p>Birds</text:p></table:table-cell><table:covered-table-cell/></table:table-row></table:table-header-rows>
<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>North</text:p></table:table-cell><table:table-cell><text:p>1</text:p></table:table-cell><table:table-cell><text:p>2</text:p></table:table-cell></table:table-row>
<table:table-row><table:covered-table-cell/><table:table-cell><text:p>3</text:p></table:table-cell><table:table-cell><text:p>4</text:p></table:table-cell></table:table-row></table:table></office:text>`

func TestODT(t *testing.T) {
	zipped := readOffice(t, "x.odt", openDocument(t, "text", odtBody))
	flat := readOffice(t, "x.fodt", []byte(`<?xml version="1.0" encoding="UTF-8"?><office:document `+odfNS+` office:mimetype="application/vnd.oasis.opendocument.text">`+odfStyleParts+odfMade+`<office:master-styles><style:master-page><style:header><text:p>Running head</text:p></style:header></style:master-page></office:master-styles><office:body>`+odtBody+`</office:body></office:document>`))
	for _, p := range []*Page{zipped, flat} {
		wantBlocks(t, p, "para.1 heading1: Of Ponds", "para.2 heading1: 1. Ducks", "para.3: There are 10⁶ ducks on ponds.", "para.4 heading2: 1.a Kinds", "para.5 item1: wild", "para.6 item2: mallard",
			"para.7: Box: and a/(b+1)", "para.8: In the box", "para.9 row: Pond | Birds | Birds", "para.10 row: North | 1 | 2", "para.11 row: North | 3 | 4", "para.12: Counted twice.", "para.13 comment aside: Sure?", "para.14 aside: Running head")
		if !hasFlag(p, FlagHidden) || p.Kind != evidence.Document || p.Blocks[10].Columns != "Pond | Birds | Birds" || p.Blocks[11].Heading != "1. Ducks" {
			t.Errorf("flags %v, kind %s, columns %q, heading %q", p.Flags, p.Kind, p.Blocks[10].Columns, p.Blocks[11].Heading)
		}
		if len(p.Links) != 1 || p.Links[0] != (Link{"https://a.example/pond", "ponds"}) {
			t.Errorf("links %v", p.Links)
		}
	}
	if p := zipped; p.Title != "Of Ponds" || p.Author != "A. Writer" || p.Published != "2019-05-06" || p.Modified != "2020-01-02" || p.Stated["author"] != "meta.xml meta:initial-creator" {
		t.Errorf("title %q, author %q, published %q, modified %q, stated %v", p.Title, p.Author, p.Published, p.Modified, p.Stated)
	}
}

func TestODP(t *testing.T) {
	frame := func(class, text string) string {
		return `<draw:frame presentation:class="` + class + `"><draw:text-box>` + text + `</draw:text-box></draw:frame>`
	}
	p := readOffice(t, "x.odp", openDocument(t, "presentation", `<office:presentation><draw:page draw:style-name="dp">`+frame("title", "<text:p>Hidden</text:p>")+`</draw:page>
<draw:page>`+frame("title", "<text:p>Plan</text:p>")+frame("outline", "<text:list><text:list-item><text:p>One</text:p></text:list-item></text:list>")+`<draw:g><draw:custom-shape><text:p>In a group</text:p></draw:custom-shape></draw:g>`+frame("page-number", "<text:p>2</text:p>")+
		`<office:annotation><dc:creator>R</dc:creator><text:p>Good</text:p></office:annotation><presentation:notes>`+frame("notes", "<text:p>Slowly.</text:p>")+`</presentation:notes></draw:page></office:presentation>`))
	wantBlocks(t, p, "slide.2.1 heading1: Plan", "slide.2.2 item1: One", "slide.2.3: In a group", "slide.2.4 aside: 2", "slide.2.5 comment aside: Good", "slide.2.6: Slowly.")
	if !hasFlag(p, FlagHidden) || p.Kind != evidence.Slides || p.Blocks[2].Heading != "Plan" {
		t.Errorf("flags %v, kind %s, heading %q", p.Flags, p.Kind, p.Blocks[2].Heading)
	}
}

func TestODS(t *testing.T) {
	cell := func(s string) string { return `<table:table-cell><text:p>` + s + `</text:p></table:table-cell>` }
	number := func(s string) string {
		return `<table:table-cell office:value-type="float" office:value="0.385"><text:p>` + s + `</text:p></table:table-cell>`
	}
	row := func(cells ...string) string {
		return `<table:table-row>` + strings.Join(cells, "") + `</table:table-row>`
	}
	p := readOffice(t, "x.ods", openDocument(t, "spreadsheet", `<office:spreadsheet><table:table table:name="Rates"><table:table-column table:number-columns-repeated="2"/><table:table-column table:visibility="collapse"/>`+
		row(cell("Name"), cell("Rate"), cell("Secret"))+row(cell("x"), number("38.5%"), number("9"))+`<table:table-row table:visibility="filter">`+cell("y")+`</table:table-row>`+
		`<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="1000"/></table:table-row></table:table><table:table table:name="Off" table:style-name="ta">`+row(cell("hidden"))+`</table:table></office:spreadsheet>`))
	wantBlocks(t, p, "sheet.Rates!A1:B1 row: Name | Rate", "sheet.Rates!A2:B2 row: x | 38.5%")
	if !hasFlag(p, FlagHiddenSheet) || p.Blocks[1].Columns != "Name | Rate" {
		t.Errorf("flags %v, columns %q", p.Flags, p.Blocks[1].Columns)
	}
}
