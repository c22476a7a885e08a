package claim

import (
	"slices"
	"testing"
)

func TestAround(t *testing.T) {
	for _, c := range []struct {
		claim, quote, before, after string
		want                        Severity
	}{
		{"The authors recommend fleet-wide replacement.", "recommend fleet-wide replacement", "The sample is small; we do not ", " before a second trial.", Block},
		{"The authors do not recommend replacement.", "recommend fleet-wide replacement", "The sample is small; we do not ", " before a second trial.", ""},
		{"Tidal power is predictable.", "tidal is predictable", "people keep saying ", " and the tide is", Block},
		{"The survey found no harm to porpoises.", "We found no evidence of harm to porpoises", "", ", although the survey covered only six of the twelve sites.", Flag},
		{"The survey found no harm although it was small.", "We found no evidence of harm to porpoises", "", ", although the survey covered only six of the twelve sites.", ""},
		{"The operator will add four turbines.", "the operator will add four turbines", "If the lease is renewed, ", ".", Flag},
		{"The pump held.", "The pump held.", "It is not deep. ", " But the seal broke.", ""},
		{"The earth is flat.", "the earth is flat", "The idea that ", " is false.", Block},
		{"The seal broke.", "The seal broke", "It was not old.\n", ".", ""},
	} {
		var got Severity
		for _, v := range Check(c.claim, c.quote, Context{Before: c.before, After: c.after}) {
			if v.Code == ContextCut && got != Block {
				got = v.Severity
			}
		}
		if got != c.want {
			t.Errorf("%q of %q|%q|%q: %q, want %q", c.claim, c.before, c.quote, c.after, got, c.want)
		}
	}
}

// Somebody else's words on a page are not what the page says.
func TestVoice(t *testing.T) {
	c := Context{Voice: "a comment by somebody else"}
	if vs := Check("The bridge will be closed.", "the bridge will be closed for good", c); len(vs) != 1 || vs[0].Code != OtherVoice || vs[0].Severity != Flag {
		t.Error(vs)
	}
	if vs := Check("A reader claims that the bridge will be closed.", "the bridge will be closed for good", c); slices.ContainsFunc(vs, func(v Verdict) bool { return v.Code == OtherVoice }) {
		t.Error(vs)
	}
}

// What stands in the title, the heading or the heads of a table is known to a reader of the quote.
func TestContext(t *testing.T) {
	c := Context{Title: "The Aller bridge in 2024", Heading: "Traffic", Table: "Year | Cars (thousands)"}
	if vs := Check("The Aller bridge carried 4,100 cars in 2024.", "It carried 4,100 cars.", c); Blocks(vs) {
		t.Error(vs)
	}
	if vs := Check("The Aller bridge carried 4,100 cars in 2023.", "It carried 4,100 cars in 2024.", c); !Blocks(vs) {
		t.Error("another year passes")
	}
}
