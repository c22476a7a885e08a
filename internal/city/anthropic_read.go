package city

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"ibid/llm"
)

// anthropicRequest is a request that was found good.
type anthropicRequest struct {
	request llm.Request
	stream  bool
	thinks  bool // the answer begins with a thinking block
	search  bool // the server's own search tool is offered
	units   []unit
	marks   int
	fiveMin bool // a five-minute breakpoint was seen
	tools   map[string]bool
	turns   []anthropicTurn
}

// anthropicTurn is one message, as far as the rules between messages need it.
type anthropicTurn struct {
	role    string
	uses    []string // ids of tool_use blocks
	results []string // ids that tool_result blocks answer
	blocks  []fields
}

const anthropicMembers = "model messages max_tokens metadata stop_sequences stream system temperature thinking tool_choice tools top_k top_p service_tier cache_control container output_config inference_geo"

// unsampled are models that take no sampling parameters.
var unsampled = regexp.MustCompile(`^claude-(?:opus-4-[7-9]|(?:opus|sonnet|fable|mythos)-[5-9])`)

// readAnthropic checks a body as the API does and decodes it.
func (c *City) readAnthropic(body []byte) (*anthropicRequest, *refused) {
	f, ok := object(body)
	if !ok {
		return nil, bad("The request body is not valid JSON: expected an object")
	}
	if name := f.extra(anthropicMembers); name != "" {
		return nil, bad("%s: Extra inputs are not permitted", name)
	}
	r := &anthropicRequest{tools: map[string]bool{}, stream: f.flag("stream")}
	if r.request.Model, ok = f.text("model"); !ok || r.request.Model == "" {
		return nil, bad("model: Field required")
	}
	if !c.allowed(r.request.Model) {
		return nil, &refused{status: http.StatusNotFound, kind: "not_found_error", message: "model: " + r.request.Model}
	}
	if !f.has("max_tokens") {
		return nil, bad("max_tokens: Field required")
	}
	if r.request.MaxTokens, ok = f.number("max_tokens"); !ok {
		return nil, bad("max_tokens: Input should be a valid integer")
	}
	if r.request.MaxTokens < 1 {
		return nil, bad("max_tokens: Input should be greater than or equal to 1")
	}
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		if f.has(name) && string(f[name]) != "1" && unsampled.MatchString(r.request.Model) {
			return nil, bad("`%s` is deprecated for this model.", name)
		}
	}
	for _, read := range []func(fields) *refused{r.readTools, r.readSystem, r.readChoice, r.readThinking, r.readMessages, r.checkTurns} {
		if e := read(f); e != nil {
			return nil, e
		}
	}
	if r.thinks = r.thinks || c.options.Thinking; r.thinks && r.request.Choice == llm.ChoiceRequired {
		return nil, bad("Thinking may not be enabled when tool_choice forces tool use.")
	}
	if e := c.thought.check(r); e != nil {
		return nil, e
	}
	if f.has("cache_control") { // moves one breakpoint to the last block by itself
		last := &r.units[len(r.units)-1]
		if !last.mark {
			last.mark = true
			r.marks++
		}
	}
	if r.marks > 4 {
		return nil, bad("A maximum of 4 blocks with cache_control may be provided. Found %d.", r.marks)
	}
	return r, nil
}

// add appends a block to the prompt and reads its cache_control.
func (r *anthropicRequest) add(at string, f fields, context string) *refused {
	u := unit{bytes: f.without("cache_control"), salt: context}
	if f.has("cache_control") {
		control, ok := object(f["cache_control"])
		kind, _ := control.text("type")
		if !ok || kind != "ephemeral" {
			return bad("%s.cache_control.type: Input should be 'ephemeral'", at)
		}
		if name := control.extra("type ttl"); name != "" {
			return bad("%s.cache_control.ephemeral.%s: Extra inputs are not permitted", at, name)
		}
		ttl, given := control.text("ttl")
		if given && ttl != "5m" && ttl != "1h" {
			return bad("%s.cache_control.ephemeral.ttl: Input should be '5m' or '1h'", at)
		}
		u.mark, u.long = true, ttl == "1h"
		if u.long && r.fiveMin {
			return bad("%s.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.", at)
		}
		r.fiveMin = r.fiveMin || !u.long
		r.marks++
	}
	r.units = append(r.units, u)
	return nil
}

func (r *anthropicRequest) readSystem(f fields) *refused {
	if !f.has("system") {
		return nil
	}
	if text, ok := f.text("system"); ok {
		if text == "" {
			return nil
		}
		r.request.System = text
		return r.add("system", fields{"type": json.RawMessage(`"text"`), "text": f["system"]}, "system")
	}
	blocks, ok := f.list("system")
	if !ok {
		return bad("system: Input should be a valid list")
	}
	var texts []string
	for i, raw := range blocks {
		at := path("system", i)
		b, ok := object(raw)
		if kind, _ := b.text("type"); !ok || kind != "text" {
			return bad("%s.type: Input should be 'text'", at)
		}
		text, ok := b.text("text")
		if !ok {
			return bad("%s.text: Field required", at)
		}
		if e := checkText("system", at, b, text); e != nil {
			return e
		}
		texts = append(texts, text)
		if e := r.add(at, b, "system"); e != nil {
			return e
		}
	}
	r.request.System = strings.Join(texts, "\n\n")
	return nil
}

