package extractive

import (
	"math"
	"slices"
	"sort"

	"ibid/internal/lazyregexp"
)

// Weights of the choice of sentences. The floors were learned on questions asked of documents that answer them, and of
// documents of other questions; TestFloor measures them.
const (
	floor         = 0.42 // of coverage
	saidFloor     = 0.38 // for a statement that is to be proved or not
	shortFloor    = 0.55 // for a question of two words: one of them is not enough
	selfFloor     = 0.22 // of what a sentence has by itself
	offTopic      = 0.55 // factors for what is not met
	nameless      = 0.6
	notOwn        = 0.75
	headless      = 0.85
	headlessShort = 0.5 // the same in a question of few words, of which it is a good part
	lackFactor    = 0.8
	aboutShare    = 0.6  // of a question, in the title and headings above, for a page that is about it
	explainLift   = 0.15 // for a sentence there that gives causes or means
	defineWeight  = 0.25 // for a sentence that says what the matter is
	fitBonus      = 0.3
	cueWeight     = 0.1  // for the wording of an answer of the kind that is asked for
	vagueCue      = 0.07 // the same, where the question does not say what kind it wants
	coverWeight   = 0.58 // of coverage against relevance in the order
	earlyWeight   = 0.08 // for the first sentence of a paragraph
	lateWeight    = 0.25 // for the last one of a report on research, such as an abstract, which ends with what it comes to
	aboutWeight   = 0.25 // off a sentence there that says what was looked at and how
	sizeWeight    = 0.12 // there, times the natural logarithm of the length against usualSize
	usualSize     = 20   // words of a sentence
	figureWeight  = 0.14 // for the figures of the question
	leadWeight    = 0.05 // for the first paragraphs of a page that is about it by its title
	openWeight    = 0.2  // more, if the title names all that was asked
	leadParas     = 3
	smallPage     = 40   // sentences of a page that its title tells of
	coverShare    = 0.65 // of the best coverage, for others beside it
	fewTerms      = 4
	tellTerms     = 4   // of a part, up to which nearly all of them have to be met
	leastSaid     = 0.4 // of a definition
	enoughSaid    = 0.6 // of one, beside which what says less is left out
	besideIt      = 0.7 // the same, beside a definition
	looked        = 60  // sentences that get the second look
	tested        = 30  // those of them that are tested for their fitness
)

// A scored sentence is one that could answer a part.
type scored struct {
	*sentence
	index    int     // in the pool
	coverage float64 // share of the question that it and what it stands under speak of, marked down for what it lacks
	score    float64 // order among the sentences for this part
	says     float64 // how far it says what the part asks to be defined
	bonus    float64 // for the opening of a page that is about all that was asked
	fit      float64 // coverage, and more where it has what tells the part from the others
	near     float64 // similarity to the nearest one chosen
	shingles map[uint32]bool
}

// weights are the weights of the question's terms among sentences. On the way it counts how often each page names what
// the parts are about.
func (all *pool) weights(parts []part) map[string]float64 {
	df := map[string]int{}
	for _, p := range parts {
		for _, t := range p.terms {
			df[t.stem] = 0
		}
	}
	all.topics = map[string]map[string]int{}
	last := map[string]int{}
	for i := range all.list {
		e := &all.list[i]
		page := all.topics[e.source]
		if page == nil {
			page = map[string]int{pageSize: all.passed[e.source]}
			all.topics[e.source] = page
		}
		page[pageSize]++
		for _, t := range e.terms {
			if _, asked := df[t]; asked && last[t] != i+1 {
				last[t] = i + 1
				df[t]++
				page[t]++
			}
		}
	}
	n := len(all.list)
	for _, more := range all.passed {
		n += more
	}
	return termWeights(parts, n, func(t string) int { return df[t] })
}

// weigh scores the sentences that may answer a part, best first. Those under the floor are left out.
func weigh(r *reader, p part, all *pool, w map[string]float64) []scored {
	l := newLens(p, w)
	least := floor
	switch {
	case len(p.terms) <= 2:
		least = shortFloor
	case !p.asking:
		least = saidFloor
	}
	var some []scored
	for i := range all.list {
		if s, may := l.candidate(r, all, i, least); may {
			some = append(some, s)
		}
	}
	sort.SliceStable(some, func(i, j int) bool { return some[i].coverage+some[i].says > some[j].coverage+some[j].says })
	some = saying(some[:min(len(some), looked)])
	order(r, p, all, some)
	some = slices.DeleteFunc(some[:min(len(some), tested)], func(s scored) bool { return all.orders(s.index) })
	fitted(p, some)
	some = slices.DeleteFunc(some, func(s scored) bool { return s.score <= 0 })
	best := 0.0
	for _, s := range some {
		best = max(best, s.coverage)
	}
	return slices.DeleteFunc(some, func(s scored) bool { return p.asking && s.coverage < coverShare*best })
}

