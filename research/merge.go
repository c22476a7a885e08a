package research

import (
	"fmt"
	"maps"
	"slices"

	"ibid/agent"
	"ibid/corpus"
	"ibid/evidence"
	"ibid/fetch"
	"ibid/internal/lazyregexp"
	"ibid/search"
)

// lead is the lane of a run's first agent.
const leadLane = "lead"

// ingested is one reading that a state took in, and the source that it became.
type ingested struct {
	reading *corpus.Reading
	source  string
}

// ingest takes a reading in and keeps it for whoever waits for this agent, or is spawned by it.
func (s *state) ingest(r *corpus.Reading) (id string, fresh bool) {
	id, fresh = s.corpus.Ingest(*r)
	s.ingests = append(s.ingests, ingested{r, id})
	return id, fresh
}

// base says how much of a state was there when it was branched off.
type base struct{ ingests, findings, queries, searchErrors, refused, refusals, reads int }

// branch is a state of an agent of its own that knows what s knows now. What either learns from here on, the other does
// not see before they are merged.
func (s *state) branch(lane string) *state {
	s.mu.RLock()
	defer s.mu.RUnlock()
	b := &state{
		settings: s.settings, lane: lane, commons: s.commons,
		plan: slices.Clone(s.plan), planned: s.planned, firstPlan: s.firstPlan, tainted: s.tainted,
		corpus: corpus.New(), findings: slices.Clone(s.findings), queries: slices.Clone(s.queries), searchErrors: slices.Clone(s.searchErrors), notices: slices.Clone(s.notices),
		failed: maps.Clone(s.failed), known: maps.Clone(s.known), sites: maps.Clone(s.sites), reading: map[string]bool{},
		refused: s.refused, refusals: slices.Clone(s.refusals), reads: s.reads, bench: s.bench.branch(), files: maps.Clone(s.files), memory: s.memory, kept: maps.Clone(s.kept),
	}
	for _, one := range s.ingests { // in the same order they become the same sources
		b.ingest(one.reading)
	}
	b.base = base{len(b.ingests), len(b.findings), len(b.queries), len(b.searchErrors), b.refused, len(b.refusals), b.reads}
	return b
}

// merge takes in what a member has found that was waited for.
func (w *crew) merge(m agent.Member, a agent.Answer) (summary string, found any) {
	s, b := w.state(m.Lead), w.state(m.Lane)
	w.mu.Lock()
	w.steps += a.Steps
	w.failed = w.failed || a.Guessed
	w.elided, w.compactions = w.elided+a.Elided, w.compactions+a.Compactions
	delete(w.states, m.Lane)
	w.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	names, found := s.take(b)
	return renamed(a.Text, names), found
}

// A brought is what an agent found, as its lead reads it.
type brought struct {
	Sources  []broughtSource  `json:"sources"`
	Findings []broughtFinding `json:"findings"`
	Searches int              `json:"searches"`
	Reads    int              `json:"reads"`
	Plan     []Subquestion    `json:"plan"`
}

type broughtSource struct {
	Source string `json:"source"`
	URL    string `json:"url"`
	Title  string `json:"untrusted_title"`
}

type broughtFinding struct {
	Finding     string   `json:"finding"`
	Claim       string   `json:"claim"`
	Span        string   `json:"span"`
	Subquestion string   `json:"subquestion"`
	Flags       []string `json:"flags,omitempty"`
	Clashes     []clash  `json:"conflicts,omitempty"`
}

// take merges an agent's state into its lead's: what it read, in the order in which it read, and then its findings, under
// the lead's next numbers. A quote is matched once more, in the source as the lead has it. names says what the sources and
// findings are called here that the agent called S3 and F2.
func (s *state) take(b *state) (names map[string]string, found brought) {
	names = map[string]string{}
	found = brought{Sources: []broughtSource{}, Findings: []broughtFinding{}, Reads: b.reads - b.base.reads}
	for i, one := range b.ingests {
		if i < b.base.ingests {
			names[one.source] = s.ingests[i].source
			continue
		}
		id, fresh := s.ingest(one.reading)
		if names[one.source] == "" {
			names[one.source] = id
		}
		if src, ok := s.corpus.Source(id); ok && fresh {
			found.Sources = append(found.Sources, broughtSource{id, src.URL, src.Title})
		}
	}
	s.takeSearches(b, &found)
	s.takeMemory(b)
	for i, f := range b.findings {
		if i < b.base.findings {
			names[f.ID] = f.ID
			continue
		}
		if id := s.takeFinding(f, names[f.Source], b, &found); id != "" {
			names[f.ID] = id
		}
	}
	s.takeRefused(b.refusals[b.base.refusals:], names)
	s.refused, s.reads = s.refused+b.refused-b.base.refused, s.reads+found.Reads
	s.bench.take(b.bench)
	found.Plan = slices.Clone(s.plan)
	return names, found
}

