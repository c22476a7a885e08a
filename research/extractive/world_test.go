package extractive

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"ibid/index"
	"ibid/llm"
)

// paper is one document of a test world.
type paper struct {
	url, title, kind string
	paras            []string // "# " begins a heading
	links            []link
	hub              bool
	missing          bool
}

// world answers tool calls over a few documents, as the research tools do.
type world struct {
	papers                  []paper
	searches, reads, steps  int // budgets
	offer                   []string
	garble                  func(tool, result string) (string, bool) // changes results; nil: as they are
	plan                    []subquestion
	read                    []int // papers by source number
	findings                []findingArgs
	queries, fetched, trace []string
	failed                  map[string]int
	calls                   []llm.ToolCall
	turns                   int
}

func newWorld(papers ...paper) *world {
	return &world{papers: papers, searches: 6, reads: 4, steps: 39, failed: map[string]int{}, offer: []string{toolPlan, toolSearch, toolRead, toolCorpus, "quote", toolFinding}}
}

// run drives the researcher until it answers without calls.
func (w *world) run(t testing.TB, question, depth string) *world {
	t.Helper()
	model := New(ID)
	req := llm.Request{Model: ID, Choice: llm.ChoiceAuto, Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "Question: " + question + "\n\nDepth: " + depth + "."}}}}}
	for _, name := range w.offer {
		req.Tools = append(req.Tools, llm.Tool{Name: name})
	}
	for {
		w.turns++
		if w.steps--; w.steps <= 0 {
			req.Choice = llm.ChoiceNone
		}
		body, err := model.Encode(req)
		if err != nil {
			t.Fatal(err)
		}
		out, err := model.Send(context.Background(), body, "")
		if err != nil {
			t.Fatal(err)
		}
		resp, err := model.Decode(out)
		if err != nil {
			t.Fatal(err)
		}
		if !resp.Usage.Known || resp.Usage.Total() != 0 {
			t.Fatalf("usage %+v: a researcher without a model spends no tokens", resp.Usage)
		}
		calls := resp.Calls()
		if len(calls) == 0 {
			if resp.Text() != "" || resp.Stop != llm.StopEnd {
				t.Fatalf("the last answer is %q, stop %s", resp.Text(), resp.Stop)
			}
			return w
		}
		if req.Choice == llm.ChoiceNone {
			t.Fatalf("calls where none were allowed: %v", calls)
		}
		if w.turns > 60 {
			t.Fatal("it does not end")
		}
		answers := llm.Message{Role: llm.User}
		seen := map[string]bool{}
		for _, c := range calls {
			if !slices.Contains(w.offer, c.Name) {
				t.Fatalf("calls %s, which was not offered", c.Name)
			}
			if seen[c.ID] {
				t.Fatalf("call id %s twice in one answer", c.ID)
			}
			seen[c.ID] = true
			w.calls = append(w.calls, c)
			result, bad := w.answer(t, c)
			if w.garble != nil {
				if text, isErr := w.garble(c.Name, result); text != "" {
					result, bad = text, isErr
				}
			}
			answers.Blocks = append(answers.Blocks, llm.Block{Result: &llm.ToolResult{ID: c.ID, Name: c.Name, Content: result, IsError: bad}})
		}
		req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Blocks: resp.Blocks}, answers)
	}
}

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (w *world) answer(t testing.TB, c llm.ToolCall) (result string, isErr bool) {
	t.Helper()
	w.trace = append(w.trace, c.Name)
	if w.steps <= 3 { // the agent tells of the last steps
		defer func() { result += fmt.Sprintf("\n[%d steps left] Consolidate.", w.steps-1) }()
	}
	switch c.Name {
	case toolPlan:
		var a planArgs
		mustDecode(t, c, &a)
		if len(a.Subquestions) == 0 || len(a.Subquestions) > 12 || a.Reason == "" {
			return "A plan needs questions and a reason.", true
		}
		old := w.plan
		w.plan = nil
		for i, q := range a.Subquestions {
			id, n := fmt.Sprintf("q%d", i+1), 0
			for _, o := range old {
				if o.Question == q {
					id, n = o.ID, o.Findings
				}
			}
			w.plan = append(w.plan, subquestion{id, q, n})
		}
		return toJSON(planResult{w.plan}), false
	case toolSearch:
		var a searchArgs
		mustDecode(t, c, &a)
		if w.searches == 0 {
			return "BUDGET: searches: 1 asked, 0 left of 6.", true
		}
		for _, q := range w.queries {
			if index.SameQuery(q, a.Query) {
				t.Errorf("searches %q after %q", a.Query, q)
			}
		}
		w.searches--
		w.queries = append(w.queries, a.Query)
		hits := w.find(a.Query)
		outcome := "ok"
		if len(hits) == 0 {
			outcome = "empty"
		}
		return toJSON(map[string]any{"query": a.Query, "outcome": outcome, "results": hits, "note": "pointers"}) + fmt.Sprintf("\n[%d searches left]", w.searches), false
	case toolRead:
		return w.readPages(t, c)
	case toolCorpus:
		var a corpusArgs
		mustDecode(t, c, &a)
		return toJSON(corpusResult{w.spans(a)}), false
	case toolFinding:
		return w.record(t, c)
	}
	t.Fatalf("unexpected tool %s", c.Name)
	return "", true
}

func mustDecode(t testing.TB, c llm.ToolCall, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(c.Args), v); err != nil {
		t.Fatalf("%s %s: %v", c.Name, c.Args, err)
	}
}

