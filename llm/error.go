package llm

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ibid/internal/lazyregexp"
)

// ErrorKind says what went wrong with a model call, and with that what may be done about it.
type ErrorKind string

const (
	RateLimited ErrorKind = "rate_limited"     // 429 and its disguises: later
	Overloaded  ErrorKind = "overloaded"       // 529, 503: later
	Server      ErrorKind = "server_error"     // any other 5xx
	Unreachable ErrorKind = "unreachable"      // no connection was made, so nothing was asked
	Network     ErrorKind = "network"          // a connection that broke, also in the middle of an answer
	TooLong     ErrorKind = "context_too_long" // the request does not fit the model's window
	BadRequest  ErrorKind = "bad_request"      // the request is wrong and stays wrong
	Auth        ErrorKind = "auth"             // no key, or one that is refused
	Quota       ErrorKind = "quota"            // the account has no credit left
	Malformed   ErrorKind = "malformed_answer" // what came back is no answer
)

// An Error is a model call that brought no answer. The journal keeps an error's text alone, so the text holds all that a
// resumed run decides on, and ParseError reads it back.
type Error struct {
	Kind       ErrorKind
	Status     int           // of HTTP; 0: there was none
	RetryAfter time.Duration // that the provider asked for, in whole seconds; 0: it did not
	Message    string        // what happened and what to do, for a person: one line
}

// Retryable says whether the same request may succeed later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case RateLimited, Overloaded, Server, Unreachable, Network, Malformed:
		return true
	}
	return false
}

func (e *Error) Error() string {
	var about []string
	if e.Status != 0 {
		about = append(about, fmt.Sprintf("HTTP %d", e.Status))
	}
	if e.RetryAfter > 0 {
		about = append(about, fmt.Sprintf("retry after %d s", int64(e.RetryAfter/time.Second)))
	}
	s := string(e.Kind)
	if len(about) > 0 {
		s += " (" + strings.Join(about, ", ") + ")"
	}
	return s + ": " + strings.Join(strings.Fields(e.Message), " ")
}

var errorText = lazyregexp.New(`^(rate_limited|overloaded|server_error|unreachable|network|context_too_long|bad_request|auth|quota|malformed_answer)(?: \((?:HTTP (\d{3}))?(?:, )?(?:retry after (\d{1,9}) s)?\))?: (.*)$`)

// ParseError reads an Error's text, or returns nil.
func ParseError(text string) *Error {
	m := errorText.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	e := &Error{Kind: ErrorKind(m[1]), Message: m[4]}
	e.Status, _ = strconv.Atoi(m[2]) // "" is 0: there was no status
	seconds, _ := strconv.Atoi(m[3]) // likewise
	e.RetryAfter = time.Duration(seconds) * time.Second
	return e
}
