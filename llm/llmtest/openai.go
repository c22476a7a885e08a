package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"

	"ibid/llm"
)

// OpenAI speaks Chat Completions.
func OpenAI() Dialect {
	failure := func(kind, message string) []byte {
		return line(map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": nil}})
	}
	return Dialect{
		Path:     "/chat/completions",
		Answer:   openaiAnswer,
		Stream:   openaiStream,
		Terminal: `data: {"choices":[{"delta":{},"finish_reason"`,
		Failure:  failure,
		Broken: func(kind, message string) []byte {
			return []byte("data: " + string(failure(kind, message)) + "\n\n")
		},
		Raw: json.RawMessage(`{"chat_message":{"reasoning_content":"first <this>, then that"}}`),
		Kinds: map[llm.ErrorKind]string{
			llm.RateLimited: "rate_limit_exceeded", llm.Overloaded: "service_unavailable_error", llm.Server: "server_error",
			llm.BadRequest: "invalid_request_error", llm.Auth: "authentication_error",
		},
	}
}

var openaiFinish = map[llm.Stop]string{llm.StopEnd: "stop", llm.StopTools: "tool_calls", llm.StopLength: "length", llm.StopRefusal: "content_filter"}

func openaiUsage(u llm.Usage) map[string]any {
	if !u.Known {
		return nil
	}
	prompt := u.In + u.CacheRead + u.CacheWrite
	return map[string]any{"prompt_tokens": prompt, "completion_tokens": u.Out, "total_tokens": prompt + u.Out,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning}}
}

// openaiMessage takes an answer apart: text, calls, and further fields of the message.
func openaiMessage(r llm.Response) (text string, calls []map[string]any, fields map[string]string) {
	for _, b := range r.Blocks {
		switch {
		case b.Call != nil:
			calls = append(calls, map[string]any{"id": b.Call.ID, "type": "function", "function": map[string]any{"name": b.Call.Name, "arguments": b.Call.Args}})
		case b.Raw != nil:
			var own struct {
				Fields map[string]string `json:"chat_message"`
			}
			if err := json.Unmarshal(b.Raw, &own); err != nil {
				panic(err)
			}
			fields = own.Fields
		default:
			text += b.Text
		}
	}
	return text, calls, fields
}

func openaiAnswer(r llm.Response) []byte {
	text, calls, fields := openaiMessage(r)
	message := map[string]any{"role": "assistant", "content": nil, "refusal": nil}
	if text != "" {
		message["content"] = text
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	for name, v := range fields {
		message[name] = v
	}
	return line(map[string]any{"id": "c1", "object": "chat.completion", "created": 1, "model": r.Model, "usage": openaiUsage(r.Usage),
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": openaiFinish[r.Stop]}}})
}

func openaiStream(r llm.Response) []byte {
	text, calls, fields := openaiMessage(r)
	var s strings.Builder
	chunk := func(delta map[string]any, finish any) {
		fmt.Fprintf(&s, "data: %s\n\n", line(map[string]any{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": r.Model,
			"usage": nil, "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}}))
	}
	chunk(map[string]any{"role": "assistant", "content": ""}, nil)
	for name, v := range fields {
		for _, piece := range pieces(v) {
			chunk(map[string]any{name: piece}, nil)
		}
	}
	for _, piece := range pieces(text) {
		chunk(map[string]any{"content": piece}, nil)
	}
	for i, c := range calls {
		function := c["function"].(map[string]any)
		for j, piece := range pieces(function["arguments"].(string)) {
			call := map[string]any{"index": i, "function": map[string]any{"arguments": piece}}
			if j == 0 {
				call = map[string]any{"index": i, "id": c["id"], "type": "function", "function": map[string]any{"name": function["name"], "arguments": piece}}
			}
			chunk(map[string]any{"tool_calls": []any{call}}, nil)
		}
	}
	chunk(map[string]any{}, openaiFinish[r.Stop])
	if usage := openaiUsage(r.Usage); usage != nil {
		fmt.Fprintf(&s, "data: %s\n\n", line(map[string]any{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": r.Model, "choices": []any{}, "usage": usage}))
	}
	s.WriteString("data: [DONE]\n\n")
	return []byte(s.String())
}
