package extractive

import (
	"math"
	"slices"
	"sort"
)

// Weights of the choice of sentences. The floors were learned on questions asked of documents that answer them, and of
// documents of other questions; TestFloor measures them.
const (
	floor       = 0.42 // of coverage
	selfFloor   = 0.22 // of what a sentence has by itself
	lackFloor   = 0.15 // more, for a sentence that has no number or time when one is asked for
	offTopic    = 0.7  // factors for what is not met
	nameless    = 0.6
	notOwn      = 0.85
	lackFactor  = 0.6
	fitBonus    = 0.3
	cueWeight   = 0.15
	coverWeight = 0.3  // of coverage against relevance in the order
	earlyWeight = 0.03 // for the first sentence of a paragraph
	lateWeight  = 0.1  // for the last one of a long paragraph, such as an abstract, which ends with what it comes to
	longSpan    = 6    // sentences
	enough      = 6    // content words beyond the question that make a sentence informative
	looked      = 80   // sentences that get the second look
)

// A scored sentence is one that could answer a part.
type scored struct {
	*sentence
	coverage float64 // share of the question that it and what it stands under speak of, marked down for what it lacks
	score    float64 // order among the sentences for this part
	fit      float64 // coverage, and more where it has what tells the part from the others
}

// weights are the weights of the question's terms among sentences.
func weights(parts []part, all []sentence) map[string]float64 {
	df := map[string]int{}
	for _, p := range parts {
		for _, t := range p.terms {
			df[t.stem] = 0
		}
	}
	last := map[string]int{}
	for i := range all {
		for _, t := range all[i].terms {
			if _, asked := df[t]; asked && last[t] != i+1 {
				df[t]++
				last[t] = i + 1
			}
		}
	}
	return termWeights(parts, len(all), func(t string) int { return df[t] })
}

// weigh scores the sentences that may answer a part, best first. Those under the floor are left out.
func weigh(r *reader, p part, all []sentence, w map[string]float64) []scored {
	l := newLens(p, w)
	var some []scored
	for i := range all {
		e := &all[i]
		m := l.look(e.terms, e.above, e.around, e.page)
		if m.self < selfFloor {
			continue
		}
		c := m.coverage
		if !m.topic {
			c *= offTopic
		}
		if !m.name {
			c *= nameless
		}
		if !m.own && !(p.ask == askHow && cue(p.ask, e.text) > 0) {
			c *= notOwn
		}
		if c < floor || lacks(p.ask, e.text) && c < floor+lackFloor {
			continue
		}
		s := scored{sentence: e, coverage: c, fit: c}
		if m.fits {
			s.fit += fitBonus
		}
		some = append(some, s)
	}
	sort.SliceStable(some, func(i, j int) bool { return some[i].coverage > some[j].coverage })
	some = some[:min(len(some), looked)]
	order(r, p, some)
	kept := some[:0]
	for _, s := range some {
		if s.score > 0 {
			kept = append(kept, s)
		}
	}
	return kept
}

// order scores and sorts candidates by relevance, coverage, cue words, position, news and fitness to be quoted.
func order(r *reader, p part, some []scored) {
	texts, terms := make([]string, len(some)), make([][]string, len(some))
	for i, s := range some {
		texts[i], terms[i] = s.text, p.inItsWords(s.terms)
	}
	for i, rel := range relevance(r, p.Question, texts, terms, nil, 0) {
		s := &some[i]
		s.score = (1-coverWeight)*rel + coverWeight*s.coverage + cueWeight*cue(p.ask, s.text) + position(s.sentence)
		s.score *= quality(s.sentence, p.Question) * news(p, s.sentence)
		if lacks(p.ask, s.text) {
			s.score *= lackFactor
		}
	}
	sort.SliceStable(some, func(i, j int) bool { return some[i].score > some[j].score })
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

// position is the prior of a sentence's place in its paragraph.
func position(e *sentence) float64 {
	if e.of < 2 {
		return earlyWeight
	}
	late := float64(e.at) / float64(e.of-1)
	if e.of >= longSpan {
		return lateWeight * late
	}
	return earlyWeight * (1 - late)
}

// news says how much a sentence says beyond the words of the question, 0…1. What only names things again says nothing.
func news(p part, e *sentence) float64 {
	asked := map[string]bool{}
	for _, t := range p.terms {
		asked[t.stem] = true
	}
	n := 0
	for _, t := range e.terms {
		if !asked[t] {
			asked[t] = true
			n++
		}
	}
	fewest := 3
	if p.ask == askAny || digit.MatchString(e.text) {
		fewest = 2
	}
	if n < fewest {
		return 0
	}
	return math.Sqrt(math.Min(1, float64(n)/enough))
}
