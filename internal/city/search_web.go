package city

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// webEngines are the providers that search the whole web.
func webEngines() []engine {
	brave := func(w http.ResponseWriter, status int, code, detail string, meta map[string]any) {
		writeJSON(w, status, map[string]any{"type": "ErrorResponse", "time": created,
			"error": map[string]any{"id": "city", "status": status, "code": code, "detail": detail, "meta": meta}})
	}
	return []engine{
		{provider: "serply", route: "GET /v1/search", key: header("X-Api-Key"), answer: serply, denied: func(w http.ResponseWriter, _ bool) {
			writeJSON(w, 401, map[string]any{"detail": "Invalid API key"})
		}},
		{provider: "serply", route: "GET /v1/search/{query}", key: header("X-Api-Key"), answer: serply, denied: func(w http.ResponseWriter, _ bool) {
			writeJSON(w, 401, map[string]any{"detail": "Invalid API key"})
		}},
		{provider: "tavily", route: "POST /search", key: tavilyKey, answer: tavily,
			denied: func(w http.ResponseWriter, _ bool) {
				tavilyError(w, 401, "Unauthorized: missing or invalid API key.")
			},
			fault: func(w http.ResponseWriter, f Fault) bool {
				switch f {
				case RateLimited:
					tavilyError(w, 429, "Your request has been blocked due to excessive requests. Please reduce the rate of requests.")
				case Quota:
					tavilyError(w, 432, "This request exceeds your plan's set usage limit. Please upgrade your plan or contact support@tavily.com")
				default:
					tavilyError(w, 500, "Internal Server Error")
				}
				return true
			}},
		{provider: "brave", route: "GET /res/v1/web/search", key: header("X-Subscription-Token"), answer: braveSearch,
			denied: func(w http.ResponseWriter, missing bool) {
				if missing {
					brave(w, 422, "VALIDATION", "Unable to validate request parameter(s)", map[string]any{
						"errors": []any{map[string]any{"type": "missing", "loc": []string{"header", "x-subscription-token"}, "msg": "Field required"}}})
					return
				}
				brave(w, 422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.", map[string]any{"component": "authentication"})
			},
			fault: func(w http.ResponseWriter, f Fault) bool {
				switch f {
				case RateLimited:
					brave(w, 429, "RATE_LIMITED", "Request rate limit exceeded for plan.", map[string]any{"component": "rate_limiter", "plan": "Free", "rate_limit": 1, "rate_current": 1, "quota_limit": 2000, "quota_current": 12})
				case Quota:
					w.Header().Del("Retry-After")
					brave(w, 429, "QUOTA_LIMITED", "Request quota limit exceeded for plan.", map[string]any{"component": "rate_limiter", "plan": "Free", "rate_limit": 1, "rate_current": 0, "quota_limit": 2000, "quota_current": 2000})
				default:
					return false
				}
				return true
			}},
		{provider: "exa", route: "POST /search", key: exaKey, answer: exa,
			denied: func(w http.ResponseWriter, missing bool) {
				exaError(w, 401, "INVALID_API_KEY", "x-api-key header is missing or invalid")
			},
			fault: func(w http.ResponseWriter, f Fault) bool {
				switch f {
				case RateLimited:
					exaError(w, 429, "RATE_LIMIT_EXCEEDED", "You've exceeded your Exa rate limit of 10 requests per second.")
				case Quota:
					exaError(w, 402, "NO_MORE_CREDITS", "You have exceeded your credits limit. Please top up your account.")
				default:
					exaError(w, 500, "INTERNAL_ERROR", "An unexpected error occurred.")
				}
				return true
			}},
		{provider: "serper", route: "POST /search", key: header("X-Api-Key"), answer: serper,
			denied: func(w http.ResponseWriter, _ bool) { serperError(w, 403, "Unauthorized.") },
			fault: func(w http.ResponseWriter, f Fault) bool {
				switch f {
				case RateLimited:
					serperError(w, 429, "Too many requests")
				case Quota:
					serperError(w, 400, "Not enough credits")
				default:
					serperError(w, 500, "Internal Server Error")
				}
				return true
			}},
		{provider: "searxng", route: "GET /search", answer: searxng},
	}
}

func serply(c *City, w http.ResponseWriter, q asked) {
	if q.Header.Get("User-Agent") == "" {
		writeJSON(w, 403, map[string]any{"detail": "a User-Agent is required"})
		return
	}
	query, n := q.query.Get("q"), q.limit("num", 10)
	if old, found := strings.CutPrefix(q.PathValue("query"), "q="); found { // the older form has the parameters in the path
		query, _, _ = strings.Cut(old, "&")
	}
	list := []any{}
	for i, r := range c.hits(q, query, n) {
		list = append(list, map[string]any{"title": r.Title, "link": r.URL, "description": r.Snippet, "additional_links": []any{}, "cite": map[string]any{"domain": siteOf(r.URL)}, "position": i + 1, "realPosition": i + 1})
	}
	writeJSON(w, 200, map[string]any{"results": list, "total": len(list), "image_results": []any{}, "answers": []any{}, "ts": 1.5, "device_region": nil, "device_type": nil})
}

func tavilyKey(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func tavilyError(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, map[string]any{"detail": map[string]any{"error": text}})
}

func tavily(c *City, w http.ResponseWriter, q asked) {
	query, ok := q.body.text("query")
	n := q.limit("max_results", 5)
	depth, _ := q.body.text("search_depth")
	switch {
	case !ok || query == "":
		tavilyError(w, 400, "Query is missing.")
		return
	case len([]rune(query)) > 400:
		tavilyError(w, 400, "Query is too long. Max query length is 400 characters.")
		return
	case n < 0 || n > 20:
		tavilyError(w, 400, "Invalid max_results. Must be between 0 and 20.")
		return
	}
	list := []any{}
	for i, r := range c.hits(q, query, n) {
		list = append(list, map[string]any{"url": r.URL, "title": r.Title, "content": r.Snippet, "score": 0.95 - 0.05*float64(i), "raw_content": nil})
	}
	answer := map[string]any{"query": query, "follow_up_questions": nil, "answer": nil, "images": []any{}, "results": list, "response_time": 0.81, "request_id": "city-1"}
	if q.body.flag("include_usage") {
		answer["usage"] = map[string]any{"credits": map[bool]int{true: 2, false: 1}[depth == "advanced"]}
	}
	writeJSON(w, 200, answer)
}

func braveSearch(c *City, w http.ResponseWriter, q asked) {
	n := q.limit("count", 20)
	query := q.query.Get("q")
	if query == "" || len([]rune(query)) > 400 || n < 1 || n > 20 {
		writeJSON(w, 422, map[string]any{"type": "ErrorResponse", "time": created, "error": map[string]any{"id": "city", "status": 422, "code": "VALIDATION",
			"detail": "Unable to validate request parameter(s)", "meta": map[string]any{"errors": []any{map[string]any{"type": "value_error", "loc": []string{"query"}, "msg": "q: 1 to 400 characters; count: 1 to 20"}}}}})
		return
	}
	w.Header().Set("X-RateLimit-Limit", "1, 2000")
	w.Header().Set("X-RateLimit-Remaining", "0, 1988")
	w.Header().Set("X-RateLimit-Reset", "1, 1209600")
	answer := map[string]any{"type": "search", "query": map[string]any{"original": query, "more_results_available": false}}
	list := []any{}
	for _, r := range c.hits(q, query, n) {
		list = append(list, map[string]any{"type": "search_result", "subtype": "generic", "title": r.Title, "url": r.URL, "description": "<strong>" + r.Snippet + "</strong>", "is_source_local": false,
			"is_source_both": false, "language": "en", "family_friendly": true, "profile": map[string]any{"name": siteOf(r.URL), "url": r.URL, "long_name": siteOf(r.URL)}, "age": "October 1, 2025", "extra_snippets": []string{r.Snippet}})
	}
	if len(list) > 0 { // without web results the member is missing
		answer["web"] = map[string]any{"type": "search", "results": list, "family_friendly": true}
	}
	writeJSON(w, 200, answer)
}

func exaKey(r *http.Request) string {
	if key := r.Header.Get("X-Api-Key"); key != "" {
		return key
	}
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func exaError(w http.ResponseWriter, status int, tag, text string) {
	writeJSON(w, status, map[string]any{"requestId": "city-1", "error": text, "tag": tag})
}

func exa(c *City, w http.ResponseWriter, q asked) {
	query, ok := q.body.text("query")
	if !ok || query == "" {
		exaError(w, 400, "INVALID_REQUEST_BODY", "Invalid request body: query is required")
		return
	}
	n := q.limit("numResults", 10)
	if n < 1 || n > 100 {
		exaError(w, 400, "INVALID_NUM_RESULTS", "numResults must be between 1 and 100")
		return
	}
	contents, _ := object(q.body["contents"])
	list := []any{}
	for i, r := range c.hits(q, query, n) {
		hit := map[string]any{"id": r.URL, "title": r.Title, "url": r.URL, "publishedDate": "2025-10-01T00:00:00.000Z", "author": nil, "score": 0.4 - 0.01*float64(i)}
		if contents.has("text") {
			hit["text"] = r.Snippet
		}
		if contents.has("highlights") {
			hit["highlights"], hit["highlightScores"] = []string{r.Snippet}, []float64{0.5}
		}
		list = append(list, hit)
	}
	writeJSON(w, 200, map[string]any{"requestId": "city-1", "resolvedSearchType": "neural", "results": list, "searchTime": 812.5,
		"costDollars": map[string]any{"total": 0.007, "search": map[string]any{"neural": 0.007}}})
}

func serperError(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, map[string]any{"message": text, "statusCode": status})
}

func serper(c *City, w http.ResponseWriter, q asked) {
	query, ok := q.body.text("q")
	if !ok || query == "" {
		serperError(w, 400, "Missing query parameter")
		return
	}
	list := []any{}
	for i, r := range c.hits(q, query, q.limit("num", 10)) {
		list = append(list, map[string]any{"title": r.Title, "link": r.URL, "snippet": r.Snippet, "date": "Oct 1, 2025", "position": i + 1})
	}
	writeJSON(w, 200, map[string]any{"searchParameters": map[string]any{"q": query, "type": "search", "engine": "google"}, "organic": list, "credits": 1})
}

func searxng(c *City, w http.ResponseWriter, q asked) {
	query := q.query.Get("q")
	switch q.query.Get("format") {
	case "json":
	case "":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!DOCTYPE html><title>" + strconv.Quote(query) + " - SearXNG</title>"))
		return
	default:
		http.Error(w, "Forbidden", http.StatusForbidden)
		return
	}
	if query == "" {
		writeJSON(w, 400, map[string]any{"error": "No query"})
		return
	}
	list := []any{}
	for i, r := range c.hits(q, query, 10) { // it takes no limit
		list = append(list, map[string]any{"url": r.URL, "title": r.Title, "content": r.Snippet, "engine": "city", "template": "default.html", "parsed_url": []string{"http", siteOf(r.URL), "", "", "", ""},
			"engines": []string{"city"}, "positions": []int{i + 1}, "score": 1 / float64(i+1), "category": "general", "publishedDate": nil})
	}
	silent := []any{}
	if q.fault == Degraded || q.fault == Dead {
		silent = []any{[]string{"google", "CAPTCHA"}, []string{"brave", "too many requests"}}
	}
	writeJSON(w, 200, map[string]any{"query": query, "number_of_results": 0, "results": list, "answers": []any{}, "corrections": []any{}, "infoboxes": []any{}, "suggestions": []any{}, "unresponsive_engines": silent})
}

// marked marks the words of a query in a snippet, as encyclopaedias do.
func marked(s, query string) string {
	asked := map[string]bool{}
	for _, w := range wordsOf(query) {
		asked[w] = true
	}
	fields := strings.Fields(s)
	for i, f := range fields {
		if ws := wordsOf(f); len(ws) == 1 && asked[ws[0]] {
			fields[i] = fmt.Sprintf(`<span class="searchmatch">%s</span>`, f)
		}
	}
	return strings.Join(fields, " ")
}
