package extract

import (
	"errors"
	"testing"
)

// FuzzOffice reads office documents and books whose main part is whatever comes, by kind, and archives of whatever comes.
func FuzzOffice(f *testing.F) {
	f.Add(uint8(0), []byte(`<w:document `+wordNS+`><w:body>`+para("berschrift1", "a")+`<w:tbl><w:tr><w:tc>`+para("", "b")+`</w:tc><w:tc>`+para("", "c")+`</w:tc></w:tr></w:tbl></w:body></w:document>`))
	f.Add(uint8(1), []byte(slideOf("", shapeOf(`<p:ph type="title"/>`, "", drawn("a"))+`<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc gridSpan="2"/></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`)))
	f.Add(uint8(2), []byte(`<x:row r="1">`+textCell("A1", "a")+valueCell("B1", `s="3"`, "45658")+`</x:row></x:sheetData><x:mergeCells><x:mergeCell ref="A1:C3"/></x:mergeCells>`))
	f.Add(uint8(3), []byte(odtBody))
	f.Add(uint8(4), []byte(`<office:spreadsheet><table:table table:name="S"><table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>`))
	f.Add(uint8(5), []byte(`<office:presentation><draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>x</text:p></draw:text-box></draw:frame></draw:page></office:presentation>`))
	f.Add(uint8(6), []byte(`<html><body><a/><p>x</p></body></html>`))
	f.Add(uint8(7), zipOf(f, "[Content_Types].xml", "wordprocessingml.document.main+xml", "word/document.xml", "<x/>"))
	f.Fuzz(func(t *testing.T, kind uint8, main []byte) {
		if len(main) > 64<<10 {
			return
		}
		var body []byte
		switch kind % 8 {
		case 0:
			body = officeFile(t, "wordprocessingml.document", "word/document.xml", string(main), wordParts()...)
		case 1:
			body = presentationOf(t, []string{"a"}, "ppt/slides/a.xml", string(main))
		case 2:
			body = workbookOf(t, string(main), "")
		case 3, 4, 5:
			body = openDocument(t, "text", string(main))
		case 6:
			body = bookOf(t, "c.xhtml", string(main))
		case 7:
			body = main
		}
		p, err := Extract(t.Context(), Input{URL: "file:///x/x", Body: body})
		if err == nil {
			check(t, p, 16<<20)
			return
		}
		if u := (*Unreadable)(nil); !errors.As(err, &u) {
			t.Errorf("not an *Unreadable: %v", err)
		}
	})
}
