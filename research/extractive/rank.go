package extractive

import "strconv"

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
	r, all := newReader(), &pool{}
	var at []Ranked
	for n, d := range texts {
		above, source := r.set(d.Title), "S"+strconv.Itoa(n+1)
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
	order(r, p, some)
	fitted(p, some)
	ranked := make([]Ranked, len(some))
	for i, s := range some {
		ranked[i] = Ranked{at[s.index].Text, at[s.index].Sentence, s.score}
	}
	return ranked
}
