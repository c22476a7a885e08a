package openai

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"ibid/llm"
)

// chunk is an answer, whole or one event of a stream.
type chunk struct {
	Object  string          `json:"object"`
	Model   loose           `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Groq    struct {
		Usage json.RawMessage `json:"usage"`
	} `json:"x_groq"`
}

type choice struct {
	Index   loose           `json:"index"`
	Delta   *message        `json:"delta"`
	Message *message        `json:"message"`
	Finish  loose           `json:"finish_reason"`
	Usage   json.RawMessage `json:"usage"` // Moonshot
	Error   json.RawMessage `json:"error"` // OpenRouter
}

type message struct {
	Content      json.RawMessage   `json:"content"`
	Refusal      loose             `json:"refusal"`
	Calls        []call            `json:"tool_calls"`
	Function     *function         `json:"function_call"` // before tools
	Reasoning    loose             `json:"reasoning"`
	ReasoningOld loose             `json:"reasoning_content"`
	Details      []json.RawMessage `json:"reasoning_details"`
	Extra        json.RawMessage   `json:"extra_content"` // Google
}

type call struct {
	Index    loose           `json:"index"`
	ID       loose           `json:"id"`
	Function function        `json:"function"`
	Extra    json.RawMessage `json:"extra_content"`
}

type function struct {
	Name loose `json:"name"`
	Args loose `json:"arguments"`
}

// loose is a text that some servers send as another JSON value; null is no text.
type loose string

func (l *loose) UnmarshalJSON(b []byte) error {
	var s string
	switch {
	case string(b) == "null":
		*l = ""
	case b[0] == '"' && bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b):
		*l = loose(b[1 : len(b)-1])
	case json.Unmarshal(b, &s) == nil:
		*l = loose(s)
	default:
		*l = loose(b)
	}
	return nil
}

// Decode reads an answer, one JSON object or an event stream. A stream that ends with neither a finish reason nor [DONE]
// is what came of it, with StopLength: nothing of it may run.
func (m *Model) Decode(answer []byte) (llm.Response, error) {
	if llm.IsStream(answer) {
		return m.decodeStream(answer)
	}
	var c chunk
	body := bytes.TrimPrefix(answer, []byte("\xef\xbb\xbf"))
	if err := json.Unmarshal(body, &c); err != nil {
		var list []struct{ Error json.RawMessage }
		if json.Unmarshal(body, &list) == nil && len(list) > 0 && isError(list[0].Error) {
			return llm.Response{}, m.at.Failure(0, nil, body)
		}
		return llm.Response{}, m.at.Malformed(answer, "the answer is no JSON of Chat Completions")
	}
	a := assembly{whole: true}
	if err := m.add(&a, c, body); err != nil {
		return llm.Response{}, err
	}
	if len(c.Choices) == 0 {
		return llm.Response{}, m.at.Malformed(answer, "the answer has no choices")
	}
	a.ended = true
	return m.response(&a)
}

func (m *Model) decodeStream(stream []byte) (llm.Response, error) {
	var a assembly
	events, done := 0, false
	for e := range llm.StreamEvents(stream) {
		data := bytes.TrimSpace(e.Data)
		if len(data) == 0 {
			continue
		}
		if strings.EqualFold(string(data), "[DONE]") {
			a.ended, done = true, true
			continue
		}
		var c chunk
		if done { // some servers count after the end; nothing else of it counts
			if json.Unmarshal(data, &c) == nil {
				a.usage.add(c.Usage)
			}
			continue
		}
		if err := json.Unmarshal(data, &c); err != nil {
			if !e.Whole && events > 0 {
				break // the stream was cut here
			}
			if e.Name == "error" {
				return llm.Response{}, m.at.Failure(0, nil, data)
			}
			return llm.Response{}, m.at.Malformed(data, "an event of the answer is no JSON of Chat Completions")
		}
		events++
		if e.Name == "error" {
			return llm.Response{}, m.at.Failure(0, nil, data)
		}
		if err := m.add(&a, c, data); err != nil {
			return llm.Response{}, err
		}
	}
	if events == 0 {
		return llm.Response{}, m.at.Malformed(stream, "the answer is empty")
	}
	return m.response(&a)
}

// add takes in a chunk. Only the first choice counts: no more is asked for.
func (m *Model) add(a *assembly, c chunk, body []byte) error {
	if isError(c.Error) || c.Object == "error" {
		return m.at.Failure(0, nil, body)
	}
	if c.Model != "" {
		a.model = string(c.Model)
	}
	for _, ch := range c.Choices {
		if ch.Index != "" && ch.Index != "0" {
			continue
		}
		if isError(ch.Error) {
			return m.at.Failure(0, nil, ch.Error)
		}
		if ch.Delta != nil {
			a.message(*ch.Delta)
		} else if ch.Message != nil {
			a.message(*ch.Message)
		}
		if ch.Finish != "" {
			a.finish, a.ended = strings.ToLower(string(ch.Finish)), true
		}
		a.usage.add(ch.Usage)
	}
	a.usage.add(c.Groq.Usage)
	a.usage.add(c.Usage)
	return nil
}

// isError says whether an error field says anything.
func isError(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}", `""`, "false", "[]":
		return false
	}
	return true
}

// response is what was put together.
func (m *Model) response(a *assembly) (llm.Response, error) {
	r := llm.Response{Model: a.model, Blocks: a.blocks()}
	switch a.finish {
	case "length", "max_tokens", "model_length", "token_limit", "model_context_window_exceeded", "abort", "malformed_function_call":
		r.Stop = llm.StopLength
	case "content_filter", "refusal", "safety", "sensitive", "prohibited_content", "recitation":
		r.Stop = llm.StopRefusal
	case "error", "network_error":
		return llm.Response{}, &llm.Error{Kind: llm.Server, Message: "the model stopped with an error of its server (" + a.finish + ")"}
	case "insufficient_system_resource":
		return llm.Response{}, &llm.Error{Kind: llm.Overloaded, Message: "the server had no capacity left to finish the answer"}
	default:
		r.Stop = llm.StopEnd
		if len(r.Calls()) > 0 {
			r.Stop = llm.StopTools
		}
	}
	if a.refused {
		r.Stop = llm.StopRefusal
	}
	if !a.ended {
		r.Stop = llm.StopLength
		return r, nil
	}
	if r.Stop == llm.StopRefusal { // what was cut by a filter may not run
		var kept []llm.Block
		for _, b := range r.Blocks {
			if b.Call == nil && extraOf(b.Raw).Call == nil {
				kept = append(kept, b)
			}
		}
		r.Blocks = kept
	}
	r.Usage = a.usage.tokens(len(r.Blocks) > 0)
	return r, nil
}
