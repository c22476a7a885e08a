package extract

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
)

func TestMojibake(t *testing.T) {
	misread := func(text string, c *charmap.Charmap) string {
		out, err := c.NewDecoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, c := range []struct {
		text string
		want bool
	}{
		{misread("Le péage coûtait déjà 3 francs, à l'époque.", charmap.Windows1252), true},
		{misread("It’s what they’ve said: “never” — again.", charmap.Windows1252), true},
		{misread("Zażółć gęślą jaźń", charmap.Windows1250), true},
		{misread("Портовый совет опубликовал отчёт", charmap.Windows1251), true},
		{misread("Портовый совет опубликовал отчёт", charmap.Windows1252), true},
		{misread("It’s “fine”", charmap.Macintosh), true},
		{misread("港口委员会", charmap.Windows1252), true},
		{"Il cherche la «\u00a0vérité\u00a0», la «\u00a0liberté\u00a0», l’«\u00a0égalité\u00a0» et «\u00a0l’été\u00a0».", false},
		{"”PÅ”, ”TVÅ”, ”SÅ”, ”GÅ” – ÅÄÖ", false},
		{"Річка Рів, Різдво, Сім’я, РІК, Рівне, Річ", false},
		{"SÃO PAULO, NÃO, «IRMÃ», «AMANHÃ», «MANHÃ»", false},
		{"„CAFÉ“, „IDÉ“, „TEMPÓ“ – 5 °C · § 3 · 10 € ± 2 ½", false},
		{"É” is what Ã© looks like.", false},
		{"Plain words.", false},
	} {
		p := read(t, "https://a.example/x.txt", "text/plain; charset=utf-8", c.text)
		if got := slices.Contains(p.Flags, FlagMojibake); got != c.want {
			t.Errorf("%s: %v (%d)", c.text, got, mojibake(c.text))
		}
		if p.Blocks[0].Text != c.text {
			t.Errorf("%s was changed to %s", c.text, p.Blocks[0].Text)
		}
	}
}

func TestUndecoded(t *testing.T) {
	for text, want := range map[string]bool{
		"The na\ufffdve caf\ufffd opened at noon.":                       true,
		"one \ufffd among " + strings.Repeat("péages à l’étranger ", 50): false,
		"nothing is lost": false,
	} {
		p := read(t, "https://a.example/x.txt", "text/plain; charset=utf-8", text)
		if got := slices.Contains(p.Flags, FlagUndecoded); got != want {
			t.Errorf("%.40q: %v", text, got)
		}
	}
}
