package audit

import (
	"ibid/audit/claim"
	"math"
	"testing"
)

func TestHasNumber(t *testing.T) {
	for _, yes := range []string{
		"17 boats", "nine million pounds", "One in five trips", "3½ hours", "phase XII is complete", "١٤ percent", "𝟗𝟎 hours",
		"1\u200b4 percent", "n\u200bine boats", "４２", "half of the overrun", "two thirds", "a third of it", "x² of it", "twice as fast",
		"output doubled", "Part IV", "Ⅻ", "①", "८० boats", "a dozen", "per cent", "one third", "ein Drittel von drei", "5%", "Chapter V",
		"n\u00adine", "𝐧𝐢𝐧𝐞 boats", "ｎｉｎｅ",
	} {
		if !HasNumber(yes) {
			t.Errorf("no number seen in %q", yes)
		}
	}
	for _, no := range []string{
		"Output", "The first winter", "one would think", "in the second quarter", "I, for one, agree", "Sources of delay", "Limits ⚠️",
		"CIVIL MIX", "the next one", "Part of the DIVING crew", "vitamin C", "plan B", "",
	} {
		if HasNumber(no) {
			t.Errorf("a number seen in %q", no)
		}
	}
}

func TestFigures(t *testing.T) {
	for text, want := range map[string][]float64{
		"The array delivered 41.6 GWh, about 8 percent below 45.2": {41.6, 8, 45.2},
		"on 14 March 2024 it fed 86,400 cups":                      {14, 2024, 86400},
		"eleven million pounds and £11 million":                    {11e6, 11e6},
		"two hundred and five of twenty-six":                       {205, 26},
		"one in five, two thirds, a quarter of it":                 {0.2, 2.0 / 3, 0.25},
		"3½ hours; 10² kN":                                         {3.5, 100},
		"TR-2024-17 and 9f3c2ab and S1 and nM00rT and Covid-19":    {},
		"mid-2024, 2024-25, 41,6 GWh, 1 234 567 units":             {2024, 2024, 25, 41.6, 1234567},
		"twice as many, it doubled":                                {2, 2},
		"the first and the second quarter, one would think":        {},
		"١٤ percent, 𝟗𝟎 hours":                                     {14, 90},
		"version v2 of tide, 1.5 m, 30kWh, 14th":                   {1.5, 30, 14},
		"nineteen to seven, six of the twelve sites":               {19, 7, 6, 12},
		"three thousand four hundred and one":                      {3401},
		"half was planning":                                        {0.5},
		"a hundred boats, half a million":                          {100, 0.5, 1e6},
	} {
		got := claim.Numbers(text)
		ok := len(got) == len(want)
		for i := range want {
			ok = ok && i < len(got) && math.Abs(got[i].Value-want[i]) < 1e-9*math.Max(1, want[i])
		}
		if !ok {
			t.Errorf("%q: got %+v, want %v", text, got, want)
		}
	}
}

func TestFigureFound(t *testing.T) {
	for _, c := range []struct {
		says, knows string
		want        bool
	}{
		{"41.6 GWh", "41.6 gigawatt-hours", true},
		{"about 42 GWh", "41.6 gigawatt-hours", true},
		{"41,600 MWh", "41.6 gigawatt-hours", true},
		{"$0.031 per unit", "3.1 cents per unit", true},
		{"£11 million", "eleven million pounds", true},
		{"half of the twelve sites", "six of the twelve sites", true},
		{"a fall of 63 percent", "from 19 to 7", true},
		{"fell by 12", "from 19 to 7", true},
		{"92 percent of forecast", "8 percent below forecast", true},
		{"more than 41 GWh", "41.6 GWh", true},
		{"47.6 GWh", "41.6 GWh", false},
		{"31 cents", "3.1 cents", false},
		{"about 50 GWh", "41.6 GWh", false},
		{"until 2041", "41.6 and 8 and 45.2", false},
		{"fell from 12", "from 19 to 7", false},
		{"fell by 73 percent", "from 19 to 7", false},
		{"212 days", "272 days", false},
	} {
		known := claim.Numbers(c.knows)
		got := true
		for _, f := range claim.Numbers(c.says) {
			got = got && f.In(known)
		}
		if got != c.want {
			t.Errorf("%q after %q: %v", c.says, c.knows, got)
		}
	}
}
