package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ibid/agent"
	"ibid/budget"
	"ibid/llm"
	"ibid/llm/anthropic"
	"ibid/llm/openai"
)

// modelOps are the operations of the bank that model code answers.
var modelOps = map[string]func(*testing.T, failureCase){
	"model_response": modelResponse,
	"model_stream":   modelStream,
	"sse_text":       sseText,
	"model_error":    modelError,
	"retry_after":    retryAfter,
	"to_provider":    toProvider,
	"history_repair": toProvider,
}

// only skips a case that expects something that its mapping does not hold against the product.
func (c failureCase) only(t *testing.T, known ...string) {
	t.Helper()
	for key := range c.Expect {
		if !slices.Contains(known, key) {
			t.Skipf("not run: no mapping for the expectation %s of %s", key, c.str("op"))
		}
	}
}

// protocol makes the model of a case's provider.
func protocol(t *testing.T, name, url string) llm.Model {
	t.Helper()
	switch name {
	case "anthropic":
		return anthropic.New(anthropic.Config{Name: "anthropic/m", Model: "m", URL: url})
	case "", "openai":
		return openai.New(openai.Config{Name: "openai/m", Model: "m", URL: url})
	}
	t.Skipf("not run: no codec for %s", name)
	return nil
}

// taken is what came of an answer that the loop got over the wire, and of the requests that it made.
type taken struct {
	answer   agent.Answer
	executed []string
	results  map[string]llm.ToolResult
	requests [][]byte
	ledger   *budget.Ledger
	offered  int // requests that offered tools
}

// take serves body, and after it a final answer (or body for ever), to a loop with these tools.
func take(t *testing.T, provider string, body []byte, forever bool, prompt string, tools ...string) taken {
	t.Helper()
	got := taken{results: map[string]llm.ToolResult{}, ledger: budget.NewLedger(budget.Limits{Steps: 12}, budget.Amount{Steps: 1})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got.requests = append(got.requests, request)
		if !bytes.Contains(request, []byte(`"tool_choice":"none"`)) {
			got.offered++
		}
		answer := body
		if len(got.requests) > 1 && !forever {
			answer = []byte(`{"choices":[{"index":0,"message":{"role":"assistant","content":"done"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`)
		}
		if _, err := w.Write(answer); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	session := &agent.Session{Lane: "lead", Ledger: got.ledger, Prompt: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: prompt}}}}}
	for _, name := range tools {
		var calls atomic.Int64
		var urls []string
		session.Tools = append(session.Tools, orderly{charged{name, budget.Amount{}, &calls, &urls}, &got.executed})
	}
	a, err := (&agent.Loop{Model: protocol(t, provider, server.URL), Attempts: 1}).Run(context.Background(), session)
	if err != nil {
		t.Fatal(err)
	}
	got.answer = a
	for _, m := range a.History {
		for _, b := range m.Blocks {
			if b.Result != nil {
				got.results[b.Result.ID] = *b.Result
			}
		}
	}
	return got
}

// orderly is a tool that notes the order in which its kind was used.
type orderly struct {
	charged
	order *[]string
}

func (r orderly) Admit(c agent.Call) (agent.Action, error) {
	action, err := r.charged.Admit(c)
	if err == nil {
		*r.order = append(*r.order, r.name)
	}
	return action, err
}

