package render

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"ibid/fetch"
	"ibid/fetch/fetchtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// outcome asserts that a page cannot be had, and why.
func outcome(t *testing.T, d *fetch.Document, err error, want fetch.Outcome) *fetch.Unavailable {
	t.Helper()
	var e *fetch.Unavailable
	if d != nil || !errors.As(err, &e) || e.Outcome != want || e.Reason == "" || e.Hint == "" || e.URL == "" {
		t.Fatalf("%v, %v; want the outcome %s, with a reason and a hint", d, err, want)
	}
	return e
}

// TestClientRendered reads a page that holds nothing before its scripts ran.
func TestClientRendered(t *testing.T) {
	c := newCity()
	c.HandleFunc("shop.example/", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "yes"})
		http.Redirect(w, r, "https://www.shop.example/goods/", http.StatusFound)
	})
	c.page("www.shop.example/goods/", `<!DOCTYPE html><meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><title>Goods</title>
		<link rel="stylesheet" href="https://cdn.example/style.css" onload="styled = true">
		<script type="application/ld+json">{"@type": "Product"}</script><script>document.cookie = "asked=1"</script>
		<noscript>Turn on scripts</noscript><div id="app"></div><price-tag><b>each</b></price-tag><script type="module" src="app.js"></script>`)
	c.HandleFunc("www.shop.example/goods/app.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		io.WriteString(w, `import { draw } from "https://cdn.example/draw.js";
			customElements.define("price-tag", class extends HTMLElement {
				connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<style>b{}</style><p>42 € <slot>none</slot> <slot name=x>only</slot></p>"; }
			});
			const answer = await fetch("/data.json?q=ä#part");
			draw((await answer.json()).names, navigator.userAgent);`)
	})
	c.HandleFunc("cdn.example/draw.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		io.WriteString(w, `export const draw = (names, agent) => {
			for (const name of names) { const p = document.createElement("p"); p.textContent = name; document.getElementById("app").append(p); }
			document.title += " for " + agent + (window.styled ? " in style" : "");
		}`)
	})
	c.HandleFunc("www.shop.example/data.json", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("q") != "ä" || !strings.HasSuffix(r.Referer(), "/goods/") {
			t.Errorf("a script's request lost something: %v %v", r.URL, r.Header)
		}
		io.WriteString(w, `{"names": ["Ærø", "日本 <&>"]}`)
	})
	now := time.Date(2026, 3, 4, 5, 6, 7, 8, time.FixedZone("", 3600))
	r := renderer(t, c, func(c *Config) {
		c.UserAgent, c.Now = "ibid/1 (+https://ibid.example)", func() time.Time { return now }
	})
	d, err := r.Fetch(t.Context(), "http://Shop.example")
	if err != nil {
		t.Fatal(err)
	}
	body := string(d.Body)
	for _, want := range []string{`<meta charset="utf-8">`, "<title>Goods for ibid/1 (+https://ibid.example) in style</title>", `<div id="app"><p>Ærø</p><p>日本 &lt;&amp;&gt;</p></div>`,
		"<price-tag><p>42 € <b>each</b> only</p></price-tag>", `{"@type": "Product"}`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, no := range []string{"noscript", "import", "windows-1251", "<style", "document.cookie"} {
		if strings.Contains(body, no) {
			t.Errorf("there is %q", no)
		}
	}
	if t.Failed() {
		t.Log(body)
	}
	if d.Requested != "http://Shop.example" || d.URL != "https://www.shop.example/goods/" || d.ContentType != "text/html; charset=utf-8" ||
		!d.Fetched.Equal(now.Truncate(time.Second)) || !slices.Equal(d.Flags, []string{fetch.FlagRendered}) {
		t.Errorf("%s %s %s %v %v", d.Requested, d.URL, d.ContentType, d.Fetched, d.Flags)
	}
	want := []string{"http://shop.example/", "https://www.shop.example/goods/", "https://www.shop.example/goods/app.js", "https://cdn.example/draw.js", "https://www.shop.example/data.json?q=%C3%A4"}
	if got := c.asked(); !slices.Equal(got, want) {
		t.Errorf("asked for %q", got)
	}
	nothingLeft(t)
}

func TestFetcher(t *testing.T) {
	c := newCity()
	c.page("www.here.example/", "<p>Text")
	status := func(path string, code int, location string) string {
		c.HandleFunc("www.here.example"+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", location)
			if code == 429 || code == 500 {
				w.Header().Set("Retry-After", "7")
			}
			w.WriteHeader(code)
		})
		return "https://www.here.example" + path
	}
	c.HandleFunc("www.here.example/file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
	})
	fetchtest.Run(t, fetchtest.Subject{
		Fetcher: renderer(t, c, func(c *Config) { c.Settle = 20 * time.Millisecond }),
		Known:   []string{"https://www.here.example/"},
		Fails: map[string]fetch.Outcome{
			"file:///etc/passwd":              fetch.Refused,
			"https://user@www.here.example/":  fetch.Refused,
			"http://127.0.0.1/":               fetch.Refused, // by the client
			"https://www.here.example/file":   fetch.Unsupported,
			status("/404", 404, ""):           fetch.NotFound,
			status("/410", 410, ""):           fetch.NotFound,
			status("/403", 403, ""):           fetch.Blocked,
			status("/429", 429, ""):           fetch.RateLimited,
			status("/407", 407, ""):           fetch.Blocked,
			status("/503", 503, ""):           fetch.RateLimited,
			status("/202", 202, ""):           fetch.RateLimited,
			status("/500", 500, ""):           fetch.Failed,
			status("/204", 204, ""):           fetch.Empty,
			status("/lost", 302, ""):          fetch.Failed,
			status("/odd", 302, "http://%zz"): fetch.Refused,
		},
	})
	r := renderer(t, c)
	d, err := r.Fetch(t.Context(), "https://www.here.example/429")
	if e := outcome(t, d, err, fetch.RateLimited); e.RetryAfter != 7*time.Second {
		t.Errorf("retry after %v", e.RetryAfter)
	}
	d, err = r.Fetch(t.Context(), status("/away", 301, "//elsewhere.example/x"))
	if e := outcome(t, d, err, fetch.Moved); e.Location != "https://elsewhere.example/x" {
		t.Errorf("moved to %q", e.Location)
	}
	nothingLeft(t)
}

// TestLeavingTheSite: whatever sends a page to another site, nothing is asked there.
func TestLeavingTheSite(t *testing.T) {
	c := newCity()
	c.page("www.here.example/script", `<p>Text<script>location = "https://www.elsewhere.example/?x=1"</script>`)
	c.page("www.here.example/meta", `<meta http-equiv="refresh" content="0; https://www.elsewhere.example/?x=1"><p>Text`)
	c.page("www.here.example/inside", `<p>Text<script>location = "/script"</script>`)
	r := renderer(t, c)
	for _, path := range []string{"meta", "inside"} {
		d, err := r.Fetch(t.Context(), "https://www.here.example/"+path)
		if e := outcome(t, d, err, fetch.Moved); e.Location != "https://www.elsewhere.example/?x=1" {
			t.Errorf("%s: moved to %q", path, e.Location)
		}
	}
	for _, u := range c.asked() {
		if strings.Contains(u, "elsewhere") {
			t.Errorf("asked for %s", u)
		}
	}
	nothingLeft(t)
}

// TestPagesAreApart: what a page leaves in the browser, the next one does not find, also on the same site.
func TestPagesAreApart(t *testing.T) {
	c := newCity()
	c.page("www.here.example/", `<p id="p"></p><script>
		p.textContent = "found " + [document.cookie, localStorage.length, sessionStorage.length].join() + ";";
		document.cookie = "a=1; max-age=1000"; localStorage.a = 1; sessionStorage.a = 1;
		indexedDB.open("a").onsuccess = () => indexedDB.databases().then(list => { p.textContent += " databases " + list.length + ";"; });
		caches.keys().then(list => { p.textContent += " caches " + list.length; caches.open("a"); });</script>`)
	r := renderer(t, c)
	for range 2 {
		d, err := r.Fetch(t.Context(), "https://www.here.example/")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"found ,0,0;", "databases 1", "caches 0"} {
			if !strings.Contains(string(d.Body), want) {
				t.Errorf("no %q in %s", want, d.Body)
			}
		}
	}
	nothingLeft(t)
}

// TestLimits gives pages that want too much of something.
func TestLimits(t *testing.T) {
	c := newCity()
	c.page("www.here.example/loop", `<p>Text<script>for (;;) { alert(1); window.open("/x"); print() }</script>`)
	c.page("www.here.example/requests", `<p>Text<script>fetch("/" + "x".repeat(1e6)); fetch("/x", { method: "POST", body: "x".repeat(14e6) });
		setInterval(() => { for (let i = 0; i < 20; i++) fetch("/n" + Math.random()) }, 10)</script>`)
	c.page("www.here.example/reloads", `<p>Text<script>setTimeout(() => location.reload(), 1)</script>`)
	c.page("www.here.example/large", `<p>Text<div id="d" hidden></div><script>d.innerHTML = ("<p>" + "many words ".repeat(1e4)).repeat(500)</script>`)
	const slack = 500 * time.Millisecond // for a machine that is busy
	for _, tt := range []struct {
		path     string
		timeout  time.Duration
		outcome  fetch.Outcome
		flags    []string // at least
		requests int      // at most
	}{
		{"loop", 3 * time.Second, fetch.OK, []string{fetch.FlagRendered, FlagUnsettled}, 1},
		{"requests", 10 * time.Second, fetch.OK, []string{fetch.FlagRendered}, 12},
		{"reloads", 10 * time.Second, fetch.OK, []string{fetch.FlagRendered}, 12},
		{"large", 10 * time.Second, fetch.TooLarge, nil, 1},
	} {
		t.Run(tt.path, func(t *testing.T) {
			c.seen = nil
			r := renderer(t, c, func(c *Config) { c.MaxRequests, c.Timeout = 12, tt.timeout })
			begun := time.Now()
			d, err := r.Fetch(t.Context(), "https://www.here.example/"+tt.path)
			if took := time.Since(begun); took > tt.timeout+500*time.Millisecond+slack {
				t.Errorf("took %v, with a timeout of %v", took, tt.timeout)
			}
			switch {
			case tt.outcome != fetch.OK:
				outcome(t, d, err, tt.outcome)
			case err != nil:
				t.Error(err)
			case len(d.Flags) < len(tt.flags) || !slices.Equal(d.Flags[:len(tt.flags)], tt.flags) ||
				!strings.Contains(string(d.Body), "<p>Text"):
				t.Errorf("%v %s", d.Flags, d.Body)
			}
			if n := len(c.asked()); n > tt.requests {
				t.Errorf("%d requests, want at most %d", n, tt.requests)
			}
			nothingLeft(t)
		})
	}
}

// TestCancelled ends the context, and kills the browser, in the middle of a page.
func TestCancelled(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(cancel func())
		want func(d *fetch.Document, err error) bool
	}{
		"context": {func(cancel func()) { cancel() }, func(d *fetch.Document, err error) bool { return d == nil && errors.Is(err, context.Canceled) }},
		"crash": {func(func()) { reap(os.TempDir()) }, func(d *fetch.Document, err error) bool {
			var e *fetch.Unavailable
			return d == nil && errors.As(err, &e) && e.Outcome == fetch.Failed && strings.Contains(e.Reason, "crashed")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCity()
			c.page("www.here.example/", `<p>Text<script src="/app.js"></script>`)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var at time.Time
			c.HandleFunc("www.here.example/app.js", func(w http.ResponseWriter, r *http.Request) {
				at = time.Now()
				tt.do(cancel)
				<-r.Context().Done()
			})
			d, err := renderer(t, c).Fetch(ctx, "https://www.here.example/")
			if !tt.want(d, err) || at.IsZero() {
				t.Errorf("%v, %v", d, err)
			}
			if took := time.Since(at); took > time.Second {
				t.Errorf("returned %v later", took)
			}
			nothingLeft(t)
		})
	}
}

// TestPrograms gives programs that are no browser.
func TestPrograms(t *testing.T) {
	sleeper := filepath.Join(t.TempDir(), "sleeper")
	if err := os.WriteFile(sleeper, []byte("#!/bin/sh\nsleep 100\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	mute := filepath.Join(t.TempDir(), "mute")
	if err := os.WriteFile(mute, []byte("#!/bin/sh\necho no display >&2\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "none")
	elsewhere(t)
	c := newCity()
	c.page("www.here.example/", "<p>Text")
	for program, want := range map[string]*fetch.Unavailable{
		none:    {Outcome: fetch.JSRequired, Reason: "none is installed", Hint: "apt-get install chromium"},
		mute:    {Outcome: fetch.Failed, Reason: `could not start, saying "no display"`},
		sleeper: {Outcome: fetch.Failed, Reason: "no text in the time"},
	} {
		r, err := New(Config{Client: c, Program: program, Timeout: 200 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		d, err := r.Fetch(t.Context(), "https://www.here.example/")
		if e := outcome(t, d, err, want.Outcome); !strings.Contains(e.Reason, want.Reason) || !strings.Contains(e.Hint, want.Hint) {
			t.Errorf("%v; want %v", e, want)
		}
	}
	nothingLeft(t)
}

func TestNew(t *testing.T) {
	for _, c := range []Config{{}, {Client: newCity(), Timeout: -1}, {Client: newCity(), Settle: -1}, {Client: newCity(), MaxBody: -1}, {Client: newCity(), MaxRequests: -1}} {
		if r, err := New(c); r != nil || err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
	t.Setenv("PATH", "")
	r, err := New(Config{Client: newCity()})
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Fetch(t.Context(), "https://www.here.example/")
	if e := outcome(t, d, err, fetch.JSRequired); !strings.Contains(e.Reason, fmt.Sprint(strings.Join(programs, ", "))) {
		t.Error(e)
	}
}
