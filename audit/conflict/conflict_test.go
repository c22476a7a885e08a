package conflict

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"ibid/evidence"
)

// says are findings of two sources that make these claims in their sources' words.
func says(claims ...string) []evidence.Finding {
	var out []evidence.Finding
	for i, c := range claims {
		out = append(out, evidence.Finding{ID: evidence.FindingID(i + 1), Source: evidence.SourceID(i + 1), Claim: c, Quote: c})
	}
	return out
}

// Pairs of findings that cannot both be right, or may not, and pairs that only look like it.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		a, b     string
		severity Severity // "" for no conflict
		kind     Kind
	}{
		{"The night ferry carries 40 cars to the outer islands.", "The night ferry carries 62 cars to the outer islands.", Certain, Figures},
		{"The night ferry stops at the outer islands in winter.", "The night ferry does not stop at the outer islands in winter.", Certain, Denial},
		{"Slow sailing raises the fuel bill of the night ferry.", "Slow sailing lowers the fuel bill of the night ferry.", Certain, Opposite},
		{"Losses in the northern grid fell to 4.1 percent in 2024, the authority said.", "Losses in the northern grid fell to 4.6 percent in 2024, by our own recount of the meters.", Certain, Figures},
		{"The Halden bridge opened on 3 June 1931.", "The Halden bridge opened on 3 July 1931.", Certain, Dates},
		{"The dam at Aurach was completed in 1962.", "The dam at Aurach was completed in 1968.", Certain, Dates},
		{"The plant at Aurach employs 1,200 people.", "The plant at Aurach employs 12,000 people.", Certain, Figures},
		{"Die Fähre nach Halden kostete 12,5 Millionen Euro im Jahr 2023.", "Die Fähre nach Halden kostete 14,5 Millionen Euro im Jahr 2023.", Certain, Figures},
		{"Le pont de Halden mesure 1 250 mètres.", "Le pont de Halden mesure 1 520 mètres.", Certain, Figures},
		{"El puente de Halden mide 1.250,5 m de largo.", "El puente de Halden mide 1.520,5 m de largo.", Certain, Figures},
		{"The reservoir above Halden holds 3 million litres of water.", "The reservoir above Halden holds 3 billion litres of water.", Certain, Figures},
		{"The tunnel under the fjord is 7 miles long.", "The tunnel under the fjord is 7 km long.", Certain, Figures},
		{"The new seals of the Halden turbines are safe for porpoises.", "The new seals of the Halden turbines are unsafe for porpoises.", Certain, Opposite},
		{"The vaccine prevents infection in adults over 60.", "The vaccine never prevents infection in adults over 60.", Certain, Denial},
		{"Halden has a population of 31,400.", "Halden has a population of 35,900.", Certain, Figures},
		{"The Halden line cost 14.2 million crowns.", "According to the county, the Halden line cost 13.1 million crowns.", Certain, Figures},
		{"Running the Halden line cost 14.2 million crowns in its first two years.", "The Halden line cost 13.1 million crowns in 2023 and 2024.", Possible, Figures},
		{"Over its first winter the Northmoor array delivered 41.6 GWh.", "In the winter of 2024-25 the Northmoor array produced 39.8 GWh.", Possible, Figures},
		{"The Halden ferry takes about 45 minutes to the outer islands.", "The Halden ferry takes about 70 minutes to the outer islands.", Possible, Figures},
		{"The survey found 12 nests on the island in 2023.", "In 2023, volunteers counted 17 nests on the island.", Possible, Figures},
		{"The array reached a capacity factor of 42 percent.", "The capacity factor of the array was 37 percent.", Possible, Figures},
		{"The new seals last 212 days on average.", "On average, the new seals lasted 150 days.", Certain, Figures},
		{"Roughly a third of households have a heat pump.", "Only 12 percent of households have a heat pump.", Possible, Figures},
		{"Die Fähre nach Halden fährt im Winter.", "Die Fähre nach Halden fährt im Winter nicht.", Certain, Denial},
		{"More than 80 percent of the Halden fishermen own their boats.", "Less than 80 percent of the Halden fishermen own their boats.", Possible, Figures},

		{"The night ferry carries 40 cars to the outer islands.", "The day ferry carries 62 cars to the outer islands.", "", ""},
		{"The array delivered 41.6 GWh last winter.", "The array delivered 41,600 MWh last winter.", "", ""},
		{"The array delivered more than 40 GWh last winter.", "The array delivered 41.6 GWh last winter.", "", ""},
		{"The array delivered about 42 GWh last winter.", "The array delivered 41.6 GWh last winter.", "", ""},
		{"The ferry carries 30 to 45 cars.", "The ferry carries 40 cars.", "", ""},
		{"Grid losses in Halden were 4.1 percent in 2023.", "Grid losses in Halden were 4.6 percent in 2024.", "", ""},
		{"Unplanned outages at Northmoor came to 19 in the first quarter.", "Unplanned outages at Northmoor came to 7 in the second quarter.", "", ""},
		{"Type A seals lasted a median of 96 days.", "Type B seals lasted a median of 212 days.", "", ""},
		{"The array was planned to deliver 45.2 GWh in its first winter.", "The array delivered 41.6 GWh in its first winter.", "", ""},
		{"Losing the turbine cost eleven million pounds before insurance.", "Losing the turbine cost four million pounds after insurance.", "", ""},
		{"Halden has 31,400 inhabitants.", "Aurach has 12,700 inhabitants.", "", ""},
		{"The upper basin holds 3 million litres.", "The lower basin holds 5 million litres.", "", ""},
		{"The mean age of the Halden fishermen is 51 years.", "The maximum age of the Halden fishermen is 84 years.", "", ""},
		{"Passengers filled 58 percent of the seats.", "Passengers filled 58.3 percent of the seats.", "", ""},
		{"Die Fähre kostete 12,5 Millionen Euro im Jahr 2023.", "Die Fähre kostete 12.500.000 Euro im Jahr 2023.", "", ""},
		{"Le pont de Halden mesure 1 250 mètres.", "Le pont de Halden mesure 1,25 km.", "", ""},
		{"El puente de Halden mide 1.250 m.", "El puente de Halden mide 1250 m.", "", ""},
		{"The Halden bridge opened on 3 June 1931.", "The Halden bridge opened in June 1931.", "", ""},
		{"The ferry does not stop at the inner islands.", "The ferry stops at the outer islands.", "", ""},
		{"Pier 3 was closed for 12 weeks.", "Pier 4 was closed for 20 weeks.", "", ""},
		{"The operator plans to add four turbines in 2026.", "The operator added two turbines in 2025.", "", ""},
		{"The library holds 40,000 books.", "The library lends 120,000 books a year.", "", ""},
		{"About 30 percent of patients improved on the drug.", "About 12 percent of patients improved on the placebo.", "", ""},
		{"A single ticket costs 5 euros.", "A return ticket costs 9 euros.", "", ""},
		{"The fine was 5 million euros, later reduced to 3 million euros.", "The fine was 3 million euros.", "", ""},
		{"In summer the ferry runs every 20 minutes.", "In winter the ferry runs every 60 minutes.", "", ""},
		{"The fastest ferry takes 35 minutes.", "The slowest ferry takes 80 minutes.", "", ""},
		{"Nine of the twelve sites were surveyed.", "75 percent of the sites were surveyed.", "", ""},
		{"The mayor does not support the plan.", "The council supports the plan.", "", ""},
		{"The plant lacks a second turbine.", "The plant has a second turbine hall.", "", ""},
		{"The film grossed 52 million dollars at the box office.", "He grossed 52,000 dollars at the box office.", "", ""},
		{"Fares in Halden rose by 5 percent in 2024.", "Fares in Halden rose to 24 crowns in 2024.", "", ""},
	} {
		for _, pair := range [][]evidence.Finding{says(c.a, c.b), says(c.b, c.a)} {
			got := Find(pair, nil)
			switch {
			case c.severity == "" && len(got) > 0:
				t.Errorf("%q / %q: %+v", pair[0].Claim, pair[1].Claim, got)
			case c.severity != "" && (len(got) != 1 || got[0].Severity != c.severity || got[0].Kind != c.kind):
				t.Errorf("%q / %q: %+v, want %s %s", pair[0].Claim, pair[1].Claim, got, c.severity, c.kind)
			}
		}
	}
}