func modelResponse(t *testing.T, c failureCase) {
	if c.str("provider") == "openai_responses" {
		search, ok := searchOps["openai_responses"] // a provider's own search is a search provider
		if !ok {
			t.Skip("not run: no mapping for a provider's own search")
		}
		search(t, c)
		return
	}
	c.only(t, "executed", "errors", "every_call_answered", "message_not_contains", "max_consecutive_bad_turns", "asks_to_reissue",
		"call_3_error_contains", "call_4_error_contains", "crash", "history_tool_names_valid", "text")
	body := c.file(t, strs(c.Input["files"])[0])
	resp, err := protocol(t, c.str("provider"), "http://provider.example").Decode(body)
	if err != nil {
		t.Fatal(err)
	}
	tools := strs(c.Input["tools"])
	if tools == nil {
		for _, call := range resp.Calls() {
			tools = append(tools, call.Name)
		}
	}
	got := take(t, c.str("provider"), body, false, "question", tools...)
	if want, ok := c.Expect["executed"]; ok && !slices.Equal(got.executed, strs(want)) {
		t.Errorf("executed %v, want %v", got.executed, want)
	}
	if want, ok := c.Expect["text"].(string); ok && resp.Text() != want {
		t.Errorf("text %q, want %q", resp.Text(), want)
	}
	errors, _ := c.Expect["errors"].(map[string]any)
	for id, kind := range errors {
		r := got.results[id]
		words := map[string]string{"invalid_json": "valid JSON", "truncated": "cut off"}[fmt.Sprint(kind)]
		if words == "" || !r.IsError || !strings.Contains(r.Content, words) {
			t.Errorf("%s: %+v, want an error of kind %v", id, r, kind)
		}
		for _, word := range strs(c.Expect["message_not_contains"]) {
			if strings.Contains(strings.ToLower(r.Content), word) {
				t.Errorf("%s speaks of %q: %s", id, word, r.Content)
			}
		}
		if c.Expect["asks_to_reissue"] == true && !strings.Contains(r.Content, "again") {
			t.Errorf("%s does not ask for the call again: %s", id, r.Content)
		}
	}
	for _, n := range []string{"3", "4"} {
		for _, word := range strs(c.Expect["call_"+n+"_error_contains"]) {
			if r := got.results["call_"+n]; !r.IsError || !strings.Contains(r.Content, word) {
				t.Errorf("call_%s: %+v does not name %s", n, r, word)
			}
		}
	}
	history := sent(t, got.requests[len(got.requests)-1])
	if len(resp.Calls()) > 0 && len(got.requests) < 2 || len(history.calls) < len(resp.Calls()) || !slices.Equal(history.calls, history.results) {
		t.Errorf("calls %v, answered %v", history.calls, history.results)
	}
	if pattern, ok := c.Expect["history_tool_names_valid"].(string); ok {
		for _, name := range history.names {
			if !regexp.MustCompile(pattern).MatchString(name) {
				t.Errorf("the next request holds the tool name %q", name)
			}
		}
	}
	if most, ok := c.Expect["max_consecutive_bad_turns"].(float64); ok {
		if again := take(t, c.str("provider"), onlyBad(t, body), true, "question", tools...); float64(again.offered) > most || len(again.executed) > 0 {
			t.Errorf("%d turns with nothing but bad calls, want at most %v", again.offered, most)
		}
	}
}

