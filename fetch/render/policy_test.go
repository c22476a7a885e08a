package render

import (
	"net/http"
	"reflect"
	"slices"
	"testing"
)

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		kind, method, url string
		want              verdict
	}{
		{"Document", "GET", "https://here.example/", answer},
		{"Document", "GET", "http://deep.down.here.example/x?y", answer},
		{"Document", "POST", "https://here.example/", refuse},
		{"Document", "GET", "https://here.example.elsewhere.example/", refuse},
		{"Document", "GET", "https://elsewhere.example/", refuse},
		{"Document", "GET", "https://user@here.example/", refuse},
		{"Document", "GET", "file:///etc/passwd", refuse},
		{"Document", "GET", "ftp://here.example/", refuse},
		{"Document", "GET", "chrome://version", refuse},
		{"Document", "GET", "data:text/html,x", local},
		{"Document", "GET", "blob:https://here.example/1-2", local},
		{"Script", "GET", "https://elsewhere.example/a.js", answer},
		{"XHR", "GET", "https://elsewhere.example/a", answer},
		{"Fetch", "GET", "https://here.example/a", answer},
		{"XHR", "OPTIONS", "https://elsewhere.example/a", refuse},
		{"XHR", "HEAD", "https://here.example/a", refuse},
		{"Fetch", "PUT", "https://here.example/a", refuse},
		{"Stylesheet", "GET", "https://here.example/a.css", answer},
		{"Stylesheet", "GET", "https://elsewhere.example/a.css", blank},
		{"Stylesheet", "POST", "https://elsewhere.example/a.css", refuse},
		{"Script", "GET", "https:///a.js", refuse},
		{"Script", "GET", "https://%zz/", refuse},
		{"Script", "GET", "", refuse},
	} {
		if got := judge(tt.kind, tt.method, tt.url, "here.example"); got != tt.want {
			t.Errorf("%s %s %s: %d, want %d", tt.kind, tt.method, tt.url, got, tt.want)
		}
	}
	for _, kind := range []string{"Image", "Media", "Font", "Ping", "CSPViolationReport", "Prefetch", "Preflight", "Manifest", "TextTrack", "EventSource", "WebSocket",
		"SignedExchange", "FedCM", "Other", "", "Unheard"} {
		if got := judge(kind, "GET", "https://here.example/a", "here.example"); got != refuse {
			t.Errorf("%s: %d, want it refused", kind, got)
		}
	}
}

func TestHeaders(t *testing.T) {
	given := map[string]string{"accept": "*/*", "Referer": "https://here.example/", "X-Key": "1", "Authorization": "Bearer 1", "User-Agent": "x", "Sec-Fetch-Mode": "cors",
		"Range": "bytes=0-1", "If-None-Match": "x", "X-Forwarded-For": "127.0.0.1", "Host": "localhost"}
	own := http.Header{"Accept": {"*/*"}, "Referer": {"https://here.example/"}, "X-Key": {"1"}, "Authorization": {"Bearer 1"}}
	if got := outgoing(given, true); !reflect.DeepEqual(got, own) {
		t.Errorf("to its own site: %v", got)
	}
	if got := outgoing(given, false); !reflect.DeepEqual(got, http.Header{"Accept": {"*/*"}, "Referer": {"https://here.example/"}}) {
		t.Errorf("to another site: %v", got)
	}
	got := incoming(http.Header{"Content-Type": {"text/html"}, "Set-Cookie": {"a", "b"}, "Content-Encoding": {"gzip"}, "Content-Length": {"1"}, "Report-To": {"x"},
		"Link": {"<x>; rel=preload"}, "Refresh": {"0"}, "Content-Disposition": {"attachment"}, "Access-Control-Allow-Origin": {"*"}})
	slices.SortFunc(got, func(a, b header) int { return slices.Compare([]string{a.Name, a.Value}, []string{b.Name, b.Value}) })
	want := []header{{"Access-Control-Allow-Origin", "*"}, {"Content-Type", "text/html"}, {"Set-Cookie", "a"}, {"Set-Cookie", "b"}}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
