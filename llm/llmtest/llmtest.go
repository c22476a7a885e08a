package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"ibid/llm"
)

// Key is the secret that a model under test is made with.
const Key = "sk-canary-4f9a1c77e2b05d38"

// Conform checks a model of a provider against the seam. build makes one that sends to a base URL with Key.
func Conform(t *testing.T, build func(url string, stream bool) llm.Model, d Dialect) {
	t.Run("codec", func(t *testing.T) { Pure(t, build("http://provider.example", false)) })
	t.Run("names", func(t *testing.T) { names(t, build("http://provider.example", false), d) })
	t.Run("history", func(t *testing.T) { history(t, build("http://provider.example", false), d) })
	for _, stream := range []bool{false, true} {
		t.Run(fmt.Sprintf("answers stream=%v", stream), func(t *testing.T) { answers(t, build, d, stream) })
		t.Run(fmt.Sprintf("errors stream=%v", stream), func(t *testing.T) { failures(t, build, d, stream) })
	}
	t.Run("cuts", func(t *testing.T) { cuts(t, build("http://provider.example", true), d) })
	t.Run("broken", func(t *testing.T) { broken(t, build, d) })
}

// Pure checks what holds for every model, also for one that answers in this process: the same request is the same bytes,
// in whatever state its history is, and what is no answer is an error.
func Pure(t *testing.T, m llm.Model) {
	if m.Name() == "" {
		t.Error("a model must have a name")
	}
	for i, r := range []llm.Request{Request(), Odd()} {
		before := fmt.Sprintf("%+v", r)
		body, err := m.Encode(r)
		if err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		again, err := m.Encode(r)
		if err != nil || !bytes.Equal(body, again) {
			t.Errorf("request %d: the same request gave other bytes, %v", i, err)
		}
		if !json.Valid(body) {
			t.Errorf("request %d is no JSON: %.300s", i, body)
		}
		if bytes.Contains(body, []byte(`\u003c`)) {
			t.Error("characters are escaped that need not be")
		}
		if fmt.Sprintf("%+v", r) != before {
			t.Error("Encode changed the request")
		}
	}
	for _, body := range []string{"", "no answer", "{", "null", "<html><body>502</body></html>"} {
		resp, err := m.Decode([]byte(body))
		if err == nil && len(resp.Blocks) > 0 {
			t.Errorf("%q was decoded as %+v", body, resp)
		}
	}
}

// Request is a conversation with every kind of block but raw ones.
func Request() llm.Request {
	return llm.Request{Model: "any", System: "You answer <briefly>.", Choice: llm.ChoiceAuto, MaxTokens: 900,
		Tools: []llm.Tool{{Name: "search_web", Description: "Finds pages.", Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)},
			{Name: "plan", Schema: json.RawMessage(`{"type":"object"}`)}},
		Messages: []llm.Message{
			{Role: llm.User, Blocks: []llm.Block{{Text: "What is 3 < 5 in größer?"}}},
			{Role: llm.Assistant, Blocks: []llm.Block{{Text: "I look."}, {Call: &llm.ToolCall{ID: "c1", Name: "search_web", Args: `{"query":"<a> \"b\""}`}}, {Call: &llm.ToolCall{ID: "c2", Name: "plan", Args: `{}`}}}},
			{Role: llm.User, Blocks: []llm.Block{{Result: &llm.ToolResult{ID: "c1", Name: "search_web", Content: "line 1\nline 2 \u2028 \x01"}}, {Result: &llm.ToolResult{ID: "c2", Name: "plan", Content: "refused", IsError: true}}}},
		}}
}

