package city

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"ibid/llm"
)

// chatRequest is a request that was found good.
type chatRequest struct {
	request llm.Request
	stream  bool
	usage   bool   // a stream ends with its usage
	prompt  []byte // what the model reads, for the prompt cache
	tools   map[string]bool
}

const chatMembers = "model messages max_tokens max_completion_tokens temperature top_p n stream stream_options stop presence_penalty frequency_penalty logit_bias logprobs top_logprobs user tools tool_choice parallel_tool_calls response_format seed store metadata reasoning_effort verbosity prompt_cache_key prompt_cache_retention prompt_cache_options safety_identifier service_tier"

// about says which parameter a refusal is about.
func (e *refused) about(param, code string) *refused {
	e.param, e.code = param, code
	return e
}

// reasoner are models that take other parameters.
var reasoner = regexp.MustCompile(`^(?:o\d|gpt-[5-9])`)

// readChat checks a body as the API does and decodes it.
func (c *City) readChat(body []byte) (*chatRequest, *refused) {
	f, ok := object(body)
	if !ok {
		return nil, bad("We could not parse the JSON body of your request.")
	}
	if name := f.extra(chatMembers); name != "" {
		return nil, bad("Unrecognized request argument supplied: %s", name)
	}
	r := &chatRequest{tools: map[string]bool{}, stream: f.flag("stream")}
	if r.request.Model, ok = f.text("model"); !ok || r.request.Model == "" {
		return nil, bad("you must provide a model parameter")
	}
	if !c.allowed(r.request.Model) {
		e := &refused{status: http.StatusNotFound, kind: "invalid_request_error", message: fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", r.request.Model)}
		return nil, e.about("", "model_not_found")
	}
	if reasoner.MatchString(r.request.Model) {
		if f.has("max_tokens") {
			return nil, bad("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.").about("max_tokens", "unsupported_parameter")
		}
		if f.has("temperature") && string(f["temperature"]) != "1" {
			return nil, bad("Unsupported value: 'temperature' does not support %s with this model. Only the default (1) value is supported.", f["temperature"]).about("temperature", "unsupported_value")
		}
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens"} {
		if n, given := f.number(name); given {
			if r.request.MaxTokens = n; n < 1 {
				return nil, bad("Invalid '%s': integer below minimum value. Expected a value >= 1, but got %d instead.", name, n).about(name, "integer_below_min_value")
			}
		}
	}
	if f.has("stream_options") {
		options, _ := object(f["stream_options"])
		if !r.stream {
			return nil, bad("The 'stream_options' parameter is only allowed when 'stream' is enabled.").about("stream_options", "")
		}
		r.usage = options.flag("include_usage")
	}
	for _, read := range []func(fields) *refused{r.readTools, r.readChoice, r.readMessages} {
		if e := read(f); e != nil {
			return nil, e
		}
	}
	return r, nil
}

var openaiName = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func (r *chatRequest) readTools(f fields) *refused {
	if !f.has("tools") {
		return nil
	}
	list, ok := f.list("tools")
	if !ok || len(list) == 0 {
		return bad("Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.").about("tools", "empty_array")
	}
	for i, raw := range list {
		t, _ := object(raw)
		if kind, _ := t.text("type"); kind != "function" {
			return bad("Missing or invalid 'tools[%d].type'.", i).about(fmt.Sprintf("tools[%d].type", i), "invalid_value")
		}
		function, ok := object(t["function"])
		if !ok {
			return bad("Missing required parameter: 'tools[%d].function'.", i).about(fmt.Sprintf("tools[%d].function", i), "missing_required_parameter")
		}
		name, _ := function.text("name")
		if e := checkName(fmt.Sprintf("tools[%d].function.name", i), name); e != nil {
			return e
		}
		schema, ok := object(function["parameters"])
		if kind, _ := schema.text("type"); function.has("parameters") && (!ok || kind != "object") {
			return bad("Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"%s\"'.", name, kind).about(fmt.Sprintf("tools[%d].function.parameters", i), "invalid_function_parameters")
		}
		description, _ := function.text("description")
		r.tools[name] = true
		r.request.Tools = append(r.request.Tools, llm.Tool{Name: name, Description: description, Schema: function["parameters"]})
	}
	r.prompt = append(r.prompt, compact(f["tools"])...)
	return nil
}

// checkName refuses names of functions that the API refuses.
func checkName(at, name string) *refused {
	switch {
	case name == "" || !openaiName.MatchString(name):
		return bad("Invalid '%s': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at).about(at, "invalid_value")
	case len(name) > 64:
		return bad("Invalid '%s': string too long. Expected a string with maximum length 64, but got a string with length %d instead.", at, len(name)).about(at, "string_above_max_length")
	}
	return nil
}

func (r *chatRequest) readChoice(f fields) *refused {
	r.request.Choice = llm.ChoiceAuto
	for _, name := range []string{"tool_choice", "parallel_tool_calls"} {
		if f.has(name) && len(r.tools) == 0 {
			return bad("Invalid value for '%s': '%s' is only allowed when 'tools' are specified.", name, name).about(name, "")
		}
	}
	if !f.has("tool_choice") {
		return nil
	}
	if choice, ok := f.text("tool_choice"); ok {
		switch choice {
		case "auto", "none", "required":
			r.request.Choice = llm.Choice(choice)
			return nil
		}
		return bad("Invalid value: '%s'. Supported values are: 'none', 'auto', and 'required'.", choice).about("tool_choice", "invalid_value")
	}
	named, _ := object(f["tool_choice"])
	function, _ := object(named["function"])
	if name, _ := function.text("name"); !r.tools[name] {
		return bad("Invalid value for 'tool_choice': no function named '%s' was specified in the 'tools' parameter.", name).about("tool_choice", "")
	}
	r.request.Choice = llm.ChoiceRequired
	return nil
}

func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

func (r *chatRequest) readMessages(f fields) *refused {
	list, ok := f.list("messages")
	if !ok {
		return bad("Missing required parameter: 'messages'.").about("messages", "missing_required_parameter")
	}
	if len(list) == 0 {
		return bad("Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.").about("messages", "empty_array")
	}
	var system []string
	open := map[string]bool{} // calls that were not answered yet
	openAt := 0
	for i, raw := range list {
		m, _ := object(raw)
		role, _ := m.text("role")
		if role != "tool" && len(open) > 0 {
			return unanswered(open, openAt)
		}
		var e *refused
		switch role {
		case "system", "developer":
			var text string
			if text, e = content(m, i, false); e == nil {
				system = append(system, text)
			}
		case "user":
			var text string
			if text, e = content(m, i, false); e == nil {
				r.say(llm.User, llm.Block{Text: text})
			}
		case "assistant":
			openAt = i
			e = r.readAssistant(m, i, open)
		case "tool":
			e = r.readAnswer(m, i, open)
		default:
			e = bad("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", role).about(fmt.Sprintf("messages[%d].role", i), "invalid_value")
		}
		if e != nil {
			return e
		}
		r.prompt = append(r.prompt, compact(raw)...)
	}
	if len(open) > 0 {
		return unanswered(open, openAt)
	}
	r.request.System = strings.Join(system, "\n\n")
	return nil
}
