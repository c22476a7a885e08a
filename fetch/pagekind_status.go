package fetch

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// limitWords are how servers say in the body of a refusal that it is a limit.
var limitWords = regexp.MustCompile(`(?i)secondary rate limit|rate limit (was |has been |is )?exceeded|exceeded (a|the|your) .{0,30}(rate limit|quota)|\brate.?limit(ed|ing)?\b|too many requests|quota exceeded|abuse detection`)

// judgeStatus names the outcome of an exchange that is no page by its status and header alone; nil for one that may be. A
// limit is told from a refusal: GitHub and others answer 403 for both.
func judgeStatus(asked string, r *Response, now time.Time) *Unavailable {
	if vendor := headerCheck(r.Header); vendor != "" {
		return unavailable(asked, Blocked, fmt.Sprintf("a bot check (%s) stands in its place, with status %d", vendor, r.Status), hintBlocked)
	}
	if r.Status == http.StatusOK || r.Status == http.StatusNonAuthoritativeInfo {
		return nil
	}
	text := fmt.Sprintf("the server answered %d %s", r.Status, http.StatusText(r.Status))
	page := isHTML(r)
	if page && r.Status != http.StatusNotFound && r.Status != http.StatusGone {
		if vendor := scanPage(r.Body).checkedBy(); vendor != "" {
			return unavailable(asked, Blocked, fmt.Sprintf("a bot check (%s) stands in its place, with status %d", vendor, r.Status), hintBlocked)
		}
	}
	switch {
	case overloaded(r):
		return limited(asked, text, retryAfter(r.Header, now))
	case r.Status == http.StatusAccepted: // nothing is there yet
		return limited(asked, text+" without the page", retryAfter(r.Header, now))
	case r.Status == http.StatusNoContent || r.Status == http.StatusResetContent:
		return unavailable(asked, Empty, text, "Take another source.")
	case r.Status == http.StatusPartialContent:
		return unavailable(asked, Incomplete, text+" though all of it was asked for", "Take another source.")
	case r.Status == http.StatusPaymentRequired && r.Header.Get("Crawler-Price") != "":
		return unavailable(asked, Blocked, text+": it costs "+shorten(r.Header.Get("Crawler-Price"), 40)+" to read", "It is not paid for. Take another source.")
	}
	return statusUnavailable(asked, r.Status)
}

// overloaded reports whether an answer asks to come back later: 429, 503, its unregistered like, and a 403 that is a limit.
func overloaded(r *Response) bool {
	switch r.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, 420: // Enhance Your Calm
		return true
	case http.StatusForbidden:
		return r.Header.Get("X-RateLimit-Remaining") == "0" || r.Header.Get("RateLimit-Remaining") == "0" || r.Header.Get("X-Rate-Limit-Remaining") == "0" || r.Header.Get("Retry-After") != "" ||
			!isHTML(r) && limitWords.Match(r.Body[:min(len(r.Body), 2<<10)]) || isHTML(r) && scanPage(r.Body).limited()
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
