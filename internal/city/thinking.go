package city

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"sync"

	"ibid/llm"
)

// signatures knows which thinking blocks were sent with which tool calls.
type signatures struct {
	mu   sync.Mutex
	sent map[string][]byte // by the id of a tool call of the same answer: the whole block
}

// block makes the thinking block of an answer.
func (s *signatures) block(resp llm.Response) map[string]any {
	about := "I have what I need — enough to answer."
	for _, c := range resp.Calls() {
		about = fmt.Sprintf("Next I call %s; “what it brings” decides on the step after it. (%d calls)", c.Name, len(resp.Calls()))
	}
	b := map[string]any{"type": "thinking", "thinking": about, "signature": sign(about)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent == nil {
		s.sent = map[string][]byte{}
	}
	for _, c := range resp.Calls() {
		s.sent[c.ID] = encode(b)
	}
	return b
}

func sign(thinking string) string {
	mac := hmac.New(sha256.New, []byte("the city's key"))
	mac.Write([]byte(thinking))
	return base64.StdEncoding.EncodeToString(mac.Sum([]byte("city/1\x00")))
}

// check refuses a history whose thinking was touched: no signature may be of another text, and the latest answer that
// asks for tools must still begin with the thinking that it was sent with.
func (s *signatures) check(r *anthropicRequest) *refused {
	latest := -1
	for i, t := range r.turns {
		if t.role == "assistant" {
			latest = i
		}
	}
	for i, t := range r.turns {
		for k, b := range t.blocks {
			if kind, _ := b.text("type"); kind != "thinking" {
				continue
			}
			thinking, _ := b.text("thinking")
			if signature, _ := b.text("signature"); signature != sign(thinking) {
				if i == latest && s.of(t) != nil {
					return bad("messages.%d.content.%d: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.", i, k)
				}
				return bad("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, k)
			}
		}
	}
	if latest < 0 || !r.thinks {
		return nil
	}
	t := r.turns[latest]
	sent := s.of(t)
	if sent == nil {
		return nil
	}
	if kind, _ := t.blocks[0].text("type"); kind != "thinking" && kind != "redacted_thinking" {
		return bad("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).", latest, kind)
	}
	was, _ := object(sent)
	before, _ := was.text("thinking")
	if now, _ := t.blocks[0].text("thinking"); now != before {
		return bad("messages.%d.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.", latest)
	}
	return nil
}

// of returns the thinking that was sent with a message's calls, or nil.
func (s *signatures) of(t anthropicTurn) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range t.uses {
		if sent := s.sent[id]; sent != nil {
			return sent
		}
	}
	return nil
}
