package audit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"ibid/audit/claim"
	"ibid/evidence"
)

func small() Record {
	rec := Record{Question: "How did the depot do in 2024?", Spans: map[string][]evidence.Span{},
		Facts: &Facts{Run: "r-7", Finished: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Searches: 4, Reads: 5, Unavailable: 2, Impaired: 2, Steps: 11, Tokens: 120500, Dollars: 0.0412, Seconds: 61.4,
			Unsearched: []Unsearched{{URL: "file:///depot/plan.pdf", Reason: "it is encrypted"}}, Stop: "budget:searches", Queries: []string{"depot pallets", "late"}}}
	for i, text := range []string{"The depot moved 412 pallets in week 7, about 8 percent less than planned.", "Nobody was hurt when the north gate fell."} {
		id := evidence.SourceID(i + 1)
		rec.Spans[id] = []evidence.Span{{Source: id, Locator: evidence.Locator{Unit: evidence.Para, A: 1}, Text: text}}
		rec.Sources = append(rec.Sources, evidence.Source{ID: id, Kind: evidence.HTML, Title: "Depot " + id, URL: "https://depot.example/" + id, SHA256: "0123456789abcdef",
			TextSHA256: evidence.TextHash(rec.Spans[id]), Fetched: time.Date(2026, 3, 4, 5, i, 0, 0, time.UTC)})
	}
	rec.Findings = []evidence.Finding{{ID: "F1", Claim: "The depot moved 412 pallets in week 7.", Quote: "The depot moved 412 pallets in week 7", Source: "S1", Locator: evidence.Locator{Unit: evidence.Para, A: 1}}}
	return rec
}

// Sentences that assert nothing about the world need no source.
func TestExempt(t *testing.T) {
	for _, s := range []string{
		"Two caveats apply.", "There are three limitations.", "The following points remain.", "Costs are discussed below.", "The word “fair” is used here in the sense of the bulletin.",
		"This report covers the first year.", "The next section lists the sources.", "See also the table above.", "Details by depot follow.", "The two figures disagree.", "These sources contradict each other.",
		"Why did the depot move 412 pallets?", "### Why was the gate open?", "| Depot | Pallets moved | Share of pallets that were late |\n| - | - | - |", "| Who was hurt? | How the gate was built |\n| - | - |",
		"- Rules for the gates", "- Gates, vans and their drivers", "- Costs per depot",
		"What did it cost?", "By how much did output fall in 2024?", "Why did output fall in 2023?", "Was it 9 percent?", "Who was hurt?",
		"We could not establish what a pallet costs.", "This run did not find out who owns the gate.", "No source that was read gives the price.", "None of the sources says when the 2 gates were built.",
		"It is unclear whether the gate was insured.", "The sources do not say how many vans there are.", "How many vans there are could not be established.", "Not established: What did the gate cost in 2023?",
		"Nothing in the sources settles this.", "Searched for: “depot pallets”.", "Searched for “depot pallets” and “late”.",
		"2 sources were read and one of them is cited.", "This run made 4 searches in 11 steps.", "Two pages could not be read.", "One document could not be searched in full.", "2 searches failed or gave a part only.", "The run cost $0.04 and used 120500 tokens.", "The run took 61 seconds.",
		"Run r-7, evidence as of 2026-03-04.", "One finding was recorded.", "The run stopped because its budget of searches was spent.",
		"Summary.", "Depots and gates", "",
	} {
		md := "The depot moved 412 pallets in week 7 [S1 para.1].\n\n" + s + "\n"
		if r := Fragment([]byte(md), small()); !r.OK || r.Claims != 1 {
			t.Errorf("%q: %d claims, %v", s, r.Claims, codes(r, Block))
		}
	}
}

