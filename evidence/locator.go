package evidence

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Locator says where in a source a span stands, in words that a person can walk to. It is comparable and may be a map key.
//
//	para.7              Unit Para, A=7
//	p.2  p.2.3          Unit Page, A=2 (B=3: paragraph of the page)
//	t=00:16  t=1:02:03  Unit Time, A=seconds
//	budget.py:L10-L24   Unit Lines, Path, A=10 B=24
//	budget.py:L5        Unit Lines, Path, A=5 B=5
//	sheet.Q3!A1:D9      Unit Cells, Path="Q3!A1:D9"
//	slide.4  slide.4.2  Unit Slide, A=4 (B=2: paragraph of the slide)
//	cell.7  cell.7.2    Unit Cell, A=7, of a notebook (B=2: paragraph of the cell)
//	ch.3 para.12        Unit Chapter, A=3 B=12: paragraph of a book's part, counted as the book lists them
//	/rows/3/name        Unit Pointer, Path="/rows/3/name" (RFC 6901)
//
// Path is the name as it is, in any bytes; only its printed form is escaped. Two locators are the same place exactly if
// they are ==, so whoever makes a Path makes it in one form (NFC, "/" between folders, relative to the root).
type Locator struct {
	Unit Unit
	A, B int
	Path string
}

// Unit is what a locator counts.
type Unit uint8

const (
	NoUnit Unit = iota
	Para
	Page
	Time
	Lines
	Cells
	Slide
	Cell
	Chapter
	Pointer
)

const (
	maxLocator = 4096        // bytes of a printed locator
	maxPath    = 1024        // bytes of Path
	maxCount   = 999_999_999 // of any number in a locator
)

// A LocatorError says that a text is no locator. Its message is fit for a model to read.
type LocatorError struct {
	Text   string
	Reason string
	Near   string // the nearest right form, "" if there is none
}

func (e *LocatorError) Error() string {
	s := fmt.Sprintf("locator %q: %s", Clip(e.Text, 80), e.Reason)
	if e.Near != "" {
		s += "; write " + e.Near
	}
	return s
}

// String prints the canonical form, which ParseLocator reads back to the same value. Whatever in a path could be
// taken for the end of a citation, for Markdown or for another path is percent-escaped. A locator that is not Valid
// prints as something that does not parse; the zero Locator prints as "".
func (l Locator) String() string {
	switch l.Unit {
	case NoUnit:
		return ""
	case Para:
		return "para." + strconv.Itoa(l.A)
	case Page:
		if l.B != 0 {
			return fmt.Sprintf("p.%d.%d", l.A, l.B)
		}
		return "p." + strconv.Itoa(l.A)
	case Time:
		if l.A < 3600 {
			return fmt.Sprintf("t=%02d:%02d", l.A/60, l.A%60)
		}
		return fmt.Sprintf("t=%d:%02d:%02d", l.A/3600, l.A/60%60, l.A%60)
	case Lines:
		if l.A == l.B {
			return fmt.Sprintf("%s:L%d", escapePath(l.Path), l.A)
		}
		return fmt.Sprintf("%s:L%d-L%d", escapePath(l.Path), l.A, l.B)
	case Cells:
		name, cells, _ := cutLast(l.Path, "!")
		return "sheet." + escapePath(name) + "!" + cells
	case Slide, Cell:
		name := "slide."
		if l.Unit == Cell {
			name = "cell."
		}
		if l.B != 0 {
			return fmt.Sprintf("%s%d.%d", name, l.A, l.B)
		}
		return name + strconv.Itoa(l.A)
	case Chapter:
		return fmt.Sprintf("ch.%d para.%d", l.A, l.B)
	case Pointer: // a colon could begin a range of lines
		return strings.ReplaceAll(escapePath(l.Path), ":", "%3A")
	}
	return fmt.Sprintf("unit%d?", l.Unit)
}

// Valid reports whether l names a place: counts start at 1, ranges run forwards, nothing is set that its unit does not use.
func (l Locator) Valid() bool {
	count := func(n int) bool { return n >= 1 && n <= maxCount }
	switch l.Unit {
	case Para:
		return count(l.A) && l.B == 0 && l.Path == ""
	case Chapter:
		return count(l.A) && count(l.B) && l.Path == ""
	case Pointer:
		return strings.HasPrefix(l.Path, "/") && len(l.Path) <= maxPath && l.A == 0 && l.B == 0
	case Page, Slide, Cell:
		return count(l.A) && l.B >= 0 && l.B <= maxCount && l.Path == ""
	case Time:
		return l.A >= 0 && l.A <= maxCount && l.B == 0 && l.Path == ""
	case Lines:
		return count(l.A) && count(l.B) && l.A <= l.B && l.Path != "" && len(l.Path) <= maxPath
	case Cells:
		name, cells, ok := cutLast(l.Path, "!")
		if _, err := parseCells(cells); err != nil {
			return false
		}
		return ok && name != "" && len(l.Path) <= maxPath && l.A == 0 && l.B == 0
	}
	return false
}

