package llm

import (
	"encoding/json"
	"strconv"
	"strings"
)

// What stands where a provider wants something and the history has nothing.
const (
	noOutput = "(no output)"
	noAnswer = "(no answer)"
	noResult = "No result of this call is known: it was not run, or the run was interrupted. Send it again if it is still needed."
	goOn     = "Go on."
)

// Repair returns a history that every provider accepts, for the same conversation: roles alternate, the user begins and
// ends; each call has an id of its own, a name of [A-Za-z0-9_-]{1,64} and a JSON object as its arguments, and is answered,
// in the order of the calls, at the head of the next message; no text and no result is empty. An answer to no call becomes
// text, a call without an answer gets an error as its answer. keep says which raw blocks are of the provider's own
// protocol; the others are dropped. What is repaired in a message depends on the messages before it and next to it alone,
// so a history that grows keeps its beginning. The messages given are not changed.
func Repair(messages []Message, keep func(raw json.RawMessage) bool) []Message {
	r := repairer{keep: keep, ids: map[string]bool{}, out: make([]Message, 0, len(messages)+2)}
	for i := 0; i < len(messages); {
		role := messages[i].Role
		var blocks []Block
		for ; i < len(messages) && (messages[i].Role == Assistant) == (role == Assistant); i++ {
			if blocks == nil {
				blocks = messages[i].Blocks
			} else {
				blocks = append(blocks[:len(blocks):len(blocks)], messages[i].Blocks...)
			}
		}
		if role == Assistant {
			r.assistant(blocks)
		} else {
			r.user(blocks)
		}
	}
	if len(r.out) > 0 && r.out[len(r.out)-1].Role == Assistant {
		r.user(nil)
	}
	return r.out
}

type repairer struct {
	keep func(json.RawMessage) bool
	out  []Message
	ids  map[string]bool // of all calls so far
	n    int             // calls so far
	open []openCall      // of the last assistant message
}

// openCall is a call that waits for its result, which names it by the id that the call had.
type openCall struct {
	id   string
	call *ToolCall
}

func (r *repairer) assistant(blocks []Block) {
	r.open = r.open[:0]
	kept := make([]Block, 0, len(blocks)+1)
	said := false
	for _, b := range blocks {
		switch {
		case b.Call != nil:
			call := r.call(*b.Call)
			r.open = append(r.open, openCall{b.Call.ID, call})
			kept, said = append(kept, Block{Call: call}), true
		case b.Result != nil:
			// a model does not answer calls
		case b.Raw != nil:
			if r.keep(b.Raw) {
				kept = append(kept, b)
			}
		case strings.TrimSpace(b.Text) != "":
			kept, said = append(kept, b), true
		}
	}
	if len(kept) == 0 {
		return
	}
	if !said { // a message may not end with thinking
		kept = append(kept, Block{Text: noAnswer})
	}
	if n := len(r.out); n > 0 && r.out[n-1].Role == Assistant {
		r.out[n-1].Blocks = append(r.out[n-1].Blocks, kept...)
		return
	}
	if len(r.out) == 0 {
		r.out = append(r.out, Message{Role: User, Blocks: []Block{{Text: goOn}}})
	}
	r.out = append(r.out, Message{Role: Assistant, Blocks: kept})
}

func (r *repairer) user(blocks []Block) {
	answers := make([]*ToolResult, len(r.open))
	var rest []Block
	for _, b := range blocks {
		switch {
		case b.Result != nil:
			if i := r.answered(b.Result, answers); i >= 0 {
				answers[i] = r.result(*b.Result, r.open[i].call)
			} else if strings.TrimSpace(b.Result.Content) != "" {
				rest = append(rest, Block{Text: "Result of an earlier call of " + toolName(b.Result.Name) + ":\n" + b.Result.Content})
			}
		case b.Call == nil && b.Raw == nil && strings.TrimSpace(b.Text) != "":
			rest = append(rest, b)
		}
	}
	kept := make([]Block, 0, len(answers)+len(rest)+1)
	for i, a := range answers {
		if a == nil {
			a = &ToolResult{ID: r.open[i].call.ID, Name: r.open[i].call.Name, Content: noResult, IsError: true}
		}
		kept = append(kept, Block{Result: a})
	}
	r.open = r.open[:0]
	kept = append(kept, rest...)
	if n := len(r.out); n > 0 && r.out[n-1].Role == User { // an assistant message between the two was empty
		r.out[n-1].Blocks = append(r.out[n-1].Blocks, kept...)
		return
	}
	if len(kept) == 0 {
		kept = append(kept, Block{Text: goOn})
	}
	r.out = append(r.out, Message{Role: User, Blocks: kept})
}

// answered is the first open call of the result's id that has no answer yet, or -1.
func (r *repairer) answered(result *ToolResult, answers []*ToolResult) int {
	for i, o := range r.open {
		if o.id == result.ID && answers[i] == nil {
			return i
		}
	}
	return -1
}

func (r *repairer) result(t ToolResult, call *ToolCall) *ToolResult {
	t.ID, t.Name = call.ID, call.Name
	if strings.TrimSpace(t.Content) == "" {
		t.Content = noOutput
	}
	return &t
}

func (r *repairer) call(c ToolCall) *ToolCall {
	r.n++
	c.ID = r.freshID(c.ID)
	c.Name = toolName(c.Name)
	c.Args = objectArguments(c.Args)
	return &c
}

// freshID makes an id that no call before has: OpenAI takes 40 bytes, Anthropic [A-Za-z0-9_-], and both refuse repeats.
func (r *repairer) freshID(id string) string {
	if id = word(id, 40); id == "" {
		id = "call_" + strconv.Itoa(r.n)
	}
	fresh := id
	for i := 2; r.ids[fresh]; i++ {
		suffix := "_" + strconv.Itoa(i)
		fresh = id[:min(len(id), 40-len(suffix))] + suffix
	}
	r.ids[fresh] = true
	return fresh
}

func toolName(s string) string {
	if s = word(s, 64); s == "" {
		return "unnamed"
	}
	return s
}

// word writes other characters than [A-Za-z0-9_-] as _ and cuts at max bytes.
func word(s string, max int) string {
	clean := func(c rune) rune {
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-' {
			return c
		}
		return '_'
	}
	s = strings.Map(clean, s)
	return s[:min(len(s), max)]
}
