// Package searchtest holds the suite that every search.Provider passes, and servers that speak the providers' wire
// formats.
package searchtest

import (
	"context"
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"ibid/search"
)

// Conform checks a provider against the seam. It has to find something for known and nothing for unknown.
func Conform(t *testing.T, p search.Provider, known, unknown string) {
	t.Helper()
	if name := p.Name(); name == "" || name != strings.ToLower(name) || strings.ContainsAny(name, " \t\n") {
		t.Errorf("Name() = %q: want a stable lower-case word", name)
	}
	ctx := t.Context()
	answer, err := p.Search(ctx, known, search.MaxResults)
	results := answer.Results
	if err != nil || len(results) == 0 {
		t.Fatalf("Search(%q) = %d results, %v: want some", known, len(results), err)
	}
	if len(results) > search.MaxResults {
		t.Errorf("Search(%q) has %d results, more than were asked for", known, len(results))
	}
	for _, r := range results {
		if u, err := url.Parse(r.URL); err != nil || !u.IsAbs() {
			t.Errorf("result address %q is not absolute", r.URL)
		}
		if len(r.Snippet) > 2000 {
			t.Errorf("the snippet of %s has %d bytes: that is page content", r.URL, len(r.Snippet))
		}
	}
	if again, err := p.Search(ctx, known, search.MaxResults); err != nil || !reflect.DeepEqual(again.Results, results) {
		t.Errorf("the same query gave another answer: %v", err)
	}
	if one, err := p.Search(ctx, known, 1); err != nil || len(one.Results) != 1 {
		t.Errorf("Search(%q, 1) = %d results, %v", known, len(one.Results), err)
	}
	if none, err := p.Search(ctx, unknown, search.MaxResults); err != nil || len(none.Results) != 0 {
		t.Errorf("Search(%q) = %v, %v: want an empty list and no error", unknown, none.Results, err)
	}
	for _, q := range []string{"", "*", `"`, "a OR", "title:x", "-358", "NEAR/2 (", "\x00", strings.Repeat("long query ", 5000)} {
		if _, err := p.Search(ctx, q, 3); err != nil {
			t.Errorf("Search(%.20q): %v: any text is a query", q, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err = p.Search(cancelled, known+" again", 3); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search gives %v", err)
	}
}
