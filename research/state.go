package research

import (
	"fmt"
	"strings"
	"sync"

	"ibid/audit/conflict"
	"ibid/corpus"
	"ibid/evidence"
	"ibid/fetch"
	"ibid/index"
	"ibid/search"
)

// A Subquestion is one part of the plan. Ids are never used again, so a finding always knows what it answers.
type Subquestion struct {
	ID       string `json:"id"` // q1, q2 …
	Question string `json:"question"`
	Findings int    `json:"findings"`
}

// A Query is one search that was made, for the gaps section: what was looked for, and what came of it.
type Query struct {
	Text    string `json:"query"`
	Outcome string `json:"outcome"` // ok, empty, failed, refused, sibling; asked while it runs
	Results int    `json:"results"`
	results []search.Result
}

// settings are what is the same for all agents of a run, and does not change.
type settings struct {
	question  string
	run       string // its id
	fence     fence
	imprints  bool
	carded    bool
	ranked    bool
	rooted    bool
	weighed   bool // claims are held against their quotes
	worded    bool // and word by word
	conflicts bool // findings that do not agree are told
	unpriced  bool
	written   *writings // by this run into the workspace; nil: there is none
}

// state is what a run knows. It is changed only by the consequences of tool calls, in call order, so a replay builds
// the same state from the same outcomes. The agent never runs two consequences at once; the lock is for observers.
type state struct {
	settings
	mu           sync.RWMutex
	plan         []Subquestion
	planned      int // sub-questions ever made
	corpus       *corpus.Corpus
	findings     []evidence.Finding
	watch        conflict.Watch // over them, for those that do not agree
	queries      []Query
	failed       map[string]*fetch.Unavailable // by canonical URL
	known        map[string]provenance         // canonical URLs that may be read
	sites        map[string]bool               // registrable domains that the user, a search or a person brought in
	bench        *bench                        // nil: there is no judge
	rulings      []evidence.Ruling             // on what the finished report says
	searchErrors []search.Error                // each reason once
	notices      []search.Notice               // of works that searches found, each once
	skipped      []search.Skipped              // documents that searches could not look into, each once
	tainted      bool                          // something from outside was shown: new sub-questions are proposals
	firstPlan    []string                      // the plan as it was before that
	reading      map[string]bool               // canonical URLs asked for in this step
	unread       int                           // searches since something was read
	refusals     []Refused                     // the same, each once
	refused      int                           // quotes that did not verify, and claims that they do not carry
	reads        int                           // documents that were asked for and answered, by text or by a failure

	memory     *memory           // nil: there is no knowledge base
	kept       map[string]string // canonical URLs whose copy the knowledge base keeps → its id there
	remembered []pendingSnippet  // by this run, to be absorbed

	files      map[string]*file // of the workspace, by path
	changes    int              // that were made in it
	lane       string           // of its agent
	commons    *commons         // what its team has asked; nil: it is alone
	ingests    []ingested
	base       base
	agents     int // that it spawned, and the steps that they took, when all have ended
	agentSteps int
}

func newState(question string, c *corpus.Corpus) *state {
	s := &state{kept: map[string]string{}, settings: settings{question: question}, lane: leadLane, corpus: c, failed: map[string]*fetch.Unavailable{}, known: map[string]provenance{}, sites: map[string]bool{}, reading: map[string]bool{}, files: map[string]*file{}}
	for _, url := range TypedURLs(question) {
		s.allow(url, fromUser)
	}
	return s
}

// subquestion returns the plan's entry with this id, or nil.
func (s *state) subquestion(id string) *Subquestion {
	for i := range s.plan {
		if s.plan[i].ID == id {
			return &s.plan[i]
		}
	}
	return nil
}

// setPlan makes this the plan. Questions that are there already keep their id and findings. A trusted
// plan is one that a person wrote, whatever was read before.
func (s *state) setPlan(questions []string, trusted bool) {
	old := s.plan
	s.plan = make([]Subquestion, 0, len(questions))
	for _, q := range questions {
		kept := false
		for _, o := range old {
			if sameText(o.Question, q) {
				s.plan, kept = append(s.plan, o), true
				break
			}
		}
		if !kept {
			s.planned++
			s.plan = append(s.plan, Subquestion{ID: fmt.Sprintf("q%d", s.planned), Question: q})
		}
	}
	if !s.tainted || trusted {
		s.firstPlan = questions
	}
}

func sameText(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// earlier returns the position of a search that was as good as this one, or -1 (TOOLS-12). A search that failed or was
// refused was none.
func (s *state) earlier(query string) int {
	for i, q := range s.queries {
		if q.Outcome != "failed" && q.Outcome != "refused" && index.SameQuery(q.Text, query) {
			return i
		}
	}
	return -1
}

// author is the agent that a finding names: nobody, where it is the lead.
func (s *state) author() string {
	if s.lane == leadLane {
		return ""
	}
	return s.lane
}

// progress is a fingerprint of everything that can be new: a run whose fingerprint stays the same goes in circles. More
// searches are not progress by themselves.
func (s *state) progress() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	text := fmt.Sprintf("%d sources, %d findings, plan %d of %d", len(s.corpus.Sources()), len(s.findings), len(s.plan), s.planned)
	if s.changes > 0 {
		text += fmt.Sprintf(", %d changes of files", s.changes)
	}
	return text
}

// sourceIDs lists the sources for an error text.
func (s *state) sourceIDs() string {
	ids := []string{}
	for _, src := range s.corpus.Sources() {
		ids = append(ids, src.ID)
	}
	if len(ids) == 0 {
		return "none yet; read something first"
	}
	return strings.Join(ids, ", ")
}
