package anthropic

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ibid/llm"
	"ibid/llm/llmtest"
)

func model(c Config) *Model {
	c.Name, c.Model, c.URL = "anthropic/test", "test", "http://provider.example"
	return New(c)
}

// request is what a body holds, with the number of each block that has a breakpoint.
type request struct {
	System, Tools []map[string]any
	Messages      []struct {
		Role    string
		Content []map[string]any
	}
	Choice      map[string]any `json:"tool_choice"`
	Temperature *float64
	MaxTokens   int `json:"max_tokens"`
	Stream      bool
	marked      []int
}

func encode(t testing.TB, m *Model, r llm.Request) request {
	t.Helper()
	body, err := m.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	var got request
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	n := 0
	for _, message := range got.Messages {
		for _, b := range message.Content {
			if b["cache_control"] != nil {
				got.marked = append(got.marked, n)
			}
			n++
		}
	}
	return got
}

func TestEncodeOptions(t *testing.T) {
	r := llmtest.Request()
	got := encode(t, model(Config{}), r)
	if got.Temperature == nil || *got.Temperature != 0 || got.MaxTokens != 900 || got.Stream || got.Choice != nil || len(got.System) != 1 || got.System[0]["cache_control"] == nil || got.Tools[1]["cache_control"] != nil {
		t.Errorf("%+v", got)
	}
	r.System, r.MaxTokens, r.Choice = " ", 0, llm.ChoiceRequired
	got = encode(t, model(Config{NoTemperature: true, Stream: true}), r)
	if got.Temperature != nil || got.MaxTokens == 0 || !got.Stream || got.Choice["type"] != "any" || got.System != nil || got.Tools[1]["cache_control"] == nil {
		t.Errorf("%+v", got)
	}
	if got = encode(t, model(Config{NoForcedTools: true}), r); got.Choice != nil {
		t.Errorf("forced all the same: %+v", got.Choice)
	}
	r.Tools = nil
	if got = encode(t, model(Config{}), r); got.Choice != nil || got.Tools != nil {
		t.Errorf("a choice among no tools: %+v", got)
	}
}

// Thinking goes back as it came; what another protocol left, and thinking without its signature, do not.
func TestRawBlocks(t *testing.T) {
	r := llmtest.Request()
	thinking := `{"type":"thinking","thinking":"a < b","signature":"x"}`
	r.Messages[1].Blocks = append([]llm.Block{
		{Raw: json.RawMessage(thinking)},
		{Raw: json.RawMessage(`{"type":"redacted_thinking","data":"zz"}`)},
		{Raw: json.RawMessage(`{"type":"thinking","thinking":"cut","signature":""}`)},
		{Raw: json.RawMessage(`{"chat_message":{"reasoning_content":"foreign"}}`)},
	}, r.Messages[1].Blocks...)
	body, err := model(Config{}).Encode(r)
	if err != nil || !strings.Contains(string(body), `"content":[`+thinking+`,{"type":"redacted_thinking","data":"zz"},{"type":"text"`) {
		t.Errorf("%v %s", err, body)
	}
	for _, no := range []string{"cut", "foreign"} {
		if strings.Contains(string(body), no) {
			t.Errorf("%s is sent: %s", no, body)
		}
	}
}

// step is one step of a run: a call, and a result of so many bytes.
func step(n, size int, elided bool) []llm.Message {
	id := fmt.Sprint("c", n)
	return []llm.Message{
		{Role: llm.Assistant, Blocks: []llm.Block{{Text: "next"}, {Call: &llm.ToolCall{ID: id, Name: "plan", Args: "{}"}}}},
		{Role: llm.User, Blocks: []llm.Block{{Result: &llm.ToolResult{ID: id, Name: "plan", Content: strings.Repeat("x", size), Elided: elided}}}},
	}
}

func history(steps ...[]llm.Message) llm.Request {
	r := llm.Request{System: "s", Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "question"}}}}}
	for _, s := range steps {
		r.Messages = append(r.Messages, s...)
	}
	return r
}

