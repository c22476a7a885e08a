package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"ibid/runs"
)

// A Problem is what went wrong, as RFC 9457 has it.
type Problem struct {
	Type    string    `json:"type"` // a page of this server
	Title   string    `json:"title"`
	Status  int       `json:"status"`
	Detail  string    `json:"detail"`            // this time
	Hint    string    `json:"hint,omitempty"`    // what to do next
	Code    runs.Code `json:"code,omitempty"`    // as the program's own errors have it
	Request string    `json:"request,omitempty"` // its id, for whoever looks into the server's log
}

// A kind of problem, with the page that its type leads to.
type kind struct {
	name   string
	status int
	title  string
	text   string
	code   runs.Code // of the program's own errors that are told so
}

const (
	problemUnauthorised = "unauthorised"
	problemForbidden    = "forbidden"
	problemHost         = "misdirected"
	problemOrigin       = "foreign-origin"
	problemTooMany      = "too-many"
	problemBusy         = "busy"
	problemMethod       = "method-not-allowed"
	problemNotFound     = "not-found"
	problemMedia        = "unsupported-media-type"
	problemAccept       = "not-acceptable"
	problemTooLarge     = "too-large"
	problemSlow         = "too-slow"
	problemInternal     = "internal"
	problemChanged      = "changed"
	problemOtherRequest = "other-request"
	problemUnseen       = "unseen"
)

// kinds is the one table of problems.
var kinds = []kind{
	{"invalid", http.StatusBadRequest, "The request makes no sense", "Something in the path, the query or the body is missing, unknown or out of bounds. The detail names it.", runs.Invalid},
	{problemUnauthorised, http.StatusUnauthorized, "A token is needed", "The request carries no token that is known and still holds. Send one as \"Authorization: Bearer ibid_…\"; whoever runs the server makes it with \"ibid token create\".", ""},
	{problemForbidden, http.StatusForbidden, "The token does not cover this", "The token is known, and its scopes do not hold what was asked.", ""},
	{problemOrigin, http.StatusForbidden, "A page of another site asks", "The request comes from a web page that this server did not serve. Nothing is done for it, or any page could start runs.", ""},
	{problemHost, http.StatusMisdirectedRequest, "This server has another name", "The Host of the request is no name of this server. Names besides those of loopback are given with \"ibid serve --host\".", ""},
	{problemNotFound, http.StatusNotFound, "There is no such thing", "It does not exist, or it is somebody else's.", runs.NotFound},
	{problemMethod, http.StatusMethodNotAllowed, "This is not done here", "The path exists, the method does not. \"Allow\" lists those that do.", ""},
	{problemAccept, http.StatusNotAcceptable, "There is no such form", "None of the forms that \"Accept\" names is one that this has.", ""},
	{"conflict", http.StatusConflict, "It stands otherwise", "The run, the gate or the report is in a state in which this cannot be done: it is over, not over yet, worked on or decided.", runs.Conflict},
	{"unattended", http.StatusConflict, "A person is needed", "The run waits for a decision.", runs.Unattended},
	{problemChanged, http.StatusPreconditionFailed, "It is not what was shown", "The decision or the edit was bound to something else than what is there now. Read it again, and decide again.", ""},
	{problemTooLarge, http.StatusRequestEntityTooLarge, "The body is too large", "The detail names the limit.", ""},
	{problemSlow, http.StatusRequestTimeout, "The body did not come in time", "Send it again, faster.", ""},
	{problemMedia, http.StatusUnsupportedMediaType, "The body is of another type", "The document of the API tells which types the path takes.", ""},
	{"integrity", http.StatusUnprocessableEntity, "A check failed", "A report, a bundle or a replay does not hold, and what does not hold is not shown.", runs.Integrity},
	{problemOtherRequest, http.StatusUnprocessableEntity, "The key was used for something else", "A request with this Idempotency-Key was made before, and it asked for something else.", ""},
	{problemUnseen, http.StatusPreconditionRequired, "Say what was seen", "An edit names, in If-Match, the ETag of what it changes, so that nobody's work is overwritten unseen.", ""},
	{problemTooMany, http.StatusTooManyRequests, "Too much at once", "A limit of requests or of runs is reached. \"Retry-After\" or the hint tells when to come again.", runs.Exhausted},
	{problemInternal, http.StatusInternalServerError, "The server failed", "The fault is in the server's log, under the id of the request.", runs.Internal},
	{"unready", http.StatusServiceUnavailable, "The server is not set up for this", "A key, a program or a part of the configuration is missing on the server. The detail names it.", runs.Unready},
	{problemBusy, http.StatusServiceUnavailable, "The server has enough to do", "Ask again after the time that \"Retry-After\" tells.", ""},
}

