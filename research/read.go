package research

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"ibid/agent"
	"ibid/budget"
	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/gate"
	"ibid/llm"
	"ibid/research/prompts"
)

// readTool reads pages (TOOLS-3). Reading a URL again is free (TOOLS-14); one that failed is not tried again (TOOLS-13);
// one that no trusted event brought is not fetched (law 5).
type readTool struct {
	*state
	text     prompts.Text
	reader   Reader
	renderer Reader // runs a page's scripts in a browser; nil: not offered
	ask      bool   // before something is rendered
	scope    gate.Policy
	blobs    keeper
}

// fetched is the journaled outcome of one read: what the document says, or why it could not be had.
type fetched struct {
	Reading     *corpus.Reading    `json:"reading,omitempty"`
	Unavailable *fetch.Unavailable `json:"unavailable,omitempty"`
	Kept        bool               `json:"kept,omitempty"` // as the knowledge base keeps it: nobody was asked
	Key         string             `json:"key,omitempty"`  // by which a team knows it
	By          string             `json:"by,omitempty"`   // the sibling that had read it

	// Of a file of the workspace.
	Own   bool  `json:"own,omitempty"`   // this run wrote it: it is no source
	Lines []int `json:"lines,omitempty"` // on which the reading's blocks begin, 0 where that is not known
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
	beside
}

// beside is what stands beside a text and helps to read it: the heads of a row's columns, the caption of its table, the
// number that is printed on its page. It is not part of the text, and not quotable with it.
type beside struct {
	Columns string `json:"columns,omitempty"`
	Caption string `json:"caption,omitempty"`
	Label   string `json:"printed_page,omitempty"`
}

func (t *readTool) Spec() llm.Tool {
	properties := []property{
		{"urls", `{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3}`, true},
		{"reason", `{"type":"string"}`, true}}
	if t.renderer != nil {
		properties = append(properties, property{"render", `{"type":"boolean"}`, false})
	}
	return spec("read_pages", t.text, properties...)
}

func (t *readTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		URLs   []string `json:"urls"`
		Reason string   `json:"reason"`
		Render bool     `json:"render"`
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
		canonical, fresh, err := t.wanted(p.url, args.Render)
		if p.err = err; fresh {
			p.effect = len(action.Effects)
			action.Effects = append(action.Effects, t.effect(canonical, args.Reason, args.Render))
		}
		pages[i] = p
	}
	action.Then = func(outcomes []agent.Outcome) agent.Result { return t.conclude(pages, outcomes) }
	return action, nil
}

// effect is the read of one URL. Whether it may lead to another site is decided here, by where the URL came from.
func (t *readTool) effect(canonical, reason string, render bool) agent.Effect {
	if id := t.keptID(canonical); id != "" && !render {
		return t.keptEffect(canonical, reason, id)
	}
	e := agent.Effect{Kind: "fetch", URL: canonical, Cost: budget.Amount{Reads: 1}, Input: map[string]string{"url": canonical, "reason": reason}}
	t.mu.RLock()
	defer t.mu.RUnlock()
	reader, follow := t.reader, t.known[canonical] > fromPage
	if site := t.foreign(canonical); site != "" {
		e.Policy, e.Why = gate.PolicySite, "only a page names the site "+site+", neither the user nor a search"
	}
	if render {
		e.Kind, reader = "render", t.renderer
		if t.ask && e.Policy == "" {
			e.Policy, e.Why = gate.PolicyRender, "the page's scripts would be run in a browser"
		}
	}
	key := fmt.Sprintf("%s %t %s", e.Kind, follow, canonical)
	e.Run = func(ctx context.Context) ([]byte, budget.Amount, error) {
		return t.commons.read(ctx, t.lane, key, func() ([]byte, budget.Amount, error) { return t.run(ctx, reader, canonical, follow) })
	}
	return e
}

