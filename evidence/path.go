package evidence

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// escapePath prints a path so that it is safe inside [S1 …] and in running Markdown, and survives a trip through an
// editor that normalises: bytes are percent-escaped (RFC 3986 §2.1, capitals) that are white space, control or
// otherwise unprintable, invalid UTF-8, Markdown or HTML syntax, or would end the citation. "!" is escaped because it
// parts a sheet's name from its cells. Letters of any script stay, unless the path is not in NFC: then all of it that
// is not ASCII is escaped, because composing it would make another path.
func escapePath(s string) string {
	ascii := !norm.NFC.IsNormalString(s)
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		plain := r < utf8.RuneSelf && r > ' ' && r != 0x7f && !strings.ContainsRune(`%[];!|<>*&\"`+"`", r)
		if r >= utf8.RuneSelf && !ascii {
			plain = (r != utf8.RuneError || n > 1) && unicode.IsPrint(r) && !invisible(r) && !(i == 0 && unicode.IsMark(r))
		}
		if plain {
			b.WriteString(s[i : i+n])
		} else {
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		i += n
	}
	return b.String()
}

// unescapePath undoes escapePath.
func unescapePath(s string) (string, error) {
	if !strings.Contains(s, "%") {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", errors.New(`"%" in a path is written %25`)
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", errors.New(`"%" in a path is written %25`)
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), nil
}

// A cellRange is the corners of a range of cells, counted from 1.
type cellRange struct{ col, row, col2, row2 int }

const (
	maxCol = 16384     // XFD, the last column of a sheet
	maxRow = 1_048_576 // and its last row
)

// parseCells reads A1 or A1:D9, top left to bottom right.
func parseCells(s string) (cellRange, error) {
	from, to, isRange := strings.Cut(s, ":")
	var r cellRange
	var ok, ok2 bool
	if r.col, r.row, ok = cell(from); !ok {
		return r, errors.New("cells are written A1 or A1:D9")
	}
	r.col2, r.row2, ok2 = r.col, r.row, true
	if isRange {
		r.col2, r.row2, ok2 = cell(to)
	}
	switch {
	case !ok2:
		return r, errors.New("cells are written A1 or A1:D9")
	case r.col2 < r.col || r.row2 < r.row:
		return r, errors.New("the range of cells ends before it starts")
	case isRange && from == to:
		return r, errors.New("a single cell is written A1")
	}
	return r, nil
}

func cell(s string) (col, row int, ok bool) {
	i := 0
	for ; i < len(s) && i < 4 && s[i] >= 'A' && s[i] <= 'Z'; i++ {
		col = col*26 + int(s[i]-'A') + 1
	}
	row, ok = number(s[i:])
	return col, row, ok && i > 0 && s[i] != '0' && col <= maxCol && row <= maxRow
}
