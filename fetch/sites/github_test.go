package sites_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/extract"
	"ibid/fetch"
	"ibid/fetch/sites"
	"ibid/internal/testset"
)

const sha = "0123456789abcdef0123456789abcdef01234567"

// An entry of an archive: a file, unless its type says otherwise.
type entry struct {
	name, body string
	kind       byte
}

// tarball packs entries as GitHub does: in a folder of its own, behind a global header that holds the commit.
func tarball(t *testing.T, entries ...entry) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	head := []*tar.Header{{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": sha}},
		{Typeflag: tar.TypeDir, Name: "acme-meter-0123456/", Mode: 0o775}}
	for _, h := range head {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range entries {
		h := &tar.Header{Name: "acme-meter-0123456/" + e.name, Typeflag: tar.TypeReg, Mode: 0o664, Size: int64(len(e.body)), ModTime: clock}
		if strings.HasPrefix(e.name, "!") { // a name that does not lie in the folder
			h.Name = e.name[1:]
		}
		if e.kind != 0 {
			h.Typeflag, h.Size, h.Linkname = e.kind, 0, e.body
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			io.WriteString(w, e.body)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// hub is GitHub with one repository, acme/meter, with branches main and feature/fast, and a private one.
func hub(t *testing.T, token string, entries ...entry) *city {
	api := func(h http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Authorization"); got != strings.TrimSuffix("Bearer "+token, "Bearer ") {
				t.Errorf("%s: authorization %q", r.URL, got)
			}
			h(w, r)
		}
	}
	bare := func(h http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" {
				t.Errorf("the token was sent to %s", r.Host)
			}
			h(w, r)
		}
	}
	commit := func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("Accept") {
		case "application/vnd.github.sha":
			says("application/vnd.github.sha; charset=utf-8", sha)(w, r)
		case "application/vnd.github.patch":
			says("application/vnd.github.patch; charset=utf-8", "From "+sha+" Mon Sep 17 00:00:00 2001\nFrom: A <a@a.example>\nSubject: [PATCH] count steps\n\n---\n meter.go | 2 +-\n")(w, r)
		default:
			t.Errorf("commit asked as %q", r.Header.Get("Accept"))
		}
	}
	files := map[string]string{}
	for _, e := range entries {
		files[e.name] = e.body
	}
	const home = "api.github.com/repos/acme/meter/"
	return newCity(t, map[string]http.HandlerFunc{
		home + "commits/HEAD": api(commit), home + "commits/main": api(commit), home + "commits/feature/fast": api(commit), home + "commits/0123456": api(commit),
		home + "tarball/" + sha:                         api(redirect("https://codeload.github.com/acme/meter/legacy.tar.gz/" + sha + "?token=TEMPORARY")),
		"codeload.github.com":                           bare(says("application/x-gzip", tarball(t, entries...))),
		"api.github.com/repos/old/meter/commits/HEAD":   api(redirect("https://api.github.com/repositories/7/commits/HEAD")),
		"api.github.com/repositories/7/commits/HEAD":    api(commit),
		"api.github.com/repos/old/meter/tarball/" + sha: api(redirect("https://evil.example/x.tar.gz")),
		"raw.githubusercontent.com": bare(func(w http.ResponseWriter, r *http.Request) {
			body, ok := files[strings.TrimPrefix(r.URL.Path, "/acme/meter/"+sha+"/")]
			if !ok {
				status(404, "text/plain", "404: Not Found")(w, r)
				return
			}
			says("text/plain; charset=utf-8", body)(w, r)
		}),
		"api.github.com": api(func(w http.ResponseWriter, r *http.Request) {
			p := r.URL.Path
			switch body, ok := files[strings.TrimPrefix(p, "/repos/acme/meter/contents/")]; {
			case ok && r.URL.Query().Get("ref") == sha:
				says("application/vnd.github.raw+json; charset=utf-8", body)(w, r)
			case strings.HasSuffix(p, "/contents/src"):
				says("application/json; charset=utf-8", `[{"type":"file"}]`)(w, r)
			case strings.HasPrefix(p, "/repos/acme/meter/commits/"):
				status(422, "application/json", `{"message":"No commit found for SHA: `+path.Base(p)+`"}`)(w, r)
			default:
				status(404, "application/json", `{"message":"Not Found"}`, "X-RateLimit-Remaining", "40")(w, r)
			}
		}),
	})
}

