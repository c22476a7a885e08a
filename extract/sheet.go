package extract

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"ibid/evidence"
)

// readCSV reads separated values (RFC 4180): a block a row, its cells joined by " | ", at sheet.NAME!A1:D1. Values stay as
// they are written. Rows count as a sheet shows them: an empty line is an empty row.
func readCSV(in Input) *Page {
	text, charset := decode(in.Body, in.ContentType)
	page := &Page{Kind: evidence.Sheet, By: "csv/2", Charset: charset, Title: baseName(in.URL)}
	name := first(strings.TrimSuffix(strings.TrimSuffix(baseName(in.URL), ".csv"), ".tsv"), "csv")
	g := &grid{name: clip(name, 200)}
	comma, body := separatorLine(text)
	if comma == 0 {
		comma = separator(text)
	}
	r := csv.NewReader(strings.NewReader(body))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = comma, true, -1, true
	row, lines, last := 0, 0, 0
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if bad := (*csv.ParseError)(nil); errors.As(err, &bad) {
			row++
			lines = bad.Line
			continue
		}
		line, _ := r.FieldPos(0)
		row += line - lines
		lines = line + strings.Count(strings.Join(record, ""), "\n")
		var cells []gridCell
		for i, c := range record[:min(len(record), sheetColumns)] {
			if c = oneLineOf(c); visible(c) {
				_, err := strconv.ParseFloat(c, 64)
				cells = append(cells, gridCell{col: i + 1, text: c, number: err == nil && !hasLetter(c)})
				last = max(last, i+1)
			}
		}
		if len(cells) > 0 {
			g.rows = append(g.rows, gridRow{row, cells})
		}
	}
	if len(g.rows) > 0 {
		newSheetWriter(page).table(g, gridTable{rows: g.rows, first: 1, last: last})
	}
	return page
}

// separatorLine reads the first line in which spreadsheet programs name the separator, as in sep=; and do not show it: what
// follows is the first row. 0 if there is none.
func separatorLine(text string) (comma rune, body string) {
	line, rest, _ := strings.Cut(text, "\n")
	line = strings.Trim(strings.TrimRight(line, "\r"), "\ufeff\"")
	if value, ok := strings.CutPrefix(strings.ToLower(line), "sep="); ok && utf8.RuneCountInString(value) == 1 {
		if comma, _ = utf8.DecodeRuneInString(value); comma != '"' && comma != '\r' && comma != utf8.RuneError {
			return comma, rest
		}
	}
	return 0, text
}

// separator guesses the separator: the one that parts most of the first lines into as many cells as the first.
func separator(text string) rune {
	var counts [4][]int
	const candidates = ",;\t|"
	quoted := false
	line := [4]int{}
	for _, c := range text[:min(len(text), 8192)] {
		switch i := strings.IndexRune(candidates, c); {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n':
			for k := range counts {
				counts[k] = append(counts[k], line[k])
			}
			line = [4]int{}
		case i >= 0:
			line[i]++
		}
	}
	best, most := ',', 0
	for k, c := range candidates {
		list := counts[k]
		if line[k] > 0 && len(list) == 0 {
			list = line[k : k+1]
		}
		score := 0
		for _, n := range list {
			if n > 0 && n == list[0] {
				score += 1000 + min(n, 100)
			} else {
				score += min(n, 100)
			}
		}
		if score > most {
			best, most = c, score
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