// checkText refuses text blocks that hold nothing.
func checkText(part, at string, b fields, text string) *refused {
	switch {
	case text == "" && b.has("cache_control"):
		return bad("%s.text: cache_control cannot be set for empty text blocks", at)
	case text == "":
		return bad("%s: text content blocks must be non-empty", part)
	case strings.TrimSpace(text) == "":
		return bad("%s: text content blocks must contain non-whitespace text", part)
	}
	return nil
}

var anthropicName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)

func (r *anthropicRequest) readTools(f fields) *refused {
	if !f.has("tools") {
		return nil
	}
	list, ok := f.list("tools")
	if !ok {
		return bad("tools: Input should be a valid list")
	}
	for i, raw := range list {
		at := path("tools", i)
		t, ok := object(raw)
		if !ok {
			return bad("%s: Input should be an object", at)
		}
		name, _ := t.text("name")
		if kind, _ := t.text("type"); strings.HasPrefix(kind, "web_search_") {
			if name != "web_search" {
				return bad("%s.%s.name: Input should be 'web_search'", at, kind)
			}
			r.search, r.tools[name] = true, true
			if e := r.add(at, t, "tool"); e != nil {
				return e
			}
			continue
		} else if kind != "" && kind != "custom" {
			return bad("%s: Input tag '%s' found using 'type' does not match any of the expected tags", at, kind)
		}
		if e := r.customTool(at, name, t); e != nil {
			return e
		}
	}
	return nil
}

func (r *anthropicRequest) customTool(at, name string, t fields) *refused {
	schema, ok := object(t["input_schema"])
	kind, _ := schema.text("type")
	switch {
	case !t.has("name"):
		return bad("%s.custom.name: Field required", at)
	case !anthropicName.MatchString(name):
		return bad("%s.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", at)
	case r.tools[name]:
		return bad("tools: Tool names must be unique.")
	case !ok:
		return bad("%s.custom.input_schema: Field required", at)
	case kind != "object":
		return bad("%s.custom.input_schema.type: Input should be 'object'", at)
	}
	if extra := t.extra("name description input_schema type cache_control strict input_examples"); extra != "" {
		return bad("%s.custom.%s: Extra inputs are not permitted", at, extra)
	}
	r.tools[name] = true
	description, _ := t.text("description")
	r.request.Tools = append(r.request.Tools, llm.Tool{Name: name, Description: description, Schema: t["input_schema"]})
	return r.add(at, t, "tool")
}

func (r *anthropicRequest) readChoice(f fields) *refused {
	r.request.Choice = llm.ChoiceAuto
	if !f.has("tool_choice") {
		return nil
	}
	choice, ok := object(f["tool_choice"])
	kind, _ := choice.text("type")
	if !ok {
		return bad("tool_choice: Input should be an object")
	}
	if len(r.tools) == 0 {
		return bad("tool_choice: may only be specified while providing tools")
	}
	switch kind {
	case "auto":
	case "none":
		r.request.Choice = llm.ChoiceNone
	case "any":
		r.request.Choice = llm.ChoiceRequired
	case "tool":
		name, _ := choice.text("name")
		if !r.tools[name] {
			return bad("Tool '%s' not found in provided tools", name)
		}
		r.request.Choice = llm.ChoiceRequired
	default:
		return bad("tool_choice: Input tag '%s' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'", kind)
	}
	return nil
}

func (r *anthropicRequest) readThinking(f fields) *refused {
	if !f.has("thinking") {
		return nil
	}
	t, ok := object(f["thinking"])
	kind, _ := t.text("type")
	switch {
	case !ok || kind != "enabled" && kind != "disabled" && kind != "adaptive":
		return bad("thinking: Input tag '%s' found using 'type' does not match any of the expected tags: 'disabled', 'enabled', 'adaptive'", kind)
	case kind == "disabled":
		return nil
	}
	if budget, given := t.number("budget_tokens"); kind == "enabled" {
		switch {
		case !given:
			return bad("thinking.enabled.budget_tokens: Field required")
		case budget < 1024:
			return bad("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
		case budget >= r.request.MaxTokens:
			return bad("`max_tokens` must be greater than `thinking.budget_tokens`.")
		}
	}
	if f.has("temperature") && string(f["temperature"]) != "1" && string(f["temperature"]) != "1.0" {
		return bad("`temperature` may only be set to 1 when thinking is enabled.")
	}
	r.thinks = true
	return nil
}
