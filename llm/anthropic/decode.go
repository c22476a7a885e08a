package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"ibid/llm"
)

// message is an answer, whole or as a stream begins it.
type message struct {
	Type       string            `json:"type"`
	Model      string            `json:"model"`
	Content    []json.RawMessage `json:"content"`
	StopReason string            `json:"stop_reason"`
	Usage      json.RawMessage   `json:"usage"`
}

// Decode reads an answer, one JSON object or an event stream. A stream that ends without message_stop is what came of it,
// with StopLength: nothing of it may run.
func (m *Model) Decode(answer []byte) (llm.Response, error) {
	if llm.IsStream(answer) {
		return m.decodeStream(answer)
	}
	var a message
	if err := json.Unmarshal(bytes.TrimPrefix(answer, []byte("\xef\xbb\xbf")), &a); err != nil {
		if json.Valid(answer) && bytes.Contains(answer, []byte(`"error"`)) {
			return llm.Response{}, m.at.Failure(0, nil, answer)
		}
		return llm.Response{}, m.at.Malformed(answer, "the answer is no JSON of the Messages API")
	}
	switch {
	case a.Type == "error" || a.Type == "" && bytes.Contains(answer, []byte(`"error"`)):
		return llm.Response{}, m.at.Failure(0, nil, answer)
	case a.Content == nil:
		return llm.Response{}, m.at.Malformed(answer, "the answer has no content")
	}
	var whole assembly
	whole.model, whole.stop, whole.ended = a.Model, a.StopReason, true
	whole.usage.add(a.Usage)
	for _, c := range a.Content {
		whole.start(c).closed = true
	}
	return whole.response(), nil
}

// event is one event of a stream.
type event struct {
	Type    string          `json:"type"`
	Message message         `json:"message"`
	Index   int             `json:"index"`
	Block   json.RawMessage `json:"content_block"`
	Usage   json.RawMessage `json:"usage"`
	Delta   struct {
		Type       string          `json:"type"`
		Text       string          `json:"text"`
		JSON       string          `json:"partial_json"`
		Thinking   string          `json:"thinking"`
		Signature  string          `json:"signature"`
		Content    json.RawMessage `json:"content"`
		StopReason string          `json:"stop_reason"`
	} `json:"delta"`
}

func (m *Model) decodeStream(stream []byte) (llm.Response, error) {
	var a assembly
	events := 0
	for s := range llm.StreamEvents(stream) {
		if len(bytes.TrimSpace(s.Data)) == 0 || string(bytes.TrimSpace(s.Data)) == "[DONE]" {
			continue
		}
		var e event
		if err := json.Unmarshal(s.Data, &e); err != nil {
			if !s.Whole && events > 0 {
				break // the stream was cut here
			}
			return llm.Response{}, m.at.Malformed(s.Data, "an event of the answer is no JSON of the Messages API")
		}
		events++
		if e.Type == "error" || s.Name == "error" {
			return llm.Response{}, m.at.Failure(0, nil, s.Data)
		}
		a.event(e)
		if a.ended {
			break
		}
	}
	if events == 0 {
		return llm.Response{}, m.at.Malformed(stream, "the answer is empty")
	}
	return a.response(), nil
}

// assembly puts an answer together.
type assembly struct {
	model string
	stop  string
	ended bool
	usage usage
	parts []*part
	index map[int]*part
}

// part is one content block.
type part struct {
	kind    string
	raw     json.RawMessage // as it began
	text    strings.Builder // text, or thinking
	args    strings.Builder
	id      string
	name    string
	sign    strings.Builder
	content json.RawMessage
	closed  bool
}

// start begins a block with its first form, which is the whole of it outside of streams.
func (a *assembly) start(raw json.RawMessage) *part {
	var b struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	p := &part{raw: bytes.Clone(raw)}
	if json.Unmarshal(raw, &b) == nil {
		p.kind, p.id, p.name = b.Type, b.ID, b.Name
		switch {
		case p.kind == "text":
			p.text.WriteString(b.Text)
		case p.kind == "tool_use" && string(b.Input) != "{}" && string(b.Input) != "null":
			p.args.Write(b.Input)
		}
	}
	a.parts = append(a.parts, p)
	return p
}

func (a *assembly) event(e event) {
	switch e.Type {
	case "message_start":
		a.model = e.Message.Model
		a.usage.add(e.Message.Usage)
	case "content_block_start":
		if a.index == nil {
			a.index = map[int]*part{}
		}
		a.index[e.Index] = a.start(e.Block)
	case "content_block_delta":
		if p := a.index[e.Index]; p != nil {
			p.text.WriteString(e.Delta.Text + e.Delta.Thinking)
			p.args.WriteString(e.Delta.JSON)
			p.sign.WriteString(e.Delta.Signature)
			if e.Delta.Type == "compaction_delta" {
				p.content = bytes.Clone(e.Delta.Content)
			}
		}
	case "content_block_stop":
		if p := a.index[e.Index]; p != nil {
			p.closed = true
		}
	case "message_delta":
		if e.Delta.StopReason != "" {
			a.stop = e.Delta.StopReason
		}
		a.usage.add(e.Usage)
	case "message_stop":
		a.ended = true
	}
}

