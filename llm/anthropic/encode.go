package anthropic

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ibid/llm"
)

// Encode writes the request: what stays the same in a run first (model, tools, system), then the messages, then what may
// differ from call to call.
func (m *Model) Encode(r llm.Request) ([]byte, error) {
	messages := llm.Repair(r.Messages, ours)
	if len(messages) == 0 {
		return nil, &llm.Error{Kind: llm.BadRequest, Message: "the request has no messages"}
	}
	r.System = strings.TrimSpace(r.System)
	b := make([]byte, 0, size(r))
	b = append(b, `{"model":`...)
	b = llm.AppendQuoted(b, m.c.Model)
	b, err := appendTools(b, r)
	if err != nil {
		return nil, err
	}
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

func appendTools(b []byte, r llm.Request) ([]byte, error) {
	for i, t := range r.Tools {
		if !llm.IsToolName(t.Name) {
			return nil, &llm.Error{Kind: llm.BadRequest, Message: fmt.Sprintf("the tool name %q is none that a provider accepts: use up to 64 of A-Z a-z 0-9 _ -", t.Name)}
		}
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		if !json.Valid(schema) {
			return nil, &llm.Error{Kind: llm.BadRequest, Message: "the schema of tool " + t.Name + " is no JSON"}
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
	return b, nil
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

// size is enough for most requests, so that their bytes are allocated once.
func size(r llm.Request) int {
	n := 1024 + len(r.System) + len(r.System)/16
	for _, t := range r.Tools {
		n += len(t.Description) + len(t.Schema) + 128
	}
	for _, m := range r.Messages {
		n += 64
		for _, b := range m.Blocks {
			n += 160 + len(b.Text) + len(b.Text)/16 + len(b.Raw)
			if b.Call != nil {
				n += len(b.Call.Args)
			}
			if b.Result != nil {
				n += len(b.Result.Content) + len(b.Result.Content)/16
			}
		}
	}
	return n
}
