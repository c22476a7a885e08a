package city

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

const asked3 = "what makes agent runs expensive"

// request is how one provider is asked, and where its answer holds the first result.
type request struct {
	provider, method, path, body string
	header                       string // that carries the key
	title, link, snippet         []any
	page                         string // where the link is made of a key or number: with %v
	denied                       int    // status for a wrong key; 0: no key is wanted
	missing                      int    // status for none
	says                         string // of the refusal
}

func requests() []request {
	q := url.QueryEscape(asked3)
	post := func(s string) string { return strings.Replace(s, "Q", asked3, 1) }
	return []request{
		{"serply", "GET", "/v1/search?q=" + q + "&num=3", "", "X-Api-Key: ", []any{"results", 0, "title"}, []any{"results", 0, "link"}, []any{"results", 0, "description"}, "", 401, 401, "API key"},
		{"serply", "GET", "/v1/search/q=" + q + "&num=3", "", "X-Api-Key: ", []any{"results", 0, "title"}, []any{"results", 0, "link"}, []any{"results", 0, "description"}, "", 401, 401, "API key"},
		{"tavily", "POST", "/search", post(`{"query":"Q","max_results":3}`), "Authorization: Bearer ", []any{"results", 0, "title"}, []any{"results", 0, "url"}, []any{"results", 0, "content"}, "", 401, 401, `{"detail":{"error":"Unauthorized: missing or invalid API key."}}`},
		{"brave", "GET", "/res/v1/web/search?q=" + q + "&count=3", "", "X-Subscription-Token: ", []any{"web", "results", 0, "title"}, []any{"web", "results", 0, "url"}, []any{"web", "results", 0, "description"}, "", 422, 422, "ErrorResponse"},
		{"exa", "POST", "/search", post(`{"query":"Q","numResults":3,"contents":{"highlights":true}}`), "X-Api-Key: ", []any{"results", 0, "title"}, []any{"results", 0, "url"}, []any{"results", 0, "highlights", 0}, "", 401, 401, "INVALID_API_KEY"},
		{"serper", "POST", "/search", post(`{"q":"Q","num":3}`), "X-Api-Key: ", []any{"organic", 0, "title"}, []any{"organic", 0, "link"}, []any{"organic", 0, "snippet"}, "", 403, 403, `{"message":"Unauthorized.","statusCode":403}`},
		{"searxng", "GET", "/search?format=json&q=" + q, "", "", []any{"results", 0, "title"}, []any{"results", 0, "url"}, []any{"results", 0, "content"}, "", 0, 0, ""},
		{"wikipedia", "GET", "/w/rest.php/v1/search/page?limit=3&q=" + q, "", "", []any{"pages", 0, "title"}, []any{"pages", 0, "key"}, []any{"pages", 0, "excerpt"}, "http://en.wikipedia.org/wiki/%v", 0, 0, ""},
		{"wikipedia", "GET", "/w/api.php?action=query&list=search&format=json&srlimit=3&srsearch=" + q, "", "", []any{"query", "search", 0, "title"}, []any{"query", "search", 0, "title"}, []any{"query", "search", 0, "snippet"}, "http://en.wikipedia.org/wiki/%v", 0, 0, ""},
		{"openalex", "GET", "/works?per_page=3&search=" + q, "", "api_key", []any{"results", 0, "title"}, []any{"results", 0, "best_oa_location", "landing_page_url"}, []any{"results", 0, "doi"}, "", 401, 0, "API key"},
		{"semanticscholar", "GET", "/graph/v1/paper/search?limit=3&fields=title,abstract,url,openAccessPdf&query=" + q, "", "X-Api-Key: ", []any{"data", 0, "title"}, []any{"data", 0, "openAccessPdf", "url"}, []any{"data", 0, "abstract"}, "", 403, 0, `{"message":"Forbidden"}`},
		{"crossref", "GET", "/works?rows=3&query=" + q, "", "", []any{"message", "items", 0, "title", 0}, []any{"message", "items", 0, "resource", "primary", "URL"}, []any{"message", "items", 0, "DOI"}, "", 0, 0, ""},
		{"pubmed", "GET", "/entrez/eutils/esearch.fcgi?db=pubmed&retmode=json&retmax=3&term=" + q, "", "api_key", []any{"esearchresult", "idlist", 0}, []any{"esearchresult", "idlist", 0}, []any{"esearchresult", "count"}, "http://pubmed.ncbi.nlm.nih.gov/%v/", 400, 0, "API key invalid"},
	}
}

// with sends a request with a key; "" sends none.
func (r request) with(c *City, t *testing.T, key string) reply {
	target := c.SearchURL(r.provider) + r.path
	var headers []string
	switch {
	case key == "":
	case r.header == "api_key":
		target += "&api_key=" + key
	case r.header != "":
		headers = append(headers, r.header+key)
	}
	return c.ask(t, r.method, target, r.body, headers...)
}