func kindNamed(name string) kind {
	for _, k := range kinds {
		if k.name == name {
			return k
		}
	}
	return kindNamed(problemInternal)
}

// kindOf is the kind that the program's own code is told as.
func kindOf(code runs.Code) kind {
	for _, k := range kinds {
		if k.code == code {
			return k
		}
	}
	return kindNamed(problemInternal)
}

// A refusal is a problem of the server's own.
type refusal struct {
	name, detail, hint string
	retry              int // seconds; 0: nothing is said
}

func (e *refusal) Error() string { return e.detail }

func refuse(name, hint, format string, args ...any) *refusal {
	return &refusal{name: name, detail: fmt.Sprintf(format, args...), hint: hint}
}

func (e *refusal) after(seconds int) *refusal {
	e.retry = seconds
	return e
}

// problemOf tells an error. What is not meant for a person, is not told.
func problemOf(err error) Problem {
	var r *refusal
	var e *runs.Error
	switch {
	case errors.As(err, &e) && errors.Is(err, runs.ErrOtherRequest):
		return kindNamed(problemOtherRequest).problem(e.Message+", for something else", e.Hint)
	case errors.As(err, &r):
		k := kindNamed(r.name)
		return k.problem(r.detail, r.hint)
	case errors.As(err, &e) && e.Code != runs.Internal:
		return kindOf(e.Code).problem(e.Detail(), e.Hint)
	case errors.As(err, &e):
		return kindOf(e.Code).problem(e.Message, e.Hint)
	}
	return kindNamed(problemInternal).problem("an internal error", "Its cause is in the server's log.")
}

func (k kind) problem(detail, hint string) Problem {
	return Problem{Type: "/problems/" + k.name, Title: k.title, Status: k.status, Detail: detail, Hint: hint, Code: k.code}
}

// problem answers with what went wrong, unless an answer has begun.
func (s *Server) problem(w *response, r *http.Request, err error) {
	if r.Context().Err() != nil && errors.Is(err, context.Canceled) { // nobody reads it
		return
	}
	p := problemOf(err)
	p.Request = w.Header().Get("X-Request-Id")
	if p.Status >= 500 {
		s.config.Log.Error("failed", "request", p.Request, "path", r.URL.Path, "error", err.Error())
	}
	if w.status != 0 {
		panic(http.ErrAbortHandler) // what was begun is not to look complete
	}
	body, fault := json.Marshal(p)
	if fault != nil {
		panic(fault) // strings alone
	}
	h := w.Header()
	var said *refusal
	if errors.As(err, &said) && said.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(said.retry))
	}
	h.Set("Content-Type", "application/problem+json")
	h.Del("Content-Disposition")
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="ibid"`+s.config.Challenge[r.URL.Path])
	}
	w.WriteHeader(p.Status)
	w.Write(append(body, '\n')) // whoever does not read it, does not
}

// explained is the page of a kind of problem.
func (c *call) explained() error {
	for _, k := range kinds {
		if k.name == c.path("problem") {
			c.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, err := fmt.Fprintf(c.w, "%s (%d)\n\n%s\n", k.title, k.status, k.text)
			return err
		}
	}
	return refuse(problemNotFound, "", "there is no problem of this name")
}
