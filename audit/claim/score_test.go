package claim

import "testing"

// The score grows with each verdict, and a block is always worse than any number of flags.
func TestScore(t *testing.T) {
	if Score(nil) != 0 {
		t.Error("nothing wrong has a score")
	}
	var flags []Verdict
	last := 0.0
	for code := range weights {
		flags = append(flags, Verdict{Code: code, Severity: Flag})
		if s := Score(flags); s <= last || s > 1 {
			t.Errorf("%d flags: %v after %v", len(flags), s, last)
		} else {
			last = s
		}
	}
	for code := range weights {
		one := []Verdict{{Code: code, Severity: Block}}
		if s := Score(one); s <= last || s > 1 || Score(append(one, flags[0])) < s {
			t.Errorf("%s blocks: %v, all flags: %v", code, s, last)
		}
	}
}