// candidate scores a sentence for a part, and reports whether it may answer it at all.
func (l *lens) candidate(r *reader, all *pool, i int, least float64) (scored, bool) {
	p, e := l.part, &all.list[i]
	opens := e.leads && p.ask.short() && l.share(e.above, titleCredit) == 1
	self, wanted := l.self(e.terms), aboutShare
	if e.role == "row" && self > 0 { // it is found by its head: the columns say the rest
		wanted /= 2
	}
	near := aboveCredit // a page of many sentences is not all about its title
	if all.topics[e.source][pageSize] <= smallPage {
		near = titleCredit
	}
	explains := !opens && p.stands(e) && l.share(e.above, near) >= wanted
	if self < selfFloor && !opens && !explains {
		return scored{}, false
	}
	m := l.look(e.terms, e.above, all.near(i), all.topics[e.source])
	c := m.coverage
	if !m.topic {
		c *= offTopic
	}
	if !m.name {
		c *= nameless
	}
	switch {
	case m.head, e.role == "row": // the columns say what of
	case len(p.terms) <= fewTerms:
		c *= headlessShort
	default:
		c *= headless
	}
	if !m.own && !(p.ask == askHow && p.answered(e) > 0) {
		c *= notOwn
	}
	if e.role == "row" && m.astray { // it is of another thing, or another day
		return scored{}, false
	}
	if p.ask == askWhy && !m.last && !opens && !(explains && l.speaks(e.above, all.topics[e.source])) {
		return scored{}, false
	}
	if p.ask == askHow && p.short() && done.MatchString(p.Question) && !m.last && !opens && !explains { // it tells how something else is done
		return scored{}, false
	}
	if p.ask == askWho && !p.passive && len(p.terms) <= hopTerms && !l.deed() { // somebody did something else
		return scored{}, false
	}
	if !p.sided(e) || !p.ranks(e) || p.short() && p.sides[0] == nil && m.unmet > p.spare(e) && !opens && !explains {
		return scored{}, false
	}
	if p.elsewhere(e) && !opens && !explains {
		return scored{}, false
	}
	if explains && c < least {
		c = min(c+explainLift, least)
	}
	if c < least || p.lacks(e) {
		return scored{}, false
	}
	s := scored{sentence: e, index: i, coverage: c, fit: c}
	if p.defines {
		if s.says = p.saysWhat(r, e.flat()); s.says < leastSaid && p.ask != askWhy {
			return scored{}, false
		}
	}
	if m.fits {
		s.fit += fitBonus
	}
	if opens {
		s.bonus = openWeight
	}
	return s, true
}

// deed says whether what was looked at last has the thing that the part asks who did something to: the first term behind
// the verb, in itself, above or next to it.
func (l *lens) deed() bool {
	for i, t := range l.terms {
		if !t.head {
			return l.credit[i] > 0
		}
	}
	return true
}

// speaks says whether the title, the headings or the page have the last term of the part, which is what is said of the
// matter: a page on why something is dear gives no reason for its noise.
func (l *lens) speaks(above map[string]float64, page map[string]int) bool {
	last := l.terms[len(l.terms)-1]
	return above[last.stem] > 0 || page[last.stem] > 0 || slices.ContainsFunc(last.alts, func(k string) bool { return above[k] > 0 })
}

// saying leaves out what says less of what something is, where others say enough.
func saying(some []scored) []scored {
	best := 0.0
	for _, s := range some {
		best = max(best, s.says)
	}
	least := min(best, enoughSaid)
	if best == defining {
		least = besideIt
	}
	return slices.DeleteFunc(some, func(s scored) bool { return s.says < least })
}

// short says whether a part has so few terms that each of them tells.
func (p part) short() bool {
	most := tellTerms
	if p.ask != askAny && p.ask != askYes {
		most += 2
	}
	return len(p.terms) <= most && p.reader.lang.asking == nil
}

// spare is how many terms of a short part an answer may leave unmet.
// One that says "this …" leaves what it is about to those before it.
func (p part) spare(e *sentence) int {
	switch {
	case pointsBack.MatchString(e.flat()) && slices.Contains(e.terms, p.terms[len(p.terms)-1].stem):
		return len(p.terms) / 2
	case p.ask == askYes && joined.MatchString(p.Question): // each of them is spoken of by itself
		return len(p.terms) / 2
	case p.ask == askYes && !slices.Contains(e.terms, p.terms[0].stem): // it is of something else
		return -1
	case len(p.terms) > tellTerms && (p.ask == askWhy || p.ask == askHow): // much may share words with these and answer nothing
		return len(p.terms) / 3
	case len(p.terms) > tellTerms:
		return len(p.terms) / 2
	}
	return len(p.terms) / 4
}

// done is a question that ends in what is done to the matter.
var done = lazyregexp.New(`(?i)^how (?:is|are|was|were|can|could|should|must|may) .*\w(?:ed|own|en|lt|ght)\W*$`)

