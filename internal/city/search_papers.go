package city

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// paperEngines are an encyclopaedia and the providers that search the literature.
func paperEngines() []engine {
	return []engine{
		{provider: "wikipedia", route: "GET /w/rest.php/v1/search/page", answer: wikipedia},
		{provider: "wikipedia", route: "GET /w/api.php", answer: wikipediaAPI},
		{provider: "arxiv", route: "GET /api/query", answer: arxiv},
		{provider: "openalex", route: "GET /works", key: parameter("api_key"), optional: true, answer: openalex, // little may be asked without one
			denied: func(w http.ResponseWriter, _ bool) {
				writeJSON(w, 401, map[string]any{"error": "Unauthorized", "message": "The API key is not valid."})
			},
			fault: func(w http.ResponseWriter, f Fault) bool {
				if f == RateLimited || f == Quota {
					writeJSON(w, 429, map[string]any{"error": "Rate limit exceeded", "message": "Insufficient budget. Resets at midnight UTC."})
				}
				return f == RateLimited || f == Quota
			}},
		{provider: "semanticscholar", route: "GET /graph/v1/paper/search", key: header("X-Api-Key"), optional: true, answer: semanticScholar,
			denied: func(w http.ResponseWriter, _ bool) { writeJSON(w, 403, map[string]any{"message": "Forbidden"}) },
			fault: func(w http.ResponseWriter, f Fault) bool {
				if f == RateLimited || f == Quota {
					writeJSON(w, 429, map[string]any{"message": "Too Many Requests. Please wait and try again or apply for a key for higher rate limits. https://www.semanticscholar.org/product/api#api-key-form", "code": "429"})
				}
				return f == RateLimited || f == Quota
			}},
		{provider: "crossref", route: "GET /works", answer: crossref},
		{provider: "pubmed", route: "GET /entrez/eutils/esearch.fcgi", key: parameter("api_key"), optional: true, answer: esearch, denied: pubmedDenied, fault: pubmedFault},
		{provider: "pubmed", route: "GET /entrez/eutils/esummary.fcgi", key: parameter("api_key"), optional: true, answer: esummary, denied: pubmedDenied, fault: pubmedFault},
	}
}

// named refuses programs that do not say who they are.
func named(w http.ResponseWriter, q asked) bool {
	if agent := q.Header.Get("User-Agent"); agent == "" || strings.HasPrefix(agent, "Go-http-client/") {
		http.Error(w, "Please set a user-agent and respect our robot policy https://w.wiki/4wJS. See also https://phabricator.wikimedia.org/T400119.", http.StatusForbidden)
		return false
	}
	return true
}

func wikipedia(c *City, w http.ResponseWriter, q asked) {
	if !named(w, q) {
		return
	}
	query, n := q.query.Get("q"), q.limit("limit", 50)
	if query == "" || n < 1 || n > 100 {
		writeJSON(w, 400, map[string]any{"errorKey": "rest-search-bad", "messageTranslations": map[string]any{"en": "q must not be empty; limit is 1 to 100"}, "httpCode": 400, "httpReason": "Bad Request"})
		return
	}
	pages := []any{}
	for _, d := range c.papers(q, query, n) {
		pages = append(pages, map[string]any{"id": 1000 + d.n, "key": d.slug(), "title": d.title, "excerpt": marked(snippet(d.text, query), query), "matched_title": nil, "anchor": nil, "description": nil, "thumbnail": nil})
	}
	writeJSON(w, 200, map[string]any{"pages": pages})
}

