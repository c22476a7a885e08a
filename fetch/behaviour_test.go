package fetch

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ibid/extract"
	"ibid/store"
)

// played asks the hostile servers of these names.
func played(names ...string) func(ssrfCase, *testing.T, *testNet) {
	return func(c ssrfCase, t *testing.T, world *testNet) {
		for _, name := range names {
			i := slices.IndexFunc(world.hostile, func(h hostileServer) bool { return h.name == name })
			if i < 0 {
				t.Fatalf("there is no server %q", name)
			}
			plays(world.hostile[i])(c, t, world)
		}
	}
}

func plays(h hostileServer) func(ssrfCase, *testing.T, *testNet) {
	return func(c ssrfCase, t *testing.T, _ *testNet) {
		run := h.run(t)
		h.holds(t, run)
		if cut := c.expected == "ok_truncated"; cut {
			c.expected = "ok"
			if run.resp == nil || !run.resp.Surplus {
				t.Errorf("%s: it is not told that the answer was cut: %+v", c.input, run.resp)
			}
		}
		c.is(t, run.fault)
	}
}

// live is a fetcher in the net, with a cache of its own.
func (n *testNet) live(t *testing.T) *Live {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return NewLive(LiveConfig{Client: n.client(5 * time.Second), Agent: "ibid", Cache: NewCache(db, nil), Interval: time.Nanosecond})
}

// fetched holds what a fetcher says against the outcome that is wanted.
func fetched(t *testing.T, l *Live, raw string, want Outcome) *Unavailable {
	t.Helper()
	_, err := l.Fetch(t.Context(), raw)
	var u *Unavailable
	switch {
	case err == nil && want != OK:
		t.Errorf("%s is a page, want %s", raw, want)
	case err != nil && (!errors.As(err, &u) || u.Outcome != want):
		t.Errorf("%s: %v, want %s", raw, err, want)
	}
	return u
}

// proxy asks with a proxy in the environment: the answer comes from the host, and the proxy is not asked.
func (c ssrfCase) proxy(t *testing.T, world *testNet) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, fmt.Sprintf("http://127.0.0.1:%d", world.port))
	}
	for _, scheme := range []string{"http", "https"} {
		if resp, fault := world.client(5*time.Second).do(t.Context(), Request{URL: world.at(scheme + "://good.example/")}); fault != nil || string(resp.Body) != "text" {
			t.Errorf("%v, %v", resp, fault)
		}
	}
}

// statuses are no pages. What is lasting is not asked for again.
func (c ssrfCase) statuses(t *testing.T, world *testNet) {
	numbers := regexp.MustCompile(`\b(20[0-6]|[345]\d\d)\b`).FindAllString(strings.ReplaceAll(c.input, "Retry-After: ", "Retry-After "), 4)
	after := regexp.MustCompile(`Retry-After:? (-?\d+)`).FindStringSubmatch(c.input)
	if numbers == nil {
		numbers = []string{"200"} // with nothing in it
		if strings.Contains(c.input, "Retry-After") {
			numbers = []string{"429"}
		}
	}
	for _, number := range numbers {
		status, _ := strconv.Atoi(number)
		if after != nil && after[1] == number {
			continue
		}
		wait, from := "", time.Duration(0)
		switch {
		case strings.Contains(c.input, "date"), after == nil && status == http.StatusServiceUnavailable:
			wait, from = time.Now().Add(90*time.Second).UTC().Format(http.TimeFormat), 80*time.Second
		case after != nil:
			wait = after[1]
			n, _ := strconv.Atoi(wait)
			from = min(time.Duration(max(n, 0))*time.Second, 24*time.Hour)
		}
		world.handle(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			if wait != "" {
				w.Header().Set("Retry-After", wait)
			}
			w.WriteHeader(status)
		})
		want, again := Failed, int64(1) // requests when it is asked for a second time
		switch {
		case status < 300:
			want = Empty
		case status == 404 || status == 410:
			want, again = NotFound, 0
		case status == 429 || status == 503:
			want, again = RateLimited, 0
		case status == 401 || status == 402 || status == 403 || status == 407 || status == 451:
			want, again = Blocked, 0
		}
		l, at := world.live(t), world.at("http://good.example/page")
		begin := time.Now()
		u := fetched(t, l, at, want)
		if u != nil && want == RateLimited && (u.RetryAfter < from || u.RetryAfter > 24*time.Hour || time.Since(begin) > 5*time.Second) {
			t.Errorf("%d, %q: to be asked again after %v", status, wait, u.RetryAfter)
		}
		if from == 0 && after != nil {
			continue // it may be asked at once
		}
		before := world.requests.Load()
		fetched(t, l, at, want)
		if n := world.requests.Load() - before; n != again {
			t.Errorf("%d: asked for a second time, it is requested %d times, want %d", status, n, again)
		}
	}
}

