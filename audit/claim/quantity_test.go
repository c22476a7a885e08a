package claim

import (
	"strings"
	"testing"
)

func TestQuantities(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Output was 41.6 GWh in 2024, against a plan of 45.2 GWh.", "41.6 GWh=208/5 energy GWh; 45.2 GWh=226/5 energy GWh"},
		{"Output fell from 45.2 to 41.6 GWh.", "45.2 GWh=226/5 energy GWh; 41.6 GWh=208/5 energy GWh"},
		{"It rose from 13.1 to 14.2 million crowns.", "13.1 million=13100000; 14.2 million=14200000"},
		{"Losses fell to 4.1 percent, from 4.6%.", "4.1 percent=41/10 ratio percent; 4.6%=23/5 ratio %"},
		{"It cost $4.6m, or EUR 3 billion.", "$4.6m=4600000 usd $; EUR 3 billion=3000000000 eur EUR"},
		{"One in five homes, and a third of the shops.", "One in five=1/5 ratio; a third=1/3 ratio"},
		{"A nineteen-week delay and 12 consecutive days.", "nineteen-week=19 time weeks; 12 consecutive days=12 time days"},
		{"The rate rose by 0.3 percentage points, 30 basis points.", "0.3 percentage points=3/10 points percentage points; 30 basis points=30 points basis points"},
		{"It sold 1,234 tickets and 80 000 meals.", "1,234=1234; 80 000=80000"},
		{"More than 12 GWh and about 300 MWh.", "12 GWh=12 energy GWh bounded; 300 MWh=300 energy MWh about"},
		{"٣٫٥ GWh, and 1\u202f234\u202f567 users; in 2026 100 left.", "3.5 GWh=7/2 energy GWh; 1 234 567=1234567; 100=100"},
		{"A value of 1.234 kWh.", "1.234 kWh=617/500 energy kWh unclear"},
		{"In 2024 the second phase of Blade Runner 2049, on pier 3.", ""},
		{"It used 41.6 GWh per month.", "41.6 GWh=208/5 energy GWh per month"},
		{"Twice as long, 3 times as high.", "Twice=2 times; 3 times=3 times times"},
	} {
		var got []string
		for _, q := range Quantities(c.text) {
			s := []string{q.Text + "=" + q.Value.RatString()}
			for _, x := range []string{q.Dim, q.Unit} {
				if x != "" {
					s = append(s, x)
				}
			}
			if q.Per != "" {
				s = append(s, "per "+q.PerName)
			}
			for name, is := range map[string]bool{"about": q.About, "bounded": q.Bounded, "unclear": q.Unclear} {
				if is {
					s = append(s, name)
				}
			}
			got = append(got, strings.Join(s, " "))
		}
		if g := strings.Join(got, "; "); g != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, g, c.want)
		}
	}
}
