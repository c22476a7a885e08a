package llm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"ibid/llm"
	"ibid/llm/llmtest"
)

func TestLocalConforms(t *testing.T) {
	llmtest.Pure(t, &llm.Local{ID: "local"})
}

func TestStreamEvents(t *testing.T) {
	for _, c := range []struct{ stream, want string }{
		{"data: a\n\ndata:b\n\n", "a|b"},
		{"data: a\r\n\r\ndata: b\r\n\r\n", "a|b"},
		{"data: a\r\rdata: b\r\r", "a|b"},
		{"\ufeffdata: a\n\n", "a"},
		{": comment\n\ndata: a\n: in between\ndata: b\n\n", "a\nb"},
		{"event: error\nid: 7\nretry: 5\ndata:  two spaces\n\n", "error= two spaces"},
		{"data\n\n", ""},
		{"data:\ndata:\n\n", "\n"},
		{"event: only a name\n\ndata: x", "x (cut)"},
		{"data: a\n\n\n\n\ndata: b\n", "a|b (cut)"},
		{"error: {\"code\":400}\n\n", `error={"code":400}`},
		{"dat", ""},
		{"", ""},
	} {
		var got []string
		for e := range llm.StreamEvents([]byte(c.stream)) {
			s := string(e.Data)
			if e.Name != "" {
				s = e.Name + "=" + s
			}
			if !e.Whole {
				s += " (cut)"
			}
			got = append(got, s)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q: %q, want %q", c.stream, got, c.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2025, 10, 8, 12, 0, 0, 0, time.UTC)
	none := time.Duration(-1)
	for _, c := range []struct {
		header http.Header
		want   time.Duration
	}{
		{http.Header{"Retry-After": {"5"}}, 5 * time.Second},
		{http.Header{"Retry-After": {" 2.5 "}}, 2500 * time.Millisecond},
		{http.Header{"Retry-After": {"99999999999999999999999999999999999"}}, 24 * time.Hour},
		{http.Header{"Retry-After": {strings.Repeat("9", 5000)}}, 24 * time.Hour},
		{http.Header{"Retry-After": {"Wed, 08 Oct 2025 12:00:30 GMT"}}, 30 * time.Second},
		{http.Header{"Retry-After": {"Wednesday, 08-Oct-25 12:00:30 GMT"}}, 30 * time.Second},
		{http.Header{"Retry-After": {"Fri, 08 Oct 2055 12:00:30 GMT"}}, 24 * time.Hour},
		{http.Header{"Retry-After": {"Wed, 08 Oct 2025 11:00:00 GMT"}}, 0},
		{http.Header{"Retry-After": {"Wed, 08 Oct 2025 13:00:30 GMT"}, "Date": {"Wed, 08 Oct 2025 13:00:00 GMT"}}, 30 * time.Second},
		{http.Header{"Retry-After": {"60"}, "Retry-After-Ms": {"1500"}}, 1500 * time.Millisecond},
		{http.Header{"Retry-After": {"60"}, "Retry-After-Ms": {"soon"}}, 60 * time.Second},
		{http.Header{"Retry-After": {"1e9"}}, none},
		{http.Header{"Retry-After": {"+5"}}, none},
		{http.Header{"Retry-After": {"5s"}}, none},
		{http.Header{"Retry-After": {"NaN"}}, none},
		{http.Header{}, none},
	} {
		got, ok := llm.RetryAfter(c.header, now)
		if !ok {
			got = none
		}
		if got != c.want {
			t.Errorf("%v: %v, want %v", c.header, got, c.want)
		}
	}
}

// What providers really say; the words are theirs.
func TestFailureKinds(t *testing.T) {
	message := func(s string) string { return fmt.Sprintf(`{"error":{"message":%q}}`, s) }
	for _, c := range []struct {
		status int
		body   string
		want   llm.ErrorKind
		after  time.Duration
	}{
		{400, message("This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens"), llm.TooLong, 0},
		{400, message("Input length (265330) exceeds model's maximum context length (262144)."), llm.TooLong, 0},
		{400, message("Input length 131393 exceeds the maximum allowed input length of 131040 tokens."), llm.TooLong, 0},
		{400, message("Prompt too long: 5152 tokens exceeds max_seq_len 2048 (leave room for output tokens)"), llm.TooLong, 0},
		{400, message("Your input exceeds the context window of this model. Please adjust your input and try again."), llm.TooLong, 0},
		{400, message("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."), llm.TooLong, 0},
		{400, message("Input is too long for requested model."), llm.TooLong, 0},
		{400, message("Please reduce the length of the messages or completion."), llm.TooLong, 0},
		{400, message("This model's maximum prompt length is 131072 but the request contains 537812 tokens."), llm.TooLong, 0},
		{400, message("Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"), llm.TooLong, 0},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size. try increasing it","type":"exceed_context_size_error"}}`, llm.TooLong, 0},
		{400, message("Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"), llm.TooLong, 0},
		{422, `{"error":"Input validation error: ` + "`inputs` tokens + `max_new_tokens`" + ` must be <= 8193. Given: 9000","error_type":"validation"}`, llm.TooLong, 0},
		{400, message("too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000."), llm.TooLong, 0},
		{400, message("Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)"), llm.TooLong, 0},
		{400, message("invalid params, context window exceeds limit (2013)"), llm.TooLong, 0},
		{400, message("Range of input length should be [1, 129024]"), llm.TooLong, 0},
		{400, message("prompt token count of 128500 exceeds the limit of 128000"), llm.TooLong, 0},
		{500, message("Context size has been exceeded."), llm.TooLong, 0},
		{413, `{"error":{"message":"Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 8000","type":"tokens","code":"rate_limit_exceeded"}}`, llm.TooLong, 0},
		{429, message("Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 45000."), llm.TooLong, 0},
		{400, `{"base_resp":{"status_code":2013,"status_msg":"invalid params, context window exceeds limit (2013)"}}`, llm.TooLong, 0},
		{400, `{"errors":[{"code":"invalid_input_argument","message":"the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model"}]}`, llm.TooLong, 0},
		{400, `{"error":{"code":"x","message":"Bad request","details":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}`, llm.TooLong, 0},
		{413, `{"error":{"code":"tokens_limit_reached","message":"tokens_limit_reached"}}`, llm.TooLong, 0},
		{400, message("litellm.BadRequestError: ContextWindowExceededError"), llm.TooLong, 0},
		{400, message("Total tokens 300000 exceed max model len 262144"), llm.TooLong, 0},
		{400, message("This model supports a maximum of 128000 input tokens but 140000 were provided"), llm.TooLong, 0},
		{400, message("tokens in request more than max tokens allowed"), llm.TooLong, 0},
		{400, message("Prompt 超长"), llm.TooLong, 0},

		{400, message("max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for the model"), llm.BadRequest, 0},
		{400, message("max_tokens is too large: 100000. This model supports at most 16384 completion tokens."), llm.BadRequest, 0},
		{400, message("Invalid 'messages[5].tool_calls[0].id': string too long. Expected a string with maximum length 40"), llm.BadRequest, 0},
		{400, message("Invalid 'tools': array too long. Expected an array with maximum length 128"), llm.BadRequest, 0},
		{400, message("messages: text content blocks must be non-empty"), llm.BadRequest, 0},
		{400, message("messages.3.content.1: `tool_use` ids must be unique"), llm.BadRequest, 0},
		{400, message("messages.1.content.0.image.source: image exceeds 5 MB maximum"), llm.BadRequest, 0},
		{404, message("The model `gpt-9` does not exist or you do not have access to it."), llm.BadRequest, 0},
		{400, `{"detail":[{"loc":["body","messages"],"msg":"field required"}]}`, llm.BadRequest, 0},
		{403, message("Your chosen model requires moderation and your input was flagged"), llm.BadRequest, 0},

		{429, message("Too many tokens, please wait before trying again."), llm.RateLimited, 0},
		{400, message("ThrottlingException: Too many tokens, please wait before trying again."), llm.RateLimited, 0},
		{429, message("Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 25000, Requested 8000. Please try again in 6.1s."), llm.RateLimited, 7 * time.Second},
		{403, message("API rate limit exceeded for this address"), llm.RateLimited, 0},
		{429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"RetryInfo","retryDelay":"34s"}]}}]`, llm.RateLimited, 35 * time.Second},
		{429, message("This request would exceed your organization's rate limit of 40,000 input tokens per minute"), llm.RateLimited, 0},
		{0, `{"error":{"code":429,"message":"Provider returned error"}}`, llm.RateLimited, 0},

		{429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, llm.Quota, 0},
		{400, message("Your credit balance is too low to access the Anthropic API."), llm.Quota, 0},
		{402, message("Insufficient Balance"), llm.Quota, 0},
		{402, message("This request requires more credits, or fewer max_tokens."), llm.Quota, 0},
		{403, message("Your newly created team doesn't have any credits yet."), llm.Quota, 0},

		{400, message("You have reached your specified API usage limits. You will regain access on 2026-01-01 at 00:00 UTC."), llm.Quota, 0},

		{400, message("Please pass a valid API key"), llm.Auth, 0},
		{401, message("Incorrect API key provided: sk-ab***wxyz."), llm.Auth, 0},
		{400, message("API key not valid. Please pass a valid API key."), llm.Auth, 0},
		{401, "Unauthorized", llm.Auth, 0},

		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.Overloaded, 0},
		{0, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.Overloaded, 0},
		{0, `{"error":{"message":"Internal","type":"api_error"}}`, llm.Server, 0},
		{0, `{"error":"something"}`, llm.Server, 0},
		{524, "<html><title>A timeout occurred</title></html>", llm.Server, 0},
		{408, message("Your request timed out"), llm.Network, 0},
	} {
		got := llm.Failure(c.status, http.Header{}, []byte(c.body), time.Now())
		if got.Kind != c.want || got.RetryAfter != c.after || got.Message == "" {
			t.Errorf("%d %s:\n%v, want %s after %v", c.status, c.body, got, c.want, c.after)
		}
	}
}

func TestArguments(t *testing.T) {
	for in, want := range map[string]string{
		"": "{}", "  ": "{}", "null": "{}", `""`: "{}", `{"a":1}`: `{"a":1}`, ` {"a":1} `: `{"a":1}`,
		`{"a":1}{"a":1}`: `{"a":1}`, `{"a":1} {"a" : 1}`: `{"a":1}`, `{}{"a":1}`: `{"a":1}`, `{}{}`: `{}`,
		`{"a":1}{"a":2}`: `{"a":1}{"a":2}`, `"{\"a\":1}"`: `{"a":1}`, `"text"`: `"text"`, `[1]`: `[1]`, `{"a":`: `{"a":`, `{"a":1}}`: `{"a":1}}`,
	} {
		if got := llm.Arguments(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

var keepAll = func(json.RawMessage) bool { return true }

func TestRepair(t *testing.T) {
	r := llmtest.Request()
	if got := llm.Repair(r.Messages, keepAll); !reflect.DeepEqual(got, r.Messages) {
		t.Errorf("a sound history was changed: %+v", got)
	}
	got := llm.Repair(llmtest.Odd().Messages, func(json.RawMessage) bool { return false })
	sound(t, got)
	var text strings.Builder
	for _, m := range got {
		for _, b := range m.Blocks {
			switch {
			case b.Call != nil:
				fmt.Fprintf(&text, "call %s %s %s\n", b.Call.ID, b.Call.Name, b.Call.Args)
			case b.Result != nil:
				fmt.Fprintf(&text, "result %s %v %.14s\n", b.Result.ID, b.Result.IsError, b.Result.Content)
			default:
				fmt.Fprintf(&text, "%s: %.60q\n", m.Role, b.Text)
			}
		}
	}
	want := `user: "Go on."
