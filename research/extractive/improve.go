package extractive

import (
	"slices"
	"sort"
	"strings"
	"unicode"
)

// What has to be left of a budget for a second look at what has an answer already.
const (
	ampleSearches = 2
	ampleReads    = 3
)

// improve looks at what is missing after a round, and takes one step against it: a search from
// another side, more pages. When there is nothing left to do it does nothing, which ends the research.
func (t *turn) improve() {
	if t.gathers >= rounds || t.searchTurns > rounds || t.steps != unknown && t.steps <= 2 {
		return
	}
	ample := t.searches >= ampleSearches && t.reads >= ampleReads && t.offered[toolSearch] && t.offered[toolRead]
	weak := t.weak()
	if len(weak) == 0 && ample {
		weak = t.unsettled() // a second look from another side
	}
	if len(t.calls) == 0 && len(weak) > 0 && t.canSearch() && t.searchTurns < rounds {
		t.turnAround(weak)
	}
	if len(t.calls) == 0 && t.canRead() && t.gathers > 0 {
		t.readMore()
	}
}

func (t *turn) canSearch() bool {
	return t.offered[toolSearch] && !t.noSearch && t.searches != 0
}

func (t *turn) canRead() bool { return t.offered[toolRead] && !t.noRead && t.reads != 0 }

// weak are the parts without a finding.
func (t *turn) weak() []part {
	var out []part
	for _, p := range t.parts {
		if t.findingsOf(p.ID) == 0 {
			out = append(out, p)
		}
	}
	return out
}

// unsettled are the parts whose evidence leaves something to be looked for: a term that none of it has, or a second source.
func (t *turn) unsettled() (out []part) {
	for _, p := range t.parts {
		have, sources := map[string]bool{}, map[string]bool{}
		for _, f := range t.recorded {
			if f.Subquestion != p.ID {
				continue
			}
			source, _, _ := strings.Cut(f.Span, ":")
			sources[source] = true
			for _, term := range t.reader.terms(f.Quote) {
				have[term] = true
			}
		}
		met := func(x term) bool {
			return have[x.stem] || slices.ContainsFunc(x.alts, func(k string) bool { return have[k] })
		}
		if len(sources) < 2 || !all(p.terms, met) {
			out = append(out, p)
		}
	}
	return out
}

func all(list []term, holds func(term) bool) bool {
	return !slices.ContainsFunc(list, func(t term) bool { return !holds(t) })
}

func (t *turn) findingsOf(id string) (n int) {
	for _, f := range t.recorded {
		if f.Subquestion == id {
			n++
		}
	}
	return n
}

// turnAround searches for weak parts from another side: in the words of answers, by names that the pages brought, by
// the rarest words alone.
func (t *turn) turnAround(weak []part) {
	var queries []string
	bridge := t.salient()
	for _, p := range weak {
		angles := t.bridges(p)
		if len(bridge) > 0 {
			angles = append(angles, bridge[0]+" "+strings.Join(t.rarest(p, 3), " "))
		}
		angles = append(angles, p.reworded())
		if len(p.terms) > 3 {
			angles = append(angles, strings.Join(t.rarest(p, 3), " "))
		}
		for _, q := range angles {
			if q != "" && !t.searched(q) {
				queries = append(queries, q)
				break
			}
		}
	}
	t.ask(queries, min(2, t.allowed()))
}

// bridges are queries for the names that a part's evidence brought and nobody asked for, each with the part's rarest
// words: what is asked may stand where that name is spoken of.
func (t *turn) bridges(p part) (queries []string) {
	asked := t.reader.set(t.question)
	for _, f := range t.recorded {
		if f.Subquestion != p.ID || t.reader.lang.asking != nil || p.capitals {
			continue
		}
		for _, name := range phrases(t.reader, f.Quote, asked) {
			if name != strings.ToLower(name) && len(queries) < 2 {
				queries = append(queries, name+" "+strings.Join(t.rarest(p, 2), " "))
			}
		}
	}
	return queries
}

