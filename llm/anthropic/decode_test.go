package anthropic

import (
	"strings"
	"testing"

	"ibid/llm"
	"ibid/llm/llmtest"
)

func TestDecodeOddities(t *testing.T) {
	for _, c := range []struct {
		name, body string
		stop       llm.Stop
		text, args string // of the calls, joined
		usage      llm.Usage
	}{
		{"counts in the first event and the last", `data: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":0,"output_tokens":0}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":5,"output_tokens":7}}

data: {"type":"message_stop"}
`, llm.StopEnd, "a", "", llm.Usage{In: 5, Out: 7, Known: true}},
		{"arguments that begin with an empty object", `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"n","input":{}}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}{\"a\":1}"}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"b","name":"n","input":{}}}

data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}

data: {"type":"message_stop"}
`, llm.StopTools, "", `{"a":1}{}`, llm.Usage{}},
		{"pause", `{"type":"message","content":[{"type":"text","text":"a"}],"stop_reason":"pause_turn","usage":{"input_tokens":1,"output_tokens":1}}`, llm.StopLength, "a", "", llm.Usage{In: 1, Out: 1, Known: true}},
		{"full window", `{"type":"message","content":[{"type":"tool_use","id":"a","name":"n","input":{"x":1}}],"stop_reason":"model_context_window_exceeded","usage":null}`, llm.StopLength, "", `{"x":1}`, llm.Usage{}},
		{"refusal with a call", `{"type":"message","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"a","name":"n","input":{"x":1}}],"stop_reason":"refusal","usage":{"input_tokens":1,"output_tokens":0}}`, llm.StopRefusal, "a", "", llm.Usage{}},
		{"words for nothing", `{"type":"message","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":0}}`, llm.StopEnd, "a", "", llm.Usage{}},
		{"all read from the cache", `{"type":"message","content":[],"stop_reason":"end_turn","usage":{"input_tokens":0,"cache_read_input_tokens":10,"output_tokens":2}}`, llm.StopEnd, "", "", llm.Usage{CacheRead: 10, Out: 2, Known: true}},
	} {
		r, err := model(Config{}).Decode([]byte(c.body))
		args := ""
		for _, call := range r.Calls() {
			args += call.Args
		}
		if err != nil || r.Stop != c.stop || r.Text() != c.text || args != c.args || r.Usage != c.usage {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
	}
}

// Server tools and blocks that no one knows yet are kept, with what a stream adds to them.
func TestUnknownBlocksAreKept(t *testing.T) {
	stream := `data: {"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":"}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\"<x>\"}"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":{"type":"novelty","deep":[1,2]}}

data: {"type":"content_block_stop","index":1}

data: {"type":"message_stop"}

`
	r, err := model(Config{}).Decode([]byte(stream))
	if err != nil || len(r.Blocks) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := string(r.Blocks[0].Raw); got != `{"id":"s","input":{"query":"<x>"},"name":"web_search","type":"server_tool_use"}` {
		t.Error(got)
	}
	if got := string(r.Blocks[1].Raw); got != `{"type":"novelty","deep":[1,2]}` {
		t.Error(got)
	}
}

func FuzzDecode(f *testing.F) {
	d := llmtest.Anthropic()
	answer := llm.Response{Model: "m", Stop: llm.StopTools, Usage: llm.Usage{In: 1, Out: 1, Known: true},
		Blocks: []llm.Block{{Raw: d.Raw}, {Text: "text"}, {Call: &llm.ToolCall{ID: "a", Name: "n", Args: `{"x":1}`}}}}
	f.Add(d.Answer(answer))
	f.Add(d.Stream(answer))
	f.Add(d.Failure("overloaded_error", "x"))
	f.Fuzz(func(t *testing.T, body []byte) {
		m := model(Config{})
		r, err := m.Decode(body)
		if err != nil {
			return
		}
		if r.Usage.Known && (r.Usage.Total() <= 0 || r.Usage.In < 0 || r.Usage.Out < 0) {
			t.Errorf("usage %+v", r.Usage)
		}
		if llm.IsStream(body) && !strings.Contains(string(body), "message_stop") && !strings.Contains(string(body), `\u`) && r.Stop != llm.StopLength {
			t.Errorf("without an end: %+v", r)
		}
		q := llm.Request{Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "q"}}}, {Role: llm.Assistant, Blocks: r.Blocks}}}
		encode(t, m, q) // what was said can be sent back
	})
}

func BenchmarkDecode(b *testing.B) {
	d := llmtest.Anthropic()
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
	m := model(Config{})
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