func TestSearchProviders(t *testing.T) {
	c := Start(t, Options{})
	for _, r := range requests() {
		t.Run(r.provider+strings.SplitN(r.path, "?", 2)[0], func(t *testing.T) {
			v := r.with(c, t, Key(r.provider)).value(t)
			title, link, snippet := fmt.Sprint(at(v, r.title...)), fmt.Sprint(at(v, r.link...)), fmt.Sprint(at(v, r.snippet...))
			if title == "<nil>" || snippet == "<nil>" || snippet == "" || r.provider != "pubmed" && !strings.Contains(strings.ToLower(title), "agent") {
				t.Errorf("title %q, snippet %q in %v", title, snippet, v)
			}
			if r.page != "" {
				link = fmt.Sprintf(r.page, url.PathEscape(strings.ReplaceAll(link, " ", "_")))
			}
			if got := c.ask(t, "GET", link, ""); got.status != 200 || len(got.body) < 300 {
				t.Errorf("the result %s cannot be read: %d %v", link, got.status, got.err)
			}
			for key, want := range map[string]int{"wrong-" + r.provider: r.denied, "": r.missing} {
				got := r.with(c, t, key)
				if want == 0 {
					want = 200
				}
				if got.status != want || want != 200 && key != "" && !strings.Contains(string(got.body), r.says) {
					t.Errorf("key %q: %d %s, want %d %s", key, got.status, got.body, want, r.says)
				}
			}
		})
	}
}

// asList finds the longest list of an answer: its results.
func asList(v any) int {
	n := 0
	switch v := v.(type) {
	case []any:
		n = len(v)
		for _, x := range v {
			n = max(n, asList(x))
		}
	case map[string]any:
		for name, x := range v {
			if name != "parsed_url" && name != "date-parts" && name != "abstract_inverted_index" {
				n = max(n, asList(x))
			}
		}
	}
	return n
}

func TestSearchLimitsAndFaults(t *testing.T) {
	for _, r := range requests() {
		if r.provider == "searxng" || r.provider == "serply" && strings.Contains(r.path, "q=w") && strings.Contains(r.path, "/q=") {
			continue // no limit to give
		}
		c := Start(t, Options{SearchFaults: map[int]Fault{2: RateLimited, 3: Nothing, 4: HTMLPage, 5: ServerError, 6: BadGateway, 7: Quota}})
		if n := asList(r.with(c, t, Key(r.provider)).value(t)); n != 3 {
			t.Errorf("%s: %d results, want 3", r.provider, n)
		}
		if got := r.with(c, t, Key(r.provider)); got.status != 429 || got.header.Get("Retry-After") != "1" {
			t.Errorf("%s: %d %s, want 429", r.provider, got.status, got.body)
		}
		if v := r.with(c, t, Key(r.provider)).value(t); asList(v) > 1 {
			t.Errorf("%s: %v, want nothing", r.provider, v)
		}
		if got := r.with(c, t, Key(r.provider)); got.status != 202 || !strings.Contains(string(got.body), "challenge") {
			t.Errorf("%s: %d %s, want a page", r.provider, got.status, got.body)
		}
		for _, status := range []int{500, 502} {
			if got := r.with(c, t, Key(r.provider)); got.status != status {
				t.Errorf("%s: %d %s, want %d", r.provider, got.status, got.body, status)
			}
		}
		if got := r.with(c, t, Key(r.provider)); got.status < 400 {
			t.Errorf("%s: %d %s, want no quota", r.provider, got.status, got.body)
		}
	}
	c := Start(t, Options{SearchFaults: map[int]Fault{1: Degraded, 2: Dead}})
	for _, some := range []bool{true, false} {
		v := c.ask(t, "GET", c.SearchURL("searxng")+"/search?format=json&q=agent+runs", "").value(t)
		if (asList(v["results"]) > 0) != some || asList(v["unresponsive_engines"]) == 0 {
			t.Errorf("searxng, degraded: %v", v)
		}
	}
}

