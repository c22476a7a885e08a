package client

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// begin lists the tools of a server, as a run does when it begins.
func begin(t *testing.T, c Config) (*Server, Tool) {
	t.Helper()
	s := New(c)
	t.Cleanup(func() { _ = s.Close() })
	l, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Tools) != 2 || l.Tools[0].Name != "lookup" || !l.Tools[0].ReadOnly || l.Tools[1].ReadOnly || len(l.Tools[0].SHA256) != 64 || l.Server != "atlas" || l.Version != "1.2" {
		t.Fatalf("the list is %+v", l)
	}
	return s, l.Tools[0]
}

// TestServers: whatever a server does, a call of it ends, with an error that says what was wrong, and within bounds.
func TestServers(t *testing.T) {
	for _, tt := range []struct {
		mode string
		fail string // in the error of a call; "" if it answers
		late bool   // it fails only when the time is up
	}{
		{"works", "", false},
		{"prints", "", false},
		{"stderr", "", false},
		{"ends at unknown words", "", false},
		{"answers anew", "", false},
		{"refuses", "the map has no such place", false},
		{"dies", "it ended; it last said: atlas: out of {{secret:INK}}", false},
		{"hangs", "did not answer within", true},
		{"floods a line", "a message of more than 262144 bytes", false},
		{"floods messages", "bytes unasked", false},
		{"is beside itself", "did not answer within", true},
		{"changes", "is not what it was when this run began", false},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			c := program(t, tt.mode)
			c.Hide = strings.NewReplacer("ink", "{{secret:INK}}").Replace
			if tt.late {
				c.Timeout = time.Second
			}
			s, tool := begin(t, c)
			if tt.mode == "changes" { // the third list is another one
				if _, err := s.Call(t.Context(), "lookup", tool.SHA256, []byte(`{}`)); err != nil {
					t.Fatal(err)
				}
			}
			raw, err := s.Call(t.Context(), "lookup", tool.SHA256, []byte(`{"q":1}`))
			var told *Error
			switch {
			case tt.fail == "" && err != nil:
				t.Error(err)
			case tt.fail == "" && tt.mode != "answers anew" && string(raw) != found:
				t.Errorf("the result is %s, and was sent as %s", raw, found)
			case tt.fail != "" && (!errors.As(err, &told) || !strings.Contains(err.Error(), tt.fail)):
				t.Errorf("the error is %v, want %s", err, tt.fail)
			}
			if tt.mode == "changes" { // it is not asked again, and the other tool is
				if _, err := s.Call(t.Context(), "lookup", tool.SHA256, []byte(`{}`)); err == nil {
					t.Error("a changed tool was called the second time")
				}
			}
		})
	}
}

// TestStarts: servers that do not come up are told of, and not waited for.
func TestStarts(t *testing.T) {
	for mode, want := range map[string]string{"dies at start": "no such map", "never answers": "did not answer within", "prints much": "that are no messages"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := program(t, mode)
			if mode == "never answers" {
				c.Timeout = time.Second
			}
			s := New(c)
			defer s.Close()
			if _, err := s.List(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want %s", err, want)
			}
		})
	}
	s := New(Config{Name: "atlas", Command: []string{"/nonexistent/atlas"}})
	if _, err := s.List(t.Context()); err == nil || !strings.Contains(err.Error(), "does not start") {
		t.Errorf("a program that is not there: %v", err)
	}
}

// TestRestarts: what was lost is started again for the next call, a few times.
func TestRestarts(t *testing.T) {
	s, tool := begin(t, program(t, "dies once"))
	if _, err := s.Call(t.Context(), "lookup", tool.SHA256, []byte(`{}`)); err == nil {
		t.Error("the call in which it died succeeded")
	}
	if raw, err := s.Call(t.Context(), "lookup", tool.SHA256, []byte(`{}`)); err != nil || string(raw) != found {
		t.Errorf("after its restart: %s, %v", raw, err)
	}
	c := program(t, "dies")
	c.Restarts = 2
	s, tool = begin(t, c)
	for i := range 5 {
		_, err := s.Call(t.Context(), "lookup", tool.SHA256, []byte(`{}`))
		if gone := err != nil && strings.Contains(err.Error(), "not started again"); gone != (i >= 3) {
			t.Errorf("call %d: %v", i+1, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Call(ctx, "lookup", tool.SHA256, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
}

// TestFloodTakesLittle: a hundred megabytes pass by without being held.
func TestFloodTakesLittle(t *testing.T) {
	var before, after runtime.MemStats
	for _, mode := range []string{"floods a line", "floods messages"} {
		s, tool := begin(t, program(t, mode))
		runtime.GC()
		runtime.ReadMemStats(&before)
		if _, err := s.Call(t.Context(), "lookup", tool.SHA256, []byte(`{}`)); err == nil {
			t.Error("a flood was taken for an answer")
		}
		runtime.ReadMemStats(&after)
		grown := int64(after.HeapSys) - int64(before.HeapSys)
		t.Logf("%s: the heap grew by %d kB", mode, grown>>10)
		if grown > 32<<20 {
			t.Errorf("%s: the heap grew by %d MB", mode, grown>>20)
		}
	}
}

// TestEnvironment: a server sees what it is given, and none of ours.
func TestEnvironment(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-canary-1234567")
	s, tool := begin(t, program(t, "tells its environment"))
	raw, err := s.Call(t.Context(), "lookup", tool.SHA256, []byte(`{}`))
	if err != nil || !strings.Contains(string(raw), "PATH=") || strings.Contains(string(raw), "canary") {
		t.Errorf("the server's environment: %s, %v", raw, err)
	}
}

// TestLog: what a server prints is logged, up to a bound.
func TestLog(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	c := program(t, "stderr")
	c.Log = func(s string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, s)
	}
	begin(t, c)
	mu.Lock()
	defer mu.Unlock()
	for _, l := range lines {
		if len(l) > 400 {
			t.Errorf("a line of %d bytes is logged", len(l))
		}
	}
	if len(lines) == 0 || len(lines) > maxLines+1 {
		t.Errorf("%d lines are logged", len(lines))
	}
}
