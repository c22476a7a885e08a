package extractive

import (
	"strings"

	"ibid/index"
)

const (
	perRead   = 3   // pages a call may read
	perGather = 12  // spans asked for at once
	rounds    = 3   // of gathering: the first and two more
	worth     = 0.4 // promise from which a page is read although others were
	strong    = 0.6 // the same, when every part has evidence
)

// next decides what this turn does. Each step looks at what the last one brought; a step that has nothing to do passes
// on to the next.
func (t *turn) next() {
	switch {
	case len(t.plan) == 0:
		if t.plans < 2 {
			t.makePlan()
		}
	case t.hurried():
		t.hurry()
	case t.member:
		t.scout()
	case t.last[toolPlan] && t.recall():
	case (t.last[toolPlan] || t.last[toolQuery]) && t.split():
	case t.last[toolPlan], t.last[toolSpawn], t.last[toolQuery]:
		t.search()
		t.unless(t.read, t.gather)
	case t.last[toolSearch]:
		t.read()
		t.unless(t.gather, t.improve)
	case t.last[toolRead]:
		if t.readOn() {
			t.read()
		}
		t.unless(t.gather, t.improve)
	case t.last[toolCorpus], t.last[toolFinding]:
		t.record()
		t.unless(t.improve)
	}
}

// recall asks the knowledge base once, where there is one.
func (t *turn) recall() bool {
	if t.recalled {
		return false
	}
	t.call(toolQuery, queryArgs{t.question})
	return len(t.calls) > 0
}

// unless tries steps in order until one makes a call.
func (t *turn) unless(steps ...func()) {
	for _, step := range steps {
		if len(t.calls) > 0 {
			return
		}
		step()
	}
}

// hurried says whether so few steps are left that only recording is worth them.
func (t *turn) hurried() bool { return t.steps != unknown && t.steps <= 2 && len(t.pages) > 0 }

func (t *turn) hurry() {
	if t.steps > 1 && t.gathers == 0 {
		t.gather()
	}
	t.unless(t.record)
}

// makePlan splits the question.
func (t *turn) makePlan() {
	qs := questions(t.question)
	why := "The question asks for one thing."
	if len(qs) > 1 {
		why = "The question has parts that need evidence of their own."
	}
	if t.plans > 0 { // it was refused: the question as it stands
		qs, why = []string{t.question}, "The question as it was asked."
	}
	t.call(toolPlan, planArgs{qs, why})
}

// allowed is how many searches may be made in this turn.
func (t *turn) allowed() int {
	if t.noSearch {
		return 0
	}
	if t.searches != unknown {
		if len(t.queries) > 0 {
			return min(t.searches, 3)
		}
		return t.searches
	}
	switch t.depth {
	case "quick":
		return 2
	case "deep":
		return 7
	}
	return 4
}

// search asks for each sub-question that was not searched for yet. When there are more of them than searches, the first
// search is for the whole question.
func (t *turn) search() {
	allowed := t.allowed()
	var queries []string
	for _, p := range t.parts {
		queries = append(queries, t.reader.lang.query(p.Question))
	}
	for _, p := range t.parts { // then each of the two things alone
		if p.compares != nil {
			queries = append(queries, t.reader.lang.query(p.compares.a), t.reader.lang.query(p.compares.b))
		}
	}
	if len(t.parts) > allowed && len(t.queries) == 0 {
		queries = append([]string{t.reader.lang.query(t.question)}, queries...)
	}
	t.ask(queries, allowed)
}

// ask makes searches that no earlier one is as good as.
func (t *turn) ask(queries []string, allowed int) {
	var made []string
	for _, q := range t.queries {
		if q.outcome != "failed" {
			made = append(made, q.query)
		}
	}
	for _, q := range queries {
		if len(t.calls) >= allowed || q == "" || same(made, q) {
			continue
		}
		made = append(made, q)
		t.call(toolSearch, searchArgs{q})
	}
}

