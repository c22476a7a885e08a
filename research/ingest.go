package research

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"ibid/agent"
	"ibid/budget"
	"ibid/corpus"
	"ibid/fetch"
	"ibid/gate"
	"ibid/llm"
	"ibid/research/prompts"
)

// ingestTool reads one source for a researcher outside. What it is given by URL it reads as read_pages does, but that the
// researcher counts as the user who brings a URL in; a site that only a page of the run has named still takes a person
// (law 5). What is handed in goes the same way from extraction on.
type ingestTool struct {
	readTool
	own   prompts.Text
	given func(ctx context.Context, url string, body []byte) (*corpus.Reading, error) // nil: nothing can be handed in
}

// maxGiven bounds what is handed in, in bytes.
const maxGiven = 8 << 20

func (t *ingestTool) Spec() llm.Tool {
	return spec("ingest_source", t.own,
		property{"url", `{"type":"string"}`, false},
		property{"text", `{"type":"string"}`, false},
		property{"data", `{"type":"string","contentEncoding":"base64"}`, false},
		property{"name", `{"type":"string"}`, false})
}

// ingestArgs is what a caller offers.
type ingestArgs struct {
	URL  string `json:"url"`
	Text string `json:"text"`
	Data string `json:"data"`
	Name string `json:"name"`
}

