package render

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

func hostile(t *testing.T, c *canary) string {
	t.Helper()
	script, err := os.ReadFile("testdata/hostile.js")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(script), "CANARY", c.port)
}

// each runs a test with each browser that is installed.
func each(t *testing.T, test func(t *testing.T, program string)) {
	browsers(t)
	for _, name := range programs {
		if program, err := Find(name); err == nil {
			t.Run(name, func(t *testing.T) {
				elsewhere(t)
				test(t, program)
				nothingLeft(t)
			})
		}
	}
}

// TestNoWayOut starts the browser without anything that pauses its requests: also then nothing may leave it.
func TestNoWayOut(t *testing.T) { each(t, noWayOut) }

func noWayOut(t *testing.T, program string) {
	c := newCanary(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	pages := make(chan string, 10)
	b, err := start(program, "", 1<<20, func(l *link, m message) {
		var e struct {
			Session string `json:"sessionId"`
			Target  struct {
				Type string `json:"type"`
			} `json:"targetInfo"`
		}
		if m.Method == "Target.attachedToTarget" && json.Unmarshal(m.Params, &e) == nil && e.Target.Type == "page" {
			select {
			case pages <- e.Session:
			default:
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.stop(0)
	if err := b.link.call(ctx, "", "Target.setAutoAttach", params{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}, nil); err != nil {
		t.Fatal(err)
	}
	session := <-pages
	var got struct {
		Result struct {
			Value int `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	script := "(async () => {" + hostile(t, c) + "; await new Promise(f => setTimeout(f, 400)); return tried.length })()"
	if err := b.link.call(ctx, session, "Runtime.evaluate", params{"expression": script, "awaitPromise": true, "returnByValue": true}, &got); err != nil {
		t.Fatal(err)
	}
	if got.Result.Value < 100 {
		t.Errorf("only %d attempts were made: %s", got.Result.Value, got.Exception)
	}
	for _, host := range []string{"127.0.0.1:", "[::1]:"} {
		if err := b.link.call(ctx, session, "Page.navigate", params{"url": "http://" + host + c.port + "/"}, nil); err != nil {
			t.Error(err)
		}
	}
	c.silent(t)
}

// TestHostilePage lets the same script run in a page: what the client is asked for is all that happens, and it is only
// asked to get.
func TestHostilePage(t *testing.T) { each(t, hostilePage) }

func hostilePage(t *testing.T, program string) {
	can, c := newCanary(t), newCity()
	c.HandleFunc("www.hostile.example/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy-Report-Only", "default-src 'none'; report-uri http://127.0.0.1:"+can.port+"/csp")
		w.Header().Set("Report-To", `{"group":"default","max_age":100,"endpoints":[{"url":"http://127.0.0.1:`+can.port+`/report"}]}`)
		io.WriteString(w, `<link rel="dns-prefetch" href="//secret.elsewhere.example"><body><p id="told">begun</p><script src="/script.js"></script>`)
	})
	c.HandleFunc("www.hostile.example/script.js", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, hostile(t, can)+`
			alert(1); confirm(2); prompt(3); print();
			const read = (name, url) => fetch(url).then(r => r.text()).then(s => { tried.push("GOT " + name + s) }, () => {});
			const worker = new Worker(URL.createObjectURL(new Blob(['fetch("https://www.hostile.example/for-worker").then(r => r.text()).then(postMessage)'])));
			Promise.all([
				new Promise(done => { worker.onmessage = e => { tried.push("GOT worker " + e.data); done(); } }),
				read("open ", "https://api.elsewhere.example/open"),
				read("closed ", "https://api.elsewhere.example/closed"),
				read("headed ", new Request("https://api.elsewhere.example/headed", { headers: { "X-Metadata": "1" } })),
				fetch("/own", { headers: { "X-Key": "public" } }),
			]).then(() => setTimeout(() => {
				document.getElementById("told").textContent = tried.length + " attempts: " + tried.filter(s => /[A-Z]{3}/.test(s)).sort().join(", ");
			}, 100))`)
	})
	c.HandleFunc("www.hostile.example/for-worker", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "data") })
	c.HandleFunc("www.hostile.example/own", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "public" {
			t.Error("a header that a page sends to its own site got lost")
		}
	})
	c.HandleFunc("api.elsewhere.example/open", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		io.WriteString(w, "data")
	})
	c.HandleFunc("api.elsewhere.example/closed", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "secret") })
	c.HandleFunc("api.elsewhere.example/headed", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		if len(r.Header["X-Metadata"]) > 0 {
			t.Error("a header went to another site that was not asked")
		}
	})
	d, err := renderer(t, c, func(c *Config) { c.Settle, c.Program = 400*time.Millisecond, program }).Fetch(t.Context(), "https://www.hostile.example/")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(d.Body), " attempts: GOT open data, GOT worker data</p>") {
		t.Errorf("%.500s", d.Body[strings.Index(string(d.Body), "<p"):])
	}
	allowed := regexp.MustCompile(`^https?://(www\.hostile\.example/(script\.js|for-worker|own)?|api\.elsewhere\.example/(open|closed)|(127\.0\.0\.1|\[::1\]|localhost|elsewhere\.example):\d+/(events|fetch|import|later|(module)?preload|prefetch|script|worker))$`)
	for _, u := range c.asked() {
		if !allowed.MatchString(u) {
			t.Errorf("asked for %s", u)
		}
	}
	can.silent(t)
}
