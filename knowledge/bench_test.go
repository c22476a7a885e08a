package knowledge

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkAbsorb is one snippet of 20,000 characters with some 330 facts.
func BenchmarkAbsorb(b *testing.B) {
	base := open(b, address(b))
	n := 0
	for b.Loop() {
		var text strings.Builder
		for text.Len() < MaxText-100 {
			n++
			fmt.Fprintf(&text, "The crane at pier %d lifted %d tonnes of steel in March. ", n, n%977)
		}
		if _, err := base.Remember(b.Context(), me, "notes", Snippet{Text: text.String(), Label: User}, true); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(text.Len()))
	}
}

// BenchmarkQuery asks a base of 10,000 facts that is in memory.
func BenchmarkQuery(b *testing.B) {
	base := open(b, address(b))
	words := strings.Fields("crane tug ferry sluice buoy pilot lock dredger barge quay")
	for i := range 30 {
		var text strings.Builder
		for n := i * 340; n < i*340+340; n++ {
			fmt.Fprintf(&text, "The %s at pier %d lifted %d tonnes of steel. ", words[n%10], n, n%977)
		}
		if _, err := base.Remember(b.Context(), me, "notes", Snippet{Text: text.String(), Label: User}, true); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if a, err := base.Query(b.Context(), me, "notes", "How many tonnes did the dredger at pier 4007 lift?"); err != nil || len(a.Facts) == 0 {
			b.Fatal(a, err)
		}
	}
}
