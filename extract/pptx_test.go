package extract

import (
	"fmt"
	"testing"

	"ibid/evidence"
)

const slideNS = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"`

// presentationOf makes a presentation that shows slides by name, slide NAME.xml, in this order, with more parts.
func presentationOf(t testing.TB, order []string, more ...string) []byte {
	list, rels := "", []string{}
	for i, name := range order {
		list += fmt.Sprintf(`<p:sldId id="%d" r:id="rId%d"/>`, 256+i, i+1)
		rels = append(rels, fmt.Sprintf("rId%d", i+1), "slide", "slides/"+name+".xml")
	}
	rels = append(rels, "rId90", "commentAuthors", "authors.xml")
	return officeFile(t, "presentationml.presentation", "ppt/presentation.xml", `<p:presentation `+slideNS+`><p:sldIdLst>`+list+`</p:sldIdLst><p:sldSz cx="1000" cy="500"/></p:presentation>`,
		append([]string{"ppt/_rels/presentation.xml.rels", relsOf(rels...)}, more...)...)
}

func slideOf(attrs, shapes string) string {
	return `<p:sld ` + slideNS + ` ` + attrs + `><p:cSld><p:spTree>` + shapes + `</p:spTree></p:cSld></p:sld>`
}

func shapeOf(placeholder, properties, paragraphs string) string {
	return `<p:sp><p:nvSpPr><p:cNvPr id="1"/><p:nvPr>` + placeholder + `</p:nvPr></p:nvSpPr><p:spPr>` + properties + `</p:spPr><p:txBody>` + paragraphs + `</p:txBody></p:sp>`
}

func drawn(s string) string { return `<a:p><a:r><a:t>` + s + `</a:t></a:r></a:p>` }

func TestPPTX(t *testing.T) {
	title := shapeOf(`<p:ph type="title"/>`, "", drawn("The plan"))
	body := shapeOf(`<p:ph idx="1"/>`, "", drawn("One")+`<a:p><a:pPr lvl="1"/><a:r><a:t>in</a:t></a:r><a:r><a:t>ner</a:t></a:r></a:p>`)
	away := shapeOf("", `<a:xfrm><a:off x="2000" y="0"/><a:ext cx="100" cy="100"/></a:xfrm>`, drawn("beside the slide"))
	group := `<p:grpSp>` + shapeOf("", "", drawn("In a group")) + `</p:grpSp>`
	number := shapeOf(`<p:ph type="sldNum"/>`, "", `<a:p><a:fld type="slidenum"><a:t>2</a:t></a:fld></a:p>`)
	table := `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/><a:tr><a:tc gridSpan="2"><a:txBody>` + drawn("Head") + `</a:txBody></a:tc><a:tc hMerge="1"/><a:tc><a:txBody>` + drawn("Other") + `</a:txBody></a:tc></a:tr>` +
		`<a:tr><a:tc><a:txBody>` + drawn("a") + `</a:txBody></a:tc><a:tc><a:txBody>` + drawn("b") + `</a:txBody></a:tc><a:tc><a:txBody>` + drawn("c") + `</a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
	frames := `<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rId1"/></a:graphicData></a:graphic></p:graphicFrame><p:graphicFrame><a:graphic><a:graphicData><dgm:relIds r:dm="rId2"/></a:graphicData></a:graphic></p:graphicFrame>`
	chart := `<c:chartSpace ` + slideNS + `><c:chart><c:title><c:tx><c:rich>` + drawn("Ducks") + `</c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>Share</c:v></c:pt></c:strCache></c:strRef></c:tx>` +
		`<c:cat><c:numRef><c:numCache><c:formatCode>yyyy-mm-dd</c:formatCode><c:pt idx="0"><c:v>45658</c:v></c:pt></c:numCache></c:numRef></c:cat><c:val><c:numRef><c:numCache><c:formatCode>0.0%</c:formatCode><c:pt idx="0"><c:v>0.385</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`
	diagram := `<dgm:dataModel ` + slideNS + `><dgm:ptLst><dgm:pt modelId="0" type="doc"/><dgm:pt modelId="2"><dgm:t>` + drawn("second") + `</dgm:t></dgm:pt><dgm:pt modelId="1"><dgm:t>` + drawn("first") + `</dgm:t></dgm:pt><dgm:pt modelId="9" type="pres"><dgm:t>` + drawn("layout") + `</dgm:t></dgm:pt></dgm:ptLst>` +
		`<dgm:cxnLst><dgm:cxn srcId="0" destId="2" srcOrd="1"/><dgm:cxn srcId="0" destId="1" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>`
	p := readOffice(t, "x.pptx", presentationOf(t, []string{"b", "hidden", "a"},
		"ppt/slides/a.xml", slideOf("", table+frames), "ppt/slides/b.xml", slideOf("", title+body+away+group+number), "ppt/slides/hidden.xml", slideOf(`show="0"`, title),
		"ppt/slides/_rels/a.xml.rels", relsOf("rId1", "chart", "../charts/c.xml", "rId2", "diagramData", "../diagrams/d.xml"), "ppt/charts/c.xml", chart, "ppt/diagrams/d.xml", diagram,
		"ppt/slides/_rels/b.xml.rels", relsOf("rId1", "notesSlide", "../notes/n.xml", "rId2", "comments", "../comments/c.xml"),
		"ppt/notes/n.xml", `<p:notes `+slideNS+`><p:cSld><p:spTree>`+shapeOf(`<p:ph type="body"/>`, "", drawn("Say it slowly."))+shapeOf(`<p:ph type="sldNum"/>`, "", drawn("1"))+`</p:spTree></p:cSld></p:notes>`,
		"ppt/comments/c.xml", `<p:cmLst `+slideNS+`><p:cm authorId="3"><p:text>Too long</p:text></p:cm></p:cmLst>`,
		"ppt/authors.xml", `<p:cmAuthorLst `+slideNS+`><p:cmAuthor id="3" name="A Reviewer"/></p:cmAuthorLst>`))
	wantBlocks(t, p, "slide.1.1 heading1: The plan", "slide.1.2 item1: One", "slide.1.3 item2: inner", "slide.1.4: In a group", "slide.1.5 aside: 2", "slide.1.6: Say it slowly.", "slide.1.7 comment aside: Too long",
		"slide.3.1 row: Head | Head | Other", "slide.3.2 row: a | b | c", "slide.3.3 caption: Ducks", "slide.3.4 row: Share", "slide.3.5 row: 2025-01-01 | 38.5%", "slide.3.6 item1: first", "slide.3.7 item1: second")
	if !hasFlag(p, FlagHidden) || p.Kind != evidence.Slides || p.Title != "The plan" {
		t.Errorf("flags %v, kind %s, title %q", p.Flags, p.Kind, p.Title)
	}
	if p.Blocks[3].Heading != "The plan" || p.Blocks[5].Heading != "The plan (speaker notes)" || p.Blocks[6].Path != "/slide[1]/comment by A Reviewer" || p.Blocks[8].Columns != "Head | Head | Other" {
		t.Errorf("headings %q and %q, path %q, columns %q", p.Blocks[3].Heading, p.Blocks[5].Heading, p.Blocks[6].Path, p.Blocks[8].Columns)
	}
}