// unchanged asks again for a page that has not changed.
func (c ssrfCase) unchanged(t *testing.T, world *testNet) {
	if strings.Contains(c.input, "without a") {
		c.statuses(t, world)
		return
	}
	changed, whole := "Mon, 02 Mar 2026 10:00:00 GMT", 0
	world.handle(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"a"`)
		w.Header().Set("Last-Modified", changed)
		switch {
		case r.URL.Path == "/robots.txt":
			w.WriteHeader(http.StatusNotFound)
		case r.Header.Get("If-None-Match") == `"a"` && r.Header.Get("If-Modified-Since") == changed:
			w.WriteHeader(http.StatusNotModified)
		default:
			whole++
			fmt.Fprint(w, "a text of some words")
		}
	})
	l := world.live(t)
	l.c.Fresh = time.Nanosecond
	for range 3 {
		fetched(t, l, world.at("http://good.example/page"), OK)
	}
	if whole != 1 {
		t.Errorf("it was sent whole %d times", whole)
	}
}

// oneAtATime reads several pages of a host at once.
func (c ssrfCase) oneAtATime(t *testing.T, world *testNet) {
	var now, most atomic.Int64
	world.handle(func(w http.ResponseWriter, r *http.Request) {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		time.Sleep(5 * time.Millisecond)
		fmt.Fprint(w, "a text of some words")
	})
	l := world.live(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { fetched(t, l, world.at("http://good.example/"+strconv.Itoa(i)), OK) })
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d requests at once", most.Load())
	}
}

// bomb plays bombs: too large or too small for what they hold, they are not unpacked.
func (c ssrfCase) bomb(t *testing.T, _ *testNet) {
	for _, name := range []string{"gzip", "br", "zstd"} {
		h := hostileServer{code: faultRatio, serve: says(bodied("Content-Encoding: "+name+"\r\n", packed()[name+" bomb"])), after: func(*testing.T, *hostileRun) {}}
		run := h.run(t)
		if run.fault == nil || run.fault.outcome != TooLarge {
			t.Errorf("%s: %+v, %v", name, run.resp, run.fault)
		}
	}
}

// noAnswer plays servers that hang up.
func (c ssrfCase) noAnswer(t *testing.T, world *testNet) {
	for _, h := range world.hostile {
		if slices.Contains([]string{"hangs up at once", "hangs up after the request", "resets the connection", "does not listen"}, h.name) {
			if run := h.run(t); run.fault == nil || run.fault.outcome != Failed {
				t.Errorf("%s: %+v, %v", h.name, run.resp, run.fault)
			}
		}
	}
}

// oneRequest asks for one page in many ways.
func (c ssrfCase) oneRequest(t *testing.T, world *testNet) {
	var pages []string
	world.handle(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		pages = append(pages, r.RequestURI)
		fmt.Fprint(w, "a text of some words")
	})
	l, at := world.live(t), world.at("http://good.example/a/page?q=1")
	for range 10 {
		for _, raw := range []string{at, at + "#part", strings.Replace(at, "/a/", "/b/../a/./", 1), at + "&utm_source=x"} {
			fetched(t, l, raw, OK)
		}
	}
	if len(pages) != 1 {
		t.Errorf("asked for %v", pages)
	}
}

// robots plays a robots.txt.
func (c ssrfCase) robots(t *testing.T, world *testNet) {
	has := func(words string) bool { return regexp.MustCompile(words).MatchString(strings.ToLower(c.input)) }
	status, _ := strconv.Atoi(regexp.MustCompile(`\b[2-5]\d\d\b`).FindString(c.input))
	const rules = "User-agent: *\nDisallow: /closed\n"
	pages := 0
	world.handle(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/elsewhere.txt":
			fmt.Fprint(w, rules)
		case r.URL.Path != "/robots.txt":
			pages++
			fmt.Fprint(w, "a text of some words")
		case has(`redirect`) && has(`127\.|private|loopback|10\.|169\.|localhost`):
			http.Redirect(w, r, world.at("http://127.0.0.1/robots.txt"), http.StatusFound)
		case has(`redirect`) && has(`loop|circle|itself|for ever|\d+ times`):
			http.Redirect(w, r, "/robots.txt", http.StatusFound)
		case has(`redirect`):
			http.Redirect(w, r, world.at("http://other.example/elsewhere.txt"), http.StatusFound)
		case has(`never|time.?out|hang|silent|slow`):
			<-r.Context().Done()
		case status != 0:
			w.WriteHeader(status)
		case has(`html|not found page`):
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>Home</title><p>Disallow: everything")
		case has(`empty|0 bytes`):
		case has(`ai-input|signal`):
			fmt.Fprint(w, "User-agent: *\nContent-Signal: ai-input=no\nAllow: /\n")
		case has(`disallow: /( |$)|disallows (all|everything)|everything`):
			fmt.Fprint(w, "User-agent: *\nDisallow: /\n")
		default:
			fmt.Fprint(w, rules)
			lines := bytes.Repeat([]byte("# nothing to see here\n"), 1000)
			for range 480 {
				w.Write(lines)
			}
		}
	})
	l, closed, open := world.live(t), world.at("http://good.example/closed/x"), world.at("http://good.example/open")
	wantClosed, wantOpen := Blocked, OK
	switch {
	case has(`redirect`) && has(`127\.|private|loopback|10\.|169\.|localhost`):
		wantClosed, wantOpen = Refused, Refused
	case has(`never|time.?out|hang|silent|slow`):
		l.c.Client = world.client(hostileTime)
		wantOpen = Blocked
	case has(`redirect`) && has(`loop|circle|itself|for ever|\d+ times`), has(`html|not found page|empty|0 bytes`):
		wantClosed = OK
	case has(`redirect`):
	case status == 429:
		wantClosed, wantOpen = RateLimited, RateLimited
	case status >= 500, has(`ai-input|signal|disallow: /( |$)|disallows (all|everything)|everything`):
		wantOpen = Blocked
	case status >= 400:
		wantClosed = OK
	}
	want := 0
	for at, outcome := range map[string]Outcome{closed: wantClosed, open: wantOpen} {
		if fetched(t, l, at, outcome); outcome == OK {
			want++
		}
	}
	if pages != want {
		t.Errorf("%d pages were asked for, want %d", pages, want)
	}
}

// document plays what lies in the bytes of a document: they arrive as they were sent, and the reader of documents has its
// own limits.
func (c ssrfCase) document(t *testing.T, world *testNet) {
	body, unpacked, declared := "", 1<<20, ""
	has := func(words string) bool { return regexp.MustCompile(words).MatchString(strings.ToLower(c.input)) }
	switch {
	case has(`utf-8|charset|utf-7|utf-16|bom\b`):
		body = "<p>a\xff\xfeb \u202eevil\u202c \u200bc \U000e0041\U000e0042 end</p>"
	case has(`links`):
		body = strings.Repeat(`<a href=/a>a</a> `, 20000)
	case has(`pdf`) && has(`bomb|ratio|gb|unpack|stream|deep|loop`):
		body = "%PDF-1.7\n1 0 obj<</Length 100000/Filter[/FlateDecode/FlateDecode]>>stream\n" + strings.Repeat("\x78\x9c", 50000) + "\nendstream endobj\nxref\n0 1\ntrailer<</Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF"
	case has(`zip|docx|xlsx|pptx`):
		body = zipBomb(t)
	case has(`laughs`):
		body = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "ha">`
		for i := 'b'; i < 'z'; i++ {
			body += fmt.Sprintf(`<!ENTITY %c "%s">`, i, strings.Repeat("&"+string(i-1)+";", 10))
		}
		body += `]><svg><text>&y;</text></svg>`
	case has(`entity|dtd|xxe|xml|svg`):
		body = fmt.Sprintf(`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "http://127.0.0.1:%d/">]><x>&e;</x>`, world.port)
	case has(`deep|nested`):
		body = strings.Repeat("<div>", 50000) + "text"
	case has(`attribute`):
		body = "<p" + strings.Repeat(" a=b", 100000) + ">text"
	case has(`one line|without a line break`):
		body = "<p>" + strings.Repeat("word ", 100000)
	case has(`iframe|script|img|image`) && !has(`content-type`):
		body = strings.ReplaceAll(`<p>A text.</p><iframe src="U"></iframe><img src="U"><script src="U"></script><link rel=stylesheet href="U"><object data="U"></object>`, "U", world.at("http://127.0.0.1/"))
	case has(`html`):
		body, declared = "<!doctype html><p>The lock is open on Tuesdays.</p>", "image/png"
	default:
		body, declared = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"+strings.Repeat("\x00\xff", 5000), "text/html"
	}
	serve := func(w http.ResponseWriter, _ *http.Request) {
		if declared != "" {
			w.Header().Set("Content-Type", declared)
		}
		w.Write([]byte(body))
	}
	world.handle(serve)
	resp, fault := world.client(5*time.Second).do(t.Context(), Request{URL: world.at("http://good.example/x")})
	if fault != nil || string(resp.Body) != body {
		t.Fatalf("the bytes did not arrive as they were sent: %v", fault)
	}
	var page *extract.Page
	var err error
	if grew := peak(func() {
		page, err = extract.Extract(t.Context(), extract.Input{URL: resp.URL, ContentType: resp.Header.Get("Content-Type"), Body: resp.Body})
	}); grew > 160<<20 {
		t.Errorf("reading it took %d MiB", grew>>20)
	}
	if err != nil {
		if u := (*extract.Unreadable)(nil); !errors.As(err, &u) {
			t.Error(err)
		}
		return
	}
	text := 0
	for _, b := range page.Blocks {
		text += len(b.Text)
	}
	if text > len(body)+unpacked || len(page.Links) > 10000 {
		t.Errorf("it unpacked to %d bytes of text and %d links", text, len(page.Links))
	}
}

// zipBomb is a zip of files of zeros, as many as a page may have bytes for.
func zipBomb(t *testing.T) string {
	t.Helper()
	zeros := make([]byte, 16<<20)
	var packed, b bytes.Buffer
	deflate, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	deflate.Write(zeros)
	deflate.Close()
	w := zip.NewWriter(&b)
	for i := range 100 {
		f, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("word/document%d.xml", i), Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(zeros),
			CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(len(zeros))})
		if err != nil {
			t.Fatal(err)
		}
		f.Write(packed.Bytes())
		if b.Len() > MaxHTML-2*packed.Len() {
			break
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