// joined is a question whether something is true of two by name.
var joined = lazyregexp.New(`^\p{L}+ \p{Lu}.* and \p{Lu}`)

var pointsBack = lazyregexp.New(`^(?:This|These|Dieser?|Dieses|Est[ae]s?|Cette|Ces?|Questo|Questa|Est[ae]) \p{L}`)

// sided says whether a sentence speaks of both things that a part compares, if it does.
func (p part) sided(e *sentence) bool {
	if p.compares != nil && e.role != "row" && !contrast.MatchString(e.flat()) {
		return false
	}
	for _, side := range p.sides {
		if len(side) > 0 && !slices.ContainsFunc(side, func(t string) bool { return slices.Contains(e.terms, t) || e.role == "row" && e.above[t] > 0 }) {
			return false
		}
	}
	return true
}

// stands says whether a sentence under a heading that asks the part need not say again what it is about: an item or a
// row there, or a sentence with the causes or means that are asked for.
func (p part) stands(e *sentence) bool {
	if p.advice {
		return judging.MatchString(e.flat())
	}
	if e.shown {
		return p.ask == askHow && !p.remedy || p.ask == askAny || p.ask == askWhat && !p.defines
	}
	switch p.ask {
	case askWhy, askHow:
		return p.answered(e) > 0
	case askList, askAny, askWhere, askCount:
		return e.role == "row" || e.role == "item"
	}
	return false
}

// fitted marks candidates down for what makes them unfit to be quoted, and sorts them again.
func fitted(p part, some []scored) {
	for i := range some {
		s := &some[i]
		s.score *= s.quality(p.Question)
		if !tells(p, s.sentence) {
			s.score = 0
		}
		if p.lacks(s.sentence) {
			s.score *= lackFactor
		}
	}
	sort.SliceStable(some, func(i, j int) bool { return some[i].score > some[j].score })
}

// order scores and sorts candidates by coverage, relevance, cue words and position.
func order(r *reader, p part, all *pool, some []scored) {
	texts, terms := make([]string, len(some)), make([][]string, len(some))
	for i, s := range some {
		if s.all == nil {
			s.all = r.terms(s.text)
		}
		texts[i], terms[i] = s.text, p.inItsWords(s.all)
	}
	figures, central := numbers(p.Question), all.central(some)
	for i, rel := range relevance(r, p.Question, texts, terms) {
		s := &some[i]
		s.score = (1-coverWeight)*rel + coverWeight*s.coverage + p.ask.weight()*p.answered(s.sentence) + all.position(s.index) + lead(p, s.sentence) + s.bonus
		s.score += figureWeight * share(figures, numbers(s.text))
		s.score += centralWeight * central[i]
		s.score += defineWeight * s.says
	}
	sort.SliceStable(some, func(i, j int) bool { return some[i].score > some[j].score })
}

// share is the part of a that b has, 0 for nothing.
func share(a, b map[string]bool) float64 {
	n := 0
	for x := range a {
		if b[x] {
			n++
		}
	}
	return float64(n) / math.Max(1, float64(len(a)))
}

// inItsWords puts a question's own terms in place of the related ones of a text.
func (p part) inItsWords(terms []string) []string {
	own := map[string]bool{}
	for _, t := range p.terms {
		own[t.stem] = true
	}
	out := append([]string(nil), terms...)
	for _, t := range p.terms {
		for i, w := range out {
			if !own[w] && slices.Contains(t.alts, w) {
				out[i] = t.stem
			}
		}
	}
	return out
}

// lead is the prior of the beginning of a page whose title or heading names what the part is about.
func lead(p part, e *sentence) float64 {
	if len(p.topic) == 0 || !e.leads {
		return 0
	}
	for _, t := range p.topic {
		if e.above[t] == 0 {
			return 0
		}
	}
	return leadWeight
}

// meets says whether a sentence has all terms of a part, or words that answers use in their place.
func (p part) meets(e *sentence) bool {
	return !slices.ContainsFunc(p.terms, func(t term) bool {
		return !slices.Contains(e.terms, t.stem) && !slices.ContainsFunc(t.alts, func(k string) bool { return slices.Contains(e.terms, k) })
	})
}

// tells says whether a sentence says more than the words of the question. What only names things again says nothing.
func tells(p part, e *sentence) bool {
	asked := map[string]bool{}
	for _, t := range p.terms {
		asked[t.stem] = true
	}
	n := 0
	for _, t := range e.all {
		if !asked[t] {
			asked[t] = true
			n++
		}
	}
	switch {
	case p.ask == askYes && len(p.terms) > 1 && p.meets(e):
		return true // it says so, or not
	case e.role == "row", e.shown, p.ask == askList && n > 0 && len(e.all)-n >= len(p.terms), p.defines && e.role != "item", p.ask.short() && p.ask != askWhat && p.answered(e) == 1:
		return n >= 1
	case p.ask == askAny, digit.MatchString(e.flat()):
		return n >= 2
	}
	return n >= 3
}
