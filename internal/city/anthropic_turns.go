package city

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ibid/llm"
)

func path(list string, i int) string { return fmt.Sprintf("%s.%d", list, i) }

// readMessages checks each message by itself.
func (r *anthropicRequest) readMessages(f fields) *refused {
	list, ok := f.list("messages")
	if !ok {
		return bad("messages: Field required")
	}
	if len(list) == 0 {
		return bad("messages: at least one message is required")
	}
	// What these are set to enters the key of everything that is cached of the messages.
	context := string(f["model"]) + string(f["tool_choice"]) + string(f["thinking"])
	for i, raw := range list {
		at := path("messages", i)
		m, ok := object(raw)
		if !ok {
			return bad("%s: Input should be an object", at)
		}
		if name := m.extra("role content"); name != "" {
			return bad("%s.%s: Extra inputs are not permitted", at, name)
		}
		role, _ := m.text("role")
		if role != "user" && role != "assistant" {
			return bad("%s.role: Input should be 'user' or 'assistant'", at)
		}
		if !m.has("content") {
			return bad("%s.content: Field required", at)
		}
		blocks, ok := m.list("content")
		if _, isText := m.text("content"); isText {
			blocks, ok = []json.RawMessage{encode(map[string]json.RawMessage{"type": json.RawMessage(`"text"`), "text": m["content"]})}, true
		}
		if !ok {
			return bad("%s.content: Input should be a valid list", at)
		}
		if len(blocks) == 0 && (role == "user" || i < len(list)-1) {
			return bad("%s: all messages must have non-empty content except for the optional final assistant message", at)
		}
		turn := anthropicTurn{role: role}
		message := llm.Message{Role: llm.Role(role)}
		for k, raw := range blocks {
			block, e := r.readBlock(&turn, path(at+".content", k), raw)
			if e != nil {
				return e
			}
			message.Blocks = append(message.Blocks, block)
			if e := r.add(path(at+".content", k), turn.blocks[k], context+role); e != nil {
				return e
			}
		}
		r.turns = append(r.turns, turn)
		r.request.Messages = append(r.request.Messages, message)
	}
	return nil
}

// blockMembers are the members of each type of block, and who may say it.
var blockMembers = map[string]struct{ members, role string }{
	"text":                   {"type text cache_control citations", ""},
	"tool_use":               {"type id name input cache_control caller", "assistant"},
	"tool_result":            {"type tool_use_id content is_error cache_control", "user"},
	"thinking":               {"type thinking signature", "assistant"},
	"redacted_thinking":      {"type data", "assistant"},
	"server_tool_use":        {"type id name input cache_control caller", "assistant"},
	"web_search_tool_result": {"type tool_use_id content cache_control caller", "assistant"},
}

func (r *anthropicRequest) readBlock(turn *anthropicTurn, at string, raw json.RawMessage) (llm.Block, *refused) {
	b, ok := object(raw)
	kind, _ := b.text("type")
	shape, known := blockMembers[kind]
	switch {
	case !ok:
		return llm.Block{}, bad("%s: Input should be an object", at)
	case !known:
		return llm.Block{}, bad("%s: Input tag '%s' found using 'type' does not match any of the expected tags", at, kind)
	case shape.role != "" && shape.role != turn.role:
		return llm.Block{}, bad("%s: `%s` blocks can only be in `%s` messages", strings.TrimSuffix(at, ".content"), kind, shape.role)
	}
	if name := b.extra(shape.members); name != "" {
		return llm.Block{}, bad("%s.%s.%s: Extra inputs are not permitted", at, kind, name)
	}
	turn.blocks = append(turn.blocks, b)
	switch kind {
	case "text":
		text, ok := b.text("text")
		if !ok {
			return llm.Block{}, bad("%s.text.text: Field required", at)
		}
		return llm.Block{Text: text}, checkText("messages", at, b, text)
	case "tool_use":
		return readUse(turn, at, b)
	case "tool_result":
		return readResult(turn, at, b)
	case "thinking":
		if !b.has("signature") {
			return llm.Block{}, bad("%s.thinking.signature: Field required", at)
		}
	}
	return llm.Block{Raw: raw}, nil
}

