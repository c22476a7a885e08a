package sites

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"ibid/fetch"
)

// Whatever the player says, captions are asked of YouTube and of nobody else.
func FuzzPlayer(f *testing.F) {
	f.Add([]byte(`{"playabilityStatus":{"status":"OK"},"captions":{"playerCaptionsTracklistRenderer":{"captionTracks":[{"baseUrl":"https://www.youtube.com/api/timedtext?v=x&lang=en","name":{"simpleText":"English"},"languageCode":"en","kind":"asr"},{"baseUrl":"/api/timedtext?lang=de","languageCode":"de"}]}},"videoDetails":{"videoId":"AbCdEfGhI_1"}}`), "en")
	f.Add([]byte(`{"playabilityStatus":{"status":"LOGIN_REQUIRED","reason":"This video may be inappropriate for some users.","desktopLegacyAgeGateReason":1,"errorScreen":{"playerErrorMessageRenderer":{"reason":{"runs":[{"text":"x"}]}}}}}`), "")
	f.Add([]byte(`{"playabilityStatus":{"status":"OK"},"captions":{"playerCaptionsTracklistRenderer":{"captionTracks":[{"baseUrl":"//evil.example/x"},{"baseUrl":"https://www.youtube.com@evil.example/"},{"baseUrl":"https://www.youtube.com:99999/"}]}}}`), "de")
	f.Fuzz(func(t *testing.T, body []byte, language string) {
		tracks, _, e := parsePlayer(body, "AbCdEfGhI_1")
		if (e == nil) != (len(tracks) > 0) || e != nil && (e.Reason == "" || e.Hint == "" || e.Outcome == "" || len(e.Reason) > 500) {
			t.Fatalf("%v, %+v", tracks, e)
		}
		if e != nil {
			return
		}
		best, _ := choose(tracks, []string{language})
		if at := captionsURL("https://www.youtube.com", best.URL); at != "" {
			u, err := url.Parse(at)
			if err != nil || u.Scheme != "https" || u.Host != "www.youtube.com" || u.User != nil || u.Query().Get("fmt") != "json3" {
				t.Fatalf("%q asks %q", best.URL, at)
			}
		}
	})
}

func FuzzWatchPage(f *testing.F) {
	f.Add([]byte(`<script>ytcfg.set({"INNERTUBE_API_KEY": "AIzaSyTestKey_0123456789-abc"});</script>`), "https://www.youtube.com/watch?v=AbCdEfGhI_1")
	f.Add([]byte(`<form action="https://consent.youtube.com/s" method="POST"><input type="hidden" name="v" value="cb.20210328-17-p0.de+FX+119">`), "https://consent.youtube.com/m?continue=x")
	safe := regexp.MustCompile(`^SOCS=CAI(; CONSENT=YES\+[a-zA-Z0-9_.+-]+)?$`)
	f.Fuzz(func(t *testing.T, body []byte, at string) {
		if cookie := consentCookie(&fetch.Response{URL: at, Body: body}); cookie != "" && !safe.MatchString(cookie) {
			t.Fatalf("cookie %q", cookie)
		}
		if m := apiKey.FindSubmatch(body); m != nil && url.QueryEscape(string(m[1])) != string(m[1]) {
			t.Fatalf("key %q", m[1])
		}
		fetch.IsHTML(&fetch.Response{Body: body, Header: http.Header{}})
	})
}

func FuzzVideoID(f *testing.F) {
	for _, s := range []string{"https://www.youtube.com/watch?v=AbCdEfGhI_1&t=30s", "https://youtu.be/AbCdEfGhI_1?si=x", "https://m.youtube.com/shorts/AbCdEfGhI_1/",
		"https://www.youtube.com/attribution_link?u=%2Fwatch%3Fv%3DAbCdEfGhI_1", "https://www.youtube.com/embed/videoseries", "https://notyoutube.com/watch?v=AbCdEfGhI_1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		id, ok := VideoID(raw)
		if !ok {
			return
		}
		canonical, err := fetch.CanonicalURL(raw)
		if err != nil {
			t.Fatalf("%q has no canonical form and the id %q", raw, id)
		}
		u, err := url.Parse(canonical)
		if err != nil || len(id) != idLength || !videoHosts[u.Host] && u.Host != "youtu.be" && u.Host != "www.youtu.be" {
			t.Fatalf("%q: %q", raw, id)
		}
		if again, _ := VideoID("https://www.youtube.com/watch?v=" + id); again != id {
			t.Fatalf("%q: %q is no id by itself", raw, id)
		}
	})
}