var repository = []entry{{name: "README.md", body: "# Meter\n\nCounts steps.\n"}, {name: "src/meter.go", body: "package meter\n"}, {name: "src/deep/x.py", body: "x = 1\n"}, {name: "srcs/y.go", body: "package y\n"}}

// names lists a tar's files.
func names(t *testing.T, body []byte) []string {
	t.Helper()
	list := []string{}
	for r := tar.NewReader(bytes.NewReader(body)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, h.Name)
	}
}

func TestGitHubRepository(t *testing.T) {
	const home, at = "https://github.com/acme/meter", "https://github.com/acme/meter/tree/" + sha
	all := []string{"README.md", "src/meter.go", "src/deep/x.py", "srcs/y.go"}
	c := hub(t, "ghp_secret", repository...)
	s := over(c, sites.Config{GitHubToken: "ghp_secret"})
	for raw, want := range map[string]struct {
		url   string
		files []string
	}{
		home: {at, all}, home + "/": {at, all}, home + ".git": {at, all}, "http://www.github.com/acme/meter?tab=readme-ov-file#x": {at, all},
		home + "/tree/main": {at, all}, home + "/tree/refs/heads/main": {at, all}, home + "/tree/feature/fast": {at, all}, at: {at, all},
		home + "/tree/main/src":              {at + "/src", []string{"src/meter.go", "src/deep/x.py"}},
		home + "/tree/feature/fast/src/deep": {at + "/src/deep", []string{"src/deep/x.py"}},
	} {
		doc := reads(t, s, raw, want.url)
		if diff := cmp.Diff(want.files, names(t, doc.Body)); diff != "" || doc.ContentType != "application/x-tar" {
			t.Errorf("%s (%s): files -want +got\n%s", raw, doc.ContentType, diff)
		}
	}
	doc := reads(t, s, home, at)
	page, err := extract.Extract(t.Context(), extract.Input{URL: doc.URL, ContentType: doc.ContentType, Body: doc.Body})
	if err != nil || page.Title != "Meter" || len(page.Blocks) != 4 || page.Blocks[0].Locator.String() != "README.md:L1-L3" {
		t.Errorf("it reads as %+v, %v", page, err)
	}
	c = hub(t, "", repository...)
	s = over(c, sites.Config{})
	reads(t, s, home, at)
	if diff := cmp.Diff([]string{"api.github.com/repos/acme/meter/commits/HEAD", "api.github.com/repos/acme/meter/tarball/" + sha}, c.requests("api.github.com")); diff != "" {
		t.Errorf("requests -want +got\n%s", diff)
	}
	wants(t, s, home+"/tree/nowhere", fetch.NotFound, "no branch", "root")
	wants(t, s, home+"/tree/main/none", fetch.NotFound, "no folder")
	wants(t, s, "https://github.com/acme/hidden", fetch.NotFound, "private", "token")
	wants(t, s, "https://github.com/old/meter", fetch.Failed, "another site")
	if n := c.requests("evil.example"); len(n) > 0 {
		t.Errorf("a redirect was followed to %v", n)
	}
}