// A conflict says what it is about and what each says.
func TestSays(t *testing.T) {
	got := Find(says("Losses in the northern grid fell to 4.1 percent in 2024, the authority said.", "Losses in the northern grid fell to 4.6 percent in 2024."), nil)
	want := []Conflict{{A: "F1", B: "F2", About: "Losses northern grid fell", Kind: Figures, SaysA: "4.1 percent", SaysB: "4.6 percent", Severity: Certain}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// What a reader of the two pages knows better makes a sure conflict a possible one, or none.
func TestSources(t *testing.T) {
	ferry := says("The ferry carries 40 cars.", "The ferry carries 62 cars.")
	for name, c := range map[string]struct {
		sources []evidence.Source
		want    []Severity
	}{
		"nothing known":    {nil, []Severity{Certain}},
		"one place":        {[]evidence.Source{{ID: "S1", Title: "Halden ferry | Timetables"}, {ID: "S2", Title: "The Halden line"}}, []Severity{Certain}},
		"two places":       {[]evidence.Source{{ID: "S1", Title: "Halden - Timetables"}, {ID: "S2", Title: "Aurach - Timetables"}}, []Severity{Possible}},
		"two years":        {[]evidence.Source{{ID: "S1", Title: "Halden", Published: "2019-03-01"}, {ID: "S2", Title: "Halden", Published: "2024"}}, []Severity{Possible}},
		"two days, a year": {[]evidence.Source{{ID: "S1", Title: "Halden", Published: "2024-03-01"}, {ID: "S2", Title: "Halden", Published: "2024-05-01"}}, []Severity{Certain}},
	} {
		var got []Severity
		for _, x := range Find(ferry, c.sources) {
			got = append(got, x.Severity)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Whose words it is said in does not matter: the quotes are held against each other too, and what is quoted along with the
// words that a claim is of does not count.
func TestQuotes(t *testing.T) {
	a := evidence.Finding{ID: "F1", Source: "S1", Claim: "The array made 41.6 GWh.", Quote: "The Northmoor array delivered 41.6 GWh in 2024. It employs 12 people."}
	b := evidence.Finding{ID: "F2", Source: "S2", Claim: "Metered output came to 39.8 GWh.", Quote: "The Northmoor array delivered 39.8 GWh in 2024. It employs 15 people."}
	if got := Find([]evidence.Finding{a, b}, nil); len(got) != 1 || got[0].Severity != Certain || got[0].SaysB != "39.8 GWh" {
		t.Errorf("%+v", got)
	}
}

// A rejected finding is in no conflict, one source may contradict itself, and one quote never does.
func TestWhichFindings(t *testing.T) {
	fs := says("The Halden ferry carries 40 cars.", "The Halden ferry carries 62 cars.", "The Halden ferry carries 40 cars.")
	fs[2].Source = "S2"
	if got := Find(fs, nil); len(got) != 2 || got[0].A != "F1" || got[1] != (Conflict{A: "F2", B: "F3", About: "Halden ferry carries cars", Kind: Figures, SaysA: "62 cars", SaysB: "40 cars", Severity: Certain}) {
		t.Errorf("%+v", got)
	}
	fs[1].Rejected = "misread"
	if got := Find(fs, nil); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if got := Of("F3", []Conflict{{A: "F1", B: "F2"}, {A: "F2", B: "F3"}, {A: "F3", B: "F9"}}); len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

// A watch finds what Find finds, after each finding, and when a person rejects one or a text is another.
func TestWatch(t *testing.T) {
	fs := says("Losses in the northern grid fell to 4.1 percent in 2024.", "Losses in the northern grid rose to 4.7 percent in 2024.", "Losses in the northern grid fell to 4.1 percent.",
		"Losses in the northern grid were 5.2 percent in 2024.", "The port did not raise its crane fees in May.", "The port raised its crane fees in May.")
	var w Watch
	found := 0
	same := func(fs []evidence.Finding, sources []evidence.Source) {
		t.Helper()
		got, want := w.Find(fs, sources), Find(fs, sources)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d findings: %+v, want %+v", len(fs), got, want)
		}
		found += len(want)
	}
	for i := range fs {
		same(fs[:i+1], nil)
	}
	var sources []evidence.Source
	for i, f := range fs {
		sources = append(sources, evidence.Source{ID: f.Source, Title: "The northern grid", Published: fmt.Sprint(2020 + i)})
	}
	same(fs, sources)
	fs[1].Rejected = "no"
	same(fs, sources)
	fs[1].Rejected, fs[0].Claim = "", "Losses in the southern grid fell to 4.1 percent in 2024."
	same(fs, sources)
	sources[0].Title = "The southern grid"
	same(fs, sources)
	same(fs[:2], sources)
	if found == 0 {
		t.Error("nothing is in conflict")
	}
}