func FuzzJSON3(f *testing.F) {
	f.Add([]byte(`{"wireMagic":"pb3","pens":[{}],"events":[{"tStartMs":80,"dDurationMs":4000,"segs":[{"utf8":"hello","tOffsetMs":1}]}]}`))
	f.Add([]byte(`{"events":null}`))
	f.Add([]byte(`{"pens":"` + strings.Repeat("x", 4100) + `","events":[{"tStartMs":1,"segs":[{"utf8":"x"}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := json3(bytes.Clone(body))
		if err == nil && (!json.Valid(got) || !bytes.Contains(got, []byte(`"events"`)) && !bytes.Contains(bytes.ToLower(got), []byte(`events`))) {
			t.Fatalf("%q became %q", body, got)
		}
	})
}

// Whatever an archive holds, what is kept are files inside, below the limits.
func FuzzRepack(f *testing.F) {
	pack := func(entries ...tar.Header) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, h := range entries {
			h.Size = 2
			if h.Typeflag != tar.TypeReg {
				h.Size = 0
			}
			if w.WriteHeader(&h) == nil && h.Size > 0 {
				io.WriteString(w, "x\n")
			}
		}
		w.Close()
		return b.Bytes()
	}
	f.Add(pack(tar.Header{Name: "top/a.go", Typeflag: tar.TypeReg}, tar.Header{Name: "top/b/c.go", Typeflag: tar.TypeReg}), "")
	f.Add(pack(tar.Header{Name: "top/l", Linkname: "/etc", Typeflag: tar.TypeSymlink}, tar.Header{Name: "top/l/x", Typeflag: tar.TypeReg}, tar.Header{Name: "top/../../x", Typeflag: tar.TypeReg}), "l")
	f.Add(pack(tar.Header{Name: "/etc/passwd", Typeflag: tar.TypeReg}, tar.Header{Name: `top/a\b`, Typeflag: tar.TypeReg}), "b")
	f.Fuzz(func(t *testing.T, archive []byte, within string) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(archive)
		z.Close()
		body, _, err := repack(t.Context(), b.Bytes(), within)
		if err != nil {
			if e := new(fetch.Unavailable); !errors.As(err, &e) || body != nil {
				t.Fatalf("%d bytes, %v", len(body), err)
			}
			return
		}
		if len(body) > fetch.MaxFile {
			t.Fatalf("%d bytes", len(body))
		}
		for r := tar.NewReader(bytes.NewReader(body)); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil || h.Typeflag != tar.TypeReg || !fs.ValidPath(h.Name) || strings.ContainsAny(h.Name, "\\:") ||
				within != "" && h.Name != within && !strings.HasPrefix(h.Name, within+"/") {
				t.Fatalf("%+v, %v", h, err)
			}
		}
	})
}

// Whatever a URL is, only a specialist's own hosts lead to it.
func FuzzSpecialist(f *testing.F) {
	for _, s := range []string{"https://github.com/acme/meter/tree/main/src", "https://raw.githubusercontent.com/a/b/refs/heads/x/y.go", "https://arxiv.org/pdf/hep-th/9901001v1.pdf",
		"https://de.m.wikipedia.org/wiki/W%C3%A4rme?oldid=7", "https://doi.org/10.1000/182", "https://web.archive.org/web/20200119032503id_/https://a.example/?q=1", "https://github.com.evil.example/a/b"} {
		f.Add(s)
	}
	s := New(Config{})
	hosts := regexp.MustCompile(`^((www\.)?(github|arxiv)\.(com|org)|export\.arxiv\.org|raw\.githubusercontent\.com|[a-z-]+(\.m)?\.wikipedia\.org|((dx|www)\.)?doi\.org|web\.archive\.org|(www\.)?youtu\.be|([a-z]+\.)?youtube(-nocookie|kids)?\.com|youtube\.googleapis\.com)$`)
	f.Fuzz(func(t *testing.T, raw string) {
		canonical, err := fetch.CanonicalURL(raw)
		if err != nil {
			return
		}
		u, err := url.Parse(canonical)
		if err != nil {
			return
		}
		if read := s.specialist(u); read != nil && !hosts.MatchString(u.Host) {
			t.Fatalf("%q of the host %q has a specialist", raw, u.Host)
		}
		if p, ok := githubPage(u); ok && strings.Contains(escape(append([]string{p.owner, p.repo}, p.rest...)...)+"/", "/../") {
			t.Fatalf("%q leads up: %+v", raw, p)
		}
	})
}
