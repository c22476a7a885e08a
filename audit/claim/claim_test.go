package claim

import (
	"slices"
	"strings"
	"testing"
)

// A ruleCase is a claim, a quote and what the rule under test says of them: "block", "flag" or "".
type ruleCase struct {
	claim, quote string
	want         Severity
}

// testRule runs cases of one rule. What other rules find in them does not count.
func testRule(t *testing.T, codes []Code, cases []ruleCase) {
	t.Helper()
	for _, c := range cases {
		var got Severity
		for _, v := range Check(c.claim, c.quote, Context{}) {
			if slices.Contains(codes, v.Code) && (got == "" || v.Severity == Block) {
				got = v.Severity
			}
		}
		if got != c.want {
			t.Errorf("claim %q\nquote %q\ngot %q, want %q: %v", c.claim, c.quote, got, c.want, Check(c.claim, c.quote, Context{}))
		}
	}
}

// A claim that is its quote passes by construction, whatever it says.
func TestQuoteItself(t *testing.T) {
	for _, s := range []string{
		"We found no evidence that the turbines harmed porpoises, although the survey covered only six of the twelve sites.",
		"Erlöse stiegen um 4,5 % auf 1.234,5 Mio. €.",
		"Only 5–7 of “all” 12 isn't never 10² kWh/m² …",
		"MAX_RETRIES = 3",
	} {
		if vs := Check(s, s, Context{}); len(vs) > 0 {
			t.Errorf("%q: %v", s, vs)
		}
	}
}

// Every verdict names what it compares, and its message can be acted on.
func TestVerdictsSpeak(t *testing.T) {
	vs := Check("The array delivered 47.6 GWh only in May 2023, and never fell.", "Over its first winter the array delivered 41.6 GWh until March 2024, and it fell.", Context{})
	if len(vs) < 3 {
		t.Fatalf("%v", vs)
	}
	flagged := false
	for _, v := range vs {
		if v.Claim == "" || v.Message == "" || !strings.HasSuffix(v.Message, ".") || weights[v.Code] == 0 {
			t.Errorf("%+v", v)
		}
		if v.Severity == Block && flagged {
			t.Error("a block behind a flag")
		}
		flagged = flagged || v.Severity == Flag
	}
}

func TestEmpty(t *testing.T) {
	for _, c := range [][2]string{{"", ""}, {"", "A quote."}, {"A claim.", ""}, {" .,;", "--"}} {
		if vs := Check(c[0], c[1], Context{}); Blocks(vs) {
			t.Errorf("%q: %v", c, vs)
		}
	}
}
