package extract

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Mojibake is not repaired: a quote is what the page says. It is told, since a reader who looks a name up will not find it.
const (
	fewMojibake  = 3    // sequences on a page: a text about encodings shows one or two
	fewUndecoded = 0.01 // of the characters above ASCII
)

// checkCharacters flags a page whose characters were lost on the way: decoded wrongly before it was published, or not
// decodable.
func (p *Page) checkCharacters() {
	high, lost, wrong := 0, 0, 0
	for _, b := range p.Blocks {
		if !b.Main && !b.Quotable {
			continue
		}
		n := above(b.Text)
		if n == 0 { // most texts are of English
			continue
		}
		high += n
		for _, r := range b.Text {
			if r == utf8.RuneError {
				lost++
			}
		}
		wrong += mojibake(b.Text)
	}
	if lost > 0 && float64(lost) > fewUndecoded*float64(high) {
		p.flag(FlagUndecoded)
	}
	if wrong >= fewMojibake {
		p.flag(FlagMojibake)
	}
}

// above counts the characters of a text that are not of ASCII.
func above(text string) (n int) {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			for _, r := range text[i:] {
				if r >= utf8.RuneSelf {
					n++
				}
			}
			return n
		}
	}
	return 0
}

// A misreading is a charset that UTF-8 is often taken for.
type misreading struct {
	bytes map[rune]byte
	dense bool // its own texts hold what looks like mojibake, so that only a whole paragraph of it counts
}

var misreadings = sync.OnceValue(func() (list []misreading) {
	for _, c := range [...]struct {
		charmap *charmap.Charmap
		dense   bool
	}{{charmap.Windows1252, false}, {charmap.Windows1250, false}, {charmap.Macintosh, false}, {charmap.Windows1251, true}} {
		m := misreading{map[rune]byte{}, c.dense}
		for b := 0x80; b < 0x100; b++ {
			r := c.charmap.DecodeByte(byte(b))
			if r == utf8.RuneError {
				r = rune(b) // unassigned bytes survive as control characters
			}
			m.bytes[r] = byte(b)
		}
		list = append(list, m)
	}
	return list
})

// mojibake counts the characters of a text that were UTF-8 and were read as another charset: Ã© for é, â€™ for ’.
func mojibake(text string) int {
	high := above(text)
	if high < 2 {
		return 0
	}
	runes := []rune(text)
	most := 0
	for _, m := range misreadings() {
		hits, used := 0, 0
		for i := 0; i < len(runes); i++ {
			n := m.at(runes[i:])
			if n == 0 || !m.dense && i > 0 && unicode.IsUpper(runes[i-1]) && n == 2 { // the end of a word in capitals, and a quotation mark
				continue
			}
			hits++
			used += n
			i += n - 1
		}
		if m.dense && used*3 < high*2 {
			continue
		}
		most = max(most, hits)
	}
	return most
}

// at returns how many runes at the beginning of a text are the bytes of one character of ordinary text, or 0.
func (m misreading) at(runes []rune) int {
	lead := m.bytes[runes[0]]
	n := 0
	switch {
	case lead >= 0xc2 && lead < 0xe0:
		n = 2
	case lead >= 0xe0 && lead < 0xf0:
		n = 3
	case lead >= 0xf0 && lead < 0xf5:
		n = 4
	}
	if n == 0 || len(runes) < n || n == 3 && runes[1] == '\u00a0' { // é », as the French write
		return 0
	}
	bytes := []byte{lead}
	for _, r := range runes[1:n] {
		bytes = append(bytes, m.bytes[r])
	}
	r, size := utf8.DecodeRune(bytes)
	if size != n || !ordinary(r) {
		return 0
	}
	return n
}

// ordinary reports whether a character is one that texts hold: chance makes rarer ones.
func ordinary(r rune) bool {
	switch {
	case r >= 0xa0 && r <= 0x17f, r >= 0x391 && r <= 0x3ce, r >= 0x401 && r <= 0x45f, r >= 0x5d0 && r <= 0x5ea, r >= 0x621 && r <= 0x64a, r >= 0xe01 && r <= 0xe5b:
		return true
	case r >= 0x1e00 && r <= 0x1eff, r >= 0x2010 && r <= 0x203a, r == 0x20ac, r == 0x2122, r == 0x2192, r == 0x2212:
		return true
	case r >= 0x3040 && r <= 0x30ff, r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3, r >= 0x1f300 && r <= 0x1faff:
		return true
	}
	return r == utf8.RuneError || r == '\ufeff' || strings.ContainsRune("、。「」！？", r)
}
