package cases

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"ibid/fetch"
)

// robotsOps are the operations of the bank that robots code answers.
var robotsOps = map[string]func(*testing.T, failureCase){"robots": robotsAllowed, "robots_status": robotsAllowed}

// robotsAllowed asks the live fetcher for paths of a host with a robots.txt, and sees which are asked for.
func robotsAllowed(t *testing.T, c failureCase) {
	allowed, ok := c.Expect["allowed"].(map[string]any)
	if !ok {
		t.Skip("not run: what is allowed is written in another form")
	}
	rules := &fetch.Response{URL: "https://site.example/robots.txt", Status: 200, Header: http.Header{"Content-Type": {c.str("content_type")}}}
	if status, ok := c.Input["status"].(float64); ok {
		rules.Status = int(status)
	}
	if name := c.str("file"); name != "" {
		rules.Body = c.file(t, name)
	}
	agent, _, _ := strings.Cut(c.str("agent"), "/")
	agent, _, _ = strings.Cut(agent, " ")
	for path, want := range allowed {
		page := recordedExchange{Status: 200, Headers: map[string]string{"Content-Type": "text/plain"}, Body: []byte("The lock is open on Tuesdays.")}
		web := &recorded{answers: map[string]*fetch.Response{rules.URL: rules}, any: &page}
		live := fetch.NewLive(fetch.LiveConfig{Client: web, Agent: agent, Interval: time.Nanosecond})
		_, err := live.Fetch(t.Context(), "https://site.example"+path)
		var e *fetch.Unavailable
		if err != nil && (!errors.As(err, &e) || e.Outcome != fetch.Blocked) {
			t.Fatalf("%s: %v", path, err)
		}
		if (err == nil) != want || (len(web.asked) > 1) != want {
			t.Errorf("%s: %v, asked %q; allowed: want %v", path, err, web.asked, want)
		}
	}
}
