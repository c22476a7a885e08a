package agent

import (
	"fmt"

	"ibid/llm"
)

// fetchTool brings a result back that was elided or compacted (TOOLS-7). It costs nothing, and what it brings back can be
// elided again.
type fetchTool struct{ *looping }

// Spec is what the caller says of the tool.
func (t fetchTool) Spec() llm.Tool { return t.Context.Fetch }

// Admit finds the result.
func (t fetchTool) Admit(c Call) (Action, error) {
	var args struct {
		Handle string `json:"handle"`
	}
	if err := Decode(c.Args, &args); err != nil {
		return Action{}, err
	}
	texts, m := t.Context.Texts, t.memory
	var found *result
	for i := range m.results {
		if m.results[i].handle == args.Handle {
			found = &m.results[i]
		}
	}
	if found == nil {
		return Action{}, Refusal(texts.fill(texts.Unknown, unknownText, "handle", clipped(args.Handle, 40)))
	}
	_, elided := m.cuts.Stubs[found.Place]
	if !elided && found.Message >= m.cuts.From {
		return Action{}, Refusal(texts.fill(texts.Shown, shownText, "handle", found.handle, "tool", found.call.Name))
	}
	if tokens, most := m.corrected(found.size), m.share(tailShare); tokens > most {
		return Action{}, Refusal(texts.fill(texts.TooLong, tooLongText, "handle", found.handle, "tokens", fmt.Sprint(tokens), "max", fmt.Sprint(most)))
	}
	whole := t.history[found.Message].Blocks[found.Block].Result
	return Action{Then: func([]Outcome) Result { return Result{Content: whole.Content, IsError: whole.IsError} }}, nil
}
