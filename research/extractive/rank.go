package extractive

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A Text is a document for Rank: its title and its sentences.
type Text struct {
	ID, Title string
	Score     float64 // how well the document fits the question, of those given, 0…1; all 0 where that is not known
	Sentences []string
}

// A Ranked sentence is one of the texts given to Rank; both counts are from 0.
type Ranked struct {
	Text, Sentence int
	Score          float64
}

// Rank orders the sentences of some documents by how well they answer a question, best first, as this researcher does
// when it picks evidence. It is for measuring: a run's own choice also looks at what it has recorded already.
func Rank(question string, texts []Text) []Ranked {
	r, all := newReader(languageOf(question)), &pool{}
	var at []Ranked
	for n, d := range texts {
		above, source := map[string]float64{}, "S"+strconv.Itoa(n+1)
		r.credit(above, d.Title, aboveCredit)
		for i, text := range d.Sentences {
			all.list = append(all.list, sentence{span: source + ":para.1", source: source, kind: "html", text: text, terms: r.terms(text),
				above: above, n: len(split(text)), at: i, of: len(d.Sentences)})
			at = append(at, Ranked{Text: n, Sentence: i})
		}
	}
	p := newPart(r, subquestion{ID: "q1", Question: question}, relatives(r))
	l := newLens(p, all.weights([]part{p}))
	some := make([]scored, len(all.list))
	for i := range all.list {
		e := &all.list[i]
		some[i] = scored{sentence: e, index: i, coverage: l.look(e.terms, e.above, all.near(i), all.topics[e.source]).coverage}
	}
	order(r, p, all, some)
	fitted(p, some)
	bridge(some, at, texts)
	ranked := make([]Ranked, 0, len(some))
	for _, s := range diverse(some, !searched(texts)) {
		ranked = append(ranked, Ranked{at[s.index].Text, at[s.index].Sentence, s.score})
	}
	return ranked
}

// Weights of what a sentence is part of.
const (
	documentWeight = 1.1 // of its document's score
	bridgeWeight   = 0.3 // for the first sentence of a document that one of the best sentences elsewhere names, and for that one
	bridges        = 8   // sentences that are looked at for names
)

// bridge adds what documents count: each by its own score, and one that the evidence of another one names by its first
// sentence, which says what the name is.
func bridge(some []scored, at []Ranked, texts []Text) {
	first := map[int]int{} // text → place in some
	for i := range some {
		some[i].score += documentWeight * texts[at[some[i].index].Text].Score
		if at[some[i].index].Sentence == 0 {
			first[at[some[i].index].Text] = i
		}
	}
	sort.SliceStable(some, func(i, j int) bool { return some[i].score > some[j].score })
	for i := range some {
		if at[some[i].index].Sentence == 0 {
			first[at[some[i].index].Text] = i
		}
	}
	lift := map[int]float64{}
	for i := range some[:min(bridges, len(some))] {
		for n, d := range texts {
			name, _, _ := strings.Cut(d.Title, " (")
			if n != at[some[i].index].Text && len(name) > 3 && strings.Contains(some[i].text, name) {
				lift[first[n]], lift[i] = bridgeWeight, max(lift[i], bridgeWeight/2)
			}
		}
	}
	for i, more := range lift {
		some[i].score += more
	}
	sort.SliceStable(some, func(i, j int) bool { return some[i].score > some[j].score })
}

// searched says whether it is known how well the documents fit.
func searched(texts []Text) bool {
	return slices.ContainsFunc(texts, func(d Text) bool { return d.Score > 0 })
}

// diverse orders sentences as a chooser would take them: nothing said twice, and, if in turn, other sources before one
// that was taken from. Scores fall with it.
func diverse(list []scored, inTurn bool) []scored {
	for i := range list {
		list[i].shingles = shingles(list[i].text)
	}
	c := chooser{used: map[string]bool{}}
	var out []scored
	for len(out) < len(list) {
		best := c.next(part{}, list, 0)
		if best < 0 {
			break
		}
		s := list[best]
		list[best].score = 0
		c.used[" "+s.source] = inTurn
		approach(list, s.shingles)
		s.score = s.marginal()
		if len(out) > 0 {
			s.score = min(s.score, out[len(out)-1].score)
		}
		out = append(out, s)
	}
	for _, s := range list {
		if s.score > 0 || !taken(out, s.index) {
			s.score = math.Min(0, s.score) - 1
			out = append(out, s)
		}
	}
	return out
}

func taken(list []scored, index int) bool {
	return slices.ContainsFunc(list, func(s scored) bool { return s.index == index })
}