func (t *ingestTool) Admit(c agent.Call) (agent.Action, error) {
	var args ingestArgs
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	kinds := 0
	for _, s := range []string{args.URL, args.Text, args.Data} {
		if s != "" {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return agent.Action{}, t.own.Error("which")
	case args.URL != "":
		return t.byURL(strings.TrimSpace(args.URL))
	}
	return t.handedIn(args)
}

// byURL reads what stands at a URL.
func (t *ingestTool) byURL(raw string) (agent.Action, error) {
	t.mu.Lock()
	if canonical, err := fetch.CanonicalURL(raw); err == nil && t.known[canonical] == unknown {
		t.allow(canonical, fromUser)
	}
	t.mu.Unlock()
	p := page{url: raw, effect: -1}
	canonical, fresh, err := t.wanted(raw, false)
	if err != nil {
		return agent.Action{}, err
	}
	var action agent.Action
	if fresh {
		p.effect, action.Effects = 0, []agent.Effect{t.effect(canonical, "handed in", false)}
	}
	action.Then = t.then(p, "")
	return action, nil
}

// handedIn reads what the caller brings along.
func (t *ingestTool) handedIn(args ingestArgs) (agent.Action, error) {
	body := []byte(args.Text)
	if args.Data != "" {
		var err error
		if body, err = base64.StdEncoding.DecodeString(args.Data); err != nil {
			return agent.Action{}, t.own.Error("bad_data")
		}
	}
	name := strings.Join(strings.Fields(path.Base(strings.ReplaceAll(args.Name, `\`, "/"))), "-")
	switch n := utf8.RuneCountInString(name); {
	case t.given == nil:
		return agent.Action{}, t.own.Error("not_taken")
	case len(body) > maxGiven:
		return agent.Action{}, t.own.Error("too_large", "n", len(body), "max", maxGiven)
	case args.Name == "", n == 0, n > 120, name == ".", name == "..", name == "/", !utf8.ValidString(name):
		return agent.Action{}, t.own.Error("no_name")
	}
	sum := sha256.Sum256(body)
	at, err := fetch.CanonicalURL((&url.URL{Scheme: "file", Path: "/given/" + hex.EncodeToString(sum[:6]) + "/" + name}).String())
	if err != nil {
		return agent.Action{}, t.own.Error("no_name")
	}
	t.mu.Lock()
	t.allow(at, fromUser)
	t.mu.Unlock()
	p := page{url: at, effect: -1}
	canonical, fresh, err := t.wanted(at, false)
	if err != nil {
		return agent.Action{}, err
	}
	var action agent.Action
	if fresh {
		p.effect = 0
		action.Effects = []agent.Effect{{Kind: "fetch", URL: canonical, Cost: budget.Amount{Reads: 1},
			Input: map[string]string{"url": canonical, "sha256": hex.EncodeToString(sum[:])},
			Run: func(ctx context.Context) ([]byte, budget.Amount, error) {
				return t.keep(ctx, canonical, body)
			}}}
	}
	action.Then = t.then(p, t.own.Note("given"))
	return action, nil
}

// keep extracts what was handed in. What cannot be read is an outcome, and costs a read like any other.
func (t *ingestTool) keep(ctx context.Context, url string, body []byte) ([]byte, budget.Amount, error) {
	cost := budget.Amount{Reads: 1}
	reading, err := t.given(ctx, url, body)
	var unavailable *fetch.Unavailable
	if err != nil && !errors.As(err, &unavailable) {
		return nil, cost, err
	}
	if reading != nil {
		if _, err := t.blobs.PutBlob(ctx, reading.Raw); err != nil {
			return nil, cost, err
		}
	}
	return toJSON(fetched{Reading: reading, Unavailable: unavailable}), cost, nil
}

// then shows what was read, with a note on how it came.
func (t *ingestTool) then(p page, note string) func([]agent.Outcome) agent.Result {
	return func(outcomes []agent.Outcome) agent.Result {
		t.mu.Lock()
		defer t.mu.Unlock()
		var o agent.Outcome
		if p.effect >= 0 {
			o = outcomes[p.effect]
		}
		v := t.view(p, o)
		if v.Error != "" {
			return agent.Result{Content: harmless(v.Error), IsError: true}
		}
		if note != "" {
			v.Note = strings.TrimSpace(v.Note + " " + note)
		}
		return t.fence.reply(v)
	}
}

// sourcesTool lists what was read.
type sourcesTool struct {
	*state
	text prompts.Text
}

// maxListed is how many sources a list shows; runs rarely have more.
const maxListed = 300

// sourceView is a source in a list.
type sourceView struct {
	Source string   `json:"source"`
	Title  string   `json:"untrusted_title"`
	URL    string   `json:"url"`
	Kind   string   `json:"kind"`
	Spans  int      `json:"spans"` // that can be quoted
	Flags  []string `json:"flags,omitempty"`
}

// sourcesView is what the list says.
type sourcesView struct {
	Sources []sourceView  `json:"sources"`
	Left    int           `json:"left_out,omitempty"`
	Plan    []Subquestion `json:"plan"`
}

func (t *sourcesTool) Spec() llm.Tool { return spec("list_sources", t.text) }

func (t *sourcesTool) Admit(agent.Call) (agent.Action, error) {
	return now(func() agent.Result {
		v := sourcesView{Sources: []sourceView{}, Plan: append([]Subquestion{}, t.plan...)}
		for _, s := range t.corpus.Sources() {
			if len(v.Sources) == maxListed {
				v.Left++
				continue
			}
			v.Sources = append(v.Sources, sourceView{s.ID, gate.Clip(s.Title, 200), s.URL, string(s.Kind), len(t.corpus.Spans(s.ID)), s.Flags})
		}
		return t.fence.reply(v)
	}), nil
}

// reportTool takes the word that the research is over. The report itself is made by the run, as any run's is.
type reportTool struct {
	*state
	text prompts.Text
}

// maxDraft is in bytes.
const maxDraft = 200_000

// acceptedView says what the report will be made of.
type acceptedView struct {
	Accepted string `json:"accepted"` // draft, or findings
	Findings int    `json:"findings"`
}

func (t *reportTool) Spec() llm.Tool {
	return spec("write_report", t.text, property{"draft", `{"type":"string"}`, false})
}

func (t *reportTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Draft string `json:"draft"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	draft := strings.TrimSpace(args.Draft)
	if len(draft) > maxDraft {
		return agent.Action{}, t.text.Error("too_long", "n", len(draft), "max", maxDraft)
	}
	return now(func() agent.Result {
		if draft == "" {
			return reply(acceptedView{"findings", len(t.findings)})
		}
		if !citesFindings(draft) {
			ids := make([]string, len(t.findings))
			for i, f := range t.findings {
				ids[i] = f.ID
			}
			return refuse(t.text.Error("cites_nothing", "ids", strings.Join(ids, ", ")))
		}
		if _, problems := checkDraft(draft, t.input(agent.Answer{Stop: agent.StopDone}, Shape{})); problems != "" {
			return refuse(t.text.Error("problems", "problems", problems))
		}
		return reply(acceptedView{"draft", len(t.findings)})
	}), nil
}

// citesFindings says whether a text is a draft: what names no finding is none.
func citesFindings(text string) bool {
	return strings.Contains(text, "[F") || strings.Contains(text, "{compute")
}
