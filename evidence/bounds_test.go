package evidence

import (
	"strings"
	"testing"
)

// In each text "|" is an edge and "⏎" a line's end. Beside each rule stands what it must leave alone.
func TestCutAt(t *testing.T) {
	for _, c := range []struct {
		rule  string
		want  cut
		edges string // a text a line
	}{
		{"nothing is cut between words", cutNothing, "the |tide\nthe| tide\nthe tide|.\n|the tide\nthe tide|\nthe (|tide|)\n“|tide|”\nword—|word\nword|—word\nthe tide|, and\n‘|word|’ and\ndogs|’ bones\nend.| Next"},
		{"a word", cutWord, "un|planned\nplan|ned\nna|ïve\nтекс|т\n한|국\nMalmo|\u0308\ncafe|\u0301 x\nbud|\u200bget\nbud\u200b|get\non|\u00adshore"},
		{"a word over the line's end", cutWord, "cur|-⏎rents\ncur-|⏎rents\ncur-⏎|rents\ncur|\u00ad⏎rents\ncur\u00ad⏎|rents\ncur|\u0002\r⏎rents\ncur\u0002\r⏎|rents\ncur\u0002|rents"},
		{"words of scripts without spaces run together", cutNothing, "発電|量\nข้อ|ความ\n2024|年\n年|2024"},
		{"letters and digits are one word", cutWord, "F|16\nCO|₂\nm|²\nH|1N1"},
		{"a digit", cutNumber, "4|1.6\n11|1 percent\n2|12 days\n10|²\n5|½\n12|km\n4|th\n1|e6"},
		{"a decimal", cutNumber, "41|.6\n41.|6\n0,|5\n0|,5\nwas .|5 m\nٍ3|٫5"},
		{"thousands", cutNumber, "212|,000\n212,|000\n1'|000\n1|.250.000\n14|\u00a0306 users\n14 |306 users\n14| 306 users\n1 |234 567\n1 234| 567 m\n14\u202f|306.5"},
		{"no thousands", cutNothing, "in 2023 |100 users\n14 |30 users\n14 |3066 users\nQ3 |306 users\n14⏎|306 users\n2.5 |300 users\n14  |306\n14 |306b"},
		{"clock and date", cutNumber, "12|:30\n12:|30\n24|/7\n2024|-05-01\n2024/|25"},
		{"a sign", cutNumber, "was -|5 m\nwas −|3.4\nwas –|5\nwas +|5 %\nwas ±|5\nwas ~|5\nwas <|5\nwas ≤|5\nwas ≈|5\n−.|5 a\n×|10"},
		{"a spaced sign", cutNumber, "≥ |40 %\n~ |5\n< |5\nwas > |5\n− |5\n3.1 ± |0.2\n5 × |10\n5 |× 10\n5| × 10"},
		{"no sign", cutNothing, "the tide - |5 m high\nn = |24\nn=|24\nx -> |5\nx => |5\n> |5 items\nline⏎> |5 items\nin 2019⏎- |5 items\n(|5)\nword—|5"},
		{"a range", cutNumber, "10|-20\n10-|20\n10–|20\n10 |– 20\n10 – |20\n10| - 20"},
		{"a currency", cutNumber, "of $|212\nof $ |212\nUS$|5\n€|12\n12| €\n12|€\n12|¢"},
		{"a currency of the next number", cutNothing, "sold 12 |$5 notes\nsold 12| $5 notes"},
		{"percent and degrees", cutNumber, "5| %\n5 |%\n5|%\n5\u00a0|%\n5|°\n5| ‰\n5|+ ships\n10|^6"},
		{"percent and magnitude in words", cutNumber, "5 |percent\n5| per cent\nfive |percent\n5 |million\n3.5| billion\ntwo |hundred\ntwenty| thousand\n5 |percentage points"},
		{"number words", cutNumber, "twenty |six\ntwo hundred |six\nhundred |and six\nhundred and |six\nfour |point one\nfour point |one\nTwo Hundred| Thousand"},
		{"no number words", cutNothing, "one |two\nsix |ships\n5 |metres\na |million\nin |hundred cases\nseven and |six\npoint |one\n5 |per day\nthe |percent"},
		{"a compound", cutWord, "fleet|-wide\nfleet-|wide\ntwenty|-six\ntwenty-|six\nlow|‑inertia\n10|-year\nCOVID-|19\nand|/or\nkm/|h\nR&|D\nAT|&T\na|@x.example"},
		{"no compound", cutNothing, "pre|- and post-war\n- |six\nbut -|six\na / |b"},
		{"an apostrophe", cutWord, "can|'t\ncan|’t\ncan’|t\nl’|eau\noperator|'s"},
		{"a name with signs", cutWord, "C|++ code\nC|# code\nsnake|_case\nsnake_|case\na__|b"},
		{"Han numerals", cutNumber, "二十|六艘\n二|十六\n5|万"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			for _, text := range strings.Split(c.edges, "\n") {
				text = strings.ReplaceAll(text, "⏎", "\n")
				clean := strings.ReplaceAll(text, "|", "")
				for at, seen := 0, 0; ; seen++ {
					k := strings.IndexByte(text[at:], '|')
					if k < 0 {
						break
					}
					at += k + 1
					got := cutAt(clean, at-1-seen, false)
					if got != c.want && !(c.want == cutWord && got == cutNumber) {
						t.Errorf("%q: cuts %d; want %d", text, got, c.want)
					}
				}
			}
		})
	}
	if cutAt("_private(x)", 1, true) != cutWord || cutAt("_tidal_ x", 1, false) != cutNothing {
		t.Error("an underscore belongs to a name in code, and may be emphasis in prose")
	}
}
