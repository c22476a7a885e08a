package extract

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkOffice reads a document of 2,000 paragraphs and 200 rows, and a workbook of 20,000 rows of six cells.
func BenchmarkOffice(b *testing.B) {
	var body, rows strings.Builder
	for i := range 2000 {
		body.WriteString(para("", fmt.Sprintf("Paragraph %d says that the ponds of the north held more ducks than those of the south.", i)))
		if i%10 == 0 {
			body.WriteString(`<w:tbl><w:tr><w:tc>` + para("", "Pond") + `</w:tc><w:tc>` + para("", "12") + `</w:tc></w:tr></w:tbl>`)
		}
	}
	for i := range 20_000 {
		fmt.Fprintf(&rows, `<x:row r="%d">`, i+1)
		for k, c := range "ABC" {
			rows.WriteString(textCell(fmt.Sprintf("%c%d", c, i+1), "a text") + valueCell(fmt.Sprintf("%c%d", c+'D'-'A', i+1), fmt.Sprintf(`s="%d"`, k+1), fmt.Sprint(45000+i%1000*k)))
		}
		rows.WriteString(`</x:row>`)
	}
	for name, doc := range map[string][]byte{"docx": documentOf(b, body.String(), wordParts()...), "xlsx": workbookOf(b, rows.String(), "")} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if p := readOffice(b, "x", doc); len(p.Blocks) < 2000 {
					b.Fatalf("%d blocks", len(p.Blocks))
				}
			}
		})
	}
}
