package fetch_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid/fetch"
	"ibid/internal/pgtest"
	"ibid/store"
)

// a clock that tests set.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }

func newClock() *clock { return &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

// run is a new run over one database: a Live without memory of its own.
func run(t *testing.T, web *smallWeb, cache *fetch.Cache, at *clock) *fetch.Live {
	return live(t, web, func(c *fetch.LiveConfig) { c.Cache, c.Now = cache, at.time })
}

// pagesAsked is what was asked but for robots.txt.
func pagesAsked(w *smallWeb) []string {
	return slices.DeleteFunc(w.take(), func(s string) bool { return strings.HasSuffix(s, "/robots.txt") })
}

func tagged(title, tag string, more ...string) page {
	p := text(title)
	p.header = http.Header{"Content-Type": {"text/html"}, "Etag": {tag}}
	for i := 0; i+1 < len(more); i += 2 {
		p.header[more[i]] = []string{more[i+1]}
	}
	return p
}

// The cache over PostgreSQL.
func TestCacheOnPostgres(t *testing.T) {
	t.Setenv("FETCH_TEST_POSTGRES", pgtest.Start(t).URL())
	for name, test := range map[string]func(*testing.T){"across runs": TestCacheAcrossRuns, "failures": TestCacheOfFailures, "control": TestCacheControl,
		"shares blobs": TestCacheSharesBlobs, "bounded": TestCacheIsBounded} {
		t.Run(name, test)
	}
}

func TestCacheAcrossRuns(t *testing.T) {
	const url = "https://a.example/x"
	web := newWeb(map[string]page{url: tagged("One", `"1"`)})
	at, db := newClock(), openStore(t)
	cache := fetch.NewCache(db, at.time)
	read := func(wantAsked ...string) *fetch.Document {
		t.Helper()
		web.take()
		d, err := run(t, web, cache, at).Fetch(t.Context(), url+"?utm_source=mail#part")
		if asked := pagesAsked(web); err != nil || !slices.Equal(asked, wantAsked) {
			t.Fatalf("asked %q, want %q: %v", asked, wantAsked, err)
		}
		return d
	}
	first := read(url)
	at.now = at.now.Add(14 * time.Minute)
	if d := read(); string(d.Body) != string(first.Body) || !d.Fetched.Equal(first.Fetched) || d.ContentType != "text/html" || d.URL != url || d.Flags != nil {
		t.Errorf("from the cache: %+v", d)
	}
	at.now = at.now.Add(2 * time.Minute)
	if d := read(url + ` "1"`); string(d.Body) != string(first.Body) || !d.Fetched.Equal(at.now) {
		t.Errorf("confirmed: fetched %v, want now: the server has just said so", d.Fetched)
	}
	at.now = at.now.Add(14 * time.Minute)
	read() // the confirmation made it fresh
	at.now = at.now.Add(2 * time.Minute)
	web.set(url, tagged("Two", `"2"`))
	if d := read(url + ` "1"`); !strings.Contains(string(d.Body), "Two") {
		t.Error("an old body is served though it has changed")
	}
	at.now = at.now.Add(20 * time.Minute)
	web.set(url, page{err: &fetch.Unavailable{URL: url, Outcome: fetch.Failed, Reason: "no route", Hint: "Later."}})
	if d := read(url + ` "2"`); !slices.Contains(d.Flags, fetch.FlagStale) || !strings.Contains(string(d.Body), "Two") || d.Fetched.Equal(at.now) {
		t.Errorf("a server that cannot be asked: %v, fetched %v", d.Flags, d.Fetched)
	}
	web.set(url, page{status: 410})
	_, err := run(t, web, cache, at).Fetch(t.Context(), url)
	wants(t, url, err, fetch.NotFound)
	at.now = at.now.Add(8 * 24 * time.Hour)
	web.set(url, page{err: &fetch.Unavailable{URL: url, Outcome: fetch.Failed, Reason: "no route", Hint: "Later."}})
	_, err = run(t, web, cache, at).Fetch(t.Context(), url)
	if err == nil {
		t.Error("an entry of last week is served")
	}
}

func TestCacheOfFailures(t *testing.T) {
	for name, c := range map[string]struct {
		page page
		kept bool
	}{
		"missing": {page: page{status: 404}, kept: true}, "gone": {page: page{status: 410}, kept: true}, "forbidden": {page: page{status: 403}, kept: true},
		"soft":     {page: page{body: "<title>Page not found</title><h1>Page not found</h1><p>It was moved or deleted."}, kept: true},
		"check":    {page: page{status: 403, header: http.Header{"Cf-Mitigated": {"challenge"}}}, kept: true},
		"limit":    {page: page{status: 403, header: http.Header{"X-Ratelimit-Remaining": {"0"}}}},
		"error":    {page: page{status: 500}},
		"no store": {page: page{status: 404, header: http.Header{"Cache-Control": {"no-store"}}}},
		"broken":   {page: page{err: &fetch.Unavailable{Outcome: fetch.Incomplete, Reason: "broke off", Hint: "Later."}}},
	} {
		web := newWeb(map[string]page{"https://a.example/x": c.page})
		at := newClock()
		cache := fetch.NewCache(openStore(t), at.time)
		_, first := run(t, web, cache, at).Fetch(t.Context(), "https://a.example/x")
		web.take()
		at.now = at.now.Add(4 * time.Minute)
		_, second := run(t, web, cache, at).Fetch(t.Context(), "HTTPS://a.example/x")
		if asked := len(pagesAsked(web)) > 0; asked == c.kept {
			t.Errorf("%s: asked again: %v", name, asked)
		}
		var one, two *fetch.Unavailable
		if !errors.As(first, &one) || !errors.As(second, &two) || one.Outcome != two.Outcome || one.Reason != two.Reason || two.URL != "HTTPS://a.example/x" {
			t.Errorf("%s: %v, then %v", name, first, second)
		}
		at.now = at.now.Add(2 * time.Minute)
		run(t, web, cache, at).Fetch(t.Context(), "https://a.example/x")
		if len(pagesAsked(web)) == 0 {
			t.Errorf("%s: still not asked again after six minutes", name)
		}
	}
}

func TestCacheControl(t *testing.T) {
	const url = "https://a.example/x"
	for value, want := range map[string][]string{
		"no-store":                  {url},
		"private, No-Store":         {url},
		"no-cache":                  {url + ` "1"`},
		"no-cache=\"set-cookie\"":   {url + ` "1"`},
		"max-age=0, private":        nil, // the window is ours: it spares the host
		"max-age=60, x-no-store-me": nil,
	} {
		web := newWeb(map[string]page{url: tagged("One", `"1"`, "Cache-Control", value)})
		at, db := newClock(), openStore(t)
		cache := fetch.NewCache(db, at.time)
		for range 2 {
			web.take()
			if _, err := run(t, web, cache, at).Fetch(t.Context(), url); err != nil {
				t.Fatal(err)
			}
		}
		if asked := pagesAsked(web); !slices.Equal(asked, want) {
			t.Errorf("%s: asked %q, want %q", value, asked, want)
		}
		var kept int
		if err := db.QueryRow(`SELECT COUNT(*) FROM fetched WHERE url = $1`, url).Scan(&kept); err != nil || (kept == 0) != strings.Contains(strings.ToLower(value), "no-store") != strings.Contains(value, "me") {
			t.Errorf("%s: %d rows: %v", value, kept, err)
		}
	}
}

func TestCachedRedirect(t *testing.T) {
	web := newWeb(map[string]page{"https://a.example/old": to(301, "/x"), "https://a.example/x": text("X")})
	at := newClock()
	cache := fetch.NewCache(openStore(t), at.time)
	for range 2 {
		if d, err := run(t, web, cache, at).Fetch(t.Context(), "https://a.example/old"); err != nil || d.URL != "https://a.example/x" {
			t.Fatalf("%v, %v", d, err)
		}
	}
	if asked := pagesAsked(web); len(asked) != 2 {
		t.Errorf("asked %q", asked)
	}
}

// TestCacheSharesBlobs: a body that a run keeps is stored once, and outlives the cache's entry; one that nobody keeps goes.
func TestCacheSharesBlobs(t *testing.T) {
	web := newWeb(map[string]page{"https://a.example/x": text("X"), "https://a.example/y": text("Y"), "https://b.example/y": text("Y")})
	at, db := newClock(), openStore(t)
	cache := fetch.NewCache(db, at.time)
	read := func(url string) *fetch.Document {
		t.Helper()
		d, err := run(t, web, cache, at).Fetch(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	x, y := read("https://a.example/x"), read("https://a.example/y")
	read("https://b.example/y") // the same bytes
	shaX, err := db.PutBlob(t.Context(), x.Body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`INSERT INTO run (id, user_name, question, state, model, prompt_version, config, created, updated) VALUES ('r', '', '', 'done', '', '', '{}', 0, 0)`); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`INSERT INTO run_blob (run, sha256) VALUES ('r', $1)`, shaX); err != nil {
		t.Fatal(err)
	}
	blobs := func() (n int) {
		t.Helper()
		if err := db.QueryRow(`SELECT COUNT(*) FROM blob WHERE size > 0`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := blobs(); n != 2 {
		t.Errorf("%d blobs, want 2", n)
	}
	at.now = at.now.Add(time.Hour)
	web.set("https://a.example/x", text("X2"))
	web.set("https://a.example/y", text("Y2"))
	read("https://a.example/x")
	read("https://a.example/y")
	if _, err := db.Blob(t.Context(), shaX); err != nil {
		t.Errorf("the body that a run keeps went with the cache's entry: %v", err)
	}
	if _, err := db.Blob(t.Context(), store.Hash(y.Body)); err != nil {
		t.Errorf("a body that another entry holds went: %v", err)
	}
	web.set("https://b.example/y", text("Y2"))
	read("https://b.example/y")
	if _, err := db.Blob(t.Context(), store.Hash(y.Body)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a body that nobody holds is still there: %v", err)
	}
	if n := blobs(); n != 3 {
		t.Errorf("%d blobs, want 3", n)
	}
	if _, err := db.Exec(`DELETE FROM blob`); err != nil { // somebody cleaned up
		t.Fatal(err)
	}
	read("https://a.example/x")
}

func TestCacheIsBounded(t *testing.T) {
	at, db := newClock(), openStore(t)
	cache := fetch.NewCache(db, at.time)
	fetch.SetCacheSize(cache, 100_000)
	web := newWeb(map[string]page{})
	l := run(t, web, cache, at)
	for i := range 200 {
		url := "https://a.example/" + strings.Repeat("x", i+1)
		web.set(url, page{body: "<p>" + strings.Repeat("barley ", 700) + url})
		if i == 100 {
			at.now = at.now.Add(8 * 24 * time.Hour) // what is there is too old now
			l = run(t, web, cache, at)
		}
		at.now = at.now.Add(time.Second)
		if _, err := l.Fetch(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	}
	var size, oldest, entries, blobs sql.NullInt64
	err := db.QueryRow(`SELECT SUM(size), MIN(fetched), COUNT(*) FROM fetched`).Scan(&size, &oldest, &entries)
	if err == nil {
		err = db.QueryRow(`SELECT COUNT(*) FROM blob`).Scan(&blobs)
	}
	if err != nil || size.Int64 > 100_000+64*5100 || entries.Int64 < 10 || oldest.Int64 < at.now.Add(-time.Hour).UnixMilli() || blobs.Int64 > entries.Int64 {
		t.Errorf("%d bytes in %d entries and %d blobs, the oldest of %v: %v", size.Int64, entries.Int64, blobs.Int64, time.UnixMilli(oldest.Int64), err)
	}
	if _, err := l.Fetch(t.Context(), "https://a.example/"+strings.Repeat("x", 200)); err != nil {
		t.Error(err)
	}
}

func TestBrokenCacheIsNoObstacle(t *testing.T) {
	db := openStore(t)
	cache := fetch.NewCache(db, nil)
	db.Close()
	web := newWeb(map[string]page{"https://a.example/x": text("X")})
	if _, err := live(t, web, func(c *fetch.LiveConfig) { c.Cache = cache }).Fetch(t.Context(), "https://a.example/x"); err != nil {
		t.Error(err)
	}
}