func wikipediaAPI(c *City, w http.ResponseWriter, q asked) {
	if !named(w, q) {
		return
	}
	if q.query.Get("action") != "query" || q.query.Get("list") != "search" || q.query.Get("format") != "json" || q.query.Get("srsearch") == "" {
		writeJSON(w, 200, map[string]any{"error": map[string]any{"code": "badvalue", "info": "action=query, list=search, srsearch and format=json are wanted"}})
		return
	}
	query := q.query.Get("srsearch")
	list := []any{}
	for _, d := range c.papers(q, query, q.limit("srlimit", 10)) {
		list = append(list, map[string]any{"ns": 0, "title": d.title, "pageid": 1000 + d.n, "size": len(d.text), "wordcount": len(strings.Fields(d.text)), "snippet": marked(snippet(d.text, query), query), "timestamp": "2025-10-01T09:00:00Z"})
	}
	writeJSON(w, 200, map[string]any{"batchcomplete": "", "query": map[string]any{"searchinfo": map[string]any{"totalhits": len(list)}, "search": list}})
}

// Atom, as far as the preprint server uses it.
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Title   string      `xml:"title"`
	ID      string      `xml:"id"`
	Updated string      `xml:"updated"`
	Total   int         `xml:"http://a9.com/-/spec/opensearch/1.1/ totalResults"`
	Start   int         `xml:"http://a9.com/-/spec/opensearch/1.1/ startIndex"`
	Items   int         `xml:"http://a9.com/-/spec/opensearch/1.1/ itemsPerPage"`
	Entries []atomEntry `xml:"entry"`
}

type atomEntry struct {
	ID        string     `xml:"id"`
	Updated   string     `xml:"updated"`
	Published string     `xml:"published,omitempty"`
	Title     string     `xml:"title"`
	Summary   string     `xml:"summary"`
	Author    string     `xml:"author>name"`
	Links     []atomLink `xml:"link"`
}

type atomLink struct {
	Href  string `xml:"href,attr"`
	Rel   string `xml:"rel,attr"`
	Type  string `xml:"type,attr"`
	Title string `xml:"title,attr,omitempty"`
}

func arxiv(c *City, w http.ResponseWriter, q asked) {
	query := q.query.Get("search_query")
	for _, prefix := range []string{"all:", "ti:", "abs:", "cat:"} {
		query = strings.ReplaceAll(query, prefix, " ")
	}
	query = strings.NewReplacer(" AND ", " ", " OR ", " ", `"`, " ", "(", " ", ")", " ").Replace(query)
	feed := atomFeed{Title: "ArXiv Query: search_query=" + q.query.Get("search_query"), ID: "http://arxiv.org/api/city", Updated: "2026-01-01T00:00:00-05:00", Items: q.limit("max_results", 10)}
	status := 200
	if feed.Items < 0 || feed.Items > 30000 {
		status = 400
		feed.Title = "Error"
		feed.Entries = []atomEntry{{ID: "http://arxiv.org/api/errors#max_results_must_be_non-negative", Title: "Error", Summary: "max_results must be non-negative", Updated: feed.Updated, Author: "arXiv api core"}}
	} else {
		for _, d := range c.papers(q, query, feed.Items) {
			abs, pdf := "http://arxiv.org/abs/"+d.arxiv()+"v1", "http://arxiv.org/pdf/"+d.arxiv()+"v1"
			feed.Entries = append(feed.Entries, atomEntry{ID: abs, Updated: "2025-10-01T09:00:00Z", Published: "2025-10-01T09:00:00Z", Title: strings.Replace(d.title, " ", "\n  ", 1), Summary: "\n  " + snippet(d.text, query) + "\n", Author: "The City",
				Links: []atomLink{{abs, "alternate", "text/html", ""}, {pdf, "related", "application/pdf", "pdf"}}})
		}
	}
	feed.Total = len(feed.Entries)
	body, err := xml.MarshalIndent(feed, "", "  ")
	if err != nil {
		panic(err) // strings and numbers
	}
	w.Header().Set("Content-Type", "application/atom+xml; charset=UTF-8")
	w.WriteHeader(status)
	_, _ = w.Write(append([]byte(xml.Header), body...))
}

// inverted is an abstract as OpenAlex gives it: each word with its places.
func inverted(text string) map[string][]int {
	index := map[string][]int{}
	for i, w := range strings.Fields(text) {
		index[w] = append(index[w], i)
	}
	return index
}

