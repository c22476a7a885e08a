package derive

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

var dims = map[string]struct {
	dim    string
	factor string
}{"GWh": {"energy", "1000000000"}, "MWh": {"energy", "1000000"}, "joules": {"energy", "0.000277778"}, "percent": {"ratio", "0.01"}, "percentage points": {"points", "0.01"},
	"$": {"usd", "1"}, "hours": {"time", "3600"}, "days": {"time", "86400"}, "years": {"time", "31556952"}, "°C": {"celsius", "1"}, "kronor": {"sek", "1"}, "nok": {"sek", "1"}, "": {"", "1"}}

// fig reads a figure such as "45.2 GWh", "$4.6 million", "about 3 days" or "310 calls".
func fig(t testing.TB, s string) Figure {
	t.Helper()
	rest, about := strings.CutPrefix(s, "about ")
	f := Figure{About: about}
	f.Text, _, _ = strings.Cut(rest, " per ")
	rest, money := strings.CutPrefix(rest, "$")
	f.Number, rest, _ = strings.Cut(rest, " ")
	if word, after, _ := strings.Cut(rest, " "); scales[word] != 0 {
		f.Scale, rest = word, after
	}
	if f.Unit = rest; money {
		f.Unit = "$"
	}
	f.Unit, f.PerName, _ = strings.Cut(f.Unit, " per ")
	f.Per = f.PerName
	d, known := dims[f.Unit]
	if !known { // it counts something
		f.Noun, f.Unit, f.Text = []string{f.Unit}, "", strings.TrimSpace(f.Number+" "+f.Scale)
		d = dims[""]
	}
	f.Dim = d.dim
	f.Factor, _ = new(big.Rat).SetString(d.factor)
	var ok bool
	if f.Value, ok = new(big.Rat).SetString(strings.ReplaceAll(f.Number, ",", "")); !ok {
		t.Fatalf("%q is no figure", s)
	}
	if n := scales[f.Scale]; n != 0 {
		f.Value.Mul(f.Value, big.NewRat(n, 1))
	}
	return f
}

// quotes are the figures of F1, F2 and so on, those of one finding parted by semicolons.
func quotes(t testing.TB, findings ...string) map[string][]Figure {
	m := map[string][]Figure{}
	for i, f := range findings {
		for s := range strings.SplitSeq(f, "; ") {
			if s != "" {
				m[fmt.Sprintf("F%d", i+1)] = append(m[fmt.Sprintf("F%d", i+1)], fig(t, s))
			}
		}
	}
	return m
}

func all(m map[string][]Figure) []Figure {
	var out []Figure
	for i := 1; i <= len(m); i++ {
		out = append(out, m[fmt.Sprintf("F%d", i)]...)
	}
	return out
}

func compute(t testing.TB, text string, m map[string][]Figure) (Computation, error) {
	t.Helper()
	e, err := Parse(text)
	if err != nil {
		return Computation{}, err
	}
	return e.Compute(m)
}

