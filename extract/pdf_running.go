package extract

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	edgeLines = 4    // lines at the head and at the foot of a page that may be running ones
	edgeShare = 0.15 // of the page's height that they may take
	sameplace = 3    // points within which lines stand at the same height
)

// An edge is a line near the head or the foot of a page.
type edge struct {
	page, line int
	text       string // folded: digits and roman page numbers become #
	y          float64
	size       float64
	exact      string
}

// running finds the lines that repeat at the same place over at least three pages, with only their numbers changing:
// running headers, footers and page numbers. It returns the lines of each page. body is the size of the running text.
func (d *pdfDocument) running(body float64) []map[int]bool {
	found := make([]map[int]bool, len(d.Pages))
	for i := range found {
		found[i] = map[int]bool{}
	}
	byText := map[string][]edge{}
	var keys []string
	for i := range d.Pages {
		for _, e := range d.Pages[i].edges(i) {
			if byText[e.text] == nil {
				keys = append(keys, e.text)
			}
			byText[e.text] = append(byText[e.text], e)
		}
	}
	for _, key := range keys {
		for _, group := range byPlace(byText[key]) {
			if d.repeats(group, body) {
				for _, e := range group {
					found[e.page][e.line] = true
				}
			}
		}
	}
	for i := range found {
		found[i] = d.Pages[i].apart(found[i])
	}
	return found
}

// edges are the lines at the head and the foot of a page.
func (p *pdfPage) edges(page int) []edge {
	rows := p.rows()
	var kept []edge
	add := func(row []int) {
		for _, n := range row {
			l := &p.Lines[n]
			kept = append(kept, edge{page, n, foldNumbers(l.Text), l.Y, l.Size, l.Text})
		}
	}
	for _, row := range rows[:min(edgeLines, len(rows))] {
		if p.Lines[row[0]].Y < edgeShare*p.Height {
			add(row)
		}
	}
	for _, row := range rows[max(0, len(rows)-edgeLines):] {
		if p.Lines[row[0]].Y > (1-edgeShare)*p.Height {
			add(row)
		}
	}
	return kept
}

// rows are the lines of a page that stand upright, from its head to its foot, those of one height together.
func (p *pdfPage) rows() [][]int {
	var lines []int
	for n := range p.Lines {
		l := &p.Lines[n]
		if l.placed() && !l.Vertical && l.Field == "" && l.Words == nil && l.Turn == p.Lines[0].Turn {
			lines = append(lines, n)
		}
	}
	slices.SortStableFunc(lines, func(a, b int) int { return cmp.Compare(p.Lines[a].Y, p.Lines[b].Y) })
	var rows [][]int
	for i, n := range lines {
		if i == 0 || p.Lines[n].Y > p.Lines[lines[i-1]].Y+sameplace {
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], n)
	}
	return rows
}

// apart keeps of the lines that repeat those that stand at the very head or foot of the page, apart from the text.
func (p *pdfPage) apart(repeated map[int]bool) map[int]bool {
	kept := map[int]bool{}
	rows := p.rows()
	repeats := func(row []int) bool { return slices.ContainsFunc(row, func(l int) bool { return repeated[l] }) }
	for foot := range 2 { // from the head, then from the foot
		for from := 0; from < len(rows); {
			to := from + 1
			for to < len(rows) && p.gap(rows[to-1], rows[to]) < 1.4 {
				to++
			}
			group := rows[from:to]
			further := from > 0 && (len(group) > 1 || p.gap(rows[from-1], rows[from]) > 2.2 || slices.ContainsFunc(group, func(row []int) bool { return !repeats(row) }))
			elsewhere := (p.Lines[group[0][0]].Y > p.Height/2) != (foot == 1)
			if to > edgeLines || further || elsewhere || !repeats(group[0]) {
				break
			}
			for _, row := range group {
				for _, l := range row {
					if repeated[l] {
						kept[l] = true
					}
				}
			}
			from = to
		}
		slices.Reverse(rows)
	}
	return kept
}