func TestGitHubFiles(t *testing.T) {
	const home, at = "https://github.com/acme/meter", "https://github.com/acme/meter/blob/" + sha
	for _, token := range []string{"", "ghp_secret"} {
		s := over(hub(t, token, repository...), sites.Config{GitHubToken: token})
		for raw, want := range map[string]string{
			home + "/blob/main/src/meter.go": "src/meter.go", home + "/blob/main/src/meter.go#L1-L2": "src/meter.go", home + "/raw/main/README.md": "README.md",
			home + "/blob/feature/fast/src/deep/x.py": "src/deep/x.py", "https://raw.githubusercontent.com/acme/meter/main/README.md": "README.md",
			"https://raw.githubusercontent.com/acme/meter/refs/heads/main/README.md": "README.md", at + "/srcs/y.go": "srcs/y.go",
		} {
			doc := reads(t, s, raw, at+"/"+want)
			for _, e := range repository {
				if e.name == want && string(doc.Body) != e.body {
					t.Errorf("%s: %q", raw, doc.Body)
				}
			}
		}
		wants(t, s, home+"/blob/main/none.go", fetch.NotFound)
	}
	wants(t, over(hub(t, "t", repository...), sites.Config{GitHubToken: "t"}), home+"/blob/main/src", fetch.NotFound, "folder")
	doc := reads(t, over(hub(t, ""), sites.Config{}), home+"/commit/0123456", home+"/commit/"+sha)
	if !strings.Contains(string(doc.Body), "count steps") {
		t.Errorf("the commit reads %q", doc.Body)
	}
	wants(t, over(hub(t, ""), sites.Config{}), home+"/commit/ffffffff", fetch.NotFound, "no such commit")
}

// What GitHub shows besides files goes to the web, and so does what only looks like GitHub.
func TestGitHubElsewhere(t *testing.T) {
	for _, raw := range []string{"https://github.com/acme", "https://github.com/acme/meter/issues/7", "https://github.com/acme/meter/pull/7/files", "https://github.com/acme/meter/wiki",
		"https://github.com/acme/meter/releases", "https://github.com/acme/meter/commits/main", "https://gist.github.com/acme/0123456789abcdef", "https://github.com/topics/go",
		"https://github.com/orgs/acme", "https://github.com.evil.example/acme/meter", "https://notgithub.com/acme/meter", "https://github.com:8443/acme/meter",
		"https://evil.example/github.com/acme/meter", "https://github.com/acme/meter/tree/main/%2e%2e%2fx", "https://api.github.com/repos/acme/meter"} {
		c := newCity(t, nil)
		c.pages = map[string]http.HandlerFunc{"": nil}
		seen := ""
		s := sites.New(sites.Config{Client: c, Web: webFunc(func(_ context.Context, url string) (*fetch.Document, error) {
			seen = url
			return &fetch.Document{URL: url, Body: []byte("x"), Fetched: clock}, nil
		}), Now: func() time.Time { return clock }})
		if _, err := s.Fetch(t.Context(), raw); err != nil || seen != raw || len(c.requests("")) > 0 {
			t.Errorf("%s: %v; the web was asked for %q, others for %v", raw, err, seen, c.requests(""))
		}
	}
}

type webFunc func(context.Context, string) (*fetch.Document, error)

func (f webFunc) Fetch(ctx context.Context, url string) (*fetch.Document, error) { return f(ctx, url) }

