package client

import (
	"bytes"
	"encoding/json"
	"sync"
)

// A tape listens to one call of a tool, and keeps its result as it was sent.
type tape struct {
	mu      sync.Mutex
	waiting bool
	id      json.RawMessage // of the call, once it was sent
	result  json.RawMessage
}

// envelope is the outside of a message.
type envelope struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

func (t *tape) wait() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting, t.id, t.result = true, nil, nil
}

func (t *tape) take() json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	result := t.result
	t.waiting, t.id, t.result = false, nil, nil
	return result
}

// sent hears a message that goes out.
func (t *tape) sent(message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var e envelope
	if t.waiting && t.id == nil && json.Unmarshal(message, &e) == nil && e.Method == "tools/call" {
		t.id = bytes.Clone(e.ID)
	}
}

// received hears a message that comes in.
func (t *tape) received(message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var e envelope
	if t.waiting && t.id != nil && t.result == nil && json.Unmarshal(message, &e) == nil && e.Method == "" && len(e.Error) == 0 &&
		bytes.Equal(e.ID, t.id) && len(e.Result) > 0 && e.Result[0] == '{' {
		t.result = bytes.Clone(e.Result)
	}
}
