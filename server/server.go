// Package server is the API: it translates between HTTP and runs.Service, says who may do what, and decides nothing else.
// All that it serves stands in one table of routes, from which come the handlers and the OpenAPI document, so that the two
// cannot drift. A handler gets the desk of the user who asks and nothing else of runs, so it cannot reach another's.
package server

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"ibid/knowledge"
	"ibid/runs"
	"ibid/server/hooks"
)

// A Config is what a Server works with.
type Config struct {
	Desk   func(user string) *runs.Desk // engine.For
	Tokens *Tokens                      // nil: there are none
	// User asks where no token is given; "": a token is needed. Set it only where nobody but them can connect.
	User string
	// Challenge is what is said more of tokens to who comes without one, by path: parameters, each with a comma before it.
	Challenge map[string]string
	Hosts     []string     // names that the server is called by, besides those of loopback; with a port or without
	Hooks     *hooks.Hooks // nil: nobody is told of runs
	// Ready says what keeps the server from working; nil: nothing does.
	Ready func(ctx context.Context) error
	// Verify checks a report in one of the forms that it is handed in; run is that of a report in Markdown.
	Verify func(ctx context.Context, desk *runs.Desk, form Checked, run string, body []byte) (Verdict, error)
	// Pairs holds claims against evidence: JSON Lines in, JSON Lines out. Lines that cannot be read are told to bad.
	Pairs func(ctx context.Context, in io.Reader, out io.Writer, bad func(line int, err error)) error

	Rate      float64         // requests a second of one user or token, on the long run; 0 means 20
	Burst     int             // at once; 0 means five seconds' worth
	Heartbeat time.Duration   // between signs of life in streams; 0 means 15 s
	Watchers  int             // streams that are open at once; 0 means 4096
	Heavy     int             // reports, checks and replays that are worked on at once; 0 means 4
	Base      *knowledge.Base // of datasets; nil: there are none
	Metrics   http.Handler    // nil: there are none
	Version   string          // of the program
	Log       *slog.Logger    // nil: nowhere
}

// A Server is the handler of the API.
type Server struct {
	config    Config
	mux       *http.ServeMux
	routes    []route
	front     front
	limits    *limiter // of who asks
	strikes   *limiter // of addresses that bring wrong tokens
	heavy     chan struct{}
	feeds     *feeds
	closing   chan struct{}
	streams   sync.WaitGroup         // that go on by themselves
	described func() ([]byte, error) // its document, made once
}

// New makes a Server.
func New(c Config) *Server {
	c.Rate = cmp.Or(c.Rate, 20)
	c.Burst = cmp.Or(c.Burst, max(int(5*c.Rate), 1))
	c.Heartbeat, c.Watchers, c.Heavy = cmp.Or(c.Heartbeat, 15*time.Second), cmp.Or(c.Watchers, 4096), cmp.Or(c.Heavy, 4)
	c.Version = cmp.Or(c.Version, "0")
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{config: c, mux: http.NewServeMux(), front: newFront(c.Hosts), limits: newLimiter(c.Rate, c.Burst), strikes: newLimiter(0.1, 10),
		heavy: make(chan struct{}, c.Heavy), closing: make(chan struct{})}
	s.feeds = newFeeds(s.closing)
	s.routes = s.table()
	s.described = sync.OnceValues(s.openAPI)
	for _, r := range s.routes {
		s.mux.Handle(r.method+" "+r.path, s.handler(r))
	}
	if c.Metrics != nil {
		s.Handle("GET /metrics", Admin, c.Metrics)
	}
	return s
}

// Handle adds a face of its own under the server's rules: who asks is found out, has the scope, and stays within the limits.
// The handler learns from User who it is. Call it before the server serves.
func (s *Server) Handle(pattern string, scope Scope, h http.Handler) {
	s.mux.Handle(pattern, s.handler(route{path: pattern, scope: scope, work: work{stream: true, do: func(c *call) error {
		h.ServeHTTP(c.w, c.r)
		return nil
	}}}))
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.begin(w, r) }

// Close ends the streams, politely: whoever reads one may go on elsewhere from where they are. Call it once, before
// http.Server.Shutdown, which waits for them.
func (s *Server) Close() {
	close(s.closing)
	ended := make(chan struct{})
	go func() { s.streams.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(2 * time.Second): // who does not even take the farewell
	}
}

// HTTP is a server for a handler with limits on what a client may take of time and memory.
func HTTP(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
}
