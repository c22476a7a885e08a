package openai

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ibid/llm"
	"ibid/llm/llmtest"
)

func model(c Config) *Model {
	c.Name, c.Model, c.URL = "openai/test", "test", "http://provider.example"
	return New(c)
}

func encode(t testing.TB, m *Model, r llm.Request) map[string]any {
	t.Helper()
	body, err := m.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return got
}

func TestQuirks(t *testing.T) {
	r := llmtest.Request()
	got := encode(t, model(Config{Stream: true}), r)
	if got["max_tokens"] != 900.0 || got["temperature"] != 0.0 || got["prompt_cache_key"] != nil || got["stream_options"] == nil || got["tool_choice"] != nil || got["stream"] != true {
		t.Errorf("%v", got)
	}
	for _, tool := range got["tools"].([]any) {
		if tool.(map[string]any)["function"].(map[string]any)["parameters"].(map[string]any)["properties"] == nil {
			t.Errorf("%v has no properties", tool)
		}
	}
	r.Choice = llm.ChoiceRequired
	got = encode(t, model(Config{Stream: true, MaxTokensField: "max_completion_tokens", NoTemperature: true, NoStreamUsage: true, CacheKey: true, NoForcedTools: true}), r)
	_, hot := got["temperature"]
	if got["max_completion_tokens"] != 900.0 || got["max_tokens"] != nil || hot || got["stream_options"] != nil || len(fmt.Sprint(got["prompt_cache_key"])) != 32 || got["tool_choice"] != nil {
		t.Errorf("%v", got)
	}
	longer := r
	longer.Messages = append(longer.Messages, llm.Message{Role: llm.User, Blocks: []llm.Block{{Text: "more"}}})
	other := r
	other.System = "another"
	key := func(r llm.Request) any { return encode(t, model(Config{CacheKey: true}), r)["prompt_cache_key"] }
	if key(r) != key(longer) || key(r) == key(other) {
		t.Error("the cache key is not that of system and tools alone")
	}
	short := encode(t, model(Config{ShortIDs: true}), r)["messages"].([]any)
	id := short[2].(map[string]any)["tool_calls"].([]any)[0].(map[string]any)["id"].(string)
	if len(id) != 9 || strings.ContainsAny(id, "_-") || short[3].(map[string]any)["tool_call_id"] != id {
		t.Errorf("short id %q in %v", id, short)
	}
}

// What servers want back goes back where it came from.
func TestReasoningGoesBack(t *testing.T) {
	answer := `{"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}],"reasoning_content":"first","reasoning_details":[{"type":"reasoning.encrypted","data":"x","index":0}],
		"tool_calls":[{"id":"c1","type":"function","function":{"name":"n","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s1"}}},{"id":"c2","type":"function","function":{"name":"n","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}`
	m := model(Config{})
	resp, err := m.Decode([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	r := llm.Request{Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "q"}}}, {Role: llm.Assistant, Blocks: append(resp.Blocks, llm.Block{Raw: json.RawMessage(`{"type":"thinking","thinking":"foreign","signature":"s"}`)})}}}
	var want struct {
		Choices []struct{ Message map[string]any }
	}
	if err := json.Unmarshal([]byte(answer), &want); err != nil {
		t.Fatal(err)
	}
	want.Choices[0].Message["role"] = "assistant"
	if got := encode(t, m, r)["messages"].([]any)[1]; !reflect.DeepEqual(got, any(want.Choices[0].Message)) {
		t.Errorf("sent back\n%v, was\n%v", got, want.Choices[0].Message)
	}
	got := encode(t, model(Config{NoReasoning: true}), r)["messages"].([]any)[1]
	if text := fmt.Sprint(got); strings.Contains(text, "reasoning") || strings.Contains(text, "hm") || !strings.Contains(text, "s1") {
		t.Errorf("without reasoning: %v", got)
	}
	r.Messages[1].Blocks = []llm.Block{{Text: "a"}}
	if got := encode(t, model(Config{RequireReasoning: true}), r)["messages"].([]any)[1].(map[string]any); got["reasoning_content"] != "" {
		t.Errorf("%v", got)
	}
}

