package agent

import (
	"context"
	"slices"

	"ibid/llm"
)

// A Context says how a conversation is kept within the window of a model, and cheap (CONTEXT-2 to CONTEXT-4). What is
// decided follows from the history, from the usage on record and from these settings alone, and is noted: a replay and a
// resumed run decide the same.
type Context struct {
	Window    int64 // tokens of a request and its answer together; 0 means DefaultWindow
	CompactAt int64 // tokens from which a conversation is compacted before its window asks for it, where the steps that are left pay for it; 0: never
	Elide     bool  // old results give way to stubs
	Compact   bool  // what a full window no longer holds gives way to a summary

	Fetch  llm.Tool                                        // how the model brings a result back
	Keeps  func(tool string) bool                          // tools whose results are never elided; nil: none
	About  func(call llm.ToolCall, content string) Subject // nil: nothing is known of a result
	Pinned func() string                                   // what the run knows outside of the conversation, said again after a compaction; nil: nothing
	Fence  func(v any) string                              // puts text from outside where it is data and nothing else; nil: JSON
	Texts  ContextTexts
}

// A Subject is what the caller knows of a result.
type Subject struct {
	Names []string // by which an answer cites it: S3, S3:para.2
	Text  string   // where it is from and what it covers, for the stub
}

// DefaultWindow is taken for the window of a model of which it is not known, in tokens.
const DefaultWindow = 128_000

// The shares of a window, in percent (CONTEXT-3).
const (
	compactShare = 75 // from which the conversation is compacted
	targetShare  = 30 // down to which
	tailShare    = 20 // of the last turns, which are kept as they are
	hardShare    = 90 // from which a compaction waits for nothing
	restShare    = 10 // by which a conversation grows between two compactions
)

// The rules of elision (CONTEXT-2).
const (
	oldAge     = 3      // steps after which a result is old
	lastTurns  = 2      // of the model, in which what it cites stays
	longResult = 2_000  // tokens from which a result is long
	leastBatch = 2      // results that go at once …
	batchSize  = 12_000 // … or the tokens of one
	endSteps   = 3      // left of the budget: too few for an elision to pay
)

// A memory is what a loop knows of its own conversation.
type memory struct {
	meter
	cuts        Cuts
	sizes       []int64  // of each message as it is shown, uncorrected
	results     []result // of the history, in order
	window      int64    // as believed: a provider may know better
	again       int64    // a shorter conversation is not compacted again
	squeezed    bool     // a provider has refused a request as too long, and room was made
	elided      int
	compactions int
}

// A result is one tool result of the history.
type result struct {
	Place
	handle string // r12.0: of the first call in step 12
	step   int
	call   llm.ToolCall
	size   int64 // uncorrected
	failed bool
	ids    []string // its identifiers, once they were asked for
	Subject
}

// remember makes the memory of a session, if it has one.
func (r *looping) remember() {
	if r.Context == nil {
		return
	}
	m := &memory{window: r.Context.Window, cuts: Cuts{Stubs: map[Place]string{}, Marks: map[Place]bool{}, Prompt: len(r.Prompt)}}
	if m.window == 0 {
		m.window = DefaultWindow
	}
	m.fixed = countedText(r.System)
	for _, t := range r.specs {
		m.fixed += countedText(t.Name) + countedText(t.Description) + countedText(string(t.Schema))
	}
	for _, message := range r.Prompt {
		m.sizes = append(m.sizes, counted(message))
	}
	r.memory = m
}

// say adds a message to the history.
func (r *looping) say(m llm.Message) {
	r.history = append(r.history, m)
	if r.memory != nil {
		r.memory.sizes = append(r.memory.sizes, counted(m))
	}
}

