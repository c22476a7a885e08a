package city

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"

	"ibid/llm"
)

// searchResults is how many pages the model providers' own searches bring.
const searchResults = 8

// searchBlocks are the blocks of an answer for which the server searched: it says that it searches, the results come,
// and a text cites them.
func (c *City) searchBlocks(r *anthropicRequest) []map[string]any {
	query := wanted(lastText(r.request.Messages))
	id := "srvtoolu_city01"
	results := []any{}
	text := []map[string]any{}
	for i, hit := range c.library.results(query, searchResults) {
		hidden := base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("city page %d", i)))
		results = append(results, map[string]any{"type": "web_search_result", "url": hit.URL, "title": hit.Title, "encrypted_content": hidden, "page_age": "October 1, 2025"})
		text = append(text, map[string]any{"type": "text", "text": hit.Snippet, "citations": []any{
			map[string]any{"type": "web_search_result_location", "url": hit.URL, "title": hit.Title, "encrypted_index": hidden, "cited_text": hit.Snippet}}})
	}
	if len(text) == 0 {
		text = append(text, map[string]any{"type": "text", "text": "The search brought nothing."})
	}
	return append([]map[string]any{
		{"type": "text", "text": "I search the web for that."},
		{"type": "server_tool_use", "id": id, "name": "web_search", "input": map[string]any{"query": query}},
		{"type": "web_search_tool_result", "tool_use_id": id, "content": results},
	}, text...)
}

// wanted is what a model would search for: the paragraph after one that ends with a colon, or else all of the request.
func wanted(request string) string {
	paragraphs := strings.Split(request, "\n\n")
	for i, p := range paragraphs[:len(paragraphs)-1] {
		if strings.HasSuffix(p, ":") {
			return paragraphs[i+1]
		}
	}
	return request
}

// lastText is the last text that the user wrote.
func lastText(messages []llm.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		for _, b := range messages[i].Blocks {
			if messages[i].Role == llm.User && b.Text != "" {
				return b.Text
			}
		}
	}
	return ""
}

const responsesMembers = "model input instructions tools tool_choice include max_output_tokens max_tool_calls metadata parallel_tool_calls previous_response_id prompt_cache_key reasoning safety_identifier service_tier store stream stream_options temperature text top_logprobs top_p truncation user background"

// responses is POST /v1/responses, as far as a search needs it.
func (c *City) responses(w http.ResponseWriter, r *http.Request) {
	n, fault := c.begin("responses")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if e := openaiDoor(r); e != nil {
		c.refuseOpenAI(w, n, e)
		return
	}
	if c.openaiFault(w, r, n, fault) {
		return
	}
	query, model, sources, e := c.readResponses(body)
	if e != nil {
		c.refuseOpenAI(w, n, e)
		return
	}
	answer := c.searchItems(n, wanted(query), model, sources)
	use := llm.Usage{In: tokens(len(body)), Out: tokens(len(encode(answer["output"]))), Known: true}
	answer["usage"] = map[string]any{"input_tokens": use.In, "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens": use.Out,
		"output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": use.In + use.Out}
	c.note(n, func(m *ModelCall) { m.Usage, m.Status = told(fault, use), http.StatusOK })
	writeWhole(w, encode(answer), fault == Cut)
}

// readResponses checks a body and returns what is asked.
func (c *City) readResponses(body []byte) (query, model string, sources bool, e *refused) {
	f, ok := object(body)
	if !ok {
		return "", "", false, bad("We could not parse the JSON body of your request.")
	}
	if name := f.extra(responsesMembers); name != "" {
		return "", "", false, bad("Unknown parameter: '%s'.", name).about(name, "unknown_parameter")
	}
	if model, ok = f.text("model"); !ok || model == "" {
		return "", "", false, bad("Missing required parameter: 'model'.").about("model", "missing_required_parameter")
	}
	if f.flag("stream") {
		return "", "", false, bad("The city streams no searches.").about("stream", "unsupported_parameter")
	}
	searches := false
	tools, _ := f.list("tools")
	for i, raw := range tools {
		t, _ := object(raw)
		kind, _ := t.text("type")
		if !strings.HasPrefix(kind, "web_search") {
			return "", "", false, bad("Invalid value: '%s'. Supported values here are: 'web_search' and 'web_search_preview'.", kind).about(fmt.Sprintf("tools[%d].type", i), "invalid_value")
		}
		searches = true
	}
	if !searches {
		return "", "", false, bad("The city answers requests for a search only: a tool of type 'web_search' is wanted.").about("tools", "")
	}
	included, _ := f.list("include")
	for _, raw := range included {
		name, _ := asText(raw, true)
		sources = sources || name == "web_search_call.action.sources"
	}
	if query, ok = f.text("input"); ok && query != "" {
		return query, model, sources, nil
	}
	items, _ := f.list("input")
	for _, raw := range items {
		item, _ := object(raw)
		if role, _ := item.text("role"); role != "user" {
			continue
		}
		if text, ok := item.text("content"); ok {
			query = text
		}
		parts, _ := item.list("content")
		for _, raw := range parts {
			part, _ := object(raw)
			if text, ok := part.text("text"); ok {
				query = text
			}
		}
	}
	if query == "" {
		return "", "", false, bad("Missing required parameter: 'input'.").about("input", "missing_required_parameter")
	}
	return query, model, sources, nil
}

// searchItems are the items of an answer: a search, an item without an action as the service also sends them, and a
// message whose annotations cite.
func (c *City) searchItems(n int, query, model string, sources bool) map[string]any {
	action := map[string]any{"type": "search", "query": query, "queries": []string{query}}
	hits := c.library.results(query, searchResults)
	list, cites := []any{}, []any{}
	var text strings.Builder
	at := 0 // in characters
	write := func(s string) {
		text.WriteString(s)
		at += len([]rune(s))
	}
	for _, h := range hits {
		list = append(list, map[string]any{"type": "url", "url": h.URL})
		write(h.Snippet + " ")
		from := at
		write("([" + siteOf(h.URL) + "](" + h.URL + "))")
		cites = append(cites, map[string]any{"type": "url_citation", "start_index": from, "end_index": at, "url": h.URL, "title": h.Title})
		write("\n\n")
	}
	if sources {
		action["sources"] = list
	}
	if len(hits) == 0 {
		write("The search brought nothing.")
	}
	output := []any{
		map[string]any{"id": "rs_city", "type": "reasoning", "summary": []any{}},
		map[string]any{"id": "ws_city1", "type": "web_search_call", "status": "completed", "action": action},
		map[string]any{"id": "ws_city2", "type": "web_search_call", "status": "completed"},
		map[string]any{"id": "msg_city", "type": "message", "status": "completed", "role": "assistant", "content": []any{
			map[string]any{"type": "output_text", "text": text.String(), "annotations": cites, "logprobs": []any{}}}},
	}
	return map[string]any{"id": fmt.Sprintf("resp_city%08d", n), "object": "response", "created_at": created, "status": "completed", "background": false, "error": nil, "incomplete_details": nil, "instructions": nil,
		"model": model, "output": output, "parallel_tool_calls": true, "store": true, "tool_choice": "auto", "tools": []any{map[string]any{"type": "web_search"}}}
}
