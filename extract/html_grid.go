package extract

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// Limits of what is kept about a table beside its rows.
const (
	maxGrid     = 200
	maxHeadOf   = 120       // bytes of one column's head
	maxHeads    = 256 << 10 // bytes of Columns of all rows
	maxCaptions = 300
)

// A tableGrid follows the rows of a table of data, so that each cell finds the heads of its columns, whatever spans over
// columns and rows.
type tableGrid struct {
	caption string
	heads   []string // of the columns
	below   []int    // for each column, how many more rows are covered from above
	covered []bool   // in this row
	col     int      // where the next cell of this row stands
	isHead  bool     // of this row
	wide    bool     // a cell of this row spans columns
	data    bool     // a row has been read that is no head
	row     []string // the heads for the cells of this row
	last    []string // and of the one before
	joined  string   // the latter, joined
	spent   int
}

// begin begins a row.
func (t *tableGrid) begin(tr *html.Node) {
	t.row, t.col, t.wide, t.covered = t.row[:0], 0, false, t.covered[:0]
	for i := range t.below {
		t.covered = append(t.covered, t.below[i] > 0)
		t.below[i] = max(t.below[i]-1, 0)
	}
	t.isHead = isHeadRow(tr, !t.data)
	if t.isHead && t.data { // the heads of another part
		clear(t.heads)
	}
	t.data = !t.isHead
}

// cell takes the next cell of the row, with its text.
func (t *tableGrid) cell(c *html.Node, text string) {
	for t.col < len(t.covered) && t.covered[t.col] {
		t.col++
	}
	from := min(t.col, maxGrid)
	span := spanOf(c, "colspan")
	t.col = min(t.col+span, maxGrid)
	t.wide = t.wide || span > 1
	for len(t.heads) < t.col {
		t.heads, t.below = append(t.heads, ""), append(t.below, 0)
	}
	below := spanOf(c, "rowspan") - 1
	for i := from; i < t.col; i++ {
		t.below[i] = below
		if t.isHead && text != "" && len(t.heads[i]) < maxHeadOf && t.heads[i] != text {
			t.heads[i] = clip(strings.TrimSpace(t.heads[i]+" "+strings.ReplaceAll(text, "\n", " ")), maxHeadOf)
		}
	}
	head := ""
	for i := from; i < t.col && len(head) < maxHeadOf && t.spent < maxHeads; i++ {
		switch {
		case t.heads[i] == "" || i > from && t.heads[i] == t.heads[i-1]:
		case head == "":
			head = t.heads[i]
		default:
			head += ", " + t.heads[i]
		}
	}
	t.row = append(t.row, head)
}

// columns joins the heads of a row's cells, but for the empty ones at its end.
func (t *tableGrid) columns(empty int) string {
	if t.isHead {
		return ""
	}
	row := t.row[:len(t.row)-empty]
	if len(row) == 1 && t.wide { // one cell across the table: what it says is of no column
		return ""
	}
	if slices.Equal(row, t.last) {
		return t.joined
	}
	t.last, t.joined = append(t.last[:0], row...), ""
	if strings.Join(row, "") != "" && t.spent < maxHeads {
		t.joined = strings.TrimSpace(strings.Join(row, " | "))
		t.spent += len(t.joined)
	}
	return t.joined
}

func spanOf(c *html.Node, key string) int {
	value := strings.TrimSpace(attr(c, key))
	if value == "" {
		return 1
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return 1
	}
	return min(n, 1000)
}

// isHeadRow reports whether a row holds the heads of columns: it stands in <thead>, or its cells, two at least, are all
// heads; of the first row it is enough that all are bold and the next row's are not.
func isHeadRow(tr *html.Node, first bool) bool {
	if tr.Parent != nil && tr.Parent.Data == "thead" {
		return true
	}
	cells, heads, bold := 0, 0, 0
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		if !isCell(c) {
			continue
		}
		cells++
		if c.Data == "th" {
			heads++
		}
		if first && isBold(c) {
			bold++
		}
	}
	return cells > 1 && (heads == cells || bold == cells && !isBoldRow(tr.NextSibling))
}

func isBoldRow(tr *html.Node) bool {
	for tr != nil && tr.Type != html.ElementNode {
		tr = tr.NextSibling
	}
	if tr == nil || tr.Data != "tr" {
		return true
	}
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		if isCell(c) && !isBold(c) {
			return false
		}
	}
	return true
}

// isBold reports whether all of an element's text is bold, and there is some.
func isBold(n *html.Node) bool {
	some := false
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && visible(c.Data):
			return false
		case c.Type != html.ElementNode || notShown[c.Data]:
		case c.Data == "b" || c.Data == "strong":
			some = some || lettersIn(c) > 0
		case c.Data != "br" && !isBold(c):
			return false
		default:
			some = some || c.Data != "br"
		}
	}
	return some
}

// captionOf is what a table says of itself, or the figure that holds it.
func captionOf(table *html.Node) string {
	for c := table.FirstChild; c != nil; c = c.NextSibling {
		if c.Data == "caption" {
			return plainText(c, maxCaptions)
		}
	}
	figure := table.Parent
	for up := 0; figure != nil && figure.Data != "figure" && up < 2; up++ {
		figure = figure.Parent
	}
	if figure != nil && figure.Data == "figure" {
		for c := figure.FirstChild; c != nil; c = c.NextSibling {
			if c.Data == "figcaption" {
				return plainText(c, maxCaptions)
			}
		}
	}
	return ""
}

// plainText is the text of an element on one line, cut to n bytes.
func plainText(n *html.Node, most int) string {
	var b strings.Builder
	var add func(n *html.Node)
	add = func(n *html.Node) {
		for c := n.FirstChild; c != nil && b.Len() < 4*most; c = c.NextSibling {
			switch {
			case c.Type == html.TextNode:
				b.WriteString(c.Data)
			case c.Type == html.ElementNode && !notShown[c.Data]:
				add(c)
			}
			if blockTags[c.Data] || c.Data == "br" {
				b.WriteByte(' ')
			}
		}
	}
	add(n)
	return clip(strings.Join(strings.Fields(b.String()), " "), most)
}
