package anthropic

import "ibid/llm"

// The API looks for a cached prefix at most 20 blocks back from a breakpoint, and takes four breakpoints
// (platform.claude.com, prompt caching). One is spent on tools and system.
const lookback = 20

// fullResult is the size in bytes from which on a tool result may be elided: 2,000 tokens (CONTEXT-2) of four bytes.
const fullResult = 8000

// marks are the numbers, counted over all blocks of a request, of the blocks that end a cached prefix; -1: none.
type marks [3]int

func (m marks) has(n int) bool { return n == m[0] || n == m[1] || n == m[2] }

// breakpoints chooses up to three blocks of a repaired history: its end; the frontier, so that the next elision begins at a
// cached prefix; and the place where the last elision began, or else, where the last step added more blocks than the API
// looks back, the end of the request before. The frontier is just before the result that is named last by
// ToolResult.Breakpoint, or else by the rule of frontier.
func breakpoints(messages []llm.Message) marks {
	var blocks []llm.Block
	before := 0 // blocks of the request before
	for i, m := range messages {
		if i == len(messages)-2 {
			before = len(blocks)
		}
		blocks = append(blocks, m.Blocks...)
	}
	first, last := named(blocks)
	if last < 0 {
		last = frontier(blocks)
	}
	at := marks{markable(blocks, len(blocks)-1), markable(blocks, last-1), -1}
	switch {
	case first >= 0 && first < last:
		at[2] = markable(blocks, first-1)
	case len(blocks)-before >= lookback:
		at[2] = markable(blocks, before-1)
	}
	return at
}

// named returns the numbers of the first and the last result that want a breakpoint before them; -1: none does.
func named(blocks []llm.Block) (first, last int) {
	first, last = -1, -1
	for i, b := range blocks {
		if b.Result == nil || !b.Result.Breakpoint {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	return first, last
}

// frontier is the number of the oldest full result that is long enough to be elided. Without one it is the first full
// result after the last one that was elided; without that the end.
func frontier(blocks []llm.Block) int {
	first := len(blocks)
	for i, b := range blocks {
		switch {
		case b.Result == nil:
		case b.Result.Elided:
			first = len(blocks)
		case len(b.Result.Content) >= fullResult:
			return i
		case first == len(blocks):
			first = i
		}
	}
	return first
}

// markable is the last block up to i that takes a breakpoint: thinking does not.
func markable(blocks []llm.Block, i int) int {
	for i >= 0 && blocks[i].Raw != nil {
		i--
	}
	return i
}
