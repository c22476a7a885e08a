package runs

import (
	"errors"
	"fmt"
)

// Code says what kind of failure an Error is; faces turn it into an exit code or a status.
type Code string

const (
	Invalid    Code = "invalid"    // the request makes no sense: usage
	NotFound   Code = "not_found"  // no such run, gate, file
	Conflict   Code = "conflict"   // somebody else is at work on it, or it is over
	Unready    Code = "unready"    // configuration or credentials are missing
	Integrity  Code = "integrity"  // a check failed: a report, a bundle or a replay does not hold
	Unattended Code = "unattended" // a person is needed
	Exhausted  Code = "exhausted"  // the user has as much as they may have, for now
	Internal   Code = "internal"
)

// An Error is a failure told to a person: what was being done and to what, and what to do next.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Err     error  `json:"-"`
}

// ErrNoReport says that a run has no report, or none yet.
var ErrNoReport = errors.New("it has no report")

// Detail is the message with its cause, where that says more.
func (e *Error) Detail() string {
	if e.Err == nil || e.Err.Error() == e.Message {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

func (e *Error) Error() string {
	s := e.Detail()
	if e.Hint != "" {
		s += "\n" + e.Hint
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the first Error in err's chain, or Internal.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

func fail(code Code, err error, hint, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint, Err: err}
}
