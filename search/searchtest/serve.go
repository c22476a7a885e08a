package searchtest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"

	"ibid/search"
)

// What the servers of Serve find something for, and what not; and the key that they take.
const (
	Known   = "tide tables"
	Unknown = "zqxv blorft 7781"
	Key     = "test-key-4711"
)

// Pages are what the servers of Serve know.
func Pages() []search.Result {
	return []search.Result{
		{Title: "Tide tables for the harbour", URL: "https://halden.example/tides", Snippet: "High and low water for every day of the year."},
		{Title: "How tide tables are made", URL: "https://almanac.example/tide/tables?page=2", Snippet: "Harmonic constants and the moon."},
		{Title: "Tides & currents", URL: "https://sea.example/currents", Snippet: "A tide is a long wave."},
	}
}

// Serve starts a server that speaks the provider's wire format and knows Pages, and returns its base address for
// search.Config.URL. It ends with the test.
func Serve(t testing.TB, name string) string {
	t.Helper()
	h := Handler(name, Pages())
	if h == nil {
		t.Fatalf("no server speaks %q", name)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// Handler speaks the wire format of the provider over these pages: a page is found by a query that shares a word of at
// least four letters with its title or snippet. What the provider's documentation forbids is refused in its way: a
// missing key, a query that is too long, a parameter that is missing. Nil: no such provider.
func Handler(name string, pages []search.Result) http.Handler {
	answer, ok := map[string]func(*asked) any{
		"serply": serply, "tavily": tavily, "brave": brave, "exa": exa, "serper": serper, "searxng": searxng,
		"wikipedia": wikipedia, "arxiv": arxiv, "openalex": openalex, "semanticscholar": semanticscholar,
		"crossref": crossref, "pubmed": pubmed, "anthropic": anthropic, "openai": openai,
	}[name]
	if !ok {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &asked{Request: r, pages: pages, status: http.StatusOK, kind: "application/json"}
		if r.Method == http.MethodPost {
			if err := json.NewDecoder(r.Body).Decode(&a.body); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		var body []byte
		switch v := answer(a).(type) {
		case string:
			body = []byte(v)
		default:
			body, _ = json.Marshal(v) // maps and lists of strings and numbers
		}
		w.Header().Set("Content-Type", a.kind)
		w.WriteHeader(a.status)
		w.Write(body) //nolint:errcheck // a client that went away
	})
}

// asked is a request to one of the servers, and what is said besides the body of the answer.
type asked struct {
	*http.Request
	body   map[string]any // that was posted
	pages  []search.Result
	status int
	kind   string // of the content
}

// fail sets the status and returns the body that reports a failure.
func (a *asked) fail(status int, body any) any {
	a.status = status
	return body
}

func (a *asked) param(name string) string { return a.URL.Query().Get(name) }

// find returns at most n pages.
func (a *asked) find(query string, n int) []search.Result {
	found := []search.Result{}
	for _, p := range a.pages {
		if len(found) < n && shares(query, p.Title+" "+p.Snippet) {
			found = append(found, p)
		}
	}
	return found
}

func shares(query, text string) bool {
	text = strings.ToLower(text)
	for _, w := range strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) >= 4 && strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// list makes a list of objects out of pages.
func list(pages []search.Result, entry func(i int, p search.Result) map[string]any) []any {
	entries := []any{}
	for i, p := range pages {
		entries = append(entries, entry(i, p))
	}
	return entries
}
