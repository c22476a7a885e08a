package render

import (
	"strings"
	"time"

	"ibid/fetch"
)

func failed(reason string) *fetch.Unavailable {
	return &fetch.Unavailable{Outcome: fetch.Failed, Reason: reason, Hint: fetch.HintOther}
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
func refusal(res *fetch.Response, now time.Time) *fetch.Unavailable {
	if u := fetch.StatusFault("", res, now); u != nil {
		return u
	}
	kind, _, _ := strings.Cut(strings.ToLower(res.Header.Get("Content-Type")), ";")
	switch kind = strings.TrimSpace(kind); kind {
	case "", "text/html", "application/xhtml+xml":
		return nil
	}
	return &fetch.Unavailable{Outcome: fetch.Unsupported, Reason: "it is " + kind + ", which no browser needs to show", Hint: "Read it without the browser."}
}
