package city

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

var claudeHeaders = []string{"X-Api-Key: " + Key("anthropic"), "Anthropic-Version: 2023-06-01", "Content-Type: application/json"}

const searchTool = `{"name":"search_web","description":"finds","input_schema":{"type":"object","properties":{"query":{"type":"string"}}}}`

// firstTurn is a good first request.
func firstTurn(stream string) string {
	return `{"model":"claude-city-1","max_tokens":1000,"stream":` + stream + `,"system":"You research.","tools":[` + searchTool + `],"messages":[{"role":"user","content":"Why?"}]}`
}

// conversation is a request with messages, each given as JSON.
func conversation(messages ...string) string {
	return `{"model":"claude-city-1","max_tokens":1000,"tools":[` + searchTool + `],"messages":[` + strings.Join(messages, ",") + `]}`
}

const (
	userAsks  = `{"role":"user","content":"Why?"}`
	oneCall   = `{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"search_web","input":{"query":"a"}}]}`
	oneResult = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"nothing"}]}`
)

// assemble makes the whole message of a stream, and checks its order on the way.
func assemble(t *testing.T, stream []byte) map[string]any {
	t.Helper()
	names, data := events(t, stream)
	var message map[string]any
	partial := map[int]string{}
	open := -1
	for i, e := range data {
		if names[i] != e["type"] {
			t.Errorf("event %q carries type %v", names[i], e["type"])
		}
		index := -1
		if n, ok := e["index"].(float64); ok {
			index = int(n)
		}
		switch e["type"] {
		case "message_start":
			message = e["message"].(map[string]any)
		case "content_block_start":
			if open >= 0 || index != len(message["content"].([]any)) {
				t.Errorf("block %d starts out of order", index)
			}
			open = index
			message["content"] = append(message["content"].([]any), e["content_block"])
		case "content_block_delta":
			block := at(message, "content", index).(map[string]any)
			delta := e["delta"].(map[string]any)
			switch delta["type"] {
			case "text_delta":
				block["text"] = block["text"].(string) + delta["text"].(string)
			case "thinking_delta":
				block["thinking"] = block["thinking"].(string) + delta["thinking"].(string)
			case "signature_delta":
				block["signature"] = delta["signature"]
			case "input_json_delta":
				partial[index] += delta["partial_json"].(string)
			case "citations_delta":
				list, _ := block["citations"].([]any)
				block["citations"] = append(list, delta["citation"])
			default:
				t.Errorf("unknown delta %v", delta)
			}
		case "content_block_stop":
			if s, ok := partial[index]; ok {
				var v any
				if err := json.Unmarshal([]byte(s), &v); err != nil {
					t.Errorf("block %d: arguments %q: %v", index, s, err)
				}
				at(message, "content", index).(map[string]any)["input"] = v
			}
			open = -1
		case "message_delta":
			for k, v := range e["delta"].(map[string]any) {
				message[k] = v
			}
			message["usage"] = e["usage"]
		}
	}
	if len(names) == 0 || names[0] != "message_start" || names[len(names)-1] != "message_stop" {
		t.Errorf("the stream runs %v", names)
	}
	return message
}

func TestMessagesStreamedAndWholeAreTheSame(t *testing.T) {
	c := Start(t, Options{Answer: scripted, Thinking: true})
	whole := c.ask(t, "POST", c.Anthropic+"/v1/messages", firstTurn("false"), claudeHeaders...)
	streamed := c.ask(t, "POST", c.Anthropic+"/v1/messages", firstTurn("true"), claudeHeaders...)
	if !strings.HasPrefix(streamed.header.Get("Content-Type"), "text/event-stream") || whole.header.Get("Content-Type") != "application/json" {
		t.Errorf("types %q, %q", streamed.header.Get("Content-Type"), whole.header.Get("Content-Type"))
	}
	a, b := whole.value(t), assemble(t, streamed.body)
	delete(a, "id")
	delete(b, "id")
	if !reflect.DeepEqual(a, b) {
		t.Errorf("whole    %v\nstreamed %v", a, b)
	}
	if at(a, "type") != "message" || at(a, "role") != "assistant" || at(a, "stop_reason") != "tool_use" || at(a, "content", 0, "type") != "thinking" || at(a, "content", 0, "signature") == "" ||
		at(a, "content", 2, "input", "query") != "cost of <agent> runs – “now”" || at(a, "usage", "output_tokens") == 0.0 {
		t.Errorf("%v", a)
	}
	fragments := 0
	_, data := events(t, streamed.body)
	for _, e := range data {
		if at(e, "delta", "type") == "input_json_delta" && at(e, "index") == 2.0 {
			fragments++
		}
	}
	if fragments < 3 {
		t.Errorf("arguments came in %d fragments", fragments)
	}
}

// A history goes back with its arguments in other bytes; the researcher sees them as it wrote them.
func TestArgumentsComeBackAsTheyWereMade(t *testing.T) {
	c := Start(t, Options{Answer: scripted})
	v := c.ask(t, "POST", c.Anthropic+"/v1/messages", firstTurn("false"), claudeHeaders...).value(t)
	first, second := at(v, "content", 1, "id").(string), at(v, "content", 2, "id").(string)
	history := conversation(userAsks,
		fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":%q,"name":"search_web","input":{ "query" : "cost of \u003cagent\u003e runs – \u201cnow\u201d"}},{"type":"tool_use","id":%q,"name":"search_web","input":{"query":"b"}}]}`, first, second),
		fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":[{"type":"text","text":"ok"}]},{"type":"tool_result","tool_use_id":%q,"is_error":true,"content":"no"}]}`, first, second))
	v = c.ask(t, "POST", c.Anthropic+"/v1/messages", history, claudeHeaders...).value(t)
	if at(v, "stop_reason") != "end_turn" || !strings.Contains(at(v, "content", 0, "text").(string), "燃料費") {
		t.Errorf("%v", v)
	}
	seen := c.ModelCalls()[1].Request.Messages
	if got := seen[1].Blocks[1].Call.Args; got != `{"query":"cost of <agent> runs \u2013 “now”"}` {
		t.Errorf("arguments %s", got)
	}
	if r := seen[2].Blocks; r[0].Result.Content != "ok" || r[0].Result.IsError || r[1].Result.Content != "no" || !r[1].Result.IsError {
		t.Errorf("results %+v %+v", r[0].Result, r[1].Result)
	}
}

