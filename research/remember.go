package research

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"ibid/agent"
	"ibid/budget"
	"ibid/corpus"
	"ibid/evidence"
	"ibid/fetch"
	"ibid/gate"
	"ibid/knowledge"
	"ibid/llm"
	"ibid/research/prompts"
	"ibid/store"
)

// rememberTool adds to the knowledge base. What was read may have ordered it: so once something from outside was shown, only
// findings are remembered, with their quotes and spans, or what a person has let pass word by word.
type rememberTool struct {
	*state
	text prompts.Text
}

// extracting is how long a model may take to draw the facts of one text.
const extracting = 60 * time.Second

func (t *rememberTool) Spec() llm.Tool {
	return spec("remember", t.text,
		property{"text", `{"type":"string"}`, true},
		property{"source", `{"type":"string"}`, true},
		property{"sync", `{"type":"boolean"}`, false})
}

// remembering is what is asked, exactly: what a person who decides sees, and what is on record.
type remembering struct {
	Dataset string          `json:"dataset"`
	Text    string          `json:"text"`
	Source  string          `json:"source"`
	Sync    bool            `json:"sync"`
	Label   knowledge.Label `json:"label"`
	Request json.RawMessage `json:"request,omitempty"` // to the model that draws the facts
}

// remembered is the outcome.
type remembered struct {
	knowledge.Receipt
	Answer string `json:"answer,omitempty"` // of the model, as it was received
	Failed string `json:"failed,omitempty"` // why it gave none: rules drew the facts
}