func same(made []string, q string) bool {
	for _, m := range made {
		if index.SameQuery(m, q) {
			return true
		}
	}
	return false
}

// query is what to search for: a question without the words that carry no topic, as it is written.
func (l *language) query(question string) string {
	var words []string
	for _, w := range strings.Fields(l.bare(question)) {
		w = strings.Trim(w, " ?!.,;:¿¡？。\"“”„«»()[]")
		if w != "" && !l.stop[strings.ToLower(w)] {
			words = append(words, w)
		}
	}
	q := strings.Join(words, " ")
	if q == "" {
		q = strings.TrimRight(question, "?")
	}
	if r := []rune(q); len(r) > 300 {
		q = string(r[:300])
		q = q[:max(strings.LastIndexByte(q, ' '), len(q)/2)]
	}
	return q
}

// read asks for the best pages of the frontier.
func (t *turn) read() { t.readBest(perRead) }

func (t *turn) readBest(limit int) {
	switch {
	case t.noRead || t.reads == 0:
		return
	case t.reads != unknown:
		limit = min(limit, max(1, t.reads-1))
	case t.depth == "quick":
		limit = 1
	}
	var urls []string
	picks := t.frontier(t.reader, t.parts, limit)
	for _, c := range picks {
		urls = append(urls, c.url)
	}
	if len(urls) > 0 {
		t.call(toolRead, readArgs{urls, reason(picks)})
	}
}

// readOn says whether to read more before looking at what was read: after a page that only leads on, or while a budget
// for it is left and pages promise much.
func (t *turn) readOn() bool {
	if t.noRead || t.reads == 0 || t.readTurns > 3 {
		return false
	}
	best := t.frontier(t.reader, t.parts, 1)
	if len(best) == 0 {
		return false
	}
	if quotable := t.quotable(); quotable == 0 {
		return true
	}
	if best[0].hop {
		return best[0].promise >= worth && t.readTurns <= 2
	}
	return t.reads > 2 && t.readTurns < 2 && best[0].promise >= worth
}

// quotable counts the pages read that hold text.
func (t *turn) quotable() (n int) {
	for _, p := range t.pages {
		if len(p.Text) > 2 && !hub(p) {
			n++
		}
	}
	return n
}

// gather looks up each sub-question in what was read: as it is worded, and as answers may word it.
func (t *turn) gather() {
	if t.gathers >= rounds || t.gathers > 0 && t.seenPages == len(t.pages) {
		return
	}
	if len(t.pages) == 0 && (t.offered[toolRead] || t.offered[toolSearch]) {
		return
	}
	for _, p := range t.parts {
		q := t.reader.lang.query(p.Question)
		t.call(toolCorpus, corpusArgs{q, perGather})
		if p.compares != nil {
			t.call(toolCorpus, corpusArgs{t.reader.lang.query(p.compares.sides[0]), perGather})
			t.call(toolCorpus, corpusArgs{t.reader.lang.query(p.compares.sides[1]), perGather})
		}
		if other := p.reworded(); other != "" && len(t.calls) < 12 {
			t.call(toolCorpus, corpusArgs{other, perGather})
		}
	}
	if !t.offered[toolCorpus] {
		t.record()
	}
}

// reworded is a query with the words in which an answer may be worded in place of those of the question, or "".
func (p part) reworded() string {
	var out []string
	if p.defines && p.ask == askWhat {
		for _, t := range p.terms {
			out = append(out, t.word)
		}
		return strings.Join(append(out, p.reader.lang.defining), " ")
	}
	changed := false
	for _, t := range p.terms {
		if len(t.kin) == 0 {
			out = append(out, t.word)
			continue
		}
		changed = true
		out = append(out, t.kin[:min(2, len(t.kin))]...)
	}
	if !changed {
		return ""
	}
	return strings.Join(out, " ")
}
