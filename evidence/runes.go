package evidence

import "unicode"

const (
	softHyphen  = '\u00AD'
	lineEndMark = '\u0002' // PDFium's mark for a hyphen at a line's end
)

// invisible reports whether r shows nothing and parts no words: zero-width and direction marks, joiners, fillers,
// variation selectors, tags and control characters that are not white space. The soft hyphen is apart, as it shows at
// a line's end.
func invisible(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\t' && r != '\n' && r != '\v' && r != '\f' && r != '\r'
	case r < 0x7F:
		return false
	case r < 0xA0:
		return r != 0x85
	case r < 0x034F:
		return false
	case r == 0x034F, r == 0x061C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x3164, r == 0xFEFF, r == 0xFFA0:
		return true
	}
	return r >= 0x180B && r <= 0x180F || r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E ||
		r >= 0x2060 && r <= 0x206F || r >= 0xFE00 && r <= 0xFE0F || r >= 0xFFF9 && r <= 0xFFFB ||
		r >= 0x1BCA0 && r <= 0x1BCA3 || r >= 0x1D173 && r <= 0x1D17A || r >= 0xE0000 && r <= 0xE0FFF
}

// CountInvisible counts the characters of a text that a reader cannot see and that honest typesetting seldom needs:
// zero-width and direction marks, soft hyphens, fillers, tags, control characters. A number of them is a flag to show,
// as they can hide words from a reader or from a search. The variation selectors that choose between a letter's text
// and picture forms (U+FE0E, U+FE0F) are not counted, nor PDFium's mark for a hyphen at a line's end.
func CountInvisible(text string) int {
	n := 0
	for _, r := range text {
		if r == softHyphen || invisible(r) && r != 0xFE0E && r != 0xFE0F && r != lineEndMark {
			n++
		}
	}
	return n
}

// isDash reports whether r folds to a plain hyphen: hyphens, figure and en dash, minus, their small and full forms.
func isDash(r rune) bool {
	return r == '-' || r >= 0x2010 && r <= 0x2013 || r == 0x2212 || r == 0xFE63 || r == 0xFF0D
}

// isEmDash reports whether r is a dash that parts clauses.
func isEmDash(r rune) bool {
	return r == 0x2014 || r == 0x2015 || r == 0xFE58 || r == 0xFE31 || r == 0x2E3A || r == 0x2E3B
}

// isBreak reports whether r ends a line.
func isBreak(r rune) bool {
	return r >= '\n' && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// noBreakSpace reports whether r is a space that typesetting puts inside guillemets.
func noBreakSpace(r rune) bool { return r == 0xA0 || r == 0x202F || r == 0x2009 }

// cjk reports whether r belongs to text that is written without spaces, where white space is layout: Han, kana,
// Bopomofo and their punctuation.
func cjk(r rune) bool {
	switch {
	case r < 0x2E80:
		return false
	case r >= 0x3001 && r <= 0x303F, r >= 0x3040 && r <= 0x30FF, r >= 0x3400 && r <= 0x9FFF, r >= 0xF900 && r <= 0xFAFF:
		return true
	case r >= 0xFF66 && r <= 0xFF9F, r >= 0x20000 && r <= 0x3FFFF:
		return true
	case r == 0xFF01, r == 0xFF1B, r == 0xFF1F, r == 0xFF08, r == 0xFF09: // not the full-width comma, stop and colon: they stand in numbers
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo)
}

// unspaced reports whether words of r's script run together, so that no edge of a word can be seen between two letters.
func unspaced(r rune) bool {
	return r >= 0x0E00 && (cjk(r) || unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan))
}

// wordRune reports whether r is part of a word or number. Superscripts, fractions and Roman numeral signs are.
func wordRune(r rune) bool {
	if r < 0x80 {
		return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// numeric reports whether r is part of a number: digits of any script, superscripts, fractions.
func numeric(r rune) bool {
	if r < 0x80 {
		return r >= '0' && r <= '9'
	}
	return unicode.IsNumber(r)
}