// onlyBad takes the calls whose arguments are JSON out of an answer.
func onlyBad(t *testing.T, body []byte) []byte {
	t.Helper()
	var answer map[string]any
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	message := answer["choices"].([]any)[0].(map[string]any)["message"].(map[string]any)
	message["tool_calls"] = slices.DeleteFunc(message["tool_calls"].([]any), func(v any) bool {
		args := v.(map[string]any)["function"].(map[string]any)["arguments"].(string)
		return json.Valid([]byte(args))
	})
	out, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// wireHistory is what a request body of either protocol holds.
type wireHistory struct {
	roles, names, calls, results []string
	texts, contents              []string // of text blocks, of results
}

func sent(t *testing.T, body []byte) (h wireHistory) {
	t.Helper()
	var request struct {
		Messages []struct {
			Role    string
			ID      string `json:"tool_call_id"`
			Content any
			Calls   []struct {
				ID       string
				Function struct{ Name string }
			} `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	for _, m := range request.Messages {
		if m.Role == "tool" {
			h.results = append(h.results, m.ID)
			h.contents = append(h.contents, fmt.Sprint(m.Content))
			continue
		}
		h.roles = append(h.roles, m.Role)
		for _, call := range m.Calls {
			h.names, h.calls = append(h.names, call.Function.Name), append(h.calls, call.ID)
		}
		if text, ok := m.Content.(string); ok {
			h.texts = append(h.texts, text)
		}
		blocks, _ := m.Content.([]any)
		for _, v := range blocks {
			b := v.(map[string]any)
			switch b["type"] {
			case "text":
				h.texts = append(h.texts, fmt.Sprint(b["text"]))
			case "tool_use":
				h.names, h.calls = append(h.names, fmt.Sprint(b["name"])), append(h.calls, fmt.Sprint(b["id"]))
			case "tool_result":
				h.results, h.contents = append(h.results, fmt.Sprint(b["tool_use_id"])), append(h.contents, fmt.Sprint(b["content"]))
			}
		}
	}
	return h
}

func modelStream(t *testing.T, c failureCase) {
	c.only(t, "tool_calls", "tool_calls_named", "ids_unique", "usage", "usage_state", "text", "budget_charged_tokens_min", "cost_label")
	files := []string{c.str("stream")}
	if also := c.str("also_response"); also != "" {
		files = append(files, also)
	}
	for i, name := range files {
		stream := c.file(t, name)
		resp, err := protocol(t, c.str("provider"), "http://provider.example").Decode(stream)
		if err != nil {
			t.Fatal(err)
		}
		streamedCalls(t, c, resp)
		if want, ok := c.Expect["text"].(string); ok && resp.Text() != want {
			t.Errorf("text %q, want %q", resp.Text(), want)
		}
		if want, ok := c.Expect["usage"].(map[string]any); ok {
			in := resp.Usage.In + resp.Usage.CacheRead + resp.Usage.CacheWrite
			if float64(in) != want["prompt_tokens"] || float64(resp.Usage.Out) != want["completion_tokens"] {
				t.Errorf("usage %+v, want %v", resp.Usage, want)
			}
		}
		state := c.Expect["usage_state"]
		if states := strs(state); states != nil {
			state = states[i]
		}
		if state != nil && resp.Usage.Known != (state == "reported") {
			t.Errorf("usage of %s: %+v, want %v", name, resp.Usage, state)
		}
		if least, ok := c.Expect["budget_charged_tokens_min"].(float64); ok {
			chars, _ := c.Input["prompt_chars"].(float64)
			got := take(t, c.str("provider"), stream, false, strings.Repeat("x", int(chars)))
			if spent := got.ledger.Spent().Tokens; float64(spent) < least {
				t.Errorf("%s: %d tokens charged, want at least %v", name, spent, least)
			}
			if c.Expect["cost_label"] == "estimated" && !got.answer.Guessed {
				t.Errorf("%s: what it cost is not said to be estimated", name)
			}
		}
	}
}

func streamedCalls(t *testing.T, c failureCase, resp llm.Response) {
	t.Helper()
	calls := resp.Calls()
	if list, ok := c.Expect["tool_calls"].([]any); ok {
		if len(calls) != len(list) {
			t.Fatalf("calls %+v, want %v", calls, list)
		}
		for i, v := range list {
			want := v.(map[string]any)
			var args any
			if err := json.Unmarshal([]byte(calls[i].Args), &args); err != nil || calls[i].ID != want["id"] || calls[i].Name != want["name"] || fmt.Sprint(args) != fmt.Sprint(want["args"]) {
				t.Errorf("call %+v, want %v, %v", calls[i], want, err)
			}
		}
	}
	var names []string
	ids := map[string]bool{}
	for _, call := range calls {
		names = append(names, call.Name)
		if call.ID != "" && ids[call.ID] && c.Expect["ids_unique"] == true {
			t.Errorf("the id %s is there twice", call.ID)
		}
		ids[call.ID] = true
	}
	if want, ok := c.Expect["tool_calls_named"]; ok && !slices.Equal(names, strs(want)) {
		t.Errorf("calls %v, want %v", names, want)
	}
}
