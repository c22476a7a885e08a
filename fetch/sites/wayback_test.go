package sites_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"ibid/fetch"
	"ibid/fetch/sites"
)

const (
	lost    = "https://a.example/old?page=2"
	closest = `{"url":"https://a.example/old?page=2","archived_snapshots":{"closest":{"status":"200","available":true,"url":"http://web.archive.org/web/20200119032503/https://a.example/old?page=2","timestamp":"20200119032503"}}}`
	nothing = `{"url":"a.example/old","archived_snapshots":{}}`
	copied  = "https://web.archive.org/web/20200119032503/https://a.example/old?page=2"
)

func TestWayback(t *testing.T) {
	replay := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "page=2" {
			t.Errorf("the archive was asked for %s", r.URL)
		}
		says("text/html", "<p>as it was")(w, r)
	}
	const available, cdx, at = "archive.org/wayback/available", "web.archive.org/cdx/search/cdx", "web.archive.org/web/20200119032503id_/https://a.example/old"
	for name, c := range map[string]struct {
		pages map[string]http.HandlerFunc
		want  string // "" for none
		say   string
	}{
		"a copy":         {map[string]http.HandlerFunc{available: says("application/json", closest), at: replay}, copied, ""},
		"in the index":   {map[string]http.HandlerFunc{available: says("application/json", nothing), at: replay, cdx: says("application/json", `[["timestamp","original","statuscode"],["20190101000000","https://a.example/old?page=2","200"],["20200119032503","https://a.example/old?page=2","200"],["20210101000000","https://a.example/old?page=2","404"],["20220101000000","https://a.example/old?page=2","-"]]`)}, copied, ""},
		"available down": {map[string]http.HandlerFunc{available: status(503, "text/html", "x"), at: replay, cdx: says("application/json", `[["timestamp","original","statuscode"],["20200119032503","https://a.example/old?page=2","200"]]`)}, copied, ""},
		"moved in time": {map[string]http.HandlerFunc{available: says("application/json", strings.ReplaceAll(closest, "20200119032503", "20210101000000")), at: replay,
			"web.archive.org/web/20210101000000id_/https://a.example/old": redirect("https://web.archive.org/web/20200119032503id_/https://a.example/old?page=2")}, copied, ""},
		"none":             {map[string]http.HandlerFunc{available: says("application/json", nothing), cdx: says("application/json", `[]`)}, "", "no copy"},
		"only failures":    {map[string]http.HandlerFunc{available: says("application/json", strings.Replace(closest, `"200"`, `"404"`, 1)), cdx: says("application/json", `[["timestamp","original","statuscode"],["20210101000000","https://a.example/old?page=2","404"]]`)}, "", "no copy"},
		"archive down":     {map[string]http.HandlerFunc{available: status(503, "text/html", "x"), cdx: status(503, "text/html", "x")}, "", "could not be asked"},
		"archive limits":   {map[string]http.HandlerFunc{available: status(429, "text/html", "x"), cdx: says("application/json", `[]`)}, "", "could not be asked"},
		"archive changed":  {map[string]http.HandlerFunc{available: says("text/html", "<html>"), cdx: says("text/html", "<html>")}, "", "could not be asked"},
		"copy not there":   {map[string]http.HandlerFunc{available: says("application/json", closest)}, "", "cannot be read"},
		"copy empty":       {map[string]http.HandlerFunc{available: says("application/json", closest), at: says("text/html", "")}, "", "cannot be read"},
		"copy of nowhere":  {map[string]http.HandlerFunc{available: says("application/json", strings.Replace(closest, "web.archive.org/web/20200119032503/https://", "web.archive.org/x/ftp://", 1)), cdx: says("application/json", `[["a"],["b"],[]]`)}, "", "no copy"},
		"copy leads away":  {map[string]http.HandlerFunc{available: says("application/json", closest), at: redirect("https://evil.example/")}, "", "cannot be read"},
		"a different page": {map[string]http.HandlerFunc{available: says("application/json", `{"archived_snapshots":{"closest":null}}`), cdx: says("application/json", `null`)}, "", "no copy"},
	} {
		t.Run(name, func(t *testing.T) {
			city := newCity(t, c.pages)
			s := over(city, sites.Config{})
			if c.want == "" {
				wants(t, s, lost, fetch.NotFound, c.say)
			} else if doc := reads(t, s, lost, c.want, fetch.FlagArchived); string(doc.Body) != "<p>as it was" {
				t.Errorf("%s", doc.Body)
			}
			if n := city.requests("evil.example"); len(n) > 0 {
				t.Errorf("%v", n)
			}
		})
	}
	s := over(newCity(t, map[string]http.HandlerFunc{at: replay}), sites.Config{})
	for _, spelled := range []string{copied, strings.Replace(copied, "03/", "03id_/", 1), strings.Replace(copied, "03/", "03if_/", 1), strings.Replace(copied, "https://a.", "https:/a.", 1)} {
		reads(t, s, spelled, copied, fetch.FlagArchived)
	}
}

