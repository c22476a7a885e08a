package audit

import (
	"slices"
	"testing"

	"ibid/evidence"
)

// Findings are joined only where both say one thing.
func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"The port of Halden raised its crane fees by 4 percent in May.", "Crane fees of the port of Halden were raised by 4 percent in May.", true},
		{"The port of Halden raised its crane fees by 4 percent in May.", "The port of Halden raised its crane fees by 4% in May, and shippers protested.", true},
		{"The line opened on 3 June 2023 in Halden harbour.", "On 3 June 2023 the line opened in Halden harbour.", true},
		{"The port of Halden raised its crane fees by 4 percent in May.", "The port of Halden raised its crane fees by 5 percent in May.", false},
		{"The port of Halden raised its crane fees by 4 percent in May.", "The port of Halden lowered its crane fees by 4 percent in May.", false},
		{"The port of Halden raised its crane fees by 4 percent in May 2023.", "The port of Halden raised its crane fees by 4 percent in May 2024.", false},
		{"The port of Halden raised its crane fees by 4 percent in May.", "The port of Moss raised its crane fees by 4 percent in May.", false},
		{"Type A seals of the array lasted 212 days.", "Type B seals of the array lasted 212 days.", false},
		{"The seal result holds at sites with strong currents.", "The seal result does not hold at sites with strong currents.", false},
		{"The seal result holds at sites with strong currents.", "The seal result may hold at some sites with strong currents.", false},
		{"The port of Halden raised its crane fees by 4 percent in May.", "The port of Halden has nine cranes and a tariff desk.", false},
		{"Fees rose.", "Fees rose.", false}, // too little to tell
	} {
		a := evidence.Finding{ID: "F1", Source: "S1", Claim: c.a, Quote: c.a}
		b := evidence.Finding{ID: "F2", Source: "S2", Claim: c.b, Quote: c.b}
		if Same(a, b) != c.same || Same(b, a) != c.same {
			t.Errorf("%q\n%q\nsame %v and %v, want %v", c.a, c.b, Same(a, b), Same(b, a), c.same)
		}
		if b.Source = "S1"; Same(a, b) {
			t.Errorf("%q corroborates itself", c.a)
		}
		if b.Source, b.Rejected = "S2", "no"; Same(a, b) {
			t.Errorf("%q is rejected and joined", c.b)
		}
	}
	rec := harbour()
	groups := Joined(rec.Findings)
	if len(groups) == 0 || !slices.Equal(groups[0], []int{0, 1, 4}) {
		t.Errorf("%v", groups)
	}
}