// Odd is a conversation of things that happen: calls without answers and answers without calls, repeated and empty ids,
// empty texts, arguments that are no JSON, names that no provider takes, bytes that are no text, foreign raw blocks.
func Odd() llm.Request {
	r := Request()
	r.Messages = []llm.Message{
		{Role: llm.Assistant, Blocks: []llm.Block{{Text: " "}, {Call: &llm.ToolCall{Name: "execute python!!", Args: `{"broken`}}, {Call: &llm.ToolCall{Name: "", Args: "[1]"}}}},
		{Role: llm.User, Blocks: []llm.Block{{Text: ""}, {Result: &llm.ToolResult{ID: "nobody", Content: "lost"}}, {Result: &llm.ToolResult{Content: "  "}}}},
		{Role: llm.User, Blocks: []llm.Block{{Text: "bad \xff byte"}}},
		{Role: llm.Assistant, Blocks: []llm.Block{{Raw: json.RawMessage(`{"foreign":true}`)}}},
		{Role: llm.Assistant, Blocks: []llm.Block{{Call: &llm.ToolCall{ID: "functions.x:0", Name: "x", Args: `{"a":"\ud800"}`}}, {Call: &llm.ToolCall{ID: "functions.x:0", Name: "x", Args: `"{\"a\":1}"`}}}},
		{Role: llm.Assistant, Blocks: []llm.Block{{Text: "ends with me"}}},
	}
	return r
}

// history checks that a history is sent whole and keeps its beginning when it grows.
func history(t *testing.T, m llm.Model, d Dialect) {
	r := Request()
	r.Messages[1].Blocks = append([]llm.Block{{Raw: d.Raw}}, r.Messages[1].Blocks...)
	first, err := m.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	text := string(first)
	for _, want := range []string{"3 < 5 in größer", "I look.", "search_web", `line 1\nline 2`, "refused", "first <this>, then that", "You answer <briefly>.", `"temperature":0`, "900"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not sent: %s", want, text)
		}
	}
	r.Messages = append(r.Messages, llm.Message{Role: llm.Assistant, Blocks: []llm.Block{{Text: "So far."}}}, llm.Message{Role: llm.User, Blocks: []llm.Block{{Text: "And now?"}}})
	second, err := m.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	common := 0
	for common < len(first) && common < len(second) && first[common] == second[common] {
		common++
	}
	if end := strings.Index(text, "refused") + len("refused"); common < end {
		t.Errorf("the histories part after %d of %d bytes: %s", common, end, second[:common])
	}
	for choice, want := range map[llm.Choice]string{llm.ChoiceNone: `none"`, llm.ChoiceRequired: `"tool_choice":`} {
		r.Choice = choice
		if body, err := m.Encode(r); err != nil || !strings.Contains(string(body), want) {
			t.Errorf("choice %s: %v in %s", choice, err, body)
		}
	}
	r.Tools[0].Name = "server.tool of.it"
	var typed *llm.Error
	if _, err := m.Encode(r); !errors.As(err, &typed) || typed.Kind != llm.BadRequest {
		t.Errorf("a tool name that providers refuse: %v", err)
	}
}

// responses are answers as any provider can give them.
func responses(d Dialect) map[string]llm.Response {
	usage := llm.Usage{In: 70, CacheRead: 1000, CacheWrite: 20, Out: 30, Reasoning: 10, Known: true}
	calls := []llm.Block{{Text: "I look twice."}, {Call: &llm.ToolCall{ID: "a", Name: "search_web", Args: `{"query":"größer <b>"}`}}, {Call: &llm.ToolCall{ID: "b", Name: "plan", Args: `{}`}}}
	return map[string]llm.Response{
		"text":     {Model: "m", Blocks: []llm.Block{{Text: "Preis: 12 €, größer"}}, Stop: llm.StopEnd, Usage: usage},
		"calls":    {Model: "m", Blocks: calls, Stop: llm.StopTools, Usage: usage},
		"raw":      {Model: "m", Blocks: append([]llm.Block{{Raw: d.Raw}}, calls...), Stop: llm.StopTools, Usage: usage},
		"cut":      {Model: "m", Blocks: calls, Stop: llm.StopLength, Usage: usage},
		"refused":  {Model: "m", Blocks: calls[:1], Stop: llm.StopRefusal, Usage: usage},
		"unknown":  {Model: "m", Blocks: calls[:1], Stop: llm.StopEnd},
		"no words": {Model: "m", Stop: llm.StopEnd, Usage: usage},
	}
}