// chunks is a stream of deltas with a finish reason at its end.
func chunks(finish string, deltas ...string) string {
	s := ""
	for _, d := range deltas {
		s += `data: {"choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}` + "\n\n"
	}
	return s + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"` + finish + `"}]}` + "\n\ndata: [DONE]\n\n"
}

func tool(index, id, name, args string) string {
	quoted, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	s := `{"tool_calls":[{"type":"function","function":{"name":` + name + `,"arguments":` + string(quoted) + `}`
	if index != "" {
		s += `,"index":` + index
	}
	if id != "" {
		s += `,"id":` + id
	}
	return s + `}]}`
}

// Calls as servers cut, number and repeat them.
func TestStreamedCalls(t *testing.T) {
	for _, c := range []struct{ name, stream, want string }{
		{"one in pieces", chunks("tool_calls", tool("0", `"a"`, `"n"`, ""), tool("0", "", "null", `{"x":`), tool("0", "null", `""`, `1}`)), `a n {"x":1}`},
		{"interleaved", chunks("tool_calls", tool("0", `"a"`, `"n"`, `{"x"`), tool("1", `"b"`, `"n"`, `{"y"`), tool("0", "", "null", `:1}`), tool("1", "", "null", `:2}`)), `a n {"x":1}, b n {"y":2}`},
		{"one index, two ids", chunks("tool_calls", tool("0", `"a"`, `"n"`, `{"x":1}`), tool("0", `"b"`, `"n"`, `{"x":1}`)), `a n {"x":1}, b n {"x":1}`},
		{"one index, no ids", chunks("tool_calls", tool("0", "", `"n"`, `{"x":1}`), tool("0", "", `"n"`, `{"x":2}`)), ` n {"x":1},  n {"x":2}`},
		{"no index, ids", chunks("tool_calls", tool("", `"a"`, `"n"`, `{"x":1}`), tool("", `"b"`, `"m"`, ``), tool("", ``, `null`, `{"y":1}`)), `a n {"x":1}, b m {"y":1}`},
		{"no index, no ids", chunks("stop", tool("", "", `"n"`, `{"x":1}`), tool("", "", `"m"`, `{"y":1}`)), ` n {"x":1},  m {"y":1}`},
		{"the same id and a new name", chunks("tool_calls", tool("0", `"a"`, `"n"`, `{"x":1}`), tool("0", `"a"`, `"m"`, `{"x":1}`)), `a n {"x":1},  m {"x":1}`},
		{"the same id and name, other arguments", chunks("tool_calls", tool("0", `"a"`, `"n"`, `{"x":1}`), tool("0", `"a"`, `"n"`, `{"x":2}`)), `a n {"x":1},  n {"x":2}`},
		{"said twice", chunks("tool_calls", tool("0", `"a"`, `"n"`, `{"x":1}`), tool("0", `"a"`, `"n"`, `{"x":1}`)), `a n {"x":1}`},
		{"the name with every piece", chunks("tool_calls", tool("0", `"a"`, `"n"`, `{"x`), tool("0", `"a"`, `"n"`, `":1`), tool("0", `"a"`, `"n"`, `}`)), `a n {"x":1}`},
		{"a new id with every piece", chunks("tool_calls", tool("0", `"a"`, `"n"`, `{"x`), tool("0", `"b"`, `null`, `":1}`)), `a n {"x":1}`},
		{"the id late", chunks("tool_calls", tool("0", "", `"n"`, `{"x`), tool("0", `"a"`, "null", `":1}`)), `a n {"x":1}`},
		{"the name late", chunks("tool_calls", tool("0", `"a"`, `null`, ``), tool("0", "", `"n"`, `{"x":1}`)), `a n {"x":1}`},
		{"the name in pieces", chunks("tool_calls", tool("0", `"a"`, `"sea"`, ""), tool("0", "", `"rch"`, "{}")), `a search {}`},
		{"no arguments", chunks("tool_calls", tool("0", `"a"`, `"n"`, "")), `a n {}`},
		{"no arguments, then another", chunks("tool_calls", tool("0", `"a"`, `"n"`, ""), tool("0", `"b"`, `"m"`, "{}")), `a n {}, b m {}`},
		{"braces in strings", chunks("tool_calls", tool("0", `"a"`, `"n"`, `{"x":"}"`), tool("0", "", `"n"`, `,"y":"\"{"}`)), `a n {"x":"}","y":"\"{"}`},
		{"broken arguments", chunks("tool_calls", tool("0", `"a"`, `"n"`, `{"x`)), `a n {"x`},
		{"numbers for ids", chunks("tool_calls", tool("0", `7`, `"n"`, `{}`)), `7 n {}`},
		{"before tools", chunks("function_call", `{"function_call":{"name":"n","arguments":"{\"x\""}}`, `{"function_call":{"arguments":":1}"}}`), ` n {"x":1}`},
		{"whole, with no ids", `{"choices":[{"message":{"tool_calls":[{"id":null,"function":{"name":"n","arguments":"{}"}},{"id":"","function":{"name":"n","arguments":null}},{"function":{"name":"m"}}]},"finish_reason":"tool_calls"}]}`, ` n {},  n {},  m {}`},
		{"whole, one without a name", `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"","arguments":"{}"}},{"id":"b","function":{"name":"n","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, `a  {}, b n {}`},
		{"arguments as an object", chunks("tool_calls", `{"tool_calls":[{"id":"a","function":{"name":"n","arguments":{"x":1}}}]}`), `a n {"x":1}`},
	} {
		resp, err := model(Config{}).Decode([]byte(c.stream))
		var got []string
		for _, call := range resp.Calls() {
			got = append(got, call.ID+" "+call.Name+" "+call.Args)
		}
		if err != nil || strings.Join(got, ", ") != c.want || resp.Stop != llm.StopTools {
			t.Errorf("%s: %s %q, want %q, %v", c.name, resp.Stop, got, c.want, err)
		}
	}
}

