package forms

import (
	"fmt"
	"strings"
	"testing"

	"ibid/evidence"
)

// BenchmarkForms is a report of 1,000 findings from 20 sources of 1,000 spans each, checked and printed as HTML, DOCX and annotations.
func BenchmarkForms(b *testing.B) {
	w := newWorld(b, "What do the meters say?")
	for s := range 20 {
		var spans []string
		for i := range 1000 {
			spans = append(spans, fmt.Sprintf("para.%d|Meter number %d of house %d lost %d litres of water in the spring. %s", i+1, i, s, 3*i+s, strings.Repeat("It rained. ", 20)))
		}
		id := w.source(evidence.Source{URL: fmt.Sprintf("https://h%d.example/", s), Title: "Meters", Kind: evidence.HTML}, spans...)
		for i := 0; i < 1000; i += 20 {
			w.finds(id, fmt.Sprintf("para.%d", i+1), fmt.Sprintf("Meter number %d of house %d lost %d litres of water in the spring.", i, s, 3*i+s))
		}
	}
	bundle := w.bundle("")
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			bundle.Verify()
		}
	})
	for _, form := range []struct {
		name  string
		print func(*Report) ([]byte, error)
	}{{"html", (*Report).HTML}, {"docx", (*Report).DOCX}, {"annotations", (*Report).Annotations}} {
		b.Run(form.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := form.print(take(bundle)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
