// Package index finds the texts of a set that fit a query: BM25 over stemmed words, a second look at the best hundred
// (rerank.go), then the documents that the question and the best hits name or link to (hop.go). It needs no database, no
// model and no network, and the same texts and query give the same order always, on every machine, whatever the order of
// adding: sums run in the query's order, products are rounded before they are added, ties break by key (CORPUS-2).
//
// Any text is a query; there is no query syntax.
package index

import (
	"math"
	"slices"
	"strings"
)

// BM25 over one length and one weighted count for title and body, as SQLite's FTS5 computes it for bm25(t, 2.0, 1.0):
// Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). A word counts once however
// often a query repeats it.
const (
	k1          = 1.2
	b           = 0.75
	titleWeight = 2
)

// Bounds on one query. What goes beyond is not read.
const (
	maxQueryBytes = 8 << 10
	maxQueryTerms = 128
)

// An Item is a text to be found, under a key that is its own.
type Item struct {
	Key   string
	Title string // may be empty; its first line is the name by which other texts call the document
	Body  string
	Doc   string // address of the document that the item is a part of; empty: it is all of the document at the address Key
}

// A Hit is one found item. Scores order the hits of one query and mean nothing across queries.
type Hit struct {
	Key   string
	Score float64
}

// Config chooses how an index ranks. The zero value is the recommended default.
type Config struct {
	Plain bool // the first stage alone: faster, keeps no word order, ranks a little worse

	// Links gives the addresses of the documents that an item's text leads to, in any order and also of documents that
	// are not here; it is asked for the best items of a search only. nil: there are none but by name.
	Links func(key string) []string
}

// An Index holds items in memory: about as much as their text. It is safe for concurrent searches, but not for a search
// while items are added.
type Index struct {
	config   Config
	items    []item
	keys     map[string]uint32 // → position in items
	surface  map[string]uint32 // words as written, folded → position in surfaces
	surfaces []surfaceWord
	stems    map[string]uint32 // → position in postings
	postings []postings
	words    int // in all items
	docs     []document
	byURL    map[string]uint32 // address → position in docs
	names    names
	counts   []uint32  // by stem, of the item that is being added
	learned  [2]uint32 // stems and words of the vocabulary of which it was restored
}

type item struct {
	key     string
	doc     uint32
	words   uint32 // in title and body
	content uint32 // of the tokens, those that are no stop words
	grams   uint32 // character 5-grams in them
	title   uint32 // tokens of the title; at most all of them
	tokens  []token
}

type surfaceWord struct {
	text  string
	stem  uint32
	stop  bool
	grams uint8
}

// New makes an empty index.
func New(c Config) *Index {
	return &Index{config: c, keys: map[string]uint32{}, surface: map[string]uint32{}, stems: map[string]uint32{},
		byURL: map[string]uint32{}, names: names{docs: map[uint64][]uint32{}, lengths: map[uint32]uint16{}}}
}

// Len returns the number of items.
func (x *Index) Len() int { return len(x.items) }

// Search returns at most k items that share a word with the query, or that one of the best such items names or links
// to, best first. A query of nothing but stop words is taken by its stop words; one without any word finds nothing.
func (x *Index) Search(text string, k int) []Hit { return x.SearchWith(text, nil, k) }

// SearchWith is Search with what a Meaning found for the same query, which counts beside the words before anything is
// followed.
func (x *Index) SearchWith(text string, meaning []Hit, k int) []Hit {
	q := x.parse(text)
	if k <= 0 || len(q.asked) == 0 && len(meaning) == 0 {
		return nil
	}
	if x.config.Plain {
		return x.hits(x.first(q, k), k)
	}
	best := x.first(q, max(k, candidateCount))
	x.rerank(q, best)
	if len(meaning) > 0 {
		best = x.fuse(best, meaning)
	}
	return x.hits(x.hop(q, best), k)
}

func (x *Index) hits(best []candidate, k int) []Hit {
	hits := make([]Hit, min(k, len(best)))
	for i := range hits {
		hits[i] = Hit{x.items[best[i].item].key, best[i].score}
	}
	return hits
}

// query is a query taken apart.
type query struct {
	asked []string // stems that items are looked for by, each once
	words []string // content words as written, folded, in order
	stems []string // of each word
	text  []token  // all words, in order
	lower bool     // it was typed without capitals
}

func (x *Index) parse(text string) query {
	if len(text) > maxQueryBytes {
		text = strings.ToValidUTF8(text[:maxQueryBytes], "")
	}
	var q, all query
	q.lower = strings.ToLower(text) == text && strings.ToUpper(text) != text
	words(text, func(w []byte, kind wordKind) {
		if kind == part || len(all.words) == maxQueryTerms {
			return
		}
		word, root, t := string(w), stem(string(w)), unknownWord
		if id, ok := x.surface[word]; ok {
			t = token(id)
		}
		if kind != also {
			q.text = append(q.text, t.capital(kind == capital))
			all.words, all.stems = append(all.words, word), append(all.stems, root)
		}
		if !slices.Contains(all.asked, root) {
			all.asked = append(all.asked, root)
		}
		if stopWords[word] {
			return
		}
		if kind != also {
			q.words, q.stems = append(q.words, word), append(q.stems, root)
		}
		if !slices.Contains(q.asked, root) {
			q.asked = append(q.asked, root)
		}
	})
	if len(q.words) == 0 {
		all.text, all.lower = q.text, q.lower
		return all
	}
	return q
}

// candidate is an item on its way to becoming a hit.
type candidate struct {
	item  uint32
	score float64
}

// first is the first stage: BM25 of every item that shares a word with the query, the best n of them.
func (x *Index) first(q query, n int) []candidate {
	scores := make([]float64, len(x.items))
	touched := []uint32{}
	average := float64(x.words) / float64(max(len(x.items), 1))
	for _, root := range q.asked {
		s, ok := x.stems[root]
		if !ok {
			continue
		}
		weight := idf(len(x.items), x.postings[s].n)
		for id, count := range x.postings[s].all() {
			tf := float64(count)
			length := 1 - b + float64(b*float64(x.items[id].words)/average)
			if scores[id] == 0 {
				touched = append(touched, id)
			}
			scores[id] += float64(weight * tf * (k1 + 1) / (tf + float64(k1*length)))
		}
	}
	var best []candidate
	for _, i := range touched {
		c := candidate{i, scores[i]}
		if len(best) == n && x.order(c, best[n-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, c, x.order)
		if len(best) == n {
			best = best[:n-1]
		}
		best = slices.Insert(best, at, c)
	}
	return best
}

// idf is the weight of a word that n of all texts hold; never negative. It is rounded to a billionth, since the last bit
// of a logarithm is not the same on every machine.
func idf(all, n int) float64 {
	return math.Round(1e9*math.Log(1+(float64(all)-float64(n)+.5)/(float64(n)+.5))) / 1e9
}

// Weight says how much a stem tells in this index: its idf, 0 for one that no item holds. Terms gives the stems of a
// text.
func (x *Index) Weight(stem string) float64 {
	s, ok := x.stems[stem]
	if !ok || x.postings[s].n == 0 { // none any more
		return 0
	}
	return idf(len(x.items), x.postings[s].n)
}