// answers checks that what is received is what was sent, and means the same in both forms.
func answers(t *testing.T, build func(string, bool) llm.Model, d Dialect, stream bool) {
	for name, want := range responses(d) {
		wire := d.Answer(want)
		if stream {
			wire = d.Stream(want)
		}
		var got struct {
			path, key, body string
			header          http.Header
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var body bytes.Buffer
			if _, err := body.ReadFrom(r.Body); err != nil {
				t.Error(err)
			}
			got.path, got.key, got.body, got.header = r.URL.Path, r.Header.Get("Idempotency-Key"), body.String(), r.Header
			for i := 0; i < len(wire); i += 7 {
				if _, err := w.Write(wire[i:min(i+7, len(wire))]); err != nil {
					return
				}
			}
		}))
		m := build(server.URL+"/base", stream)
		body, err := m.Encode(Request())
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Send(t.Context(), body, "key-1")
		server.Close()
		if err != nil || !bytes.Equal(out, wire) {
			t.Errorf("%s: received %q, %v, sent %q", name, out, err, wire)
			continue
		}
		if got.path != "/base"+d.Path || got.key != "key-1" || got.body != string(body) || !strings.Contains(fmt.Sprint(got.header), Key) {
			t.Errorf("%s: the request was %+v", name, got)
		}
		resp, err := m.Decode(out)
		if err != nil || !same(resp, want) {
			t.Errorf("%s: decoded %+v, %v, want %+v", name, show(resp), err, show(want))
		}
	}
}

// same compares answers; raw blocks by what they hold.
func same(a, b llm.Response) bool { return show(a) == show(b) }

func show(r llm.Response) string {
	s := fmt.Sprintf("%s %s %+v", r.Model, r.Stop, r.Usage)
	for _, b := range r.Blocks {
		switch {
		case b.Call != nil:
			s += fmt.Sprintf("\n%+v", *b.Call)
		case b.Raw != nil:
			var v any
			if err := json.Unmarshal(b.Raw, &v); err != nil {
				s += "\nbroken raw"
			}
			s += fmt.Sprintf("\n%v", v)
		default:
			s += "\n" + b.Text
		}
	}
	return s
}

// failures checks that errors are typed, whether the status, the body or an event of a stream says them, and hold no key.
func failures(t *testing.T, build func(string, bool) llm.Model, d Dialect, stream bool) {
	echo := ": you sent " + Key
	for _, c := range []struct {
		status int
		body   []byte
		want   llm.ErrorKind
		after  time.Duration
	}{
		{429, d.Failure("rate_limit_error", "slow down"+echo), llm.RateLimited, 7 * time.Second},
		{529, d.Failure("overloaded_error", "Overloaded"), llm.Overloaded, 7 * time.Second},
		{503, []byte("<html>busy</html>"), llm.Overloaded, 7 * time.Second},
		{500, d.Failure("api_error", "internal"+echo), llm.Server, 7 * time.Second},
		{502, nil, llm.Server, 7 * time.Second},
		{400, d.Failure("invalid_request_error", "prompt is too long: 214007 tokens > 200000 maximum"), llm.TooLong, 0},
		{400, d.Failure("invalid_request_error", "temperature: invalid"+echo), llm.BadRequest, 0},
		{401, d.Failure("authentication_error", "invalid x-api-key "+Key), llm.Auth, 0},
		{403, d.Failure("permission_error", "not for "+Key[:20]), llm.Auth, 0},
		{402, d.Failure("billing_error", "pay"), llm.Quota, 0},
		{404, d.Failure("not_found_error", "model: nope"), llm.BadRequest, 0},
		{307, nil, llm.BadRequest, 0},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Error("a redirect was followed")
			}
			w.Header().Set("Retry-After", "7")
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(c.status)
			if _, err := w.Write(c.body); err != nil {
				t.Error(err)
			}
		}))
		check(t, build(server.URL, stream), c.status, c.want, c.after)
		server.Close()
	}
	if !stream {
		return
	}
	whole := d.Stream(responses(d)["calls"])
	for kind, name := range d.Kinds {
		for _, begun := range [][]byte{nil, whole[:len(whole)/2]} {
			if i := bytes.LastIndex(begun, []byte("\n\n")); i >= 0 {
				begun = begun[:i+2]
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, err := w.Write(append(bytes.Clone(begun), d.Broken(name, "it failed"+echo)...)); err != nil {
					t.Error(err)
				}
			}))
			check(t, build(server.URL, stream), -1, kind, 0)
			server.Close()
		}
	}
}