// ParseLocator reads a locator in its canonical form. Nothing else passes, so that one place has one spelling:
// para.07, p.0, t=0:60, a.py:L5-L3 and PARA.2 are errors (of type *LocatorError), which name the right form where one
// is near. The one exception is a single line, which may also be written as the range L5-L5; it prints as L5.
func ParseLocator(s string) (Locator, error) {
	if len(s) > maxLocator {
		return Locator{}, &LocatorError{Text: s, Reason: fmt.Sprintf("longer than %d bytes", maxLocator)}
	}
	l, reason := readLocator(s)
	if reason == "" && l.Valid() {
		if p := l.String(); p == s || l.Unit == Lines && l.A == l.B && s == fmt.Sprintf("%s-L%d", p, l.A) {
			return l, nil
		}
		reason = "not in its one canonical form"
	}
	e := &LocatorError{Text: s, Reason: reason}
	if near, ok := nearLocator(s); ok {
		e.Near = near.String()
	}
	return Locator{}, e
}

// readLocator reads the shape of a locator and says what is wrong with it, "" if nothing is. It is lenient about what
// the comparison with the printed form will catch anyway: zeros in front and escapes that were not needed.
func readLocator(s string) (Locator, string) {
	const shapes = "not a locator: expected para.N, p.N, p.N.M, t=MM:SS, path:LN-LN, sheet.NAME!A1:B2, slide.N, cell.N, ch.N para.N or /json/pointer"
	if rest, ok := strings.CutPrefix(s, "sheet."); ok && strings.Contains(rest, "!") {
		name, cells, _ := cutLast(rest, "!")
		name, err := unescapePath(name)
		if err == nil {
			_, err = parseCells(cells)
		}
		if err != nil {
			return Locator{}, err.Error()
		}
		return Locator{Unit: Cells, Path: name + "!" + cells}, ""
	}
	if path, lines, ok := cutLast(s, ":L"); ok {
		path, err := unescapePath(path)
		if err != nil {
			return Locator{}, err.Error()
		}
		from, to, isRange := strings.Cut(lines, "-L")
		a, okA := number(from)
		b, okB := a, true
		if isRange {
			b, okB = number(to)
		}
		switch {
		case !okA || !okB:
			return Locator{}, "lines are written L10-L24"
		case a < 1:
			return Locator{}, "lines count from 1"
		case b < a:
			return Locator{}, "the range ends before it starts"
		case path == "":
			return Locator{}, "the path is missing"
		}
		return Locator{Unit: Lines, Path: path, A: a, B: b}, ""
	}
	if n, ok := strings.CutPrefix(s, "para."); ok {
		return counted(Locator{Unit: Para}, n, "")
	}
	if n, ok := strings.CutPrefix(s, "ch."); ok {
		chapter, para, ok := strings.Cut(n, " para.")
		if !ok || para == "" {
			return Locator{}, "a paragraph of a book is written ch.3 para.12"
		}
		return counted(Locator{Unit: Chapter}, chapter, para)
	}
	for _, u := range []struct {
		prefix string
		unit   Unit
	}{{"p.", Page}, {"slide.", Slide}, {"cell.", Cell}} {
		if n, ok := strings.CutPrefix(s, u.prefix); ok {
			page, para, _ := strings.Cut(n, ".")
			return counted(Locator{Unit: u.unit}, page, para)
		}
	}
	if strings.HasPrefix(s, "/") {
		path, err := unescapePath(s)
		if err != nil {
			return Locator{}, err.Error()
		}
		return Locator{Unit: Pointer, Path: path}, ""
	}
	if clock, ok := strings.CutPrefix(s, "t="); ok {
		return readClock(clock)
	}
	return Locator{}, shapes
}

func counted(l Locator, a, b string) (Locator, string) {
	var ok bool
	if l.A, ok = number(a); !ok {
		return l, "expected a number"
	}
	if b != "" {
		if l.B, ok = number(b); !ok {
			return l, "expected a number"
		}
	}
	if l.A < 1 || b != "" && l.B < 1 {
		return l, "the count starts at 1"
	}
	return l, ""
}

// readClock reads MM:SS and H:MM:SS.
func readClock(s string) (Locator, string) {
	const form = "times are written t=MM:SS, from one hour on t=H:MM:SS"
	parts := strings.Split(s, ":")
	if len(parts) != 2 && len(parts) != 3 {
		return Locator{}, form
	}
	secs := 0
	for i, p := range parts {
		n, ok := number(p)
		if !ok || secs > maxCount/60 {
			return Locator{}, form
		}
		if i > 0 && n > 59 {
			return Locator{}, "minutes and seconds run to 59"
		}
		secs = secs*60 + n
	}
	return Locator{Unit: Time, A: secs}, ""
}

// number reads ASCII digits up to maxCount, and nothing else.
func number(s string) (int, bool) {
	if s == "" || len(s) > 10 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, n <= maxCount
}

// MarshalText makes a locator its printed form, also in JSON. The zero Locator is "".
func (l Locator) MarshalText() ([]byte, error) {
	if l != (Locator{}) && !l.Valid() {
		return nil, &LocatorError{Text: l.String(), Reason: "names no place"}
	}
	return []byte(l.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (l *Locator) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*l = Locator{}
		return nil
	}
	p, err := ParseLocator(string(b))
	if err == nil {
		*l = p
	}
	return err
}

// cutLast is strings.Cut at the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// Clip shortens a text for a message to about n bytes, at a rune's edge.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
