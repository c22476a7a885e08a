package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ibid/fetch"
	"ibid/fetch/fetchtest"
	"ibid/internal/pgtest"
	"ibid/store"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// page is how a host of the small web answers.
type page struct {
	status int
	header http.Header
	body   string
	err    error
}

// smallWeb is a Doer in memory: what each URL answers, and what was asked.
type smallWeb struct {
	mu    sync.Mutex
	pages map[string]page
	asked []string // "URL" or "URL if-none-match"
	delay time.Duration
	open  map[string]int
}

func newWeb(pages map[string]page) *smallWeb {
	return &smallWeb{pages: pages, open: map[string]int{}}
}

func (w *smallWeb) Do(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.Redirects >= 0 {
		return nil, errors.New("the fetcher leaves redirects to the client")
	}
	host := strings.Split(r.URL, "/")[2]
	w.mu.Lock()
	line := r.URL
	if tag := r.Header.Get("If-None-Match"); tag != "" {
		line += " " + tag
	}
	w.asked = append(w.asked, line)
	p, ok := w.pages[r.URL]
	w.open[host]++
	if w.open[host] > 1 {
		p.err = fmt.Errorf("two requests to %s at a time", host)
	}
	w.mu.Unlock()
	if w.delay > 0 {
		time.Sleep(w.delay)
	}
	w.mu.Lock()
	w.open[host]--
	w.mu.Unlock()
	switch {
	case p.err != nil:
		return nil, p.err
	case !ok:
		p = page{status: 404}
	case p.status == 0:
		p.status = 200
	}
	if int64(len(p.body)) > r.MaxBody {
		return nil, &fetch.Unavailable{URL: r.URL, Outcome: fetch.TooLarge, Reason: "too large", Hint: "Take another source."}
	}
	if p.header == nil {
		p.header = http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	}
	if tag := r.Header.Get("If-None-Match"); tag != "" && tag == p.header.Get("Etag") {
		return &fetch.Response{URL: r.URL, Status: 304, Header: p.header}, nil
	}
	return fetchtest.Redirect(&fetch.Response{URL: r.URL, Status: p.status, Header: p.header, Body: []byte(p.body)})
}

// take returns what was asked since the last time.
func (w *smallWeb) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := w.asked
	w.asked = nil
	return asked
}

func (w *smallWeb) set(url string, p page) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages[url] = p
}

func text(title string) page {
	return page{body: "<!doctype html><title>" + title + "</title><h1>" + title + "</h1><p>The tide mill of Halden was rebuilt in 1911 and ground barley until the lock was closed.</p>"}
}

func to(status int, location string) page {
	return page{status: status, header: http.Header{"Location": {location}}}
}

func live(t *testing.T, w *smallWeb, change func(*fetch.LiveConfig)) *fetch.Live {
	t.Helper()
	c := fetch.LiveConfig{Client: w, Agent: "ibid", Interval: time.Nanosecond}
	if change != nil {
		change(&c)
	}
	return fetch.NewLive(c)
}

// wants checks an error: its outcome, and that it is written for who reads it.
func wants(t *testing.T, url string, err error, outcome fetch.Outcome) *fetch.Unavailable {
	t.Helper()
	var e *fetch.Unavailable
	if !errors.As(err, &e) || e.Outcome != outcome || e.URL != url || e.Reason == "" || e.Hint == "" {
		t.Fatalf("%s: %v; want %s with a reason and a hint", url, err, outcome)
	}
	return e
}

func TestLiveIsAFetcher(t *testing.T) {
	web := newWeb(map[string]page{
		"https://a.example/":      text("Home"),
		"https://a.example/mill":  text("The mill"),
		"https://a.example/old":   to(301, "/mill"),
		"https://a.example/gone":  {status: 410},
		"https://a.example/away":  to(302, "https://b.example/x"),
		"https://a.example/shut":  {status: 403},
		"https://a.example/full":  {status: 429},
		"https://a.example/round": to(302, "/round"),
		"https://a.example/down":  {status: 500},
		"https://a.example/net":   {err: &fetch.Unavailable{URL: "x", Outcome: fetch.Incomplete, Reason: "it broke off", Hint: "Try later."}},
		"https://c.example/full":  {status: 503},
	})
	fetchtest.Run(t, fetchtest.Subject{
		Fetcher: live(t, web, nil),
		Known:   []string{"https://a.example/", "https://a.example/mill"},
		Same: [][2]string{{"https://a.example/mill", "HTTPS://A.example:443/mill?utm_source=x#top"}, {"https://a.example/mill", "https://a.example/old"},
			{"https://a.example", "https://a.example/"}},
		Fails: map[string]fetch.Outcome{"https://a.example/missing": fetch.NotFound, "https://a.example/gone": fetch.NotFound, "https://a.example/away": fetch.Moved,
			"https://a.example/shut": fetch.Blocked, "https://a.example/round": fetch.Failed, "https://a.example/down": fetch.Failed, "https://a.example/net": fetch.Incomplete,
			"file:///etc/passwd": fetch.Refused, "https://c.example/full": fetch.RateLimited},
	})
	_, err := live(t, web, nil).Fetch(t.Context(), "https://a.example/full")
	wants(t, "https://a.example/full", err, fetch.RateLimited)
}

