package research

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"ibid/agent"
	"ibid/gate"
	"ibid/llm"
	llmfence "ibid/llm/fence"
	"ibid/search"
)

// Context says how a run's conversation is kept short. A run without one sends the whole of it each time, as runs did that
// were made before.
type Context struct {
	Window    int64 `json:"window,omitempty"`     // tokens that the model takes; 0: agent.DefaultWindow
	CompactAt int64 `json:"compact_at,omitempty"` // tokens from which it is summarised where that pays; 0: only for the window
	Elide     bool  `json:"elide,omitempty"`
	Compact   bool  `json:"compact,omitempty"`
}

// newContext is how new runs begin.
func newContext() *Context {
	return &Context{CompactAt: agent.DefaultCompactAt, Elide: true, Compact: true}
}

// conversation is how the loop keeps the conversation short. A model in this process pays for no tokens and has no window.
func (s *state) conversation(c Config, p Parts) *agent.Context {
	if c.Context == nil || p.Free || !c.Context.Elide && !c.Context.Compact {
		return nil
	}
	text := c.Prompts.Text("fetch_result")
	return &agent.Context{
		Window: c.Context.Window, CompactAt: c.Context.CompactAt, Elide: c.Context.Elide, Compact: c.Context.Compact,
		Fetch:  spec("fetch_result", text, property{"handle", `{"type":"string"}`, true}),
		Keeps:  func(tool string) bool { return !fromOutside[tool] && !ofServer(tool) },
		About:  s.subject,
		Pinned: s.pinned,
		Fence:  llmfence.Fence(s.fence).Around,
		Texts: agent.ContextTexts{Stub: c.Prompts["elided"], Compact: c.Prompts["compact"], Compacted: c.Prompts["compacted"],
			Unknown: text.Note("unknown"), Shown: text.Note("shown"), TooLong: text.Note("too_long")},
	}
}

// fromOutside are the tools whose results are text from outside, which is kept and can be had again. What others answer is
// the run's own: it stays in the conversation.
var fromOutside = map[string]bool{"search_web": true, "read_pages": true, "search_corpus": true, "quote": true, "query": true, "fetch_result": true,
	"read_file": true, "find_by_name": true, "find_by_term": true, "filter_files": true, "search_files": true,
	"wait_subagents": true, "read_messages": true}

// covered is what the stub of a result says of a part of it.
type covered struct {
	Source   string `json:"source,omitempty"`
	Site     string `json:"site,omitempty"`
	Title    string `json:"untrusted_title,omitempty"`
	Passages string `json:"passages,omitempty"` // para.1 to para.12
	Error    string `json:"error,omitempty"`
}

// subject reads what a result is of: the ids and addresses by which it is cited, and what its stub says.
func (s *state) subject(call llm.ToolCall, content string) agent.Subject {
	if ofServer(call.Name) {
		return s.answerSubject(content)
	}
	var view struct {
		Pages   []pageView      `json:"pages"`
		Spans   []spanView      `json:"spans"`
		Results []search.Result `json:"results"`
		File    *fileView       `json:"file"`
	}
	if json.Unmarshal([]byte(inside(content)), &view) != nil {
		return agent.Subject{}
	}
	var subject agent.Subject
	var covers []covered
	for _, p := range view.Pages {
		c := covered{Source: p.Source, Site: siteOf(p.URL), Title: gate.Clip(p.Title, 80), Error: gate.Clip(p.Error, 80)}
		if n := len(p.Text); n > 0 {
			c.Passages = p.Text[0].At + " to " + p.Text[n-1].At
		}
		if p.Source != "" {
			subject.Names = append(subject.Names, p.Source)
		}
		covers = append(covers, c)
	}
	for _, span := range view.Spans {
		subject.Names = append(subject.Names, span.Span)
		source, passage, _ := strings.Cut(span.Span, ":")
		if n := len(covers); n > 0 && covers[n-1].Source == source {
			covers[n-1].Passages += ", " + passage
			continue
		}
		covers = append(covers, covered{Source: source, Site: siteOf(span.URL), Passages: passage})
	}
	if f := view.File; f != nil {
		subject.Names = append(subject.Names, f.names()...)
		covers = append(covers, f.covered())
	}
	sites := map[string]bool{}
	for _, r := range view.Results {
		subject.Names = append(subject.Names, r.URL)
		if site := siteOf(r.URL); !sites[site] {
			sites[site] = true
			covers = append(covers, covered{Site: site})
		}
	}
	if len(covers) > 0 {
		subject.Text = llmfence.Fence(s.fence).Around(covers)
	}
	return subject
}

// inside is the JSON of a result: what stands between the lines of the fence, and not what the loop says of the budget.
func inside(content string) string {
	if strings.HasPrefix(content, "[untrusted ") {
		_, content, _ = strings.Cut(content, "\n")
	}
	content, _, _ = strings.Cut(content, "\n")
	return content
}

// pinned is what a run knows outside of its conversation: it is said again, word for word, when that is summarised.
func (s *state) pinned() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	type finding struct {
		ID          string   `json:"id"`
		Claim       string   `json:"claim"`
		Span        string   `json:"span"`
		Subquestion string   `json:"subquestion"`
		Flags       []string `json:"flags,omitempty"`
	}
	type source struct {
		ID    string `json:"source"`
		Kind  string `json:"kind"`
		URL   string `json:"url"`
		Title string `json:"untrusted_title,omitempty"`
	}
	type dead struct {
		What string `json:"what"`
		Why  string `json:"why"`
	}
	own := struct {
		Plan     []Subquestion `json:"plan"`
		Findings []finding     `json:"findings"`
	}{append([]Subquestion{}, s.plan...), []finding{}}
	for _, f := range s.findings {
		own.Findings = append(own.Findings, finding{f.ID, f.Claim, f.Key().String(), f.Subquestion, f.Flags})
	}
	outside := struct {
		Sources  []source `json:"sources"`
		Searches []dead   `json:"searches"`
		Failed   []dead   `json:"failed"`
	}{[]source{}, []dead{}, []dead{}}
	for _, src := range s.corpus.Sources() {
		outside.Sources = append(outside.Sources, source{src.ID, string(src.Kind), src.URL, gate.Clip(src.Title, 120)})
	}
	for _, q := range s.queries {
		outside.Searches = append(outside.Searches, dead{q.Text, q.Outcome})
	}
	for _, url := range slices.Sorted(maps.Keys(s.failed)) {
		outside.Failed = append(outside.Failed, dead{url, gate.Clip(s.failed[url].Reason, 120)})
	}
	return string(toJSON(own)) + "\n" + llmfence.Fence(s.fence).Around(outside)
}
