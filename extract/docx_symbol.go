package extract

import (
	"strconv"
	"strings"
)

// symbol returns what a character of a symbol font shows, in Unicode; "" for one that has no equal there. Such fonts keep
// their signs at F000 and above (ISO 29500-1 §17.3.3.30).
func symbol(font, char string) string {
	n, err := strconv.ParseUint(char, 16, 21)
	if err != nil {
		return ""
	}
	code := rune(n)
	if code >= 0xf000 && code <= 0xf0ff {
		code -= 0xf000
	}
	table := ""
	switch strings.ToLower(font) {
	case "symbol":
		table = symbolFont
	case "wingdings":
		return wingdings[code]
	}
	if i := int(code) - 0x20; table != "" && i >= 0 {
		for _, r := range table {
			if i == 0 {
				return strings.Trim(string(r), "\u0000")
			}
			i--
		}
		return ""
	}
	if n >= 0xe000 && n <= 0xf8ff || !visible(string(code)) {
		return ""
	}
	return string(code)
}

// unsymbol writes a text that is set in a symbol font in Unicode; other text stays as it is.
func unsymbol(font, text string) string {
	own := func(r rune) bool { return r >= 0xf000 && r <= 0xf0ff }
	if strings.IndexFunc(text, own) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if own(r) {
			b.WriteString(symbol(font, strconv.FormatInt(int64(r), 16)))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// symbolFont is the encoding of the Symbol font from 0x20 on, as Unicode publishes it.
const symbolFont = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_\u0000αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼\u0000" +
	"\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000" +
	"€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…\u0000\u0000↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"

// wingdings are the signs of that font that carry meaning in a text.
var wingdings = map[rune]string{
	0x4a: "☺", 0x4c: "☹", 0x6c: "●", 0x6e: "■", 0x6f: "□", 0x71: "❑", 0x76: "❖", 0xa7: "▪", 0xa8: "◻", 0xd8: "➢", 0xdf: "←", 0xe0: "→",
	0xe1: "↑", 0xe2: "↓", 0xef: "⇦", 0xf0: "⇨", 0xf3: "⇔", 0xfb: "✗", 0xfc: "✓", 0xfd: "☒", 0xfe: "☑",
}
