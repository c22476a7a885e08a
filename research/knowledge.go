package research

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"ibid/agent"
	"ibid/audit/conflict"
	"ibid/budget"
	"ibid/corpus"
	"ibid/fetch"
	"ibid/journal"
	"ibid/knowledge"
	"ibid/llm"
	"ibid/research/prompts"
)

// A Knowledge is the knowledge base of a run: a dataset of its user, asked and added to by the run's model. It is pinned; what
// the dataset said is in the journal.
type Knowledge struct {
	Dataset string        `json:"dataset"`
	Store   bool          `json:"store,omitempty"`   // the findings and the report are remembered at the end
	Wait    bool          `json:"wait,omitempty"`    // and what was remembered is absorbed before the run ends
	Model   string        `json:"model,omitempty"`   // that draws the facts of what is remembered: the run's; "": rules do
	Prompt  string        `json:"prompt,omitempty"`  // that it gets
	Worst   budget.Amount `json:"worst,omitzero"`    // what one question may cost: embeddings
	Outside bool          `json:"outside,omitempty"` // a researcher outside is offered it, too; in runs of before they were not
}

// NewKnowledge pins a dataset. The run's model draws the facts where there is one.
func NewKnowledge(dataset string, c Config, worst budget.Amount) (*Knowledge, error) {
	if err := knowledge.CheckName(dataset); err != nil {
		return nil, err
	}
	k := &Knowledge{Dataset: dataset, Worst: worst}
	if c.Endpoint != nil {
		k.Model, k.Prompt = c.Model, knowledge.Prompt()
	}
	return k, nil
}

// A memory is a run's knowledge base at work.
type memory struct {
	Knowledge
	base *knowledge.Base // nil in a replay, which performs nothing
	run  *journal.Run
	user string
	loop *agent.Loop // asks the model that draws facts; nil: rules do
	wary bool        // the model reads what is not on record, from the beginning: others' words of their tools, or what its own program reads
}

// newMemory is nil for a run without a knowledge base.
func newMemory(run *journal.Run, c Config, p Parts) *memory {
	if c.Knowledge == nil {
		return nil
	}
	m := &memory{Knowledge: *c.Knowledge, base: p.Base, run: run, wary: len(c.Servers) > 0 || c.outside()}
	if run != nil {
		m.user = run.Info().User
	}
	if m.Model != "" {
		m.loop = &agent.Loop{Model: p.Model, Price: p.Price}
	}
	return m
}

// knowledgeTools are what the model is offered where a knowledge base is configured (TOOLS-8).
func knowledgeTools(s *state, c Config) []agent.Tool {
	if s.memory == nil {
		return nil
	}
	return []agent.Tool{&queryTool{s, c.Prompts.Text("query")}, &rememberTool{s, c.Prompts.Text("remember")}}
}

// queryTool asks the knowledge base.
type queryTool struct {
	*state
	text prompts.Text
}

// factView is one fact as the model reads it.
type factView struct {
	Fact    string      `json:"fact"`
	Text    string      `json:"untrusted_text"`
	Sources []supported `json:"sources"`
	More    int         `json:"more_sources,omitempty"`
}

// supported is a place that says a fact.
type supported struct {
	URL     string          `json:"url,omitempty"`
	Title   string          `json:"untrusted_title,omitempty"`
	At      string          `json:"at,omitempty"` // locator of the span, in the copy that is kept
	Quote   string          `json:"untrusted_quote,omitempty"`
	Label   knowledge.Label `json:"label"`
	CanRead bool            `json:"kept"` // read_pages reads the very copy
}

// rivalView is two facts that do not agree.
type rivalView struct {
	A        string            `json:"a"`
	B        string            `json:"b"`
	Severity conflict.Severity `json:"severity"`
	Kind     conflict.Kind     `json:"differ_in"`
	SaysA    outside           `json:"a_says"`
	SaysB    outside           `json:"b_says"`
	Other    outside           `json:"b_in_full"`
}

// recalledView is what the base says.
type recalledView struct {
	Facts   []factView  `json:"facts"`
	More    int         `json:"more"`
	Rivals  []rivalView `json:"conflicts,omitempty"`
	Earlier []outside   `json:"asked_before,omitempty"`
	Note    string      `json:"note"`
}

const maxSupports = 3 // told of one fact

func (t *queryTool) Spec() llm.Tool {
	return spec("query", t.text, property{"question", `{"type":"string"}`, true})
}

