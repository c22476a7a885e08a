// Package llm is the seam to language models: messages of typed blocks, tools with JSON schemas, usage, and the Model
// interface. A model's codec is pure, so the bytes in the journal are the bytes that were sent and received, and a
// replay decodes them again. The package knows nothing of what a tool means.
package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strconv"
)

// Role is who speaks. The system prompt is a field of Request, tool results travel in user messages.
type Role string

const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// A Message is one turn. Histories are append-only: a message never changes (law 12). What is sent of a history may leave
// something out.
type Message struct {
	Role   Role    `json:"role"`
	Blocks []Block `json:"blocks"`
}

// A Block is one typed part of a message; exactly one field is set.
type Block struct {
	Text   string          `json:"text,omitempty"`
	Call   *ToolCall       `json:"call,omitempty"`
	Result *ToolResult     `json:"result,omitempty"`
	Raw    json.RawMessage `json:"raw,omitempty"` // a provider's own block (thinking, signatures), sent back as it came
}

// A ToolCall is a request by the model. Args is what the model wrote, valid JSON or not.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// A ToolResult answers one call. Content is text; what came from outside is fenced inside it as data (SAFE-1).
type ToolResult struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Content string `json:"content"`
	IsError bool   `json:"is_error,omitempty"`
	Elided  bool   `json:"elided,omitempty"` // Content is a stub that stands for a result kept elsewhere (CONTEXT-2)

	// Breakpoint says that the conversation will be, or just was, changed from this result on: a codec whose provider has
	// cache breakpoints sets one before it. It is no part of the conversation.
	Breakpoint bool `json:"-"`
}

// A Tool is what the model is told of an action. Schema is a JSON Schema object for its arguments.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// Choice says whether the model may, must or must not call tools.
type Choice string

const (
	ChoiceAuto     Choice = "auto"
	ChoiceRequired Choice = "required"
	ChoiceNone     Choice = "none"
)

// A Request is everything a model call depends on. Its temperature is 0 (JOURNAL-1) wherever the model takes one.
type Request struct {
	Model     string    `json:"model"`
	System    string    `json:"system"`
	Tools     []Tool    `json:"tools,omitempty"`
	Choice    Choice    `json:"choice"`
	Messages  []Message `json:"messages"`
	MaxTokens int       `json:"max_tokens"` // of the answer
}

// Stop is why the model stopped.
type Stop string

const (
	StopEnd     Stop = "end"     // it finished its answer
	StopTools   Stop = "tools"   // it asks for tool calls
	StopLength  Stop = "length"  // it was cut: no tool of this answer may run
	StopRefusal Stop = "refusal" // the provider refused
)

// A Response is a decoded answer.
type Response struct {
	Model  string  `json:"model"`
	Blocks []Block `json:"blocks"`
	Stop   Stop    `json:"stop"`
	Usage  Usage   `json:"usage"`
}

// Text returns the answer's text blocks, joined.
func (r Response) Text() string {
	var s string
	for _, b := range r.Blocks {
		s += b.Text
	}
	return s
}

// Calls returns the tool calls asked for, in order.
func (r Response) Calls() []ToolCall {
	var calls []ToolCall
	for _, b := range r.Blocks {
		if b.Call != nil {
			calls = append(calls, *b.Call)
		}
	}
	return calls
}

// Usage counts tokens, each of them in one field only. In excludes what was read from or written to a cache. A usage
// that the provider did not report is not Known: it is unknown and not zero, and is charged at its reserved worst case.
type Usage struct {
	In         int64 `json:"in"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Out        int64 `json:"out"`
	Reasoning  int64 `json:"reasoning,omitempty"` // part of Out, told apart where the provider does
	Known      bool  `json:"known"`
}

// Total is every token that counts against a budget.
func (u Usage) Total() int64 { return u.In + u.CacheRead + u.CacheWrite + u.Out }

// A Count is a number of tokens as a provider writes it: a number, or one in a string. What is neither counts as 0.
type Count float64

// UnmarshalJSON reads a count; it never fails.
func (c *Count) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseFloat(string(bytes.Trim(b, `" `)), 64)
	if err != nil || math.IsNaN(n) {
		n = 0
	}
	*c = Count(n)
	return nil
}

// A Model answers requests. Encode and Decode are pure functions; Send is the only effect. One value serves many runs.
type Model interface {
	// Name identifies the model in the journal and in the price table.
	Name() string
	// Encode returns the exact bytes that Send will send.
	Encode(Request) ([]byte, error)
	// Send performs one exchange, without retries. key is an idempotency key, for providers that honour one. What brings no
	// answer is an *Error; a cancelled context is returned as such.
	Send(ctx context.Context, body []byte, key string) ([]byte, error)
	// Decode reads an answer as it was received, streamed or not. What is no answer is an *Error of kind Malformed.
	Decode(body []byte) (Response, error)
}
