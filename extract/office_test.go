package extract

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
)

// zipOf makes a zip archive of names and contents, in their order.
func zipOf(t testing.TB, namesAndBodies ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i+1 < len(namesAndBodies); i += 2 {
		f, err := w.Create(namesAndBodies[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(namesAndBodies[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	wordNS  = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml"`
	relsNS  = `xmlns="http://schemas.openxmlformats.org/package/2006/relationships"`
	relType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
)

// relsOf makes a relations part of ids, kinds and targets; a target with "://" is external.
func relsOf(list ...string) string {
	s := `<Relationships ` + relsNS + `>`
	for i := 0; i+2 < len(list); i += 3 {
		mode := ""
		if strings.Contains(list[i+2], "://") {
			mode = ` TargetMode="External"`
		}
		s += fmt.Sprintf(`<Relationship Id="%s" Type="%s%s" Target="%s"%s/>`, list[i], relType, list[i+1], list[i+2], mode)
	}
	return s + `</Relationships>`
}

// officeFile makes an Office Open XML document: its main part, and more parts.
func officeFile(t testing.TB, mainType, name, main string, more ...string) []byte {
	t.Helper()
	list := append([]string{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/` + name + `" ContentType="application/vnd.openxmlformats-officedocument.` + mainType + `.main+xml"/></Types>`,
		"_rels/.rels", relsOf("rId1", "officeDocument", name, "rId2", "metadata/core-properties", "docProps/core.xml"), name, main}, more...)
	return zipOf(t, list...)
}

// documentOf makes a word processor's document of the content of its body.
func documentOf(t testing.TB, body string, more ...string) []byte {
	return officeFile(t, "wordprocessingml.document", "word/document.xml", `<?xml version="1.0"?><w:document `+wordNS+`><w:body>`+body+`</w:body></w:document>`, more...)
}

// readOffice reads a document and checks what must hold for every page.
func readOffice(t testing.TB, name string, body []byte) *Page {
	t.Helper()
	p, err := Extract(t.Context(), Input{URL: "file:///x/" + name, Body: body})
	if err != nil {
		t.Fatalf("Extract(%s): %v", name, err)
	}
	check(t, p, 64<<20)
	return p
}

// shownBlocks prints blocks with their locators, roles and levels.
func shownBlocks(p *Page) []string {
	var list []string
	for _, b := range p.Blocks {
		s := b.Locator.String()
		if b.Role != "" {
			s += " " + string(b.Role)
		}
		if b.Level > 0 {
			s += fmt.Sprint(b.Level)
		}
		if !b.Main {
			s += " aside"
		} else if !b.Quotable {
			s += " unquotable"
		}
		list = append(list, s+": "+b.Text)
	}
	return list
}

func wantBlocks(t *testing.T, p *Page, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, shownBlocks(p)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// compound makes a compound file whose directory names streams, as far as that is looked at.
func compound(names ...string) []byte {
	b := make([]byte, 512)
	copy(b, compoundFile)
	for _, n := range names {
		entry := make([]byte, 128)
		for i, c := range []byte(n) {
			entry[2*i] = c
		}
		binary.LittleEndian.PutUint16(entry[64:], uint16(2*len(n)+2))
		entry[66] = 2
		b = append(b, entry...)
	}
	return b
}

func TestOfficeUnreadable(t *testing.T) {
	alone(t)
	whole := documentOf(t, `<w:p><w:r><w:t>Text</w:t></w:r></w:p>`)
	many := make([]string, 0, 2*maxEntries+10)
	for i := range maxEntries + 1 {
		many = append(many, fmt.Sprintf("p%d", i), "")
	}
	for _, c := range []struct {
		name, url string
		body      []byte
		want      Reason
		detail    string
	}{
		{"encrypted document", "x.docx", compound("EncryptionInfo", "EncryptedPackage"), Encrypted, "password"},
		{"old document", "x.doc", compound("1Table", "WordDocument"), NotSupported, ".docx"},
		{"old workbook", "x.xls", compound("Workbook"), NotSupported, ".xlsx"},
		{"old presentation", "x.ppt", compound("PowerPoint Document"), NotSupported, ".pptx"},
		{"other compound file", "x.msi", compound("Anything"), NotSupported, "old binary"},
		{"cut off", "x.docx", whole[:len(whole)*2/3], Damaged, "damaged"},
		{"no main part", "x.docx", zipOf(t, "[Content_Types].xml", `<Types><Override ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`), Damaged, "no text part"},
		{"main part twice", "x.docx", documentOf(t, "", "word/document.xml", "<x/>"), Damaged, "no text part"},
		{"main part of another kind", "x.docx", officeFile(t, "wordprocessingml.document", "word/document.xml", `<w:styles `+wordNS+`/>`), Damaged, "not that of a document"},
		{"no XML", "x.docx", officeFile(t, "wordprocessingml.document", "word/document.xml", "\x00\x01\x02"), Damaged, "damaged"},
		{"slides that are missing", "x.pptx", presentationOf(t, []string{"a"}), Damaged, "slides"},
		{"no sheets part", "x.xlsx", officeFile(t, "spreadsheetml.sheet", "xl/workbook.xml", "<x>"), Damaged, "sheets"},
		{"binary workbook", "x.xlsb", zipOf(t, "[Content_Types].xml", `<Types><Override ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>`), NotSupported, "binary workbook"},
		{"deep nesting", "x.docx", documentOf(t, strings.Repeat("<w:sdt><w:sdtContent>", 5000)+strings.Repeat("</w:sdtContent></w:sdt>", 5000)), TooLarge, "more than is read"},
		{"endless text", "x.docx", documentOf(t, "<w:p><w:r><w:t>"+strings.Repeat("a", maxXMLRun+100_000)), TooLarge, "more than is read"},
		{"encrypted text", "x.odt", zipOf(t, "mimetype", "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml", `<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry m:full-path="content.xml"><m:encryption-data/></m:file-entry></m:manifest>`, "content.xml", "xx"), Encrypted, "password"},
		{"no content", "x.odt", zipOf(t, "mimetype", "application/vnd.oasis.opendocument.text"), Damaged, "no content"},
		{"an OpenDocument of another kind", "x.odf", zipOf(t, "mimetype", "application/vnd.oasis.opendocument.formula", "content.xml", `<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"/>`), NotSupported, "formula"},
		{"an Outlook message with a document", "x.msg", compound("WordDocument", "__properties_version1.0"), NotSupported, ".eml"},
		{"an office file of another kind", "x.vsdx", zipOf(t, "[Content_Types].xml", `<Types><Override ContentType="application/vnd.ms-visio.drawing.main+xml"/></Types>`), NotSupported, "not read"},
		{"no body", "x.odt", zipOf(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml", `<x/>`), Damaged, "no text, slides or sheets"},
		{"protected book", "x.epub", bookOf(t, "c1.xhtml", "<html/>", "META-INF/encryption.xml", `<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData><e:CipherData><e:CipherReference URI="OEBPS/c1.xhtml"/></e:CipherData></e:EncryptedData></encryption>`), Encrypted, "protected"},
		{"book without a list", "x.epub", zipOf(t, "mimetype", "application/epub+zip"), Damaged, "where its contents"},
		{"book without chapters", "x.epub", bookOf(t), Damaged, "no chapter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Extract(t.Context(), Input{URL: "file:///x/" + c.url, Body: c.body})
			var u *Unreadable
			if !errors.As(err, &u) || u.Reason != c.want || !strings.Contains(u.Detail, c.detail) {
				t.Errorf("got a page %v, %v; want reason %s and %q", p != nil, err, c.want, c.detail)
			}
		})
	}
	p, err := openParts(t.Context(), Input{Body: zipOf(t, many...)})
	if u := (*Unreadable)(nil); !errors.As(err, &u) || u.Reason != TooLarge {
		t.Errorf("%d parts: %v, %v", maxEntries+1, p, err)
	}
}

// TestOfficeBombs: what unpacks to more than is read is cut, in bounded memory, and said so.
func TestOfficeBombs(t *testing.T) {
	alone(t)
	line := `<w:p><w:r><w:t>` + strings.Repeat("The same line. ", 10_000) + `</w:t></w:r></w:p>`
	p := readOffice(t, "x.docx", documentOf(t, strings.Repeat(line, 2+maxShown/(15*10_000))))
	if !hasFlag(p, FlagTruncated) || len(p.Text(true)) > maxShown+maxShownBlocks {
		t.Errorf("flags %v, %d bytes of text", p.Flags, len(p.Text(true)))
	}
	sheet := `<x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c><x:c r="B1" t="inlineStr"><x:is><x:t>b</x:t></x:is></x:c></x:row><x:row r="1048576"><x:c r="XFD1048576"><x:v>1</x:v></x:c></x:row>`
	p = readOffice(t, "x.xlsx", workbookOf(t, sheet, `<x:mergeCells><x:mergeCell ref="A1:A1048576"/><x:mergeCell ref="B1:XFD1048576"/></x:mergeCells>`))
	if n := len(p.Text(true)); n > 1<<20 {
		t.Errorf("%d bytes of text from three cells", n)
	}
	wide := strings.Repeat(`<x:c t="s"><x:v>0</x:v></x:c>`, sheetColumns)
	p = readOffice(t, "x.xlsx", workbookOf(t, `<x:row>`+wide+`</x:row>`, ""))
	if len(p.Text(true)) > maxShown {
		t.Errorf("%d bytes of text from one row", len(p.Text(true)))
	}
	flat := `<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="S"><table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document>`
	p = readOffice(t, "x.fods", []byte(flat))
	if !hasFlag(p, FlagTruncated) || p.Kind != evidence.Sheet {
		t.Errorf("a row a million times: %s, flags %v", p.Kind, p.Flags)
	}
}

// TestOfficeDamage: what stands before a damage is kept and flagged, never more than stands there.
func TestOfficeDamage(t *testing.T) {
	p := readOffice(t, "x.docx", documentOf(t, `<w:p><w:r><w:t>Kept.</w:t></w:r></w:p><w:p><w:r><w:t>Lost.</w:p>`))
	wantBlocks(t, p, "para.1: Kept.")
	if !hasFlag(p, FlagTruncated) {
		t.Errorf("flags %v", p.Flags)
	}
}

// TestOfficeContext: a part is read only as long as its reader wants it.
func TestOfficeContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := openParts(ctx, Input{Body: documentOf(t, para("", "Text"))})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := p.tree("word/document.xml"); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
	if err := p.unreadable("it is damaged", err); !errors.Is(err, context.Canceled) {
		t.Errorf("the document is blamed: %v", err)
	}
}
