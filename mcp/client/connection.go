package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A connection is a server that runs.
type connection struct {
	transport mcp.Transport
	session   *mcp.ClientSession
	tape      *tape
	halt      func() // ends the process, or closes what is open
	once      sync.Once
	silent    chan struct{} // closed when a process has said its last on stderr; nil: it is none

	mu    sync.Mutex
	cause string // why nothing more comes
	last  string // that it said on stderr
}

// open starts a process, or prepares to reach a server.
func open(c Config) (*connection, error) {
	conn := &connection{tape: &tape{}}
	switch {
	case len(c.Command) > 0:
		return conn, conn.run(c)
	case c.URL != "":
		client := &http.Client{Transport: newExchange(c, conn), CheckRedirect: func(r *http.Request, _ []*http.Request) error {
			return fmt.Errorf("it leads to %s: give that address in the configuration, if it is the right one", r.URL.Redacted())
		}}
		conn.halt = client.CloseIdleConnections
		conn.transport = &mcp.StreamableClientTransport{Endpoint: c.URL, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: c.MaxBytes}
		return conn, nil
	case c.Pipe != nil:
		r, w, err := c.Pipe()
		if err != nil {
			return nil, err
		}
		conn.halt = func() { _, _ = r.Close(), w.Close() }
		conn.speak(c, r, w)
		return conn, nil
	}
	return nil, errors.New("there is neither a command nor a URL")
}

// stop ends a connection, and a process with all that it has started. It does not wait for a server that hangs.
func (c *connection) stop() {
	c.once.Do(func() {
		c.lost("it was stopped")
		closed := make(chan struct{})
		bye := func() {
			defer close(closed)
			if c.session != nil {
				_ = c.session.Close() // to a server that answers nothing this takes as long as it takes
			}
		}
		if c.silent != nil { // a process is told by the end of its input
			c.halt()
			go bye()
			return
		}
		go bye()
		select {
		case <-closed:
		case <-time.After(grace):
		}
		c.halt()
	})
}

// lost keeps the first reason why nothing more comes.
func (c *connection) lost(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == "" {
		c.cause = why
	}
}

// why is why nothing more comes, or "".
func (c *connection) why() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != "" && c.last != "" {
		return c.cause + "; it last said: " + clip(c.last)
	}
	return c.cause
}

// end is why nothing more comes, or "", once a process that has ended has said what it had to say.
func (c *connection) end() string {
	if c.silent != nil && c.why() != "" {
		select {
		case <-c.silent:
		case <-time.After(grace):
		}
	}
	return c.why()
}

func (c *connection) alive() bool { return c.why() == "" }

// call calls a tool. The result is what the server sent, byte for byte: decoded and encoded again, its numbers would be
// others.
func (c *connection) call(ctx context.Context, tool string, args json.RawMessage) ([]byte, error) {
	c.tape.wait()
	_, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if raw := c.tape.take(); raw != nil {
		return raw, nil // also one that holds what no client knows
	}
	if err == nil {
		err = errors.New("its result was not seen")
	}
	return nil, err
}

// Limits of a list of tools.
const (
	maxTools = 500
	maxPages = 50
)

func (c *connection) list(ctx context.Context) (l Listing, err error) {
	if about := c.session.InitializeResult(); about != nil && about.ServerInfo != nil {
		l.Server, l.Version = about.ServerInfo.Name, about.ServerInfo.Version
	}
	params := &mcp.ListToolsParams{}
	for range maxPages {
		page, err := c.session.ListTools(ctx, params)
		if err != nil {
			return l, err
		}
		for _, t := range page.Tools {
			if t != nil && len(l.Tools) < maxTools {
				l.Tools = append(l.Tools, describe(t))
			}
		}
		if page.NextCursor == "" || page.NextCursor == params.Cursor || len(l.Tools) >= maxTools {
			break
		}
		params = &mcp.ListToolsParams{Cursor: page.NextCursor}
	}
	return l, nil
}
