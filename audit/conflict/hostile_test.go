package conflict

import (
	"fmt"
	"strings"
	"testing"
)

// Findings that are made to be slow to compare: long, all alike, full of figures, dates, negators and opposites.
func TestHostile(t *testing.T) {
	alone(t)
	for name, text := range map[string]func(i int) string{
		"one long sentence": func(i int) string { return strings.Repeat("alpha beta 5 km rises falls not ", 120) + fmt.Sprint(i) },
		"many words":        func(i int) string { return manyWords(i, 600) },
		"many sentences":    func(i int) string { return strings.Repeat(manyWords(i, 20)+fmt.Sprintf(" costs %d euros. ", i), 40) },
		"many figures":      func(i int) string { return "Costs of the ferry: " + strings.Repeat(fmt.Sprintf("%d euros, ", i), 300) },
		"many dates": func(i int) string {
			return "The ferry opened " + strings.Repeat(fmt.Sprintf("in %d and ", 1900+i%100), 300)
		},
		"all of them differ": func(i int) string { return fmt.Sprintf("The Halden ferry carries %d cars to the islands.", 7919*i+1) },
	} {
		t.Run(name, func(t *testing.T) {
			claims := make([]string, 500)
			for i := range claims {
				claims[i] = text(i)
			}
			if got := Find(says(claims...), nil); len(got) > maxPairs {
				t.Errorf("%d pairs", len(got))
			}
		})
	}
}

func manyWords(i, n int) string {
	var b strings.Builder
	for k := range n {
		fmt.Fprintf(&b, "w%cx%cy ", 'a'+rune(k%26), 'a'+rune((k/26+i%2)%26))
	}
	return b.String()
}