// find ranks papers by the query's terms in title and text; the snippet is the paragraph that has most of them.
func (w *world) find(query string) []hit {
	terms := index.Terms(query)
	type scored struct {
		hit
		n int
	}
	var list []scored
	for _, p := range w.papers {
		if p.missing && !strings.Contains(strings.ToLower(query), "gone") && len(p.paras) == 0 {
			continue
		}
		n := 2 * overlap(terms, p.title)
		best, most := "", -1
		for _, para := range p.paras {
			k := overlap(terms, para)
			n += k
			if k > most {
				best, most = para, k
			}
		}
		if n > 0 {
			list = append(list, scored{hit{p.title, p.url, best}, n})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].n > list[j].n })
	hits := []hit{}
	for _, s := range list[:min(8, len(list))] {
		hits = append(hits, s.hit)
	}
	return hits
}

func overlap(terms []string, text string) (n int) {
	have := map[string]bool{}
	for _, t := range index.Terms(text) {
		have[t] = true
	}
	for _, t := range terms {
		if have[t] {
			n++
		}
	}
	return n
}

func (w *world) readPages(t testing.TB, c llm.ToolCall) (string, bool) {
	var a readArgs
	mustDecode(t, c, &a)
	if len(a.URLs) == 0 || len(a.URLs) > 3 || a.Reason == "" {
		t.Errorf("read_pages %s", c.Args)
	}
	views := []map[string]any{}
	for _, u := range a.URLs {
		w.fetched = append(w.fetched, u)
		if w.failed[u] > 0 {
			t.Errorf("reads %s again, which failed", u)
		}
		i := slices.IndexFunc(w.papers, func(p paper) bool { return p.url == u })
		if w.reads == 0 {
			views = append(views, map[string]any{"url": u, "error": "BUDGET: reads: 1 asked, 0 left of 4."})
			continue
		}
		w.reads--
		if i < 0 || w.papers[i].missing {
			w.failed[u]++
			views = append(views, map[string]any{"url": u, "outcome": "not_found", "error": "There is no page here. Take another source."})
			continue
		}
		p := w.papers[i]
		w.read = append(w.read, i)
		source := fmt.Sprintf("S%d", len(w.read))
		v := map[string]any{"url": u, "source": source, "title": p.title, "kind": orElse(p.kind, "html"), "cut": false, "links": p.links}
		if p.hub {
			v["flags"] = []string{"hub_page"}
		} else {
			text := []block{}
			for n, para := range p.paras {
				role := ""
				if h, ok := strings.CutPrefix(para, "# "); ok {
					para, role = h, "heading"
				}
				text = append(text, block{At: p.at(n), Role: role, Text: para})
			}
			v["untrusted_text"] = text
		}
		views = append(views, v)
	}
	return toJSON(map[string]any{"pages": views}) + fmt.Sprintf("\n[%d reads left]", w.reads), false
}

// at is the locator of a paragraph.
func (p paper) at(n int) string {
	switch p.kind {
	case "transcript":
		return fmt.Sprintf("t=%02d:%02d", n/2, n%2*30)
	case "repo":
		return fmt.Sprintf("main.go:L%d-L%d", n*10+1, n*10+10)
	}
	return fmt.Sprintf("para.%d", n+1)
}

func (w *world) spans(a corpusArgs) []span {
	terms := index.Terms(a.Query)
	type scored struct {
		span
		n int
	}
	var list []scored
	for s, i := range w.read {
		p := w.papers[i]
		if p.hub {
			continue
		}
		for n, para := range p.paras {
			role := ""
			if h, ok := strings.CutPrefix(para, "# "); ok {
				para, role = h, "heading"
			}
			if k := overlap(terms, para+" "+p.title); k > 0 {
				list = append(list, scored{span{Span: fmt.Sprintf("S%d:%s", s+1, p.at(n)), Title: p.title, URL: p.url, Role: role, Text: para}, k})
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].n > list[j].n })
	out := []span{}
	for _, s := range list[:min(a.K, len(list))] {
		out = append(out, s.span)
	}
	return out
}

// record checks a quote as strictly as can be: the same bytes in the span that is named.
func (w *world) record(t testing.TB, c llm.ToolCall) (string, bool) {
	var a findingArgs
	mustDecode(t, c, &a)
	for _, old := range w.calls[:len(w.calls)-1] {
		if old.Name == c.Name && old.Args == c.Args {
			t.Errorf("offers the same finding twice: %s", c.Args)
		}
	}
	source, at, _ := strings.Cut(a.Span, ":")
	for s, i := range w.read {
		for n, para := range w.papers[i].paras {
			if fmt.Sprintf("S%d", s+1) == source && w.papers[i].at(n) == at && strings.Contains(para, a.Quote) {
				for k := range w.plan {
					if w.plan[k].ID == a.Subquestion {
						w.plan[k].Findings++
						w.findings = append(w.findings, a)
						return toJSON(map[string]any{"finding": fmt.Sprintf("F%d", len(w.findings)), "span": a.Span, "quote": a.Quote, "match": "exact", "plan": w.plan}), false
					}
				}
			}
		}
	}
	t.Errorf("a quote that does not stand in %s: %q", a.Span, a.Quote)
	return "Refused: these words do not stand there.", true
}

// said says whether some finding's quote holds all these words.
func (w *world) said(words ...string) bool {
	for _, f := range w.findings {
		all := true
		for _, word := range words {
			all = all && strings.Contains(f.Quote, word)
		}
		if all {
			return true
		}
	}
	return false
}