// check sends a request and looks at the error; status -1 is any.
func check(t *testing.T, m llm.Model, status int, want llm.ErrorKind, after time.Duration) {
	t.Helper()
	body, err := m.Encode(Request())
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Send(t.Context(), body, "k")
	var typed *llm.Error
	if !errors.As(err, &typed) || typed.Kind != want || typed.RetryAfter != after || status >= 0 && typed.Status != status {
		t.Errorf("status %d: %v, want %s after %v", status, err, want, after)
		return
	}
	for i := 0; i+8 <= len(Key); i++ {
		if strings.Contains(err.Error(), Key[i:i+8]) {
			t.Errorf("the error holds the key: %v", err)
			break
		}
	}
	if back := llm.ParseError(err.Error()); back == nil || back.Kind != want || back.RetryAfter != after {
		t.Errorf("the text %q is read back as %+v", err, back)
	}
}

// cuts checks that of a stream that ends anywhere before its terminal event nothing runs and no usage counts.
func cuts(t *testing.T, m llm.Model, d Dialect) {
	want := responses(d)["raw"]
	wire := d.Stream(want)
	text := string(wire)
	end := strings.Index(text, d.Terminal)
	if end < 0 {
		t.Fatalf("no %q in %s", d.Terminal, text)
	}
	for i := 0; i < len(wire); i++ {
		if i%11 != 0 && (i < end-60 || i > end+60) {
			continue // every place near the end, and some of each kind before it
		}
		resp, err := m.Decode(wire[:i])
		if err != nil {
			continue
		}
		if i <= end && (resp.Stop != llm.StopLength || resp.Usage.Known) {
			t.Fatalf("cut after %d bytes: %+v", i, resp)
		}
		if resp.Stop != llm.StopLength && !reflect.DeepEqual(resp.Calls(), want.Calls()) {
			t.Fatalf("cut after %d bytes, calls differ: %+v", i, resp.Calls())
		}
	}
	for _, form := range []string{strings.ReplaceAll(text, "\n", "\r\n"), strings.ReplaceAll(text, "\n", "\r"), "\ufeff" + text,
		": comment\n\n" + text, strings.ReplaceAll(text, "data: ", "data:"), strings.TrimRight(text, "\n")} {
		if resp, err := m.Decode([]byte(form)); err != nil || !same(resp, want) {
			t.Errorf("other framing: %v, %s", err, show(resp))
		}
	}
}

// broken checks connections that fail and callers that give up.
func broken(t *testing.T, build func(string, bool) llm.Model, d Dialect) {
	wire := d.Stream(responses(d)["text"])
	started, done := make(chan struct{}, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Idempotency-Key") == "hang" {
			started <- struct{}{}
			<-done
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(wire)))
		if _, err := w.Write(wire[:len(wire)/2]); err != nil {
			t.Error(err)
		}
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	defer close(done)
	m := build(server.URL, true)
	check(t, m, 0, llm.Network, 0)
	check(t, build("http://127.0.0.1:1", true), 0, llm.Unreachable, 0)
	check(t, build("not a URL", true), 0, llm.BadRequest, 0)

	body, err := m.Encode(Request())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	var typed *llm.Error
	if _, err := m.Send(ctx, body, "hang"); !errors.Is(err, context.Canceled) || errors.As(err, &typed) {
		t.Errorf("a cancelled call: %v", err)
	}
}
