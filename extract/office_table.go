package extract

import (
	"strings"
	"unicode"
)

// maxSpan is how many columns of a table's grid are kept; Word has 63, a slide fewer.
const maxSpan = 1000

// A tableCell is a cell of a row as the document has it.
type tableCell struct {
	text    string
	letters int     // of text
	linked  float64 // of these, link text
	cols    int     // of the grid that it covers
	down    bool    // begins a cell that reaches into the rows below, or continues one
	above   bool    // continues the cell above
}

// maxRepeated is how long a text may be, in bytes, that stands in several cells of a row.
const maxRepeated = 2000

// tableRows turns the rows of a table into text, one after the other. A cell that covers several columns or rows stands
// in each of them, as it is seen there, except one that covers the whole row.
type tableRows struct {
	heads [][]string // rows of heads, by grid column
	over  []string   // texts that reach down from above, by grid column
	begun bool       // rows of data have begun
}

// A tableRow is a row as text.
type tableRow struct {
	text, columns string
	linked        float64
	filled        int
}

// add reads the next row; false if nothing stands in it.
func (t *tableRows) add(cells []tableCell, head bool) (tableRow, bool) {
	var grid []string
	var row tableRow
	letters, own := 0, 0
	for _, c := range cells {
		text := c.text
		if c.above && len(grid) < len(t.over) {
			text = t.over[len(grid)]
		}
		if text != "" {
			row.filled++
		}
		if c.text != "" && !c.above {
			own++
		}
		letters += c.letters
		row.linked += c.linked
		for range c.cols {
			if len(grid) == maxSpan {
				break
			}
			for len(t.over) <= len(grid) {
				t.over = append(t.over, "")
			}
			t.over[len(grid)] = ""
			if c.down && len(text) <= maxRepeated {
				t.over[len(grid)] = text
			}
			if grid = append(grid, text); len(text) > maxRepeated {
				text = ""
			}
		}
	}
	if own == 0 {
		return row, false
	}
	if letters > 0 {
		row.linked /= float64(letters)
	}
	if row.filled == 1 { // a heading across the table, or a lone value
		row.text = strings.TrimSpace(strings.Join(cutRight(onceOnly(grid)), " | "))
	} else {
		row.text = strings.TrimSpace(strings.Join(cutRight(grid), " | "))
	}
	if head && !t.begun && row.filled > 1 {
		t.heads = append(t.heads, grid)
		return row, true
	}
	t.begun = true
	row.columns = t.columns(len(grid))
	return row, true
}

// maxHeadText is how many bytes of a table's heads are kept with its rows.
const maxHeadText = 2000

// columns joins the heads of the first n columns; several rows of heads one below the other.
func (t *tableRows) columns(n int) string {
	if len(t.heads) == 0 {
		return ""
	}
	heads := make([]string, n)
	size := 0
	for i := range heads {
		if size > maxHeadText {
			break
		}
		for _, row := range t.heads {
			if i < len(row) && row[i] != "" && !strings.HasSuffix(" "+heads[i], " "+row[i]) {
				heads[i] = strings.TrimSpace(heads[i] + " " + row[i])
			}
		}
		size += len(heads[i])
	}
	return clip(strings.Join(cutRight(heads), " | "), maxHeadText)
}

// cutRight drops empty cells at the end.
func cutRight(cells []string) []string {
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// onceOnly keeps the first of equal cells.
func onceOnly(cells []string) []string {
	out := make([]string, len(cells))
	seen := map[string]bool{}
	for i, c := range cells {
		if !seen[c] {
			out[i] = c
		}
		seen[c] = true
	}
	return out
}

// oneLineOf collapses white space.
func oneLineOf(s string) string { return strings.Join(strings.Fields(s), " ") }

// looksLikeHead reports whether a first row names its columns: it holds words, and no numbers but years.
func looksLikeHead(cells []tableCell) bool {
	filled := 0
	for _, c := range cells {
		if c.text == "" {
			continue
		}
		filled++
		if !hasLetter(c.text) && !isYear(c.text) && c.text != "#" && c.text != "%" {
			return false
		}
	}
	return filled > 1
}

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

func isYear(s string) bool { return len(s) == 4 && (s[:2] == "19" || s[:2] == "20") && atoi(s, -1) > 0 }
