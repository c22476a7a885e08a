package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
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
	messages := llm.Repair(r.Messages, m.ours)
	b := make([]byte, 0, llm.EncodedSize(r))
	b = append(b, `{"model":`...)
	b = llm.AppendQuoted(b, m.c.Model)
	b = appendTools(b, r.Tools)
	b = append(b, `,"messages":[`...)
	if strings.TrimSpace(r.System) != "" {
		b = append(b, `{"role":"system","content":`...)
		b = append(llm.AppendQuoted(b, r.System), `},`...)
	}
	stable := len(b)
	for _, message := range messages {
		if message.Role == llm.Assistant {
			b = m.appendAssistant(b, message.Blocks)
		} else {
			b = m.appendUser(b, message.Blocks)
		}
	}
	b[len(b)-1] = ']' // was a comma
	if r.MaxTokens > 0 {
		b = append(b, ',')
		b = append(llm.AppendQuoted(b, m.c.MaxTokensField), ':')
		b = strconv.AppendInt(b, int64(r.MaxTokens), 10)
	}
	if !m.c.NoTemperature {
		b = append(b, `,"temperature":0`...)
	}
	if len(r.Tools) > 0 && (r.Choice == llm.ChoiceNone || r.Choice == llm.ChoiceRequired && !m.c.NoForcedTools) {
		b = append(b, `,"tool_choice":"`+string(r.Choice)+`"`...)
	}
	if m.c.CacheKey {
		sum := sha256.Sum256(b[:stable])
		b = append(b, `,"prompt_cache_key":"`+hex.EncodeToString(sum[:16])+`"`...)
	}
	if m.c.Stream {
		b = append(b, `,"stream":true`...)
		if !m.c.NoStreamUsage {
			b = append(b, `,"stream_options":{"include_usage":true}`...)
		}
	}
	return append(b, '}'), nil
}

func appendTools(b []byte, tools []llm.Tool) []byte {
	for i, t := range tools {
		if i == 0 {
			b = append(b, `,"tools":[`...)
		}
		b = append(b, `{"type":"function","function":{"name":`...)
		b = llm.AppendQuoted(b, t.Name)
		if t.Description != "" {
			b = append(b, `,"description":`...)
			b = llm.AppendQuoted(b, t.Description)
		}
		b = append(b, `,"parameters":`...)
		b = append(append(b, withProperties(t.Schema)...), `}},`...)
	}
	if len(tools) > 0 {
		b[len(b)-1] = ']'
	}
	return b
}

// withProperties gives a schema without properties an empty set of them; OpenAI refuses it otherwise.
func withProperties(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(schema, &fields) != nil || fields["properties"] != nil || fields["type"] != nil && string(fields["type"]) != `"object"` {
		return schema
	}
	open := bytes.TrimSuffix(bytes.TrimSpace(schema), []byte("}"))
	comma := ","
	if len(fields) == 0 {
		comma = ""
	}
	return append(bytes.Clone(open), comma+`"properties":{}}`...)
}

// appendUser writes results as messages of their own, and the texts as one.
func (m *Model) appendUser(b []byte, blocks []llm.Block) []byte {
	texts := 0
	for _, block := range blocks {
		if block.Result == nil {
			texts++
			continue
		}
		b = append(b, `{"role":"tool","tool_call_id":`...)
		b = llm.AppendQuoted(b, m.callID(block.Result.ID))
		b = append(b, `,"content":`...)
		b = append(llm.AppendQuoted(b, block.Result.Content), `},`...)
	}
	if texts == 0 {
		return b
	}
	b = append(b, `{"role":"user","content":`...)
	return append(appendTexts(b, blocks), `},`...)
}