// response is what was put together. Of an answer that was cut nothing counts as known but its text and calls.
func (a *assembly) response() llm.Response {
	r := llm.Response{Model: a.model}
	for _, p := range a.parts {
		switch {
		case p.kind == "text":
			if p.text.Len() > 0 {
				r.Blocks = append(r.Blocks, llm.Block{Text: p.text.String()})
			}
		case p.kind == "tool_use":
			r.Blocks = append(r.Blocks, llm.Block{Call: &llm.ToolCall{ID: p.id, Name: p.name, Args: llm.Arguments(p.args.String())}})
		case p.closed && p.kind != "":
			r.Blocks = append(r.Blocks, llm.Block{Raw: p.block()})
		}
	}
	r.Stop = stopOf(a.stop, len(r.Calls()) > 0)
	if !a.ended {
		r.Stop = llm.StopLength
		return r
	}
	if r.Stop == llm.StopRefusal {
		r.Blocks = withoutCalls(r.Blocks)
	}
	r.Usage = a.usage.tokens(len(r.Blocks) > 0)
	return r
}

// block is the block as it would have come outside of a stream.
func (p *part) block() json.RawMessage {
	changes := map[string]any{}
	if p.kind == "thinking" && (p.text.Len() > 0 || p.sign.Len() > 0) {
		changes["thinking"], changes["signature"] = p.text.String(), p.sign.String()
	}
	if p.kind != "thinking" && p.args.Len() > 0 {
		changes["input"] = json.RawMessage(llm.Arguments(p.args.String()))
	}
	if p.content != nil {
		changes["content"] = p.content
	}
	if len(changes) == 0 {
		return p.raw
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(p.raw, &fields) != nil {
		return p.raw
	}
	for name, v := range changes {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if e.Encode(v) == nil {
			fields[name] = bytes.TrimSpace(b.Bytes())
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(fields) != nil { // keys are sorted: the same bytes each time
		return p.raw
	}
	return bytes.TrimSpace(b.Bytes())
}

func stopOf(reason string, calls bool) llm.Stop {
	switch reason {
	case "max_tokens", "model_context_window_exceeded", "pause_turn", "compaction":
		return llm.StopLength
	case "refusal":
		return llm.StopRefusal
	}
	if calls {
		return llm.StopTools
	}
	return llm.StopEnd
}

func withoutCalls(blocks []llm.Block) []llm.Block {
	var kept []llm.Block
	for _, b := range blocks {
		if b.Call == nil {
			kept = append(kept, b)
		}
	}
	return kept
}

// usage counts tokens as the API does: input_tokens without what the cache read or wrote. In a stream the counts are
// cumulative and stand in the first event, the last, or both; each is the largest that was told.
type usage struct {
	In         llm.Count `json:"input_tokens"`
	CacheRead  llm.Count `json:"cache_read_input_tokens"`
	CacheWrite llm.Count `json:"cache_creation_input_tokens"`
	Out        llm.Count `json:"output_tokens"`
	Details    struct {
		Thinking llm.Count `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

func (u *usage) add(raw json.RawMessage) {
	var more usage
	var field *json.UnmarshalTypeError // of a part that is none of ours; the others count
	if err := json.Unmarshal(raw, &more); len(raw) == 0 || err != nil && !errors.As(err, &field) {
		return
	}
	u.In, u.CacheRead, u.CacheWrite = max(u.In, more.In), max(u.CacheRead, more.CacheRead), max(u.CacheWrite, more.CacheWrite)
	u.Out, u.Details.Thinking = max(u.Out, more.Out), max(u.Details.Thinking, more.Details.Thinking)
}

// tokens is not Known where the counts cannot be true: no request is free, and no words are.
func (u *usage) tokens(said bool) llm.Usage {
	for _, n := range []llm.Count{u.In, u.CacheRead, u.CacheWrite, u.Out} {
		if n < 0 || n > 1e12 {
			return llm.Usage{}
		}
	}
	if u.In+u.CacheRead+u.CacheWrite == 0 || said && u.Out == 0 {
		return llm.Usage{}
	}
	return llm.Usage{In: int64(u.In), CacheRead: int64(u.CacheRead), CacheWrite: int64(u.CacheWrite), Out: int64(u.Out),
		Reasoning: int64(min(u.Details.Thinking, u.Out)), Known: true}
}