call call_1 execute_python__ {"arguments":"{\"broken"}
call call_2 unnamed {"arguments":"[1]"}
result call_1 false (no output)
result call_2 true No result of t
user: "Result of an earlier call of unnamed:\nlost"
user: "bad \xff byte"
call functions_x_0 x {"a":"\ufffd"}
call functions_x_0_2 x {"a":1}
assistant: "ends with me"
result functions_x_0 true No result of t
result functions_x_0_2 true No result of t
`
	if text.String() != want {
		t.Errorf("repaired to\n%swant\n%s", text.String(), want)
	}
}

var wireName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// sound checks what Repair promises.
func sound(t *testing.T, messages []llm.Message) {
	t.Helper()
	ids := map[string]bool{}
	var open []string
	for i, m := range messages {
		if want := []llm.Role{llm.User, llm.Assistant}[i%2]; m.Role != want {
			t.Fatalf("message %d is of %s", i, m.Role)
		}
		if len(m.Blocks) == 0 {
			t.Fatalf("message %d is empty", i)
		}
		var answered []string
		said := false
		for _, b := range m.Blocks {
			switch {
			case b.Call != nil:
				if m.Role != llm.Assistant || ids[b.Call.ID] || !wireName.MatchString(b.Call.ID) || len(b.Call.ID) > 40 || !wireName.MatchString(b.Call.Name) {
					t.Fatalf("call %+v", b.Call)
				}
				var args map[string]any
				if err := json.Unmarshal([]byte(b.Call.Args), &args); err != nil || args == nil {
					t.Fatalf("arguments %q: %v", b.Call.Args, err)
				}
				ids[b.Call.ID], said = true, true
			case b.Result != nil:
				if said || strings.TrimSpace(b.Result.Content) == "" {
					t.Fatalf("message %d: result %+v", i, b.Result)
				}
				answered = append(answered, b.Result.ID)
			case b.Raw == nil:
				if strings.TrimSpace(b.Text) == "" {
					t.Fatalf("message %d: empty text", i)
				}
				said = true
			}
		}
		if !reflect.DeepEqual(answered, open) {
			t.Fatalf("message %d answers %v, asked %v", i, answered, open)
		}
		open = nil
		if m.Role == llm.Assistant {
			if !said {
				t.Fatalf("message %d says nothing", i)
			}
			for _, b := range m.Blocks {
				if b.Call != nil {
					open = append(open, b.Call.ID)
				}
			}
		}
	}
	if len(open) > 0 || len(messages)%2 == 0 && len(messages) > 0 {
		t.Fatalf("%d messages, calls %v are open", len(messages), open)
	}
}

func TestQuoted(t *testing.T) {
	for _, s := range []string{"", "plain", "a\"b\\c\n\r\t\x00\x1f\x7f", "größer \u2028 <&> \U0001F600", "bad \xff\xfe byte", "\xed\xa0\x80"} {
		var back string
		if err := json.Unmarshal(llm.AppendQuoted(nil, s), &back); err != nil || back != strings.ToValidUTF8(s, "\uFFFD") {
			t.Errorf("%q became %q, %v", s, back, err)
		}
	}
}

// FuzzRepair builds histories out of bytes: each is a block in a few variants, or a change of the speaker.
func FuzzRepair(f *testing.F) {
	f.Add([]byte("\x10\x20\x30\x01\x11\x21\x31\x02\x32\x42"))
	f.Add([]byte("\x01\x20\x24\x28\x00\x30\x34\x3c\x10\x01\x01\x50"))
	ids := []string{"", "a", "b", "functions.x:0", strings.Repeat("long", 20), "call_1", "a_2", "call_2"}
	args := []string{"", "{}", `{"a":1}{"a":1}`, `{"broken`, `{"s":"\ud800\\ud800"}`, "[1]", `"{}"`, "\xff"}
	texts := []string{"", " ", "text", "\xff"}
	f.Fuzz(func(t *testing.T, program []byte) {
		var messages []llm.Message
		add := func(role llm.Role, b ...llm.Block) {
			messages = append(messages, llm.Message{Role: role, Blocks: b})
		}
		for _, op := range program {
			pick := int(op & 7)
			role := llm.User
			if op&8 != 0 {
				role = llm.Assistant
			}
			var b llm.Block
			switch op >> 4 % 6 {
			case 0:
				add(role)
				continue
			case 1:
				b.Text = texts[pick%len(texts)]
			case 2:
				b.Call, role = &llm.ToolCall{ID: ids[pick], Name: ids[pick], Args: args[pick]}, llm.Assistant
			case 3:
				b.Result, role = &llm.ToolResult{ID: ids[pick], Content: texts[pick%len(texts)]}, llm.User
			case 4:
				b.Raw = json.RawMessage(`{"type":"thinking"}`)
			case 5:
				b.Result = &llm.ToolResult{ID: ids[pick], Content: "x"}
			}
			if n := len(messages); n > 0 && messages[n-1].Role == role {
				messages[n-1].Blocks = append(messages[n-1].Blocks, b)
			} else {
				add(role, b)
			}
		}
		before := fmt.Sprintf("%+v", messages)
		once := llm.Repair(messages, keepAll)
		sound(t, once)
		if fmt.Sprintf("%+v", messages) != before {
			t.Error("the history given was changed")
		}
		if again := llm.Repair(once, keepAll); !reflect.DeepEqual(once, again) {
			t.Errorf("repairing twice differs:\n%+v\n%+v", once, again)
		}
		if len(once) > 2 { // the beginning does not depend on what follows
			grown := append(messages[:len(messages):len(messages)], llm.Message{Role: llm.Assistant, Blocks: []llm.Block{{Text: "more"}}}, llm.Message{Role: llm.User, Blocks: []llm.Block{{Text: "more"}}})
			if more := llm.Repair(grown, keepAll); !reflect.DeepEqual(more[:len(once)-2], once[:len(once)-2]) {
				t.Errorf("growing changed the beginning:\n%+v\n%+v", once, more)
			}
		}
	})
}

