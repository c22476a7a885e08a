package render

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/fetch"
	"ibid/fetch/fetchtest"
)

// A city is the public web: a client that answers from a handler and remembers what it was asked. It follows no
// redirects, as it is told, and gives the policy's refusal for hosts that are not public names.
type city struct {
	*http.ServeMux
	mu   sync.Mutex
	seen []fetch.Request
}

func newCity() *city { return &city{ServeMux: http.NewServeMux()} }

// page adds a page of HTML.
func (c *city) page(pattern, html string) {
	c.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, html)
	})
}

func (c *city) Do(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	c.mu.Lock()
	c.seen = append(c.seen, r)
	c.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return nil, err
	}
	if r.Method != "" && r.Method != http.MethodGet || r.Redirects >= 0 {
		return nil, errors.New("a renderer only gets, and follows no redirects")
	}
	if !strings.HasSuffix(req.URL.Hostname(), ".example") {
		return nil, &fetch.Unavailable{URL: r.URL, Outcome: fetch.Refused, Reason: "not a public host", Hint: "Leave it."}
	}
	for name, values := range r.Header {
		req.Header[name] = values
	}
	w := httptest.NewRecorder()
	c.ServeHTTP(w, req)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	res := w.Result()
	return fetchtest.Redirect(&fetch.Response{URL: r.URL, Status: res.StatusCode, Header: res.Header, Body: w.Body.Bytes()})
}

// asked returns the URLs that were asked for, in order.
func (c *city) asked() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []string
	for _, r := range c.seen {
		list = append(list, r.URL)
	}
	return list
}

// browsers skips a test where there is no browser. In CI it fails.
func browsers(t *testing.T) {
	t.Helper()
	if _, err := Find(""); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no Chromium: install it with apt-get install --no-install-recommends chromium-headless-shell")
		}
		t.Skip("no Chromium: install it with apt-get install --no-install-recommends chromium-headless-shell")
	}
}

// renderer returns a renderer over a city, with limits that suit a test. After the test no process and no profile may
// be left.
func renderer(t *testing.T, c fetch.Doer, change ...func(*Config)) *Renderer {
	t.Helper()
	browsers(t)
	elsewhere(t)
	config := Config{Client: c, Settle: 200 * time.Millisecond, Timeout: 15 * time.Second}
	for _, f := range change {
		f(&config)
	}
	r, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// elsewhere gives a test a folder for temporary files to itself, with a short path.
func elsewhere(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "t")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
}

// nothingLeft asserts that no browser works in the folder for temporary files, and that it is empty.
func nothingLeft(t *testing.T) {
	t.Helper()
	dir := os.TempDir()
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range lines {
		if line, err := os.ReadFile(name); err == nil && strings.Contains(string(line), dir) {
			t.Errorf("still running: %.200q", line)
		}
	}
}

// A canary counts what reaches this machine, over TCP and UDP, on both families.
type canary struct {
	port string
	mu   sync.Mutex
	hits []string
}

func newCanary(t *testing.T) *canary {
	t.Helper()
	c := &canary{}
	first, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, c.port, _ = net.SplitHostPort(first.Addr().String())
	c.tcp(t, first)
	if second, err := net.Listen("tcp6", "[::1]:"+c.port); err == nil { // not every machine has IPv6
		c.tcp(t, second)
	}
	for _, addr := range []string{"127.0.0.1:", "[::1]:"} {
		if packets, err := net.ListenPacket("udp", addr+c.port); err == nil {
			c.udp(t, packets)
		}
	}
	return c
}

func (c *canary) hit(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hits = append(c.hits, what)
}

func (c *canary) tcp(t *testing.T, l net.Listener) {
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			b := make([]byte, 200)
			conn.SetReadDeadline(time.Now().Add(time.Second))
			n, _ := conn.Read(b)
			c.hit(string(b[:n]))
			conn.Close()
		}
	}()
}

func (c *canary) udp(t *testing.T, l net.PacketConn) {
	t.Cleanup(func() { l.Close() })
	go func() {
		b := make([]byte, 200)
		for {
			n, from, err := l.ReadFrom(b)
			if err != nil {
				return
			}
			c.hit("udp from " + from.String() + " " + string(b[:n]))
		}
	}()
}

// silent asserts that nothing reached the machine.
func (c *canary) silent(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.hits) > 0 {
		t.Errorf("reached %d times: %q", len(c.hits), c.hits)
	}
}