// gap is the distance of two rows in heights of their type.
func (p *pdfPage) gap(a, b []int) float64 {
	k, l := &p.Lines[a[0]], &p.Lines[b[0]]
	return math.Abs(k.Y-l.Y) / max(k.Size, l.Size)
}

// byPlace parts edges of the same text by their height on the page.
func byPlace(list []edge) [][]edge {
	slices.SortStableFunc(list, func(a, b edge) int { return cmp.Compare(a.y, b.y) })
	var groups [][]edge
	for i, e := range list {
		if i == 0 || e.y > list[i-1].y+sameplace {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], e)
	}
	return groups
}

// repeats reports whether lines of the same text at the same place are running ones.
func (d *pdfDocument) repeats(group []edge, body float64) bool {
	pages := map[int]bool{}
	size := 0.0
	for _, e := range group {
		pages[e.page] = true
		size = max(size, e.size)
	}
	letters := 0
	for _, r := range group[0].text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	switch {
	case len(d.Pages) < 2:
		return false
	case letters < 3 && strings.Contains(group[0].text, "#"): // numbers alone: those of the pages, or of a table
		return d.numbersPages(group)
	case len(pages) < 3:
		return false
	case body > 0 && size > 1.12*body: // a heading of each part may begin the same: "Chapter 4"
		return len(pages)*2 > len(d.Pages)
	}
	return true
}

// numbersPages reports whether the lines hold nothing but numbers that grow by one from page to page. On two pages they
// must also be those of the pages.
func (d *pdfDocument) numbersPages(group []edge) bool {
	if len(group) < 2 {
		return false
	}
	slices.SortStableFunc(group, func(a, b edge) int { return a.page - b.page })
	right, own := 0, 0
	for i, e := range group {
		n, ok := pageNumber(e.exact)
		if !ok {
			return false
		}
		p := &d.Pages[e.page]
		if e.exact == p.Label || n == p.Number {
			own++
		}
		if i > 0 {
			before, _ := pageNumber(group[i-1].exact)
			if n-before == e.page-group[i-1].page {
				right++
			}
		}
	}
	if len(d.Pages) == 2 || len(group) == 2 {
		return own == len(group) && right == len(group)-1
	}
	return right*4 >= (len(group)-1)*3
}

// foldNumbers makes the numbers of a line one sign, so that lines that differ in them alone are equal.
func foldNumbers(s string) string {
	if _, ok := pageNumber(s); ok {
		return "#"
	}
	var b strings.Builder
	digits := false
	for _, r := range s {
		if unicode.IsDigit(r) {
			if !digits {
				b.WriteByte('#')
			}
			digits = true
			continue
		}
		digits = false
		if !unicode.IsSpace(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// pageNumber reads a line that is a number and perhaps signs around it: "12", "- 12 -", "[iv]".
func pageNumber(s string) (int, bool) {
	s = strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("-–—.|[]()·•", r) })
	if n, err := strconv.Atoi(s); err == nil && n >= 0 && len(s) <= 5 {
		return n, true
	}
	return romanNumeral(s)
}

// romanNumeral reads a roman numeral below 400 in one case.
func romanNumeral(s string) (int, bool) {
	if s == "" || len(s) > 12 || s != strings.ToLower(s) && s != strings.ToUpper(s) {
		return 0, false
	}
	n := 0
	rest := strings.ToLower(s)
	for _, d := range []struct {
		sign  string
		value int
	}{{"c", 100}, {"xc", 90}, {"l", 50}, {"xl", 40}, {"x", 10}, {"ix", 9}, {"v", 5}, {"iv", 4}, {"i", 1}} {
		for times := 0; strings.HasPrefix(rest, d.sign) && times < 3; times++ {
			rest = rest[len(d.sign):]
			n += d.value
		}
	}
	return n, rest == "" && n > 0
}
