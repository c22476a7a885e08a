package index

import "slices"

// The second look (LexPlus): over the candidates of the first stage alone, BM25 on pairs of neighbouring words and on
// character 5-grams inside words, with the idf of the candidates. What every candidate shares is discounted, which the
// same features over the whole set do not do.
const (
	candidateCount = 100
	pairWeight     = 0.3
	gramWeight     = 0.3
	gramLength     = 5
)

// rerank reorders candidates in place: .7 minmax(first + .3 pairs) + .3 minmax(grams). The best is near 1.
func (x *Index) rerank(q query, candidates []candidate) {
	l := x.look(q)
	pairs := newFeatures(len(candidates), l.pairOrder)
	grams := newFeatures(len(candidates), l.gramOrder)
	for i, c := range candidates {
		it := &x.items[c.item]
		pairs.lengths[i], grams.lengths[i] = max(int(it.content)-1, 0), int(it.grams)
		l.count(it.tokens, pairs.of(i), grams.of(i))
	}
	pairScores, gramScores := pairs.scores(), grams.scores()
	for i := range candidates {
		pairScores[i] = candidates[i].score + float64(pairWeight*pairScores[i])
	}
	minmax(pairScores)
	minmax(gramScores)
	for i := range candidates {
		candidates[i].score = float64((1-gramWeight)*pairScores[i]) + float64(gramWeight*gramScores[i])
	}
	slices.SortFunc(candidates, x.order)
}

// look is a query made ready to be compared with many texts.
type look struct {
	x         *Index
	stems     map[uint32]int // stems of the query that the index knows → 0, 1, 2 …
	pairs     []int          // first stem × second stem → pair, or -1
	pairOrder []int          // pairs in the query's order, with repetitions
	grams     map[string]int
	gramOrder []int
	kinds     []uint32 // by surface word: what is known of it, see below
	words     []askedWord
}

// Kinds of a word in a text; from kindAsked on, the number of a look's word.
const (
	kindUnseen = iota
	kindStop
	kindOther
	kindAsked
)

// askedWord is a word that shares something with the query.
type askedWord struct {
	stem  int // in look.stems, or -1
	grams []int
}

func (x *Index) look(q query) *look {
	l := &look{x: x, stems: map[uint32]int{}, grams: map[string]int{}, kinds: make([]uint32, len(x.surfaces))}
	order := make([]int, len(q.stems)) // a word that no item holds is in no pair
	for i, root := range q.stems {
		order[i] = -1
		if s, ok := x.stems[root]; ok && x.postings[s].n > 0 {
			if _, twice := l.stems[s]; !twice {
				l.stems[s] = len(l.stems)
			}
			order[i] = l.stems[s]
		}
	}
	n := len(l.stems)
	l.pairs = slices.Repeat([]int{-1}, n*n)
	count := 0
	for i := 1; i < len(order); i++ {
		if order[i-1] < 0 || order[i] < 0 {
			continue
		}
		p := &l.pairs[order[i-1]*n+order[i]]
		if *p < 0 {
			*p, count = count, count+1
		}
		l.pairOrder = append(l.pairOrder, *p)
	}
	for _, w := range q.words {
		eachGram(w, func(g string) {
			id, ok := l.grams[g]
			if !ok {
				id = len(l.grams)
				l.grams[g] = id
			}
			l.gramOrder = append(l.gramOrder, id)
		})
	}
	return l
}

// count adds up how often a text holds the query's pairs, stop words skipped as they are in the query, and its 5-grams.
func (l *look) count(text []token, pairs, grams []int32) {
	last := -1
	for _, t := range text {
		kind := l.kinds[t.id()]
		if kind == kindUnseen {
			kind = l.kind(t.id())
			l.kinds[t.id()] = kind
		}
		switch kind {
		case kindStop:
		case kindOther:
			last = -1
		default:
			w := &l.words[kind-kindAsked]
			for _, g := range w.grams {
				grams[g]++
			}
			if last >= 0 && w.stem >= 0 {
				if p := l.pairs[last*len(l.stems)+w.stem]; p >= 0 {
					pairs[p]++
				}
			}
			last = w.stem
		}
	}
}

// kind says what a word has to do with the query.
func (l *look) kind(surface uint32) uint32 {
	s := &l.x.surfaces[surface]
	if s.stop {
		return kindStop
	}
	w := askedWord{stem: -1}
	if i, ok := l.stems[s.stem]; ok {
		w.stem = i
	}
	eachGram(s.text, func(g string) {
		if id, ok := l.grams[g]; ok {
			w.grams = append(w.grams, id)
		}
	})
	if w.stem < 0 && w.grams == nil {
		return kindOther
	}
	l.words = append(l.words, w)
	return uint32(kindAsked + len(l.words) - 1)
}

// eachGram calls f with each run of five characters of a word, or with the word if it is shorter.
func eachGram(word string, f func(string)) {
	if len(word) <= gramLength {
		f(word)
		return
	}
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

func gramCount(word string) (n uint8) {
	eachGram(word, func(string) { n++ })
	return n
}
