package search

import (
	"context"
	"slices"
	"testing"
)

// TestNotices: the gravest that a register says of a work is told; that of a notice, which updates another work, is not its own.
func TestNotices(t *testing.T) {
	a, err := readCrossref([]byte(`{"message":{"items":[
		{"DOI":"10.5555/a","title":["A"],"updated-by":[{"type":"erratum","DOI":"10.5555/e"},{"type":"retraction","DOI":"10.5555/r"}]},
		{"DOI":"10.5555/b","title":["B"],"updated-by":[{"type":"expression-of-concern"}]},
		{"DOI":"10.5555/r","title":["Retraction of A"],"update-to":[{"type":"retraction","DOI":"10.5555/a"}]},
		{"DOI":"10.5555/c","title":["C"],"updated-by":[{"type":"new_version"}]},
		{"DOI":"10.5555/d","title":["D"]}]}}`))
	want := []Notice{{"https://doi.org/10.5555/a", "10.5555/a", "retracted", "Crossref has a notice: retraction, doi 10.5555/r"},
		{"https://doi.org/10.5555/b", "10.5555/b", "doubted", "Crossref has a notice: expression of concern"}}
	if err != nil || len(a.Results) != 5 || !slices.Equal(a.Notices, want) {
		t.Errorf("%+v, %v", a, err)
	}
	b, err := readOpenAlex([]byte(`{"results":[{"id":"https://openalex.org/W1","doi":"https://doi.org/10.5555/a","title":"A","is_retracted":true},{"id":"https://openalex.org/W2","title":"B","is_retracted":false}]}`))
	if want := []Notice{{"https://doi.org/10.5555/a", "10.5555/a", "retracted", "OpenAlex has it as retracted"}}; err != nil || len(b.Results) != 2 || !slices.Equal(b.Notices, want) {
		t.Errorf("%+v, %v", b, err)
	}
	if c, err := Fuse(told{"one", a}, told{"two", b}).Search(t.Context(), "a", 8); err != nil || len(c.Notices) != 3 {
		t.Errorf("%+v, %v", c, err)
	}
}

// told is a provider with one answer.
type told struct {
	name   string
	answer Answer
}

func (p told) Name() string { return p.name }

func (p told) Search(context.Context, string, int) (Answer, error) { return p.answer, nil }
