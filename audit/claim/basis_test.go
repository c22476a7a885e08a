package claim

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

// A Checker says what Check says, whatever it has read before and however much it was.
func TestChecker(t *testing.T) {
	var k Checker
	pairs := sharedPairs(t, "own")
	long := strings.Repeat("The pier was closed. ", MaxQuote/21)
	for round := range 3 {
		for i, p := range pairs {
			c := Context{Title: p.Context, Before: p.Claim}
			if i%20 == 0 {
				c.After = long[round*i:] // more than it keeps
			}
			if got, want := k.Check(p.Claim, p.Evidence, c), Check(p.Claim, p.Evidence, c); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", p.ID, got, want)
			}
			if k.bytes > maxKept {
				t.Fatalf("%d bytes are kept", k.bytes)
			}
		}
	}
}

// Several hold claims against one quote at once.
func TestBasisOfSeveral(t *testing.T) {
	b := On("The array may deliver 41.6 GWh, the operator said.", Context{Before: "If the lease is renewed, ", After: ", although nobody knows."})
	said := []string{"The array delivers 41.6 GWh.", "The array delivers 47.6 GWh.", "The unsafe array never delivers.", "The operator reports an output of 41.6 GWh."}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			claim := said[i%len(said)]
			if got, want := b.Check(claim), b.Check(claim); len(got) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s: %v, then %v", claim, got, want)
			}
		})
	}
	wg.Wait()
}

// What is looked up for a word is what the lists say of it.
func TestVocabulary(t *testing.T) {
	for w, l := range vocabulary() {
		for is, in := range map[trait]bool{functional: functionWords[w], negating: negators[w], clausal: clauseWords[w], foreign: foreignWords[w], counting: startsFigure[w], measuring: strength[w] > 0,
			ordering: orderWords[w], classed: len(members()[w]) > 0} {
			if (l.is&is != 0) != in {
				t.Errorf("%s: trait %b is %v", w, is, !in)
			}
		}
		if l.stem != stem(w) {
			t.Errorf("%s: stem %s, want %s", w, l.stem, stem(w))
		}
	}
	for _, w := range strings.Fields("roses rose parties unhappily 4x4 größte s") {
		if got := lexemeOf(w); got.stem != stem(w) {
			t.Errorf("%s: stem %s, want %s", w, got.stem, stem(w))
		}
	}
}
