package search_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"ibid/search"
	"ibid/search/searchtest"
)

// FuzzAnswers gives every provider every answer: there are results with addresses that can be read, or an empty list, or
// an *Error that can be recorded; never a panic.
func FuzzAnswers(f *testing.F) {
	names := []string{}
	for _, k := range search.Kinds() {
		names = append(names, k.Name)
		body := ""
		p, err := search.Open(k.Name, search.Config{URL: "http://x.example", Key: searchtest.Key, Model: "m", Client: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			searchtest.Handler(k.Name, searchtest.Pages()).ServeHTTP(w, r)
			body = w.Body.String()
			return w.Result(), nil
		})}})
		if err != nil {
			f.Fatal(err)
		}
		if _, err := p.Search(f.Context(), searchtest.Known, 8); err != nil {
			f.Fatal(err)
		}
		f.Add(len(names)-1, 200, body)
	}
	f.Add(5, 200, `{"results":[{"url":"https://a.example/"}],"unresponsive_engines":[["a"],[],["b","c","d"]]}`)
	f.Add(7, 200, `<?xml version="1.0"?><!DOCTYPE f [<!ENTITY a "b">]><feed xmlns="http://www.w3.org/2005/Atom"><entry>&a;</entry></feed>`)
	f.Add(8, 200, `{"results":[{"abstract_inverted_index":{"a":[0,79,80,-1,1e9]}}]}`)
	f.Add(11, 200, `{"esearchresult":{"count":"1","idlist":["7"]},"result":{"uids":["7"],"7":{"title":"T"}}}`)
	f.Add(0, 429, `{"error":{"errors":[[["x"]]]}}`)
	f.Fuzz(func(t *testing.T, which, status int, body string) {
		name := names[((which%len(names))+len(names))%len(names)]
		p, err := search.Open(name, search.Config{URL: "http://x.example", Key: "a-secret-key", Model: "m", Client: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200 + (status%400+400)%400, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
		})}})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := p.Search(t.Context(), "one two three", 8)
		var e *search.Error
		switch {
		case err != nil && !errors.As(err, &e):
			t.Fatalf("%s: %v is no *Error", name, err)
		case e != nil && (e.Outcome == "" || e.Reason == "" || e.Hint == "" || e.Provider != name || !utf8.ValidString(e.Reason) || len(e.Reason) > 4000):
			t.Errorf("%s: %+v", name, e)
		case e != nil && e.Outcome != search.Degraded && len(answer.Results) > 0:
			t.Errorf("%s: results with %v", name, e)
		case len(answer.Results) > 8 || answer.Tokens < 0 || answer.MicroUSD < 0:
			t.Errorf("%s: %+v", name, answer)
		}
		for _, r := range answer.Results {
			if u, err := url.Parse(r.URL); err != nil || !u.IsAbs() || r.Title == "" {
				t.Errorf("%s: %+v", name, r)
			}
		}
	})
}

// roundTrip answers without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (t roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }
