package claim

import "testing"

// What two figures of other texts may both state, and what they cannot.
func TestFiguresAgree(t *testing.T) {
	for _, c := range []struct {
		a, b                 string
		comparable, agreeing bool
	}{
		{"41.6 GWh", "41,600 MWh", true, true},
		{"41.6 GWh", "42 GWh", true, true},
		{"41.6 GWh", "39.8 GWh", true, false},
		{"20 percent", "20.4 percent", true, true},
		{"20 percent", "21.4 percent", true, false},
		{"40 percent", "43 percent", true, false},
		{"more than 40 GWh", "41.6 GWh", true, true},
		{"more than 40 GWh", "400 GWh", true, false},
		{"more than 40 GWh", "less than 40 GWh", true, false},
		{"at most 50 GWh", "41.6 GWh", true, true},
		{"at most 40 GWh", "41.6 GWh", true, false},
		{"about 45 GWh", "41.6 GWh", true, true},
		{"about 60 GWh", "41.6 GWh", true, false},
		{"30 to 45 cars", "40 cars", true, true},
		{"30 to 45 cars", "62 cars", true, false},
		{"40 to 50 percent", "45 to 60 percent", true, true},
		{"12,5 Millionen Euro", "12.500.000 Euro", true, true},
		{"1 250 metres", "1.25 km", true, true},
		{"half of the sites", "50 percent of the sites", true, true},
		{"5 percent", "5 GWh", false, false},
		{"5 dollars", "5 euros", false, false},
		{"3 cars", "3 buses", false, true},
		{"40 kWh per day", "40 kWh per year", false, true},
		{"300 cups washed at 60 degrees", "190 washes", false, false},
	} {
		a, b := Read("It had "+c.a+"."), Read("It had "+c.b+".")
		f, g := &a.Figures[0], &b.Figures[0]
		if f.Comparable(g) != c.comparable || g.Comparable(f) != c.comparable {
			t.Errorf("%q / %q: comparable %v, the other way %v", c.a, c.b, f.Comparable(g), g.Comparable(f))
		}
		if c.comparable && (f.Agrees(g) != c.agreeing || g.Agrees(f) != c.agreeing) {
			t.Errorf("%q / %q: agree %v, the other way %v", c.a, c.b, f.Agrees(g), g.Agrees(f))
		}
	}
}

func TestDatesAgree(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"on 3 June 1931", "in June 1931", true},
		{"on 3 June 1931", "in 1931", true},
		{"on 3 June 1931", "on 1931-06-03", true},
		{"in the 1930s", "in 1931", true},
		{"on 3 June 1931", "on 4 June 1931", false},
		{"in June 1931", "in July 1931", false},
		{"in 1931", "in 1932", false},
		{"in the 1930s", "in 1942", false},
	} {
		a, b := Read("It opened "+c.a+"."), Read("It opened "+c.b+".")
		if got := a.Dates[0].Agrees(b.Dates[0]); got != c.want || b.Dates[0].Agrees(a.Dates[0]) != got {
			t.Errorf("%q / %q: agree %v", c.a, c.b, got)
		}
	}
}

func TestWordsApart(t *testing.T) {
	word := func(s string) Word { return Read(s).Words[0] }
	for _, c := range []struct {
		a, b            string
		apart, opposite bool
	}{
		{"spring", "autumn", true, false}, {"autumn", "fall", false, false}, {"German", "French", true, false},
		{"raises", "lowers", false, true}, {"safe", "unsafe", false, true}, {"safe", "secure", false, false},
	} {
		if a, b := word(c.a), word(c.b); a.Apart(b) != c.apart || b.Apart(a) != c.apart || a.Opposite(b) != c.opposite || b.Opposite(a) != c.opposite {
			t.Errorf("%s / %s: apart %v, opposite %v", c.a, c.b, a.Apart(b), a.Opposite(b))
		}
	}
}
