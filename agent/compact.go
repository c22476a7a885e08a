package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ibid/budget"
	"ibid/llm"
	"ibid/llm/fence"
)

// A compaction is what was decided, as it is noted.
type compaction struct {
	From    int      `json:"from"` // first message that stays, after the prompt
	Before  int64    `json:"tokens_before"`
	After   int64    `json:"tokens_after"`
	Window  int64    `json:"window"`
	By      string   `json:"by"`                // model, or code where no model could
	Why     string   `json:"why,omitempty"`     // code had to
	Dropped int      `json:"dropped,omitempty"` // entries of the model's summary that the record does not bear out
	Elided  []string `json:"elided,omitempty"`  // results that gave way instead, or of the turns that stay
}

// compact takes the middle out of the conversation: the prompt stays, then comes a summary, then the last turns. A summary
// that the model cannot make, or that does not hold, gives way to elision, and where that is not enough to one by code.
func (r *looping) compact(ctx context.Context, full int64) error {
	m := r.memory
	cut := r.cut()
	if cut == 0 {
		return nil
	}
	c := compaction{Before: m.used(), Window: m.window, By: "model"}
	r.observe(Event{Kind: Compacting, Key: string(r.key("context")), Text: fmt.Sprintf("the conversation has about %d tokens: it is being summarised", c.Before)})
	pinned := ""
	if r.Context.Pinned != nil {
		pinned = r.Context.Pinned()
	}
	s, err := r.summarise(ctx, cut, pinned, &c)
	if err != nil {
		return err
	}
	if c.By == "code" {
		c.Elided = r.elide(true).Elided
	}
	if limit := min(full, max(r.Context.CompactAt, 1)); c.By == "model" || m.used() >= full || r.Context.CompactAt > 0 && m.used() >= limit {
		c.From = cut
		c.Elided = append(c.Elided, r.replace(cut, pinned, s)...)
		clear(m.cuts.Marks)
		r.markFrontier()
		m.compactions++
	}
	c.After = m.used()
	m.again = c.After + m.share(restShare)
	r.observe(Event{Kind: Compacted, Key: string(r.key("context")), Text: c.told()})
	return r.Record.Note(r.key("context"), "compaction", c)
}

func (c compaction) told() string {
	text := fmt.Sprintf("summarised: about %d tokens instead of %d", c.After, c.Before)
	if c.By == "code" {
		text += ", by the program itself (" + c.Why + ")"
	}
	if c.Dropped > 0 {
		text += fmt.Sprintf("; %s without ground in the record left out", count(int64(c.Dropped), "statements"))
	}
	return text
}

// cut is the message from which on the last turns stay as they are: as many as a fifth of the window holds, and one at
// least. 0: there is nothing before them to be compacted.
func (r *looping) cut() int {
	m := r.memory
	limit := m.share(tailShare)
	if at := r.Context.CompactAt; at > 0 {
		limit = min(limit, at*tailShare/compactShare)
	}
	starts := turns(r.history, max(m.cuts.Prompt, m.cuts.From))
	at := 0
	for i := len(starts) - 1; i >= 0; i-- {
		if at != 0 && m.behind(starts[i]) > limit {
			break
		}
		at = starts[i]
	}
	if at <= max(m.cuts.Prompt, m.cuts.From) {
		return 0
	}
	return at
}

