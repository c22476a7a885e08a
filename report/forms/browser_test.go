package forms

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/fetch/render"
)

// A tab is a page in a real browser, spoken to by the DevTools protocol. It can reach whatever this machine can: nothing but
// the page itself keeps it from that.
type tab struct {
	t       testing.TB
	in      *os.File
	session string
	mu      sync.Mutex
	replies map[int]chan json.RawMessage
	next    int
	events  chan string // sessions of pages, loads
	asked   []string    // for what the page asked
	ran     []string    // what scripts said
}

type wire struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// openTab starts a browser with an empty page.
func openTab(t testing.TB) *tab {
	t.Helper()
	program, err := render.Find("")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "ibid-tab-")
	if err != nil {
		t.Fatal(err)
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--user-data-dir=" + dir}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.Command(program, append(args, "about:blank")...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &tab{t: t, in: in, replies: map[int]chan json.RawMessage{}, events: make(chan string, 100)}
	done := make(chan struct{})
	go func() { defer close(done); b.read(out) }()
	t.Cleanup(func() {
		b.send("", "Browser.close", nil)
		timer := time.AfterFunc(5*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		timer.Stop()
		in.Close()
		<-done
		out.Close()
		os.RemoveAll(dir)
	})
	b.call("Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}, nil)
	b.session = b.wait("session ")
	for _, method := range []string{"Page.enable", "Network.enable", "Runtime.enable"} {
		b.call(method, nil, nil)
	}
	return b
}

func (b *tab) read(out *os.File) {
	in := bufio.NewReaderSize(out, 1<<20)
	for {
		raw, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m wire
		if json.Unmarshal(raw[:len(raw)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		switch {
		case m.ID > 0 && b.replies[m.ID] != nil:
			if m.Error != nil {
				m.Result = append(json.RawMessage(`{"failed":`), append(m.Error, '}')...)
			}
			b.replies[m.ID] <- m.Result
			delete(b.replies, m.ID)
		case m.Method == "Target.attachedToTarget":
			var e struct{ SessionID string }
			json.Unmarshal(m.Params, &e)
			b.events <- "session " + e.SessionID
		case m.Method == "Page.loadEventFired":
			b.events <- "load"
		case m.Method == "Network.requestWillBeSent":
			var e struct{ Request struct{ URL string } }
			json.Unmarshal(m.Params, &e)
			b.asked = append(b.asked, e.Request.URL)
		case m.Method == "Runtime.consoleAPICalled", m.Method == "Runtime.exceptionThrown", m.Method == "Page.javascriptDialogOpening":
			b.ran = append(b.ran, m.Method+" "+string(m.Params))
		}
		b.mu.Unlock()
	}
}

// wait returns the rest of the next event that begins so.
func (b *tab) wait(prefix string) string {
	b.t.Helper()
	for timeout := time.After(30 * time.Second); ; {
		select {
		case e := <-b.events:
			if rest, ok := strings.CutPrefix(e, prefix); ok {
				return rest
			}
		case <-timeout:
			b.t.Fatalf("the browser did not say %q", prefix)
		}
	}
}

func (b *tab) send(session, method string, params any) chan json.RawMessage {
	if params == nil {
		params = struct{}{}
	}
	p, err := json.Marshal(params)
	if err != nil {
		b.t.Fatal(err)
	}
	reply := make(chan json.RawMessage, 1)
	b.mu.Lock()
	b.next++
	b.replies[b.next] = reply
	body, err := json.Marshal(wire{ID: b.next, Session: session, Method: method, Params: p})
	b.mu.Unlock()
	if err == nil {
		_, err = b.in.Write(append(body, 0))
	}
	if err != nil {
		b.t.Log(err)
	}
	return reply
}

func (b *tab) call(method string, params, result any) {
	b.t.Helper()
	select {
	case raw := <-b.send(b.session, method, params):
		if strings.HasPrefix(string(raw), `{"failed"`) {
			b.t.Fatalf("%s: %s", method, raw)
		}
		if result != nil {
			if err := json.Unmarshal(raw, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(60 * time.Second):
		b.t.Fatalf("%s: no answer", method)
	}
}

// open shows a page from a file and returns the file's address.
func (b *tab) open(html []byte) string {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "report.html")
	if err := os.WriteFile(file, html, 0o600); err != nil {
		b.t.Fatal(err)
	}
	at := (&url.URL{Scheme: "file", Path: file}).String()
	b.call("Page.navigate", map[string]any{"url": at}, nil)
	b.wait("load")
	return at
}

// eval runs the tester's own script in the page, also where the page may run none.
func (b *tab) eval(script string, into any) {
	b.t.Helper()
	var r struct {
		Result    struct{ Value json.RawMessage }
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	b.call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &r)
	if r.Exception != nil {
		b.t.Fatalf("%.200s: %s", script, r.Exception)
	}
	if into != nil {
		if err := json.Unmarshal(r.Result.Value, into); err != nil {
			b.t.Fatalf("%.200s: %v", script, err)
		}
	}
}

// click clicks as a hand does.
func (b *tab) click(x, y float64) {
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}, nil)
	}
}

// look sets the size of the window and the scheme of its colours.
func (b *tab) look(width int, scheme string) {
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

func (b *tab) requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string{}, b.asked...)
}

func (b *tab) scripts() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string{}, b.ran...)
}

func within(id string) string { return fmt.Sprintf("document.getElementById(%q)", id) }