// wanted says whether a URL has to be fetched, and refuses what may not be. A page that needs a browser failed, and may
// be asked for once more with one.
func (t *readTool) wanted(url string, render bool) (canonical string, fresh bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	canonical, err = fetch.CanonicalURL(url)
	switch {
	case err != nil:
		return "", false, t.text.Error("bad_url", "reason", err)
	case render && t.renderer != nil && t.failed[canonical] != nil && t.failed[canonical].Outcome == fetch.JSRequired:
		delete(t.failed, canonical)
	case render:
		return "", false, t.text.Error("no_render")
	case t.failed[canonical] != nil:
		return "", false, t.text.Error("failed_earlier", "reason", t.failed[canonical].Reason)
	case t.corpus.ByURL(canonical) != "" || t.reading[canonical]:
		return canonical, false, nil
	case t.known[canonical] == unknown && t.kept[canonical] == "":
		return "", false, t.text.Error("unknown_url")
	}
	t.reading[canonical] = true
	return canonical, true, nil
}

// run fetches and extracts. A page that cannot be had is an outcome, and costs a read like any other. A redirect to
// another site is followed where the user or a search named the URL, and stays in the run's scope.
func (t *readTool) run(ctx context.Context, reader Reader, url string, follow bool) ([]byte, budget.Amount, error) {
	may := func(location string) bool { return follow && t.inScope(location) }
	reading, err := fetch.Follow(url, may, func(at string) (*corpus.Reading, error) {
		reading, err := reader.Read(ctx, at)
		if reading != nil && at != url {
			reading.Requested = url
		}
		return reading, err
	})
	var unavailable *fetch.Unavailable
	if err != nil && !errors.As(err, &unavailable) {
		return nil, budget.Amount{Reads: 1}, err
	}
	if reading != nil && t.written.holds(reading.Source.SHA256) {
		reading, unavailable = nil, &fetch.Unavailable{URL: url, Outcome: fetch.Refused, Reason: "this run wrote it, so it is no source", Hint: "Cite what it was made of."}
	}
	if reading != nil {
		if _, err := t.blobs.PutBlob(ctx, reading.Raw); err != nil {
			return nil, budget.Amount{Reads: 1}, err
		}
	}
	return toJSON(fetched{Reading: reading, Unavailable: unavailable}), budget.Amount{Reads: 1}, nil
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
		return agent.Result{Content: harmless(views[0].Error), IsError: true}
	}
	result := t.fence.reply(struct {
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
		reason := "it was not approved"
		if denied.Policy == gate.PolicySite {
			reason = deniedSite
		}
		t.failed[canonical] = &fetch.Unavailable{URL: canonical, Outcome: fetch.Denied, Reason: reason}
		return v
	case o.Err != nil:
		out.Unavailable = &fetch.Unavailable{URL: canonical, Outcome: fetch.Failed, Reason: o.Err.Error()}
	default:
		if err := json.Unmarshal(o.Body, &out); err != nil || out.Reading == nil && out.Unavailable == nil {
			out.Unavailable = &fetch.Unavailable{URL: canonical, Outcome: fetch.Failed, Reason: "its record cannot be read"}
		}
	}
	t.unread, t.tainted = 0, true
	if out.By == "" {
		t.reads++
	}
	if !out.Kept {
		t.sites[siteOf(canonical)] = true // that it was read, a gate or the URL's provenance has allowed
	}
	if u := out.Unavailable; u != nil {
		t.failed[canonical] = u
		v.Outcome, v.Error = u.Outcome, strings.TrimSpace(u.Reason+". "+u.Hint)
		switch {
		case u.Outcome == fetch.Moved && u.Location != "":
			t.allow(u.Location, fromPage)
			v.Error = t.text.Error("moved", "location", u.Location).Error()
		case u.Outcome == fetch.JSRequired && t.renderer != nil:
			v.Error = t.text.Error("needs_render", "reason", u.Reason).Error()
		}
		return v
	}
	id, fresh := t.ingest(out.Reading)
	if !fresh {
		v.SameAs = id
	}
	if out.By != "" {
		v.Note = t.text.Note("sibling", "by", out.By)
	}
	if out.Kept {
		v.Note = strings.TrimSpace(v.Note + " " + t.text.Note("kept", "date", out.Reading.Source.Fetched.Format(time.DateOnly)))
	}
	for _, l := range out.Reading.Links {
		t.allow(l.URL, fromPage)
	}
	return t.show(v, id)
}

// inScope says whether a redirect stays within the hosts and paths that the run's policy lets be read without asking.
func (t *readTool) inScope(url string) bool {
	policy, _ := t.scope.Check(gate.Action{URL: url})
	return policy == ""
}