func TestGitHubHostileArchives(t *testing.T) {
	big := strings.Repeat("a line of a long file\n", 60_000)
	tree := func(entries ...entry) *sites.Sites { return over(hub(t, "", entries...), sites.Config{}) }
	const home, at = "https://github.com/acme/meter", "https://github.com/acme/meter/tree/" + sha
	for name, c := range map[string]struct {
		entries []entry
		files   []string
		flags   []string
	}{
		"outside":   {[]entry{{name: "ok.txt", body: "x"}, {name: "../../evil.txt", body: "x"}, {name: "!/etc/passwd", body: "x"}, {name: "a/../../b.txt", body: "x"}, {name: `a\b.txt`, body: "x"}, {name: "C:/x.txt", body: "x"}, {name: "!top.txt", body: "x"}}, []string{"ok.txt"}, []string{sites.FlagRefused}},
		"links":     {[]entry{{name: "ok.txt", body: "x"}, {name: "dir", body: "/etc", kind: tar.TypeSymlink}, {name: "dir/passwd", body: "x"}, {name: "hard", body: "ok.txt", kind: tar.TypeLink}, {name: "dev", kind: tar.TypeChar}, {name: "pipe", kind: tar.TypeFifo}}, []string{"ok.txt"}, []string{sites.FlagRefused}},
		"twice":     {[]entry{{name: "a.txt", body: "x"}, {name: "a.txt", body: "y"}}, []string{"a.txt"}, nil},
		"no text":   {[]entry{{name: "a.txt", body: "x"}, {name: "logo.png", body: "\x89PNG\r\n\x1a\n\x00\x00"}, {name: "big.txt", body: big}}, []string{"a.txt"}, []string{sites.FlagSkipped}},
		"UTF-16":    {[]entry{{name: "w.txt", body: "\xff\xfeh\x00i\x00"}}, []string{"w.txt"}, nil},
		"odd names": {[]entry{{name: "a b/ü.txt", body: "x"}, {name: "n\nl.txt", body: "x"}}, []string{"a b/ü.txt"}, []string{sites.FlagRefused}},
	} {
		t.Run(name, func(t *testing.T) {
			doc := reads(t, tree(c.entries...), home, at, c.flags...)
			if diff := cmp.Diff(c.files, names(t, doc.Body)); diff != "" {
				t.Errorf("files -want +got\n%s", diff)
			}
		})
	}
	wants(t, tree(entry{name: "x.png", body: "\x00\x00"}), home, fetch.Empty, "no text")
	wants(t, tree(), home, fetch.Empty, "no text")
	wants(t, tree(entry{name: "zeros", body: string(make([]byte, 8<<20))}, entry{name: "a.txt", body: "x"}), home, fetch.Refused, "unpacks")
	cut := hub(t, "", repository...)
	whole := tarball(t, append([]entry{{name: "a.txt", body: strings.Repeat("x", 1000)}}, repository...)...)
	cut.pages["codeload.github.com"] = says("application/x-gzip", whole[:len(whole)-30])
	doc := reads(t, over(cut, sites.Config{}), home, at, sites.FlagTruncated)
	if got := names(t, doc.Body); len(got) == 0 || got[0] != "a.txt" {
		t.Errorf("of a damaged archive %q is left", got)
	}
	cut.pages["codeload.github.com"] = says("text/html", "<html>Whoa there!</html>")
	wants(t, over(cut, sites.Config{}), home, fetch.Failed, "damaged")
	cut.pages["codeload.github.com"] = status(503, "text/html", "x")
	e := wants(t, over(cut, sites.Config{}), home, fetch.RateLimited, "503")
	if strings.Contains(e.Error(), "TEMPORARY") {
		t.Errorf("the archive's key is in the error: %v", e)
	}
}

