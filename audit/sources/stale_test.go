package sources

import "testing"

func TestStale(t *testing.T) {
	for _, c := range []struct {
		claim, published string
		stale            bool
	}{
		{"As of this week, losing one turbine in the first storm cost eleven million pounds before insurance.", "2019-03-01", true},
		{"The plan currently costs 20 dollars a month.", "2024-01-10", true},
		{"The plan costs $20 a month.", "2022-01-10", true},
		{"The latest version is 3.2.", "2024-06-01", true},
		{"Version 3.2 is now the latest stable release.", "2023", true},
		{"Anna Able is the mayor of Halden.", "2021-05-01", true},
		{"Anna Able is currently the mayor of Halden.", "2025-01-01", true},
		{"The port is led by Anna Able.", "2020-02", true},
		{"Halden now has 31,000 inhabitants.", "2020-01-01", true},
		{"Today the array has twelve turbines.", "2019", true},
		{"The array is still out of service.", "2020-03-01", true},
		{"Derzeit kostet die Fahrt 4 Euro.", "2022-03-01", true},
		{"Aujourd’hui, le tarif est de 4 euros.", "2022-03-01", true},
		{"Actualmente la tarifa es de 4 euros.", "2022-03-01", true},

		{"The plan currently costs 20 dollars a month.", "2026-07-10", false},
		{"The plan currently costs 20 dollars a month.", "", false},        // nobody knows how old it is
		{"In 2019 the plan cost 20 dollars a month.", "2019-03-01", false}, // says when
		{"As of March 2019 the plan costs $20 a month.", "2019-03-01", false},
		{"The plan cost 20 dollars a month.", "2019-03-01", false},
		{"Incremental builds now take 1.9 seconds instead of 7.4.", "2025-01-15", false},
		{"The angles of a triangle add up to two right angles, now as ever.", "1998", false},
		{"The theorem is still true.", "1990", false},
		{"The harbour was founded by monks.", "1970", false},
		{"Until now nobody had counted the cranes.", "2010", false},
		{"The company now known as Halden Lines was a ferry.", "2010", false},
		{"The electric current flows through the mast.", "2010", false},
		{"The current study covers nine lines.", "2010", false},
		{"A ferry has two masts.", "2010", false},
		{"Water boils at 100 degrees.", "1950", false},
		{"The seal result may not hold at sites with stronger currents.", "2015", false},
		{"The report must be handed in on Friday at the latest.", "2015", false},
	} {
		s := standing("", page{url: "https://x.example/1", published: c.published, paras: []string{"A paragraph."}})
		got, stale := s.Stale(c.claim, []string{"S1"}, evidenceDay)
		if stale != c.stale || stale && got.Message() == "" {
			t.Errorf("%q of %s: %v (%+v)", c.claim, c.published, stale, got)
		}
	}
	s := standing("", page{url: "https://x.example/1", published: "2019"}, page{url: "https://y.example/1", published: "2026-07"})
	if _, stale := s.Stale("The fare is currently 4 euros.", []string{"S1", "S2"}, evidenceDay); stale {
		t.Error("stale though one of the sources is new")
	}
}
