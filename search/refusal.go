package search

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ibid/internal/lazyregexp"
)

const (
	maxReason = 160            // characters of a service's own words in an error
	maxWait   = 24 * time.Hour // that a service is believed
	maxFault  = 64 << 10       // bytes of an answer in which words about a failure are looked for

	hintLater = "Try again later or with another search provider, or go on with what has been found."
)

// What services say of a failure, whatever status they put on it.
var (
	saysQuota = lazyregexp.New(`(?i)quota|credits?\b|usage limit|\bbalance\b|billing|run out of|(?:daily|monthly|plan) (?:\w+ )?limit|insufficient funds|payment required`)
	saysRate  = lazyregexp.New(`(?i)rate.?limit|rate exceeded|too many (?:requests|queries|concurrent)|too_many_requests|slow down|throttl|overloaded|too[ -]busy|captcha|unusual traffic|anomaly|confirm that a (?:person|human)|are you (?:a )?(?:human|robot)|you(?:'re| are) (?:a )?human|not a robot|just a moment|attention required`)
	saysKey   = lazyregexp.New(`(?i)unauthori[sz]ed|unauthenticated|forbidden|x-subscription-token|(?:api|access|subscription|auth\w*)[ _-]?(?:key|token)`)
)

// refusal reads the status of an answer, with its headers and the words of its body, and returns nil for an answer that
// is to be decoded. Keyed says that the service was given a key.
func refusal(resp *http.Response, body []byte, keyed bool, now time.Time) *Error {
	status := resp.StatusCode
	if status < 300 && status != http.StatusAccepted && !isHTML(body) {
		return nil
	}
	message, words := fault(body)
	e := &Error{Outcome: Failed, Reason: "HTTP " + strconv.Itoa(status)}
	if message != "" {
		e.Reason += ", " + quoted(message)
	}
	e.RetryAfter = retryAfter(resp.Header, now)
	challenge := isHTML(body) && saysRate.MatchString(words) || resp.Header.Get("Cf-Mitigated") == "challenge"
	if isHTML(body) {
		words = message // a page says many things: it may give credits for its pictures
	}
	switch {
	case challenge, status == http.StatusAccepted && !json.Valid(body):
		e.Outcome, e.Reason = RateLimited, "HTTP "+strconv.Itoa(status)+" with a page that asks for a person instead of results"
	case status < 300:
		return nil
	case status == http.StatusUnauthorized:
		e.Outcome = Unauthorised
	case status == http.StatusPaymentRequired, status == 432, status == 433: // the last two: plan and pay-as-you-go limit of Tavily
		e.Outcome = Quota
	case status == http.StatusTooManyRequests:
		e.Outcome = RateLimited
		if saysQuota.MatchString(words) && !saysRate.MatchString(words) {
			e.Outcome = Quota
		}
	case status < 500 && saysQuota.MatchString(words) && !saysRate.MatchString(words):
		e.Outcome = Quota
	case status < 500 && saysRate.MatchString(words), status == http.StatusForbidden && (e.RetryAfter > 0 || resp.Header.Get("X-RateLimit-Remaining") == "0"):
		e.Outcome = RateLimited
	case status == http.StatusForbidden && keyed, status < 500 && keyed && saysKey.MatchString(words):
		e.Outcome = Unauthorised
	case status == 529, status == http.StatusServiceUnavailable && (resp.Header.Get("Retry-After") != "" || saysRate.MatchString(words)):
		e.Outcome = RateLimited
	case status == http.StatusForbidden:
		e.Hint = "It refuses this client; name a contact in the configuration, or use another search provider."
	case status < 400:
		e.Reason = "HTTP " + strconv.Itoa(status) + ": it redirects to another place"
	}
	if e.Outcome == Unauthorised {
		e.Reason = "HTTP " + strconv.Itoa(status) + ": its key is missing or refused" // services echo parts of a key
	}
	if e.Outcome != RateLimited && e.Outcome != Quota && status < 500 {
		e.RetryAfter = 0
	}
	return e
}

