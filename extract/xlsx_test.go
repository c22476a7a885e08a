package extract

import (
	"runtime"
	"strings"
	"testing"

	"ibid/evidence"
)

const sheetNS = `xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`

// workbookOf makes a workbook with a sheet Rates of rows and what follows them, and a hidden one.
func workbookOf(t testing.TB, rows, after string, more ...string) []byte {
	return officeFile(t, "spreadsheetml.sheet", "xl/workbook.xml", `<x:workbook `+sheetNS+`><x:sheets><x:sheet name="Rates" sheetId="1" r:id="rId1"/><x:sheet name="Secret" sheetId="2" state="hidden" r:id="rId2"/></x:sheets></x:workbook>`,
		append([]string{"xl/_rels/workbook.xml.rels", relsOf("rId1", "worksheet", "worksheets/one.xml", "rId2", "worksheet", "worksheets/two.xml", "rId3", "styles", "styles.xml", "rId4", "sharedStrings", "sharedStrings.xml"),
			"xl/worksheets/one.xml", `<x:worksheet ` + sheetNS + `><x:cols><x:col min="7" max="7" hidden="1"/></x:cols><x:sheetData>` + rows + `</x:sheetData>` + after + `</x:worksheet>`,
			"xl/worksheets/two.xml", `<x:worksheet ` + sheetNS + `><x:sheetData><x:row><x:c><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
			"xl/styles.xml", `<x:styleSheet ` + sheetNS + `><x:numFmts><x:numFmt numFmtId="164" formatCode="dd/mm/yyyy"/><x:numFmt numFmtId="165" formatCode="#,##0.00 &quot;€&quot;"/></x:numFmts><x:cellXfs><x:xf numFmtId="0"/><x:xf numFmtId="10"/><x:xf numFmtId="14"/><x:xf numFmtId="164"/><x:xf numFmtId="165"/></x:cellXfs></x:styleSheet>`,
			"xl/sharedStrings.xml", `<x:sst ` + sheetNS + `><x:si><x:t>NULL</x:t></x:si><x:si><x:r><x:t>rich </x:t></x:r><x:r><x:t>text</x:t></x:r><x:rPh><x:t>spoken</x:t></x:rPh></x:si><x:si><x:r><x:t>CO</x:t></x:r><x:r><x:rPr><x:vertAlign val="subscript"/></x:rPr><x:t>2</x:t></x:r><x:r><x:t> 10</x:t></x:r><x:r><x:rPr><x:vertAlign val="superscript"/></x:rPr><x:t>-6</x:t></x:r></x:si></x:sst>`}, more...)...)
}

func textCell(ref, s string) string {
	return `<x:c r="` + ref + `" t="inlineStr"><x:is><x:t>` + s + `</x:t></x:is></x:c>`
}

func valueCell(ref, attrs, v string) string {
	return `<x:c r="` + ref + `" ` + attrs + `><x:v>` + v + `</x:v></x:c>`
}

func TestXLSXValues(t *testing.T) {
	for _, c := range []struct{ name, cell, want string }{
		{"general", valueCell("A1", "", "0.30000000000000004"), "0.3"},
		{"large", valueCell("A1", "", "12345678901234"), "12345678901234"},
		{"percent", valueCell("A1", `s="1"`, "0.385"), "38.50%"},
		{"date of the country", valueCell("A1", `s="2"`, "45658"), "2025-01-01"},
		{"date", valueCell("A1", `s="3"`, "45658"), "01/01/2025"},
		{"money", valueCell("A1", `s="4"`, "1234.5"), "1,234.50 €"},
		{"shared text", valueCell("A1", `t="s"`, "0"), "NULL"},
		{"rich text", valueCell("A1", `t="s"`, "1"), "rich text"},
		{"raised numbers", valueCell("A1", `t="s"`, "2"), "CO2 10⁻⁶"},
		{"formula", `<x:c r="A1"><x:f>SUM(B1:B2)</x:f><x:v>7</x:v></x:c>`, "7"},
		{"text of a formula", `<x:c r="A1" t="str"><x:f>A2</x:f><x:v>0.385</x:v></x:c>`, "0.385"},
		{"truth", valueCell("A1", `t="b"`, "1"), "TRUE"},
		{"error", valueCell("A1", `t="e"`, "#DIV/0!"), "#DIV/0!"},
		{"no such style", valueCell("A1", `s="99"`, "5"), "5"},
		{"no such text", valueCell("A1", `t="s"`, "99"), ""},
	} {
		p := readOffice(t, "x.xlsx", workbookOf(t, `<x:row r="1">`+c.cell+`</x:row>`, ""))
		if got := quotable(p); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNumberFormats(t *testing.T) {
	n := newNumberFormats(false)
	defer n.Close()
	for _, c := range []struct{ code, value, want string }{
		{"0", "2.5", "3"}, {"0", "-0.4", "0"}, {"0", "-2.5", "-3"}, {"0.00", "1.005", "1.01"}, {"0.00", "0.995", "1.00"}, {"0.00", "9.999", "10.00"}, {"#,##0", "1234567.5", "1,234,568"}, {"#,##0.0", "999.95", "1,000.0"},
		{"0%", "0.385", "39%"}, {"0.0%", "0.0005", "0.1%"}, {"0.00%", "-1.5", "-150.00%"}, {"0", "1e22", "10000000000000000000000"}, {"0.00", "1e-9", "0.00"}, {"0%", "7", "700%"},
		{"yyyy-mm-dd", "45658.99", "2025-01-01"}, {"dd.mm.yyyy", "45658", "01.01.2025"}, {`d"th of" mmmm`, "45658", "1th of January"}, {"yyyy-mm-dd h:mm", "45658.5", "2025-01-01 12:00"}, {"[h]:mm", "1.5", "36:00"},
		{"[$-409]mmmm d, yyyy", "45658", "January 1, 2025"}, {"[Red]0.0;[Blue]-0.0", "-3", "-3.0"}, {`#,##0.00 "€"`, "-1234.5", "-1,234.50 €"}, {"0.00E+00", "12345", "1.23E+04"}, {`0.0,,"M"`, "1234567", "1.2M"}, {";;;", "5", ""},
		{`[>=1000000]0.0,,"M";[>=1000]0.0,"K";0`, "12345", "12.3K"}, {`[>=1000000]0.0,,"M";[>=1000]0.0,"K";0`, "45", "45"}, {`[<0]"neg "0;0`, "-7", "-7"}, {`[=0]"nil";[=1]"one";0" many"`, "1", "one"},
		{`[Red][<5]0.0;[Blue]0`, "3", "3.0"}, {`0.00;-0.00;"n/a"`, "0", "n/a"}, {`_(* #,##0_);_(* \(#,##0\);_(* "-"??_);_(@_)`, "0", "-"}, {`0;-0;;@`, "0", ""}, {`"a;b"0;-0;"z"`, "0", "z"},
		{"0.?", "5.2", "5.2"}, {`0.0?" kg"`, "5.25", "5.25 kg"},
		{"General", "45658", "45658"}, {"", "1e-7", "0.0000001"}, {"", "1.0", "1"}, {"", "123456789012345678", "1.23456789012346E+17"}, {"0", "no number", "no number"}, {"0", "NaN", "NaN"}, {strings.Repeat("0", 300), "5", "5"},
	} {
		for range 2 { // the second time as it is remembered
			if got := n.show(c.code, c.value); got != c.want {
				t.Errorf("%s as %q: %q, want %q", c.value, c.code, got, c.want)
			}
		}
	}
	old := newNumberFormats(true)
	defer old.Close()
	if got := old.show("yyyy-mm-dd", "44196"); got != "2025-01-01" {
		t.Errorf("counted from 1904: %q", got)
	}
}

func TestXLSXTables(t *testing.T) {
	rows := `<x:row r="1">` + textCell("A1", "Ducks per year") + `</x:row>` +
		`<x:row r="2">` + textCell("A2", "Pond") + valueCell("B2", "", "2019") + valueCell("C2", "", "2020") + `</x:row>` +
		`<x:row r="3">` + textCell("A3", "North") + valueCell("B3", "", "120") + valueCell("C3", "", "135") + `</x:row>` +
		`<x:row r="4" hidden="1">` + textCell("A4", "Secret") + valueCell("B4", "", "1") + `</x:row>` +
		`<x:row r="5">` + valueCell("B5", "", "7") + valueCell("C5", "", "8") + valueCell("G5", "", "9") + `</x:row>` +
		`<x:row r="8">` + textCell("A8", "Name") + textCell("B8", "Rate") + textCell("E8", "Code") + textCell("F8", "Meaning") + `</x:row>` +
		`<x:row r="9">` + textCell("A9", "x") + valueCell("B9", "", "1") + textCell("E9", "k") + textCell("F9", "kept") + `</x:row>`
	p := readOffice(t, "x.xlsx", workbookOf(t, rows, `<x:mergeCells><x:mergeCell ref="A1:C1"/><x:mergeCell ref="A3:A5"/></x:mergeCells>`))
	wantBlocks(t, p, "sheet.Rates!A1 caption: Ducks per year", "sheet.Rates!A2:C2 row: Pond | 2019 | 2020", "sheet.Rates!A3:C3 row: North | 120 | 135", "sheet.Rates!A5:C5 row: North | 7 | 8",
		"sheet.Rates!A8:B8 row: Name | Rate", "sheet.Rates!A9:B9 row: x | 1", "sheet.Rates!E8:F8 row: Code | Meaning", "sheet.Rates!E9:F9 row: k | kept")
	if b := p.Blocks[3]; b.Columns != "Pond | 2019 | 2020" || b.Caption != "Ducks per year" || b.Heading != "Rates" {
		t.Errorf("columns %q, caption %q, heading %q", b.Columns, b.Caption, b.Heading)
	}
	if b := p.Blocks[7]; b.Columns != "Code | Meaning" || b.Caption != "" {
		t.Errorf("columns %q, caption %q", b.Columns, b.Caption)
	}
	if !hasFlag(p, FlagHiddenSheet) || p.Kind != evidence.Sheet {
		t.Errorf("flags %v, kind %s", p.Flags, p.Kind)
	}
}

func TestXLSXBeside(t *testing.T) {
	p := readOffice(t, "x.xlsx", workbookOf(t, `<x:row r="1">`+textCell("A1", "Name")+textCell("B1", "Source")+`</x:row><x:row r="2">`+textCell("A2", "x")+textCell("B2", "here")+`</x:row>`,
		`<x:hyperlinks><x:hyperlink ref="B2" r:id="rId1"/></x:hyperlinks><x:drawing r:id="rId2"/>`,
		"xl/worksheets/_rels/one.xml.rels", relsOf("rId1", "hyperlink", "https://a.example/x", "rId2", "drawing", "../drawings/d.xml", "rId3", "comments", "../comments.xml"),
		"xl/comments.xml", `<x:comments `+sheetNS+`><x:authors><x:author>A Reviewer</x:author></x:authors><x:commentList><x:comment ref="B2" authorId="0"><x:text><x:r><x:t>Really?</x:t></x:r></x:text></x:comment></x:commentList></x:comments>`,
		"xl/drawings/d.xml", `<d:wsDr xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" `+slideNS+`><d:twoCellAnchor><d:from><d:col>3</d:col><d:row>4</d:row></d:from><d:to><d:col>5</d:col><d:row>6</d:row></d:to><d:sp><d:txBody>`+drawn("In a box")+`</d:txBody></d:sp></d:twoCellAnchor></d:wsDr>`))
	wantBlocks(t, p, "sheet.Rates!A1:B1 row: Name | Source", "sheet.Rates!A2:B2 row: x | here", "sheet.Rates!D5:F7: In a box", "sheet.Rates!B2 comment aside: Really?")
	if len(p.Links) != 1 || p.Links[0] != (Link{"https://a.example/x", "here"}) || p.Blocks[3].Path != "comment by A Reviewer" {
		t.Errorf("links %v, path %q", p.Links, p.Blocks[3].Path)
	}
}

func TestCSV(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"a list", "Industry\nSales\nOther\n", []string{"sheet.x!A1 row: Industry", "sheet.x!A2 row: Sales", "sheet.x!A3 row: Other"}},
		{"commas in text", "a;b\n1,5;x, y\n\n2,5;z\n", []string{"sheet.x!A1:B1 row: a | b", "sheet.x!A2:B2 row: 1,5 | x, y", "sheet.x!A4:B4 row: 2,5 | z"}},
		{"quoted", "a,b\n\"1\n2\",\"c,d;e;f;g\"\n3,4\n", []string{"sheet.x!A1:B1 row: a | b", "sheet.x!A2:B2 row: 1 2 | c,d;e;f;g", "sheet.x!A3:B3 row: 3 | 4"}},
		{"a line above", "Prices of 2020\nName,Price\nTea,3\n", []string{"sheet.x!A1 caption: Prices of 2020", "sheet.x!A2:B2 row: Name | Price", "sheet.x!A3:B3 row: Tea | 3"}},
		{"newlines of the old Macintosh", "a,b\r1,2\r", []string{"sheet.x!A1:B1 row: a | b", "sheet.x!A2:B2 row: 1 | 2"}},
		{"a line that names the separator", "sep=;\na;b\n1,5;x\n", []string{"sheet.x!A1:B1 row: a | b", "sheet.x!A2:B2 row: 1,5 | x"}},
		{"the same with marks", "\ufeff\"SEP=|\"\r\na|b,c,d\r\n", []string{"sheet.x!A1:B1 row: a | b,c,d"}},
		{"a line that only begins so", "sep=;x\n1\n", []string{"sheet.x!A1:B1 row: sep= | x", "sheet.x!A2 row: 1"}},
		{"an empty first cell", ",2019\nx,1\n", []string{"sheet.x!B1 row: 2019", "sheet.x!A2:B2 row: x | 1"}},
	} {
		p := read(t, "https://a.example/x.csv", "text/csv", c.body)
		t.Run(c.name, func(t *testing.T) { wantBlocks(t, p, c.want...) })
	}
	p := read(t, "https://a.example/x.csv", "text/csv", "Name,Price\nTea,3\n")
	if b := p.Blocks[1]; b.Columns != "Name | Price" {
		t.Errorf("columns %q", b.Columns)
	}
}

// A shared text costs its bytes once, and a file may point at it from every cell.
func TestXLSXSharedHeads(t *testing.T) {
	heads := tableRows{heads: [][]string{make([]string, 2000)}}
	long := strings.Repeat("word ", 20_000)
	for i := range heads.heads[0] {
		heads.heads[0][i] = long
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := heads.columns(2000)
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if len(got) != maxHeadText || allocated > 10<<20 {
		t.Errorf("%d bytes of heads cost %d", len(got), allocated)
	}
}