func TestLiveRedirects(t *testing.T) {
	web := newWeb(map[string]page{
		"http://a.example/x":          to(301, "https://www.a.example/x"),
		"https://www.a.example/x":     to(308, "/y"),
		"https://www.a.example/y":     text("Y"),
		"https://a.example/back":      to(302, "http://a.example/y"),
		"https://a.example/b":         to(302, "https://b.example/page?utm_medium=x"),
		"https://a.example/cookie":    to(302, "https://consent.a.example/ask?continue=https://a.example/cookie"),
		"https://a.example/cookie2":   to(302, "https://privacywall.example/?back=https%3A%2F%2Fa.example%2Fcookie2"),
		"https://a.example/privacy":   to(302, "/about/privacy"),
		"https://a.example/login":     to(302, "https://sso.a.example/login?return=%2Flogin2"),
		"https://a.example/members/1": to(302, "https://accounts.a.example/signin?next=/members/1"),
		"https://a.example/hidden":    to(302, "/private/1"),
		"https://a.example/private/1": text("Private"),
		"https://a.example/robots.txt": {header: http.Header{"Content-Type": {"text/plain"}},
			body: "User-agent: *\nDisallow: /private/"},
		"https://a.example/about/privacy": text("Privacy"),
		"https://a.example/odd":           {status: 302},
		"https://a.example/refresh":       {body: `<meta http-equiv="refresh" content="0; url=/mill">Moved.`},
		"https://a.example/refresh2":      {body: `<meta http-equiv="refresh" content="0; url=/refresh">Moved.`},
		"https://a.example/refresh3":      {body: `<meta http-equiv="refresh" content="0;URL='http://169.254.169.254/latest/meta-data/'">`},
		"https://a.example/refresh4":      {body: `<meta http-equiv="refresh" content="0; url=/private/1">Moved.`},
		"https://a.example/refresh5":      {body: `<meta http-equiv="refresh" content="300"><title>News</title><p>The lock opens on Monday, says the harbour office.`},
		"https://a.example/mill":          text("Mill"),
	})
	l := live(t, web, nil)
	d, err := l.Fetch(t.Context(), "http://a.example/x")
	if err != nil || d.URL != "https://www.a.example/y" || d.Requested != "http://a.example/x" {
		t.Errorf("%+v, %v", d, err)
	}
	for url, want := range map[string]fetch.Outcome{
		"https://a.example/back": fetch.Refused, "https://a.example/b": fetch.Moved, "https://a.example/cookie": fetch.ConsentWall, "https://a.example/cookie2": fetch.ConsentWall,
		"https://a.example/members/1": fetch.Blocked, "https://a.example/hidden": fetch.Blocked, "https://a.example/odd": fetch.Failed,
		"https://a.example/refresh2": fetch.Failed, "https://a.example/refresh3": fetch.Moved, "https://a.example/refresh4": fetch.Blocked,
	} {
		_, err := l.Fetch(t.Context(), url)
		e := wants(t, url, err, want)
		if want == fetch.Moved && e.Location != map[string]string{"https://a.example/b": "https://b.example/page", "https://a.example/refresh3": "http://169.254.169.254/latest/meta-data/"}[url] {
			t.Errorf("%s moved to %q", url, e.Location)
		}
	}
	for url, want := range map[string]string{"https://a.example/refresh": "https://a.example/mill", "https://a.example/refresh5": "https://a.example/refresh5",
		"https://a.example/privacy": "https://a.example/about/privacy"} {
		if d, err := l.Fetch(t.Context(), url); err != nil || d.URL != want {
			t.Errorf("%s: %+v, %v; want %s", url, d, err, want)
		}
	}
	for _, asked := range web.take() {
		if strings.Contains(asked, "private") || strings.Contains(asked, "169.254") || strings.Contains(asked, "b.example") || strings.Contains(asked, "accounts") {
			t.Errorf("%s was asked for", asked)
		}
	}
}

