package search

import (
	"slices"
	"testing"
)

func TestIdentityOfPages(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"https://news.example/storm", "http://www.news.example:80/storm/?fbclid=3#top", true},
		{"https://news.example/storm", "https://m.news.example/storm", true},
		{"https://news.example/storm", "https://mobile.news.example/storm?amp=1", true},
		{"https://news.example/storm", "https://www.google.com/amp/s/news.example/storm", true},
		{"https://news.example/storm", "https://news-example.cdn.ampproject.org/c/s/news.example/storm?utm_source=x", true},
		{"https://news.example/storm", "https://news-example.cdn.ampproject.org/v/s/news.example/storm?amp_js_v=0.1&usqp=mq331", true},
		{"https://en.wikipedia.org/wiki/Tide", "https://en.m.wikipedia.org/wiki/Tide", true},
		{"https://news.example/%7Euser/caf%c3%a9", "https://news.example./~user/café", true},
		{"https://news.example/?q=%41%2bb", "https://news.example/?q=A%2Bb", true},
		{"https://news.example/?q=a%2Bb", "https://news.example/?q=a+b", false},
		{"https://news.example/?q=a%26b", "https://news.example/?q=a&b", false},
		{"https://news.example/a%2Fb", "https://news.example/a/b", false},
		{"https://news.example/a%3Fb", "https://news.example/a?b", false},
		{"https://news.example/storm?id=1", "https://news.example/storm?id=2", false},
		{"https://news.example/Storm", "https://news.example/storm", false},
		{"https://news.example/storm", "https://news.example/storm/amp", false}, // may be a page about amplifiers
		{"https://amp.dev/about", "https://dev/about", false},
		{"https://m.example/", "https://example/", false},
		{"https://www.example/", "https://example/", false},
		{"https://a.m.example.org/x", "https://a.example.org/x", false},
		{"https://www.google.com/amp/s/", "https://www.google.com/", false},
		{"https://x.cdn.ampproject.org/i/s/news.example/a.png", "https://news.example/a.png", false},
		{"https://evil.example/amp/s/news.example/storm", "https://news.example/storm", false},
		{"https://www.google.com/amp/s/u:p@news.example/storm", "https://news.example/storm", false},
	} {
		_, a, okA := cleanURL(tt.a)
		_, b, okB := cleanURL(tt.b)
		if !okA || !okB || (a == b) != tt.same {
			t.Errorf("%s and %s: same is %v (%q, %q)", tt.a, tt.b, a == b, a, b)
		}
	}
}

// The publisher's own address is what is shown and read, not the cache's.
func TestOriginalOfAnAMPCopy(t *testing.T) {
	for in, want := range map[string]string{
		"https://www.google.com/amp/s/news.example/storm%20x?p=2&utm_source=y":               "https://news.example/storm%20x?p=2",
		"https://news-example.cdn.ampproject.org/c/news.example/storm":                       "http://news.example/storm",
		"https://www.google.com/amp/s/news-example.cdn.ampproject.org/c/s/news.example/deep": "https://news.example/deep",
		"https://m.news.example/storm":                                                       "https://m.news.example/storm",
	} {
		if got, _, ok := cleanURL(in); !ok || got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestTracking(t *testing.T) {
	if !slices.IsSorted(trackers) {
		t.Error("the names are looked up by halves, and are not in order")
	}
	for name, want := range map[string]bool{"utm_source": true, "UTM_Medium": true, "fbclid": true, "hsCtaTracking": true, "_ga": true, "pk_campaign": true,
		"utm": false, "ref": false, "q": false, "id": false, "source": false, "gclid2": false, "": false} {
		if got := Tracking(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
