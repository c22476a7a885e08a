package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestConform: over whatever a server is reached, it is the same server.
func TestConform(t *testing.T) {
	description := "Looks things up."
	over := map[string]func(t *testing.T) Config{
		"process": func(t *testing.T) Config { return program(t, "works") },
		"pipe": func(t *testing.T) Config {
			return Config{Pipe: func() (io.ReadCloser, io.WriteCloser, error) {
				theirs, out := io.Pipe()
				in, ours := io.Pipe()
				go func() { _ = atlas(&description).Run(t.Context(), &mcp.IOTransport{Reader: theirs, Writer: ours}) }()
				return in, out, nil
			}}
		},
	}
	for name, options := range map[string]*mcp.StreamableHTTPOptions{"http events": {}, "http json": {JSONResponse: true}, "http stateless": {Stateless: true}} {
		over[name] = func(t *testing.T) Config {
			web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return atlas(&description) }, options))
			t.Cleanup(web.Close)
			return Config{URL: web.URL}
		}
	}
	for name, config := range over {
		t.Run(name, func(t *testing.T) {
			c := config(t)
			c.Name, c.Timeout, c.Backoff, c.Restarts = "atlas", 20*time.Second, time.Millisecond, 5
			conform(t, c)
		})
	}
}

func conform(t *testing.T, c Config) {
	s, tool := listed(t, c)
	if !tool.ReadOnly || tool.Description != "Looks things up." || string(tool.Schema) != `{"type":"object"}` {
		t.Errorf("the tool is %+v", tool)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			raw, err := s.Call(t.Context(), "lookup", tool.SHA256, json.RawMessage(fmt.Sprintf(`{"q":%d}`, i)))
			if err != nil || !json.Valid(raw) || !bytes.Contains(raw, []byte(`"loss":3.90,"n":12345678901234567890`)) {
				t.Errorf("call %d: %s, %v", i, raw, err)
			}
		})
	}
	wg.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Call(ctx, "lookup", tool.SHA256, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
	for range 2 { // the second time the server is started anew
		if raw, err := s.Call(t.Context(), "lookup", tool.SHA256, nil); err != nil || len(raw) == 0 {
			t.Errorf("a call without arguments: %s, %v", raw, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Call(t.Context(), "missing", tool.SHA256, nil); err == nil || !strings.Contains(err.Error(), "does not have it any more") {
		t.Errorf("a tool that is not there: %v", err)
	}
	if _, err := s.Call(t.Context(), "erase", tool.SHA256, nil); err == nil || !strings.Contains(err.Error(), "otherwise now") {
		t.Errorf("a tool that is another one: %v", err)
	}
	if _, err := s.Call(t.Context(), "lookup", tool.SHA256, nil); err != nil {
		t.Errorf("after those refusals: %v", err)
	}
}

// FuzzEvents: whatever a stream holds, no more than a message is kept of it.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: message\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"id\":1,\"result\":{}}\r\n\r\ndata:x\n\n:\n"), 3)
	f.Add([]byte("data: "+strings.Repeat("x", 3000)), 1)
	f.Fuzz(func(t *testing.T, sent []byte, step int) {
		heard := &tape{}
		heard.wait()
		heard.sent([]byte(`{"id":1,"method":"tools/call"}`))
		b := &body{ReadCloser: io.NopCloser(bytes.NewReader(sent)), tape: heard, most: 1000, limit: 8000, stream: true}
		p := make([]byte, max(step%64, 1))
		for {
			if _, err := b.Read(p); err != nil {
				break
			}
			if len(b.data) > 1001 || len(b.line) > 1000 {
				t.Fatalf("%d and %d bytes are kept", len(b.data), len(b.line))
			}
		}
		if raw := heard.take(); raw != nil && (!json.Valid(raw) || len(raw) > 1000) {
			t.Errorf("heard %q", raw)
		}
	})
}
