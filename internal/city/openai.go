package city

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"ibid/llm"
)

// chat is POST /v1/chat/completions.
func (c *City) chat(w http.ResponseWriter, r *http.Request) {
	n, fault := c.begin("chat")
	w.Header().Set("X-Request-Id", requestID(n))
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if e := openaiDoor(r); e != nil {
		c.refuseOpenAI(w, n, e)
		return
	}
	if c.openaiFault(w, r, n, fault) {
		return
	}
	req, e := c.readChat(body)
	if e == nil && fault == TooLong {
		e = bad("This model's maximum context length is 128000 tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", 128000+tokens(len(body)))
		e.param, e.code = "messages", "context_length_exceeded"
	}
	if e != nil {
		c.refuseOpenAI(w, n, e)
		return
	}
	resp, err := c.brain.think(r.Context(), req.request, "call_city")
	if err != nil {
		c.refuseOpenAI(w, n, &refused{status: 500, kind: "server_error", message: "The server had an error while processing your request. Sorry about that!"})
		return
	}
	a := &chatAnswer{id: fmt.Sprintf("chatcmpl-city%08d", n), model: req.request.Model, text: resp.Text(), calls: resp.Calls(),
		finish: "stop", usage: !req.stream || req.usage, use: c.gpt.account(req.prompt, c.options.MinCache)}
	if len(a.calls) > 0 {
		a.finish = "tool_calls"
	}
	a.spoil(fault)
	c.note(n, func(m *ModelCall) {
		m.Stream, m.Request, m.Usage, m.Status = req.stream, req.request, told(fault, a.usageOf()), http.StatusOK
	})
	a.write(w, req.stream, fault)
}

func openaiDoor(r *http.Request) *refused {
	key, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !bearer || key == "":
		return &refused{status: http.StatusUnauthorized, kind: "invalid_request_error", message: "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."}
	case key != Key("openai"):
		return &refused{status: http.StatusUnauthorized, kind: "invalid_request_error", code: "invalid_api_key",
			message: "Incorrect API key provided: " + masked(key) + ". You can find your API key at https://platform.openai.com/account/api-keys."}
	}
	return nil
}

// masked shows the ends of a key, as the API does: also this is nothing to log.
func masked(key string) string {
	if len(key) < 12 {
		return strings.Repeat("*", len(key))
	}
	return key[:4] + strings.Repeat("*", len(key)-8) + key[len(key)-4:]
}

// openaiFault plays a fault of the exchange; it says whether the request is answered with that.
func (c *City) openaiFault(w http.ResponseWriter, r *http.Request, n int, fault Fault) bool {
	switch fault {
	case RateLimited:
		w.Header().Set("Retry-After", "1")
		c.refuseOpenAI(w, n, &refused{status: 429, kind: "requests", code: "rate_limit_exceeded", message: "Rate limit reached for requests. Limit: 3 / min. Please try again in 1s."})
	case Quota:
		c.refuseOpenAI(w, n, &refused{status: 429, kind: "insufficient_quota", code: "insufficient_quota", message: "You exceeded your current quota, please check your plan and billing details."})
	case Overloaded:
		c.refuseOpenAI(w, n, &refused{status: 503, kind: "server_error", message: "The engine is currently overloaded, please try again later."})
	case ServerError:
		c.refuseOpenAI(w, n, &refused{status: 500, kind: "server_error", message: "The server had an error while processing your request. Sorry about that!"})
	case BadGateway:
		page502(w)
	case Reset:
		reset(w)
	case Slow:
		c.pause(r, Pause)
		return false
	default:
		return false
	}
	return true
}

func (c *City) refuseOpenAI(w http.ResponseWriter, n int, e *refused) {
	c.note(n, func(m *ModelCall) { m.Status = e.status })
	writeJSON(w, e.status, openaiError(e))
}

func openaiError(e *refused) map[string]any {
	return map[string]any{"error": map[string]any{"message": e.message, "type": e.kind, "param": orNull(e.param), "code": orNull(e.code)}}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// openaiModels is GET /v1/models.
func (c *City) openaiModels(w http.ResponseWriter, r *http.Request) {
	if e := openaiDoor(r); e != nil {
		writeJSON(w, e.status, openaiError(e))
		return
	}
	list := []any{}
	for _, m := range c.models("gpt-city-1") {
		list = append(list, map[string]any{"id": m, "object": "model", "created": 1767225600, "owned_by": "city"})
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

// usageOf is what the answer tells of its cost.
func (a *chatAnswer) usageOf() llm.Usage {
	if !a.usage {
		return llm.Usage{}
	}
	return llm.Usage{In: a.use.in, CacheRead: a.use.read, Out: a.out(), Known: true}
}