func (t *queryTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Question string `json:"question"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	question := strings.Join(strings.Fields(args.Question), " ")
	switch n := len([]rune(question)); {
	case n == 0:
		return agent.Action{}, t.text.Error("empty")
	case n > maxQuery:
		return agent.Action{}, t.text.Error("too_long", "max", maxQuery)
	}
	m := t.memory
	return agent.Action{
		Effects: []agent.Effect{{Kind: "recall", Input: map[string]string{"dataset": m.Dataset, "question": question}, Cost: m.Worst,
			Run: func(ctx context.Context) ([]byte, budget.Amount, error) {
				// What waits and costs nothing comes first. Where somebody is at it, or it fails, the answer says what waits.
				_, _ = m.base.WorkFree(ctx, m.user, m.Dataset)
				answer, err := m.base.Query(ctx, m.user, m.Dataset, question)
				return toJSON(answer), answer.Spent, err
			}}},
		Then: func(outcomes []agent.Outcome) agent.Result { return t.conclude(outcomes[0]) },
	}, nil
}

// conclude tells what the base says. It is text from outside, whatever it was when it was remembered.
func (t *queryTool) conclude(o agent.Outcome) agent.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	var answer knowledge.Answer
	if o.Err == nil {
		o.Err = json.Unmarshal(o.Body, &answer)
	}
	if o.Err != nil {
		return t.unanswered(t.text, o.Err)
	}
	t.tainted = true
	note := t.text.Note("ok")
	switch {
	case answer.Empty:
		note = t.text.Note("none")
	case len(answer.Facts) == 0:
		note = t.text.Note("nothing_fits")
	}
	facts, rivals := []factView{}, []rivalView{}
	for _, f := range answer.Facts {
		facts = append(facts, t.viewFact(f))
	}
	for _, c := range answer.Conflicts {
		rivals = append(rivals, rivalView{c.A, c.B, c.Severity, c.Kind, outside{c.SaysA}, outside{c.SaysB}, outside{c.Other}})
	}
	earlier := []outside{}
	for _, e := range answer.Reports {
		earlier = append(earlier, outside{e.Question})
	}
	return t.fence.reply(recalledView{facts, answer.More, rivals, earlier, note})
}

// unanswered tells that the base could not be asked, or what the budget or a person says.
func (s *state) unanswered(text prompts.Text, err error) agent.Result {
	var over *budget.Exhausted
	var denied *agent.Denied
	if errors.As(err, &over) || errors.As(err, &denied) {
		return refuse(err)
	}
	return refuse(text.Error("failed", "reason", err))
}

// viewFact shows a fact, and lets the sources that say it be read: the copy that is kept where it is, and else what a page alone
// has named.
func (t *queryTool) viewFact(f knowledge.Fact) factView {
	v := factView{Fact: f.ID, Text: f.Description, Sources: []supported{}, More: f.More}
	for _, s := range f.Supports {
		canonical, err := fetch.CanonicalURL(s.URL)
		kept := err == nil && s.Newest && s.Locator != ""
		switch {
		case kept:
			t.kept[canonical] = s.Source
		case err == nil:
			t.allow(canonical, fromPage)
		}
		if len(v.Sources) == maxSupports {
			v.More++
			continue
		}
		one := supported{URL: s.URL, Title: s.Title, Label: s.Label, CanRead: kept}
		if kept {
			one.At = s.Locator
		}
		if s.Quote != f.Description {
			one.Quote = s.Quote
		}
		v.Sources = append(v.Sources, one)
	}
	return v
}

// keptID is the copy of a page that the knowledge base keeps, unless the user or a search named the page: then it is read as it is
// now.
func (s *state) keptID(canonical string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.known[canonical] > fromPage {
		return ""
	}
	return s.kept[canonical]
}

// keptEffect reads a source as the base keeps it. Its site is not asked, and not trusted for it.
func (t *readTool) keptEffect(canonical, reason, id string) agent.Effect {
	m := t.memory
	e := agent.Effect{Kind: "fetch", URL: canonical, Cost: budget.Amount{Reads: 1}, Input: map[string]string{"url": canonical, "reason": reason, "kept": id}}
	e.Run = func(ctx context.Context) ([]byte, budget.Amount, error) {
		return t.commons.read(ctx, t.lane, "kept "+id, func() ([]byte, budget.Amount, error) {
			reading, err := m.reading(ctx, id)
			switch {
			case errors.Is(err, knowledge.ErrGone):
				gone := &fetch.Unavailable{URL: canonical, Outcome: fetch.NotFound, Reason: "the knowledge base does not keep it any more", Hint: fetch.HintOther}
				return toJSON(fetched{Unavailable: gone, Kept: true}), e.Cost, nil
			case err != nil:
				return nil, e.Cost, err
			}
			if _, err := t.blobs.PutBlob(ctx, reading.Raw); err != nil {
				return nil, e.Cost, err
			}
			return toJSON(fetched{Reading: reading, Kept: true}), e.Cost, nil
		})
	}
	return e
}

// reading is a source as it was read when it was remembered.
func (m *memory) reading(ctx context.Context, id string) (*corpus.Reading, error) {
	o, err := m.base.Original(ctx, m.user, m.Dataset, id)
	if err != nil {
		return nil, err
	}
	var r corpus.Reading
	if err := json.Unmarshal(o.Reading, &r); err != nil {
		return nil, err
	}
	r.Raw = o.Raw
	return &r, nil
}

// takeMemory merges what a member may read, and has remembered.
func (s *state) takeMemory(b *state) {
	for _, url := range slices.Sorted(maps.Keys(b.kept)) {
		s.kept[url] = b.kept[url]
	}
	s.remembered = append(s.remembered, b.remembered...)
}
