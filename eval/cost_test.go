package eval

import (
	"math"
	"testing"

	"ibid/llm/catalog"
)

// A run of 40 steps costs at most 13.5 % of one that sends the whole conversation each time, one of 120 steps 5.4 %; what
// is sent begins with what was sent before, except where the loop has told that it changed. The naive figures are those of
// the cost model (7.861 and 67.435 dollars), so the two speak of the same run.
func TestCostOfScriptedRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and much to encode")
	}
	known, err := catalog.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	price, _ := known.Price(costModels[0])
	for steps, naive := range map[int]float64{40: 7.861, 120: 67.435} {
		plain, err := script(t.Context(), steps, catalog.Price{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := PriceRun(t.Context(), steps, price, plain)
		if err != nil {
			t.Fatal(err)
		}
		if why := r.Missed(); why != "" || math.Abs(r.Naive-naive) > naive/200 || plain.breaks > 0 || r.Breaks == 0 {
			t.Errorf("%s: %+v", why, r)
		}
		t.Logf("%d steps: $%.3f of $%.3f (%.1f %%), %.1f %% from the cache, %d breaks, %d told", steps, r.Spent, r.Naive, r.Percent(), r.Hits, r.Breaks, r.Logged)
	}
}