// misread is the error of a good status over a body that is not what was agreed on: a page, a sentence, another format,
// or JSON that reports a failure.
func misread(body []byte) *Error {
	message, words := fault(body)
	e := &Error{Outcome: Failed, Reason: "its answer is not in the agreed format", Hint: hintLater}
	if isHTML(body) {
		e.Reason = "it answered with a web page instead of results"
	}
	if len(bytes.TrimSpace(body)) == 0 {
		e.Reason = "its answer is empty"
	}
	if message != "" {
		e.Reason += ", but says " + quoted(message)
	}
	switch {
	case saysRate.MatchString(words):
		e.Outcome, e.Hint = RateLimited, ""
	case isHTML(body):
	case saysQuota.MatchString(words):
		e.Outcome, e.Hint = Quota, ""
	case saysKey.MatchString(words):
		e.Outcome, e.Hint, e.Reason = Unauthorised, "", "its key is missing or refused"
	}
	return e
}

// hint says what helps against e, for an error that brought no hint of its own.
func (s *service) hint(e *Error) string {
	switch e.Outcome {
	case RateLimited:
		if wait := (e.RetryAfter + time.Second - 1) / time.Second; wait > 0 {
			return "Wait " + strconv.FormatInt(int64(wait), 10) + " s before the next search; until then read what was found."
		}
		return "Wait before the next search; until then read what was found, or search with another provider."
	case Quota:
		if s.KeyEnv != "" && s.Key == "" {
			return "Set " + s.KeyEnv + " for a larger allowance (" + s.Site + "), or search with another provider."
		}
		return "The allowance is used up (" + s.Site + "); search with another provider, or go on with what has been found."
	case Unauthorised:
		if s.KeyEnv != "" {
			return "Set " + s.KeyEnv + " to a valid key; see " + s.Site + "."
		}
		return "Its server asks for a login; its address can carry one: https://user:password@host."
	}
	return hintLater
}

// fault finds a service's words about a failure: one message to show, and all words to judge by. A body that is neither
// JSON nor a page is its own message, if it is short.
func fault(body []byte) (message, words string) {
	body = bytes.TrimSpace(body[:min(len(body), maxFault)])
	var v map[string]any
	switch {
	case json.Unmarshal(body, &v) == nil:
		var said []string
		collect(v, 0, &said)
		if len(said) > 0 {
			message = said[0]
		}
		words = strings.Join(said, "\n")
	case isHTML(body):
		if m := pageTitle.FindSubmatch(body); m != nil {
			message = string(m[1])
		}
		words = plain(string(body))
	case len(body) < 1000 && !bytes.HasPrefix(body, []byte("<")):
		message, words = string(body), string(body)
	}
	return cut(plain(message), maxReason), words
}

var pageTitle = lazyregexp.New(`(?is)<title[^>]*>(.{1,300}?)</title>`)

// collect gathers the strings under the names that services give to a failure, sentences first.
func collect(v any, depth int, said *[]string) {
	if depth > 3 {
		return
	}
	switch v := v.(type) {
	case string:
		if v != "" {
			*said = append(*said, v)
		}
	case []any:
		for _, x := range v[:min(len(v), 3)] {
			collect(x, depth+1, said)
		}
	case map[string]any:
		for _, name := range []string{"message", "detail", "error", "errors", "error_description", "ERROR", "info", "httpReason", "code", "type", "tag", "reason"} {
			if x, found := v[name]; found && (depth > 0 || name != "type") {
				collect(x, depth+1, said)
			}
		}
	}
}

func isHTML(body []byte) bool {
	start := strings.ToLower(string(bytes.TrimSpace(body[:min(len(body), 512)])))
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html") || strings.HasPrefix(start, "<head") || strings.HasPrefix(start, "<body") ||
		strings.HasPrefix(start, "<!--") && strings.Contains(start, "<html") || strings.HasPrefix(start, "<?xml") && strings.Contains(start, "<html")
}

// retryAfter reads how long to wait: Retry-After in seconds or as a date (RFC 9110, 10.2.3), else the first window of
// X-RateLimit-Reset (Brave and OpenAlex: seconds; others: seconds since 1970). Zero: nothing was said.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), maxWait)
	}
	if value == "" {
		value, _, _ = strings.Cut(h.Get("X-RateLimit-Reset"), ",")
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err == nil && seconds > 1e9 {
		seconds -= float64(now.Unix())
	}
	if err != nil || !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, maxWait.Seconds()) * float64(time.Second))
}

// quoted puts a text that is not ours in quotation marks.
func quoted(s string) string { return "“" + s + "”" }