func TestCompute(t *testing.T) {
	for _, c := range []struct {
		draft, findings, want string
	}{
		{"F1 + F2", "0.1|0.2", "0.1 + 0.2 = 0.3"},
		{"F1:45.2 - F1:41.6", "45.2 GWh; 41.6 GWh", "45.2 GWh − 41.6 GWh = 3.6 GWh"},
		{"fall(F1:45.2, F2)", "45.2 GWh|41.6 GWh", "(45.2 GWh − 41.6 GWh) ÷ 45.2 GWh ≈ 8.0 percent"},
		{"round(fall(F1, F2), 0)", "45.2 GWh|41.6 GWh", "(45.2 GWh − 41.6 GWh) ÷ 45.2 GWh ≈ 8 percent"},
		{"rise(F2; F1)", "45.2 GWh|41.6 GWh", "(45.2 GWh − 41.6 GWh) ÷ 41.6 GWh ≈ 8.7 percent"},
		{"share(F1, F2)", "12|48", "12 ÷ 48 = 25 percent"},
		{"F2/F1", "12|48", "48 ÷ 12 = 4"},
		{"ratio(F1, F2)", "41.6 GWh|45.2 GWh", "41.6 GWh ÷ 45.2 GWh ≈ 0.92"},
		{"100 * F1 / F2", "41.6 GWh|45.2 GWh", "41.6 GWh ÷ 45.2 GWh ≈ 92.0 percent"},
		{"(F1 - F2) / F1 * 100", "45.2 GWh|41.6 GWh", "(45.2 GWh − 41.6 GWh) ÷ 45.2 GWh ≈ 8.0 percent"},
		{"percent(F1/F2)", "41.6 GWh|45.2 GWh", "41.6 GWh ÷ 45.2 GWh ≈ 92.0 percent"},
		{"F1 - F2", "4.6 percent|4.1 percent", "4.6 percent − 4.1 percent = 0.5 percentage points"},
		{"F1 + F2", "4.6 percent|4.1 percent", "4.6 percent + 4.1 percent = 8.7 percent"},
		{"F1 + F2", "4.6 percent|0.3 percentage points", "4.6 percent + 0.3 percentage points = 4.9 percent"},
		{"1 - F1", "20 percent", "1 − 20 percent = 80 percent"},
		{"F1 * F2", "20 percent|45.2 GWh", "20 percent × 45.2 GWh = 9.04 GWh"},
		{"F1 * F2", "20 percent|310 calls", "20 percent × 310 = 62"},
		{"F1 - F2", "14.2 million crowns|13.1 million crowns", "14.2 million − 13.1 million = 1.1 million"},
		{"F1 + F2", "$4.6 million|$400,000", "$4.6 million + $400,000 = $5 million"},
		{"F1 + F2", "3.6 GWh|400 MWh", "3.6 GWh + 400 MWh = 4 GWh"},
		{"F1 + F2", "2 days|12 hours", "2 days + 12 hours = 2.5 days"},
		{"mean(F1, F2, F3)", "1 GWh|2 GWh|4 GWh", "mean(1 GWh; 2 GWh; 4 GWh) ≈ 2.33 GWh"},
		{"sum(F1, F2, F3)", "1 GWh|2 GWh|4 GWh", "1 GWh + 2 GWh + 4 GWh = 7 GWh"},
		{"difference(F1, F2)", "about 9 days|2 days", "9 days − 2 days = about 7 days"},
		{"F1 / F2", "310 calls|12 hours", "310 ÷ 12 hours ≈ 25.83 per hour"},
		{"F1 / F2", "$90|12 GWh", "$90 ÷ 12 GWh = $7.5 per GWh"},
		{"F1 - F2", "9 GWh per year|4 GWh per year", "9 GWh − 4 GWh = 5 GWh per year"},
		{"(F1 - F2) / (F1 + F2)", "3 days|1 days", "(3 days − 1 days) ÷ (3 days + 1 days) = 0.5"},
		{"F1 - (F2 - F3)", "3 days|2 days|1 days", "3 days − (2 days − 1 days) = 2 days"},
		{"F1 / (F2 * F3)", "8|2|2", "8 ÷ (2 × 2) = 2"},
		{"F1 * F2", "12345|2", "12345 × 2 = 24,690"},
		{"share(F1, F2)", "1|3000", "1 ÷ 3000 ≈ 0.033 percent"},
		{`F1:"41.6 GWh" - F1:“3”`, "41.6 GWh; 3 GWh", "41.6 GWh − 3 GWh = 38.6 GWh"},
	} {
		m := quotes(t, strings.Split(c.findings, "|")...)
		got, err := compute(t, c.draft, m)
		if err != nil {
			t.Errorf("%s: %v", c.draft, err)
			continue
		}
		if s := got.Expression + " " + got.Sign() + " " + got.Result; s != c.want {
			t.Errorf("%s: %s, want %s", c.draft, s, c.want)
		}
		if _, _, err := Check(got, all(m)); err != nil {
			t.Errorf("%s: %+v is not recognised: %v", c.draft, got, err)
		}
	}
}

