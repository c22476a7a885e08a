package render

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ibid/fetch"
)

const takeAnother = "Take another source."

func failed(reason string) *fetch.Unavailable {
	return &fetch.Unavailable{Outcome: fetch.Failed, Reason: reason, Hint: takeAnother}
}

// missing says that there is no browser.
func missing(looked string) *fetch.Unavailable {
	return &fetch.Unavailable{Outcome: fetch.JSRequired, Reason: "the page needs a browser, and none is installed: " + looked,
		Hint: "Take another source; whoever runs the program can install one (on Debian and Ubuntu: apt-get install chromium)."}
}

// slow says that a page showed nothing in its time.
func slow() *fetch.Unavailable {
	return failed("the page showed no text in the time it was given")
}

// moved says that a page leads to another site.
func moved(location string) *fetch.Unavailable {
	return &fetch.Unavailable{Outcome: fetch.Moved, Reason: "it leads to another site", Location: location,
		Hint: "Read the page at its new place, if that is a source you want."}
}

// crashed says that the browser went away, and its last words.
func crashed(words string) *fetch.Unavailable {
	return failed("the browser crashed or could not start" + words)
}

// refusal returns what a response to the request for the page itself says about it when it is no page, else nil.
func refusal(res *fetch.Response) *fetch.Unavailable {
	u := failed(fmt.Sprintf("the server answered %d %s", res.Status, http.StatusText(res.Status)))
	kind, _, _ := strings.Cut(strings.ToLower(res.Header.Get("Content-Type")), ";")
	switch s := res.Status; {
	case s == 404 || s == 410:
		u.Outcome, u.Hint = fetch.NotFound, "Search for where it went, or take another source."
	case s == 429:
		u.Outcome, u.Hint, u.RetryAfter = fetch.RateLimited, "Take another source for now.", retryAfter(res.Header)
	case s == 401 || s == 402 || s == 403 || s == 451:
		u.Outcome, u.Hint = fetch.Blocked, "It is not open to read. Take another source."
	case s == 204 || s == 205:
		u.Outcome = fetch.Empty
	case s < 200 || s >= 300: // a redirect that can be followed does not come here
		u.RetryAfter = retryAfter(res.Header)
	default:
		switch strings.TrimSpace(kind) {
		case "", "text/html", "application/xhtml+xml":
			return nil
		}
		u.Outcome, u.Reason, u.Hint = fetch.Unsupported, "it is "+kind+", which no browser needs to show", "Read it without the browser."
	}
	return u
}

// retryAfter reads how long a server asks to wait (RFC 9110, 10.2.3), when it says so in seconds.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(h.Get("Retry-After")))
	if err != nil || n < 0 || n > 7*24*3600 {
		return 0
	}
	return time.Duration(n) * time.Second
}