func TestMessagesRefuses(t *testing.T) {
	c := Start(t, Options{Answer: scripted})
	marked := `{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}`
	for _, r := range []struct{ body, says string }{
		{`{`, "JSON"},
		{`{"model":"m","messages":[` + userAsks + `]}`, "max_tokens: Field required"},
		{`{"model":"m","max_tokens":0,"messages":[` + userAsks + `]}`, "greater than or equal to 1"},
		{`{"max_tokens":1,"messages":[` + userAsks + `]}`, "model: Field required"},
		{`{"model":"m","max_tokens":1,"messages":[` + userAsks + `],"tokens":1}`, "tokens: Extra inputs are not permitted"},
		{`{"model":"m","max_tokens":1,"messages":[]}`, "at least one message"},
		{conversation(userAsks, userAsks), "roles must alternate"},
		{conversation(oneCall, oneResult), "first message must use"},
		{conversation(userAsks, `{"role":"assistant","content":"x"}`), "prefill"},
		{conversation(`{"role":"system","content":"x"}`), "messages.0.role"},
		{conversation(`{"role":"user","content":""}`), "text content blocks must be non-empty"},
		{conversation(`{"role":"user","content":[]}`), "non-empty content"},
		{conversation(`{"role":"user","content":[{"type":"text","text":" \n"}]}`), "non-whitespace"},
		{conversation(userAsks, oneCall, `{"role":"user","content":"go on"}`), "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1"},
		{conversation(userAsks, `{"role":"assistant","content":"x"}`, oneResult), "unexpected `tool_use_id` found in `tool_result` blocks: toolu_1"},
		{conversation(userAsks, oneCall, `{"role":"user","content":[{"type":"text","text":"first"},{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}]}`), "must come before"},
		{conversation(userAsks, oneCall, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"x"},{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}]}`), "single result"},
		{conversation(userAsks, oneCall, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":""}]}]}`), "non-empty"},
		{conversation(userAsks, oneCall, oneResult, oneCall, oneResult), "ids must be unique"},
		{conversation(userAsks, strings.Replace(oneCall, "toolu_1", "x1.1", 1), oneResult), "tool_use.id: String should match pattern"},
		{conversation(userAsks, strings.Replace(oneCall, `{"query":"a"}`, `"{\"query\":\"a\"}"`, 1), oneResult), "valid dictionary"},
		{conversation(userAsks, strings.Replace(oneCall, `"search_web"`, `"search web"`, 1), oneResult), "tool_use.name"},
		{strings.Replace(conversation(userAsks), "search_web", "search.web", 1), "tools.0.custom.name: String should match pattern"},
		{strings.Replace(conversation(userAsks), searchTool, searchTool+","+searchTool, 1), "Tool names must be unique"},
		{strings.Replace(conversation(userAsks), `"type":"object"`, `"type":"string"`, 1), "input_schema.type"},
		{strings.Replace(conversation(userAsks, oneCall, oneResult), `"tools":[`+searchTool+`],`, "", 1), "must define tools"},
		{strings.Replace(conversation(userAsks), `"max_tokens"`, `"tool_choice":{"type":"required"},"max_tokens"`, 1), "tool_choice"},
		{strings.Replace(conversation(userAsks), `"tools":[`+searchTool+`]`, `"tool_choice":{"type":"none"}`, 1), "tool_choice"},
		{conversation(`{"role":"user","content":[` + strings.Repeat(marked+",", 4) + marked + `]}`), "A maximum of 4 blocks with cache_control may be provided. Found 5."},
		{conversation(`{"role":"user","content":[` + marked + `,{"type":"text","text":"b","cache_control":{"type":"ephemeral","ttl":"1h"}}]}`), "must not come after"},
		{conversation(`{"role":"user","content":[{"type":"text","text":"b","cache_control":{"type":"forever"}}]}`), "ephemeral"},
		{conversation(`{"role":"user","content":[{"type":"text","text":"b","id":"x"}]}`), "Extra inputs are not permitted"},
		{conversation(`{"role":"user","content":[{"type":"thinking","thinking":"x","signature":"y"}]}`), "can only be in `assistant`"},
		{strings.Replace(conversation(userAsks), `"claude-city-1"`, `"claude-opus-4-8","temperature":0`, 1), "`temperature` is deprecated for this model."},
		{strings.Replace(conversation(userAsks), `"max_tokens"`, `"thinking":{"type":"enabled","budget_tokens":1000},"max_tokens"`, 1), "greater than or equal to 1024"},
		{strings.Replace(conversation(userAsks), `"max_tokens"`, `"thinking":{"type":"adaptive"},"temperature":0,"max_tokens"`, 1), "temperature"},
		{strings.Replace(conversation(userAsks), `"max_tokens"`, `"thinking":{"type":"adaptive"},"tool_choice":{"type":"any"},"max_tokens"`, 1), "forces tool use"},
	} {
		got := c.ask(t, "POST", c.Anthropic+"/v1/messages", r.body, claudeHeaders...)
		v := got.value(t)
		if got.status != 400 || at(v, "type") != "error" || at(v, "error", "type") != "invalid_request_error" || !strings.Contains(fmt.Sprint(at(v, "error", "message")), r.says) {
			t.Errorf("%s\nwas answered %d %s, want a refusal that says %q", r.body, got.status, got.body, r.says)
		}
	}
	good := conversation(userAsks, oneCall, oneResult)
	if got := c.ask(t, "POST", c.Anthropic+"/v1/messages", good, claudeHeaders...); got.status != 200 {
		t.Errorf("a good request is refused: %s", got.body)
	}
	for _, r := range []struct {
		headers []string
		status  int
		says    string
	}{
		{claudeHeaders[1:], 401, "x-api-key header is required"},
		{[]string{"X-Api-Key: sk-ant-wrong", claudeHeaders[1]}, 401, "invalid x-api-key"},
		{claudeHeaders[:1], 400, "anthropic-version: header is required"},
	} {
		if got := c.ask(t, "POST", c.Anthropic+"/v1/messages", good, r.headers...); got.status != r.status || !strings.Contains(string(got.body), r.says) {
			t.Errorf("%v: %d %s, want %d %q", r.headers, got.status, got.body, r.status, r.says)
		}
	}
	small := Start(t, Options{Answer: scripted, Models: []string{"claude-known"}})
	if got := small.ask(t, "POST", small.Anthropic+"/v1/messages", good, claudeHeaders...); got.status != 404 || !strings.Contains(string(got.body), "not_found_error") {
		t.Errorf("an unknown model: %d %s", got.status, got.body)
	}
}

