package city

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Providers are the search providers that have a prefix of their own. Those of the model providers are part of their
// model servers.
func Providers() []string {
	return []string{"serply", "tavily", "brave", "exa", "serper", "searxng", "wikipedia", "arxiv", "openalex", "semanticscholar", "crossref", "pubmed"}
}

// An engine is one search endpoint.
type engine struct {
	provider string
	route    string // method and path below the provider's own host
	key      func(*http.Request) string
	optional bool // it works without a key
	denied   func(w http.ResponseWriter, missing bool)
	fault    func(w http.ResponseWriter, f Fault) bool // says a fault in the provider's words; false: it has none
	answer   func(c *City, w http.ResponseWriter, q asked)
}

// asked is a search request.
type asked struct {
	*http.Request
	query url.Values
	body  fields // of a POST
	fault Fault
}

// limit reads the number of results that is asked for.
func (q asked) limit(name string, otherwise int) int {
	if n, ok := q.body.number(name); ok {
		return n
	}
	if n, err := strconv.Atoi(q.query.Get(name)); err == nil {
		return n
	}
	return otherwise
}

func header(name string) func(*http.Request) string {
	return func(r *http.Request) string { return r.Header.Get(name) }
}

func parameter(name string) func(*http.Request) string {
	return func(r *http.Request) string { return r.URL.Query().Get(name) }
}

func (c *City) searchRoutes(mux *http.ServeMux) {
	for _, engines := range [][]engine{webEngines(), paperEngines()} {
		for _, e := range engines {
			method, path, _ := strings.Cut(e.route, " ")
			mux.HandleFunc(method+" /search/"+e.provider+path, func(w http.ResponseWriter, r *http.Request) { c.search(w, r, e) })
		}
	}
}

// search checks the key, plays a fault, and answers.
func (c *City) search(w http.ResponseWriter, r *http.Request, e engine) {
	c.mu.Lock()
	c.searches++
	fault := c.options.SearchFaults[c.searches]
	c.mu.Unlock()
	q := asked{Request: r, query: r.URL.Query(), fault: fault}
	if r.Method == http.MethodPost {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		body, ok := object(json.RawMessage(raw))
		if !ok {
			writeJSON(w, http.StatusBadRequest, map[string]any{"error": "the body is no JSON object"})
			return
		}
		q.body = body
	}
	if e.key != nil {
		if key := e.key(r); key != Key(e.provider) && !(key == "" && e.optional) {
			e.denied(w, key == "")
			return
		}
	}
	switch fault {
	case Reset:
		reset(w)
		return
	case Slow:
		c.pause(r, Pause)
	case BadGateway:
		page502(w)
		return
	case HTMLPage:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte("<!DOCTYPE html><html><head><title>One moment</title></head><body><p>Unfortunately, bots use this service too. Please complete the challenge.</p></body></html>"))
		return
	case RateLimited, Quota, Overloaded, ServerError:
		if fault == RateLimited {
			w.Header().Set("Retry-After", "1")
		}
		if e.fault == nil || !e.fault(w, fault) {
			status := map[Fault]int{RateLimited: 429, Quota: 402, Overloaded: 503, ServerError: 500}[fault]
			writeJSON(w, status, map[string]any{"error": http.StatusText(status)})
		}
		return
	}
	e.answer(c, w, q)
}

// hits are the results of a search, unless it is to find nothing.
func (c *City) hits(q asked, query string, n int) []Result {
	if q.fault == Nothing || q.fault == Dead {
		return []Result{}
	}
	return c.library.results(query, n)
}

// papers are the documents of a search, unless it is to find nothing.
func (c *City) papers(q asked, query string, n int) []document {
	if q.fault == Nothing {
		return []document{}
	}
	return c.library.find(query, n)
}
