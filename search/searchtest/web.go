package searchtest

import (
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"ibid/search"
)

// The servers of the web search engines. Each answer has the fields of the provider's documentation, also those that
// nobody reads.

type object = map[string]any

func serply(a *asked) any {
	switch {
	case a.Header.Get("X-Api-Key") != Key:
		return a.fail(http.StatusUnauthorized, object{"message": "Unauthorized"})
	case a.URL.Path != "/v1/search" || a.param("q") == "" || a.UserAgent() == "":
		return a.fail(http.StatusBadRequest, object{"error": "Missing parameter"})
	}
	n, _ := strconv.Atoi(a.param("num"))
	return object{
		"results": list(a.find(a.param("q"), n), func(i int, p search.Result) object {
			return object{"title": p.Title, "link": p.URL, "description": p.Snippet, "additional_links": []any{}, "cite": object{}, "position": i + 1, "realPosition": i + 1}
		}),
		"ads": []any{}, "total": 3, "answers": []any{}, "related_searches": object{}, "ts": 1.2, "device_region": "US",
	}
}

func tavily(a *asked) any {
	query, _ := a.body["query"].(string)
	n, _ := a.body["max_results"].(float64)
	switch {
	case a.Header.Get("Authorization") != "Bearer "+Key:
		return a.fail(http.StatusUnauthorized, object{"detail": object{"error": "Unauthorized: missing or invalid API key."}})
	case a.Method != http.MethodPost || a.URL.Path != "/search":
		return a.fail(http.StatusNotFound, object{"detail": "Not Found"})
	case utf8.RuneCountInString(query) > 400:
		return a.fail(http.StatusBadRequest, object{"detail": object{"error": "Query is too long. Max query length is 400 characters."}})
	case n > 20:
		return a.fail(http.StatusUnprocessableEntity, object{"detail": "max_results"})
	}
	return object{
		"query": query, "follow_up_questions": nil, "answer": nil, "images": []any{},
		"results": list(a.find(query, int(n)), func(i int, p search.Result) object {
			return object{"url": p.URL, "title": p.Title, "content": p.Snippet, "score": 0.9 - float64(i)/10, "raw_content": nil}
		}),
		"response_time": 0.7, "request_id": "1a2b", "usage": object{"credits": 1},
	}
}

