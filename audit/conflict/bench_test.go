package conflict

import (
	"testing"

	"ibid/evidence"
)

// Findings of a large run, with claims in other words than their quotes.
func BenchmarkFind(b *testing.B) {
	fs := supported(b, "fever")[:500]
	b.ReportAllocs()
	for b.Loop() {
		Find(fs, nil)
	}
}

// The worst case: every finding speaks of the same thing, so each is held against each.
func BenchmarkFindAlike(b *testing.B) {
	one := says("Losses in the northern grid fell to 4.1 percent in 2024, the authority said.")[0]
	fs := make([]evidence.Finding, 500)
	for i := range fs {
		fs[i] = one
		fs[i].ID, fs[i].Source = evidence.FindingID(i+1), evidence.SourceID(i+1)
	}
	b.ReportAllocs()
	for b.Loop() {
		Find(fs, nil)
	}
}

// A run that looks for conflicts after each of a hundred findings.
func BenchmarkWatch(b *testing.B) {
	fs := supported(b, "fever")[:100]
	b.ReportAllocs()
	for b.Loop() {
		var w Watch
		for i := range fs {
			w.Find(fs[:i+1], nil)
		}
	}
}