// summarise asks the model for a summary of what comes before cut, as any other call: reserved first, never out of the
// share for the answer. A summary that cannot be had, or does not hold, is nil, and c says why.
func (r *looping) summarise(ctx context.Context, cut int, pinned string, c *compaction) (*summary, error) {
	fail := func(format string, args ...any) (*summary, error) {
		c.By, c.Why = "code", clipped(fmt.Sprintf(format, args...), 200)
		return nil, nil
	}
	if r.Ledger.Left().Steps < 2 {
		return fail("there was no step left for the model to do it")
	}
	ask := r.Context.Texts.fill(r.Context.Texts.Compact, compactText, "results", r.digest(cut, fold(pinned), r.memory.share(restShare)/2))
	upTo := len(r.history)
	if r.memory.used()+r.memory.corrected(countedText(ask)) > r.memory.window-summaryTokens {
		upTo = cut // the last turns stay anyway
	}
	messages := append(r.view(r.history[:upTo]), llm.Message{Role: llm.User, Blocks: []llm.Block{{Text: ask}}})
	resp, err := r.exchange(ctx, asking{messages: messages, choice: llm.ChoiceAuto, maxTokens: min(summaryTokens, r.answerTokens()), name: "compact"})
	var over *budget.Exhausted
	var failed *ModelError
	switch {
	case errors.As(err, &over):
		return fail("the budget does not allow for a summary by the model")
	case errors.As(err, &failed) && ctx.Err() == nil:
		return fail("the model made none: %v", failed.Err)
	case err != nil:
		return nil, err
	case resp.Stop == llm.StopLength:
		return fail("the model's summary was too long")
	case len(resp.Calls()) > 0:
		return fail("the model made tool calls instead of a summary")
	}
	s, err := parseSummary(resp.Text())
	if err != nil {
		return fail("the model's summary cannot be used: %v", err)
	}
	said := r.folded(len(r.history)) + " " + fold(pinned)
	kept, dropped := s.check(said, func(handle string) bool {
		return r.exists(handle) || handle != "" && slices.Equal(Identifiers(handle), []string{handle}) && occurs(fold(pinned), fold(handle))
	})
	c.Dropped = dropped
	switch {
	case kept == 0 || dropped > kept:
		return fail("%d of the %d entries of the model's summary have no ground in the record", dropped, kept+dropped)
	case r.memory.corrected(countedText(string(fence.JSON(s)))) > r.memory.share(restShare):
		return fail("the model's summary does not fit")
	}
	return &s, nil
}

// exists says whether a result has this handle.
func (r *looping) exists(handle string) bool {
	return slices.ContainsFunc(r.memory.results, func(one result) bool { return one.handle == handle })
}

// replace puts the summary in the place of all between the prompt and cut. The model's own summary stands as what the
// model said; what code says stands where the program speaks, and text from outside in it is fenced. It returns the results
// of the last turns that had to be elided.
func (r *looping) replace(cut int, pinned string, s *summary) (elided []string) {
	m := r.memory
	var head []llm.Message
	said := ""
	if s != nil {
		said = string(fence.JSON(s))
		head = append(head, llm.Message{Role: llm.Assistant, Blocks: []llm.Block{{Text: said}}})
	}
	m.cuts.From, m.cuts.Summary = cut, head // counted without the digest, which takes what room is left
	elided = r.squeeze()
	target := m.share(targetShare)
	if at := r.Context.CompactAt; at > 0 {
		target = min(target, at*targetShare/compactShare)
	}
	known := r.folded(m.cuts.Prompt) + " " + fold(pinned) + " " + fold(said)
	room := min(max(target-m.used()-m.corrected(countedText(pinned)), m.share(restShare)/4), m.share(tailShare))
	text := r.Context.Texts.fill(r.Context.Texts.Compacted, compactedText, "pinned", pinned, "results", r.digest(cut, known, room))
	m.cuts.Summary = append(head, llm.Message{Role: llm.User, Blocks: []llm.Block{{Text: strings.TrimSpace(text)}}})
	return append(elided, r.squeeze()...)
}

// squeeze elides long results of the turns that stay, the longest first, while what is left still does not fit.
func (r *looping) squeeze() (elided []string) {
	m := r.memory
	ceiling := min(m.share(hardShare), r.room())
	for m.used() >= ceiling {
		longest := result{}
		for _, one := range m.results {
			if r.open(one) && one.size > longest.size {
				longest = one
			}
		}
		if longest.handle == "" {
			break
		}
		r.hide(longest, r.stub(longest))
		elided = append(elided, longest.handle)
	}
	return elided
}
