// Package fetch turns a URL into a document: the bytes, their type, and how they were had. It looks into a page only to
// tell that something else stands in its place.
// Live HTTP, an offline corpus and a folder of the user's files are the same interface, so a run cannot tell them apart.
package fetch

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// A Fetcher reads one URL. A page that cannot be had is an *Unavailable; any other error is a fault of the program.
type Fetcher interface {
	Fetch(ctx context.Context, url string) (*Document, error)
}

// A Document is what was read: raw bytes and their provenance. A folder (a repository) is a tar of its files.
type Document struct {
	Requested   string    // the URL asked for
	URL         string    // the URL that answered, after redirects
	ContentType string    // as declared; content is sniffed later, not believed
	Body        []byte    // raw, complete
	Fetched     time.Time // UTC, second precision
	Flags       []string  // what a reader of the source should know of it: FlagPaywall …; may be nil
	Title       string    // where the fetcher knows it and the bytes do not say it, as of a video's captions
	Author      string    // likewise
	Exchange    *Exchange // how a server was asked and answered; nil where there was none, or it is not known
}

// An Exchange is what a server was asked and what it answered, but for the body: fields that say what was served, and
// nothing that a visitor is known by.
type Exchange struct {
	Asked  http.Header `json:"asked,omitempty"` // nil where the answer is from the cache
	Status int         `json:"status"`
	Header http.Header `json:"header"` // as served; what only described the transport is not among it
}

// servedFields are the fields of an answer that are kept with a source.
var servedFields = append([]string{"Content-Language", "Content-Location", "Date", "Expires", "Age", "Vary", "Link", "Server", "X-Robots-Tag"}, keptFields...)

// maxServed is the size of one kept field, in bytes.
const maxServed = 4 << 10

// exchangeOf tells of an answer what is kept with a source.
func exchangeOf(r *Response) *Exchange {
	e := &Exchange{Asked: r.Asked, Status: r.Status, Header: http.Header{}}
	for _, name := range servedFields {
		for _, v := range r.Header.Values(name) {
			if len(v) <= maxServed && len(e.Header[name]) < 8 {
				e.Header[name] = append(e.Header[name], v)
			}
		}
	}
	return e
}

// Flags of a document, kept with the source that is made of it and shown with it.
const (
	FlagPaywall   = "paywall"          // only what stands before the paywall
	FlagArchived  = "archived"         // an archived copy: the page itself is gone
	FlagRendered  = "rendered"         // as a browser showed it after running the page's scripts
	FlagStale     = "stale"            // from the cache, since the server could not be asked whether it still says so
	FlagOverruled = "robots_overruled" // read though robots.txt or a signal asks programs not to: a person typed its address
)

// Outcome classes keep absences apart (law 7): only Empty means that nothing was there.
type Outcome string

const (
	OK          Outcome = "ok"
	Empty       Outcome = "empty"        // read, and it holds no text
	NotFound    Outcome = "not_found"    // 404, 410, or no such entry offline
	Refused     Outcome = "refused"      // our own policy: scheme, host, path, size
	Denied      Outcome = "denied"       // a person or a gate said no
	Blocked     Outcome = "blocked"      // challenge page, bot wall, robots
	RateLimited Outcome = "rate_limited" // 429 and its disguises
	TooLarge    Outcome = "too_large"
	JSRequired  Outcome = "js_required"
	Unsupported Outcome = "unsupported"  // bytes that no reader understands
	Failed      Outcome = "failed"       // network, server or disk error
	ConsentWall Outcome = "consent_wall" // a page that asks for consent stood in its place
	Moved       Outcome = "moved"        // it redirects to another site: Location
	Incomplete  Outcome = "incomplete"   // the answer ended before its end
)

// Unavailable is the one error for "this source is unavailable" (FETCH-4). Reason says what happened, Hint what a model
// or a person can do instead.
type Unavailable struct {
	URL     string  `json:"url"`
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason"`
	Hint    string  `json:"hint,omitempty"`
	// Location is where a page that Moved went. A Fetcher follows redirects inside a site (one registrable domain) itself;
	// whether a page may lead to another site is decided by whoever knows where its URL came from (law 5).
	Location   string        `json:"location,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"` // zero: the server did not say
}

func unavailable(url string, outcome Outcome, reason, hint string) *Unavailable {
	return &Unavailable{URL: url, Outcome: outcome, Reason: reason, Hint: hint}
}

func (e *Unavailable) Error() string {
	s := fmt.Sprintf("fetch %s: %s: %s", e.URL, e.Outcome, e.Reason)
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}
