package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestCommittedPDF: the file in the corpus is the one that this program writes.
func TestCommittedPDF(t *testing.T) {
	got, err := os.ReadFile("../papers/run-economics.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, render(paper)) {
		t.Error("papers/run-economics.pdf is not what paper.txt says: run `go run . > ../papers/run-economics.pdf` in mkpdf")
	}
}

func TestLinesFit(t *testing.T) {
	for _, l := range wrap(strings.Repeat("A word and (another) word, again. ", 50), bodySize, 451) {
		if w := measure(l) * bodySize / 1000; w > 451 {
			t.Errorf("a line is %.1f points wide: %q", w, l)
		}
	}
}
