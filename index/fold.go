package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// diaeresis stands, in marked folds, behind a letter that is also written with an e behind it: ä, ö, ü, ø.
const diaeresis = 0x308

// fold brings text to the form in which it is compared for retrieval: NFC, letters of Latin and Greek without marks,
// ligatures and full-width forms spelt out, digits of all scripts as 0 to 9, typographic apostrophes straight, and
// characters that nobody sees or that are left out at will dropped. Case is left to the tokeniser. Folding is for finding
// only; what is quoted is never folded here (CORPUS-3 is the matcher's).
func fold(text string) string { return strings.ReplaceAll(foldMarked(text), "\u0308", "") }

// foldMarked is fold, and leaves a diaeresis where a letter has another spelling.
func foldMarked(text string) string {
	if isASCII(text) {
		return text
	}
	if !norm.NFC.IsNormalString(text) {
		text = norm.NFC.String(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	joining := false // after a hyphenation mark at the end of a line
	for _, r := range text {
		if joining && (r == '\r' || r == '\n' || r == ' ') {
			continue
		}
		joining = false
		switch {
		case r == 0x02: // pdfium's mark for a word that was hyphenated at the end of a line
			joining = true
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
		case r == 0xAD, r >= 0x200B && r <= 0x200F, r == 0x2060, r == 0xFEFF: // soft hyphen, zero width, marks of direction
		case r >= 0x300 && r <= 0x36F, r >= 0x591 && r <= 0x5C7, r == 0x640, r >= 0x64B && r <= 0x65F, r == 0x670: // marks, points, vowels
		case r == 0x2019, r == 0x2018, r == 0x02BC, r == 0xFF07:
			b.WriteByte('\'')
		case r == 0x2009, r == 0x202F: // group separators in numbers: thin and narrow spaces
			b.WriteRune(0xA0)
		case r >= 0xFF01 && r <= 0xFF5E: // full-width ASCII
			b.WriteByte(byte(r - 0xFF01 + '!'))
		default:
			letter := base(r)
			if s, ok := spelt[letter]; ok {
				b.WriteString(s)
			} else {
				b.WriteRune(letter)
			}
			if strings.ContainsRune("äöüøÄÖÜØ", r) {
				b.WriteRune(diaeresis)
			}
		}
	}
	return b.String()
}

// spelt holds letters that are written with several, or with another, in plain spelling.
var spelt = map[rune]string{
	'ß': "ss", 'ẞ': "SS", 'æ': "ae", 'Æ': "AE", 'œ': "oe", 'Œ': "OE", 'ø': "o", 'Ø': "O", 'ł': "l", 'Ł': "L", 'đ': "d", 'Đ': "D",
	'ı': "i", 'ſ': "s", 'ς': "σ", 'ё': "е", 'Ё': "Е", 'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "st", 'ﬆ': "st",
}

// base returns the letter under the marks of a Latin or Greek letter, the ASCII digit of the digits of other scripts, and
// any other rune as it is: in other scripts a mark makes another letter.
func base(r rune) rune {
	if r > 0x600 && r < 0x1D000 && unicode.IsDigit(r) {
		zero := r
		for r-zero < 9 && unicode.IsDigit(zero-1) { // digits stand in tens
			zero--
		}
		return '0' + r - zero
	}
	if r < 0xC0 || r > 0x24F && r < 0x386 || r > 0x3CE && r < 0x1E00 || r > 0x1FFF {
		return r
	}
	var buf [utf8.UTFMax]byte
	d := norm.NFD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition()
	for len(d) > 0 && d[0] >= utf8.RuneSelf { // two marks: the first decomposition still carries one
		first, size := utf8.DecodeRune(d)
		next := norm.NFD.Properties(d[:size]).Decomposition()
		if next == nil {
			return first
		}
		d = next
	}
	if len(d) == 0 {
		return r
	}
	letter, _ := utf8.DecodeRune(d)
	return letter
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf || s[i] == 0x02 {
			return false
		}
	}
	return true
}

// unspaced reports whether a rune belongs to a script that is written without spaces between words, or, as Korean, with
// endings that stick to them. Runs of these are indexed by overlapping pairs.
func unspaced(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return r == 'ー' || r == '々' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && (unicode.IsLetter(r) || unicode.IsMark(r))
}
