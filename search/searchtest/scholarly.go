package searchtest

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"ibid/search"
)

// The servers of Wikipedia and of the catalogues of scholarly works.

func wikipedia(a *asked) any {
	n, err := strconv.Atoi(a.param("limit"))
	switch {
	case a.URL.Path != "/w/rest.php/v1/search/page":
		return a.fail(http.StatusNotFound, object{"messageTranslations": object{"en": "The requested relative path did not match any known handler"}, "httpCode": 404, "httpReason": "Not Found"})
	case err != nil || n < 1 || n > 100 || utf8.RuneCountInString(a.param("q")) > 300:
		return a.fail(http.StatusBadRequest, object{"httpCode": 400, "httpReason": "Bad Request"})
	case a.UserAgent() == "":
		a.kind = "text/plain"
		return a.fail(http.StatusForbidden, "Please set a user-agent and respect our robot policy")
	}
	return object{"pages": list(a.find(a.param("q"), n), func(i int, p search.Result) object {
		return object{"id": 100 + i, "key": strings.ReplaceAll(p.Title, " ", "_"), "title": p.Title, "excerpt": `A <span class="searchmatch">tide</span> is ` + p.Snippet,
			"matched_title": nil, "description": "rise and fall of sea levels", "thumbnail": nil}
	})}
}

func arxiv(a *asked) any {
	a.kind = "application/atom+xml"
	query := a.param("search_query")
	n, err := strconv.Atoi(a.param("max_results"))
	head := `<?xml version='1.0' encoding='UTF-8'?>` + "\n" + `<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/SkuXkYxumgL1drFIL7NufdnpkFc</id>
  <title>arXiv Query: search_query=` + text(query) + `</title>
  <updated>2025-11-11T18:34:08Z</updated>
  <link href="https://arxiv.org/api/query?x=1" type="application/atom+xml"/>
`
	if a.URL.Path != "/api/query" || err != nil || !strings.HasPrefix(query, "all:") || strings.ContainsAny(query, `"()[]`) {
		return a.fail(http.StatusBadRequest, head+`<opensearch:totalResults>1</opensearch:totalResults><entry><id>https://arxiv.org/api/errors#incorrect_query</id><title>Error</title><summary>incorrect query</summary></entry></feed>`)
	}
	// "all:x AND all:y" is what is looked for; the operators are no words of it.
	found := a.find(strings.NewReplacer("all:", "", " AND ", " ", " OR ", " ").Replace(query), n)
	for i, p := range found {
		head += fmt.Sprintf(`  <entry>
    <id>http://arxiv.org/abs/2401.%05dv2</id>
    <title>%s</title>
    <updated>2024-02-01T00:00:00Z</updated>
    <link href="https://arxiv.org/abs/2401.%05dv2" rel="alternate" type="text/html"/>
    <link href="https://arxiv.org/pdf/2401.%05dv2" rel="related" type="application/pdf" title="pdf"/>
    <summary>%s
  and on the next line $a &lt; b$.</summary>
    <category term="physics.ao-ph" scheme="http://arxiv.org/schemas/atom"/>
    <published>2024-01-05T12:00:00Z</published>
    <arxiv:comment>9 pages</arxiv:comment>
    <author><name>A. Author</name></author>
  </entry>
`, i, text(p.Title), i, i, text(p.Snippet))
	}
	return head + fmt.Sprintf("  <opensearch:itemsPerPage>%d</opensearch:itemsPerPage>\n  <opensearch:totalResults>%d</opensearch:totalResults>\n  <opensearch:startIndex>0</opensearch:startIndex>\n</feed>\n", n, len(found))
}

func text(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) //nolint:errcheck // a Builder takes everything
	return b.String()
}

func openalex(a *asked) any {
	n, err := strconv.Atoi(a.param("per_page"))
	switch key := a.param("api_key"); {
	case key != "" && key != Key:
		return a.fail(http.StatusUnauthorized, object{"error": "Invalid API key", "message": "API key " + key + " is not valid."})
	case a.URL.Path != "/works" || err != nil || n < 1 || n > 100 || a.param("search") == "":
		return a.fail(http.StatusBadRequest, object{"error": "Invalid query parameter", "message": "per_page must be between 1 and 100"})
	}
	found := a.find(a.param("search"), n)
	return object{
		"meta": object{"count": len(found), "db_response_time_ms": 30, "page": 1, "per_page": n, "groups_count": nil}, "group_by": []any{},
		"results": list(found, func(i int, p search.Result) object {
			index := map[string][]int{}
			for at, word := range strings.Fields(p.Snippet) {
				index[word] = append(index[word], at)
			}
			return object{"id": fmt.Sprintf("https://openalex.org/W%d", 2741809807+i), "doi": fmt.Sprintf("https://doi.org/10.7717/peerj.%d", 4375+i), "title": p.Title, "publication_year": 2018,
				"abstract_inverted_index": index, "open_access": object{"is_oa": true, "oa_status": "gold", "oa_url": p.URL, "any_repository_has_fulltext": true},
				"best_oa_location": object{"is_oa": true, "landing_page_url": p.URL, "pdf_url": nil, "license": "cc-by"}}
		}),
	}
}

