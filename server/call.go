package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"ibid/runs"
)

// A call is one request of somebody who may make it.
type call struct {
	*Server
	w    *response
	r    *http.Request
	ctx  context.Context
	desk *runs.Desk
	route
	log *slog.Logger
}

// response remembers what was answered.
type response struct {
	http.ResponseWriter
	status int
	size   int64
}

func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *response) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.size += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

var (
	requestID   = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	traceparent = regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$`)
)

// begin does for every request what is the same for all: names, headers, the checks of host and origin, a line in the log.
func (s *Server) begin(hw http.ResponseWriter, r *http.Request) {
	w, began := &response{ResponseWriter: hw}, time.Now()
	id := r.Header.Get("X-Request-Id")
	if !requestID.MatchString(id) {
		id = strings.ToLower(rand.Text())
	}
	trace, span := newTrace(givenTrace(r))
	h := w.Header()
	h.Set("X-Request-Id", id)
	h.Set("Traceparent", span)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	log := s.config.Log.With("request", id, "trace", trace)
	defer func() {
		if fault := recover(); fault != nil {
			if fault == http.ErrAbortHandler {
				panic(fault)
			}
			log.Error("internal fault", "fault", fmt.Sprint(fault), "stack", string(debug.Stack()))
			s.problem(w, r, errors.New("internal fault"))
		}
		log.Info("answered", "method", r.Method, "path", r.URL.Path, "status", w.status, "bytes", w.size, "ms", time.Since(began).Milliseconds())
	}()
	r = r.WithContext(context.WithValue(r.Context(), logKey{}, log))
	if err := s.front.check(r); err != nil {
		s.problem(w, r, err)
		return
	}
	if matched, pattern := s.mux.Handler(r); pattern == "" {
		s.unmatched(w, r, matched)
		return
	}
	s.mux.ServeHTTP(w, r)
}

type logKey struct{}

// givenTrace is the trace that a request says it belongs to, if it does.
func givenTrace(r *http.Request) string {
	given := r.Header.Get("Traceparent")
	if m := traceparent.FindStringSubmatch(given); m != nil && strings.Trim(m[1], "0") != "" && strings.Trim(m[2], "0") != "" {
		return given
	}
	return ""
}

// newTrace takes part in the trace that a request belongs to, or begins one (W3C Trace Context).
func newTrace(given string) (trace, header string) {
	var b [24]byte
	rand.Read(b[:]) // never fails
	trace, flags := hex.EncodeToString(b[:16]), "00"
	if m := traceparent.FindStringSubmatch(given); m != nil {
		trace, flags = m[1], m[3]
	}
	return trace, "00-" + trace + "-" + hex.EncodeToString(b[16:]) + "-" + flags
}

// unmatched tells of a path or method that is not in the table.
func (s *Server) unmatched(w *response, r *http.Request, matched http.Handler) {
	said := &nowhere{header: http.Header{}}
	matched.ServeHTTP(said, r)
	if said.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", said.header.Get("Allow"))
		s.problem(w, r, refuse(problemMethod, "Methods that are: "+said.header.Get("Allow")+".", "%s is not done with %s", printable(r.Method), printable(r.URL.Path)))
		return
	}
	s.problem(w, r, refuse(problemNotFound, "What there is stands in /openapi.json.", "there is nothing at %s", printable(r.URL.Path)))
}

// nowhere is a response that is thrown away.
type nowhere struct {
	header http.Header
	status int
}

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n *nowhere) WriteHeader(status int)      { n.status = status }

// handler is the handler of a route: who asks, may they, within what limits; then the work.
func (s *Server) handler(rt route) http.Handler {
	return http.HandlerFunc(func(hw http.ResponseWriter, r *http.Request) {
		w := hw.(*response)
		if err := s.answer(w, r, rt); err != nil {
			s.problem(w, r, err)
		}
	})
}

func (s *Server) answer(w *response, r *http.Request, rt route) error {
	log := r.Context().Value(logKey{}).(*slog.Logger)
	c := &call{Server: s, w: w, r: r, ctx: r.Context(), route: rt, log: log}
	if err := c.deadlines(); err != nil {
		return err
	}
	if rt.scope != "" {
		who, err := s.who(r)
		if err != nil {
			return err
		}
		if err := s.within(w, who); err != nil {
			return err
		}
		if !who.may(rt.scope) {
			return refuse(problemForbidden, "Make one that has it: ibid token create NAME --scope "+string(rt.scope), "this token does not have the scope %s", string(rt.scope))
		}
		c.ctx = context.WithValue(c.ctx, userKey{}, who)
		c.r = r.WithContext(c.ctx)
		c.desk, c.log = s.config.Desk(who.user), log.With("user", who.user)
	}
	if rt.name != "" { // a route of the table
		if err := c.known(); err != nil {
			return err
		}
	}
	if rt.heavy {
		done, err := c.Turn(c.ctx)
		if err != nil {
			return err
		}
		defer done()
	}
	return rt.do(c)
}

type userKey struct{}

// User is who asks, in the context of a request that was let in.
func User(ctx context.Context) string {
	who, _ := ctx.Value(userKey{}).(caller)
	return who.user
}

// Granted is what they may do.
func Granted(ctx context.Context) []Scope {
	who, _ := ctx.Value(userKey{}).(caller)
	return who.scopes
}

// deadlines bound how long a client may take to send its request and to fetch the answer.
func (c *call) deadlines() error {
	limit := c.time
	if limit == 0 {
		limit = maxTime
	}
	until := time.Now().Add(limit)
	if c.stream { // sets its own
		until = time.Time{}
	}
	rc := http.NewResponseController(c.w)
	err := errors.Join(rc.SetReadDeadline(until), rc.SetWriteDeadline(until))
	if errors.Is(err, http.ErrNotSupported) { // not a connection
		return nil
	}
	return err
}

// Turn waits until a processor may be had for a while: for a report, a check or a replay, also over a face of its own (Handle).
func (s *Server) Turn(ctx context.Context) (done func(), err error) {
	timeout := time.NewTimer(10 * time.Second)
	defer timeout.Stop()
	select {
	case s.heavy <- struct{}{}:
		return func() { <-s.heavy }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timeout.C:
		return nil, refuse(problemBusy, "Ask again in a while.", "the server has enough reports and checks to work on").after(10)
	}
}

// known refuses what is in the query and not in the table: a mistyped filter would show all.
func (c *call) known() error {
	for name, values := range c.r.URL.Query() {
		i := slices.IndexFunc(c.query, func(p param) bool { return p.name == name && !p.header })
		switch {
		case i < 0:
			return invalid("%q is no part of the query here", name)
		case len(values) > 1:
			return invalid("%q is given twice", name)
		}
		p, v := c.query[i], values[0]
		if p.one != nil && v != "" && !slices.Contains(p.one, v) {
			return invalid("%s=%s: it is one of %s", name, printable(v), strings.Join(p.one, ", "))
		}
		if _, err := strconv.ParseInt(v, 10, 64); err != nil && p.kind == "integer" {
			return invalid("%s=%s: it is a number", name, printable(v))
		}
		if _, err := strconv.ParseBool(v); err != nil && p.kind == "boolean" {
			return invalid("%s=%s: it is true or false", name, printable(v))
		}
	}
	return nil
}

// param is a part of the query or a header, which the table has to declare.
func (c *call) param(name string) string {
	i := slices.IndexFunc(c.query, func(p param) bool { return p.name == name })
	if i < 0 {
		panic("server: " + c.name + " reads " + name + " and does not declare it")
	}
	if c.query[i].header {
		return c.r.Header.Get(name)
	}
	return c.r.URL.Query().Get(name)
}

func (c *call) number(name string) int {
	n, err := strconv.Atoi(c.param(name)) // known has looked at it; "" is 0
	if err != nil {
		return 0
	}
	return n
}

func (c *call) yes(name string) bool {
	b, err := strconv.ParseBool(c.param(name))
	return b && err == nil
}

// path is a part of the path.
func (c *call) path(name string) string { return c.r.PathValue(name) }

func invalid(format string, args ...any) error {
	return &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf(format, args...)}
}

// printable is text of a stranger on one line.
func printable(s string) string {
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '·'
		}
		return r
	}, strings.ToValidUTF8(s, "·"))
}