func TestArxiv(t *testing.T) {
	c := Start(t, Options{})
	r := c.ask(t, "GET", c.SearchURL("arxiv")+"/api/query?max_results=3&search_query="+url.QueryEscape("all:agent AND all:runs"), "")
	var feed struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		Entries []struct {
			ID      string `xml:"id"`
			Title   string `xml:"title"`
			Summary string `xml:"summary"`
			Link    []struct {
				Href string `xml:"href,attr"`
				Type string `xml:"type,attr"`
			} `xml:"link"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(r.body, &feed); err != nil || len(feed.Entries) != 3 || !strings.HasPrefix(r.header.Get("Content-Type"), "application/atom+xml") {
		t.Fatalf("%v: %s", err, r.body)
	}
	for _, e := range feed.Entries {
		if got := c.ask(t, "GET", e.ID, ""); !strings.HasPrefix(e.ID, "http://arxiv.org/abs/") || got.status != 200 {
			t.Errorf("%s: %d", e.ID, got.status)
		}
		if len(e.Link) != 2 || e.Link[1].Type != "application/pdf" || e.Title == "" || e.Summary == "" {
			t.Errorf("%+v", e)
		}
	}
}

func TestPubmedSummaries(t *testing.T) {
	c := Start(t, Options{})
	v := c.ask(t, "GET", c.SearchURL("pubmed")+"/entrez/eutils/esummary.fcgi?db=pubmed&retmode=json&id=39000001,39999999", "").value(t)
	if at(v, "result", "39000001", "title") == nil || at(v, "result", "39999999", "error") == nil || at(v, "result", "uids", 1) != "39999999" {
		t.Errorf("%v", v)
	}
}

func TestWikipediaWantsAName(t *testing.T) {
	c := Start(t, Options{})
	if got := c.ask(t, "GET", c.SearchURL("wikipedia")+"/w/rest.php/v1/search/page?q=agent", "", "User-Agent: Go-http-client/1.1"); got.status != 403 {
		t.Errorf("%d", got.status)
	}
}

func TestModelProvidersSearch(t *testing.T) {
	c := Start(t, Options{})
	tool := `{"type":"web_search_20250305","name":"web_search","max_uses":1}`
	ask := `{"model":"claude-city-1","max_tokens":1000,"stream":STREAM,"tools":[` + tool + `],"messages":[{"role":"user","content":"` + asked3 + `"}]}`
	whole := c.ask(t, "POST", c.SearchURL("anthropic")+"/v1/messages", strings.Replace(ask, "STREAM", "false", 1), claudeHeaders...).value(t)
	streamed := assemble(t, c.ask(t, "POST", c.SearchURL("anthropic")+"/v1/messages", strings.Replace(ask, "STREAM", "true", 1), claudeHeaders...).body)
	for name, v := range map[string]map[string]any{"whole": whole, "streamed": streamed} {
		if at(v, "content", 1, "type") != "server_tool_use" || at(v, "content", 1, "input", "query") != asked3 || at(v, "content", 2, "type") != "web_search_tool_result" ||
			at(v, "content", 2, "tool_use_id") != at(v, "content", 1, "id") || asList(at(v, "content", 2, "content")) < 5 || at(v, "usage", "server_tool_use", "web_search_requests") != 1.0 {
			t.Errorf("%s: %v", name, v)
		}
		if at(v, "content", 3, "citations", 0, "url") != at(v, "content", 2, "content", 0, "url") || at(v, "content", 3, "citations", 0, "type") != "web_search_result_location" {
			t.Errorf("%s: citations %v", name, at(v, "content", 3))
		}
	}
	v := c.ask(t, "POST", c.SearchURL("openai")+"/responses", `{"model":"gpt-city-1","input":"`+asked3+`","tools":[{"type":"web_search"}],"include":["web_search_call.action.sources"]}`, gptHeaders...).value(t)
	if at(v, "output", 1, "type") != "web_search_call" || at(v, "output", 1, "action", "query") != asked3 || at(v, "output", 1, "action", "sources", 0, "url") == nil || at(v, "output", 2, "action") != nil {
		t.Errorf("%v", v)
	}
	text := []rune(at(v, "output", 3, "content", 0, "text").(string))
	for i := range asList(at(v, "output", 3, "content", 0, "annotations")) {
		a := at(v, "output", 3, "content", 0, "annotations", i)
		cited := string(text[int(at(a, "start_index").(float64)):int(at(a, "end_index").(float64))])
		if !strings.Contains(cited, at(a, "url").(string)) {
			t.Errorf("annotation %d marks %q", i, cited)
		}
	}
	for _, body := range []string{`{"input":"x","tools":[{"type":"web_search"}]}`, `{"model":"m","input":"x"}`, `{"model":"m","tools":[{"type":"web_search"}]}`, `{"model":"m","input":"x","tools":[{"type":"web_search"}],"messages":[]}`} {
		if got := c.ask(t, "POST", c.OpenAI+"/responses", body, gptHeaders...); got.status != 400 {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}

func TestPinnedResultsComeFirst(t *testing.T) {
	c := Start(t, Options{Inject: Inject{
		Results: []Result{{"Pinned", "http://pinned.example/", "First of all."}},
		Pages:   []Page{{Host: "pinned.example", Path: "/", ContentType: htmlType, Body: article("Pinned", "<p>x</p>")}, {Host: "zebra.example", Path: "/stripes", Title: "Zebras and their stripes", ContentType: htmlType, Body: article("Zebras", "<p>Zebras have stripes.</p>")}},
	}})
	v := c.ask(t, "POST", c.SearchURL("serper")+"/search", `{"q":"zebra stripes"}`, "X-Api-Key: "+Key("serper")).value(t)
	if at(v, "organic", 0, "link") != "http://pinned.example/" || at(v, "organic", 1, "link") != "http://zebra.example/stripes" {
		t.Errorf("%v", v)
	}
	if got := c.ask(t, "GET", "http://zebra.example/stripes", ""); got.status != 200 || !json.Valid(encode(string(got.body))) {
		t.Errorf("%d", got.status)
	}
}
