package fetch_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid/fetch"
	"ibid/fetch/robots"
)

func rules(body string) page {
	return page{header: http.Header{"Content-Type": {"text/plain"}}, body: body}
}

func TestRobots(t *testing.T) {
	down := &fetch.Unavailable{URL: "x", Outcome: fetch.Failed, Reason: "no route to it", Hint: "Try later."}
	for name, c := range map[string]struct {
		robots map[string]page
		want   fetch.Outcome // of https://a.example/x/1; "" means that it is read
		says   string
	}{
		"none":             {nil, "", ""},
		"allowed":          {map[string]page{"https://a.example/robots.txt": rules("User-agent: *\nDisallow: /y")}, "", ""},
		"forbidden":        {map[string]page{"https://a.example/robots.txt": rules("User-agent: *\nDisallow: /x/")}, fetch.Blocked, `"Disallow: /x/"`},
		"query":            {map[string]page{"https://a.example/robots.txt": rules("User-agent: *\nDisallow: /*?q=")}, "", ""},
		"our own group":    {map[string]page{"https://a.example/robots.txt": rules("User-agent: *\nDisallow: /\nUser-agent: Ibid\nDisallow: /y")}, "", ""},
		"against us":       {map[string]page{"https://a.example/robots.txt": rules("User-agent: IBID\nDisallow: /")}, fetch.Blocked, "Disallow: /"},
		"not here":         {map[string]page{"https://a.example/robots.txt": {status: 403}}, "", ""},
		"a page":           {map[string]page{"https://a.example/robots.txt": text("Disallow: /")}, "", ""},
		"a bot check":      {map[string]page{"https://a.example/robots.txt": {header: http.Header{"Content-Type": {"text/html"}}, body: "<!doctype html><title>Just a moment...</title><script>window._cf_chl_opt={}</script>"}}, fetch.Blocked, "bot check"},
		"server error":     {map[string]page{"https://a.example/robots.txt": {status: 502}}, fetch.Blocked, "502"},
		"overloaded":       {map[string]page{"https://a.example/robots.txt": {status: 429, header: http.Header{"Retry-After": {"60"}}}}, fetch.RateLimited, "429"},
		"unreachable":      {map[string]page{"https://a.example/robots.txt": {err: down}}, fetch.Blocked, "no route to it"},
		"our policy":       {map[string]page{"https://a.example/robots.txt": {err: &fetch.Unavailable{Outcome: fetch.Refused, Reason: "private address", Hint: "No."}}}, fetch.Refused, "private address"},
		"elsewhere":        {map[string]page{"https://a.example/robots.txt": to(301, "https://b.example/r.txt"), "https://b.example/r.txt": rules("User-agent: *\nDisallow: /x")}, fetch.Blocked, "Disallow: /x"},
		"circle":           {map[string]page{"https://a.example/robots.txt": to(301, "/robots.txt")}, "", ""},
		"signal":           {map[string]page{"https://a.example/robots.txt": rules("User-agent: *\nContent-Signal: search=yes, ai-input=no\nAllow: /")}, fetch.Blocked, "ai-input=no"},
		"signal elsewhere": {map[string]page{"https://a.example/robots.txt": rules("User-agent: *\nContent-Signal: /y/ ai-input=no\nAllow: /")}, "", ""},
		"training":         {map[string]page{"https://a.example/robots.txt": rules("User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: train-ai=n\nAllow: /")}, "", ""},
		"usage":            {map[string]page{"https://a.example/robots.txt": rules("User-agent: *\nContent-Usage: ai-use=n\nAllow: /")}, fetch.Blocked, "ai-use=no"},
	} {
		t.Run(name, func(t *testing.T) {
			web := newWeb(map[string]page{"https://a.example/x/1": text("X")})
			for url, p := range c.robots {
				web.set(url, p)
			}
			const url = "https://a.example/x/1"
			l := live(t, web, nil)
			d, err := l.Fetch(t.Context(), url)
			read := slices.Contains(web.take(), url)
			if c.want == "" {
				if err != nil || d == nil || len(d.Flags) != 0 {
					t.Fatalf("%v, %v", d, err)
				}
				return
			}
			e := wants(t, url, err, c.want)
			if read || !strings.Contains(e.Reason, c.says) {
				t.Errorf("read: %v; reason %q, want it to say %q", read, e.Reason, c.says)
			}
			if c.want == fetch.RateLimited && e.RetryAfter != time.Minute {
				t.Errorf("retry after %v", e.RetryAfter)
			}
			typed := live(t, web, func(c *fetch.LiveConfig) { c.Typed = func(u string) bool { return u == url } })
			d, err = typed.Fetch(t.Context(), url)
			if c.want != fetch.Blocked { // a limit and our own policy hold for everybody
				wants(t, url, err, c.want)
				return
			}
			if err != nil || !slices.Contains(d.Flags, fetch.FlagOverruled) {
				t.Errorf("a page that a person typed: %v, %v", d, err)
			}
			web.set("https://a.example/x/2", text("X2"))
			if _, err := typed.Fetch(t.Context(), "https://a.example/x/2"); err == nil {
				t.Error("another page of the host was read as if it had been typed")
			}
		})
	}
}

func TestRobotsTrustFiveRedirects(t *testing.T) {
	pages := map[string]page{"https://a.example/x": text("X"), "https://a.example/r5": rules("User-agent: *\nDisallow: /")}
	pages["https://a.example/robots.txt"] = to(301, "/r1")
	for i := 1; i < 5; i++ {
		pages[fmt.Sprintf("https://a.example/r%d", i)] = to(301, fmt.Sprintf("/r%d", i+1))
	}
	_, err := live(t, newWeb(pages), nil).Fetch(t.Context(), "https://a.example/x")
	wants(t, "https://a.example/x", err, fetch.Blocked)
}