func TestLiveSizes(t *testing.T) {
	web := newWeb(map[string]page{
		"https://a.example/paper":     {header: http.Header{"Content-Type": {"application/pdf"}}, body: "%PDF-1.7\n" + strings.Repeat("x", 3<<20)},
		"https://a.example/paper.pdf": {header: http.Header{"Content-Type": {"application/pdf"}}, body: "%PDF-1.7\n" + strings.Repeat("x", 3<<20)},
		"https://a.example/page":      {body: "<!doctype html><p>" + strings.Repeat("word ", 1<<19)},
		"https://a.example/huge":      {header: http.Header{"Content-Type": {"application/pdf"}}, body: "%PDF-1.7\n" + strings.Repeat("x", 33<<20)},
		"https://a.example/empty":     {body: " \n"},
	})
	l := live(t, web, nil)
	for url, times := range map[string]int{"https://a.example/paper": 2, "https://a.example/paper.pdf": 1} {
		web.take()
		d, err := l.Fetch(t.Context(), url)
		if n := len(slices.DeleteFunc(web.take(), func(s string) bool { return s != url })); err != nil || len(d.Body) < 3<<20 || n != times {
			t.Errorf("%s: %v, asked %d times, want %d", url, err, n, times)
		}
	}
	for url, want := range map[string]fetch.Outcome{"https://a.example/page": fetch.TooLarge, "https://a.example/huge": fetch.TooLarge, "https://a.example/empty": fetch.Empty} {
		_, err := l.Fetch(t.Context(), url)
		wants(t, url, err, want)
	}
}

func TestLivePolitely(t *testing.T) {
	pages := map[string]page{"https://a.example/robots.txt": {body: "User-agent: *\nCrawl-delay: 3"}}
	for i := range 4 {
		pages[fmt.Sprintf("https://a.example/%d", i)] = text("a")
		pages[fmt.Sprintf("https://b.example/%d", i)] = text("b")
	}
	pages["https://b.example/busy"] = page{status: 429, header: http.Header{"Retry-After": {"120"}}}
	pages["https://b.example/soon"] = page{status: 503, header: http.Header{"Retry-After": {"4"}}}
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(pages)
		web.delay = 200 * time.Millisecond
		l := fetch.NewLive(fetch.LiveConfig{Client: web, Agent: "ibid"})
		begin := time.Now()
		var wait sync.WaitGroup
		for i := range 4 {
			for _, host := range []string{"a", "b"} {
				wait.Go(func() {
					if _, err := l.Fetch(t.Context(), fmt.Sprintf("https://%s.example/%d", host, i)); err != nil {
						t.Error(err)
					}
				})
			}
		}
		wait.Wait()
		// a: robots at 0, pages at 1, 4, 7, 10; b is done long before.
		if took := time.Since(begin); took != 10*time.Second+200*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		begin = time.Now()
		_, err := l.Fetch(t.Context(), "https://b.example/soon")
		if e := wants(t, "https://b.example/soon", err, fetch.RateLimited); e.RetryAfter != 4*time.Second {
			t.Errorf("retry after %v", e.RetryAfter)
		}
		if _, err := l.Fetch(t.Context(), "https://b.example/1"); err != nil || time.Since(begin) < 4*time.Second {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
		_, err = l.Fetch(t.Context(), "https://b.example/busy")
		wants(t, "https://b.example/busy", err, fetch.RateLimited)
		web.take()
		begin = time.Now()
		_, err = l.Fetch(t.Context(), "https://b.example/2")
		if e := wants(t, "https://b.example/2", err, fetch.RateLimited); e.RetryAfter != 2*time.Minute || time.Since(begin) != 0 || len(web.take()) != 0 {
			t.Errorf("a parked host: %v after %v", e, time.Since(begin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		begin = time.Now()
		l.Fetch(ctx, "https://a.example/1") // starts the pause
		if _, err = l.Fetch(ctx, "https://a.example/1"); time.Since(begin) > 2*time.Second {
			t.Errorf("a wait outlived its context by %v: %v", time.Since(begin)-2*time.Second, err)
		}
		wants(t, "https://a.example/1", err, fetch.RateLimited)
	})
}

func openStore(t *testing.T) *store.DB {
	t.Helper()
	address := filepath.Join(t.TempDir(), "x.db")
	if server := os.Getenv("FETCH_TEST_POSTGRES"); server != "" {
		address = pgtest.Schema(t, server)
	}
	db, err := store.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
