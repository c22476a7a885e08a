// Package extractive is the researcher without a model (DEFAULT-1): an llm.Model that reads the conversation, tool
// results and all, and answers with tool calls. It is a pure function of the request: what it knows it reads from there,
// every turn again. It splits the question, searches, reads what looks promising, follows links, picks sentences that
// answer, records them word for word, looks at what is missing, and ends. It writes no text of its own but queries and
// reasons, so it can be wrong about what matters, and never about what a source says.
package extractive

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"ibid/llm"
)

// ID names this researcher in journals. It changes when its answers do.
const ID = "extractive/5"

// unpinned names it in the runs whose configuration does not say which version they began with.
const unpinned = "extractive/3"

// New returns the researcher under the name that a run has it by, ID for a new one and "" in runs that do not tell: the name
// is in every request, and a replay has to make the same ones. The answers of a recorded run are in its journal; what it asks
// anew is answered as today. It has no state: one value serves many runs.
func New(id string) *llm.Local { return &llm.Local{ID: cmp.Or(id, unpinned), Answer: answer} }

// maxTurns bounds a conversation whatever its tools answer.
const maxTurns = 48

// answer is one turn.
func answer(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	t := turn{notes: take(r)}
	if r.Choice != llm.ChoiceNone && t.turns < maxTurns && t.question != "" {
		t.reader = newReader(languageOf(t.question))
		t.parts = t.ready(t.reader)
		t.next()
	}
	resp := llm.Response{Model: ID, Stop: llm.StopEnd, Usage: llm.Usage{Known: true}}
	if len(t.calls) > 0 {
		resp.Stop = llm.StopTools
	}
	for i := range t.calls {
		resp.Blocks = append(resp.Blocks, llm.Block{Call: &t.calls[i]})
	}
	if len(resp.Blocks) == 0 {
		resp.Blocks = []llm.Block{{Text: ""}}
	}
	return resp, nil
}

// A turn is one answer in the making.
type turn struct {
	*notes
	reader *reader
	parts  []part
	calls  []llm.ToolCall
}

// call adds a tool call, unless the tool is not offered or this very call was made before and is not worth repeating.
func (t *turn) call(tool string, args any) {
	if !t.offered[tool] {
		return
	}
	b, err := json.Marshal(args)
	if err != nil {
		return // strings and numbers: cannot fail
	}
	if tool != toolCorpus && t.made[tool+string(b)] {
		return
	}
	t.calls = append(t.calls, llm.ToolCall{ID: fmt.Sprintf("x%d.%d", t.turns+1, len(t.calls)+1), Name: tool, Args: string(b)})
}