func (t *turn) searched(q string) bool {
	var made []string
	for _, a := range t.queries {
		made = append(made, a.query)
	}
	return same(made, q)
}

// rarest are a part's n words that the least of the search results have, names first, in the order of the question.
func (t *turn) rarest(p part, n int) []string {
	df := map[string]int{}
	for _, h := range t.hits {
		for term := range t.reader.set(h.Title + " " + h.Snippet) {
			df[term]++
		}
	}
	order := make([]int, len(p.terms))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool {
		x, y := p.terms[order[a]], p.terms[order[b]]
		if x.name != y.name {
			return x.name
		}
		return df[x.stem] < df[y.stem]
	})
	keep := order[:min(n, len(order))]
	sort.Ints(keep)
	var words []string
	for _, i := range keep {
		words = append(words, p.terms[i].word)
	}
	return words
}

// readMore reads on for parts whose evidence is thin: none, or of one source. When there are none it reads what promises
// very much all the same.
func (t *turn) readMore() {
	sources := map[string]map[string]bool{}
	for _, f := range t.recorded {
		source, _, _ := strings.Cut(f.Span, ":")
		if sources[f.Subquestion] == nil {
			sources[f.Subquestion] = map[string]bool{}
		}
		sources[f.Subquestion][source] = true
	}
	var thin []part
	for _, p := range t.parts {
		if len(sources[p.ID]) < 2 {
			thin = append(thin, p)
		}
	}
	least := worth
	if len(thin) == 0 {
		thin, least = t.unsettled(), strong
	}
	best := t.frontier(t.reader, thin, 1)
	if len(best) == 0 || best[0].promise < least {
		return
	}
	all := t.parts
	t.parts = thin
	t.read()
	t.parts = all
}

// salient lists what the passages found speak of and the question does not: names and pairs of words that come back in
// passages of several sources, those of the most sources first.
func (t *turn) salient() []string {
	asked := t.reader.set(t.question)
	for _, q := range t.plan {
		for term := range t.reader.set(q.Question) {
			asked[term] = true
		}
	}
	type tally struct {
		text  string
		count int
		in    map[string]bool
	}
	var list []*tally
	at := map[string]*tally{}
	for _, s := range t.spans {
		if s.Role != "" || injected(s.Text) {
			continue
		}
		source, _, _ := strings.Cut(s.Span, ":")
		for _, phrase := range phrases(t.reader, s.Text, asked) {
			key := strings.Join(t.reader.terms(phrase), " ")
			if at[key] == nil {
				at[key] = &tally{text: phrase, in: map[string]bool{}}
				list = append(list, at[key])
			}
			at[key].count++
			at[key].in[source] = true
		}
	}
	list = slices.DeleteFunc(list, func(l *tally) bool { return len(l.in) < 2 || l.count < 3 })
	sort.SliceStable(list, func(i, j int) bool {
		if a, b := len(list[i].in), len(list[j].in); a != b {
			return a > b
		}
		return list[i].count > list[j].count
	})
	var out []string
	for _, l := range list {
		out = append(out, l.text)
	}
	return out
}

// phrases are the names and the pairs of neighbouring content words of a text in which no word was asked for.
func phrases(r *reader, text string, asked map[string]bool) []string {
	ws := split(text)
	fresh := func(w word) bool {
		t := r.term(w.text)
		return t != "" && !asked[t] && len(w.text) > 3 && !digit.MatchString(w.text) && !verbs[strings.ToLower(w.text)]
	}
	var out []string
	seen := map[string]bool{}
	for i := 0; i+1 < len(ws); i++ {
		if !fresh(ws[i]) || !fresh(ws[i+1]) || strings.TrimSpace(text[ws[i].end:ws[i+1].start]) != "" {
			continue
		}
		name := unicode.IsUpper([]rune(ws[i].text)[0]) && unicode.IsUpper([]rune(ws[i+1].text)[0])
		phrase := ws[i].text + " " + ws[i+1].text
		if !name {
			phrase = strings.ToLower(phrase)
		}
		if !seen[phrase] {
			seen[phrase] = true
			out = append(out, phrase)
		}
	}
	return out
}
