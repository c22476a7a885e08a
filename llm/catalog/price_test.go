package catalog

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"ibid/llm"
)

func TestMicroUSD(t *testing.T) {
	long := Price{Input: 10, CacheRead: 1, CacheWrite: 12.5, Output: 50, LongAbove: 272_000, LongInput: 2, LongOutput: 1.5}
	plain := Price{Input: 3, Output: 15}
	for _, x := range []struct {
		name string
		p    Price
		u    llm.Usage
		want int64
	}{
		{"nothing", long, llm.Usage{}, 0},
		{"a million of input", plain, llm.Usage{In: 1_000_000}, 3_000_000},
		{"each its own", long, llm.Usage{In: 1000, CacheRead: 2000, CacheWrite: 400, Out: 10}, 10_000 + 2_000 + 5_000 + 500},
		{"reasoning is part of the output", plain, llm.Usage{Out: 10, Reasoning: 9}, 150},
		{"cached as input where the row has no more", plain, llm.Usage{CacheRead: 5, CacheWrite: 7}, 36},
		{"rounded up", Price{Input: 0.05}, llm.Usage{In: 1}, 1},
		{"rounded up once, not four times", Price{Input: 0.1, Output: 0.1}, llm.Usage{In: 3, CacheRead: 3, CacheWrite: 2, Out: 2}, 1},
		{"exact in decimals: 30 times 0.1 is 3", Price{Input: 0.1}, llm.Usage{In: 30}, 3},
		{"exact in decimals: 3 times 0.7 and 0.9", Price{Input: 0.7, Output: 0.9}, llm.Usage{In: 3, Out: 1}, 3},
		{"nine places", Price{Input: 0.000000001}, llm.Usage{In: 1_000_000_000}, 1},
		{"nine places and one token more", Price{Input: 0.000000001}, llm.Usage{In: 1_000_000_001}, 2},
		{"as written: 2.01 is no 2.009999999", Price{Input: 2.01}, llm.Usage{In: 1_000_000_000}, 2_010_000_000},
		{"at the threshold", long, llm.Usage{In: 272_000, Out: 2}, 2_720_000 + 100},
		{"above it, the whole request", long, llm.Usage{In: 272_001, Out: 2}, 5_440_020 + 150},
		{"above it with what is cached", long, llm.Usage{In: 1, CacheRead: 271_999, CacheWrite: 1, Out: 2}, 20 + 543_998 + 25 + 150},
		{"output is not input", long, llm.Usage{In: 1, Out: 300_000}, 10 + 15_000_000},
		{"free", Price{}, llm.Usage{In: 1 << 40, Out: 1 << 40}, 0},
		{"too much", Price{Input: 1e6, Output: 1e6}, llm.Usage{In: math.MaxInt64, CacheRead: math.MaxInt64, Out: math.MaxInt64}, math.MaxInt64},
		{"too much above a threshold", long, llm.Usage{In: math.MaxInt64, CacheRead: math.MaxInt64, CacheWrite: math.MaxInt64}, math.MaxInt64},
		{"counts below zero", long, llm.Usage{In: -5, CacheRead: math.MinInt64, Out: 1}, 50},
		{"figures that are none", Price{Input: math.NaN(), Output: math.Inf(1), CacheRead: -1}, llm.Usage{In: 5, CacheRead: 5, Out: 5}, 0},
	} {
		if got := x.p.MicroUSD(x.u); got != x.want {
			t.Errorf("%s: %d, want %d", x.name, got, x.want)
		}
	}
}

// More tokens never cost less, and no cost is told lower than it is.
func TestMicroUSDGrows(t *testing.T) {
	c := load(t, "")
	r := rand.New(rand.NewPCG(1, 2))
	for name, p := range c.prices {
		for range 20 {
			a := llm.Usage{In: r.Int64N(300_000), CacheRead: r.Int64N(300_000), CacheWrite: r.Int64N(9_000), Out: r.Int64N(9_000)}
			b := a
			*[]*int64{&b.In, &b.CacheRead, &b.CacheWrite, &b.Out}[r.IntN(4)] += r.Int64N(100_000)
			if p.MicroUSD(b) < p.MicroUSD(a) {
				t.Errorf("%s: %+v costs %d, %+v costs %d", name, a, p.MicroUSD(a), b, p.MicroUSD(b))
			}
			if sum := float64(a.In)*p.Input + float64(a.Out)*p.Output; float64(p.MicroUSD(llm.Usage{In: a.In, Out: a.Out})) < sum-1e-3 {
				t.Errorf("%s: %+v is told as %d", name, a, p.MicroUSD(a))
			}
		}
	}
}

// The figures in the table come from genai-prices and the providers' pages; LiteLLM collects its own. Where the two
// differ, the reason is known.
func TestSecondSource(t *testing.T) {
	introductory := "half until a day that the table's note names" // the second source has the price of the day
	differ := map[string]string{
		"gemini/gemini-4-argon": introductory, "gemini/gemini-3.8-flash": introductory, "gemini/gemini-3.7-flash": introductory, "gemini/gemini-3.6-flash": introductory,
	}
	c := load(t, "")
	data, err := os.ReadFile("testdata/second.tsv")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(f) < 8 {
			continue
		}
		var want [7]float64
		for i, s := range f[1:8] {
			if s != "-" {
				if want[i], err = strconv.ParseFloat(s, 64); err != nil {
					t.Fatal(line, err)
				}
			}
		}
		p, ok := c.Price(f[0])
		if !ok || p.Model != f[0] {
			t.Errorf("%s has no row", f[0])
			continue
		}
		above := float64(p.LongAbove)
		if strings.HasPrefix(p.Model, "xai/") { // from the threshold on, not above it
			above++
		}
		got := [7]float64{p.Input, p.CacheRead, p.CacheWrite, p.Output, above, p.LongInput, p.LongOutput}
		for i := range got {
			scale := 1.0
			if differ[p.Model] != "" && i < 4 {
				scale = 2
			}
			if math.Abs(got[i]-scale*want[i]) > 1e-9 {
				t.Errorf("%s, column %d: %v here, %v there", p.Model, i+1, got[i], want[i])
			}
		}
		checked++
	}
	if checked < 90 {
		t.Errorf("only %d rows were compared", checked)
	}
}

