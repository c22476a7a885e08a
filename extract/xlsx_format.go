package extract

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"ibid/internal/lazyregexp"
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

// Limits of number formats: Excel's own for the length of a code, and for what one workbook may cost.
const (
	maxFormatCode = 255
	maxFormats    = 4000
	maxFormatted  = 400_000 // numbers that the library formats, at 10 µs each; a date takes it eight times as long
)

// numberFormats shows numbers as a sheet does. The workbook library formats them, in a workbook of its own: the one that is
// read stays out of its hands, since it would hold it as a whole. Plain formats, which most cells have, need no library.
type numberFormats struct {
	book     *excelize.File
	from1904 bool                     // days count from 1904
	codes    map[string]*numberFormat // by format code
	known    map[[2]string]string
	spent    int // of maxFormatted
}

// A numberFormat is what a code asks for.
type numberFormat struct {
	cell     string // in the library's workbook, with this format
	styled   bool   // that cell has it
	plain    bool   // digits alone: "0.00", "#,##0", "0%"
	decimals int
	grouped  bool
	percent  bool
	cost     int

	moment    bool // a date or a time
	day       bool // a date without a time
	elapsed   bool // a length of time: 36:00
	clock     bool // a time without a date
	fractions int  // digits of a second
}

func newNumberFormats(date1904 bool) *numberFormats {
	return &numberFormats{from1904: date1904, codes: map[string]*numberFormat{}, known: map[[2]string]string{}}
}

// Close gives the workbook back.
func (n *numberFormats) Close() {
	if n.book != nil {
		_ = n.book.Close() // it has no file
	}
}

// exhausted reports whether the formats of a workbook have cost more than any that people make.
func (n *numberFormats) exhausted() bool { return n.spent >= maxFormatted }

// show returns a number as its format shows it. What is no number, and what a format does not fit, stays as it is.
func (n *numberFormats) show(code, value string) string {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return value
	}
	if code == "" || strings.EqualFold(code, "General") || len(code) > maxFormatCode {
		return general(value)
	}
	switch part, ok := formatSection(code, v); {
	case !ok:
		return general(value)
	case part == "":
		return ""
	case part != code:
		return n.show(part, value)
	}
	code = unpadded(code)
	f := n.codes[code]
	if f == nil {
		if len(n.codes) == maxFormats {
			return general(value)
		}
		f = new(readNumberFormat(code))
		f.cell = fmt.Sprintf("A%d", len(n.codes)+1)
		n.codes[code] = f
	}
	parts := "" // of a second
	switch {
	case f.plain:
		return f.digits(v)
	case f.moment:
		at, digits, dated := f.momentOf(v, n.from1904)
		if !dated {
			return general(value)
		}
		value, parts = strconv.FormatFloat(at, 'f', -1, 64), digits
	case strings.Contains(code, "/"):
		if s, ok := fraction(code, v); ok {
			n.spent++
			return s
		}
	}
	key := [2]string{code, value}
	s, known := n.known[key]
	if !known {
		n.spent += f.cost
		s = n.format(f, code, value)
		n.known[key] = s
	}
	return strings.Replace(s, partsMark, parts, 1)
}

var plainFormat = lazyregexp.New(`^(#,##)?0(\.0{1,15})?(%)?$`)

func readNumberFormat(code string) numberFormat {
	if m := plainFormat.FindStringSubmatch(code); m != nil {
		return numberFormat{plain: true, grouped: m[1] != "", decimals: max(len(m[2])-1, 0), percent: m[3] != ""}
	}
	var bare strings.Builder // without quoted text
	quoted := false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\\' || c == '_' || c == '*':
			i++
		default:
			bare.WriteByte(c)
		}
	}
	shown := strings.ToLower(bareBrackets.ReplaceAllString(bare.String(), ""))
	f := numberFormat{cost: 1}
	f.readTimes(shown)
	return f
}

// bareBrackets are colours and countries: [Red], [$-409].
var bareBrackets = lazyregexp.New(`\[(?:\$[^\]]*|[A-Za-z]{3,}\d*)\]`)

// digits writes a number with a fixed count of decimals, rounded half away from zero in its shortest decimal form, as
// sheets do.
func (f numberFormat) digits(v float64) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', -1, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	if f.percent {
		fraction += "00"
		whole, fraction = strings.TrimLeft(whole+fraction[:2], "0"), fraction[2:]
	}
	for len(fraction) <= f.decimals {
		fraction += "0"
	}
	d := []byte(first(whole, "0") + fraction[:f.decimals])
	if fraction[f.decimals] >= '5' {
		i := len(d) - 1
		for ; i >= 0 && d[i] == '9'; i-- {
			d[i] = '0'
		}
		if i < 0 {
			d = append([]byte{'1'}, d...)
		} else {
			d[i]++
		}
	}
	shown := string(d[:len(d)-f.decimals])
	if f.grouped {
		for i := len(shown) - 3; i > 0; i -= 3 {
			shown = shown[:i] + "," + shown[i:]
		}
	}
	if f.decimals > 0 {
		shown += "." + string(d[len(d)-f.decimals:])
	}
	if v < 0 && strings.Trim(shown, "0.,") != "" {
		shown = "-" + shown
	}
	if f.percent {
		shown += "%"
	}
	return shown
}

const formatSheet = "Sheet1"

// format lets the library format a number in the cell of its format. It may fail on a format that nobody could read.
func (n *numberFormats) format(f *numberFormat, code, value string) (shown string) {
	defer func() {
		if recover() != nil {
			shown = general(value)
		}
	}()
	if n.book == nil {
		n.book = excelize.NewFile(excelize.Options{ShortDatePattern: "yyyy-mm-dd"})
	}
	if !f.styled {
		f.styled = true
		code = f.marked(code)
		style, err := n.book.NewStyle(&excelize.Style{CustomNumFmt: &code})
		if err == nil {
			err = n.book.SetCellStyle(formatSheet, f.cell, f.cell, style)
		}
		if err != nil {
			return general(value)
		}
	}
	if err := n.book.SetCellDefault(formatSheet, f.cell, value); err != nil {
		return general(value)
	}
	s, err := n.book.GetCellValue(formatSheet, f.cell)
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
