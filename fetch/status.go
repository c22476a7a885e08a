package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ibid/internal/lazyregexp"
)

// limitWords are how servers say in the body of a refusal that it is a limit.
var limitWords = lazyregexp.New(`(?i)secondary rate limit|rate limit (was |has been |is )?exceeded|exceeded (a|the|your) .{0,30}(rate limit|quota)|\brate.?limit(ed|ing)?\b|too many requests|quota exceeded|abuse detection`)

// StatusFault names the outcome of an answer by its status and header, and by what a refusal says, so that absences stay
// apart (law 7): an *Unavailable about the URL, or nil for an answer that may hold what was asked for. A limit is told from
// a refusal: GitHub and others answer 403 for both.
func StatusFault(url string, r *Response, now time.Time) *Unavailable {
	if vendor := headerCheck(r.Header); vendor != "" {
		return unavailable(url, Blocked, fmt.Sprintf("a bot check (%s) stands in its place, with status %d", vendor, r.Status), hintBlocked)
	}
	text := fmt.Sprintf("the server answered %d %s", r.Status, http.StatusText(r.Status))
	switch r.Status {
	case http.StatusOK, http.StatusNonAuthoritativeInfo:
		return nil
	case http.StatusNotFound, http.StatusGone:
		return unavailable(url, NotFound, text, hintGone)
	}
	if IsHTML(r) {
		if vendor := scanPage(r.Body).checkedBy(); vendor != "" {
			return unavailable(url, Blocked, fmt.Sprintf("a bot check (%s) stands in its place, with status %d", vendor, r.Status), hintBlocked)
		}
	}
	if overloaded(r) {
		return limited(url, text, RetryAfter(r.Header, now))
	}
	switch r.Status {
	case http.StatusAccepted: // nothing is there yet
		return limited(url, text+" without the page", RetryAfter(r.Header, now))
	case http.StatusNoContent, http.StatusResetContent:
		return unavailable(url, Empty, text, HintOther)
	case http.StatusPartialContent:
		return unavailable(url, Incomplete, text+" though all of it was asked for", HintOther)
	case http.StatusPaymentRequired:
		if price := r.Header.Get("Crawler-Price"); price != "" {
			return unavailable(url, Blocked, text+": it costs "+Excerpt(price, 40)+" to read", "It is not paid for. Take another source.")
		}
		fallthrough
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusUnavailableForLegalReasons:
		return unavailable(url, Blocked, text, "It is not open to read. Take another source.")
	}
	e := unavailable(url, Failed, text, HintOther)
	e.RetryAfter = RetryAfter(r.Header, now)
	return e
}

// overloaded reports whether an answer asks to come back later: 429, 503, its unregistered like, and a 403 that is a limit.
func overloaded(r *Response) bool {
	switch r.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, 420: // Enhance Your Calm
		return true
	case http.StatusForbidden:
		return r.Header.Get("X-RateLimit-Remaining") == "0" || r.Header.Get("RateLimit-Remaining") == "0" || r.Header.Get("X-Rate-Limit-Remaining") == "0" || r.Header.Get("Retry-After") != "" ||
			!IsHTML(r) && limitWords.Match(r.Body[:min(len(r.Body), 2<<10)]) || IsHTML(r) && scanPage(r.Body).limited()
	}
	return false
}

// headerCheck names whose bot check an answer is by its header, "" if it is none. These fields stand on checks only.
func headerCheck(h http.Header) string {
	switch waf := strings.ToLower(h.Get("X-Amzn-Waf-Action")); {
	case strings.EqualFold(h.Get("Cf-Mitigated"), "challenge"):
		return "Cloudflare"
	case waf == "challenge" || waf == "captcha":
		return "AWS WAF"
	case strings.EqualFold(h.Get("X-Vercel-Mitigated"), "challenge"):
		return "Vercel"
	}
	return ""
}

// RetryAfter reads how long a server wants to be left alone: Retry-After in seconds or as a date (RFC 9110 §10.2.3), else
// the reset of a rate limit that is used up, as a moment or in seconds. 0 if it does not say, and at most a day.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseFloat(value, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return parkFor(n)
	}
	if at, err := http.ParseTime(value); err == nil {
		return parkFor(at.Sub(now).Seconds())
	}
	for _, name := range []string{"X-RateLimit-", "X-Rate-Limit-", "RateLimit-"} {
		if h.Get(name+"Remaining") != "0" {
			continue
		}
		n, err := strconv.ParseFloat(h.Get(name+"Reset"), 64)
		if err != nil {
			continue
		}
		if n > 1e12 {
			n /= 1000 // in milliseconds
		}
		if n > 1e9 { // a moment, not a wait
			n -= float64(now.Unix())
		}
		return parkFor(n)
	}
	return 0
}

// parkFor bounds a number of seconds.
func parkFor(n float64) time.Duration {
	if !(n > 0) {
		return 0
	}
	return seconds(time.Duration(min(n, maxPark.Seconds()) * float64(time.Second)))
}
