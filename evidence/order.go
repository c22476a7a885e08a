package evidence

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Compare orders locators as they stand in a document: paragraphs, pages and times by number, lines by path and then
// by line, cells by sheet and then row by row. Locators of different units, which no one document has, go by unit.
func Compare(a, b Locator) int {
	if a.Unit == Cells && b.Unit == Cells {
		return compareCells(a, b)
	}
	return cmp.Or(cmp.Compare(a.Unit, b.Unit), cmp.Compare(a.Path, b.Path), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
}

func compareCells(a, b Locator) int {
	na, ca, _ := cutLast(a.Path, "!")
	nb, cb, _ := cutLast(b.Path, "!")
	ra, _ := parseCells(ca)
	rb, _ := parseCells(cb)
	return cmp.Or(cmp.Compare(na, nb), cmp.Compare(ra.row, rb.row), cmp.Compare(ra.col, rb.col),
		cmp.Compare(ra.row2, rb.row2), cmp.Compare(ra.col2, rb.col2), cmp.Compare(a.Path, b.Path))
}

// SamePage reports whether two spans of one source stand where a reader sees them together: the same page of a PDF,
// the same slide, chapter or cell, the same file of a repository, the same sheet of a workbook; paragraphs and times always, as their document is one.
func (l Locator) SamePage(m Locator) bool {
	if l.Unit != m.Unit {
		return false
	}
	switch l.Unit {
	case Page, Slide, Cell, Chapter:
		return l.A == m.A
	case Lines:
		return l.Path == m.Path
	case Cells:
		a, _, _ := cutLast(l.Path, "!")
		b, _, _ := cutLast(m.Path, "!")
		return a == b
	}
	return l.Unit != NoUnit && l.Unit != Pointer
}

// follows reports whether m is the very next place after l on the same page, with nothing between them that a reader
// would see. Times and rows of cells have gaps by nature: there the next span that exists is the next place.
func (l Locator) follows(m Locator) bool {
	if !l.SamePage(m) {
		return false
	}
	switch l.Unit {
	case Para:
		return m.A == l.A+1
	case Page, Slide, Cell, Chapter:
		return l.B > 0 && m.B == l.B+1
	case Lines:
		return m.A == l.B+1
	}
	return Compare(l, m) < 0
}

// SourceID and FindingID print the stable ids of a run's n-th source and finding, counted from 1.
func SourceID(n int) string  { return "S" + strconv.Itoa(n) }
func FindingID(n int) string { return "F" + strconv.Itoa(n) }

// ParseSourceID reads S7 as 7, and nothing but the form that SourceID prints.
func ParseSourceID(s string) (n int, ok bool) { return parseID(s, "S") }

// ParseFindingID reads F7 as 7, and nothing but the form that FindingID prints.
func ParseFindingID(s string) (n int, ok bool) { return parseID(s, "F") }

func parseID(s, letter string) (int, bool) {
	digits, ok := strings.CutPrefix(s, letter)
	if !ok || digits == "" || digits[0] == '0' {
		return 0, false
	}
	return number(digits)
}

// TextHash is the hex SHA-256 of what a source says: the locator and text of each span, each with its length in
// front, so that no two lists of spans share an encoding. Headings and roles are context and stay out.
func TextHash(spans []Span) string {
	h := sha256.New()
	var b []byte
	for _, s := range spans {
		loc := s.Locator.String()
		b = strconv.AppendInt(b[:0], int64(len(loc)), 10)
		b = append(b, ' ')
		b = append(b, loc...)
		b = strconv.AppendInt(append(b, ' '), int64(len(s.Text)), 10)
		b = append(b, ' ')
		h.Write(b)
		h.Write([]byte(s.Text))
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil))
}