func TestRobotsAreAskedForOnceADay(t *testing.T) {
	web := newWeb(map[string]page{"https://a.example/x": text("X"), "https://a.example/y": text("Y"), "https://a.example/robots.txt": rules("User-agent: *\nDisallow: /z")})
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	cache := fetch.NewCache(openStore(t), clock)
	asked := func(l *fetch.Live, url string) int {
		web.take()
		if _, err := l.Fetch(t.Context(), url); err != nil && !strings.HasSuffix(url, "/z") {
			t.Error(err)
		}
		n := 0
		for _, line := range web.take() {
			if strings.HasSuffix(line, "/robots.txt") {
				n++
			}
		}
		return n
	}
	with := func(c *fetch.LiveConfig) { c.Cache, c.Now = cache, clock }
	first := live(t, web, with)
	if n := asked(first, "https://a.example/x") + asked(first, "https://a.example/y") + asked(first, "https://a.example/z"); n != 1 {
		t.Errorf("asked %d times in a run", n)
	}
	now = now.Add(23 * time.Hour)
	if n := asked(live(t, web, with), "https://a.example/x"); n != 0 {
		t.Errorf("asked %d times by the next run", n)
	}
	now = now.Add(2 * time.Hour)
	if n := asked(first, "https://a.example/x"); n != 1 {
		t.Errorf("asked %d times after a day", n)
	}
	web.set("https://b.example/robots.txt", page{status: 500})
	if n := asked(first, "https://b.example/z") + asked(first, "https://b.example/z"); n != 1 {
		t.Errorf("rules that cannot be read were asked for %d times", n)
	}
	now = now.Add(6 * time.Minute)
	if n := asked(first, "https://b.example/z"); n != 1 {
		t.Error("rules that could not be read are not asked for again")
	}
}

// What is kept of a very long robots.txt means what the whole did: no half of a line is a rule.
func TestRobotsAreKeptShort(t *testing.T) {
	head, line := "User-agent: *\nDisallow: /y/\n#", "\nDisallow: /x/secret\n"
	long := head + strings.Repeat("-", robots.MaxFile-len(head)-len("\nDisallow: /x")) + line + strings.Repeat("Disallow: /\n", 1<<16)
	web := newWeb(map[string]page{"https://a.example/x/1": text("X"), "https://a.example/y/1": text("Y"), "https://a.example/robots.txt": rules(long)})
	db := openStore(t)
	for range 2 { // from the net, then from the cache
		l := live(t, web, func(c *fetch.LiveConfig) { c.Cache, c.Fresh = fetch.NewCache(db, nil), time.Nanosecond })
		if _, err := l.Fetch(t.Context(), "https://a.example/x/1"); err != nil {
			t.Error(err)
		}
		_, err := l.Fetch(t.Context(), "https://a.example/y/1")
		wants(t, "https://a.example/y/1", err, fetch.Blocked)
	}
	asked := slices.DeleteFunc(web.take(), func(s string) bool { return s != "https://a.example/robots.txt" })
	var size int
	if err := db.QueryRowContext(t.Context(), `SELECT size FROM fetched WHERE url = 'robots:https://a.example'`).Scan(&size); err != nil || size > robots.MaxFile+1 || len(asked) != 1 {
		t.Errorf("%d bytes are kept, asked %d times: %v", size, len(asked), err)
	}
}

func TestPageSignals(t *testing.T) {
	no := func(field, value string) page {
		p := text("X")
		p.header = http.Header{"Content-Type": {"text/html"}, field: {value}}
		return p
	}
	web := newWeb(map[string]page{"https://a.example/signal": no("Content-Signal", "search=yes, ai-input=no"), "https://a.example/usage": no("Content-Usage", "train-ai=y, ai-use=n"),
		"https://a.example/train": no("Content-Usage", "train-ai=n"), "https://a.example/yes": no("Content-Signal", "ai-input=yes")})
	cache := fetch.NewCache(openStore(t), nil)
	with := func(c *fetch.LiveConfig) { c.Cache = cache }
	for range 2 { // from the net, then from the cache
		for _, url := range []string{"https://a.example/signal", "https://a.example/usage"} {
			_, err := live(t, web, with).Fetch(t.Context(), url)
			wants(t, url, err, fetch.Blocked)
			typed := live(t, web, func(c *fetch.LiveConfig) { with(c); c.Typed = func(string) bool { return true } })
			if d, err := typed.Fetch(t.Context(), url); err != nil || !slices.Contains(d.Flags, fetch.FlagOverruled) {
				t.Errorf("%s, typed: %v, %v", url, d, err)
			}
			_, err = live(t, web, with).Fetch(t.Context(), url) // what was kept for who typed it is not for others
			wants(t, url, err, fetch.Blocked)
		}
		for _, url := range []string{"https://a.example/train", "https://a.example/yes"} {
			if d, err := live(t, web, with).Fetch(t.Context(), url); err != nil || d.Flags != nil {
				t.Errorf("%s: %v, %v", url, d, err)
			}
		}
	}
}

func TestFaultsAreNotOutcomes(t *testing.T) {
	fault := errors.New("a bug")
	for _, url := range []string{"https://a.example/robots.txt", "https://a.example/x"} {
		web := newWeb(map[string]page{url: {err: fault}})
		if _, err := live(t, web, nil).Fetch(t.Context(), "https://a.example/x"); !errors.Is(err, fault) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