func openalex(c *City, w http.ResponseWriter, q asked) {
	query, n := q.query.Get("search"), q.limit("per_page", q.limit("per-page", 25))
	if n < 1 || n > 200 {
		writeJSON(w, 400, map[string]any{"error": "Invalid query parameters error.", "message": "per-page parameter must be between 1 and 200"})
		return
	}
	list := []any{}
	for i, d := range c.papers(q, query, n) {
		where := map[string]any{"is_oa": true, "landing_page_url": d.url, "pdf_url": nil, "license": "cc-by", "version": "publishedVersion", "source": map[string]any{"display_name": siteOf(d.url)}}
		if strings.HasSuffix(d.url, ".pdf") {
			where["pdf_url"] = d.url
		}
		list = append(list, map[string]any{"id": fmt.Sprintf("https://openalex.org/W%d", 4400000000+d.n), "doi": "https://doi.org/" + d.doi(), "title": d.title, "display_name": d.title, "publication_year": 2025, "publication_date": "2025-10-01",
			"relevance_score": 100 - float64(i), "abstract_inverted_index": inverted(snippet(d.text, query)), "primary_location": where, "best_oa_location": where, "open_access": map[string]any{"is_oa": true, "oa_status": "gold", "oa_url": d.url}, "cited_by_count": 0})
	}
	writeJSON(w, 200, map[string]any{"meta": map[string]any{"count": len(list), "db_response_time_ms": 20, "page": 1, "per_page": n, "cost_usd": 0.001}, "results": list, "group_by": []any{}})
}

func semanticScholar(c *City, w http.ResponseWriter, q asked) {
	query, n := q.query.Get("query"), q.limit("limit", 100)
	if query == "" || n < 1 || n > 100 {
		writeJSON(w, 400, map[string]any{"error": "Missing required parameter: 'query', or limit is not in 1 to 100"})
		return
	}
	wanted := "," + q.query.Get("fields") + ","
	list := []any{}
	for _, d := range c.papers(q, query, n) {
		paper := map[string]any{"paperId": fmt.Sprintf("%040x", d.n), "title": d.title}
		for name, value := range map[string]any{"abstract": snippet(d.text, query), "url": fmt.Sprintf("https://www.semanticscholar.org/paper/%040x", d.n), "year": 2025, "publicationDate": "2025-10-01",
			"externalIds": map[string]any{"DOI": d.doi(), "CorpusId": d.n}, "openAccessPdf": map[string]any{"url": d.url, "status": "GOLD", "license": "CCBY"}, "isOpenAccess": true, "venue": siteOf(d.url), "tldr": nil} {
			if strings.Contains(wanted, ","+name+",") { // only what is asked for comes
				paper[name] = value
			}
		}
		list = append(list, paper)
	}
	answer := map[string]any{"total": len(list), "offset": 0, "data": list}
	if len(list) == 0 {
		delete(answer, "data") // as the service does
	}
	writeJSON(w, 200, answer)
}

func crossref(c *City, w http.ResponseWriter, q asked) {
	query := q.query.Get("query") + " " + q.query.Get("query.bibliographic")
	n := q.limit("rows", 20)
	if n < 0 || n > 1000 {
		writeJSON(w, 400, map[string]any{"status": "failed", "message-type": "validation-failure", "message": []any{map[string]any{"type": "integer-not-valid", "value": strconv.Itoa(n), "message": "Integer specified as " + strconv.Itoa(n) + " but must be a positive integer less than or equal to 1000."}}})
		return
	}
	list := []any{}
	for i, d := range c.papers(q, query, n) {
		list = append(list, map[string]any{"DOI": d.doi(), "URL": "https://doi.org/" + d.doi(), "title": []string{d.title}, "type": "journal-article", "publisher": siteOf(d.url), "container-title": []string{}, "score": 30 - float64(i),
			"abstract": "<jats:p>" + snippet(d.text, query) + "</jats:p>", "issued": map[string]any{"date-parts": [][]int{{2025, 10, 1}}}, "author": []any{map[string]any{"given": "The", "family": "City", "sequence": "first", "affiliation": []any{}}},
			"resource": map[string]any{"primary": map[string]any{"URL": d.url}}, "link": []any{map[string]any{"URL": d.url, "content-type": "unspecified", "content-version": "vor", "intended-application": "text-mining"}}})
	}
	writeJSON(w, 200, map[string]any{"status": "ok", "message-type": "work-list", "message-version": "1.0.0", "message": map[string]any{"facets": map[string]any{}, "total-results": len(list), "items": list, "items-per-page": n, "query": map[string]any{"start-index": 0, "search-terms": strings.TrimSpace(query)}}})
}

