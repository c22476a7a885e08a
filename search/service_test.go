package search

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

// transport answers without a network.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func says(body string) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

const emptyFeed = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><totalResults>0</totalResults></feed>`

// The public services are asked no faster than they ask for, also by searches side by side.
func TestPace(t *testing.T) {
	for name, tt := range map[string]struct {
		key  string
		body string
		pace time.Duration
	}{
		"arxiv":           {"", emptyFeed, 3 * time.Second},
		"brave":           {"k", `{"type":"search","query":{}}`, time.Second},
		"semanticscholar": {"", `{"total":0}`, time.Second},
		"pubmed":          {"k", `{"esearchresult":{"idlist":[]}}`, 100 * time.Millisecond},
		"serper":          {"k", `{"organic":[]}`, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			var at []time.Time
			asked := make(chan time.Time, 10)
			p, err := Open(name, Config{Key: tt.key, Client: &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
				asked <- time.Now()
				return says(tt.body), nil
			})}})
			if err != nil {
				t.Fatal(err)
			}
			var searches sync.WaitGroup
			for range 4 {
				searches.Go(func() { p.Search(t.Context(), "one", 8) }) //nolint:errcheck // only when it asks matters
			}
			searches.Wait()
			close(asked)
			for a := range asked {
				at = append(at, a)
			}
			if took := at[len(at)-1].Sub(at[0]); len(at) != 4 || took.Round(time.Millisecond) != 3*tt.pace {
				t.Errorf("%s: %d requests in %v, want 4 in %v", name, len(at), took, 3*tt.pace)
			}
		})
	}
}

// Waiting for a turn obeys the context, and a turn that would come too late is not waited for.
func TestPaceObeysTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := Open("arxiv", Config{Client: &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) { return says(emptyFeed), nil })}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Search(t.Context(), "one", 8); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := p.Search(ctx, "one", 8); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want the context's error", err)
		}
		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		var e *Error
		if _, err := p.Search(short, "one", 8); !errors.As(err, &e) || e.Outcome != RateLimited || e.RetryAfter == 0 {
			t.Errorf("%v, want a rate limit of our own", err)
		}
	})
}

// An exchange ends, also where the caller set no limit and the service sends byte after byte.
func TestExchangeHasATimeout(t *testing.T) {
	for _, k := range Kinds() {
		synctest.Test(t, func(t *testing.T) {
			p, err := Open(k.Name, Config{Key: "a-key", Model: "m", URL: "http://slow.example", Client: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				<-r.Context().Done()
				return nil, r.Context().Err()
			})}})
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			_, err = p.Search(t.Context(), "one", 8)
			var e *Error
			if !errors.As(err, &e) || e.Outcome != Failed || !strings.Contains(e.Reason, "did not answer within") {
				t.Errorf("%s: %v", k.Name, err)
			}
			if took := time.Since(start); took > modelTime || k.Name == "tavily" && took != exchangeTime {
				t.Errorf("%s took %v", k.Name, took)
			}
		})
	}
}

// What is asked says who asks, and holds the contact where a service is more polite to those who give one.
func TestRequestsSayWhoAsks(t *testing.T) {
	for _, tt := range []struct{ contact, agent, parameter string }{
		{"research@ibid.example", "ibid/1.0 (research@ibid.example)", "research@ibid.example"},
		{"mailto:research@ibid.example", "ibid/1.0 (mailto:research@ibid.example)", "research@ibid.example"},
		{"https://ibid.example/about", "ibid/1.0 (https://ibid.example/about)", ""},
		{"", "ibid/1.0", ""},
	} {
		for name, parameter := range map[string]string{"crossref": "mailto", "openalex": "mailto", "pubmed": "email"} {
			var agent string
			var query url.Values
			p, err := Open(name, Config{URL: "http://x.example", UserAgent: "ibid/1.0", Contact: tt.contact, Client: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				agent, query = r.UserAgent(), r.URL.Query()
				return says(`{"results":[],"message":{"items":[]},"esearchresult":{"idlist":[]}}`), nil
			})}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Search(t.Context(), "one", 8); err != nil {
				t.Fatal(err)
			}
			if agent != tt.agent || query.Get(parameter) != tt.parameter {
				t.Errorf("%s, contact %q: agent %q, %s=%q", name, tt.contact, agent, parameter, query.Get(parameter))
			}
		}
	}
}

// arXiv is asked for all words first, and for any only where all find nothing; then most must be there.
func TestArXivAsksAgain(t *testing.T) {
	var queries []string
	entry := func(title string) string {
		return `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/1</id><title>` + title + `</title><summary>s</summary></entry></feed>`
	}
	any := entry("Faithful retrieval augmented answers")
	p, err := Open("arxiv", Config{URL: "http://x.example", Client: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		q := r.URL.Query().Get("search_query")
		queries = append(queries, q)
		if strings.Contains(q, " AND ") {
			return says(emptyFeed), nil
		}
		return says(any), nil
	})}})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := p.Search(t.Context(), `How "faithful" is retrieval-augmented generation?`, 8)
	want := []string{"all:faithful AND all:retrieval AND all:augmented AND all:generation", "all:faithful OR all:retrieval OR all:augmented OR all:generation"}
	if err != nil || !slices.Equal(queries, want) || len(answer.Results) != 1 {
		t.Errorf("asked %q, found %d, %v", queries, len(answer.Results), err)
	}
	any = entry("The generation of tides")
	if answer, err = p.Search(t.Context(), "faithful retrieval-augmented generation", 8); err != nil || len(answer.Results) != 0 {
		t.Errorf("one word of four: %+v, %v", answer.Results, err)
	}
}

func TestShorten(t *testing.T) {
	for in, want := range map[string]string{
		"  a\n b\x00c ": "a b c", "\x00": "", "*": "", `"`: "", "-358": "-358", "été \xff": "été", "潮汐表": "潮汐表", "": "",
	} {
		if got := shorten(in, 20); got != want {
			t.Errorf("shorten(%q) = %q, want %q", in, got, want)
		}
	}
	long := shorten(strings.Repeat("wörd ", 100), 300)
	if n := utf8.RuneCountInString(long); n > 300 || len(strings.Fields(long)) > maxWords || strings.HasSuffix(long, " ") || !strings.HasSuffix(long, "wörd") {
		t.Errorf("%d characters: %q", n, long)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		header, value string
		want          time.Duration
	}{
		{"Retry-After", "30", 30 * time.Second},
		{"Retry-After", "1.5", 1500 * time.Millisecond},
		{"Retry-After", "Mon, 30 Nov 2026 09:01:00 GMT", time.Minute},
		{"Retry-After", "Mon, 30 Nov 2026 08:59:00 GMT", 0},
		{"Retry-After", "-5", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "1e300", maxWait},
		{"Retry-After", "Inf", maxWait},
		{"Retry-After", "999999", maxWait},
		{"X-RateLimit-Reset", "2, 1419704", 2 * time.Second},
		{"X-RateLimit-Reset", "1796029230", 30 * time.Second}, // seconds since 1970 of 09:00:30
		{"X-Other", "7", 0},
	} {
		if got := retryAfter(http.Header{http.CanonicalHeaderKey(tt.header): {tt.value}}, now); got != tt.want {
			t.Errorf("%s: %s gives %v, want %v", tt.header, tt.value, got, tt.want)
		}
	}
	if got := retryAfter(http.Header{"X-Ratelimit-Reset": {"99"}, "Retry-After": {"3"}}, now); got != 3*time.Second {
		t.Errorf("Retry-After comes first, got %v", got)
	}
}

func TestBeginningOfAnAbstract(t *testing.T) {
	index := map[string][]int{"the": {0, 3}, "Tides": {1}, "follow": {2}, "moon.": {4}, "far": {100000000}, "bad": {-1}, "moot": {4}}
	for range 20 { // whatever order the map has
		if got, want := beginning(index), "the Tides follow the moon."; got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	}
}
