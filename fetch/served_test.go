package fetch_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"ibid/fetch"
)

// What a server was asked and answered is kept with the document, but for what a visitor is known by and what described
// the transport.
func TestTheExchangeIsKept(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Language", "en")
		w.Header().Set("Set-Cookie", "visitor=17")
		w.Header()["Link"] = []string{strings.Repeat("x", 5000), "</a>; rel=next"}
		if r.URL.Path != "/robots.txt" {
			_, err := w.Write([]byte(text("Mills").body))
			if err != nil {
				t.Error(err)
			}
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := fetch.NewClient(fetch.ClientConfig{UserAgent: "ibid/test", AllowAddresses: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolve: map[string]string{"mills.example": u.Host}})
	doc, err := fetch.NewLive(fetch.LiveConfig{Client: client, Agent: "ibid"}).Fetch(context.Background(), "http://mills.example/")
	if err != nil {
		t.Fatal(err)
	}
	e := doc.Exchange
	if e == nil || e.Status != 200 || e.Asked.Get("User-Agent") != "ibid/test" || e.Header.Get("Content-Language") != "en" || e.Header.Get("Date") == "" {
		t.Fatalf("%+v", e)
	}
	if e.Header.Get("Set-Cookie") != "" || e.Header.Get("Content-Length") != "" || len(e.Header["Link"]) != 1 {
		t.Errorf("kept: %v", e.Header)
	}
}
