package extract

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"ibid/evidence"
)

// maxColumns is how many columns of a row are read; a sheet has no more than three letters of them.
const maxColumns = 18_278

// readCSV reads separated values: a block a row, its cells joined by " | ", at sheet.NAME!A1:D1. Values stay as they are
// written. The first row is the heading of the others.
func readCSV(in Input) *Page {
	text, charset := decode(in.Body, in.ContentType)
	page := &Page{Kind: evidence.Sheet, By: "csv/1", Charset: charset, Title: baseName(in.URL)}
	sheet := first(strings.TrimSuffix(strings.TrimSuffix(baseName(in.URL), ".csv"), ".tsv"), "csv")
	sheet = strings.Map(func(r rune) rune {
		if r == '!' {
			return '_'
		}
		return r
	}, clip(sheet, 200))
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = separator(text), true, -1, true
	header := ""
	for row := 1; ; row++ {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return page
		}
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			continue
		}
		for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
			cells = cells[:len(cells)-1]
		}
		line := make([]string, min(len(cells), maxColumns))
		for i := range line {
			line[i] = strings.Join(strings.Fields(cells[i]), " ")
		}
		shown := strings.Join(line, " | ")
		if !visible(strings.Join(line, "")) {
			continue
		}
		b := Block{Text: shown, Role: evidence.RoleRow, Heading: header, Main: true, Quotable: true,
			Locator: evidence.Locator{Unit: evidence.Cells, Path: fmt.Sprintf("%s!A%d:%s%d", sheet, row, column(len(line)), row)}}
		if header == "" {
			header = clip(shown, 300)
		}
		page.Blocks = append(page.Blocks, b)
	}
}

// separator guesses the separator from the first lines: the one that gives most columns.
func separator(text string) rune {
	head := text[:min(len(text), 4096)]
	best, most := ',', 0
	for _, c := range ",;\t|" {
		if n := strings.Count(head, string(c)); n > most {
			best, most = c, n
		}
	}
	return best
}

// column names the n-th column, from 1: A … Z, AA …
func column(n int) string {
	s := ""
	for ; n > 0; n = (n - 1) / 26 {
		s = string(rune('A'+(n-1)%26)) + s
	}
	return s
}
