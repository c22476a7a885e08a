package extract

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// builtinFormats are the number formats that a workbook need not spell out (ISO 29500-1 §18.8.30). Where a format hangs
// on the reader's country, dates are written year first, and money without a currency.
var builtinFormats = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "#,##0", 6: "#,##0", 7: "#,##0.00", 8: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00",
	12: "# ?/?", 13: "# ??/??", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
	21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 27: "yyyy-mm-dd", 28: "yyyy-mm-dd", 29: "yyyy-mm-dd", 30: "yyyy-mm-dd", 31: "yyyy-mm-dd", 32: "h:mm",
	33: "h:mm:ss", 34: "h:mm", 35: "h:mm:ss", 36: "yyyy-mm-dd", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
	40: "#,##0.00;(#,##0.00)", 41: "#,##0", 42: "#,##0", 43: "#,##0.00", 44: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0",
	50: "yyyy-mm-dd", 51: "yyyy-mm-dd", 52: "yyyy-mm-dd", 53: "yyyy-mm-dd", 54: "yyyy-mm-dd", 55: "yyyy-mm-dd", 56: "yyyy-mm-dd", 57: "yyyy-mm-dd", 58: "yyyy-mm-dd",
}

// Limits of number formats: Excel's own for the length of a code, and what is remembered of what was shown.
const (
	maxFormatCode = 255
	maxFormats    = 4000
	maxRemembered = 100_000
)

// numberFormats shows numbers as a sheet does. The workbook library formats them, in a workbook of its own: the one that is
// read stays out of its hands, since it would hold it as a whole.
type numberFormats struct {
	book  *excelize.File
	day0  bool              // days count from 1904
	cells map[string]string // by format code: a cell in that format
	known map[[2]string]string
}

func newNumberFormats(date1904 bool) *numberFormats {
	return &numberFormats{day0: date1904, cells: map[string]string{}, known: map[[2]string]string{}}
}

// Close gives the workbook back.
func (n *numberFormats) Close() {
	if n.book != nil {
		_ = n.book.Close() // it has no file
	}
}

const formatSheet = "Sheet1"

// show returns a number as its format shows it. What is no number, and what a format does not fit, stays as it is.
func (n *numberFormats) show(code, value string) string {
	if _, err := strconv.ParseFloat(value, 64); err != nil {
		return value
	}
	if code == "" || strings.EqualFold(code, "General") || len(code) > maxFormatCode {
		return general(value)
	}
	key := [2]string{code, value}
	if s, ok := n.known[key]; ok {
		return s
	}
	s := n.format(code, value)
	if len(n.known) < maxRemembered {
		n.known[key] = s
	}
	return s
}

// format lets the library format a number. It may fail on a format that nobody could read.
func (n *numberFormats) format(code, value string) (shown string) {
	defer func() {
		if recover() != nil {
			n.book, n.cells, shown = nil, map[string]string{}, general(value)
		}
	}()
	if n.book == nil {
		n.book = excelize.NewFile(excelize.Options{ShortDatePattern: "yyyy-mm-dd"})
		if err := n.book.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &n.day0}); err != nil {
			return general(value)
		}
	}
	cell, ok := n.cells[code]
	if !ok {
		if len(n.cells) == maxFormats {
			return general(value)
		}
		style, err := n.book.NewStyle(&excelize.Style{CustomNumFmt: &code})
		if err != nil {
			return general(value)
		}
		cell = fmt.Sprintf("A%d", len(n.cells)+1)
		if err := n.book.SetCellStyle(formatSheet, cell, cell, style); err != nil {
			return general(value)
		}
		n.cells[code] = cell
	}
	if err := n.book.SetCellDefault(formatSheet, cell, value); err != nil {
		return general(value)
	}
	s, err := n.book.GetCellValue(formatSheet, cell)
	if err != nil || len(s) > 400 { // no number is longer
		return general(value)
	}
	return oneLineOf(s)
}

// general writes a number that has no format, in 15 digits as sheets keep them.
func general(value string) string {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if len(strings.Trim(s, "-0.")) > 16 || len(s) > 21 {
		s = strconv.FormatFloat(v, 'G', 15, 64)
	}
	return s
}
