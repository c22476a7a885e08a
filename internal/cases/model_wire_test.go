package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid/llm"
	"ibid/llm/openai"
)

// piecewise is a connection that hands over a text in reads that end where it is told.
type piecewise struct {
	text []byte
	cuts []int
}

func (p piecewise) RoundTrip(*http.Request) (*http.Response, error) {
	var readers []io.Reader
	last := 0
	for _, cut := range append(p.cuts, len(p.text)) {
		readers = append(readers, bytes.NewReader(p.text[last:cut]))
		last = cut
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(io.MultiReader(readers...))}, nil
}

func sseText(t *testing.T, c failureCase) {
	c.only(t, "text")
	var cuts map[string][]int
	c.json(t, "cuts", &cuts)
	want, _ := c.Expect["text"].(map[string]any)
	read := func(name string, at []int) {
		t.Helper()
		m := openai.New(openai.Config{Name: "m", Model: "m", URL: "http://provider.example", Stream: true, Client: &http.Client{Transport: piecewise{c.file(t, name), at}}})
		body, err := m.Send(context.Background(), []byte("{}"), "")
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := m.Decode(body); err != nil || resp.Text() != want[name] {
			t.Errorf("%s cut at %v: %q, %v, want %q", name, at, resp.Text(), err, want[name])
		}
	}
	for name := range want {
		read(name, cuts[name])
		if c.str("also") != "" {
			for i := range c.file(t, name) {
				read(name, []int{i})
			}
		}
	}
}

func modelError(t *testing.T, c failureCase) {
	c.only(t, "all", "negative_all", "third_may")
	kinds := map[any]llm.ErrorKind{"context_overflow": llm.TooLong, "bad_request": llm.BadRequest, "rate_limited": llm.RateLimited,
		"overloaded": llm.Overloaded, "server_error": llm.Server, "auth": llm.Auth, "quota": llm.Quota}
	for _, list := range [][2]string{{"errors", "all"}, {"negative", "negative_all"}} {
		if c.str(list[0]) == "" {
			continue
		}
		want, known := kinds[c.Expect[list[1]]]
		if !known {
			t.Skipf("not run: no mapping for errors of kind %v", c.Expect[list[1]])
		}
		var errors []struct {
			Status int
			Body   json.RawMessage
		}
		c.json(t, list[0], &errors)
		for _, e := range errors {
			body := []byte(e.Body)
			var text string
			if json.Unmarshal(body, &text) == nil {
				body = []byte(text)
			}
			if got := llm.Failure(e.Status, http.Header{}, body, nowUTC()); got.Kind != want {
				t.Errorf("%d %s: %v, want %s", e.Status, e.Body, got, want)
			}
		}
	}
}

func retryAfter(t *testing.T, c failureCase) {
	c.only(t, "values_in_file", "none_means")
	now, err := time.Parse(time.RFC3339, c.str("now"))
	if err != nil {
		t.Fatal(err)
	}
	var headers [][2]any
	c.json(t, "headers", &headers)
	for _, h := range headers {
		want := h[1]
		if want == "cap" {
			want = c.Input["cap_s"]
		}
		got, ok := llm.RetryAfter(http.Header{"Retry-After": {fmt.Sprint(h[0])}}, now)
		if ok != (want != nil) || ok && got.Seconds() != want {
			t.Errorf("Retry-After %q: %v, %v, want %v", h[0], got, ok, want)
		}
	}
}

// toProvider sends a history that is written in the form of Chat Completions.
func toProvider(t *testing.T, c failureCase) {
	c.only(t, "empty_text_blocks", "tool_results", "tool_result_min_chars", "roles_alternate")
	var history []struct {
		Role    string
		Content *string
		ID      string `json:"tool_call_id"`
		Calls   []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	c.json(t, "history", &history)
	r := llm.Request{MaxTokens: 100}
	for _, h := range history {
		m := llm.Message{Role: llm.Role(h.Role)}
		content := ""
		if h.Content != nil {
			content = *h.Content
		}
		if h.Role == "tool" {
			m = llm.Message{Role: llm.User, Blocks: []llm.Block{{Result: &llm.ToolResult{ID: h.ID, Content: content}}}}
		} else {
			m.Blocks = append(m.Blocks, llm.Block{Text: content})
		}
		for _, call := range h.Calls {
			m.Blocks = append(m.Blocks, llm.Block{Call: &llm.ToolCall{ID: call.ID, Name: call.Function.Name, Args: call.Function.Arguments}})
		}
		r.Messages = append(r.Messages, m)
	}
	body, err := protocol(t, c.str("provider"), "http://provider.example").Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	got := sent(t, body)
	if want, ok := c.Expect["tool_results"].(float64); ok && len(got.results) != int(want) {
		t.Errorf("%d results, want %v: %s", len(got.results), want, body)
	}
	if !slices.Equal(got.calls, got.results) {
		t.Errorf("calls %v, answered %v", got.calls, got.results)
	}
	empty := 0
	for _, text := range got.texts {
		if strings.TrimSpace(text) == "" {
			empty++
		}
	}
	if want, ok := c.Expect["empty_text_blocks"].(float64); ok && empty != int(want) {
		t.Errorf("%d empty texts, want %v: %s", empty, want, body)
	}
	least, _ := c.Expect["tool_result_min_chars"].(float64)
	for _, content := range got.contents {
		if len(strings.TrimSpace(content)) < int(least) {
			t.Errorf("a result holds %q", content)
		}
	}
	for i, role := range got.roles {
		if want := []string{"user", "assistant"}[i%2]; c.Expect["roles_alternate"] == true && role != want {
			t.Errorf("roles %v do not alternate", got.roles)
		}
	}
}
