package evidence

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"plain", "It cost 3.1 cents - \"roughly\".", "It cost 3.1 cents - \"roughly\"."},
		{"curly, low and prime quotes", "‘a’ ‚b‛ “c” „d‟ 5′ 6″ don´t Hawaiʻi", `'a' 'b' "c" "d" 5' 6" don't Hawai'i`},
		{"guillemets", "«a» ‹b› «\u00a0c\u202f»", `"a" 'b' "c"`},
		{"guillemets with ordinary spaces", "sagte »a« und", `sagte "a" und`},
		{"corner brackets", "「a」『b』", `"a""b"`},
		{"hyphens and minus", "a‐b‑c‒d–e −5 ﹣6 －7", "a-b-c-d-e -5 -6 -7"},
		{"em dash", "a—b — c―d -- e --- f", "a - b - c - d - e - f"},
		{"em dash at the ends", "— a —", "- a -"},
		{"double hyphen of an option", "go test --race x", "go test --race x"},
		{"spaces", "a\u00a0b\u2009c\u202fd\u3000e \t\r\n f\u2028g\vh", "a b c d e f g h"},
		{"space at the ends", " \n a b \u00a0", "a b"},
		{"invisible", "bud\u200bget re\u2060served \u200eat\u200f \ufeff41\u00ad\ufe0f\u202e", "budget reserved at 41"},
		{"invisible between spaces", "a \u200b b\u00a0\ufeff c", "a b c"},
		{"ellipsis sign", "a… b", "a... b"},
		{"ligatures", "ﬁrst suﬃcient ﬂow oﬀ waﬄe ﬅop laﬆ", "first sufficient flow off waffle stop last"},
		{"long s", "ſix loſt", "six lost"},
		{"full width", "２０２４ ＴＷｈ，１２．５％（ａ）＂ｂ＂", `2024 TWh,12.5%(a)"b"`},
		{"half width kana", "ｶﾞｽ ﾃﾞｰﾀ", "ガスデータ"},
		{"mathematical letters and digits", "𝐸 = 𝟗𝟓 𝜎 𝛼 𝔄 𝒶ℎ ℝ ℓ 𝝏", "E = 95 σ α A ah R l ∂"},
		{"Roman numeral signs", "Type Ⅳ, Ⅻ, ⅷ", "Type IV, XII, viii"},
		{"superscripts, fractions and circles stay", "10² CO₂ ½ 5¼ ① ⑴ x⁻³ ª º ™ № ℃ µ", "10² CO₂ ½ 5¼ ① ⑴ x⁻³ ª º ™ № ℃ µ"},
		{"accents stay", "Malmö, naïve, Ångström", "Malmö, naïve, Ångström"},
		{"case stays", "US us Us", "US us Us"},
		{"other scripts stay", "d\u0430ys ٣٫٥ 한국어", "d\u0430ys ٣٫٥ 한국어"},
		{"NFD", norm.NFD.String("Malmö, Ångström, q̣̇x, 한국"), "Malmö, Ångström, q̣̇x, 한국"},
		{"NFD kana", norm.NFD.String("ガス"), "ガス"},
		{"marks in another order", "q\u0307\u0323", "q\u0323\u0307"},
		{"marks after an invisible", "e\u200d\u0301a", "éa"},
		{"mark on a folded letter", "ｅ\u0301 𝑒\u0301 ſ\u0307", "é é ṡ"},
		{"singletons", "\u212b \u2126 \u212a", "Å Ω K"},
		{"mark with nothing before", "\u0301a \u0301b", "\u0301a \u0301b"},
		{"Han over lines", "発電\n量は、\n前年 を 上回", "発電量は、前年を上回"},
		{"Han beside Latin", "2024 年度 TWh", "2024年度TWh"},
		{"digits keep their space", "第 3 5 条", "第3 5条"},
		{"hyphen at a line's end", "cur-\nrents fleet-\r\nwide re\u00ad\n  place cur\u2010\nrents", "cur\x01rents fleet\x01wide re\x01place cur\x01rents"},
		{"PDFium's mark", "cur\u0002\r\nrents cur\u0002rents a\u0002 b", "cur\x01rents cur\x01rents a\x01b"},
		{"hyphen at a line's end beside digits", "2019-\n2021 COVID-\n19 2019–\n2021", "2019\x022021 COVID\x0219 2019\x022021"},
		{"dash at a line's end", "the tide -\nbut", "the tide - but"},
		{"hyphen before a blank line", "cur-\n\nrents", "cur- rents"},
		{"control characters", "a\x01b\x02c\x03 d\x7f\u0085e", "ab\x01c d e"},
		{"invalid UTF-8", "a\xffb", "a\uFFFDb"},
		{"nothing", "\u200b \n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fold(c.raw, false)
			if f.text != c.want {
				t.Errorf("fold(%q) = %q; want %q", c.raw, f.text, c.want)
			}
			checkMap(t, c.raw, f)
		})
	}
	if f := fold("a--b --x cur-\nrents “q”", true); f.text != `a--b --x cur- rents "q"` {
		t.Errorf("code folds to %q", f.text)
	}
}

// checkMap holds the map of a fold to what it is for: the raw text of a rune, taken by itself, folds to that rune or
// to more of the text around it, ranges are in order and on rune boundaries.
func checkMap(t *testing.T, raw string, f *folded) {
	t.Helper()
	last := 0
	for i, r := range f.text {
		n := len(string(r))
		start, end := f.rawStart(i), f.rawEnd(i+n)
		if start < 0 || end > len(raw) || start >= end || start < last && f.runs == nil {
			t.Fatalf("%q: rune %q at %d maps to [%d,%d] of %d", raw, r, i, start, end, len(raw))
		}
		if start < last {
			if e := f.rawEnd(i); e < start { // inside one raw rune that folds to several
				t.Fatalf("%q: rune %q at %d maps backwards", raw, r, i)
			}
		}
		last = start
		if utf8.ValidString(raw) && (!utf8.RuneStart(raw[start]) || end < len(raw) && !utf8.RuneStart(raw[end])) {
			t.Fatalf("%q: rune %q at %d maps to [%d,%d], inside a rune", raw, r, i, start, end)
		}
	}
	if f.runs == nil && f.text != "" && f.text != raw {
		t.Fatalf("%q: folds to %q without a map", raw, f.text)
	}
}

func TestCountInvisible(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "plain text\n": 0, "The bud\u200bget cap was re\u2060served at \u200e41 units\u200f before the \ufeffspend.": 5,
		"on\u00adshore": 1, "⚠\ufe0f": 0, "a\U000e0041\U000e0042": 2, "cur\u0002\nrents": 0, "a\u202eb\u202c": 2, "emoji 👩\u200d🔬": 1,
	} {
		if n := CountInvisible(text); n != want {
			t.Errorf("%q: %d; want %d", text, n, want)
		}
	}
}
