package extract

import "testing"

// TestXLSXPale: what is written in the colour of its ground is not seen, unless more than the cell's own style paints it.
func TestXLSXPale(t *testing.T) {
	styles := `<x:styleSheet ` + sheetNS + `><x:fonts><x:font/><x:font><x:color rgb="FFFFFFFF"/></x:font><x:font><x:color theme="0"/></x:font><x:font><x:color theme="0" tint="-0.5"/></x:font></x:fonts>` +
		`<x:fills><x:fill><x:patternFill patternType="none"/></x:fill><x:fill><x:patternFill patternType="solid"><x:fgColor rgb="FF1F3864"/></x:patternFill></x:fill></x:fills>` +
		`<x:cellXfs><x:xf/><x:xf fontId="1"/><x:xf fontId="2" fillId="0"/><x:xf fontId="1" fillId="1"/><x:xf fontId="3"/></x:cellXfs></x:styleSheet>`
	cell := func(ref, style, text string) string {
		return `<x:c r="` + ref + `" s="` + style + `" t="inlineStr"><x:is><x:t>` + text + `</x:t></x:is></x:c>`
	}
	row := `<x:row r="1">` + cell("A1", "0", "Name") + cell("B1", "1", "white") + cell("C1", "2", "paper") + cell("D1", "3", "banner") + cell("E1", "4", "grey") + `</x:row><x:row r="2">` + cell("A2", "1", "alone") + `</x:row>`
	for _, c := range []struct {
		name, after string
		want        string
		hidden      bool
	}{
		{"on the sheet", "", "Name |  |  | banner | grey", true},
		{"under rules", `<x:conditionalFormatting sqref="A2 B1:C1"/>`, "Name | white | paper | banner | grey\nalone", false},
		{"in a table", "", "Name | white | paper | banner | grey\nalone", false},
		{"on a picture", `<x:picture r:id="rId9"/>`, "Name | white | paper | banner | grey\nalone", false},
	} {
		main := `<x:workbook ` + sheetNS + `><x:sheets><x:sheet name="S" sheetId="1" r:id="rId1"/></x:sheets></x:workbook>`
		parts := []string{"xl/_rels/workbook.xml.rels", relsOf("rId1", "worksheet", "worksheets/one.xml", "rId2", "styles", "styles.xml"), "xl/styles.xml", styles,
			"xl/worksheets/one.xml", `<x:worksheet ` + sheetNS + `><x:sheetData>` + row + `</x:sheetData>` + c.after + `</x:worksheet>`}
		if c.name == "in a table" {
			parts = append(parts, "xl/worksheets/_rels/one.xml.rels", relsOf("rId1", "table", "../tables/t.xml"), "xl/tables/t.xml", `<x:table `+sheetNS+` ref="A1:E2"/>`)
		}
		p := readOffice(t, "x.xlsx", officeFile(t, "spreadsheetml.sheet", "xl/workbook.xml", main, parts...))
		if got := quotable(p); got != c.want || hasFlag(p, FlagHidden) != c.hidden {
			t.Errorf("%s: %q, flags %v, want %q", c.name, got, p.Flags, c.want)
		}
	}
}