// Sentences in the dress of those that do assert something.
func TestNotExempt(t *testing.T) {
	for s, want := range map[string]Code{
		"Two gates fell.":                                               UncitedClaim,
		"Three factors ruined the depot.":                               UncitedClaim,
		"The gate that killed a man is discussed below.":                UncitedClaim,
		"Costs of 9 million crowns are discussed below.":                UncitedClaim,
		"This report covers the first year, in which 9 vans burned.":    UncitedClaim,
		"This section shows that the gate was rotten.":                  UncitedClaim,
		"The two sources agree.":                                        UncitedClaim,
		"The gate was rotten, wasn't it?":                               UncitedClaim,
		"Output fell by 9 percent?":                                     UncitedClaim,
		"We could not establish the price, but the gate was rotten.":    UncitedClaim,
		"We could not establish the price; 9 vans burned.":              UncitedClaim,
		"We could not establish why 9 vans burned.":                     UncitedClaim,
		"No source that was read says “nine vans burned in one night”.": UncitedClaim,
		"Searched for: “nine vans burned in 2024”.":                     UncitedClaim,
		"3 sources were read.":                                          RunStatement,
		"2 sources were read and 2 of them are cited.":                  RunStatement,
		"This run made 40 searches.":                                    RunStatement,
		"No page could not be read.":                                    RunStatement,
		"No search failed.":                                             RunStatement,
		"2 documents could not be searched.":                            RunStatement,
		"No document could not be searched in full.":                    RunStatement,
		"3 searches failed.":                                            RunStatement,
		"The run cost $0.02.":                                           RunStatement,
		"The run stopped because it was done.":                          RunStatement,
		"Nine findings were recorded.":                                  RunStatement,
		"Run r-7, evidence as of 2026-04-04.":                           RunStatement,
		"The report used 4 searches and 9 vans burned.":                 UncitedClaim,
		"Gate fell.":                                        UncitedClaim,
		"Output doubled.":                                   UncitedClaim,
		"The depot moved 413 pallets in week 7.":            UncitedClaim,
		"The depot did not move 412 pallets in week 7.":     UncitedClaim,
		"Did you know that 9 vans burned?":                  UncitedClaim,
		"Did you know that the gate was rotten?":            UncitedClaim,
		"Is it any wonder that drivers left?":               UncitedClaim,
		"Wasn't the gate rotten from the start?":            UncitedClaim,
		"Who would deny that the guards slept?":             UncitedClaim,
		"Why did 9 vans burn?":                              UncitedClaim,
		"And what about the 9 drivers who drowned?":         UncitedClaim,
		"How else could the thief enter?":                   UncitedClaim,
		"### Why did 9 vans burn?":                          UncitedClaim,
		"Rot kills gates.":                                  UncitedClaim,
		"- Rot kills gates and ruins depots!":               UncitedClaim,
		"- Rot ruins the gates of depots":                   UncitedClaim,
		"### Rot ruins every gate":                          UncitedClaim,
		"| The gate fell and hurt the guards |\n| - |":      UncitedClaim,
		"| Depot | The rotten gate was broken |\n| - | - |": UncitedClaim,
		"倉庫は昨年の冬に火事で全焼した。":                                  UncitedClaim,
		"Das Tor war morsch.":                               UncitedClaim,
	} {
		md := "The depot moved 412 pallets in week 7 [S1 para.1].\n\n" + s + "\n"
		r := Fragment([]byte(md), small())
		if !slices.Contains(codes(r, Block), string(want)) {
			t.Errorf("%q: %v, want %s", s, codes(r, Block), want)
		}
	}
}

// What code writes of a run's cost holds against its record at every price, also where it lies half way between two
// figures; a figure beside it does not.
func TestRunCost(t *testing.T) {
	for micro := 0; micro < 400_000; micro += 25 {
		f := Facts{Dollars: float64(micro) / 1e6}
		text := fmt.Sprintf("%.4f", f.Dollars)
		said, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if !f.holds("dollars", claim.Numbers("$" + text)[0]) {
			t.Errorf("%d millionths of a dollar are not %s dollars", micro, text)
		}
		for _, off := range []float64{said - 1e-4, said + 1e-4} {
			text := fmt.Sprintf("%.4f", off)
			if math.Abs(off-f.Dollars) > 6e-5 && f.holds("dollars", claim.Numbers("$" + text)[0]) {
				t.Errorf("%d millionths of a dollar are %s dollars", micro, text)
			}
		}
	}
}

// Failures say where, what and what instead.
func TestFailurePlace(t *testing.T) {
	md := "# How did the depot do in 2024?\r\n\r\nIt moved *412* pallets [S1 para 1].\r\n"
	r := Fragment([]byte(md), small())
	if len(r.Failures) != 1 {
		t.Fatalf("%+v", r.Failures)
	}
	f := r.Failures[0]
	if f.Code != Malformed || f.Line != 3 || md[f.Start:f.End] != "[S1 para 1]" || f.Suggestion != "S1 para.1" || f.Claim != "It moved 412 pallets." {
		t.Errorf("%+v, text %q", f, md[f.Start:f.End])
	}
}

// A link in a report leads to what was read; what only came with the question is told apart from what did not.
func TestLinks(t *testing.T) {
	rec := small()
	rec.Given = []string{"https://given.example/page"}
	md := "See the [bulletin](https://depot.example/S1#gate), the [minutes](https://port.example/) and the [page](https://given.example/page/).\n"
	r := Fragment([]byte(md), rec)
	if got := codes(r, Block); !slices.Equal(got, []string{string(UnreadLink), string(GivenNotRead)}) {
		t.Errorf("%v", got)
	}
}

// Figures in signs that are no digits are held against nothing, and so refused, unless the source writes them so.
func TestNumerals(t *testing.T) {
	rec := small()
	span := &rec.Spans["S2"][0]
	span.Text = "Gate Ⅳ of the CO2 store holds m² of tiles, step ③."
	rec.Sources[1].TextSHA256 = evidence.TextHash(rec.Spans["S2"])
	rec.Findings = append(rec.Findings, evidence.Finding{ID: "F2", Claim: span.Text, Quote: span.Text, Source: "S2", Locator: span.Locator})
	for s, ok := range map[string]bool{
		"The depot moved 412 pallets in week 7 [S1 para.1].":                     true,
		"The depot moved ④①② pallets in week 7 [S1 para.1].":                     false,
		"The depot moved 412 pallets in week ⑲ [S1 para.1].":                     false,
		"The depot moved 412 pallets in week ₁₉ [S1 para.1].":                    false,
		"The depot moved 412 pallets in week Ⅻ [S1 para.1].":                     false,
		"The depot moved 412 pallets in week ❾ [S1 para.1].":                     false,
		"The depot moved 412 pallets in week \u200b⑴ [S1 para.1].":               false,
		"| Depot | Moved in week 7 |\n| - | - |\n| it | ⑨ pallets [S1 para.1] |": false,
		"Gate Ⅳ of the CO₂ store holds m² of tiles, step ③ [S2 para.1].":         true,
	} {
		if r := Fragment([]byte(s+"\n"), rec); r.OK != ok {
			t.Errorf("%q: %v, %v", s, r.OK, r.Failures)
		}
	}
}
