package claim

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold makes one spelling of the marks that are written in many ways: quotation marks, dashes, spaces, digits of other
// scripts, fractions and raised digits, contractions of typesetting. What shows nothing is dropped. Letters keep their case.
func fold(s string) string {
	if ascii(s) {
		if strings.Contains(s, "``") || strings.Contains(s, "''") {
			s = texQuotes.Replace(s)
		}
		return s
	}
	s = norm.NFC.String(strings.ToValidUTF8(s, " "))
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case hides(r):
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case r >= '‘' && r <= '‛' || r == '′' || r == 'ʼ' || r == 'ʹ':
			b.WriteByte('\'')
		case r >= '“' && r <= '‟' || r == '″' || r == '«' || r == '»' || r == '„':
			b.WriteByte('"')
		case r >= 0x2010 && r <= 0x2013 || r == 0x2212 || r == 0xFE63 || r == 0xFF0D:
			b.WriteByte('-')
		case r == 0x2014 || r == 0x2015:
			b.WriteString(" -- ")
		case r == '…':
			b.WriteString("...")
		case r == '٫': // between digits of Arabic
			b.WriteByte('.')
		case r == '٬':
			b.WriteByte(',')
		case r == '×':
			b.WriteByte('x')
		case vulgar[r] != "":
			if before, _ := utf8.DecodeLastRuneInString(s[:i]); unicode.IsDigit(before) {
				b.WriteByte(' ')
			}
			b.WriteString(vulgar[r])
		case raised(r) >= 0:
			if before, _ := utf8.DecodeLastRuneInString(s[:i]); before < 0x80 {
				b.WriteByte('^')
			}
			b.WriteString(strconv.Itoa(raised(r)))
		case unicode.IsDigit(r):
			b.WriteByte(byte('0' + digitValue(r)))
		case r >= 0xFB00 && r <= 0xFB06 || r >= 0xFF01 && r <= 0xFF5E || r == 'µ' || r == '℃' || r == '℉':
			b.WriteString(norm.NFKC.String(string(r)))
		default:
			b.WriteRune(r)
		}
	}
	return texQuotes.Replace(b.String())
}

var texQuotes = strings.NewReplacer("``", "\"", "''", "\"")

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hides reports whether r shows nothing and parts no words.
func hides(r rune) bool {
	return r == 0xAD || r == 0x34F || r == 0x61C || r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2060 && r <= 0x206F ||
		r == 0xFEFF || r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0000 && r <= 0xE0FFF
}

var vulgar = map[rune]string{'½': "1/2", '⅓': "1/3", '⅔': "2/3", '¼': "1/4", '¾': "3/4", '⅕': "1/5", '⅖': "2/5", '⅗': "3/5", '⅘': "4/5",
	'⅙': "1/6", '⅚': "5/6", '⅛': "1/8", '⅜': "3/8", '⅝': "5/8", '⅞': "7/8", '⅑': "1/9", '⅐': "1/7"}

// raised is the value of a superscript digit, -1 of any other character.
func raised(r rune) int {
	switch {
	case r == '¹':
		return 1
	case r == '²' || r == '³':
		return int(r-'²') + 2
	case r == '⁰' || r >= '⁴' && r <= '⁹':
		return int(r - '⁰')
	}
	return -1
}

// digitValue is the value of a decimal digit: the digits of a script are a run of ten that begins at its zero; the
// mathematical ones are five such runs without a gap.
func digitValue(r rune) int {
	if r >= 0x1D7CE && r <= 0x1D7FF {
		return int(r-0x1D7CE) % 10
	}
	n := 0
	for n < 9 && unicode.IsDigit(r-1) {
		r--
		n++
	}
	return n
}

// clip cuts a text to at most n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
