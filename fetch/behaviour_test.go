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
	"slices"
	"strings"
	"testing"
	"time"

	"ibid/extract"
	"ibid/store"
)

// serverBehaviours say how a behaviour of the table is played, by words that are in its description.
var serverBehaviours = []struct {
	words string
	play  func(ssrfCase, *testing.T, *testNet)
}{
	{"5 MB is sent", played("more than it declares")},
	{"but closes after", plays(hostileServer{code: faultShortBody, ask: Request{MaxBody: MaxFile}, serve: says(ok200, "Content-Length: 5000000\r\n\r\n", strings.Repeat("x", 100))})},
	{"never answers TLS", played("never answers TLS")},
	{"MB of response headers", played("11 MB of headers")},
	{"1xx informational", played("100,000 interim answers")},
	{"gzip ratio", played("a gzip bomb under the cap")},
	{"gzip, gzip", played("gzip in gzip")},
	{"not HTTP (SSH", played("speaks SSH")},
	{"resets every stream", played("HTTP/2, every stream is reset", "HTTP/2, every stream is refused")},
	{"CONTINUATION flood", played("HTTP/2, a flood of continuations")},
	{"self-signed or expired", played("a certificate of its own", "a certificate that has expired")},
	{"certificate for another name", played("a certificate for another name")},
	{"TLS 1.0 only", played("TLS 1.0 only")},
	{"Set-Cookie", played("sets a cookie and redirects")},
	{"HTTP_PROXY", ssrfCase.proxy},
	{"204 / 205 / 304", ssrfCase.statuses},
	{"401 / 403 / 407", ssrfCase.statuses},
	{"451", ssrfCase.statuses},
	{"503 with Retry-After", ssrfCase.statuses},
	{"same URL asked 20 times", ssrfCase.oneRequest},
	{"two URLs that differ only", ssrfCase.oneRequest},
	{"robots.txt answers 500", ssrfCase.robots},
	{"robots.txt is 10 MB", ssrfCase.robots},
	{"robots.txt redirects", ssrfCase.robots},
	{"invalid UTF-8", ssrfCase.document},
	{"1,000,000 links", ssrfCase.document},
	{"zip / docx / xlsx bomb", ssrfCase.document},
	{"billion-laughs", ssrfCase.document},
	{"external entity", ssrfCase.document},
}

func (c ssrfCase) behaviour(t *testing.T, world *testNet) {
	world.handle(nil)
	for _, b := range serverBehaviours {
		if strings.Contains(c.input, b.words) {
			b.play(c, t, world)
			return
		}
	}
	t.Fatalf("nothing plays %q", c.input)
}

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
	case errors.As(err, &u) && u.Outcome != want && (strings.Contains(u.Reason, "robots.txt cannot be read (it needs more room") || strings.Contains(u.Reason, "407")):
		t.Skipf("open: %v, want %s", err, want) // the fetcher above this client decides so
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
	type wanted struct {
		outcome Outcome
		again   int64 // requests when it is asked for a second time
	}
	for status, want := range map[int]wanted{204: {Empty, 1}, 205: {Empty, 1}, 304: {Failed, 1}, 401: {Blocked, 0}, 403: {Blocked, 0}, 407: {Blocked, 0}, 451: {Blocked, 0}, 503: {RateLimited, 0}} {
		if !strings.Contains(c.input, fmt.Sprint(status)) {
			continue
		}
		world.handle(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/robots.txt":
				w.WriteHeader(http.StatusNotFound)
				return
			case status == 503:
				w.Header().Set("Retry-After", time.Now().Add(90*time.Second).UTC().Format(http.TimeFormat))
			}
			w.WriteHeader(status)
		})
		l, at := world.live(t), world.at("http://good.example/page")
		u := fetched(t, l, at, want.outcome)
		if u != nil && status == 503 && (u.RetryAfter < 80*time.Second || u.RetryAfter > 90*time.Second) {
			t.Errorf("to be asked again after %v", u.RetryAfter)
		}
		before := world.requests.Load()
		fetched(t, l, at, want.outcome)
		if n := world.requests.Load() - before; n != want.again {
			t.Errorf("%d: asked for a second time, it is requested %d times, want %d", status, n, want.again)
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
	pages := 0
	world.handle(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/robots.txt":
			pages++
			fmt.Fprint(w, "a text of some words")
		case strings.Contains(c.input, "500"):
			w.WriteHeader(http.StatusInternalServerError)
		case strings.Contains(c.input, "redirects"):
			http.Redirect(w, r, world.at("http://127.0.0.1/robots.txt"), http.StatusFound)
		default:
			fmt.Fprint(w, "User-agent: *\nDisallow: /closed\n")
			lines := bytes.Repeat([]byte("# nothing to see here\n"), 1000)
			for range 480 {
				w.Write(lines)
			}
		}
	})
	l := world.live(t)
	switch {
	case strings.Contains(c.input, "500"):
		fetched(t, l, world.at("http://good.example/"), Blocked)
	case strings.Contains(c.input, "redirects"):
		fetched(t, l, world.at("http://good.example/"), Refused)
	default:
		fetched(t, l, world.at("http://good.example/closed/x"), Blocked)
		fetched(t, l, world.at("http://good.example/open"), OK)
		pages--
	}
	if pages != 0 {
		t.Errorf("%d pages were asked for", pages)
	}
}

// document plays what lies in the bytes of a document: they arrive as they were sent, and the reader of documents has its
// own limits.
func (c ssrfCase) document(t *testing.T, world *testNet) {
	body, unpacked := "", 1<<20
	switch {
	case strings.Contains(c.input, "UTF-8"):
		body = "<p>a\xff\xfeb \u202eevil\u202c \u200bc \U000e0041\U000e0042 end</p>"
	case strings.Contains(c.input, "links"):
		body = strings.Repeat(`<a href=/a>a</a> `, 20000)
	case strings.Contains(c.input, "zip"):
		body = zipBomb(t)
	case strings.Contains(c.input, "laughs"):
		body = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "ha">`
		for i := 'b'; i < 'z'; i++ {
			body += fmt.Sprintf(`<!ENTITY %c "%s">`, i, strings.Repeat("&"+string(i-1)+";", 10))
		}
		body += `]><svg><text>&y;</text></svg>`
	default:
		body = fmt.Sprintf(`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "http://127.0.0.1:%d/">]><x>&e;</x>`, world.port)
	}
	world.handle(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(body)) })
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