// A page that is there and refuses us is not read in the archive.
func TestWaybackIsNoWayAround(t *testing.T) {
	for _, refusal := range []fetch.Unavailable{{Outcome: fetch.Blocked, Reason: "robots.txt says no"}, {Outcome: fetch.RateLimited}, {Outcome: fetch.Denied}, {Outcome: fetch.Refused},
		{Outcome: fetch.ConsentWall}, {Outcome: fetch.Failed, Reason: "no connection"}, {Outcome: fetch.TooLarge}, {Outcome: fetch.JSRequired}, {Outcome: fetch.Moved},
		{Outcome: fetch.Blocked, Reason: `robots.txt of a.example says "Disallow: / # there is no host a.example"`}, {Outcome: fetch.Failed, Reason: "there is no host b.example"}} {
		city := newCity(t, nil)
		s := sites.New(sites.Config{Client: city, Web: webFunc(func(context.Context, string) (*fetch.Document, error) { return nil, &refusal })})
		if _, err := s.Fetch(t.Context(), lost); err == nil || len(city.requests("")) > 0 {
			t.Errorf("%+v: %v; asked %v", refusal, err, city.requests(""))
		}
	}
}

// A host that is not in the DNS any more is gone with its pages, as the live fetcher says it.
func TestWaybackOfALostHost(t *testing.T) {
	dns, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dns.Close() })
	go func() {
		for buf := make([]byte, 1500); ; {
			n, from, err := dns.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil {
				return
			}
			m.Response, m.RCode, m.Additionals = true, dnsmessage.RCodeNameError, nil
			if answer, err := m.Pack(); err == nil {
				dns.WriteTo(answer, from)
			}
		}
	}()
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", dns.LocalAddr().String())
	}}
	client := fetch.NewClient(fetch.ClientConfig{UserAgent: "ibid-test/1", Resolver: resolver, Timeout: 5 * time.Second})
	city := newCity(t, map[string]http.HandlerFunc{
		"archive.org/wayback/available":                                   says("application/json", strings.ReplaceAll(closest, "a.example", "lost-host.org")),
		"web.archive.org/web/20200119032503id_/https://lost-host.org/old": says("text/html", "<p>as it was"),
	})
	s := sites.New(sites.Config{Client: city, Web: fetch.NewLive(fetch.LiveConfig{Client: client, Agent: "ibid", Interval: time.Nanosecond}), Now: func() time.Time { return clock }})
	reads(t, s, "https://lost-host.org/old?page=2", "https://web.archive.org/web/20200119032503/https://lost-host.org/old?page=2", fetch.FlagArchived)
	plain := sites.New(sites.Config{Client: city, Web: clientWeb{client}, Now: func() time.Time { return clock }})
	reads(t, plain, "https://lost-host.org/old?page=2", "https://web.archive.org/web/20200119032503/https://lost-host.org/old?page=2", fetch.FlagArchived)
}

// clientWeb is the web without robots.txt.
type clientWeb struct{ fetch.Doer }

func (w clientWeb) Fetch(ctx context.Context, url string) (*fetch.Document, error) {
	resp, err := w.Do(ctx, fetch.Request{URL: url})
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("status %d", resp.Status)
}
