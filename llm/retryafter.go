package llm

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"ibid/internal/lazyregexp"
)

// maxRetryAfter is the longest pause that a provider can ask for: a broken header must not park a run for weeks.
const maxRetryAfter = 24 * time.Hour

// RetryAfter reads how long a provider asks to wait: Retry-After-Ms (milliseconds), else Retry-After, in seconds or as a
// date (RFC 9110 §10.2.3). A date is held against the server's own clock, its Date header, and against now where there is
// none; one that has passed means 0. It is false when the provider does not say, or nothing that can be read.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	if d, ok := decimal(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d, true
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if d, ok := decimal(value, time.Second); ok {
		return d, true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	if server, err := http.ParseTime(h.Get("Date")); err == nil {
		now = server
	}
	return min(max(at.Sub(now), 0), maxRetryAfter), true
}

var plainDecimal = lazyregexp.New(`^[0-9]+(\.[0-9]+)?$`)

// decimal reads "5" and "2.5"; signs, exponents and units are none.
func decimal(s string, unit time.Duration) (time.Duration, bool) {
	s = strings.TrimSpace(s)
	if !plainDecimal.MatchString(s) {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f >= float64(maxRetryAfter/unit) { // the only error of such a text is one too large
		return maxRetryAfter, true
	}
	return time.Duration(f * float64(unit)), true
}

// What providers say in words: "Please try again in 1m2.5s", "Please retry in 34.07s", and Google's RetryInfo.
var retryInWords = lazyregexp.New(`(?i)(?:try again|retry) (?:in|after) ((?:[0-9.]+(?:h|ms|m|s)){1,4})|"retryDelay": ?"([0-9.]+s)"|(?:try again|retry) (?:in|after) ([0-9.]+) ?sec`)

// retryAfterWords finds a pause that an error's text asks for; 0 if there is none.
func retryAfterWords(text string) time.Duration {
	m := retryInWords.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	s := m[1] + m[2]
	if m[3] != "" {
		s = m[3] + "s"
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0
	}
	return min(d, maxRetryAfter)
}
