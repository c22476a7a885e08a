package city

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

var gptHeaders = []string{"Authorization: Bearer " + Key("openai"), "Content-Type: application/json"}

const searchFunction = `{"type":"function","function":{"name":"search_web","description":"finds","parameters":{"type":"object","properties":{"query":{"type":"string"}}}}}`

func chatTurn(stream string) string {
	return `{"model":"gpt-city-1","stream":` + stream + `,"tools":[` + searchFunction + `],"messages":[{"role":"system","content":"You research."},{"role":"user","content":"Why?"}]}`
}

func chatWith(messages ...string) string {
	return `{"model":"gpt-city-1","tools":[` + searchFunction + `],"messages":[` + strings.Join(messages, ",") + `]}`
}

const (
	chatCall   = `{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"search_web","arguments":"{\"query\":\"a\"}"}}]}`
	chatResult = `{"role":"tool","tool_call_id":"call_1","content":"nothing"}`
)

// gather makes the message of a stream of chunks.
func gather(t *testing.T, stream []byte) (message map[string]any, finish any, usage any) {
	t.Helper()
	_, data := events(t, stream)
	message = map[string]any{}
	var calls []any
	for i, e := range data {
		if e == nil {
			if i != len(data)-1 {
				t.Error("[DONE] stands before the end")
			}
			continue
		}
		if e["object"] != "chat.completion.chunk" {
			t.Errorf("chunk %v", e)
		}
		if u := e["usage"]; u != nil {
			usage = u
		}
		if f := at(e, "choices", 0, "finish_reason"); f != nil {
			finish = f
		}
		delta, _ := at(e, "choices", 0, "delta").(map[string]any)
		for k, v := range delta {
			if k == "tool_calls" {
				part := at(v, 0).(map[string]any)
				if index := int(part["index"].(float64)); index == len(calls) {
					delete(part, "index")
					calls = append(calls, part)
				} else {
					f := at(calls, index, "function").(map[string]any)
					f["arguments"] = f["arguments"].(string) + at(part, "function", "arguments").(string)
				}
				continue
			}
			if old, ok := message[k].(string); ok && k == "content" {
				v = old + v.(string)
			}
			message[k] = v
		}
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	if len(data) == 0 || data[len(data)-1] != nil {
		t.Error("the stream does not end with [DONE]")
	}
	return message, finish, usage
}

func TestChatStreamedAndWholeAreTheSame(t *testing.T) {
	c := Start(t, Options{Answer: scripted})
	for name, body := range map[string]string{"calls": chatTurn("STREAM"), "text": strings.Replace(chatTurn("STREAM"), `"content":"Why?"}`, `"content":"Why?"},`+chatCall+`,`+chatResult, 1)} {
		whole := c.ask(t, "POST", c.OpenAI+"/chat/completions", strings.Replace(body, "STREAM", "false", 1), gptHeaders...).value(t)
		streamed := c.ask(t, "POST", c.OpenAI+"/chat/completions", strings.Replace(body, "STREAM", `true,"stream_options":{"include_usage":true}`, 1), gptHeaders...)
		message, finish, usage := gather(t, streamed.body)
		want := at(whole, "choices", 0, "message").(map[string]any)
		delete(want, "annotations")
		if !reflect.DeepEqual(want, message) || finish != at(whole, "choices", 0, "finish_reason") || !reflect.DeepEqual(usage, whole["usage"]) {
			t.Errorf("%s\nwhole    %v %v\nstreamed %v %v", name, want, whole["usage"], message, usage)
		}
		if whole["object"] != "chat.completion" || at(usage, "total_tokens") == nil {
			t.Errorf("%v", whole)
		}
	}
	streamed := c.ask(t, "POST", c.OpenAI+"/chat/completions", chatTurn("true"), gptHeaders...)
	if _, _, usage := gather(t, streamed.body); usage != nil || strings.Contains(string(streamed.body), "usage") {
		t.Errorf("usage in a stream that was not asked for it")
	}
	if last := c.ModelCalls()[4]; last.Usage.Known {
		t.Errorf("the log knows a usage that was not told: %+v", last.Usage)
	}
}

func TestChatRefuses(t *testing.T) {
	c := Start(t, Options{Answer: scripted})
	user := `{"role":"user","content":"Why?"}`
	for _, r := range []struct{ body, says, param string }{
		{`[]`, "JSON", ""},
		{`{"messages":[` + user + `]}`, "model", ""},
		{`{"model":"m"}`, "'messages'", "messages"},
		{`{"model":"m","messages":[]}`, "empty array", "messages"},
		{`{"model":"m","messages":[` + user + `],"max_token":1}`, "Unrecognized request argument supplied: max_token", ""},
		{`{"model":"m","messages":[` + user + `],"tools":[]}`, "empty array", "tools"},
		{`{"model":"m","messages":[` + user + `],"tool_choice":"auto"}`, "only allowed when 'tools'", "tool_choice"},
		{`{"model":"m","messages":[` + user + `],"stream_options":{"include_usage":true}}`, "'stream'", "stream_options"},
		{`{"model":"gpt-6-x","messages":[` + user + `],"max_tokens":1}`, "max_completion_tokens", "max_tokens"},
		{`{"model":"o3","messages":[` + user + `],"temperature":0}`, "does not support 0", "temperature"},
		{chatWith(user, chatCall, user), "did not have response messages: call_1", "messages.[1].role"},
		{chatWith(user, chatCall), "did not have response messages: call_1", "messages.[1].role"},
		{chatWith(user, chatResult), "preceeding message with 'tool_calls'", "messages.[1].role"},
		{chatWith(user, chatCall, chatResult, chatResult), "preceeding message with 'tool_calls'", "messages.[3].role"},
		{chatWith(user, strings.Replace(chatCall, "call_1", strings.Repeat("i", 41), 1)), "maximum length 40", "messages[1].tool_calls[0].id"},
		{chatWith(user, strings.Replace(chatCall, `"id":"call_1",`, "", 1)), "Missing required parameter", "messages[1].tool_calls[0].id"},
		{chatWith(user, `{"role":"assistant","content":null}`), "got null", "messages.[1].content"},
		{chatWith(user, `{"role":"assistant","content":"x","tool_calls":[]}`), "empty array", "messages[1].tool_calls"},
		{chatWith(`{"role":"human","content":"x"}`), "Supported values", "messages[0].role"},
		{chatWith(`{"role":"user","content":null}`), "got null", "messages.[0].content"},
		{strings.Replace(chatWith(user), "search_web", "search web", 1), "does not match pattern", "tools[0].function.name"},
		{strings.Replace(chatWith(user), "search_web", strings.Repeat("n", 65), 1), "maximum length 64", "tools[0].function.name"},
		{strings.Replace(chatWith(user), `"type":"object"`, `"type":"array"`, 1), "Invalid schema", "tools[0].function.parameters"},
	} {
		got := c.ask(t, "POST", c.OpenAI+"/chat/completions", r.body, gptHeaders...)
		v := got.value(t)
		param, _ := at(v, "error", "param").(string)
		if got.status != 400 || at(v, "error", "type") != "invalid_request_error" || !strings.Contains(fmt.Sprint(at(v, "error", "message")), r.says) || param != r.param {
			t.Errorf("%s\nwas answered %d %s, want a refusal that says %q about %q", r.body, got.status, got.body, r.says, r.param)
		}
	}
	if got := c.ask(t, "POST", c.OpenAI+"/chat/completions", chatWith(user, chatCall, chatResult), gptHeaders...); got.status != 200 {
		t.Errorf("a good request is refused: %s", got.body)
	}
	if got := c.ask(t, "POST", c.OpenAI+"/chat/completions", chatWith(user)); got.status != 401 || !strings.Contains(string(got.body), "didn't provide an API key") {
		t.Errorf("no key: %d %s", got.status, got.body)
	}
	got := c.ask(t, "POST", c.OpenAI+"/chat/completions", chatWith(user), "Authorization: Bearer sk-wrong-wrong-wrong")
	if got.status != 401 || at(got.value(t), "error", "code") != "invalid_api_key" || strings.Contains(string(got.body), "sk-wrong-wrong-wrong") {
		t.Errorf("wrong key: %d %s", got.status, got.body)
	}
}

func TestModelLists(t *testing.T) {
	c := Start(t, Options{Models: []string{"m-1", "m-2"}})
	if v := c.ask(t, "GET", c.OpenAI+"/models", "", gptHeaders...).value(t); at(v, "data", 1, "id") != "m-2" {
		t.Errorf("%v", v)
	}
	if v := c.ask(t, "GET", c.Anthropic+"/v1/models", "", claudeHeaders...).value(t); at(v, "data", 0, "id") != "m-1" {
		t.Errorf("%v", v)
	}
	if got := c.ask(t, "GET", c.Anthropic+"/v1/models", ""); got.status != 401 {
		t.Errorf("without a key: %d", got.status)
	}
}