func TestGitHubRefusals(t *testing.T) {
	const home = "https://github.com/acme/meter"
	in := func(seconds int64) string { return fmt.Sprint(clock.Unix() + seconds) }
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		outcome fetch.Outcome
		wait    time.Duration
		say     string
	}{
		"spent":              {status(403, "application/json", `{"message":"API rate limit exceeded for 192.0.2.7."}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(600)), fetch.RateLimited, 10 * time.Minute, "token"},
		"spent, as 429":      {status(429, "application/json", `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(5)), fetch.RateLimited, 5 * time.Second, ""},
		"burst":              {status(403, "application/json", `{"message":"You have exceeded a secondary rate limit."}`, "Retry-After", "60", "X-RateLimit-Remaining", "58"), fetch.RateLimited, time.Minute, ""},
		"burst without time": {status(403, "application/json", `{"message":"You have exceeded a secondary rate limit."}`, "X-RateLimit-Remaining", "58", "X-RateLimit-Reset", in(900)), fetch.RateLimited, time.Minute, ""},
		"reset in the past":  {status(403, "application/json", `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(-9)), fetch.RateLimited, time.Minute, ""},
		"reset is nonsense":  {status(403, "application/json", `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "9999999999999"), fetch.RateLimited, 24 * time.Hour, ""},
		"too large a file":   {status(403, "application/json", `{"message":"This API returns blobs up to 100 MB in size. The requested blob is too large to fetch via the API."}`), fetch.TooLarge, 0, "blobs"},
		"until for ever":     {status(429, "application/json", `{}`, "Retry-After", "99999999999999999999"), fetch.RateLimited, 24 * time.Hour, ""},
		"closed":             {status(403, "application/json", `{"message":"Repository access blocked"}`, "X-RateLimit-Remaining", "41"), fetch.Blocked, 0, "blocked"},
		"taken down":         {status(451, "application/json", `{"message":"Repository unavailable due to DMCA takedown."}`), fetch.Blocked, 0, "DMCA"},
		"bad token":          {status(401, "application/json", `{"message":"Bad credentials"}`), fetch.Blocked, 0, "token"},
		"private or none":    {status(404, "application/json", `{"message":"Not Found"}`, "X-RateLimit-Remaining", "0"), fetch.NotFound, 0, "private"},
		"empty repository":   {status(409, "application/json", `{"message":"Git Repository is empty."}`), fetch.Empty, 0, "empty"},
		"server error":       {status(502, "text/html", "<html>"), fetch.Failed, 0, "502"},
		"overloaded":         {status(503, "text/html", "<html>", "Retry-After", "9"), fetch.RateLimited, 9 * time.Second, "503"},
		"not ready":          {status(202, "application/json", `{}`), fetch.RateLimited, 0, "202"},
		"a proxy":            {status(407, "text/html", "<html>"), fetch.Blocked, 0, "407"},
		"no hash":            {says("application/json", `{"sha":"main"}`), fetch.Failed, 0, "hash"},
		"a full commit":      {says("application/json", `{"sha":"`+sha+`","commit":{}}`), "", 0, ""},
		"in a circle":        {redirect("https://api.github.com/repos/acme/meter/commits/HEAD"), fetch.Failed, 0, "circle"},
	} {
		t.Run(name, func(t *testing.T) {
			city := hub(t, "", repository...)
			city.pages["api.github.com/repos/acme/meter/commits/HEAD"] = c.answer
			s := over(city, sites.Config{})
			if c.outcome == "" {
				reads(t, s, home, home+"/tree/"+sha)
				return
			}
			if e := wants(t, s, home, c.outcome, c.say); e.RetryAfter != c.wait {
				t.Errorf("retry after %v, want %v", e.RetryAfter, c.wait)
			}
		})
	}
}

// The bank's refusals, as answers to the first question about a repository.
func TestGitHubCase091(t *testing.T) {
	var c struct {
		Input struct {
			Exchanges []string `json:"exchanges"`
			Now       int64    `json:"now"`
		} `json:"input"`
		Expect struct {
			Outcomes []string `json:"outcomes"`
			Wait     []*int64 `json:"retry_after_s"`
		} `json:"expect"`
	}
	read := func(name string, v any) {
		body, err := os.ReadFile(testset.Path(t, "cases", "091-rate-limit-as-403", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(body, v); err != nil {
			t.Fatal(err)
		}
	}
	read("case.json", &c)
	if clock.Unix() != c.Input.Now || len(c.Input.Exchanges) == 0 {
		t.Fatalf("the case is of %d", c.Input.Now)
	}
	for i, name := range c.Input.Exchanges {
		var x struct {
			Status  int               `json:"status"`
			Headers map[string]string `json:"headers"`
			Body    json.RawMessage   `json:"body"`
		}
		read(name, &x)
		header := []string{}
		for k, v := range x.Headers {
			header = append(header, k, v)
		}
		city := hub(t, "")
		city.pages["api.github.com/repos/acme/meter/commits/HEAD"] = status(x.Status, "application/json", string(x.Body), header...)
		want := map[string]fetch.Outcome{"rate_limited": fetch.RateLimited, "not_found": fetch.NotFound, "forbidden": fetch.Blocked}[c.Expect.Outcomes[i]]
		e := wants(t, over(city, sites.Config{}), "https://github.com/acme/meter", want)
		if wait := c.Expect.Wait[i]; wait == nil && e.RetryAfter != 0 || wait != nil && e.RetryAfter != time.Duration(*wait)*time.Second {
			t.Errorf("%s: retry after %v", name, e.RetryAfter)
		}
	}
}