// The blocks are 0 for the question and then, for each step, the text, the call and the result.
func TestBreakpoints(t *testing.T) {
	wide := step(2, 100, false) // a step with more calls than the API looks back
	for i := range 12 {
		id := fmt.Sprint("w", i)
		wide[0].Blocks = append(wide[0].Blocks, llm.Block{Call: &llm.ToolCall{ID: id, Name: "plan", Args: "{}"}})
		wide[1].Blocks = append(wide[1].Blocks, llm.Block{Result: &llm.ToolResult{ID: id, Content: "x"}})
	}
	thinks := step(1, 9000, false)
	thinks[0].Blocks = []llm.Block{{Call: &llm.ToolCall{ID: "a", Name: "plan", Args: "{}"}}, thinks[0].Blocks[1], {Raw: json.RawMessage(`{"type":"redacted_thinking","data":"x"}`)}}
	thinks[1].Blocks = append(thinks[1].Blocks, llm.Block{Result: &llm.ToolResult{ID: "a", Content: "x", Elided: true}})
	for _, c := range []struct {
		name string
		r    llm.Request
		want []int
	}{
		{"question alone", history(), []int{0}},
		{"small results", history(step(1, 100, false), step(2, 100, false)), []int{2, 6}},
		{"the oldest full one", history(step(1, 100, false), step(2, 9000, false), step(3, 9000, false)), []int{5, 9}},
		{"after those elided", history(step(1, 70, true), step(2, 100, false), step(3, 70, true), step(4, 9000, false)), []int{11, 12}},
		{"all elided", history(step(1, 70, true), step(2, 70, true)), []int{6}},
		{"a step wider than the look back", history(step(1, 9000, false), wide), []int{2, 3, 30}},
		{"never on thinking", history(thinks), []int{4, 5}},
	} {
		if got := encode(t, model(Config{}), c.r).marked; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: breakpoints at %v, want %v", c.name, got, c.want)
		}
	}
}

// Runs of 40 steps whose results are elided, each at once or two reads at a time (sizes in bytes, four to a token): a
// request reads from the cache what an earlier one had up to one of its breakpoints, if that is at most 20 blocks before
// one of its own. Caching the end alone would read 62 %; the cost model for CONTEXT-4 asks for 81 % and 86 %.
func TestElisionMeetsTheCache(t *testing.T) {
	for batch, want := range map[int]float64{1: 0.80, 2: 0.85} {
		seen := map[string]bool{}
		elided := map[int]bool{}
		total, hit := 0, 0
		for n := 1; n <= 40; n++ {
			var old []int
			for i := 1; i < n; i++ {
				if size := resultSize(i); size > fullResult && n-i > 3 && !elided[i] {
					old = append(old, i)
				}
			}
			if len(old) >= batch {
				for _, i := range old {
					elided[i] = true
				}
			}
			total, hit = countCached(t, n, elided, seen, total, hit)
		}
		if rate := float64(hit) / float64(total); rate < want {
			t.Errorf("elision of %d at once: %.1f %% of the input is read from the cache, want %.0f %%", batch, 100*rate, 100*want)
		}
	}
}

func resultSize(step int) int { return []int{6000, 24000, 1000, 24000, 1000}[(step-1)%5] }

// countCached encodes the request of step n, and adds what it holds and what of it the cache has.
func countCached(t *testing.T, n int, elided map[int]bool, seen map[string]bool, total, hit int) (int, int) {
	t.Helper()
	r := history()
	r.System = strings.Repeat("s", 12000)
	r.Messages[0].Blocks[0].Text = strings.Repeat("q", 4000)
	for i := 1; i < n; i++ {
		size := resultSize(i)
		if elided[i] {
			size = 280
		}
		s := step(i, size, elided[i])
		s[0].Blocks[0].Text = strings.Repeat("t", 1000)
		r.Messages = append(r.Messages, s...)
	}
	got := encode(t, model(Config{}), r)
	var sums []string // of the bytes up to each block
	var sizes []int   // likewise
	sum, size := "", len(r.System)
	for _, m := range got.Messages {
		for _, b := range m.Content {
			delete(b, "cache_control")
			text := fmt.Sprint(b)
			sum = fmt.Sprint(sha256.Sum256([]byte(sum + text)))
			size += len(text)
			sums, sizes = append(sums, sum), append(sizes, size)
		}
	}
	best := 0
	if len(seen) > 0 {
		best = len(r.System)
	}
	for _, at := range got.marked {
		for i := at; i >= 0 && i > at-lookback; i-- {
			if seen[sums[i]] {
				best = max(best, sizes[i])
			}
		}
	}
	for _, at := range got.marked {
		seen[sums[at]] = true
	}
	return total + size, hit + best
}
