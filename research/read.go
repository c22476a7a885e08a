package research

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ibid/agent"
	"ibid/budget"
	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/llm"
	"ibid/research/prompts"
)

// readTool reads pages (TOOLS-3). Reading a URL again is free (TOOLS-14); one that failed is not tried again (TOOLS-13);
// one that no trusted event brought is not fetched (law 5).
type readTool struct {
	*state
	text   prompts.Text
	reader Reader
	blobs  keeper
}

// fetched is the journaled outcome of one read: what the document says, or why it could not be had.
type fetched struct {
	Reading     *corpus.Reading    `json:"reading,omitempty"`
	Unavailable *fetch.Unavailable `json:"unavailable,omitempty"`
}

// page is one URL of a call on its way.
type page struct {
	url    string // as the model wrote it
	err    error  // refused before any effect
	effect int    // its effect, or -1
}

// pageView is what the model reads of a page.
type pageView struct {
	URL         string         `json:"url"`
	Source      string         `json:"source,omitempty"`
	Title       string         `json:"title,omitempty"`
	Kind        string         `json:"kind,omitempty"`
	AlreadyRead bool           `json:"already_read,omitempty"`
	SameAs      string         `json:"same_as,omitempty"`
	Flags       []string       `json:"flags,omitempty"`
	Note        string         `json:"note,omitempty"`
	Text        []passage      `json:"untrusted_text,omitempty"`
	Cut         bool           `json:"cut"`
	Links       []extract.Link `json:"links,omitempty"`
	Outcome     fetch.Outcome  `json:"outcome,omitempty"`
	Error       string         `json:"error,omitempty"`
}

// A passage is one block of a page with its locator.
type passage struct {
	At   string `json:"at"`
	Role string `json:"role,omitempty"`
	Text string `json:"text"`
}

func (t *readTool) Spec() llm.Tool {
	return spec("read_pages", t.text,
		property{"urls", `{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3}`, true},
		property{"reason", `{"type":"string"}`, true})
}

func (t *readTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		URLs   []string `json:"urls"`
		Reason string   `json:"reason"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	switch n := len(args.URLs); {
	case n == 0:
		return agent.Action{}, t.text.Error("empty")
	case n > maxURLs:
		return agent.Action{}, t.text.Error("too_many", "n", n)
	case strings.TrimSpace(args.Reason) == "":
		return agent.Action{}, t.text.Error("no_reason")
	}
	var action agent.Action
	pages := make([]page, len(args.URLs))
	for i, raw := range args.URLs {
		p := page{url: strings.TrimSpace(raw), effect: -1}
		canonical, fresh, err := t.wanted(p.url)
		if p.err = err; fresh {
			p.effect = len(action.Effects)
			action.Effects = append(action.Effects, agent.Effect{
				Kind: "fetch", URL: p.url, Cost: budget.Amount{Reads: 1},
				Input: map[string]string{"url": canonical, "reason": args.Reason},
				Run:   func(ctx context.Context) ([]byte, budget.Amount, error) { return t.run(ctx, canonical) },
			})
		}
		pages[i] = p
	}
	action.Then = func(outcomes []agent.Outcome) agent.Result { return t.conclude(pages, outcomes) }
	return action, nil
}

// wanted says whether a URL has to be fetched, and refuses what may not be.
func (t *readTool) wanted(url string) (canonical string, fresh bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	canonical, err = fetch.CanonicalURL(url)
	switch {
	case err != nil:
		return "", false, t.text.Error("bad_url", "reason", err)
	case t.failed[canonical] != nil:
		return "", false, t.text.Error("failed_earlier", "reason", t.failed[canonical].Reason)
	case t.corpus.ByURL(canonical) != "" || t.reading[canonical]:
		return canonical, false, nil
	case !t.known[canonical]:
		return "", false, t.text.Error("unknown_url")
	}
	t.reading[canonical] = true
	return canonical, true, nil
}

// run fetches and extracts. A page that cannot be had is an outcome, and costs a read like any other.
func (t *readTool) run(ctx context.Context, url string) ([]byte, budget.Amount, error) {
	reading, err := t.reader.Read(ctx, url)
	var unavailable *fetch.Unavailable
	if err != nil && !errors.As(err, &unavailable) {
		return nil, budget.Amount{Reads: 1}, err
	}
	if reading != nil {
		if _, err := t.blobs.PutBlob(ctx, reading.Raw); err != nil {
			return nil, budget.Amount{Reads: 1}, err
		}
	}
	return toJSON(fetched{reading, unavailable}), budget.Amount{Reads: 1}, nil
}

// conclude ingests what was read, in the order asked, so that sources are numbered the same each time.
func (t *readTool) conclude(pages []page, outcomes []agent.Outcome) agent.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	views := make([]pageView, len(pages))
	failures := 0
	for i, p := range pages {
		var o agent.Outcome
		if p.effect >= 0 {
			o = outcomes[p.effect]
		}
		views[i] = t.view(p, o)
		if views[i].Error != "" {
			failures++
		}
	}
	if failures == len(pages) && len(pages) == 1 {
		return agent.Result{Content: views[0].Error, IsError: true}
	}
	result := reply(struct {
		Pages []pageView `json:"pages"`
	}{views})
	result.IsError = failures == len(pages)
	return result
}

// view ingests one page and shows its beginning.
func (t *readTool) view(p page, o agent.Outcome) pageView {
	v := pageView{URL: p.url}
	canonical, err := fetch.CanonicalURL(p.url)
	if p.err != nil || err != nil {
		v.Error = fmt.Sprint(errors.Join(p.err, err))
		return v
	}
	if p.effect < 0 {
		if u := t.failed[canonical]; u != nil { // asked for twice in one step, and it failed
			v.Outcome, v.Error = u.Outcome, t.text.Error("failed_earlier", "reason", u.Reason).Error()
			return v
		}
		v.AlreadyRead = true
		return t.show(v, t.corpus.ByURL(canonical))
	}
	delete(t.reading, canonical)
	var over *budget.Exhausted
	var denied *agent.Denied
	var out fetched
	switch {
	case errors.As(o.Err, &over):
		v.Error = over.Error()
		return v
	case errors.As(o.Err, &denied):
		v.Outcome, v.Error = fetch.Denied, denied.Error()
		t.failed[canonical] = &fetch.Unavailable{URL: canonical, Outcome: fetch.Denied, Reason: "it was not approved"}
		return v
	case o.Err != nil:
		out.Unavailable = &fetch.Unavailable{URL: canonical, Outcome: fetch.Failed, Reason: o.Err.Error()}
	default:
		if err := json.Unmarshal(o.Body, &out); err != nil || out.Reading == nil && out.Unavailable == nil {
			out.Unavailable = &fetch.Unavailable{URL: canonical, Outcome: fetch.Failed, Reason: "its record cannot be read"}
		}
	}
	t.unread, t.reads = 0, t.reads+1
	if u := out.Unavailable; u != nil {
		t.failed[canonical] = u
		v.Outcome, v.Error = u.Outcome, strings.TrimSpace(u.Reason+". "+u.Hint)
		return v
	}
	id, fresh := t.corpus.Ingest(*out.Reading)
	if !fresh {
		v.SameAs = id
	}
	for _, l := range out.Reading.Links {
		t.allow(l.URL)
	}
	return t.show(v, id)
}