func TestThinkingMustComeBackUntouched(t *testing.T) {
	c := Start(t, Options{Answer: scripted, Thinking: true})
	v := c.ask(t, "POST", c.Anthropic+"/v1/messages", firstTurn("false"), claudeHeaders...).value(t)
	content := at(v, "content").([]any)
	results := fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"ok"},{"type":"tool_result","tool_use_id":%q,"content":"ok"}]}`, at(v, "content", 2, "id"), at(v, "content", 3, "id"))
	send := func(blocks []any) reply {
		raw, err := json.Marshal(blocks)
		if err != nil {
			t.Fatal(err)
		}
		return c.ask(t, "POST", c.Anthropic+"/v1/messages", conversation(userAsks, `{"role":"assistant","content":`+string(raw)+`}`, results), claudeHeaders...)
	}
	change := func(member, to string) []any {
		block := map[string]any{}
		for k, v := range content[0].(map[string]any) {
			block[k] = v
		}
		block[member] = to
		return append([]any{block}, content[1:]...)
	}
	if got := send(content); got.status != 200 {
		t.Errorf("untouched: %d %s", got.status, got.body)
	}
	for name, r := range map[string]struct {
		blocks []any
		says   string
	}{
		"missing":           {content[1:], "but found `text`"},
		"altered":           {change("thinking", "I was told otherwise."), "cannot be modified"},
		"another signature": {change("signature", "AAAA"), "cannot be modified"},
		"replaced":          {append([]any{map[string]any{"type": "thinking", "thinking": "other", "signature": sign("other")}}, content[1:]...), "cannot be modified"},
	} {
		if got := send(r.blocks); got.status != 400 || !strings.Contains(string(got.body), r.says) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	plain := Start(t, Options{Answer: scripted})
	if v := plain.ask(t, "POST", plain.Anthropic+"/v1/messages", firstTurn("false"), claudeHeaders...).value(t); at(v, "content", 0, "type") != "text" {
		t.Errorf("it thinks without being asked: %v", v)
	}
	asked := strings.Replace(firstTurn("false"), `"max_tokens"`, `"thinking":{"type":"adaptive"},"max_tokens"`, 1)
	if v := plain.ask(t, "POST", plain.Anthropic+"/v1/messages", asked, claudeHeaders...).value(t); at(v, "content", 0, "type") != "thinking" {
		t.Errorf("it does not think when asked: %v", v)
	}
}
