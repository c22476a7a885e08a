package claim

import (
	"testing"
	"unicode/utf8"
)

// FuzzCheck: no two texts make the check fail, what it says is about them, and a claim that is its quote passes.
func FuzzCheck(f *testing.F) {
	f.Add("The array delivered 41.6 GWh on 14 March 2024.", "It may not deliver £3.1m–£4m, isn't it?", "do not ")
	f.Add("All 10² of ½ “twenty-one” 1,234.5.6 %", "Q1 '80s 19th century 1.234.567", "if ")
	f.Add("5-5--5 - 5 from 7 to 19", "can't cannot won't n't 's U.S. e.g. No. 5", "\xff\x00")
	f.Add("Only never un un in in ((((", "not not not , . ; :", "")
	f.Fuzz(func(t *testing.T, claim, quote, before string) {
		for _, v := range Check(claim, quote, Context{Title: before, Before: before, After: claim}) {
			if v.Message == "" || v.Code == "" || v.Severity != Block && v.Severity != Flag || !utf8.ValidString(v.Claim) {
				t.Errorf("%+v", v)
			}
		}
		if vs := Check(claim, claim, Context{}); len(vs) > 0 {
			t.Errorf("a claim is not its quote: %q: %v", claim, vs)
		}
		if s := Score(Check(claim, quote, Context{})); s < 0 || s > 1 {
			t.Errorf("score %v", s)
		}
	})
}
