package claim

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"sort"
	"testing"

	"ibid/internal/testset"
)

// A sharedPair is one line of data/claims.
type sharedPair struct {
	ID, Dataset, Claim, Evidence, Label, Context, Edit string
}

func sharedPairs(t testing.TB, name string) []sharedPair {
	t.Helper()
	f, err := os.Open(testset.Path(t, "data", "claims", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []sharedPair
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var p sharedPair
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// half parts the pairs by their evidence: what was tuned on one half is measured on the other.
func (p sharedPair) half() int {
	h := fnv.New32a()
	h.Write([]byte(p.Evidence[:min(len(p.Evidence), 80)]))
	return int(h.Sum32() >> 7 & 1)
}

// A tally counts as the scorer of the sets does.
type tally struct {
	bad, good, caught, flagged, alarms, doubted int
	scores                                      []scored
}

type scored struct {
	score float64
	bad   bool
}

func (y *tally) add(p sharedPair, vs []Verdict) {
	bad := p.Label != "SUPPORTS"
	blocks := Blocks(vs)
	y.scores = append(y.scores, scored{Score(vs), bad})
	switch {
	case bad:
		y.bad++
		y.caught += b2i(blocks)
		y.flagged += b2i(len(vs) > 0)
	default:
		y.good++
		y.alarms += b2i(blocks)
		y.doubted += b2i(len(vs) > 0)
	}
}

func part(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// at2 is the recall by score at 2 percent false alarms.
func (y *tally) at2() float64 {
	var good []float64
	for _, s := range y.scores {
		if !s.bad {
			good = append(good, s.score)
		}
	}
	if len(good) == 0 || y.bad == 0 {
		return 0
	}
	sort.Sort(sort.Reverse(sort.Float64Slice(good)))
	limit := good[min(len(good)*2/100, len(good)-1)]
	n := 0
	for _, s := range y.scores {
		if s.bad && s.score > limit {
			n++
		}
	}
	return part(n, y.bad)
}

func (y *tally) String() string {
	return fmt.Sprintf("bad %4d good %4d recall %5.1f%% flagged %5.1f%% alarms %4.1f%% doubted %5.1f%% at 2%% %5.1f%%", y.bad, y.good, 100*part(y.caught, y.bad), 100*part(y.flagged, y.bad), 100*part(y.alarms, y.good), 100*part(y.doubted, y.good), 100*y.at2())
}

// Floors of what the rules catch in the shared sets, and ceilings of false alarms, in percent and a little beside what was
// measured: over all pairs, and over each half by evidence, of which only the first was looked at.
var floors = []struct {
	set                  string
	recall, alarms       float64
	halfRecall, halfHigh float64 // of the worse half
	told, doubted        float64 // of the wrong ones at least, and of the right ones at most, are blocked or flagged
}{
	{"synthetic", 85.5, 0.4, 85, 0.8, 99, 0.5},
	{"fever", 42.5, 1.8, 41.5, 2.3, 87, 50},
	{"summedits", 36, 1, 34, 1.5, 71, 36},
	{"scifact", 18, 5, 14, 7, 74, 64},
	{"fm2", 20, 5.5, 17, 6, 83, 64},
	{"own", 70, 0.5, 65, 0.5, 97, 20},
	{"med", 0.5, 1.5, 0.5, 1.5, 76, 24},
}

// The rules catch a share of the wrong claims and leave the right ones alone, also on evidence that nobody looked at.
// The figures are the scorer's of data/claims: recall, flagged, false alarms, recall at 2 percent false alarms by score.
func TestSharedPairs(t *testing.T) {
	for _, f := range floors {
		if testing.Short() && f.set != "own" && f.set != "scifact" {
			continue
		}
		var all, unnamed tally
		var halves [2]tally
		for _, p := range sharedPairs(t, f.set) {
			vs := Check(p.Claim, p.Evidence, Context{Title: p.Context})
			all.add(p, vs)
			halves[p.half()].add(p, vs)
			if p.Edit != "name replaced" {
				unnamed.add(p, vs)
			} else if len(vs) == 0 {
				t.Errorf("%s: a name was replaced and nothing said", p.ID)
			}
		}
		t.Logf("%-9s %v\n          first half  %v\n          second half %v", f.set, &all, &halves[0], &halves[1])
		check := func(what string, y *tally, recall, alarms float64) {
			if got := 100 * part(y.caught, y.bad); got < recall {
				t.Errorf("%s, %s: %.1f%% of the wrong claims are blocked, %.1f%% were", f.set, what, got, recall)
			}
			if got := 100 * part(y.alarms, y.good); got > alarms {
				t.Errorf("%s, %s: %.1f%% of the right claims are blocked, at most %.1f%% were", f.set, what, got, alarms)
			}
		}
		check("all", &all, f.recall, f.alarms)
		if got := 100 * part(all.flagged, all.bad); got < f.told {
			t.Errorf("%s: %.1f%% of the wrong claims are blocked or flagged, %.1f%% were", f.set, got, f.told)
		}
		if got := 100 * part(all.doubted, all.good); got > f.doubted {
			t.Errorf("%s: %.1f%% of the right claims are blocked or flagged, at most %.1f%% were", f.set, got, f.doubted)
		}
		for i := range halves {
			check([]string{"first half", "second half"}[i], &halves[i], f.halfRecall, f.halfHigh)
		}
		if f.set == "synthetic" {
			check("names aside", &unnamed, 98, 0.5)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, set := range []string{"synthetic", "fever", "summedits"} {
		pairs := sharedPairs(b, set)
		b.Run(set, func(b *testing.B) {
			i := 0
			for b.Loop() {
				p := pairs[i%len(pairs)]
				Check(p.Claim, p.Evidence, Context{Title: p.Context})
				i++
			}
		})
	}
}
