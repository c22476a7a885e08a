package index

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"ibid/internal/testset"
)

// passages returns n passages of the open sets.
func passages(b *testing.B, n int) (items []Item) {
	for _, set := range []string{"scifact", "hotpot500"} {
		items = append(items, load(b, set)...)
	}
	return items[:n]
}

// BenchmarkBuild builds an index as a library does, 64 documents at a time.
func BenchmarkBuild(b *testing.B) {
	items := passages(b, 7000)
	size := 0
	for _, it := range items {
		size += len(it.Title) + len(it.Body)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		x := New(Config{})
		for i := 0; i < len(items); i += 64 {
			x.Add(items[i:min(i+64, len(items))]...)
		}
	}
}

// BenchmarkSearch7000 asks 7,000 passages the questions of a set, one after the other; the goal is a 95th percentile under
// 25 ms.
func BenchmarkSearch7000(b *testing.B) {
	x := New(Config{})
	x.Add(passages(b, 7000)...)
	questions := jsonLines[struct{ ID, Text string }](b, testset.Path(b, "data", "retrieval", "hotpot500", "queries.jsonl"))
	for _, plain := range []bool{true, false} {
		b.Run(fmt.Sprint("plain=", plain), func(b *testing.B) {
			x.config.Plain = plain
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				began := time.Now()
				x.Search(questions[i%len(questions)].Text, 100)
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