// TestPPTXUnseen: what lies beside the slide, also in a group, and text that is not painted is not seen.
func TestPPTXUnseen(t *testing.T) {
	at := func(x, y, s string) string {
		return shapeOf("", `<a:xfrm><a:off x="`+x+`" y="`+y+`"/><a:ext cx="100" cy="100"/></a:xfrm>`, drawn(s))
	}
	group := func(off, ext, chOff, chExt, shapes string) string {
		return `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="` + off + `" y="0"/><a:ext cx="` + ext + `" cy="500"/><a:chOff x="` + chOff + `" y="0"/><a:chExt cx="` + chExt + `" cy="500"/></a:xfrm></p:grpSpPr>` + shapes + `</p:grpSp>`
	}
	run := func(rPr, s string) string { return `<a:r><a:rPr ` + rPr + `</a:rPr><a:t>` + s + `</a:t></a:r>` }
	for _, c := range []struct {
		name, shapes, want string
		hidden             bool
	}{
		{"partly on the slide", at("-50", "0", "Seen"), "Seen", false},
		{"above it", at("0", "-101", "unseen") + at("0", "0", "Seen"), "Seen", true},
		{"in a group of its own measure", group("0", "1000", "50000", "1000", at("50100", "0", "Seen")+at("52000", "0", "unseen")), "Seen", true},
		{"in a group that is shrunk", group("0", "1000", "0", "100000", at("90000", "0", "Seen")+at("110000", "0", "unseen")), "Seen", true},
		{"in a group in a group", group("500", "500", "0", "1000", group("0", "1000", "0", "10000", at("9000", "0", "Seen")+at("11000", "0", "unseen"))), "Seen", true},
		{"not painted", shapeOf("", "", `<a:p>`+run(`><a:noFill/>`, "unseen ")+run(`><a:noFill/><a:ln><a:solidFill/></a:ln>`, "Seen")+`</a:p>`), "Seen", true},
		{"transparent", shapeOf("", "", `<a:p>`+run(`><a:solidFill><a:srgbClr val="FF0000"><a:alpha val="0"/></a:srgbClr></a:solidFill>`, "unseen ")+run(`>`, "Seen")+`</a:p>`), "Seen", true},
		{"of no size", shapeOf("", "", `<a:p>`+run(`sz="100">`, "unseen ")+run(`sz="1200">`, "Seen")+`</a:p>`), "Seen", true},
	} {
		p := readOffice(t, "x.pptx", presentationOf(t, []string{"a"}, "ppt/slides/a.xml", slideOf("", c.shapes)))
		if got := quotable(p); got != c.want || hasFlag(p, FlagHidden) != c.hidden {
			t.Errorf("%s: %q, flags %v, want %q", c.name, got, p.Flags, c.want)
		}
	}
}