func (t *rememberTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Text   string `json:"text"`
		Source string `json:"source"`
		Sync   bool   `json:"sync"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	args.Text, args.Source = strings.TrimSpace(args.Text), strings.TrimSpace(args.Source)
	switch n := utf8.RuneCountInString(args.Text); {
	case n == 0:
		return agent.Action{}, t.text.Error("empty")
	case n > knowledge.MaxText:
		return agent.Action{}, t.text.Error("too_long", "n", n, "max", knowledge.MaxText)
	}
	m := t.memory
	t.mu.RLock()
	s, kept, bound := t.snippet(args.Text, args.Source)
	t.mu.RUnlock()
	in := remembering{Dataset: m.Dataset, Text: args.Text, Source: args.Source, Sync: args.Sync, Label: s.Label}
	e := agent.Effect{Kind: "remember", Mutates: !bound && s.Label == knowledge.Approved}
	ask := m.asks(s, args.Sync, &in, &e)
	e.Input = in
	e.Run = func(ctx context.Context) ([]byte, budget.Amount, error) {
		s := s
		if kept != "" {
			var err error
			if s.Kept, err = t.original(ctx, kept); err != nil && bound {
				return nil, budget.Amount{}, err
			}
		}
		return m.keep(ctx, s, args.Sync, ask)
	}
	return agent.Action{Effects: []agent.Effect{e}, Then: func(outcomes []agent.Outcome) agent.Result { return t.conclude(s, outcomes[0]) }}, nil
}

// snippet makes of a text what is remembered: of a finding its quote at its span, and else the text with the label that it has.
// kept is the source in the corpus that goes with it, or "".
func (t *rememberTool) snippet(text, source string) (s knowledge.Snippet, kept string, bound bool) {
	for _, f := range t.findings {
		if source == f.ID || source == f.Key().String() {
			if says(f, text) {
				s := knowledge.OfFinding(t.run, f)
				s.Model = t.memory.Model
				return s, f.Source, true
			}
		}
	}
	s = knowledge.Snippet{Text: text, Label: knowledge.User, Run: t.run, Model: t.memory.Model, Origin: t.run + " " + store.Hash([]byte(source + "\x00" + text))[:16]}
	if t.tainted || t.memory.wary {
		s.Label = knowledge.Approved
	}
	id := source
	if key, err := evidence.ParseKey(source); err == nil {
		id = key.Source
	}
	if src, ok := t.corpus.Source(id); ok {
		s.URL, s.Title, kept = src.URL, src.Title, id
	} else if src, ok := t.corpus.Source(t.corpus.ByURL(source)); ok {
		s.URL, s.Title, kept = src.URL, src.Title, src.ID
	} else if at, err := fetch.CanonicalURL(source); err == nil && t.known[at] != unknown {
		s.URL = at
	} else { // an address that a model made up is a name at most: it is never followed (law 5)
		s.Title = source
	}
	return s, kept, false
}

// says reports whether a text is a finding's claim, or words of its quote.
func says(f evidence.Finding, text string) bool {
	return sameText(text, f.Claim) || evidence.MatchText(evidence.Text, f.Quote, text, evidence.Limits{}).OK() || sameText(text, f.Quote)
}

// asks prepares the question to the model that draws facts at once. It adds what that may cost to the effect, and is nil where
// rules draw them, or nobody does yet.
func (m *memory) asks(s knowledge.Snippet, sync bool, in *remembering, e *agent.Effect) *agent.Effect {
	if m.loop == nil || !sync {
		return nil
	}
	aside, err := m.aside(s)
	if err != nil {
		return nil
	}
	in.Request, e.Cost = aside.Input.(json.RawMessage), aside.Cost
	return &aside
}

// aside is the exchange by which the run's model draws the facts of a snippet.
func (m *memory) aside(s knowledge.Snippet) (agent.Effect, error) {
	return m.loop.Aside("remember", m.run.ID(), knowledge.Model{Name: m.Model, Prompt: m.Prompt}.Request(s), extracting)
}

// keep remembers a snippet.
func (m *memory) keep(ctx context.Context, s knowledge.Snippet, sync bool, ask *agent.Effect) ([]byte, budget.Amount, error) {
	r, err := m.base.Remember(ctx, m.user, m.Dataset, s, false)
	if err != nil {
		return nil, budget.Amount{}, err
	}
	out := remembered{Receipt: r}
	var spent budget.Amount
	if sync && !r.Absorbed {
		var x knowledge.Extractor = knowledge.Rules{}
		if ask != nil {
			x = m.model(ask, &out)
		}
		if out.Receipt, spent, err = m.base.Absorb(ctx, m.user, m.Dataset, r.Snippet, x); err != nil {
			return nil, spent, err
		}
	}
	return toJSON(out), spent, nil
}

// model draws facts by an exchange that was reserved, and notes what was answered.
func (m *memory) model(ask *agent.Effect, out *remembered) knowledge.Model {
	return knowledge.Model{Name: m.Model, Prompt: m.Prompt, Ask: func(ctx context.Context, _ llm.Request) (llm.Response, budget.Amount, error) {
		body, spent, err := ask.Run(ctx)
		if err != nil {
			out.Failed = err.Error()
			return llm.Response{}, spent, err
		}
		out.Answer = string(body)
		r, err := m.loop.Model.Decode(body)
		return r, spent, err
	}}
}

// conclude tells what became of it.
func (t *rememberTool) conclude(s knowledge.Snippet, o agent.Outcome) agent.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	var denied *agent.Denied
	if errors.As(o.Err, &denied) && denied.Policy == gate.PolicyMutation {
		return refuse(t.text.Error("not_bound", "denied", denied.Error()))
	}
	var out remembered
	if o.Err == nil {
		o.Err = json.Unmarshal(o.Body, &out)
	}
	if o.Err != nil {
		return t.unanswered(t.text, o.Err)
	}
	if !out.Absorbed {
		t.remembered = append(t.remembered, pendingSnippet{out.Snippet, s})
	}
	note := t.text.Note("queued")
	if out.Absorbed {
		note = t.text.Note("absorbed", "n", out.Facts)
	}
	return reply(rememberedView{out.Snippet, out.Absorbed, s.Label, note})
}

// rememberedView is what became of it.
type rememberedView struct {
	Snippet  int64           `json:"snippet"`
	Absorbed bool            `json:"absorbed"`
	Label    knowledge.Label `json:"label"`
	Note     string          `json:"note"`
}

// pendingSnippet is one that this run has remembered and that was not absorbed then.
type pendingSnippet struct {
	seq     int64
	snippet knowledge.Snippet
}

// original is a source of the corpus as it was read, with its bytes: what is remembered with a finding.
func (s *state) original(ctx context.Context, id string) (*knowledge.Original, error) {
	return Original(ctx, s.corpus, id, s.memory.run)
}

// Original is a source that was read, with its bytes out of the journal.
func Original(ctx context.Context, read *corpus.Corpus, id string, from interface {
	Blob(ctx context.Context, sha string) ([]byte, error)
}) (*knowledge.Original, error) {
	reading := read.Reading(id)
	if reading == nil {
		return nil, fmt.Errorf("there is no source %s", id)
	}
	raw, err := from.Blob(ctx, reading.Source.SHA256)
	if err != nil {
		return nil, fmt.Errorf("the bytes of %s: %w", reading.Source.URL, err)
	}
	return NewOriginal(reading, raw), nil
}

// NewOriginal is a reading as a knowledge base keeps it.
func NewOriginal(reading *corpus.Reading, raw []byte) *knowledge.Original {
	return &knowledge.Original{Reading: toJSON(reading), Raw: raw}
}