func TestDecodeOddities(t *testing.T) {
	whole := func(message, finish, usage string) string {
		return `{"choices":[{"message":` + message + `,"finish_reason":` + finish + `}],"usage":` + usage + `}`
	}
	usage := `{"prompt_tokens":10,"completion_tokens":5}`
	known := llm.Usage{In: 10, Out: 5, Known: true}
	for _, c := range []struct {
		name, body string
		stop       llm.Stop
		text       string
		usage      llm.Usage
	}{
		{"no content", whole(`{"content":null}`, `"stop"`, usage), llm.StopEnd, "", known},
		{"content in parts", whole(`{"content":[{"type":"text","text":"a"},"b",{"type":"output_text","text":"c"}]}`, `"stop"`, usage), llm.StopEnd, "abc", known},
		{"refusal field", whole(`{"content":null,"refusal":"I will not."}`, `"stop"`, usage), llm.StopRefusal, "I will not.", known},
		{"filter with a call", whole(`{"content":"a","tool_calls":[{"id":"a","function":{"name":"n","arguments":"{}"}}]}`, `"content_filter"`, usage), llm.StopRefusal, "a", known},
		{"capitals", whole(`{"content":"a"}`, `"MAX_TOKENS"`, usage), llm.StopLength, "a", known},
		{"a reason that no one knows", whole(`{"content":"a"}`, `"whim"`, usage), llm.StopEnd, "a", known},
		{"no reason", whole(`{"content":"a"}`, `null`, usage), llm.StopEnd, "a", known},
		{"usage null", whole(`{"content":"a"}`, `"stop"`, `null`), llm.StopEnd, "a", llm.Usage{}},
		{"usage zero", whole(`{"content":"a"}`, `"stop"`, `{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`), llm.StopEnd, "a", llm.Usage{}},
		{"usage of another kind", whole(`{"content":"a"}`, `"stop"`, `"many"`), llm.StopEnd, "a", llm.Usage{}},
		{"words for nothing", whole(`{"content":"a"}`, `"stop"`, `{"prompt_tokens":10,"completion_tokens":0}`), llm.StopEnd, "a", llm.Usage{}},
		{"negative", whole(`{"content":"a"}`, `"stop"`, `{"prompt_tokens":10,"completion_tokens":-5}`), llm.StopEnd, "a", llm.Usage{}},
		{"cached", whole(`{"content":"a"}`, `"stop"`, `{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":30},"completion_tokens_details":{"reasoning_tokens":4}}`), llm.StopEnd, "a", llm.Usage{In: 10, CacheRead: 60, CacheWrite: 30, Out: 5, Reasoning: 4, Known: true}},
		{"cached, as DeepSeek says it", whole(`{"content":"a"}`, `"stop"`, `{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}`), llm.StopEnd, "a", llm.Usage{In: 36, CacheRead: 64, Out: 5, Known: true}},
		{"thinking beside the completion, as Gemini counts it", whole(`{"content":"a"}`, `"stop"`, `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":95}`), llm.StopEnd, "a", llm.Usage{In: 10, Out: 85, Reasoning: 80, Known: true}},
		{"floats", whole(`{"content":"a"}`, `"stop"`, `{"prompt_tokens":10.0,"completion_tokens":5.0}`), llm.StopEnd, "a", known},
		{"the second choice", `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"},{"index":1,"message":{"content":"b"},"finish_reason":"stop"}]}`, llm.StopEnd, "a", llm.Usage{}},
		{"usage in the choice", `data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop","usage":` + usage + "}]}\n\ndata: [DONE]\n\n", llm.StopEnd, "a", known},
		{"usage of Groq", `data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"x_groq":{"usage":` + usage + "}}\n\n", llm.StopEnd, "a", known},
		{"usage in strings", whole(`{"content":"a"}`, `"stop"`, `{"prompt_tokens":"10","completion_tokens":"5"}`), llm.StopEnd, "a", known},
		{"usage by other names", whole(`{"content":"a"}`, `"stop"`, `{"input_tokens":10,"output_tokens":5}`), llm.StopEnd, "a", known},
		{"usage with odd details", whole(`{"content":"a"}`, `"stop"`, `{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":"none"}`), llm.StopEnd, "a", known},
		{"usage after the end", `data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n" + `data: {"choices":[{"index":0,"delta":{"content":"b"}}],"usage":` + usage + "}\n\ndata: bye\n\n", llm.StopEnd, "a", known},
		{"an end in small letters", `data: {"choices":[{"index":0,"delta":{"content":"a"}}],"usage":` + usage + "}\n\ndata: [done]\n\n", llm.StopEnd, "a", known},
		{"usage before a cut", `data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}],"usage":` + usage + "}\n\n", llm.StopLength, "a", llm.Usage{}},
		{"an error that is none", `{"error":null,"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, llm.StopEnd, "a", llm.Usage{}},
	} {
		r, err := model(Config{}).Decode([]byte(c.body))
		calls := len(r.Calls())
		if err != nil || r.Stop != c.stop || r.Text() != c.text || r.Usage != c.usage || calls > 0 {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
	}
}

func TestErrorsInAnswers(t *testing.T) {
	for body, want := range map[string]llm.ErrorKind{
		`{"error":{"message":"Rate limit exceeded","code":429}}`:                                                         llm.RateLimited,
		`{"error":{"message":"No endpoints","code":503},"choices":[]}`:                                                   llm.Overloaded,
		`[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]`:                                           llm.BadRequest,
		`{"object":"error","message":"maximum context length is 10 tokens","code":400}`:                                  llm.TooLong,
		`{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"error","error":{"code":502,"message":"x"}}]}`: llm.Server,
		`{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"error"}]}`:                                    llm.Server,
		`{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"insufficient_system_resource"}]}`:             llm.Overloaded,
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\nerror: {\"code\":500,\"message\":\"slot failed\"}\n\n": llm.Server,
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {broken}\n\ndata: {\"choices\":[]}\n\n":          llm.Malformed,
		"data: {\"error\":{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"}}\n\n":                               llm.Overloaded,
		`{"choices":[]}`: llm.Malformed, `{}`: llm.Malformed, "": llm.Malformed, "data: [DONE]\n\n": llm.Malformed,
		"<!DOCTYPE html><title>Sign in</title>": llm.Malformed, ": ping\n\n": llm.Malformed,
	} {
		_, err := model(Config{}).Decode([]byte(body))
		if typed, ok := err.(*llm.Error); !ok || typed.Kind != want {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}

// Reasoning that a stream brings in pieces is one entry: its signature covers the whole.
func TestReasoningDetailsAreJoined(t *testing.T) {
	detail := func(s string) string { return `{"reasoning_details":[` + s + `]}` }
	resp, err := model(Config{}).Decode([]byte(chunks("stop",
		detail(`{"type":"reasoning.text","text":"Let","format":"f","index":0,"signature":null}`), detail(`{"type":"reasoning.text","text":" <me>","format":"f","index":0}`),
		detail(`{"type":"reasoning.text","signature":"sig","format":"f","index":0}`), detail(`{"type":"reasoning.encrypted","data":"x","index":1}`), `{"content":"a"}`)))
	want := `{"chat_message":{"reasoning_details":[{"format":"f","index":0,"signature":"sig","text":"Let <me>","type":"reasoning.text"},{"type":"reasoning.encrypted","data":"x","index":1}]}}`
	if err != nil || len(resp.Blocks) != 2 || string(resp.Blocks[0].Raw) != want {
		t.Errorf("%s, %v", resp.Blocks[0].Raw, err)
	}
}

func FuzzDecode(f *testing.F) {
	d := llmtest.OpenAI()
	answer := llm.Response{Model: "m", Stop: llm.StopTools, Usage: llm.Usage{In: 1, Out: 1, Known: true},
		Blocks: []llm.Block{{Raw: d.Raw}, {Text: "text"}, {Call: &llm.ToolCall{ID: "a", Name: "n", Args: `{"x":1}`}}}}
	f.Add(d.Answer(answer))
	f.Add(d.Stream(answer))
	f.Add(d.Failure("overloaded_error", "x"))
	f.Add([]byte(chunks("tool_calls", tool("0", `"a"`, `"n"`, `{"x":1}`), tool("0", `"a"`, `"m"`, `{"x":1}`))))
	f.Fuzz(func(t *testing.T, body []byte) {
		m := model(Config{})
		r, err := m.Decode(body)
		if err != nil {
			return
		}
		if r.Usage.Known && (r.Usage.Total() <= 0 || r.Usage.In < 0 || r.Usage.Out < 0) {
			t.Errorf("usage %+v", r.Usage)
		}
		text := strings.ToLower(string(body))
		if llm.IsStream(body) && !strings.Contains(text, "[done]") && !strings.Contains(text, "finish_reason") && !strings.Contains(text, `\u`) && r.Stop != llm.StopLength {
			t.Errorf("without an end: %+v", r)
		}
		encode(t, m, llm.Request{Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "q"}}}, {Role: llm.Assistant, Blocks: r.Blocks}}}) // what was said can be sent back
	})
}

func BenchmarkDecode(b *testing.B) {
	d := llmtest.OpenAI()
	args := `{"text":"` + strings.Repeat("word ", 2000) + `"}`
	answer := llm.Response{Model: "m", Stop: llm.StopTools, Blocks: []llm.Block{{Text: "text"}, {Call: &llm.ToolCall{ID: "a", Name: "n", Args: args}}}}
	for name, wire := range map[string][]byte{"object": d.Answer(answer), "stream": d.Stream(answer)} {
		b.Run(name, func(b *testing.B) {
			m := model(Config{})
			b.SetBytes(int64(len(wire)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Decode(wire); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEncode is a request of 120,000 tokens: 40 steps with results of 10 kB.
func BenchmarkEncode(b *testing.B) {
	m := model(Config{CacheKey: true})
	r := llmtest.Long()
	body, err := m.Encode(r)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Encode(r); err != nil {
			b.Fatal(err)
		}
	}
}
