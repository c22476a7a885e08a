// Package llmtest holds the suite that every llm.Model passes, and speaks for the providers in it: their wire formats,
// written independently of the codecs that read them.
package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"ibid/llm"
)

// A Dialect is a provider's side of a protocol.
type Dialect struct {
	Path     string                            // that requests go to, below the base URL
	Answer   func(llm.Response) []byte         // as one object
	Stream   func(llm.Response) []byte         // as an event stream, with its end
	Terminal string                            // begins the event without which a stream has been cut
	Failure  func(kind, message string) []byte // the body of an error response
	Broken   func(kind, message string) []byte // the event of an error inside of a stream
	Raw      json.RawMessage                   // a block of the protocol's own, as the codec keeps it
	Kinds    map[llm.ErrorKind]string          // how the protocol names an error
}

// Anthropic speaks the Messages API.
func Anthropic() Dialect {
	failure := func(kind, message string) []byte {
		return line(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}, "request_id": "req_1"})
	}
	return Dialect{
		Path:     "/v1/messages",
		Answer:   anthropicAnswer,
		Stream:   anthropicStream,
		Terminal: "event: message_stop",
		Failure:  failure,
		Broken: func(kind, message string) []byte {
			return []byte("event: error\ndata: " + string(failure(kind, message)) + "\n\n")
		},
		Raw: json.RawMessage(`{"signature":"c2lnbmVk","thinking":"first <this>, then that","type":"thinking"}`),
		Kinds: map[llm.ErrorKind]string{
			llm.RateLimited: "rate_limit_error", llm.Overloaded: "overloaded_error", llm.Server: "api_error",
			llm.BadRequest: "invalid_request_error", llm.Auth: "authentication_error",
		},
	}
}

func anthropicBlock(b llm.Block) map[string]any {
	switch {
	case b.Call != nil:
		return map[string]any{"type": "tool_use", "id": b.Call.ID, "name": b.Call.Name, "input": json.RawMessage(b.Call.Args)}
	case b.Raw != nil:
		var fields map[string]any
		if err := json.Unmarshal(b.Raw, &fields); err != nil {
			panic(err)
		}
		return fields
	}
	return map[string]any{"type": "text", "text": b.Text}
}

var anthropicStop = map[llm.Stop]string{llm.StopEnd: "end_turn", llm.StopTools: "tool_use", llm.StopLength: "max_tokens", llm.StopRefusal: "refusal"}

func anthropicUsage(u llm.Usage) map[string]any {
	if !u.Known {
		return nil
	}
	usage := map[string]any{"input_tokens": u.In, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite, "output_tokens": u.Out}
	if u.Reasoning > 0 {
		usage["output_tokens_details"] = map[string]any{"thinking_tokens": u.Reasoning}
	}
	return usage
}

func anthropicAnswer(r llm.Response) []byte {
	content := []any{}
	for _, b := range r.Blocks {
		content = append(content, anthropicBlock(b))
	}
	return line(map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": r.Model, "content": content,
		"stop_reason": anthropicStop[r.Stop], "stop_sequence": nil, "usage": anthropicUsage(r.Usage)})
}

func anthropicStream(r llm.Response) []byte {
	var s strings.Builder
	event := func(kind string, fields map[string]any) {
		fields["type"] = kind
		fmt.Fprintf(&s, "event: %s\ndata: %s\n\n", kind, line(fields))
	}
	start := anthropicUsage(r.Usage)
	if start != nil {
		start["output_tokens"] = 1
	}
	event("message_start", map[string]any{"message": map[string]any{"id": "msg_1", "type": "message", "role": "assistant",
		"model": r.Model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": start}})
	for i, b := range r.Blocks {
		block := anthropicBlock(b)
		delta := func(kind, field, text string) {
			for _, piece := range pieces(text) {
				event("content_block_delta", map[string]any{"index": i, "delta": map[string]any{"type": kind, field: piece}})
			}
		}
		var deltas func()
		switch block["type"] {
		case "text":
			block["text"] = ""
			deltas = func() { delta("text_delta", "text", b.Text) }
		case "tool_use":
			block["input"] = map[string]any{}
			deltas = func() { delta("input_json_delta", "partial_json", b.Call.Args) }
		case "thinking":
			thinking, signature := block["thinking"].(string), block["signature"].(string)
			block["thinking"], block["signature"] = "", ""
			deltas = func() {
				delta("thinking_delta", "thinking", thinking)
				delta("signature_delta", "signature", signature)
			}
		}
		event("content_block_start", map[string]any{"index": i, "content_block": block})
		if i == 0 {
			event("ping", map[string]any{})
		}
		if deltas != nil {
			deltas()
		}
		event("content_block_stop", map[string]any{"index": i})
	}
	event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": anthropicStop[r.Stop], "stop_sequence": nil}, "usage": anthropicUsage(r.Usage)})
	event("message_stop", map[string]any{})
	return []byte(s.String())
}

// line is v as JSON on one line, as providers write it.
func line(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// pieces cuts a text as a stream does: after every few characters.
func pieces(text string) []string {
	var list []string
	piece := ""
	for i, c := range text {
		if piece += string(c); i%5 == 4 {
			list, piece = append(list, piece), ""
		}
	}
	return append(list, piece)
}
