package city

import (
	"bytes"
	"net/http"

	"ibid/llm"
)

// chatAnswer is an answer on its way out.
type chatAnswer struct {
	id, model string
	text      string
	calls     []llm.ToolCall
	finish    string
	refusal   string
	usage     bool // it is told
	null      bool // content is null and nothing else is there
	use       cacheUse
}

// created is when every answer was made, in seconds since 1970: 2026-01-01.
const created = 1767225600

func (a *chatAnswer) out() int64 {
	n := tokens(len(a.text))
	for _, c := range a.calls {
		n += tokens(len(c.Name) + len(c.Args))
	}
	return max(n, 1)
}

func (a *chatAnswer) spoil(fault Fault) {
	last := len(a.calls) - 1
	switch fault {
	case NoContent:
		a.text, a.calls, a.finish, a.null = "", nil, "stop", true
	case Refusal:
		a.text, a.calls, a.finish, a.refusal = "", nil, "stop", "I'm sorry, I can't help with that."
	case NoUsage:
		a.usage = false
	case MalformedArgs, LengthStop:
		if last >= 0 {
			a.calls[last].Args = half(a.calls[last].Args)
		}
		if fault == LengthStop {
			a.finish = "length"
			if last < 0 {
				a.text = half(a.text)
			}
		}
	case NoIDs:
		for i := range a.calls {
			a.calls[i].ID = ""
		}
	}
}

func (a *chatAnswer) usageObject() map[string]any {
	prompt, out := a.use.in+a.use.read, a.out()
	return map[string]any{
		"prompt_tokens": prompt, "completion_tokens": out, "total_tokens": prompt + out,
		"prompt_tokens_details":     map[string]any{"cached_tokens": a.use.read, "audio_tokens": 0},
		"completion_tokens_details": map[string]any{"reasoning_tokens": 0, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
	}
}

// call is one tool call in the provider's shape, with some of its arguments.
func (a *chatAnswer) call(c llm.ToolCall, args string) map[string]any {
	v := map[string]any{"type": "function", "function": map[string]any{"name": c.Name, "arguments": args}}
	if c.ID != "" {
		v["id"] = c.ID
	}
	return v
}

// write answers as JSON or as a stream of chunks.
func (a *chatAnswer) write(w http.ResponseWriter, stream bool, fault Fault) {
	if stream {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		chunks := a.chunks(fault)
		if fault == OddFraming {
			chunks = oddly(chunks)
		}
		drip(w, chunks, fault == Cut)
		return
	}
	if fault == StreamError {
		writeJSON(w, 500, openaiError(&refused{kind: "server_error", message: "The server had an error while processing your request. Sorry about that!"}))
		return
	}
	message := map[string]any{"role": "assistant", "content": a.text, "refusal": orNull(a.refusal), "annotations": []any{}}
	if a.text == "" && (len(a.calls) > 0 || a.null || a.refusal != "") {
		message["content"] = nil
	}
	if len(a.calls) > 0 {
		list := []any{}
		for _, c := range a.calls {
			list = append(list, a.call(c, c.Args))
		}
		message["tool_calls"] = list
	}
	answer := map[string]any{"id": a.id, "object": "chat.completion", "created": created, "model": a.model, "service_tier": "default", "system_fingerprint": nil,
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": a.finish}}}
	if a.usage {
		answer["usage"] = a.usageObject()
	}
	writeWhole(w, encode(answer), fault == Cut)
}

// chunks is the answer as a stream.
func (a *chatAnswer) chunks(fault Fault) []byte {
	var b bytes.Buffer
	send := func(choices []any, usage any) {
		v := map[string]any{"id": a.id, "object": "chat.completion.chunk", "created": created, "model": a.model, "service_tier": "default",
			"system_fingerprint": nil, "choices": choices, "obfuscation": "x7Qp"}
		if a.usage { // while a stream tells its usage at the end, it says null before
			v["usage"] = usage
		}
		b.WriteString("data: ")
		b.Write(encode(v))
		b.WriteString("\n\n")
	}
	deltas := a.deltas()
	for i, d := range deltas {
		if fault == StreamError && i == (len(deltas)+1)/2 {
			b.WriteString("data: ")
			b.Write(encode(openaiError(&refused{kind: "server_error", message: "The server had an error while processing your request. Sorry about that!"})))
			b.WriteString("\n\n")
			return b.Bytes()
		}
		send([]any{map[string]any{"index": 0, "delta": d, "logprobs": nil, "finish_reason": nil}}, nil)
	}
	send([]any{map[string]any{"index": 0, "delta": map[string]any{}, "logprobs": nil, "finish_reason": a.finish}}, nil)
	if a.usage {
		send([]any{}, a.usageObject())
	}
	b.WriteString("data: [DONE]\n\n")
	return b.Bytes()
}

func (a *chatAnswer) deltas() []map[string]any {
	first := map[string]any{"role": "assistant", "content": "", "refusal": nil}
	if a.text == "" {
		first["content"] = nil
	}
	list := []map[string]any{first}
	for _, p := range pieces(a.text, 40) {
		list = append(list, map[string]any{"content": p})
	}
	for _, p := range pieces(a.refusal, 12) {
		list = append(list, map[string]any{"refusal": p})
	}
	for i, c := range a.calls {
		start := a.call(c, "")
		start["index"] = i
		list = append(list, map[string]any{"tool_calls": []any{start}})
		for _, p := range pieces(c.Args, 17) {
			list = append(list, map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": p}}}})
		}
	}
	return list
}
