package anthropic

import (
	"encoding/json"
	"strconv"
	"strings"

	"ibid/llm"
)

// Encode writes the request: what stays the same in a run first (model, tools, system), then the messages, then what may
// differ from call to call.
func (m *Model) Encode(r llm.Request) ([]byte, error) {
	if err := llm.Check(r); err != nil {
		return nil, err
	}
	r = llm.OnWire(r)
	messages := llm.Repair(r.Messages, ours)
	r.System = strings.TrimSpace(r.System)
	b := make([]byte, 0, llm.EncodedSize(r))
	b = append(b, `{"model":`...)
	b = llm.AppendQuoted(b, m.c.Model)
	b = appendTools(b, r)
	if r.System != "" {
		b = append(b, `,"system":[{"type":"text","text":`...)
		b = llm.AppendQuoted(b, r.System)
		b = append(b, cached+`}]`...)
	}
	b = appendMessages(b, messages)
	b = append(b, `,"max_tokens":`...)
	if r.MaxTokens <= 0 {
		r.MaxTokens = 4096
	}
	b = strconv.AppendInt(b, int64(r.MaxTokens), 10)
	if !m.c.NoTemperature {
		b = append(b, `,"temperature":0`...)
	}
	if len(r.Tools) > 0 {
		switch {
		case r.Choice == llm.ChoiceNone:
			b = append(b, `,"tool_choice":{"type":"none"}`...)
		case r.Choice == llm.ChoiceRequired && !m.c.NoForcedTools:
			b = append(b, `,"tool_choice":{"type":"any"}`...)
		}
	}
	if m.c.Stream {
		b = append(b, `,"stream":true`...)
	}
	return append(b, '}'), nil
}

// cached ends a block at which the provider keeps the prefix (CONTEXT-4).
const cached = `,"cache_control":{"type":"ephemeral"}`

func appendTools(b []byte, r llm.Request) []byte {
	for i, t := range r.Tools {
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		if i == 0 {
			b = append(b, `,"tools":[`...)
		} else {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		b = llm.AppendQuoted(b, t.Name)
		if t.Description != "" {
			b = append(b, `,"description":`...)
			b = llm.AppendQuoted(b, t.Description)
		}
		b = append(b, `,"input_schema":`...)
		b = append(b, schema...)
		if i == len(r.Tools)-1 && r.System == "" {
			b = append(b, cached...)
		}
		b = append(b, '}')
	}
	if len(r.Tools) > 0 {
		b = append(b, ']')
	}
	return b
}

func appendMessages(b []byte, messages []llm.Message) []byte {
	points := breakpoints(messages)
	n := 0
	for i, m := range messages {
		if i == 0 {
			b = append(b, `,"messages":[{"role":"`...)
		} else {
			b = append(b, `,{"role":"`...)
		}
		b = append(b, m.Role...)
		b = append(b, `","content":[`...)
		for j, block := range m.Blocks {
			if j > 0 {
				b = append(b, ',')
			}
			b = appendBlock(b, block)
			if n++; points.has(n - 1) {
				b = append(b[:len(b)-1], cached+`}`...)
			}
		}
		b = append(b, `]}`...)
	}
	return append(b, ']')
}

func appendBlock(b []byte, block llm.Block) []byte {
	switch {
	case block.Raw != nil:
		return append(b, block.Raw...)
	case block.Call != nil:
		b = append(b, `{"type":"tool_use","id":`...)
		b = llm.AppendQuoted(b, block.Call.ID)
		b = append(b, `,"name":`...)
		b = llm.AppendQuoted(b, block.Call.Name)
		b = append(b, `,"input":`...)
		return append(append(b, block.Call.Args...), '}') // an object: llm.Repair sees to it
	case block.Result != nil:
		b = append(b, `{"type":"tool_result","tool_use_id":`...)
		b = llm.AppendQuoted(b, block.Result.ID)
		b = append(b, `,"content":`...)
		b = llm.AppendQuoted(b, block.Result.Content)
		if block.Result.IsError {
			b = append(b, `,"is_error":true`...)
		}
		return append(b, '}')
	}
	b = append(b, `{"type":"text","text":`...)
	return append(llm.AppendQuoted(b, block.Text), '}')
}

// ours says whether a raw block is one of this API that it takes back. Thinking without its signature, as a cut answer
// leaves it, is not.
func ours(raw json.RawMessage) bool {
	var b struct {
		Type      string  `json:"type"`
		Signature *string `json:"signature"`
	}
	if json.Unmarshal(raw, &b) != nil || b.Type == "" {
		return false
	}
	return b.Type != "thinking" || b.Signature != nil && *b.Signature != ""
}
