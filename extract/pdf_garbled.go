package extract

import "unicode"

// sensible reports whether bare character codes are text after all: some fonts, mostly Japanese and Chinese ones, say in
// a form that PDFium does not know that their codes are Unicode. Glyph numbers taken for Unicode look like rare
// ideographs. Codes of Latin letters prove nothing: in a font without a table they stand for letters where the maker
// liked, and for ligatures, quotes and dashes otherwise.
func sensible(s string) bool {
	all, kana, common, han := 0, 0, 0, 0
	for _, r := range s {
		all++
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Han, r):
			han++
			if commonHan[r] {
				common++
			}
		}
	}
	switch {
	case all < 20:
		return false
	case kana*5 >= all:
		return (kana+han)*10 >= all*6
	}
	return han*10 >= all*6 && common*10 >= han
}

// commonHan are the most frequent ideographs of Chinese texts, in both forms: an eighth to a quarter of any.
var commonHan = runeSet("的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着著下自之年")

func runeSet(s string) map[rune]bool {
	m := map[rune]bool{}
	for _, r := range s {
		m[r] = true
	}
	return m
}
