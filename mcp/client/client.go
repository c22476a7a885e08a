// Package client speaks to other programs' MCP servers: it starts or reaches them, lists their tools and calls them. A server
// is believed nothing. What it sends is bounded, what it takes too long for is given up, and whatever becomes of it is an error
// of the one call. It knows nothing of research.
package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Defaults of a Config.
const (
	DefaultTimeout  = 30 * time.Second
	DefaultMaxBytes = 4 << 20
	DefaultRestarts = 3
)

// A Config says where a server is and what it may take. One of Command, URL and Pipe is set.
type Config struct {
	Name    string
	Program string            // that speaks to it, with its version: ibid 1.2
	Command []string          // a program that speaks over its standard input and output
	Dir     string            // it runs in; "": this program's
	Env     []string          // its whole environment, as NAME=value
	URL     string            // of a server over HTTP
	Headers map[string]string // sent to URL and nowhere else
	Pipe    func() (io.ReadCloser, io.WriteCloser, error)

	Timeout  time.Duration         // of a call, and of starting; 0: DefaultTimeout
	MaxBytes int                   // of one message; 0: DefaultMaxBytes
	Restarts int                   // how often it is started again; 0: DefaultRestarts
	Backoff  time.Duration         // before it is started again, doubled each time; 0: half a second
	Hide     func(s string) string // takes secrets out of what it says besides messages, before anybody is told; may be nil
	Log      func(s string)        // takes what it says on stderr, and on stdout besides messages, line by line; may be nil
}

// A Server is one of them. Its methods may be called concurrently; calls wait for each other.
type Server struct {
	c       Config
	turn    chan struct{} // held by who speaks to it
	conn    *connection   // nil: not started, or gone
	starts  int
	failed  time.Time         // when it was last lost
	known   map[string]Tool   // as they were when they were first seen to be what they should
	changed map[string]string // tools that are not what they were, and what is different
}

// New makes a Server, which is started when it is first asked for something.
func New(c Config) *Server {
	c.Timeout, c.MaxBytes, c.Restarts = cmp.Or(c.Timeout, DefaultTimeout), cmp.Or(c.MaxBytes, DefaultMaxBytes), cmp.Or(c.Restarts, DefaultRestarts)
	c.Backoff, c.Program = cmp.Or(c.Backoff, 500*time.Millisecond), cmp.Or(c.Program, "ibid")
	return &Server{c: c, turn: make(chan struct{}, 1), known: map[string]Tool{}, changed: map[string]string{}}
}

// An Error says why a server could not do what it was asked for. Its text may repeat what the server said.
type Error struct {
	Server string
	Text   string // "it did not answer within 30s"
	Err    error
}

func (e *Error) Error() string { return "the MCP server " + e.Server + ": " + e.Text }

func (e *Error) Unwrap() error { return e.Err }

func (s *Server) fail(err error, format string, args ...any) error {
	return &Error{s.c.Name, fmt.Sprintf(format, args...), err}
}

// List asks for the tools that a server has.
func (s *Server) List(ctx context.Context) (l Listing, err error) {
	err = s.speak(ctx, func(ctx context.Context, c *connection) error {
		l, err = c.list(ctx)
		return err
	})
	return l, err
}

// Call calls a tool, if the server still describes it as it did when its hash was taken, and returns the result as it was
// sent: the JSON of a CallToolResult. A tool that was once seen changed is not called any more.
func (s *Server) Call(ctx context.Context, tool, sha256 string, args json.RawMessage) (result []byte, err error) {
	err = s.speak(ctx, func(ctx context.Context, c *connection) error {
		if what := s.changed[tool]; what != "" {
			return s.fail(nil, "its tool %s is not what it was when this run began (%s), so it is not called", tool, what)
		}
		now, err := c.list(ctx)
		if err != nil {
			return err
		}
		if what := s.differs(now, tool, sha256); what != "" {
			s.changed[tool] = what
			return s.fail(nil, "its tool %s is not what it was when this run began (%s), so it is not called", tool, what)
		}
		result, err = c.call(ctx, tool, args)
		return err
	})
	return result, err
}

// differs says what is different of a tool from when its hash was taken, or "".
func (s *Server) differs(now Listing, name, sha256 string) string {
	for _, t := range now.Tools {
		switch was, seen := s.known[name]; {
		case t.Name != name:
		case t.SHA256 == sha256:
			s.known[name] = t
			return ""
		case seen:
			return "the server gives it another " + strings.Join(differences(was, t), ", another ")
		default:
			return "the server describes it otherwise now"
		}
	}
	return "the server does not have it any more"
}

// speak takes the turn, sees that the server runs, and asks it. A server that did not answer as one should is stopped; the
// next who speaks to it starts it again.
func (s *Server) speak(ctx context.Context, ask func(context.Context, *connection) error) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-s.turn }()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, s.c.Timeout)
	defer cancel()
	err := ask(limited, s.conn)
	var refused *jsonrpc.Error
	var told *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &told):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &refused) && s.conn.alive():
		return s.fail(err, "it refused: %s", clip(err.Error()))
	}
	why := s.conn.end()
	if why == "" {
		if why = "it broke off: " + clip(err.Error()); limited.Err() != nil {
			why = fmt.Sprintf("it did not answer within %s", s.c.Timeout)
		}
	}
	s.drop()
	return s.fail(err, "%s", why)
}

// connect starts the server where it does not run: at once for the first time, later not before some time has passed.
func (s *Server) connect(ctx context.Context) error {
	if s.conn != nil && s.conn.alive() {
		return nil
	}
	if s.conn != nil {
		s.drop()
	}
	if s.starts > s.c.Restarts {
		return s.fail(nil, "it was lost %d times and is not started again", s.starts)
	}
	if s.starts > 0 {
		wait := time.NewTimer(time.Until(s.failed.Add(s.c.Backoff << min(s.starts-1, 6))))
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	s.starts++
	conn, err := s.start(ctx, "")
	var told *Error
	if err != nil && !errors.As(err, &told) && ctx.Err() == nil { // some of older times end at the first word that they do not know
		conn, err = s.start(ctx, legacy)
	}
	switch {
	case err == nil:
		s.conn = conn
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	s.failed = time.Now()
	if errors.As(err, &told) {
		return err
	}
	return s.fail(err, "it does not start: %s", clip(err.Error()))
}

// legacy is the revision of the protocol that servers of before the stateless one speak.
const legacy = "2025-11-25"

// start makes a connection. What is not an *Error may go better with another revision.
func (s *Server) start(ctx context.Context, version string) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, s.c.Timeout)
	defer cancel()
	c, err := open(s.c)
	if err != nil {
		return nil, s.fail(err, "it does not start: %s", clip(err.Error()))
	}
	name, number, _ := strings.Cut(s.c.Program, " ")
	own := mcp.NewClient(&mcp.Implementation{Name: name, Version: cmp.Or(number, "0")}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}})
	c.session, err = own.Connect(ctx, c.transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err == nil {
		return c, nil
	}
	why := c.end()
	c.stop()
	switch {
	case ctx.Err() != nil:
		return nil, s.fail(err, "it did not answer within %s when it was started", s.c.Timeout)
	case why != "":
		return nil, errors.New(why)
	}
	return nil, err
}

// drop stops what is left of a connection.
func (s *Server) drop() {
	s.conn.stop()
	s.conn, s.failed = nil, time.Now()
}

// Close stops the server. It may be started again.
func (s *Server) Close() error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.conn != nil {
		s.conn.stop()
		s.conn = nil
	}
	return nil
}

// clip keeps what others say short.
func clip(s string) string {
	const most = 300
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
