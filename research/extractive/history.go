package extractive

import (
	"encoding/json"
	"strings"

	"ibid/llm"
)

// unknown is a budget that no result has told of yet.
const unknown = -1

// notes are what a conversation holds: everything this researcher knows. They are taken anew for every answer.
type notes struct {
	question string
	depth    string // quick, standard, deep or ""
	member   bool   // of a team: its task is a direction of another one's plan
	spawned  bool   // a team was asked for
	recalled bool   // a knowledge base was asked
	offered  map[string]bool
	turns    int // answers given so far
	last     map[string]bool

	plan    []subquestion
	plans   int // plan calls made
	planned int // plan calls that were accepted

	queries     []asked
	searchTurns int
	hits        []found
	pages       []page // read, in the order of reading
	tried       map[string]bool
	readTurns   int // since the last search turn
	gathers     int
	seenPages   int    // pages that were read when the corpus was last asked
	spans       []span // of search_corpus, without repetition
	recorded    []findingArgs
	refused     []refusal
	made        map[string]bool // every call made, by name and arguments
	searches    int             // left
	reads       int
	steps       int
	noSearch    bool // refused by budget or gate
	noRead      bool
}

// asked is one search.
type asked struct {
	query   string
	outcome string
	hits    int
}

// found is a search hit with the search that brought it.
type found struct {
	hit
	rank  int
	query int // index into notes.queries; -1: a knowledge base brought it
}

// refusal is a finding that was not accepted, and why.
type refusal struct {
	findingArgs
	why string
}

// take reads a conversation. What it cannot read is passed over: results may be elided, cut or malformed.
func take(r llm.Request) *notes {
	n := &notes{
		offered: map[string]bool{}, last: map[string]bool{}, tried: map[string]bool{}, made: map[string]bool{},
		searches: unknown, reads: unknown, steps: unknown,
	}
	for _, t := range r.Tools {
		n.offered[t.Name] = true
	}
	spans := map[string]bool{}
	open := map[string]llm.ToolCall{}
	for _, m := range r.Messages {
		if m.Role == llm.Assistant {
			open = n.fileCalls(m)
			continue
		}
		for _, b := range m.Blocks {
			switch {
			case b.Result != nil:
				if call, ok := open[b.Result.ID]; ok {
					delete(open, b.Result.ID)
					n.fileResult(call, *b.Result, spans)
				}
			case n.question == "" && b.Text != "":
				n.readQuestion(b.Text)
			}
		}
	}
	return n
}

// readQuestion takes the question from the first message: the line that begins with "Question:", or else the first.
func (n *notes) readQuestion(text string) {
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if q, ok := strings.CutPrefix(line, "Question:"); ok && n.question == "" {
			n.question = oneLine(q)
		}
		if who, task, ok := strings.Cut(line, ". Task: "); ok && strings.HasPrefix(who, "You are a") {
			n.member, n.question = true, oneLine(task)
		}
		if plan, ok := strings.CutPrefix(line, "Sub-questions: "); ok && n.member {
			var given planResult
			if decode(plan, &given) {
				n.plan, n.planned = given.Plan, 1
			}
		}
		if d, ok := strings.CutPrefix(line, "Depth:"); ok {
			n.depth = strings.ToLower(strings.Trim(d, " ."))
		}
	}
	if n.question == "" {
		first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		n.question = oneLine(first)
	}
}

// fileCalls notes the calls of one answer and returns them by id.
func (n *notes) fileCalls(m llm.Message) map[string]llm.ToolCall {
	n.turns++
	n.last = map[string]bool{}
	open := map[string]llm.ToolCall{}
	for _, b := range m.Blocks {
		if b.Call == nil {
			continue
		}
		n.last[b.Call.Name] = true
		n.made[b.Call.Name+b.Call.Args] = true
		open[b.Call.ID] = *b.Call
	}
	switch {
	case n.last[toolPlan]:
		n.plans++
	case n.last[toolSpawn]:
		n.spawned = true
	case n.last[toolQuery]:
		n.recalled = true
	case n.last[toolSearch]:
		n.searchTurns++
		n.readTurns = 0
	case n.last[toolRead]:
		n.readTurns++
	case n.last[toolCorpus]:
		n.gathers++
		n.seenPages = len(n.pages)
	}
	return open
}

