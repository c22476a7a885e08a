package city

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"ibid/llm"
)

// say appends a block, to the message before where that is of the same role.
func (r *chatRequest) say(role llm.Role, block llm.Block) {
	if n := len(r.request.Messages); n > 0 && r.request.Messages[n-1].Role == role {
		last := &r.request.Messages[n-1]
		last.Blocks = append(last.Blocks, block)
		return
	}
	r.request.Messages = append(r.request.Messages, llm.Message{Role: role, Blocks: []llm.Block{block}})
}

func unanswered(open map[string]bool, at int) *refused {
	ids := make([]string, 0, len(open))
	for id := range open {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return bad("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", ")).
		about(fmt.Sprintf("messages.[%d].role", at), "")
}

// content reads a message's content: a string, or an array of text parts.
func content(m fields, i int, mayBeNull bool) (string, *refused) {
	at := fmt.Sprintf("messages.[%d].content", i)
	if !m.has("content") {
		if mayBeNull {
			return "", nil
		}
		return "", bad("Invalid value for 'content': expected a string, got null.").about(at, "")
	}
	if text, ok := m.text("content"); ok {
		return text, nil
	}
	parts, ok := m.list("content")
	if !ok || len(parts) == 0 {
		return "", bad("Invalid value for 'content': expected a string or a non-empty array of parts.").about(at, "invalid_type")
	}
	var b strings.Builder
	for k, raw := range parts {
		part, _ := object(raw)
		text, ok := part.text("text")
		if kind, _ := part.text("type"); kind != "text" || !ok {
			return "", bad("Invalid value: '%s'. Supported values are: 'text'.", kind).about(fmt.Sprintf("messages[%d].content[%d].type", i, k), "invalid_value")
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func (r *chatRequest) readAssistant(m fields, i int, open map[string]bool) *refused {
	text, e := content(m, i, m.has("tool_calls") || m.has("refusal"))
	if e != nil {
		return e
	}
	if name := m.extra("role content refusal name audio tool_calls function_call annotations"); name != "" {
		return bad("Unknown parameter: 'messages[%d].%s'.", i, name).about(fmt.Sprintf("messages[%d].%s", i, name), "unknown_parameter")
	}
	if text != "" || !m.has("tool_calls") {
		r.say(llm.Assistant, llm.Block{Text: text})
	}
	if !m.has("tool_calls") {
		return nil
	}
	calls, _ := m.list("tool_calls")
	if len(calls) == 0 {
		at := fmt.Sprintf("messages[%d].tool_calls", i)
		return bad("Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", at).about(at, "empty_array")
	}
	for k, raw := range calls {
		if e := r.readCall(fmt.Sprintf("messages[%d].tool_calls[%d]", i, k), raw, open); e != nil {
			return e
		}
	}
	return nil
}

// maxID is the longest id of a call that the API takes back.
const maxID = 40

func (r *chatRequest) readCall(at string, raw json.RawMessage, open map[string]bool) *refused {
	call, _ := object(raw)
	id, hasID := call.text("id")
	kind, _ := call.text("type")
	function, ok := object(call["function"])
	name, _ := function.text("name")
	args, hasArgs := function.text("arguments")
	switch {
	case !hasID || id == "":
		return bad("Missing required parameter: '%s.id'.", at).about(at+".id", "missing_required_parameter")
	case len(id) > maxID:
		return bad("Invalid '%s.id': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", at, maxID, len(id)).about(at+".id", "string_above_max_length")
	case open[id]:
		return bad("Duplicate value for 'tool_call_id' of '%s'", id).about(at+".id", "")
	case kind != "function":
		return bad("Missing required parameter: '%s.type'.", at).about(at+".type", "missing_required_parameter")
	case !ok:
		return bad("Missing required parameter: '%s.function'.", at).about(at+".function", "missing_required_parameter")
	case !hasArgs:
		return bad("Missing required parameter: '%s.function.arguments'.", at).about(at+".function.arguments", "missing_required_parameter")
	}
	if e := checkName(at+".function.name", name); e != nil {
		return e
	}
	open[id] = true
	r.say(llm.Assistant, llm.Block{Call: &llm.ToolCall{ID: id, Name: name, Args: args}})
	return nil
}

func (r *chatRequest) readAnswer(m fields, i int, open map[string]bool) *refused {
	id, ok := m.text("tool_call_id")
	if !ok {
		return bad("Missing required parameter: 'messages[%d].tool_call_id'.", i).about(fmt.Sprintf("messages[%d].tool_call_id", i), "missing_required_parameter")
	}
	if !open[id] {
		return bad("Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.").about(fmt.Sprintf("messages.[%d].role", i), "")
	}
	text, e := content(m, i, false)
	if e != nil {
		return e
	}
	delete(open, id)
	r.say(llm.User, llm.Block{Result: &llm.ToolResult{ID: id, Content: text}})
	return nil
}
