package city

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"ibid/llm"
)

// messages is POST /v1/messages.
func (c *City) messages(w http.ResponseWriter, r *http.Request) {
	n, fault := c.begin("messages")
	w.Header().Set("Request-Id", requestID(n))
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if e := anthropicDoor(r); e != nil {
		c.refuseAnthropic(w, n, e)
		return
	}
	if c.anthropicFault(w, r, n, fault) {
		return
	}
	req, e := c.readAnthropic(body)
	if e != nil {
		c.refuseAnthropic(w, n, e)
		return
	}
	if fault == TooLong {
		c.refuseAnthropic(w, n, bad("prompt is too long: %d tokens > 200000 maximum", 200000+tokens(len(body))))
		return
	}
	answer, err := c.answerAnthropic(r, n, req)
	if err != nil {
		c.refuseAnthropic(w, n, &refused{status: 500, kind: "api_error", message: "Internal server error"})
		return
	}
	answer.spoil(fault)
	c.note(n, func(m *ModelCall) {
		m.Stream, m.Request, m.Usage, m.Status = req.stream, req.request, told(fault, answer.usageOf()), http.StatusOK
	})
	answer.write(w, req.stream, fault)
}

func requestID(n int) string { return fmt.Sprintf("req_city%08d", n) }

// anthropicDoor checks what is checked before the body is read.
func anthropicDoor(r *http.Request) *refused {
	key := r.Header.Get("X-Api-Key")
	if key == "" {
		key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	switch {
	case key == "":
		return &refused{status: http.StatusUnauthorized, kind: "authentication_error", message: "x-api-key header is required"}
	case key != Key("anthropic"):
		return &refused{status: http.StatusUnauthorized, kind: "authentication_error", message: "invalid x-api-key"}
	case r.Header.Get("Anthropic-Version") == "":
		return bad("anthropic-version: header is required")
	case r.Header.Get("Anthropic-Version") != "2023-06-01" && r.Header.Get("Anthropic-Version") != "2023-01-01":
		return bad("anthropic-version: %q is not a valid version", r.Header.Get("Anthropic-Version"))
	}
	return nil
}

// anthropicFault plays a fault of the exchange; it says whether the request is answered with that.
func (c *City) anthropicFault(w http.ResponseWriter, r *http.Request, n int, fault Fault) bool {
	switch fault {
	case RateLimited:
		w.Header().Set("Retry-After", "1")
		c.refuseAnthropic(w, n, &refused{status: 429, kind: "rate_limit_error", message: "This request would exceed your organization's rate limit of 50 requests per minute."})
	case Overloaded:
		c.refuseAnthropic(w, n, &refused{status: 529, kind: "overloaded_error", message: "Overloaded"})
	case ServerError:
		c.refuseAnthropic(w, n, &refused{status: 500, kind: "api_error", message: "Internal server error"})
	case Quota:
		c.refuseAnthropic(w, n, bad("Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."))
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

func (c *City) refuseAnthropic(w http.ResponseWriter, n int, e *refused) {
	c.note(n, func(m *ModelCall) { m.Status = e.status })
	writeJSON(w, e.status, map[string]any{
		"type": "error", "error": map[string]any{"type": e.kind, "message": e.message}, "request_id": requestID(n),
	})
}

// anthropicModels is GET /v1/models.
func (c *City) anthropicModels(w http.ResponseWriter, r *http.Request) {
	if e := anthropicDoor(r); e != nil {
		writeJSON(w, e.status, map[string]any{"type": "error", "error": map[string]any{"type": e.kind, "message": e.message}})
		return
	}
	list := []any{}
	for _, m := range c.models("claude-city-1") {
		list = append(list, map[string]any{"type": "model", "id": m, "display_name": m, "created_at": "2026-01-01T00:00:00Z"})
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": list, "has_more": false, "first_id": nil, "last_id": nil})
}

func (c *City) models(otherwise string) []string {
	if len(c.options.Models) > 0 {
		return c.options.Models
	}
	return []string{otherwise}
}

// answerAnthropic lets the brain answer, or searches where the request asks for a search.
func (c *City) answerAnthropic(r *http.Request, n int, req *anthropicRequest) (*anthropicAnswer, error) {
	a := &anthropicAnswer{id: fmt.Sprintf("msg_city%08d", n), model: req.request.Model, stop: "end_turn"}
	if req.search {
		a.content = c.searchBlocks(req)
		a.searches = 1
	} else {
		resp, err := c.brain.think(r.Context(), req.request, "toolu_city")
		if err != nil {
			return nil, err
		}
		a.content = wireBlocks(resp.Blocks)
		if len(resp.Calls()) > 0 {
			a.stop = "tool_use"
		}
		if req.thinks {
			a.content = append([]map[string]any{c.thought.block(resp)}, a.content...)
		}
	}
	a.use = c.claude.account(req.units, c.options.MinCache)
	return a, nil
}

// wireBlocks writes blocks in the provider's shape.
func wireBlocks(blocks []llm.Block) []map[string]any {
	list := []map[string]any{}
	for _, b := range blocks {
		switch {
		case b.Call != nil:
			list = append(list, map[string]any{"type": "tool_use", "id": b.Call.ID, "name": b.Call.Name, "input": json.RawMessage(b.Call.Args)})
		case b.Text != "":
			list = append(list, map[string]any{"type": "text", "text": b.Text})
		}
	}
	return list
}