func brave(a *asked) any {
	failure := func(status int, code, detail string) any {
		return a.fail(status, object{"type": "ErrorResponse", "error": object{"id": "5d83", "code": code, "detail": detail, "status": status, "meta": object{"component": "authentication"}}, "time": 1663072993})
	}
	query := a.param("q")
	n, err := strconv.Atoi(a.param("count"))
	switch {
	case a.Header.Get("X-Subscription-Token") != Key:
		return failure(http.StatusUnprocessableEntity, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.")
	case a.URL.Path != "/res/v1/web/search" || err != nil || n < 1 || n > 20 || utf8.RuneCountInString(query) > 400 || len(strings.Fields(query)) > 50 || query == "":
		return failure(http.StatusUnprocessableEntity, "VALIDATION", "Unable to validate request parameter(s)")
	}
	v := object{"type": "search", "query": object{"original": query, "more_results_available": false}, "mixed": object{"type": "mixed", "main": []any{}}}
	if found := a.find(query, n); len(found) > 0 {
		v["web"] = object{"type": "search", "family_friendly": true, "results": list(found, func(_ int, p search.Result) object {
			return object{"title": p.Title, "url": p.URL, "description": "<strong>" + p.Snippet + "</strong>", "is_source_local": false, "profile": object{"name": "x", "url": p.URL},
				"language": "en", "age": "May 2, 2025", "meta_url": object{"hostname": "x"}, "extra_snippets": []any{"more"}}
		})}
	}
	return v
}

func exa(a *asked) any {
	query, _ := a.body["query"].(string)
	n, _ := a.body["numResults"].(float64)
	switch {
	case a.Header.Get("x-api-key") != Key:
		return a.fail(http.StatusUnauthorized, object{"requestId": "r", "error": "Invalid API key", "tag": "INVALID_API_KEY"})
	case a.Method != http.MethodPost || a.URL.Path != "/search" || query == "" || n < 1:
		return a.fail(http.StatusBadRequest, object{"requestId": "r", "error": "Invalid request body", "tag": "INVALID_REQUEST_BODY"})
	}
	return object{
		"requestId": "b5947044c4b78efa9552a7c89b306d95", "resolvedSearchType": "neural", "searchType": "auto",
		"results": list(a.find(query, int(n)), func(_ int, p search.Result) object {
			return object{"title": p.Title, "url": p.URL, "publishedDate": "2023-11-16T01:36:32.547Z", "author": "", "id": p.URL, "image": "https://x.example/i.png",
				"highlights": []string{p.Snippet}, "highlightScores": []float64{0.46}}
		}),
		"costDollars": object{"total": 0.007, "breakDown": []any{}},
	}
}

func serper(a *asked) any {
	query, _ := a.body["q"].(string)
	n, _ := a.body["num"].(float64)
	if a.Header.Get("X-API-KEY") != Key {
		return a.fail(http.StatusForbidden, object{"message": "Unauthorized.", "statusCode": 403})
	}
	v := object{"searchParameters": object{"q": query, "type": "search", "num": n, "engine": "google"}, "credits": 1}
	if found := a.find(query, int(n)); len(found) > 0 {
		v["organic"] = list(found, func(i int, p search.Result) object {
			return object{"title": p.Title, "link": p.URL, "snippet": p.Snippet, "date": "Mar 1, 2024", "position": i + 1, "sitelinks": []any{}}
		})
	}
	return v
}

func searxng(a *asked) any {
	if a.URL.Path != "/search" || a.param("format") != "json" {
		a.kind = "text/html"
		return a.fail(http.StatusForbidden, "<!doctype html><title>403 Forbidden</title><h1>Forbidden</h1>")
	}
	found := a.find(a.param("q"), len(a.pages))
	return object{
		"query": a.param("q"), "number_of_results": 0,
		"results": list(found, func(i int, p search.Result) object {
			return object{"url": p.URL, "title": p.Title, "content": p.Snippet, "thumbnail": "", "engine": "mojeek", "template": "default.html", "parsed_url": []string{"https", "x", "/", "", "", ""},
				"img_src": "", "priority": "", "engines": []string{"mojeek"}, "positions": []int{i + 1}, "score": 1.0, "category": "general", "publishedDate": nil}
		}),
		"answers": []any{}, "corrections": []any{}, "infoboxes": []any{}, "suggestions": []any{}, "unresponsive_engines": []any{},
	}
}

func anthropic(a *asked) any {
	failure := func(status int, kind, message string) any {
		return a.fail(status, object{"type": "error", "error": object{"type": kind, "message": message}, "request_id": "req_1"})
	}
	tools, _ := a.body["tools"].([]any)
	messages, _ := a.body["messages"].([]any)
	switch {
	case a.Header.Get("x-api-key") != Key:
		return failure(http.StatusUnauthorized, "authentication_error", "invalid x-api-key")
	case a.URL.Path != "/v1/messages":
		return failure(http.StatusNotFound, "not_found_error", "Not found")
	case a.Header.Get("anthropic-version") != "2023-06-01" || a.body["model"] == nil || a.body["max_tokens"] == nil || len(tools) != 1 || len(messages) != 1:
		return failure(http.StatusBadRequest, "invalid_request_error", "a field is required")
	}
	message, _ := messages[0].(object)
	query, _ := message["content"].(string)
	query = asks(query)
	return object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": a.body["model"],
		"content": []any{
			object{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": object{"query": query}},
			object{"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": list(a.find(query, 10), func(_ int, p search.Result) object {
				return object{"type": "web_search_result", "title": p.Title, "url": p.URL, "encrypted_content": "EqgfCioIARgB", "page_age": "April 30, 2025"}
			})},
			object{"type": "text", "text": "done"},
		},
		"stop_reason": "end_turn", "stop_sequence": nil,
		"usage": object{"input_tokens": 2200, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 300, "output_tokens": 60, "server_tool_use": object{"web_search_requests": 1}},
	}
}

func openai(a *asked) any {
	input, _ := a.body["input"].(string)
	switch {
	case a.Header.Get("Authorization") != "Bearer "+Key:
		return a.fail(http.StatusUnauthorized, object{"error": object{"message": "Incorrect API key provided: " + a.Header.Get("Authorization"), "type": "invalid_request_error", "param": nil, "code": "invalid_api_key"}})
	case a.URL.Path != "/responses" || a.body["model"] == nil || input == "":
		return a.fail(http.StatusBadRequest, object{"error": object{"message": "Missing required parameter", "type": "invalid_request_error", "param": "model", "code": "missing_required_parameter"}})
	}
	query := asks(input)
	found := a.find(query, 10)
	notes := []any{}
	if len(found) > 0 {
		notes = append(notes, object{"type": "url_citation", "start_index": 0, "end_index": 4, "url": found[0].URL + "?utm_source=openai", "title": found[0].Title})
	}
	return object{
		"id": "resp_1", "object": "response", "created_at": 1780000000, "status": "completed", "error": nil, "incomplete_details": nil, "model": a.body["model"],
		"output": []any{
			object{"id": "rs_1", "type": "reasoning", "summary": []any{}},
			object{"id": "ws_1", "type": "web_search_call", "status": "completed", "action": object{"type": "search", "query": query, "queries": []string{query},
				"sources": list(found, func(_ int, p search.Result) object { return object{"type": "url", "url": p.URL} })}},
			object{"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": []any{object{"type": "output_text", "text": "done", "annotations": notes, "logprobs": []any{}}}},
		},
		"usage": object{"input_tokens": 8000, "input_tokens_details": object{"cached_tokens": 1000}, "output_tokens": 90, "output_tokens_details": object{"reasoning_tokens": 64}, "total_tokens": 8090},
	}
}

// asks takes the query out of what a model was told: its second paragraph.
func asks(prompt string) string {
	paragraphs := strings.Split(prompt, "\n\n")
	if len(paragraphs) < 2 {
		return ""
	}
	return paragraphs[1]
}
