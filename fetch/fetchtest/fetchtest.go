// Package fetchtest is what every fetch.Fetcher must do, as a test suite. Offline, a folder and live HTTP pass the same. It
// also helps fakes of the client to keep its contract.
package fetchtest

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"ibid/fetch"
)

// A Subject is a fetcher with something known in it.
type Subject struct {
	Fetcher fetch.Fetcher
	Known   []string                 // URLs that can be read
	Same    [][2]string              // pairs of spellings of one document
	Fails   map[string]fetch.Outcome // URLs that cannot be read, and why
}

// Run checks a subject.
func Run(t *testing.T, s Subject) {
	t.Run("known", func(t *testing.T) {
		for _, u := range s.Known {
			d, err := s.Fetcher.Fetch(t.Context(), u)
			if err != nil {
				t.Errorf("%s: %v", u, err)
				continue
			}
			checkDocument(t, u, d)
			again, err := s.Fetcher.Fetch(t.Context(), u)
			if err != nil || !bytes.Equal(again.Body, d.Body) || again.URL != d.URL {
				t.Errorf("%s: a second read differs: %v", u, err)
			}
		}
	})
	t.Run("same", func(t *testing.T) {
		for _, pair := range s.Same {
			a, errA := s.Fetcher.Fetch(t.Context(), pair[0])
			b, errB := s.Fetcher.Fetch(t.Context(), pair[1])
			if errA != nil || errB != nil || a.URL != b.URL || !bytes.Equal(a.Body, b.Body) {
				t.Errorf("%q and %q are not one document: %v, %v", pair[0], pair[1], errA, errB)
			}
		}
	})
	t.Run("fails", func(t *testing.T) {
		for u, want := range s.Fails {
			d, err := s.Fetcher.Fetch(t.Context(), u)
			var e *fetch.Unavailable
			switch {
			case !errors.As(err, &e) || d != nil:
				t.Errorf("%q: %v, %v; want an *Unavailable", u, d, err)
			case e.Outcome != want || e.Reason == "" || e.Hint == "" || e.URL != u:
				t.Errorf("%q: %+v; want outcome %s with a reason, a hint and the URL asked for", u, e, want)
			}
		}
	})
	t.Run("refuses", func(t *testing.T) {
		for _, u := range []string{"", "/etc/passwd", "javascript:alert(1)", "ftp://a.example/x", "http://", "file://../../etc/passwd", "\x00"} {
			d, err := s.Fetcher.Fetch(t.Context(), u)
			var e *fetch.Unavailable
			if d != nil || !errors.As(err, &e) || e.Outcome != fetch.Refused {
				t.Errorf("%q: %v, %v; want it refused", u, d, err)
			}
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Fetcher.Fetch(ctx, s.Known[0]); !errors.Is(err, context.Canceled) {
			t.Errorf("with a cancelled context: %v", err)
		}
	})
	t.Run("concurrent", func(t *testing.T) {
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				for _, u := range s.Known {
					if _, err := s.Fetcher.Fetch(t.Context(), u); err != nil {
						t.Errorf("%s: %v", u, err)
					}
				}
			})
		}
		wait.Wait()
	})
}

// checkDocument asserts what holds for every document.
func checkDocument(t *testing.T, asked string, d *fetch.Document) {
	t.Helper()
	if d.Requested != asked {
		t.Errorf("%s: requested %q", asked, d.Requested)
	}
	if canonical, err := fetch.CanonicalURL(d.URL); err != nil || canonical == "" {
		t.Errorf("%s: the URL that answered, %q, has no canonical form: %v", asked, d.URL, err)
	}
	if d.Fetched.IsZero() || d.Fetched.Location() != time.UTC || d.Fetched.Nanosecond() != 0 {
		t.Errorf("%s: fetched at %v; want UTC in seconds", asked, d.Fetched)
	}
	if len(d.Body) == 0 {
		t.Errorf("%s: no body", asked)
	}
}
