package evidence

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// alwaysNFC reports whether r is known to be its own canonical form and to combine with nothing before it; a quick
// no sends it through the full test.
func alwaysNFC(r rune) bool {
	return r < 0x300 || r >= 0x2010 && r < 0x2070 || r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA || r >= 0x3400 && r <= 0x9FFF ||
		r >= 0xAC00 && r <= 0xD7A3 || r >= 0xFF01 && r <= 0xFF5E
}

// fold1 is what a single rune folds to, "" if to itself. The named folds:
//
//   - quotation marks, primes and the acute used for one, guillemets and CJK corner brackets: ' or "
//   - the ellipsis sign: ...
//   - ligatures ﬀ to ﬆ, and the positional forms of Arabic: their letters
//   - long s: s
//   - full-width ASCII and currency, half-width kana and Hangul: the ordinary width
//   - mathematical letters and digits, and the letterlike symbols that fill their gaps: the plain letter or digit
//   - Roman numeral signs Ⅰ to ⅿ: letters, since Unicode keeps them for old character sets only and advises letters
//     (§15.3); a number written so reads the same in letters
//
// Superscripts, subscripts, fractions, circled and other digits stay: they say something that the plain digit does not.
func fold1(r rune) string {
	switch {
	case r < 0xAB:
		return ""
	case r == 0xAB || r == 0xBB:
		return `"`
	case r == 0xB4 || r == 0x02B9 || r == 0x02BB || r == 0x02BC:
		return "'"
	case r == 'ſ':
		return "s"
	case r < 0x2018:
		return ""
	case r <= 0x201B, r == 0x2032, r == 0x2035, r == 0x2039, r == 0x203A:
		return "'"
	case r <= 0x201F, r == 0x2033, r == 0x2036, r >= 0x300C && r <= 0x300F, r >= 0x301D && r <= 0x301F, r >= 0xFE41 && r <= 0xFE44, r == 0xFF62, r == 0xFF63:
		return `"`
	case r == '…' || r == '⋯':
		return "..."
	case r < 0x2102:
		return ""
	case r <= 0x214F, r >= 0x2160 && r <= 0x217F:
		return letterlike(r)
	case r < 0xFB00:
		return ""
	case r <= 0xFB06:
		return ligatures[r-0xFB00]
	case r >= 0xFB50 && r <= 0xFDFB, r >= 0xFE70 && r <= 0xFEFC:
		if s := norm.NFKC.String(string(r)); s[0] != ' ' && s != string(r) {
			return s
		}
		return ""
	case r == 0xFF0D:
		return "-"
	case r >= 0xFF01 && r <= 0xFF5E:
		return ascii[r-0xFF01+'!' : r-0xFF01+'!'+1]
	case r >= 0xFF61 && r <= 0xFFDC, r == 0xFFE0, r == 0xFFE1, r == 0xFFE5, r == 0xFFE6, r >= 0x1D400 && r <= 0x1D7FF, r >= 0x1FBF0 && r <= 0x1FBF9:
		return norm.NFKC.String(string(r))
	}
	return ""
}

// ligatures are the folds of U+FB00 to U+FB06.
var ligatures = [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}

// ascii[c] is the byte c, so that a fold to one byte allocates nothing.
var ascii = func() string {
	var b [128]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

// letterlike folds symbols that are one letter in a certain font (ℝ, ℎ), and Roman numerals; not ™, № or ℃.
func letterlike(r rune) string {
	s := norm.NFKC.String(string(r))
	if c, n := utf8.DecodeRuneInString(s); c == r || !unicode.IsLetter(c) || n != len(s) && r < 0x2160 {
		return ""
	}
	return s
}

// plainRune is the fold of a rune that folds to one, for looking at what stands around a match.
func plainRune(r rune) rune {
	if r < 0x80 {
		return r
	}
	if isDash(r) {
		return '-'
	}
	if s := fold1(r); len(s) == 1 {
		return rune(s[0])
	}
	return r
}
