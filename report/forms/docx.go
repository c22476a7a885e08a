package forms

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"ibid/audit"
)

// The parts of a document that are the same for every report (ECMA-376, Office Open XML).
var (
	//go:embed docx/content_types.xml
	docxTypes string
	//go:embed docx/rels.xml
	docxRels string
	//go:embed docx/styles.xml
	docxStyles string
)

const (
	xmlHead  = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	wordName = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	relName  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
)

// DOCX writes the report as a document of a word processor. A citation links to its quote at the end of the document, which
// stands in the words around it and links to the very place. The same report gives the same bytes.
func (r *Report) DOCX() ([]byte, error) {
	w := &docxWriter{}
	w.blocks(r.blocks, setting{})
	w.quotes(r.quotes)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, p := range []struct{ name, text string }{
		{"[Content_Types].xml", docxTypes},
		{"_rels/.rels", docxRels},
		{"word/document.xml", w.document()},
		{"word/_rels/document.xml.rels", w.relations()},
		{"word/styles.xml", docxStyles},
		{"word/numbering.xml", w.numbering()},
		{"docProps/core.xml", r.docxProperties()},
	} {
		f, err := z.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = f.Write([]byte(p.text))
		}
		if err != nil {
			return nil, fmt.Errorf("forms: writing DOCX: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("forms: writing DOCX: %w", err)
	}
	return out.Bytes(), nil
}

func (r *Report) docxProperties() string {
	created := ""
	if t := r.bundle.Facts.Finished; !t.IsZero() {
		at := t.UTC().Format(time.RFC3339)
		created = `<dcterms:created xsi:type="dcterms:W3CDTF">` + at + `</dcterms:created><dcterms:modified xsi:type="dcterms:W3CDTF">` + at + `</dcterms:modified>`
	}
	return xmlHead + `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
		`<dc:title>` + xmlText(r.title) + `</dc:title><dc:creator>ibid</dc:creator><dc:language>en</dc:language>` + created + `</cp:coreProperties>` + "\n"
}

// xmlText makes text inert in XML, in elements and attributes.
func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return b.String()
}

// A docxWriter builds the document.
type docxWriter struct {
	body    strings.Builder
	targets []string // of links, by number from 1
	lists   []string // the numbering of each ordered list
}

// The numbering that all bulleted lists share; ordered lists have one each, so that each begins anew.
const bullets = 1

func (w *docxWriter) document() string {
	return xmlHead + `<w:document` + wordName + ` xmlns:r="` + relName + `"><w:body>` + w.body.String() +
		`<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="567" w:footer="567" w:gutter="0"/></w:sectPr></w:body></w:document>` + "\n"
}

func (w *docxWriter) relations() string {
	var b strings.Builder
	b.WriteString(xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i, part := range []string{"styles", "numbering"} {
		fmt.Fprintf(&b, `<Relationship Id="part%d" Type="%s/%s" Target="%s.xml"/>`, i+1, relName, part, part)
	}
	for i, url := range w.targets {
		fmt.Fprintf(&b, `<Relationship Id="link%d" Type="%s/hyperlink" Target="%s" TargetMode="External"/>`, i+1, relName, xmlText(url))
	}
	b.WriteString("</Relationships>\n")
	return b.String()
}

func (w *docxWriter) numbering() string {
	var b strings.Builder
	b.WriteString(xmlHead + `<w:numbering` + wordName + `>`)
	for id, kind := range []string{"bullet", "decimal"} {
		fmt.Fprintf(&b, `<w:abstractNum w:abstractNumId="%d"><w:multiLevelType w:val="hybridMultilevel"/>`, id)
		for level := range maxLevels {
			text := "•"
			if kind == "decimal" {
				text = fmt.Sprintf("%%%d.", level+1)
			}
			fmt.Fprintf(&b, `<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/><w:lvlText w:val="%s"/><w:lvlJc w:val="left"/><w:pPr><w:ind w:left="%d" w:hanging="360"/></w:pPr></w:lvl>`,
				level, kind, text, 360*(level+1))
		}
		b.WriteString(`</w:abstractNum>`)
	}
	fmt.Fprintf(&b, `<w:num w:numId="%d"><w:abstractNumId w:val="0"/></w:num>`, bullets)
	b.WriteString(strings.Join(w.lists, "") + "</w:numbering>\n")
	return b.String()
}

// quotes writes every cited span, under a name that citations link to.
func (w *docxWriter) quotes(list []quote) {
	if len(list) == 0 {
		return
	}
	w.paragraph("Heading2", "", func() { w.text("Quotes", style{}) })
	for _, q := range list {
		h := shown(q)
		w.paragraph("Heading3", "", func() {
			fmt.Fprintf(&w.body, `<w:bookmarkStart w:id="%d" w:name="q%d"/>`, q.Number, q.Number)
			w.text(q.Citation.String()+colon(h.Title), style{})
			fmt.Fprintf(&w.body, `<w:bookmarkEnd w:id="%d"/>`, q.Number)
		})
		w.paragraph("About", "", func() { w.text(h.About, style{}) })
		if h.Columns != "" {
			w.paragraph("About", "", func() { w.text("Columns: "+h.Columns, style{}) })
		}
		kind := "Quote"
		if q.Code {
			kind = "Code"
		}
		w.paragraph(kind, "", func() {
			for _, p := range q.Parts {
				properties := ""
				if p.Marked {
					properties = `<w:highlight w:val="yellow"/>`
				}
				w.run(p.Text, properties)
			}
		})
		for _, mark := range h.Marks {
			w.paragraph("About", "", func() { w.text(mark, style{}) })
		}
		for _, l := range h.Links {
			w.paragraph("", "", func() { w.link(l.URL, l.Text, style{}) })
		}
		if len(h.Links) == 0 {
			w.paragraph("About", "", func() { w.text("Read at "+h.Where, style{}) })
		}
	}
}

func colon(title string) string {
	if title = audit.Shown(title); title == "" {
		return ""
	}
	return ": " + title
}