// block is a part of a prompt; its id tells it from others of the same kind.
type block struct {
	tokens, step int64
	id           int
	result       bool
}

// simulate is the arithmetic of a published model of what a tool loop costs: a prompt of 4,000 tokens, steps of 250 tokens
// of output that return as input, results in a cycle of five sizes, a report of 2,500. cache is "" (all input is plain),
// "kept" (the longest prefix shared with an earlier request is read, the rest written) or "broken" (all is written).
// elide replaces results of more than 2,000 tokens by stubs of 70 once they are older than three steps.
func simulate(p Price, steps int64, cache string, elide bool) float64 {
	blocks := []block{{tokens: 3000, id: 0}, {tokens: 1000, id: 1}}
	var earlier [][]block
	next, total := 2, int64(0)
	add := func(b block) {
		b.id = next
		blocks, next = append(blocks, b), next+1
	}
	for s := int64(1); s <= steps; s++ {
		if elide {
			for i, b := range blocks {
				if b.result && b.tokens > 2000 && s-b.step > 3 {
					blocks[i], next = block{tokens: 70, step: b.step, id: next}, next+1
				}
			}
		}
		var n, hit int64
		for _, b := range blocks {
			n += b.tokens
		}
		for _, old := range earlier[max(0, len(earlier)-6):] {
			var same int64
			for i := 0; i < len(old) && i < len(blocks) && old[i] == blocks[i]; i++ {
				same += blocks[i].tokens
			}
			if same >= 1024 {
				hit = max(hit, same)
			}
		}
		earlier = append(earlier, append([]block(nil), blocks...))
		u := llm.Usage{In: n, Out: 250, Known: true}
		if s == steps {
			u.Out = 2500
		}
		switch cache {
		case "kept":
			u.In, u.CacheRead, u.CacheWrite = 0, hit, n-hit
		case "broken":
			u.In, u.CacheWrite = 0, n
		}
		total += p.MicroUSD(u)
		if s < steps {
			add(block{tokens: 250, step: s})
			add(block{tokens: []int64{1500, 6000, 250, 6000, 250}[(s-1)%5], step: s, result: true})
		}
	}
	return float64(total) / 1e6
}

// The dollars of whole runs, as that model's own program (in another language, with floating-point arithmetic) tells them.
func TestCostOfRuns(t *testing.T) {
	prices := []Price{
		{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75},
		{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3},
		{Input: 3, Output: 15, CacheRead: 0.75, CacheWrite: 3},
		{Input: 3, Output: 15, CacheRead: 1.5, CacheWrite: 3},
		{Input: 10, Output: 50, CacheRead: 1, CacheWrite: 12.5, LongAbove: 272_000, LongInput: 2, LongOutput: 1.5},
	}
	for _, x := range []struct {
		name  string
		steps int64
		cache string
		elide bool
		want  [5]float64
	}{
		{"naive", 40, "", false, [5]float64{7.861, 7.861, 7.861, 7.861, 26.202}},
		{"elided", 40, "", true, [5]float64{3.129, 3.129, 3.129, 3.129, 10.429}},
		{"cached, append-only", 40, "kept", false, [5]float64{1.384, 1.290, 2.385, 4.211, 4.615}},
		{"cached, elided", 40, "kept", true, [5]float64{1.132, 0.990, 1.346, 1.940, 3.773}},
		{"cache broken", 40, "broken", false, [5]float64{9.780, 7.861, 7.861, 7.861, 32.600}},
		{"naive", 120, "", false, [5]float64{67.435, 67.435, 67.435, 67.435, 324.780}},
		{"elided", 120, "", true, [5]float64{19.153, 19.153, 19.153, 19.153, 63.842}},
		{"cached, append-only", 120, "kept", false, [5]float64{8.454, 8.177, 18.053, 34.514, 39.528}},
		{"cached, elided", 120, "kept", true, [5]float64{4.351, 3.916, 6.455, 10.688, 14.502}},
		{"cache broken", 120, "broken", false, [5]float64{84.172, 67.435, 67.435, 67.435, 405.509}},
	} {
		for i, p := range prices {
			// each request is rounded up by less than a millionth; the figures are rounded to thousandths
			got, slack := simulate(p, x.steps, x.cache, x.elide), 0.0005+float64(x.steps)/1e6
			if math.Abs(got-x.want[i]) > slack {
				t.Errorf("%s, %d steps, price %c: $%.4f, want $%.3f", x.name, x.steps, 'A'+i, got, x.want[i])
			}
		}
	}
}

func ExamplePrice_MicroUSD() {
	c, err := Load(nil)
	if err != nil {
		panic(err)
	}
	price, known := c.Price("anthropic/claude-sonnet-4-5-20250929")
	cost := price.MicroUSD(llm.Usage{In: 1200, CacheRead: 40_000, Out: 300, Known: true})
	fmt.Printf("%v %s $%.4f\n", known, price.Model, float64(cost)/1e6)
	_, known = c.Price("anthropic/claude-sonnet-9")
	fmt.Println(known)
	// Output:
	// true anthropic/claude-sonnet-4-5 $0.0201
	// false
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(nil); err != nil {
			b.Fatal(err)
		}
	}
}
