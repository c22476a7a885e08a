package index

import (
	"slices"
	"sort"
)

// The second look (LexPlus): over the candidates of the first stage alone, BM25 on pairs of neighbouring words and on
// character 5-grams inside words, with the idf of the candidates. What every candidate shares is discounted, which the
// same features over the whole set do not do.
const (
	candidateCount = 100
	pairWeight     = 0.3
	gramWeight     = 0.3
	gramLength     = 5
	bLocal         = 0.75
)

func (x *Index) candidates() int {
	if x.config.Plain {
		return 0
	}
	return candidateCount
}

// rerank reorders candidates in place: .7 minmax(first + .3 pairs) + .3 minmax(grams).
func (x *Index) rerank(q query, candidates []candidate) {
	if len(candidates) < 2 {
		return
	}
	pairs := newFeatures(len(candidates))
	grams := newFeatures(len(candidates))
	pairIDs := x.queryPairs(q)
	pairs.queryOrder(pairIDs.order)
	gramIDs, gramOrder := queryGrams(q)
	grams.queryOrder(gramOrder)
	seen := map[uint32]wordGrams{}
	for i, c := range candidates {
		x.countPairs(pairs, i, x.items[c.item].tokens, pairIDs)
		x.countGrams(grams, i, x.items[c.item].tokens, gramIDs, seen)
	}
	b, c := pairs.scores(), grams.scores()
	for i := range candidates {
		candidates[i].score += pairWeight * b[i]
	}
	g := make([]float64, len(candidates))
	for i := range candidates {
		g[i] = candidates[i].score
	}
	minmax(g)
	minmax(c)
	for i := range candidates {
		candidates[i].score = (1-gramWeight)*g[i] + gramWeight*c[i]
	}
	slices.SortFunc(candidates, x.order)
}

// features counts how often each candidate holds each feature of the query.
type features struct {
	counts  []map[int]int // by candidate: query feature → count
	lengths []int         // by candidate: all features
	asked   []int         // query features in query order, with repetitions
}

func newFeatures(candidates int) *features {
	return &features{counts: make([]map[int]int, candidates), lengths: make([]int, candidates)}
}

func (f *features) queryOrder(asked []int) { f.asked = asked }

func (f *features) add(candidate, feature int) {
	if f.counts[candidate] == nil {
		f.counts[candidate] = map[int]int{}
	}
	f.counts[candidate][feature]++
}

// scores returns the BM25 of each candidate, with document frequencies among the candidates.
func (f *features) scores() []float64 {
	out := make([]float64, len(f.counts))
	frequency := map[int]int{}
	total := 0
	for i, m := range f.counts {
		total += f.lengths[i]
		for feature := range m { // integer counts: the order does not matter
			frequency[feature]++
		}
	}
	average := float64(total) / float64(len(f.counts))
	if average == 0 {
		return out
	}
	for _, feature := range f.asked {
		n := frequency[feature]
		if n == 0 {
			continue
		}
		weight := idf(len(f.counts), n)
		for i, m := range f.counts {
			if tf := float64(m[feature]); tf > 0 {
				out[i] += weight * tf * (k1 + 1) / (tf + k1*(1-bLocal+bLocal*float64(f.lengths[i])/average))
			}
		}
	}
	return out
}

// stemPair is two neighbouring words by their stems.
type stemPair struct{ a, b uint32 }

type pairSet struct {
	ids   map[stemPair]int
	order []int
}

// queryPairs numbers the neighbouring words of a query. A word that no item holds is in no pair.
func (x *Index) queryPairs(q query) pairSet {
	set := pairSet{ids: map[stemPair]int{}}
	for i := 1; i < len(q.stems); i++ {
		a, okA := x.stems[q.stems[i-1]]
		b, okB := x.stems[q.stems[i]]
		if !okA || !okB {
			continue
		}
		id, ok := set.ids[stemPair{a, b}]
		if !ok {
			id = len(set.ids)
			set.ids[stemPair{a, b}] = id
		}
		set.order = append(set.order, id)
	}
	return set
}

// countPairs counts the query's pairs among the neighbours in a text, stop words skipped as they are in the query.
func (x *Index) countPairs(f *features, candidate int, tokens []uint32, pairs pairSet) {
	last, have := uint32(0), false
	for _, t := range tokens {
		w := &x.surfaces[t]
		if w.stop {
			continue
		}
		if have {
			f.lengths[candidate]++
			if id, ok := pairs.ids[stemPair{last, w.stem}]; ok {
				f.add(candidate, id)
			}
		}
		last, have = w.stem, true
	}
}

// queryGrams numbers the character 5-grams of a query's words.
func queryGrams(q query) (ids map[string]int, order []int) {
	ids = map[string]int{}
	for _, w := range q.words {
		eachGram(w, func(g string) {
			id, ok := ids[g]
			if !ok {
				id = len(ids)
				ids[g] = id
			}
			order = append(order, id)
		})
	}
	return ids, order
}

// eachGram calls f with each run of five characters of a word, or with the word if it is shorter.
func eachGram(word string, f func(string)) {
	var starts [maxWord + 1]int
	n := 0
	for i := range word {
		starts[n] = i
		n++
	}
	starts[n] = len(word)
	if n <= gramLength {
		f(word)
		return
	}
	for i := 0; i+gramLength <= n; i++ {
		f(word[starts[i]:starts[i+gramLength]])
	}
}

// wordGrams is what a word contributes: its number of 5-grams, and those that the query asks for.
type wordGrams struct {
	total int
	asked []int
}

func (x *Index) countGrams(f *features, candidate int, tokens []uint32, ids map[string]int, seen map[uint32]wordGrams) {
	for _, t := range tokens {
		if x.surfaces[t].stop {
			continue
		}
		g, ok := seen[t]
		if !ok {
			eachGram(x.surfaces[t].text, func(s string) {
				g.total++
				if id, asked := ids[s]; asked {
					g.asked = append(g.asked, id)
				}
			})
			sort.Ints(g.asked)
			seen[t] = g
		}
		f.lengths[candidate] += g.total
		for _, id := range g.asked {
			f.add(candidate, id)
		}
	}
}

// minmax maps values to 0…1; equal values all become 0.
func minmax(v []float64) {
	low, high := slices.Min(v), slices.Max(v)
	for i := range v {
		if high > low {
			v[i] = (v[i] - low) / (high - low)
		} else {
			v[i] = 0
		}
	}
}