var wireID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func readUse(turn *anthropicTurn, at string, b fields) (llm.Block, *refused) {
	id, _ := b.text("id")
	name, _ := b.text("name")
	_, isObject := object(b["input"])
	switch {
	case !wireID.MatchString(id):
		return llm.Block{}, bad("%s.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", at)
	case !anthropicName.MatchString(name):
		return llm.Block{}, bad("%s.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", at)
	case !b.has("input"):
		return llm.Block{}, bad("%s.tool_use.input: Field required", at)
	case !isObject:
		return llm.Block{}, bad("%s.tool_use.input: Input should be a valid dictionary", at)
	}
	turn.uses = append(turn.uses, id)
	return llm.Block{Call: &llm.ToolCall{ID: id, Name: name, Args: string(b["input"])}}, nil
}

func readResult(turn *anthropicTurn, at string, b fields) (llm.Block, *refused) {
	id, ok := b.text("tool_use_id")
	if !ok {
		return llm.Block{}, bad("%s.tool_result.tool_use_id: Field required", at)
	}
	for _, earlier := range turn.blocks[:len(turn.blocks)-1] {
		if kind, _ := earlier.text("type"); kind != "tool_result" {
			return llm.Block{}, bad("%s: `tool_result` blocks must come before all other content of a message", at)
		}
	}
	turn.results = append(turn.results, id)
	result := &llm.ToolResult{ID: id, IsError: b.flag("is_error")}
	if text, isText := b.text("content"); isText {
		result.Content = text
		return llm.Block{Result: result}, nil
	}
	if b.has("content") {
		parts, ok := b.list("content")
		if !ok {
			return llm.Block{}, bad("%s.tool_result.content: Input should be a valid list", at)
		}
		for k, raw := range parts {
			part, _ := object(raw)
			text, ok := part.text("text")
			if kind, _ := part.text("type"); kind != "text" || !ok {
				return llm.Block{}, bad("%s: Input should be a text block", path(at+".tool_result.content", k))
			}
			if e := checkText("messages", path(at+".tool_result.content", k), part, text); e != nil {
				return llm.Block{}, e
			}
			result.Content += text
		}
	}
	return llm.Block{Result: result}, nil
}

// checkTurns checks the rules between messages: alternation, and that every call has its one answer, at once. The API
// itself joins neighbours of one role; gateways in front of it do not, and no history of ours may depend on it.
func (r *anthropicRequest) checkTurns(fields) *refused {
	if r.turns[0].role != "user" {
		return bad("messages: first message must use the \"user\" role")
	}
	seen := map[string]bool{}
	for i, t := range r.turns {
		if i > 0 && t.role == r.turns[i-1].role {
			return bad("messages: roles must alternate between \"user\" and \"assistant\", but found multiple %q roles in a row", t.role)
		}
		for k, id := range t.results {
			if i == 0 || !slices.Contains(r.turns[i-1].uses, id) {
				return bad("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, k, id)
			}
			if slices.Contains(t.results[:k], id) {
				return bad("messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", i, k, id)
			}
		}
		var open []string
		for _, id := range t.uses {
			if seen[id] {
				return bad("messages.%d.content: `tool_use` ids must be unique", i)
			}
			seen[id] = true
			if i == len(r.turns)-1 || !slices.Contains(r.turns[i+1].results, id) {
				open = append(open, id)
			}
		}
		if len(open) > 0 {
			return bad("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i, strings.Join(open, ", "))
		}
	}
	if r.turns[len(r.turns)-1].role == "assistant" {
		return bad("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	if len(seen) > 0 && len(r.tools) == 0 {
		return bad("Requests which include `tool_use` or `tool_result` blocks must define tools")
	}
	return nil
}
