package extractive

import (
	"math"
	"slices"
	"strconv"
)

// A Text is a document for Rank: its title and its sentences.
type Text struct {
	Title     string
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
	ranked := make([]Ranked, 0, len(some))
	for _, s := range diverse(some) {
		ranked = append(ranked, Ranked{at[s.index].Text, at[s.index].Sentence, s.score})
	}
	return ranked
}

// diverse orders sentences as a chooser would take them: sources in turn, nothing said twice. Scores fall with it.
func diverse(list []scored) []scored {
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
		c.used[" "+s.source] = true
		approach(list, s.shingles)
		s.score = s.marginal()
		if c.used[" "+s.source] && len(out) > 0 {
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