// fileResult files one tool result.
func (n *notes) fileResult(c llm.ToolCall, r llm.ToolResult, spans map[string]bool) {
	for what, count := range budgetLine(r.Content) {
		switch what {
		case "searches":
			n.searches = count
		case "reads":
			n.reads = count
		case "steps":
			n.steps = count
		}
	}
	barred := r.IsError && (strings.HasPrefix(r.Content, "BUDGET:") || strings.HasPrefix(r.Content, "DENIED:"))
	switch c.Name {
	case toolPlan:
		var res planResult
		if !r.IsError && decode(r.Content, &res) && len(res.Plan) > 0 {
			n.plan = res.Plan
			n.planned++
		}
	case toolSearch:
		n.noSearch = n.noSearch || strings.HasPrefix(r.Content, "BUDGET:") && r.IsError
		n.fileSearch(c, r)
	case toolRead:
		n.noRead = n.noRead || barred && strings.HasPrefix(r.Content, "BUDGET:")
		n.fileRead(c, r)
	case toolCorpus:
		n.fileSpans(r, spans)
	case toolQuery:
		n.fileFacts(r)
	case toolFinding:
		var args findingArgs
		if json.Unmarshal([]byte(c.Args), &args) != nil {
			return
		}
		var res findingResult
		if r.IsError || !decode(r.Content, &res) || res.Finding == "" {
			n.refused = append(n.refused, refusal{args, r.Content})
			return
		}
		n.recorded = append(n.recorded, args)
		if len(res.Plan) > 0 {
			n.plan = res.Plan
		}
	}
}

func (n *notes) fileSearch(c llm.ToolCall, r llm.ToolResult) {
	var args searchArgs
	if json.Unmarshal([]byte(c.Args), &args) != nil {
		return
	}
	q := asked{query: args.Query, outcome: "failed"}
	var res searchResult
	if !r.IsError && decode(r.Content, &res) {
		q.outcome, q.hits = res.Outcome, len(res.Results)
		for i, h := range res.Results {
			if h.URL != "" {
				n.hits = append(n.hits, found{h, i, len(n.queries)})
			}
		}
	}
	n.queries = append(n.queries, q)
}

func (n *notes) fileRead(c llm.ToolCall, r llm.ToolResult) {
	var args readArgs
	if json.Unmarshal([]byte(c.Args), &args) == nil {
		for _, u := range args.URLs {
			n.tried[urlKey(u)] = true
		}
	}
	var res readResult
	if !decode(r.Content, &res) {
		return
	}
	for _, p := range res.Pages {
		n.tried[urlKey(p.URL)] = true
		if strings.HasPrefix(p.Error, "BUDGET:") {
			n.noRead = true
		}
		if p.Error == "" && p.Source != "" {
			n.pages = append(n.pages, p)
		}
	}
}

// fileFacts takes what a knowledge base says as search hits: the sources that it keeps can be read.
func (n *notes) fileFacts(r llm.ToolResult) {
	var res queryResult
	if r.IsError || !decode(r.Content, &res) {
		return
	}
	for i, f := range res.Facts {
		for _, s := range f.Sources {
			if s.Kept && s.URL != "" {
				n.hits = append(n.hits, found{hit{s.Title, s.URL, f.Text}, i, -1})
			}
		}
	}
}

func (n *notes) fileSpans(r llm.ToolResult, seen map[string]bool) {
	var res corpusResult
	if r.IsError || !decode(r.Content, &res) {
		return
	}
	for _, s := range res.Spans {
		if s.Span != "" && !seen[s.Span] {
			seen[s.Span] = true
			n.spans = append(n.spans, s)
		}
	}
}

// The tools that this researcher knows how to use.
const (
	toolPlan    = "plan"
	toolSearch  = "search_web"
	toolRead    = "read_pages"
	toolCorpus  = "search_corpus"
	toolFinding = "record_finding"
	toolSpawn   = "spawn_subagent"
	toolWait    = "wait_subagents"
	toolQuery   = "query"
)