// heard adds the results of this step's calls to the history.
func (r *looping) heard(calls []llm.ToolCall, blocks []llm.Block) {
	r.say(llm.Message{Role: llm.User, Blocks: blocks})
	if r.memory == nil {
		return
	}
	for i, b := range blocks {
		if b.Result == nil || i >= len(calls) {
			continue
		}
		one := result{Place: Place{len(r.history) - 1, i}, handle: handle(r.step, i), step: r.step, call: calls[i], size: countedBlock(b), failed: b.Result.IsError}
		if r.Context.About != nil {
			one.Subject = r.Context.About(calls[i], b.Result.Content)
		}
		r.memory.results = append(r.memory.results, one)
	}
}

// view is what is sent of a history.
func (r *looping) view(history []llm.Message) []llm.Message {
	if r.memory == nil {
		return history
	}
	return View(history, r.memory.cuts)
}

// used estimates the tokens of the next request.
func (m *memory) used() int64 {
	n := m.fixed
	for i, size := range m.sizes {
		if i < m.cuts.Prompt || i >= m.cuts.From {
			n += size
		}
	}
	for _, s := range m.cuts.Summary {
		n += counted(s)
	}
	return m.corrected(n)
}

// share is so many percent of the window.
func (m *memory) share(percent int64) int64 { return m.window * percent / 100 }

// room is what a request may have at most, so that its answer still fits.
func (r *looping) room() int64 {
	return max(r.memory.window-int64(r.answerTokens()), r.memory.window/2)
}

// arrange makes room before a step's model call, where it is needed or pays.
func (r *looping) arrange(ctx context.Context) error {
	if r.memory == nil {
		return nil
	}
	full := min(r.memory.share(compactShare), r.room())
	if err := r.noteElision(r.elide(r.memory.used() >= full)); err != nil {
		return err
	}
	if r.Context.Compact && r.compactionDue(full) {
		return r.compact(ctx, full)
	}
	return nil
}

// noteElision records what was decided, if anything was.
func (r *looping) noteElision(e elision) error {
	if len(e.Elided) == 0 {
		return nil
	}
	return r.Record.Note(r.key("context"), "elision", e)
}

// compactionDue says whether the conversation is to be compacted now. It waits while a long result was just received, so
// that the model can act on it before it has to be summarised; at the hard ceiling it waits no longer.
func (r *looping) compactionDue(full int64) bool {
	m := r.memory
	used, ceiling := m.used(), max(min(m.share(hardShare), r.room()), full)
	switch {
	case used < m.again && used < ceiling:
		return false
	case used < full && !(r.Context.CompactAt > 0 && used >= r.Context.CompactAt && r.compactionPays(used)):
		return false
	}
	return used >= ceiling || !r.unread()
}

// unread says whether a long result came since the model spoke last.
func (r *looping) unread() bool {
	spoke := len(r.history) - 1
	for spoke > 0 && r.history[spoke].Role != llm.Assistant {
		spoke--
	}
	return slices.ContainsFunc(r.memory.results, func(one result) bool { return one.Message > spoke && r.long(one) })
}

// long says whether a result is one that can be elided, and long enough.
func (r *looping) long(one result) bool {
	return r.memory.corrected(one.size) > longResult && !(r.Context.Keeps != nil && r.Context.Keeps(one.call.Name))
}

// refused makes room once, after a provider has said that a request is too long: it is believed, whatever the table says
// of its window.
func (r *looping) refused(ctx context.Context) (again bool, err error) {
	m := r.memory
	if m == nil || m.squeezed {
		return false, nil
	}
	m.squeezed = true
	before := m.used()
	m.window = min(m.window, before)
	if err := r.noteElision(r.elide(true)); err != nil {
		return false, err
	}
	if full := min(m.share(compactShare), r.room()); r.Context.Compact && m.used() >= full {
		if err := r.compact(ctx, full); err != nil {
			return false, err
		}
	}
	return m.used() < before, nil
}

// DefaultCompactAt is Context.CompactAt where nothing else is said, in tokens: three quarters of 64,000.
const DefaultCompactAt = 48_000