func semanticscholar(a *asked) any {
	n, err := strconv.Atoi(a.param("limit"))
	switch key := a.Header.Get("x-api-key"); {
	case key != "" && key != Key:
		return a.fail(http.StatusForbidden, object{"message": "Forbidden"})
	case a.URL.Path != "/graph/v1/paper/search" || err != nil || n < 1 || n > 100:
		return a.fail(http.StatusBadRequest, object{"error": "Unacceptable query params"})
	}
	found := a.find(a.param("query"), n)
	v := object{"total": len(found), "offset": 0}
	if len(found) > 0 {
		v["data"] = list(found, func(i int, p search.Result) object {
			return object{"paperId": fmt.Sprintf("649def34f8be52c8b66281af98ae884c09ae%04d", i), "externalIds": object{"MAG": "3015453090", "DOI": "10.18653/V1/2020.ACL-MAIN.447", "CorpusId": 215416146 + i},
				"url": "https://www.semanticscholar.org/paper/649def34", "title": p.Title, "abstract": nil, "venue": "Ocean Science", "year": 2020,
				"openAccessPdf": object{"url": p.URL, "status": "HYBRID"}}
		})
	}
	return v
}

func crossref(a *asked) any {
	n, err := strconv.Atoi(a.param("rows"))
	if a.URL.Path != "/works" || err != nil || n < 0 || n > 1000 {
		return a.fail(http.StatusBadRequest, object{"status": "failed", "message-type": "validation-failure", "message": []any{object{"type": "parameter-not-allowed", "value": "x", "message": "Unsupported parameter"}}})
	}
	found := a.find(a.param("query"), n)
	return object{"status": "ok", "message-type": "work-list", "message-version": "1.0.0", "message": object{
		"facets": object{}, "total-results": len(found), "items-per-page": n, "query": object{"start-index": 0, "search-terms": a.param("query")},
		"items": list(found, func(i int, p search.Result) object {
			return object{"DOI": fmt.Sprintf("10.5194/os-%d-1-2020", i), "URL": fmt.Sprintf("https://doi.org/10.5194/os-%d-1-2020", i), "title": []string{p.Title},
				"abstract": "<jats:title>Abstract</jats:title><jats:p>" + p.Snippet + "</jats:p>", "container-title": []string{"Ocean Science"}, "issued": object{"date-parts": [][]int{{2020, 1, 7}}}}
		}),
	}}
}

func pubmed(a *asked) any {
	if key := a.param("api_key"); key != "" && key != Key {
		return a.fail(http.StatusBadRequest, object{"error": "API key invalid", "api-key": key, "type": "eutils", "status": "Rejected"})
	}
	if a.param("db") != "pubmed" || a.param("retmode") != "json" {
		return a.fail(http.StatusBadRequest, "unknown database")
	}
	switch a.URL.Path {
	case "/entrez/eutils/esearch.fcgi":
		n, _ := strconv.Atoi(a.param("retmax"))
		ids := []string{}
		for i, p := range a.pages {
			if len(ids) < n && shares(a.param("term"), p.Title+" "+p.Snippet) {
				ids = append(ids, strconv.Itoa(30000000+i))
			}
		}
		return object{"header": object{"type": "esearch", "version": "0.3"}, "esearchresult": object{
			"count": strconv.Itoa(len(ids)), "retmax": strconv.Itoa(len(ids)), "retstart": "0", "idlist": ids, "translationset": []any{}, "querytranslation": a.param("term"),
			"errorlist": object{"phrasesnotfound": []any{}, "fieldsnotfound": []any{}}, "warninglist": object{"outputmessages": []string{"No items found."}}}}
	case "/entrez/eutils/esummary.fcgi":
		ids := strings.Split(a.param("id"), ",")
		result := object{"uids": ids}
		for _, id := range ids {
			at, err := strconv.Atoi(id)
			if at -= 30000000; err != nil || at < 0 || at >= len(a.pages) {
				result[id] = object{"uid": id, "error": "cannot get document summary"}
				continue
			}
			result[id] = object{"uid": id, "pubdate": "2018 Jul", "epubdate": "", "source": "J Tidal Res", "authors": []any{object{"name": "Author A", "authtype": "Author"}, object{"name": "Writer B", "authtype": "Author"}},
				"title": a.pages[at].Title, "volume": "9", "articleids": []any{object{"idtype": "pubmed", "idtypen": 1, "value": id}}}
		}
		return object{"header": object{"type": "esummary", "version": "0.3"}, "result": result}
	}
	return a.fail(http.StatusNotFound, "not found")
}