func pubmedDenied(w http.ResponseWriter, _ bool) {
	writeJSON(w, 400, map[string]any{"error": "API key invalid", "api-key": "(withheld)", "type": "client", "status": "unknown"})
}

func pubmedFault(w http.ResponseWriter, f Fault) bool {
	if f == RateLimited || f == Quota {
		writeJSON(w, 429, map[string]any{"error": "API rate limit exceeded", "api-key": "127.0.0.1", "count": "4", "limit": "3"})
	}
	return f == RateLimited || f == Quota
}

// pubmedID begins the numbers of the literature database.
const pubmedID = 39000000

func esearch(c *City, w http.ResponseWriter, q asked) {
	result := map[string]any{"count": "0", "retmax": "0", "retstart": "0", "idlist": []string{}, "translationset": []any{}, "querytranslation": q.query.Get("term")}
	switch {
	case q.query.Get("retmode") != "json":
		w.Header().Set("Content-Type", "text/xml; charset=UTF-8")
		_, _ = w.Write([]byte(xml.Header + "<eSearchResult><Count>0</Count><IdList></IdList></eSearchResult>"))
		return
	case q.query.Get("db") != "pubmed":
		result = map[string]any{"ERROR": "Invalid db name specified: " + q.query.Get("db")}
	case q.query.Get("term") == "":
		result = map[string]any{"ERROR": "Empty term and query_key - nothing todo"}
	default:
		ids := []string{}
		for _, d := range c.papers(q, q.query.Get("term"), q.limit("retmax", 20)) {
			ids = append(ids, strconv.Itoa(pubmedID+d.n))
		}
		result["count"], result["retmax"], result["idlist"] = strconv.Itoa(len(ids)), strconv.Itoa(len(ids)), ids
	}
	writeJSON(w, 200, map[string]any{"header": map[string]any{"type": "esearch", "version": "0.3"}, "esearchresult": result})
}

func esummary(c *City, w http.ResponseWriter, q asked) {
	head := map[string]any{"type": "esummary", "version": "0.3"}
	uids := []string{}
	result := map[string]any{}
	for _, id := range strings.Split(q.query.Get("id"), ",") {
		n, err := strconv.Atoi(id)
		if err != nil {
			writeJSON(w, 200, map[string]any{"header": head, "error": "Invalid uid " + id + " at position=0"})
			return
		}
		uids = append(uids, id)
		d, ok := c.library.byNumber(n - pubmedID)
		if !ok {
			result[id] = map[string]any{"uid": id, "error": "cannot get document summary"}
			continue
		}
		result[id] = map[string]any{"uid": id, "pubdate": "2025 Oct 1", "epubdate": "", "source": "City J", "title": d.title + ".", "sorttitle": strings.ToLower(d.title), "fulljournalname": "The journal of the city",
			"authors": []any{map[string]any{"name": "City T", "authtype": "Author", "clusterid": ""}}, "articleids": []any{map[string]any{"idtype": "pubmed", "idtypen": 1, "value": id}, map[string]any{"idtype": "doi", "idtypen": 3, "value": d.doi()}},
			"pubtype": []string{"Journal Article"}, "sortpubdate": "2025/10/01 00:00", "elocationid": "doi: " + d.doi(), "lang": []string{"eng"}}
	}
	result["uids"] = uids
	writeJSON(w, 200, map[string]any{"header": head, "result": result})
}