func FuzzStreamEvents(f *testing.F) {
	for _, s := range []string{"data: a\n\ndata: b\r\n\r\n", "\ufeffevent: x\ndata: 1\ndata: 2\n\n: c\n", "data: {\"a\":\rdata: 1}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		before := string(stream)
		total := 0
		for e := range llm.StreamEvents(stream) {
			total += len(e.Data)
		}
		if total > len(stream) || string(stream) != before {
			t.Errorf("%d bytes of data in %d; changed: %v", total, len(stream), string(stream) != before)
		}
	})
}

func FuzzParseError(f *testing.F) {
	f.Add("rate_limited (HTTP 429, retry after 7 s): slow down")
	f.Add("network: it broke")
	f.Add("auth (HTTP 401): no\nkey")
	f.Fuzz(func(t *testing.T, text string) {
		e := llm.ParseError(text)
		if e == nil || e.Status > 0 && e.Status < 100 { // no status of HTTP
			return
		}
		if back := llm.ParseError(e.Error()); back == nil || back.Kind != e.Kind || back.RetryAfter != e.RetryAfter {
			t.Errorf("%q is read as %+v, and that as %+v", text, e, back)
		}
	})
}

func FuzzFailure(f *testing.F) {
	f.Add(429, "5", []byte(`{"error":{"message":"try again in 1m2.5s","code":429}}`))
	f.Add(0, "Wed, 08 Oct 2025 12:00:30 GMT", []byte(`[{"error":{"status":"RESOURCE_EXHAUSTED"}}]`))
	f.Add(500, "1e9", []byte("<html>"))
	f.Fuzz(func(t *testing.T, status int, after string, body []byte) {
		e := llm.Failure(status, http.Header{"Retry-After": {after}}, body, time.Unix(0, 0))
		if e.RetryAfter < 0 || e.RetryAfter > 24*time.Hour || len(e.Message) > 700 {
			t.Errorf("%+v", e)
		}
		if status >= 100 && status < 600 && status != 200 || status == 0 {
			if back := llm.ParseError(e.Error()); back == nil || back.Kind != e.Kind || back.RetryAfter != e.RetryAfter {
				t.Errorf("%q is read back as %+v", e, back)
			}
		}
	})
}
