package sites_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/fetch"
	"ibid/fetch/fetchtest"
	"ibid/fetch/sites"
)

var clock = time.Date(2025, 10, 9, 8, 53, 20, 0, time.UTC) // Unix time 1760000000

// A city is a local server behind all hosts, by "host/path" or "METHOD host/path". It keeps what it was asked.
type city struct {
	t      *testing.T
	server *httptest.Server
	mu     sync.Mutex
	pages  map[string]http.HandlerFunc
	asked  []*http.Request
}

func newCity(t *testing.T, pages map[string]http.HandlerFunc) *city {
	c := &city{t: t, pages: pages}
	c.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.asked = append(c.asked, r)
		at := r.Host + r.URL.Path
		for _, key := range []string{r.Method + " " + at, at, r.Host} {
			if h := c.pages[key]; h != nil {
				h(w, r)
				return
			}
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(c.server.Close)
	return c
}

// requests lists what a host was asked, without queries.
func (c *city) requests(host string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := []string{}
	for _, r := range c.asked {
		if r.Host == host || host == "" {
			list = append(list, r.Host+r.URL.Path)
		}
	}
	return list
}

// Do is one exchange, as the live client performs it: redirects inside the site, whole bodies below the limit.
func (c *city) Do(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	at, left, limit := r.URL, r.Redirects, r.MaxBody
	if left == 0 {
		left = 5
	}
	if limit == 0 {
		limit = fetch.MaxHTML
	}
	for {
		u, err := url.Parse(at)
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, r.Method, c.server.URL+u.RequestURI(), strings.NewReader(string(r.Body)))
		if err != nil {
			return nil, err
		}
		req.Host = u.Host
		for name, values := range r.Header {
			req.Header[name] = values
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, &fetch.Unavailable{URL: at, Outcome: fetch.Failed, Reason: "network"}
		}
		body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
		resp.Body.Close()
		if err != nil {
			return nil, &fetch.Unavailable{URL: at, Outcome: fetch.Incomplete, Reason: "cut"}
		}
		if int64(len(body)) > limit {
			return nil, &fetch.Unavailable{URL: at, Outcome: fetch.TooLarge, Reason: "too large", Hint: "x"}
		}
		answer, err := fetchtest.Redirect(&fetch.Response{URL: at, Status: resp.StatusCode, Header: resp.Header, Body: body})
		if err != nil || answer.Location == "" || left < 0 {
			return answer, err
		}
		next, err := url.Parse(answer.Location)
		if err != nil {
			return nil, err
		}
		if left == 0 || fetch.Site(next.Hostname()) != fetch.Site(u.Hostname()) {
			return nil, &fetch.Unavailable{URL: at, Outcome: fetch.Moved, Reason: "moved", Location: next.String()}
		}
		at, left = next.String(), left-1
	}
}

// web reads pages through a city, as the live fetcher does: only what may be read is a document.
type web struct{ *city }

func (w web) Fetch(ctx context.Context, raw string) (*fetch.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	canonical, err := fetch.CanonicalURL(raw)
	if err != nil || strings.HasPrefix(canonical, "file:") {
		return nil, &fetch.Unavailable{URL: raw, Outcome: fetch.Refused, Reason: "no", Hint: "no"}
	}
	resp, err := w.Do(ctx, fetch.Request{URL: canonical, MaxBody: fetch.MaxFile})
	if err != nil {
		return nil, err
	}
	outcomes := map[int]fetch.Outcome{404: fetch.NotFound, 410: fetch.NotFound, 403: fetch.Blocked, 429: fetch.RateLimited, 402: fetch.Blocked}
	if resp.Status != 200 {
		o := outcomes[resp.Status]
		if o == "" {
			o = fetch.Failed
		}
		return nil, &fetch.Unavailable{URL: raw, Outcome: o, Reason: "status", Hint: "Take another."}
	}
	return &fetch.Document{Requested: raw, URL: resp.URL, ContentType: resp.Header.Get("Content-Type"), Body: resp.Body, Fetched: clock}, nil
}

// over returns a fetcher over a city.
func over(c *city, config sites.Config) *sites.Sites {
	config.Client, config.Web = c, web{c}
	config.Now = func() time.Time { return clock }
	return sites.New(config)
}

// says answers with a body of a type.
func says(contentType, body string) http.HandlerFunc { return status(200, contentType, body) }

func status(code int, contentType, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

func redirect(to string) http.HandlerFunc { return status(302, "text/html", "", "Location", to) }

// wants asserts that a URL cannot be had, for one reason, said in full.
func wants(t *testing.T, f fetch.Fetcher, raw string, outcome fetch.Outcome, words ...string) *fetch.Unavailable {
	t.Helper()
	doc, err := f.Fetch(t.Context(), raw)
	var e *fetch.Unavailable
	if doc != nil || !errors.As(err, &e) {
		t.Fatalf("%s: %v, %v; want it unavailable", raw, doc, err)
	}
	if e.Outcome != outcome || e.URL != raw || e.Reason == "" || e.Hint == "" {
		t.Errorf("%s: %+v; want %s with a reason, a hint and the URL asked for", raw, e, outcome)
	}
	for _, w := range words {
		if !strings.Contains(e.Reason+" "+e.Hint, w) {
			t.Errorf("%s: %q (%q) does not say %q", raw, e.Reason, e.Hint, w)
		}
	}
	return e
}

// reads asserts that a URL is read, and returns the document.
func reads(t *testing.T, f fetch.Fetcher, raw, at string, flags ...string) *fetch.Document {
	t.Helper()
	doc, err := f.Fetch(t.Context(), raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	if doc.URL != at || doc.Requested != raw || !slices.Equal(doc.Flags, flags) {
		t.Errorf("%s: it is %s (asked for: %s), flags %q; want %s, %q", raw, doc.URL, doc.Requested, doc.Flags, at, flags)
	}
	if doc.Fetched.IsZero() || doc.Fetched.Location() != time.UTC || doc.Fetched.Nanosecond() != 0 {
		t.Errorf("%s: fetched %v", raw, doc.Fetched)
	}
	return doc
}