func (m *Model) appendAssistant(b []byte, blocks []llm.Block) []byte {
	b = append(b, `{"role":"assistant","content":`...)
	b = appendContent(b, blocks)
	var fields json.RawMessage
	calls := 0
	for i, block := range blocks {
		if own := extraOf(block.Raw).Message; own != nil {
			fields = own
		}
		if block.Call == nil {
			continue
		}
		if calls++; calls == 1 {
			b = append(b, `,"tool_calls":[`...)
		}
		b = append(b, `{"id":`...)
		b = llm.AppendQuoted(b, m.callID(block.Call.ID))
		b = append(b, `,"type":"function","function":{"name":`...)
		b = llm.AppendQuoted(b, block.Call.Name)
		b = append(b, `,"arguments":`...)
		b = append(llm.AppendQuoted(b, block.Call.Args), '}')
		if i+1 < len(blocks) {
			b = appendFields(b, extraOf(blocks[i+1].Raw).Call)
		}
		b = append(b, `},`...)
	}
	if calls > 0 {
		b[len(b)-1] = ']'
	}
	b = appendFields(b, fields)
	if m.c.RequireReasoning && !bytes.Contains(fields, []byte(`"reasoning_content"`)) {
		b = append(b, `,"reasoning_content":""`...)
	}
	return append(b, `},`...)
}

// appendContent writes an assistant's text: null where it only calls, a list where the server gave parts of its own kind.
func appendContent(b []byte, blocks []llm.Block) []byte {
	var parts []json.RawMessage
	texts := 0
	for _, block := range blocks {
		if own := extraOf(block.Raw).Part; own != nil {
			parts = append(parts, own)
		} else if block.Text != "" {
			texts++
		}
	}
	if len(parts) == 0 {
		if texts == 0 {
			return append(b, `null`...)
		}
		return appendTexts(b, blocks)
	}
	b = append(b, '[')
	for _, p := range parts {
		b = append(append(b, p...), ',')
	}
	if texts > 0 {
		b = append(b, `{"type":"text","text":`...)
		b = append(appendTexts(b, blocks), `},`...)
	}
	b[len(b)-1] = ']'
	return b
}

// appendTexts writes the texts of a message as one string.
func appendTexts(b []byte, blocks []llm.Block) []byte {
	b = append(b, '"')
	first := true
	for _, block := range blocks {
		if block.Text == "" {
			continue
		}
		if !first {
			b = append(b, `\n\n`...)
		}
		first = false
		at := len(b)
		b = llm.AppendQuoted(b, block.Text)
		b = append(b[:at], b[at+1:len(b)-1]...) // without its quotes
	}
	return append(b, '"')
}

// appendFields writes the fields of an object into the object that is open.
func appendFields(b []byte, object json.RawMessage) []byte {
	if len(object) <= 2 {
		return b
	}
	return append(append(b, ','), object[1:len(object)-1]...)
}

// callID is an id as the server takes it.
func (m *Model) callID(id string) string {
	if !m.c.ShortIDs || len(id) == 9 && !strings.ContainsAny(id, "_-") {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return fmt.Sprintf("%09s", new(big.Int).SetBytes(sum[:8]).Text(36))[:9]
}

// extra is the form of this codec's raw blocks: fields of an assistant message, or of the call before, or a part of the
// content, that the server gave and wants back.
type extra struct {
	Message json.RawMessage `json:"chat_message,omitempty"`
	Call    json.RawMessage `json:"chat_call,omitempty"`
	Part    json.RawMessage `json:"chat_part,omitempty"`
}

// extraOf reads a raw block; another protocol's has none of the fields.
func extraOf(raw json.RawMessage) extra {
	if raw == nil {
		return extra{}
	}
	var e extra
	if json.Unmarshal(raw, &e) != nil {
		return extra{}
	}
	return e
}

func (m *Model) ours(raw json.RawMessage) bool {
	e := extraOf(raw)
	one := e.Call
	if !m.c.NoReasoning && one == nil {
		one = e.Message
		if one == nil {
			one = e.Part
		}
	}
	var fields map[string]json.RawMessage
	return json.Unmarshal(one, &fields) == nil && len(fields) > 0
}
