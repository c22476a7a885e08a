package research

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"ibid/agent"
	"ibid/budget"
	"ibid/gate"
	"ibid/journal"
	"ibid/knowledge"
	"ibid/llm"
	"ibid/store"
)

// Memorised is what a run has left in its knowledge base at its end.
type Memorised struct {
	Dataset  string `json:"dataset"`
	Findings int    `json:"findings"` // that were remembered
	LeftOut  int    `json:"left_out"` // of the run's findings: the source gives orders to programs, or is not kept
	Waiting  int    `json:"waiting"`  // texts that are not absorbed yet
	Failed   string `json:"failed,omitempty"`
}

// storing is how long remembering a run's findings may take: it is no part of the work that the budget is for.
const storing = 30 * time.Second

// storedAll is the outcome of remembering a run's findings.
type storedAll struct {
	Snippets []int64 `json:"snippets"`
	LeftOut  int     `json:"left_out"`
}

// memorise does at a run's end what its knowledge base was configured for: remembers the findings and the report, and waits for
// what it has remembered to be absorbed. What fails is told, and takes nothing from the report.
func (s *state) memorise(ctx context.Context, session *agent.Session, result *Result) error {
	m := s.memory
	if m == nil {
		return nil
	}
	told := &Memorised{Dataset: m.Dataset}
	result.Memorised = told
	own := slices.Clone(s.remembered)
	if m.Store && result.Verified {
		var out storedAll
		if parked, err := s.performLast(ctx, session, result, "store", s.storing(result), &out); parked || err != nil {
			return err
		}
		told.Findings, told.LeftOut = len(out.Snippets), out.LeftOut
		for _, seq := range out.Snippets {
			own = append(own, pendingSnippet{seq: seq})
		}
	}
	told.Waiting = len(own)
	if m.Wait && len(own) > 0 {
		var toll waited
		if parked, err := s.performLast(ctx, session, result, "wait", m.waiting(own), &toll); parked || err != nil {
			return err
		}
		if toll.Done {
			told.Waiting = 0
		}
	}
	return nil
}

// performLast performs one effect at the end of a run. parked says that a person must decide first: there is a report, and the run
// is not over.
func (s *state) performLast(ctx context.Context, session *agent.Session, result *Result, what string, e agent.Effect, out any) (parked bool, err error) {
	outcomes, err := session.Perform(ctx, journal.Key("lead/kb/"+what), []agent.Effect{e})
	switch {
	case errors.Is(err, gate.ErrPending):
		result.Stop = agent.StopParked
		return true, nil
	case err != nil && ctx.Err() != nil:
		result.Stop = agent.StopCancelled
		return true, nil
	case err != nil:
		return false, err
	}
	err = outcomes[0].Err
	if err == nil {
		err = json.Unmarshal(outcomes[0].Body, out)
	}
	if err != nil {
		result.Memorised.Failed = err.Error()
	}
	return false, nil
}

// storing remembers the findings, each with its source as it was read, and the report.
func (s *state) storing(result *Result) agent.Effect {
	m := s.memory
	ids := []string{}
	keep := knowledge.Worth(result.Findings)
	for _, f := range keep {
		ids = append(ids, f.ID)
	}
	in := struct {
		Dataset  string   `json:"dataset"`
		Findings []string `json:"findings"`
		Report   string   `json:"report"`
	}{m.Dataset, ids, store.Hash(result.Markdown)}
	left := len(result.Findings) - len(keep)
	return agent.Effect{Kind: "remember", Input: in, Run: func(ctx context.Context) ([]byte, budget.Amount, error) {
		ctx, done := context.WithTimeout(context.WithoutCancel(ctx), storing)
		defer done()
		out := storedAll{Snippets: []int64{}, LeftOut: left}
		for _, f := range keep {
			one := knowledge.OfFinding(s.run, f)
			var err error
			if one.Kept, err = s.original(ctx, f.Source); err != nil { // its bytes were not kept, as with a secret in them
				out.LeftOut++
				continue
			}
			r, err := m.base.Remember(ctx, m.user, m.Dataset, one, false)
			if err != nil {
				return nil, budget.Amount{}, err
			}
			out.Snippets = append(out.Snippets, r.Snippet)
		}
		report := knowledge.Report{Run: s.run, Question: s.question, Markdown: string(result.Markdown)}
		return toJSON(out), budget.Amount{}, m.base.RememberReport(ctx, m.user, m.Dataset, report)
	}}
}

// waited is the outcome of waiting for the queue.
type waited struct {
	Done    bool     `json:"done"`
	Answers []string `json:"answers,omitempty"` // of the model, as they were received
	knowledge.Toll
}

// waiting absorbs what this run has remembered, or waits for who does. What its model may cost for that is reserved.
func (m *memory) waiting(own []pendingSnippet) agent.Effect {
	var seqs []int64
	asks := map[int64]agent.Effect{}
	e := agent.Effect{Kind: "absorb"}
	for _, p := range own {
		if slices.Contains(seqs, p.seq) {
			continue
		}
		seqs = append(seqs, p.seq)
		if p.snippet.Model == "" || m.loop == nil {
			continue
		}
		if ask, err := m.aside(p.snippet); err == nil {
			asks[p.seq], e.Cost = ask, e.Cost.Add(ask.Cost)
		}
	}
	e.Input = struct {
		Dataset  string  `json:"dataset"`
		Snippets []int64 `json:"snippets"`
	}{m.Dataset, seqs}
	e.Run = func(ctx context.Context) ([]byte, budget.Amount, error) {
		var out waited
		toll, err := m.base.WaitWith(ctx, m.user, m.Dataset, seqs, func(seq int64) knowledge.Extractor {
			ask, ours := asks[seq]
			if !ours {
				return nil
			}
			var told remembered
			x := m.model(&ask, &told)
			perform := x.Ask
			x.Ask = func(ctx context.Context, r llm.Request) (llm.Response, budget.Amount, error) {
				resp, spent, err := perform(ctx, r)
				out.Answers = append(out.Answers, told.Answer)
				return resp, spent, err
			}
			return x
		})
		out.Toll, out.Done = toll, err == nil
		return toJSON(out), toll.Spent, err
	}
	return e
}