// TestNotes: a sum of what may not be of one kind is said to be one.
func TestNotes(t *testing.T) {
	for findings, noted := range map[string]bool{"310 calls|140 calls": false, "310 calls|140": false, "310 calls|140 crowns": true} {
		m := quotes(t, strings.Split(findings, "|")...)
		c, err := compute(t, "F1 + F2", m)
		if err != nil {
			t.Fatal(err)
		}
		if _, notes, err := Check(c, all(m)); err != nil || (len(notes) > 0) != noted {
			t.Errorf("%s: %q, %v", findings, notes, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	bounded := fig(t, "9 days")
	bounded.Bounded = true
	for _, c := range []struct {
		draft, findings string
		kind            Kind
		says            string
	}{
		{"F1 / F2", "4 days|0 days", Undefined, "zero"},
		{"F1:4.16 - F2", "41.6 GWh; 45.2 GWh|3 GWh", Absent, "41.6 GWh; 45.2 GWh"},
		{"F1 - F2", "41.6 GWh; 45.2 GWh|3 GWh", Unclear, "F1:41.6"},
		{"F1:5 - F2", "5 days; 5 GWh|3 GWh", Unclear, "two figures"},
		{"F1 - F2", "|3 GWh", Absent, "no figure"},
		{"F1 + F2", "4 days|3 GWh", Units, "energy"},
		{"F1 + F2", "4 percent|3 GWh", Units, "energy"},
		{"F1 - F2", "4 percentage points|3 percent", Units, "share"},
		{"F1 + F2", "4|3 GWh", Units, "bare number"},
		{"F1 + F2", "9 GWh per year|4 GWh", Units, "per year"},
		{"F1 * F2", "4 days|3 GWh", Units, "multiplied"},
		{"F1 + F2", "4 joules|3 GWh", Units, "exactly"},
		{"F1 + F2", "4 years|3 days", Units, "exactly"},
		{"F1 + F2", "4 kronor|3 nok", Units, "exactly"},
		{"F1 / F2", "4 °C|3 °C", Units, "temperatures"},
		{"percent(F1)", "4 days", Units, "share"},
		{"F1 - F2", "3 days|4 days", Undefined, "below zero"},
		{"round(F1 / F2, 0)", "1 days|4 days", Undefined, "rounded away"},
		{"F1 * 3", "4 days", Malformed, "typed"},
		{"F1 + 1", "4 days", Malformed, "typed"},
		{"F1 + 1", "4", Malformed, "typed"},
		{"F1 * (1 + 1)", "4", Malformed, "more than once"},
		{"F1 * 1", "4", Malformed, "typed"},
		{"mean(F1, 1)", "4", Malformed, "typed"},
		{"F1 / 100", "4", Malformed, "typed"},
		{"100 - F1", "4", Malformed, "typed"},
		{"F1 * 100 * 100", "4", Malformed, "typed"},
		{"100", "", Malformed, "typed"},
		{"F1 * 100", "4 GWh", Units, "no share"},
		{"1", "", Malformed, "no finding"},
		{"1 + (1 + F1)", "4 percent", Malformed, "more than once"},
		{"F1 +", "4 days", Malformed, "ends"},
		{"F1 F2", "4 days|4 days", Malformed, "not expected"},
		{"-F1", "4 days", Malformed, "sign"},
		{"(F1", "4 days", Malformed, "closed"},
		{"mean(F1)", "4 days", Malformed, "two figures"},
		{"change(F1, F2)", "4 days|4 days", Malformed, "rise(from, to)"},
		{"round(round(F1, 1), 1)", "4 days", Malformed, "whole"},
		{"round(F1, 9)", "4 days", Malformed, "0 to 6"},
		{"max(F1, F2)", "4 days|4 days", Malformed, "no function"},
		{"F1: - F2", "4 days|4 days", Malformed, "F1:45.2"},
		{"F1 & F2", "4 days|4 days", Malformed, "no meaning"},
		{strings.Repeat("(", 20) + "F1" + strings.Repeat(")", 20), "4 days", Malformed, "deeper"},
		{strings.Repeat("F1+", 40) + "F1", "4 days", Malformed, "more than 20"},
		{strings.Repeat(" ", maxDraft) + "F1", "4 days", Malformed, "limit"},
	} {
		_, err := compute(t, c.draft, quotes(t, strings.Split(c.findings, "|")...))
		var bad *Error
		if !errors.As(err, &bad) || bad.Kind != c.kind || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.60s: %v, want one of kind %d that says %q", c.draft, err, c.kind, c.says)
		}
	}
	if _, err := compute(t, "F1", map[string][]Figure{"F1": {bounded}}); err == nil || !strings.Contains(err.Error(), "bound") {
		t.Errorf("a bound: %v", err)
	}
}

// TestReference holds results against another evaluation of the same expression, and every single digit that is changed in
// what is printed against the check.
func TestReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 120 {
		m := map[string][]Figure{}
		draft, want := expression(t, r, m, 3)
		got, err := compute(t, draft, m)
		var bad *Error
		if errors.As(err, &bad) && bad.Kind == Undefined {
			continue // a division by zero, or below zero
		}
		if err != nil {
			t.Fatalf("%s: %v", draft, err)
		}
		places := 0
		if _, decimals, ok := strings.Cut(got.Result, "."); ok {
			places = len(decimals)
		}
		plain, _ := new(big.Rat).SetString(strings.ReplaceAll(got.Result, ",", ""))
		rounded, _ := new(big.Rat).SetString(want.FloatString(places))
		if plain == nil || plain.Cmp(rounded) != 0 || got.Exact != (rounded.Cmp(want) == 0) {
			t.Fatalf("%s = %v %s, want %s", draft, got.Exact, got.Result, want.RatString())
		}
		if _, _, err := Check(got, all(m)); err != nil {
			t.Fatalf("%+v: %v", got, err)
		}
		forged(t, got, all(m))
	}
}

// forged changes each digit of a computation, one at a time; each must be noticed, unless the figure that then stands there
// is another one of the quotes and gives the same result.
func forged(t *testing.T, c Computation, figures []Figure) {
	t.Helper()
	for i := range c.Result {
		if isDigit(c.Result[i]) {
			f := c
			f.Result = c.Result[:i] + string('0'+(c.Result[i]-'0'+3)%10) + c.Result[i+1:]
			if _, _, err := Check(f, figures); err == nil {
				t.Errorf("%+v passes for %s", f, c.Result)
			}
		}
	}
	for i := range c.Expression {
		if isDigit(c.Expression[i]) {
			f := c
			f.Expression = c.Expression[:i] + string('0'+(c.Expression[i]-'0'+3)%10) + c.Expression[i+1:]
			if used, _, err := Check(f, figures); err == nil && !known(f.Expression, figures) {
				t.Errorf("%+v passes for %s, of %v", f, c.Expression, used)
			}
		}
	}
}

// known reports whether all figures of an expression are among figures, or the constant.
func known(expression string, figures []Figure) bool {
	tokens, _ := printedTokens(expression)
	for _, tok := range tokens {
		if _, err := find(figures, tok.text, false); tok.kind == operand && err != nil && tok.text != "1" {
			return false
		}
	}
	return true
}

// expression makes a random expression of counts and what it is worth, nil where it divides by zero.
func expression(t *testing.T, r *rand.Rand, m map[string][]Figure, depth int) (string, *big.Rat) {
	if depth == 0 || r.IntN(4) == 0 {
		f := fig(t, fmt.Sprintf("%d.%d", 100+r.IntN(900), 11+r.IntN(89)))
		id := fmt.Sprintf("F%d", len(m)+1)
		m[id] = []Figure{f}
		return id, f.Value
	}
	a, x := expression(t, r, m, depth-1)
	b, y := expression(t, r, m, depth-1)
	z := new(big.Rat)
	if x == nil || y == nil {
		z = nil
	}
	switch op := r.IntN(3); {
	case op == 0:
		if z != nil {
			z.Add(x, y)
		}
		return "(" + a + " + " + b + ")", z
	case op == 1:
		if z != nil {
			z.Sub(x, y)
		}
		return "(" + a + " - " + b + ")", z
	}
	if z != nil {
		z.Mul(x, y)
	}
	return a + " * " + b, z
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"fall(F1:45.2, F2)", `F1:"one in five" * (F2 - 1)`, "round(mean(F1;F2;F3),2)", "((((F1))))", "F1:“", "sum(", "100/F1:1,234.5", "F9:-3"} {
		f.Add(s, "8.0 percent")
	}
	m := quotes(f, "45.2 GWh; 20 percent", "41.6 GWh", "310 calls")
	figures := all(m)
	f.Fuzz(func(t *testing.T, text, result string) {
		if e, err := Parse(text); err == nil {
			e.Findings()
			if c, err := e.Compute(m); err == nil {
				if _, _, err := Check(c, figures); err != nil {
					t.Errorf("%q gives %+v, which is not recognised: %v", text, c, err)
				}
			}
		}
		_, _, _ = Check(Computation{Expression: text, Result: result}, figures)
	})
}
