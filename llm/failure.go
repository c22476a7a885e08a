package llm

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ibid/internal/lazyregexp"
)

// Failure reads what a provider answers in place of a model's answer: an error response, or an error object inside of a
// response or a stream, whose status is then 0. It knows the forms of Anthropic, OpenAI, Google, FastAPI and plain text.
// now is the time of the response.
func Failure(status int, h http.Header, body []byte, now time.Time) *Error {
	said := readFailure(body)
	if status == 0 || status == http.StatusOK {
		status = said.status()
	}
	e := &Error{Kind: said.kind(status), Status: status, Message: said.message}
	if e.Message == "" {
		e.Message = strings.TrimSpace(said.code + " " + http.StatusText(status))
	}
	e.Message = shorten(e.Message, 600)
	pause, told := RetryAfter(h, now)
	if !told {
		pause = retryAfterWords(said.all)
	}
	if e.Retryable() {
		e.RetryAfter = (pause + time.Second - 1).Truncate(time.Second)
	}
	return e
}

// failure is an error response, taken apart.
type failure struct {
	message string
	code    string // every type, code and status that the body names, in lower case
	details string // what is said beside the message
	number  int    // a code that is a number
	all     string // the body as text
}

func readFailure(body []byte) failure {
	f := failure{all: strings.ToValidUTF8(string(body[:min(len(body), 64<<10)]), "\uFFFD")}
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 { // Google wraps the object in a list
		body = list[0]
	}
	if f.read(body); f.message == "" && !json.Valid(body) {
		f.message = plain(f.all)
	}
	return f
}

// read takes the words of an object, and of the objects that stand in it under names for errors.
func (f *failure) read(object []byte) {
	var text string
	if json.Unmarshal(object, &text) == nil {
		f.message = text
		return
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return
	}
	for _, name := range []string{"type", "code", "status", "param"} {
		var word string
		if json.Unmarshal(fields[name], &word) == nil {
			f.code = strings.TrimSpace(f.code + " " + strings.ToLower(word))
		}
		if n, err := strconv.Atoi(string(bytes.Trim(fields[name], `"`))); err == nil && n >= 400 && n < 600 {
			f.number = n
		}
	}
	for _, name := range []string{"message", "detail", "msg", "status_msg", "error_description"} {
		var text string
		if json.Unmarshal(fields[name], &text) == nil && text != "" {
			f.message = text
		} else if len(fields[name]) > 0 && fields[name][0] != '"' && f.message == "" && string(fields[name]) != "null" {
			f.message = string(fields[name]) // FastAPI's list of what is invalid
		}
	}
	var details string
	if json.Unmarshal(fields["details"], &details) == nil {
		f.details += " " + details
	}
	for _, name := range []string{"error", "base_resp"} { // the second is MiniMax's
		if inner := fields[name]; len(inner) > 0 {
			f.read(inner)
		}
	}
	var list []json.RawMessage
	if json.Unmarshal(fields["errors"], &list) == nil && len(list) > 0 {
		f.read(list[0])
	}
}

// byCode are the statuses that error types without a status stand for.
var byCode = []struct {
	status int
	words  *lazyregexp.Regexp
}{
	{http.StatusTooManyRequests, lazyregexp.New(`rate_?limit|resource_exhausted|too_many_requests|throttl|insufficient_quota`)},
	{529, lazyregexp.New(`overloaded|unavailable|capacity|engine_overloaded`)},
	{http.StatusUnauthorized, lazyregexp.New(`authentication|invalid_api_key|unauthenticated|unauthorized`)},
	{http.StatusForbidden, lazyregexp.New(`permission|forbidden`)},
	{http.StatusPaymentRequired, lazyregexp.New(`billing|insufficient_balance|payment`)},
	{http.StatusRequestEntityTooLarge, lazyregexp.New(`request_too_large`)},
	{http.StatusNotFound, lazyregexp.New(`not_found`)},
	{http.StatusGatewayTimeout, lazyregexp.New(`timeout|deadline_exceeded`)},
	{http.StatusBadRequest, lazyregexp.New(`invalid_?request|bad_?request|invalid_argument|context_length|exceed_context|unsupported|validation|failed_precondition`)},
}

// status is what the response's status would have been.
func (f failure) status() int {
	if f.number != 0 {
		return f.number
	}
	for _, c := range byCode {
		if c.words.MatchString(f.code) {
			return c.status
		}
	}
	return http.StatusInternalServerError
}

