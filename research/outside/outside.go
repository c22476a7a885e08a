// Package outside is the researcher outside of the program, behind the model seam: a run asks for its next turn, and the
// turn is what a program at the other end of a line calls. So a run that is researched from outside is a run like any other:
// its calls are dispatched, gated, charged and checked by the same loop, and what was called stands in its journal.
package outside

import (
	"context"
	"encoding/json"
	"fmt"

	"ibid/gate"
	"ibid/llm"
	"ibid/llm/fence"
)

// ID names this researcher in journals. It changes when the form of its turns does.
const ID = "outside/1"

// Report is the tool whose acceptance ends the research.
const Report = "write_report"

// Model is an llm.Model whose answers come in over a line. Without one nobody is there: a run that needs a turn parks, and
// one that must close is answered with nothing, so that its report is assembled.
type Model struct{ Line *Line }

// Name returns the researcher's id.
func (*Model) Name() string { return ID }

// A request is what a run tells the researcher: what it has to say since the last turn, and at first its tools.
type request struct {
	Choice llm.Choice `json:"choice"`
	Turn   int        `json:"turn"`
	Tools  []llm.Tool `json:"tools,omitempty"`
	Text   string     `json:"text,omitempty"`
	Heard  []heard    `json:"heard,omitempty"`
}

// heard is a call with its result.
type heard struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Args    string `json:"args"`
	Content string `json:"content"`
	IsError bool   `json:"is_error,omitempty"`
}

// Encode writes what is new since the last turn: the rest the researcher was told before.
func (*Model) Encode(r llm.Request) ([]byte, error) {
	q := request{Choice: r.Choice, Turn: 1}
	last := -1
	for i, m := range r.Messages {
		if m.Role == llm.Assistant {
			last = i
			q.Turn++
		}
	}
	args := map[string]string{}
	if last < 0 {
		q.Tools = r.Tools
	} else {
		for _, b := range r.Messages[last].Blocks {
			if b.Call != nil {
				args[b.Call.ID] = b.Call.Args
			}
		}
	}
	for _, m := range r.Messages[last+1:] {
		for _, b := range m.Blocks {
			switch {
			case b.Result != nil:
				q.Heard = append(q.Heard, heard{b.Result.ID, b.Result.Name, args[b.Result.ID], b.Result.Content, b.Result.IsError})
			case b.Text != "":
				q.Text += b.Text
			}
		}
	}
	return fence.JSON(q), nil
}

// Send tells the researcher what is new and waits for the next turn.
func (m *Model) Send(ctx context.Context, body []byte, _ string) ([]byte, error) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("model %s: reading the request: %w", ID, err)
	}
	for _, h := range r.Heard {
		if h.Name == Report && !h.IsError { // it passed: the draft is the answer, and what becomes of it the run says
			if m.Line != nil {
				m.Line.tell(r, h.ID)
				m.Line.accepted = true
			}
			return answer(draftIn(h.Args))
		}
	}
	if m.Line == nil {
		if r.Choice == llm.ChoiceNone {
			return answer("")
		}
		return nil, gate.ErrPending
	}
	m.Line.tell(r, "")
	if m.Line.accepted { // its draft passed once and does not now: the report is assembled
		return answer("")
	}
	calls, err := m.Line.take(ctx)
	if err != nil {
		return nil, err
	}
	if r.Choice == llm.ChoiceNone {
		return answer(draftIn(calls[0].args))
	}
	resp := llm.Response{Model: ID, Stop: llm.StopTools, Usage: llm.Usage{Known: true}}
	for i, c := range calls {
		c.id = fmt.Sprintf("o%d.%d", r.Turn, i+1)
		resp.Blocks = append(resp.Blocks, llm.Block{Call: &llm.ToolCall{ID: c.id, Name: c.name, Args: c.args}})
	}
	return fence.JSON(resp), nil
}

func draftIn(args string) string {
	var a struct {
		Draft string `json:"draft"`
	}
	_ = json.Unmarshal([]byte(args), &a) // of no form: there is no draft
	return a.Draft
}

func answer(text string) ([]byte, error) {
	return fence.JSON(llm.Response{Model: ID, Stop: llm.StopEnd, Usage: llm.Usage{Known: true}, Blocks: []llm.Block{{Text: text}}}), nil
}

// Decode reads a turn.
func (*Model) Decode(body []byte) (llm.Response, error) {
	var r llm.Response
	if err := json.Unmarshal(body, &r); err != nil {
		return llm.Response{}, fmt.Errorf("model %s: reading the turn: %w", ID, err)
	}
	return r, nil
}
