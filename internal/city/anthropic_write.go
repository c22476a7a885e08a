package city

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"ibid/llm"
)

// anthropicAnswer is an answer on its way out.
type anthropicAnswer struct {
	id, model string
	content   []map[string]any
	stop      string
	use       cacheUse
	searches  int
	noUsage   bool
	broken    bool // the arguments of the last call end early
}

// out counts the tokens of the answer.
func (a *anthropicAnswer) out() int64 {
	n := int64(0)
	for _, b := range a.content {
		if b["type"] != "web_search_tool_result" {
			n += tokens(len(encode(b)))
		}
	}
	return max(n, 1)
}

func (a *anthropicAnswer) usageOf() llm.Usage {
	if a.noUsage {
		return llm.Usage{}
	}
	return llm.Usage{In: a.use.in, CacheRead: a.use.read, CacheWrite: a.use.write, Out: a.out(), Known: true}
}

// usage is the usage object with some output tokens.
func (a *anthropicAnswer) usage(out int64) map[string]any {
	u := map[string]any{
		"input_tokens": a.use.in, "cache_read_input_tokens": a.use.read, "cache_creation_input_tokens": a.use.write,
		"cache_creation": map[string]any{"ephemeral_5m_input_tokens": a.use.write - a.use.writeLong, "ephemeral_1h_input_tokens": a.use.writeLong},
		"output_tokens":  out, "service_tier": "standard",
	}
	if a.searches > 0 {
		u["server_tool_use"] = map[string]any{"web_search_requests": a.searches}
	}
	return u
}

// spoil makes an answer go wrong.
func (a *anthropicAnswer) spoil(fault Fault) {
	switch fault {
	case NoContent:
		a.content, a.stop = []map[string]any{}, "end_turn"
	case Refusal:
		a.content, a.stop = []map[string]any{}, "refusal"
	case NoUsage:
		a.noUsage = true
	case MalformedArgs:
		a.broken = true
	case LengthStop:
		a.stop, a.broken = "max_tokens", true
	}
}

// half cuts a text, at a character.
func half(s string) string {
	r := []rune(s)
	return string(r[:len(r)/2])
}

// write answers as JSON or as a stream of events.
func (a *anthropicAnswer) write(w http.ResponseWriter, stream bool, fault Fault) {
	if stream {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		events := a.events(fault)
		if fault == OddFraming {
			events = oddly(events)
		}
		drip(w, events, fault == Cut)
		return
	}
	if fault == StreamError {
		writeJSON(w, 500, map[string]any{"type": "error", "error": map[string]any{"type": "api_error", "message": "Internal server error"}})
		return
	}
	content := make([]map[string]any, len(a.content))
	copy(content, a.content)
	if last := len(content) - 1; a.broken && last >= 0 {
		b := map[string]any{}
		for k, v := range content[last] {
			b[k] = v
		}
		if text, ok := b["text"].(string); ok && a.stop == "max_tokens" {
			b["text"] = half(text)
		}
		if b["type"] == "tool_use" {
			b["input"] = json.RawMessage("{}")
		}
		content[last] = b
	}
	answer := map[string]any{"id": a.id, "type": "message", "role": "assistant", "model": a.model, "content": content,
		"stop_reason": a.stop, "stop_sequence": nil, "usage": a.usage(a.out())}
	if a.noUsage {
		delete(answer, "usage")
	}
	writeWhole(w, encode(answer), fault == Cut)
}

// writeWhole sends a JSON body with its length, or the first half of it.
func writeWhole(w http.ResponseWriter, body []byte, cut bool) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if cut {
		_, _ = w.Write(body[:len(body)/2])
		hangUp(w)
	}
	_, _ = w.Write(body)
}

// events is the answer as an event stream.
func (a *anthropicAnswer) events(fault Fault) []byte {
	var b bytes.Buffer
	send := func(name string, v map[string]any) {
		v["type"] = name
		b.WriteString("event: " + name + "\ndata: ")
		b.Write(encode(v))
		b.WriteString("\n\n")
	}
	message := map[string]any{"id": a.id, "type": "message", "role": "assistant", "model": a.model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": a.usage(1)}
	end := map[string]any{"delta": map[string]any{"stop_reason": a.stop, "stop_sequence": nil}, "usage": a.usage(a.out())}
	if a.noUsage {
		delete(message, "usage")
		delete(end, "usage")
	}
	send("message_start", map[string]any{"message": message})
	for i, block := range a.content {
		start, deltas := a.block(i, block)
		send("content_block_start", map[string]any{"index": i, "content_block": start})
		if i == 0 {
			send("ping", map[string]any{})
		}
		for k, delta := range deltas {
			if fault == StreamError && i == len(a.content)-1 && k == len(deltas)/2 {
				send("error", map[string]any{"error": map[string]any{"type": "overloaded_error", "message": "Overloaded"}})
				return b.Bytes()
			}
			send("content_block_delta", map[string]any{"index": i, "delta": delta})
		}
		send("content_block_stop", map[string]any{"index": i})
	}
	send("message_delta", end)
	send("message_stop", map[string]any{})
	return b.Bytes()
}

// block is how one block starts in a stream, and the deltas that follow.
func (a *anthropicAnswer) block(i int, block map[string]any) (start map[string]any, deltas []map[string]any) {
	last := i == len(a.content)-1
	start = map[string]any{}
	for k, v := range block {
		start[k] = v
	}
	add := func(kind, member string, parts []string) {
		for _, p := range parts {
			deltas = append(deltas, map[string]any{"type": kind, member: p})
		}
	}
	switch block["type"] {
	case "text":
		text := block["text"].(string)
		if last && a.stop == "max_tokens" {
			text = half(text)
		}
		start["text"] = ""
		delete(start, "citations")
		add("text_delta", "text", pieces(text, 40))
		if citations, ok := block["citations"].([]any); ok {
			start["citations"] = []any{}
			for _, c := range citations {
				deltas = append(deltas, map[string]any{"type": "citations_delta", "citation": c})
			}
		}
	case "thinking":
		start["thinking"], start["signature"] = "", ""
		add("thinking_delta", "thinking", pieces(block["thinking"].(string), 24))
		add("signature_delta", "signature", []string{block["signature"].(string)})
	case "tool_use", "server_tool_use":
		args := string(encode(block["input"]))
		if last && a.broken {
			args = half(args)
		}
		start["input"] = json.RawMessage("{}")
		add("input_json_delta", "partial_json", append([]string{""}, pieces(args, 17)...))
	}
	return start, deltas
}

// pieces cuts a text into parts of n characters.
func pieces(s string, n int) []string {
	var list []string
	for r := []rune(s); len(r) > 0; {
		k := min(n, len(r))
		list = append(list, string(r[:k]))
		r = r[k:]
	}
	return list
}

// oddly writes a stream as some servers do: CRLF, comments, no space after the colon, no blank line at the end.
func oddly(stream []byte) []byte {
	stream = bytes.ReplaceAll(stream, []byte("\ndata: "), []byte("\ndata:"))
	stream = bytes.TrimSuffix(stream, []byte("\n\n"))
	stream = bytes.ReplaceAll(stream, []byte("\n\n"), []byte("\n\n: keep-alive\n\n"))
	return bytes.ReplaceAll(stream, []byte("\n"), []byte("\r\n"))
}
