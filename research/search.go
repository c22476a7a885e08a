package research

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"ibid/agent"
	"ibid/budget"
	"ibid/llm"
	"ibid/research/prompts"
	"ibid/search"
)

// searchTool finds pages (TOOLS-2). Near-identical searches are answered from the earlier one, free (TOOLS-12).
type searchTool struct {
	*state
	text     prompts.Text
	provider search.Provider
	price    int64 // that is reserved for a search, in millionths of a dollar
}

// searched is the journaled outcome of a search: results, or why there are none. A failure is not an empty answer.
type searched struct {
	search.Answer
	Failed *search.Error `json:"failed,omitempty"`
	Query  string        `json:"query,omitempty"` // that was made, in a team
	By     string        `json:"by,omitempty"`    // the sibling that had made it
}

// helps says whether an answer is one that need not be asked for again.
func (s searched) helps() bool { return s.Failed == nil }

// searchView is what the model reads.
type searchView struct {
	Query   string          `json:"query"`
	Outcome string          `json:"outcome"`
	Results []search.Result `json:"results"`
	Note    string          `json:"note"`
}

func (t *searchTool) Spec() llm.Tool {
	return spec("search_web", t.text, property{"query", `{"type":"string"}`, true})
}

func (t *searchTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Query string `json:"query"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	query := strings.Join(strings.Fields(args.Query), " ")
	switch {
	case query == "":
		return agent.Action{}, t.text.Error("empty")
	case len([]rune(query)) > maxQuery:
		return agent.Action{}, t.text.Error("too_long", "max", maxQuery)
	}
	if i := t.earlier(query); i >= 0 {
		return now(func() agent.Result {
			q := t.queries[i]
			return t.fence.reply(searchView{query, "duplicate", nonNil(q.results), t.text.Note("duplicate", "earlier", q.Text)})
		}), nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queries = append(t.queries, Query{Text: query, Outcome: "asked"})
	asked := len(t.queries) - 1
	return agent.Action{
		Effects: []agent.Effect{{
			Kind:  "search",
			Input: map[string]string{"provider": t.provider.Name(), "query": query},
			Cost:  budget.Amount{Searches: 1, MicroUSD: t.price},
			Run: func(ctx context.Context) ([]byte, budget.Amount, error) {
				return t.commons.search(ctx, t.lane, query, func() ([]byte, budget.Amount, error) { return t.run(ctx, query) })
			},
		}},
		Then: func(outcomes []agent.Outcome) agent.Result { return t.conclude(asked, outcomes[0]) },
	}, nil
}

// run asks the provider. A search that failed is an outcome of its own, and costs no search.
func (t *searchTool) run(ctx context.Context, query string) ([]byte, budget.Amount, error) {
	answer, err := t.provider.Search(ctx, query, maxResults)
	var failed *search.Error
	if err != nil && !errors.As(err, &failed) {
		return nil, budget.Amount{}, err
	}
	answer.Results = search.Clean(answer.Results, maxResults)
	spent := budget.Amount{Searches: 1, Tokens: answer.Tokens, MicroUSD: answer.MicroUSD}
	if failed != nil && len(answer.Results) == 0 {
		spent = budget.Amount{Tokens: answer.Tokens, MicroUSD: answer.MicroUSD}
	}
	return toJSON(searched{Answer: answer, Failed: failed}), spent, nil
}

// conclude files what came of the query that was asked.
func (t *searchTool) conclude(asked int, o agent.Outcome) agent.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := &t.queries[asked]
	var over *budget.Exhausted
	var denied *agent.Denied
	if errors.As(o.Err, &over) || errors.As(o.Err, &denied) {
		q.Outcome = "refused"
		return refuse(o.Err)
	}
	var out searched
	if o.Err == nil {
		o.Err = json.Unmarshal(o.Body, &out)
	}
	if o.Err != nil {
		out.Failed = &search.Error{Reason: o.Err.Error()}
	}
	t.skip(out.Skipped)
	if out.Failed != nil && !slices.ContainsFunc(t.searchErrors, func(e search.Error) bool { return e.Reason == out.Failed.Reason }) {
		t.searchErrors = append(t.searchErrors, *out.Failed)
	}
	if out.Failed != nil && len(out.Results) == 0 {
		q.Outcome = "failed"
		return refuse(t.text.Error("failed", "reason", out.Failed.Reason, "hint", out.Failed.Hint))
	}
	view := searchView{Query: q.Text, Outcome: "ok", Results: nonNil(out.Results), Note: t.text.Note("ok")}
	for _, r := range out.Results {
		t.allow(r.URL, fromSearch)
	}
	t.notice(out.Notices)
	t.tainted = true
	if out.By != "" {
		q.Outcome, q.Results, q.results = bySibling, len(out.Results), out.Results
		view.Outcome, view.Note = "duplicate", t.text.Note("sibling", "by", out.By, "earlier", out.Query)
		return t.fence.reply(view)
	}
	t.unread++
	switch {
	case len(out.Results) == 0:
		view.Outcome, view.Note = "empty", t.text.Note("none")
	case out.Failed != nil:
		view.Outcome, view.Note = "degraded", t.text.Note("degraded", "reason", out.Failed.Reason)
	case t.unread >= searchesUnread:
		view.Note = t.text.Note("read_first", "n", t.unread)
	}
	q.Outcome, q.Results, q.results = view.Outcome, len(out.Results), out.Results
	return t.fence.reply(view)
}

// skip notes documents that could not be searched.
func (s *state) skip(list []search.Skipped) {
	for _, d := range list {
		if !slices.ContainsFunc(s.skipped, func(old search.Skipped) bool { return old.URL == d.URL }) {
			s.skipped = append(s.skipped, d)
		}
	}
}

// bySibling is the outcome of a search that another agent of the team had made: it counts there.
const bySibling = "sibling"

// nonNil makes an empty list of none: a list in an answer is never null.
func nonNil(results []search.Result) []search.Result {
	if results == nil {
		return []search.Result{}
	}
	return results
}