var (
	// The request is longer than the window; the words of Anthropic, OpenAI, Google, xAI, Mistral, Groq, Cohere, Bedrock,
	// Moonshot, MiniMax, Zhipu, Alibaba, Poolside, vLLM, SGLang, TGI, llama.cpp, LM Studio and Ollama.
	tooLong = lazyregexp.New(`(?i)context_length_exceeded|exceed_context_size|model_max_prompt_tokens_exceeded` +
		`|(?:prompt|input|inputs|request|messages?|conversation)\b[^.]{0,40}\b(?:is|are|was)? ?too (?:long|large|many tokens)` +
		`|prompt exceeds max|range of input length|available context size|longer than the (?:maximum )?(?:model|context)` +
		`|exceed\w* (?:the |your |model'?s? |this |that |its |\w+'s )*(?:(?:maximum|max|allowed|total|available|supported) )*(?:model len|tokens? limit|context|input length|input size|prompt length|input token|model token limit|sequence length|number of tokens allowed|max_seq_len|max_model_len)` +
		`|context (?:size|length|window)[^.]{0,40}\b(?:exceed|overflow|too small)|maximum (?:context|prompt|model|sequence) length` +
		`|(?:input|prompt) (?:length|tokens?|token count)[^.]{0,60}\bexceed|tokens?\b[^.]{0,20} exceed[^.]{0,30}\b(?:context|input|prompt)` +
		`|reduce (?:the )?length of (?:the |your )?(?:messages|input|prompt)|inputs?\W? tokens \+ .{0,30} must be|inputs?\W? must have less than` +
		`|context.?window.?exceeded|input tokens? but \d+ were|tokens in request more than|tokens_limit_reached|超长|超过.{0,20}(?:长度|上下文)` +
		`|too large for model with|number of tokens to keep from the initial prompt|when context the overflows|context length of only` +
		`|too many tokens: |total number of tokens .{0,40}cannot exceed|no user query found in messages|long context requests`)

	// The output was asked to be too long, or another field of the request is: no shorter history would help.
	otherTooLong = lazyregexp.New(`(?i)max(?:_completion|_output|_new)?_?tokens\W{0,3}(?: is)?(?: too large|: ?\d+ ?>|.{0,40}at most|.{0,30}less than or equal)|string too long|array too long|image|too many tools`)

	throttled = lazyregexp.New(`(?i)rate.?limit|too many requests|throttl|tokens per min|requests per min|resource.?exhausted|per[- ]minute|please wait`)
	oneTooBig = lazyregexp.New(`(?i)request too large|long context requests|larger than .{0,20}limit`)

	noCredit = lazyregexp.New(`(?i)insufficient_quota|insufficient.?(?:balance|credit|funds|user.?quota)|credit balance|out of credits?|not enough credits?|any credits|requires more credits|no credits|billing_(?:hard_limit|not_active)|billing hard limit|exceeded_current_quota|payment required|spend(?:ing)? limit|usage limits?\. you will regain|account is not active|余额不足|欠费`)
	// OpenAI says so of spent credit, Google of a rate limit that passes.
	quotaWords = lazyregexp.New(`(?i)exceeded your current quota`)

	badKey  = lazyregexp.New(`(?i)pass a valid api.?key|api.?key.{0,30}(?:not valid|invalid|missing|incorrect|expired|required|not found|not provided)|(?:invalid|incorrect|missing|no|wrong|expired) (?:\w+ ){0,3}(?:api.?key|authorization header|auth token|x-api-key)|api_key_invalid|invalid_api_key`)
	flagged = lazyregexp.New(`(?i)flagged|moderation|content policy|guardrail`)
)

func (f failure) kind(status int) ErrorKind {
	text := f.code + " " + f.message + f.details
	switch {
	case status == http.StatusPaymentRequired, noCredit.MatchString(text):
		return Quota
	case quotaWords.MatchString(text) && retryAfterWords(f.all) == 0 && !strings.Contains(f.code, "resource_exhausted"):
		return Quota
	case oneTooBig.MatchString(text):
		return TooLong
	case status == http.StatusTooManyRequests:
		return RateLimited
	case status == 529, status == http.StatusServiceUnavailable, status == 498: // 498: Groq, no capacity
		return Overloaded
	case throttled.MatchString(text):
		return RateLimited
	case status == http.StatusRequestEntityTooLarge:
		return TooLong
	case status == http.StatusUnauthorized, badKey.MatchString(text):
		return Auth
	case status == http.StatusForbidden && !flagged.MatchString(text):
		return Auth
	case otherTooLong.MatchString(text) && !strings.Contains(text, "context"):
		return BadRequest
	case tooLong.MatchString(text):
		return TooLong
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == 499:
		return Network
	case status >= 500, status == http.StatusConflict:
		return Server
	}
	return BadRequest
}

// plain is the text of a page that came in place of an error object.
func plain(page string) string {
	return strings.Join(strings.Fields(markup.ReplaceAllString(page, " ")), " ")
}

var markup = lazyregexp.New(`(?is)<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>`)

// shorten cuts a text to n bytes at a rune, and makes it one line.
func shorten(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	s = s[:n]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + " …"
}
