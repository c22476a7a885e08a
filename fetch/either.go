package fetch

import (
	"context"
	"errors"
	"strings"
)

// Either reads from a shelf of local documents, and from the web what is not on it.
type Either struct{ Shelf, Web Fetcher }

// Fetch reads one URL.
func (e Either) Fetch(ctx context.Context, url string) (*Document, error) {
	doc, err := e.Shelf.Fetch(ctx, url)
	var u *Unavailable
	if errors.As(err, &u) && (u.Outcome == NotFound || u.Outcome == Refused) {
		if canonical, bad := CanonicalURL(url); bad == nil && strings.HasPrefix(canonical, "file:") {
			return nil, err // the web has no files
		}
		return e.Web.Fetch(ctx, url)
	}
	return doc, err
}