// takeSearches merges what an agent has asked, what may be read since, and what failed.
func (s *state) takeSearches(b *state, found *brought) {
	for _, q := range b.queries[b.base.queries:] {
		if q.Outcome == bySibling {
			continue
		}
		s.queries = append(s.queries, q)
		found.Searches++
	}
	s.skip(b.skipped)
	for _, e := range b.searchErrors[b.base.searchErrors:] {
		if !slices.ContainsFunc(s.searchErrors, func(old search.Error) bool { return old.Reason == e.Reason }) {
			s.searchErrors = append(s.searchErrors, e)
		}
	}
	s.notice(b.notices)
	for _, url := range slices.Sorted(maps.Keys(b.known)) {
		s.known[url] = max(s.known[url], b.known[url])
	}
	for site := range b.sites {
		s.sites[site] = true
	}
	for url, u := range b.failed {
		if s.failed[url] == nil && s.corpus.ByURL(url) == "" {
			s.failed[url] = u
		}
	}
	for url, u := range s.failed { // refused for its site alone, which is in now
		if u.Outcome == fetch.Denied && u.Reason == deniedSite && s.known[url] > fromPage {
			delete(s.failed, url)
		}
	}
	s.tainted = s.tainted || b.tainted
	if found.Reads > 0 {
		s.unread = 0
	}
}

// takeFinding records a finding of another agent, and returns what it is called here; "" if its quote does not stand in the
// source as it is here.
func (s *state) takeFinding(f evidence.Finding, source string, b *state, found *brought) (id string) {
	doc := s.corpus.Doc(source)
	if doc == nil {
		s.refused++
		return ""
	}
	match := doc.Match(f.Locator, f.Quote)
	if !match.OK() {
		match = doc.Find(f.Quote)
	}
	if !match.OK() {
		s.refused++
		return ""
	}
	f.Source, f.Quote, f.Locator, f.Until, f.Match = source, match.Quote, match.Locator, match.Until, match.Kind
	for _, old := range s.findings {
		if old.Quote == f.Quote && old.Key() == f.Key() && old.Subquestion == f.Subquestion {
			return old.ID
		}
	}
	sub := s.subquestion(f.Subquestion)
	if sub == nil { // the plan was revised meanwhile; what has findings stays in it
		q := *b.subquestion(f.Subquestion)
		q.Findings = 0
		s.plan = append(s.plan, q)
		sub = &s.plan[len(s.plan)-1]
	}
	f.ID = evidence.FindingID(len(s.findings) + 1)
	s.findings = append(s.findings, f)
	sub.Findings++
	clashes, _ := (&findingTool{state: s}).clashes(f.ID)
	found.Findings = append(found.Findings, broughtFinding{f.ID, f.Claim, f.Key().String(), f.Subquestion, f.Flags, clashes})
	return f.ID
}

var (
	cited = lazyregexp.New(`\[[^\[\]\n]{1,300}\]|\bS[1-9]\d*:`)
	label = lazyregexp.New(`\b[FS][1-9]\d*\b`)
)

// renamed is a text of an agent with what it cites called as its lead calls it. What the lead has not is marked.
func renamed(text string, names map[string]string) string {
	return cited.ReplaceAllStringFunc(text, func(citation string) string {
		return label.ReplaceAllStringFunc(citation, func(id string) string {
			if name := names[id]; name != "" {
				return name
			}
			return fmt.Sprintf("(%s is not on record)", id)
		})
	})
}

// branch is a judge of an agent of its own: it knows what was ruled so far.
func (b *bench) branch() *bench {
	if b == nil {
		return nil
	}
	other := *b
	other.rulings, other.asking = maps.Clone(b.rulings), map[string]bool{}
	return &other
}

// take keeps what another agent's judge has ruled.
func (b *bench) take(other *bench) {
	if b == nil || other == nil {
		return
	}
	for id, r := range other.rulings {
		if _, ruled := b.rulings[id]; !ruled {
			b.rulings[id] = r
		}
	}
	b.guessed = b.guessed || other.guessed
}
