package agent

import "ibid/llm"

// A Place is one block of a history: the number of its message, and its own in that.
type Place struct{ Message, Block int }

// Cuts are what was decided of a history so far: what View leaves out, and what stands there instead. The zero value
// leaves out nothing.
type Cuts struct {
	Stubs   map[Place]string // what stands in the place of a result that is elided
	Marks   map[Place]bool   // results before which a cache breakpoint is wanted
	Prompt  int              // messages at the beginning that always stay
	From    int              // first message after those that were compacted; 0: none were
	Summary []llm.Message    // what stands in their place
}

// View is what is sent of a history: a pure function. The history itself only grows and is never changed. A call and its
// result are both in the view or neither is, wherever the history ends.
func View(history []llm.Message, c Cuts) []llm.Message {
	out := make([]llm.Message, 0, len(history)+len(c.Summary))
	from := 0
	if c.From > c.Prompt {
		out = append(append(out, history[:min(c.Prompt, len(history))]...), c.Summary...)
		from = min(c.From, len(history))
	}
	for i := from; i < len(history); i++ {
		out = append(out, c.shown(history[i], i))
	}
	return out
}

// shown is message number i with its stubs and marks.
func (c Cuts) shown(m llm.Message, i int) llm.Message {
	if m.Role != llm.User {
		return m
	}
	var blocks []llm.Block // copied when the first one differs
	for j, b := range m.Blocks {
		at := Place{i, j}
		stub, elided := c.Stubs[at]
		if b.Result == nil || !elided && !c.Marks[at] {
			continue
		}
		result := *b.Result
		result.Breakpoint = c.Marks[at]
		if elided {
			result.Content, result.Elided = stub, true
		}
		if blocks == nil {
			blocks = append([]llm.Block(nil), m.Blocks...)
		}
		blocks[j] = llm.Block{Result: &result}
	}
	if blocks != nil {
		m.Blocks = blocks
	}
	return m
}

// turns lists the messages before which a history may be cut: each begins what the model said, and what came of it
// stands before the next.
func turns(history []llm.Message, from int) []int {
	var list []int
	for i := max(from, 1); i < len(history); i++ {
		if history[i].Role == llm.Assistant && history[i-1].Role != llm.Assistant {
			list = append(list, i)
		}
	}
	return list
}
