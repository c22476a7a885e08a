package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ibid/journal"
	"ibid/runs"
	"ibid/runs/runstest"
	"ibid/server"
	"ibid/store"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

// serve puts a server before an engine, with tokens for the users; between, if not nil, stands between it and its clients.
func serve(t *testing.T, e *runs.Engine, db *store.DB, between func(net.Listener) net.Listener) func(user string) runs.Service {
	t.Helper()
	tokens := &server.Tokens{DB: db}
	api := server.New(server.Config{Desk: e.For, Tokens: tokens, Rate: 1e6, Burst: 1e6})
	s := httptest.NewUnstartedServer(api)
	if between != nil {
		s.Listener = between(s.Listener)
	}
	s.Start()
	t.Cleanup(func() {
		api.Close()
		s.Close()
	})
	return func(user string) runs.Service {
		token, _, err := tokens.Create(context.Background(), user, "a test", server.Scopes, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(s.URL, token)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
}

// What is said of a Service holds of a server's, over HTTP.
func TestService(t *testing.T) {
	e, db := runstest.Engine(t)
	runstest.Conform(t, e, serve(t, e, db, nil))
}

// A stream that is cut off again and again loses nothing and tells nothing twice.
func TestStreamIsTakenUp(t *testing.T) {
	e, db := runstest.Engine(t)
	var cut atomic.Int64
	s := serve(t, e, db, func(l net.Listener) net.Listener { return cutting{l, &cut} })("ada")
	info, err := s.Start(t.Context(), runs.Request{Question: runstest.Question})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Work(t.Context(), info.ID); err != nil {
		t.Fatal(err)
	}
	var got, want []journal.Event
	for ev, err := range s.Events(t.Context(), info.ID, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ev)
	}
	for ev, err := range e.For("ada").Events(t.Context(), info.ID, 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, ev)
	}
	if !slices.Equal(got, want) || cut.Load() < 3 {
		t.Errorf("%d of %d events, after %d cuts", len(got), len(want), cut.Load())
	}
}

// cutting gives connections that break after some bytes of a stream.
type cutting struct {
	net.Listener
	cut *atomic.Int64
}

func (l cutting) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &short{Conn: c, cut: l.cut}, err
}

type short struct {
	net.Conn
	cut    *atomic.Int64
	stream atomic.Bool
	sent   atomic.Int64
}

func (s *short) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	if bytes.Contains(p[:n], []byte("text/event-stream")) {
		s.stream.Store(true)
	}
	return n, err
}

func (s *short) Write(p []byte) (int, error) {
	const most = 1300
	if left := most - s.sent.Load(); s.stream.Load() && int64(len(p)) > left {
		n, _ := s.Conn.Write(p[:max(left, 0)])
		s.cut.Add(1)
		s.Conn.Close()
		return n, io.ErrShortWrite
	}
	n, err := s.Conn.Write(p)
	s.sent.Add(int64(n))
	return n, err
}

// Whatever is at the other end: an error that says what to do, in time, and no token where it does not belong.
func TestOtherServers(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"another program": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>hello") },
		"a refusal":       func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadGateway) },
		"a redirection": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example/", http.StatusFound)
		},
		"nothing": func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
		"half an answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"runs":[`)
		},
	} {
		s := httptest.NewServer(h)
		c, err := New(s.URL, "ibid_secret")
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.List(t.Context(), runs.Page{})
		var told *runs.Error
		if !errors.As(err, &told) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
		c.Close()
		s.Close()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	l.Close()
	c, err := New(address, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Show(t.Context(), "x"); runs.CodeOf(err) != runs.Unready || !strings.Contains(err.Error(), "--server") {
		t.Errorf("nobody there: %v", err)
	}
	for _, bad := range []string{"", "127.0.0.1:8420", "ftp://x", "http://user:pw@x", "http://x/?a=b", "http://"} {
		if _, err := New(bad, ""); runs.CodeOf(err) != runs.Invalid {
			t.Errorf("%q is taken for an address: %v", bad, err)
		}
	}
	if _, err := New("http://runs.example", "ibid_secret"); runs.CodeOf(err) != runs.Unready {
		t.Errorf("a token goes unencrypted over a network: %v", err)
	}
}

// Names of runs are whatever a person types; they stay names.
func TestNamesStayNames(t *testing.T) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.EscapedPath())
		json.NewEncoder(w).Encode(struct{}{})
	}))
	defer s.Close()
	c, err := New(s.URL+"/ibid/", "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, id := range []string{"../gates", "a/b", "a?b=c", "a#b", "ä b", "%2e%2e"} {
		if _, err := c.Show(t.Context(), id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	want := []string{"/ibid/v1/runs/..%2Fgates", "/ibid/v1/runs/a%2Fb", "/ibid/v1/runs/a%3Fb=c", "/ibid/v1/runs/a%23b", "/ibid/v1/runs/%C3%A4%20b", "/ibid/v1/runs/%252e%252e"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for %q", asked)
	}
}
