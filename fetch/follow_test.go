package fetch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ibid/fetch"
)

func TestFollow(t *testing.T) {
	fault := errors.New("a bug")
	ways := map[string]string{"a": "b", "b": "c", "c": "d", "d": "e", "x": "y", "y": "bug", "circle": "circle"}
	for _, c := range []struct {
		from, forbidden, reads string
		got                    string // "" for an error
		location               string // of it
	}{
		{"e", "", "e", "e", ""},
		{"b", "", "b c d e", "e", ""},
		{"a", "", "a b c d", "", "e"},
		{"b", "d", "b c", "", "d"},
		{"circle", "", "circle circle circle circle", "", "circle"},
		{"x", "", "x y bug", "", ""},
	} {
		var reads []string
		got, err := fetch.Follow(c.from, func(to string) bool { return to != c.forbidden }, func(url string) (string, error) {
			reads = append(reads, url)
			if url == "bug" {
				return "", fault
			}
			if to := ways[url]; to != "" {
				return "", fmt.Errorf("reading: %w", &fetch.Unavailable{URL: url, Outcome: fetch.Moved, Location: to})
			}
			return url, nil
		})
		var e *fetch.Unavailable
		errors.As(err, &e)
		if got != c.got || (err == nil) != (c.got != "") || strings.Join(reads, " ") != c.reads || c.location != "" && (e == nil || e.Location != c.location) {
			t.Errorf("%s: %q, %v after %q; want %q, %q after %s", c.from, got, err, reads, c.got, c.location, c.reads)
		}
	}
}
