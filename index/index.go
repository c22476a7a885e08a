// Package index finds the texts of a set that fit a query: BM25F over stemmed words, then a second look at the best
// hundred (see rerank.go). It needs no database, no model and no network, and the same texts and query give the same
// order always, whatever the order of adding: sums run in the query's order, ties break by key (CORPUS-2).
//
// Any text is a query; there is no query syntax.
package index

import (
	"math"
	"slices"
	"strings"
)

// BM25F parameters, as measured on open sets: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
// Beyond" (2009).
const (
	k1          = 1.2
	bTitle      = 0.5
	bBody       = 0.75
	titleWeight = 2
)

// Bounds on one query. What goes beyond is not read.
const (
	maxQueryBytes = 8 << 10
	maxQueryTerms = 128
)

// An Item is a text to be found, under a key that is its own. Title may be empty.
type Item struct {
	Key, Title, Body string
}

// A Hit is one found item. Scores order the hits of one query and mean nothing across queries.
type Hit struct {
	Key   string
	Score float64
}

// Config chooses how an index ranks. The zero value is the recommended default.
type Config struct {
	Plain bool // leave out the second look at the best candidates: faster, keeps no word order, ranks a little worse
}

// An Index holds items in memory: about three times the size of their text. It is safe for concurrent searches, but not
// for a search while items are added.
type Index struct {
	config   Config
	items    []item
	keys     map[string]bool
	surface  map[string]uint32 // words as written, folded → position in surfaces
	surfaces []surfaceWord
	stems    map[string]uint32 // → position in postings
	postings [][]posting
	titles   int // words in all titles
	bodies   int // words in all bodies
	scratch  counts
}

type item struct {
	key    string
	title  uint32 // words in the title
	body   uint32
	tokens []uint32 // title then body, as positions in surfaces; nil in a plain index
}

type surfaceWord struct {
	text string
	stem uint32
	stop bool
}

type posting struct {
	item        uint32
	title, body uint16 // how often, capped
}

// counts collects the word counts of the item that is being added.
type counts struct {
	title, body []uint16 // by stem
	seen        []uint32
}

// New makes an empty index.
func New(c Config) *Index {
	return &Index{config: c, keys: map[string]bool{}, surface: map[string]uint32{}, stems: map[string]uint32{}}
}

// Len returns the number of items.
func (x *Index) Len() int { return len(x.items) }

// Add puts items into the index. An item whose key is there already is ignored: texts that were read do not change.
func (x *Index) Add(items ...Item) {
	for _, it := range items {
		if x.keys[it.Key] {
			continue
		}
		x.keys[it.Key] = true
		id := uint32(len(x.items))
		added := item{key: it.Key}
		if !x.config.Plain {
			added.tokens = make([]uint32, 0, (len(it.Title)+len(it.Body))/6+2)
		}
		added.title = x.count(it.Title, true, &added)
		added.body = x.count(it.Body, false, &added)
		for _, s := range x.scratch.seen {
			x.postings[s] = append(x.postings[s], posting{id, x.scratch.title[s], x.scratch.body[s]})
			x.scratch.title[s], x.scratch.body[s] = 0, 0
		}
		x.scratch.seen = x.scratch.seen[:0]
		x.titles += int(added.title)
		x.bodies += int(added.body)
		x.items = append(x.items, added)
	}
}

// count tokenises one field of an item and returns its length in words.
func (x *Index) count(text string, title bool, it *item) (length uint32) {
	c := &x.scratch
	words(text, func(w []byte, kind wordKind) {
		id := x.intern(w)
		s := x.surfaces[id].stem
		if c.title[s] == 0 && c.body[s] == 0 {
			c.seen = append(c.seen, s)
		}
		field := c.body
		if title {
			field = c.title
		}
		if field[s] < math.MaxUint16 {
			field[s]++
		}
		if kind == part {
			return
		}
		length++
		if !x.config.Plain {
			it.tokens = append(it.tokens, id)
		}
	})
	return length
}

// intern returns the position of a word, entering it and its stem if they are new.
func (x *Index) intern(w []byte) uint32 {
	if id, ok := x.surface[string(w)]; ok {
		return id
	}
	text := string(w)
	root := stem(text)
	s, ok := x.stems[root]
	if !ok {
		s = uint32(len(x.postings))
		x.stems[root] = s
		x.postings = append(x.postings, nil)
		x.scratch.title, x.scratch.body = append(x.scratch.title, 0), append(x.scratch.body, 0)
	}
	id := uint32(len(x.surfaces))
	x.surface[text] = id
	x.surfaces = append(x.surfaces, surfaceWord{text, s, stopWords[text]})
	return id
}

// Search returns at most k items that share a word with the query, best first. A query of nothing but stop words is
// taken by its stop words; one without any word finds nothing.
func (x *Index) Search(query string, k int) []Hit {
	q := parseQuery(query)
	if k <= 0 || len(q.words) == 0 {
		return nil
	}
	best := x.first(q, max(k, x.candidates()))
	if !x.config.Plain {
		x.rerank(q, best)
	}
	hits := make([]Hit, 0, min(k, len(best)))
	for _, c := range best[:min(k, len(best))] {
		hits = append(hits, Hit{x.items[c.item].key, c.score})
	}
	return hits
}

// query is a query taken apart.
type query struct {
	words []string // content words as written, folded, in order
	stems []string // of each word
}

func parseQuery(text string) query {
	if len(text) > maxQueryBytes {
		text = strings.ToValidUTF8(text[:maxQueryBytes], "")
	}
	var all, content query
	words(text, func(w []byte, kind wordKind) {
		if kind == part || len(all.words) == maxQueryTerms {
			return
		}
		word := string(w)
		root := stem(word)
		all.words, all.stems = append(all.words, word), append(all.stems, root)
		if !stopWords[word] {
			content.words, content.stems = append(content.words, word), append(content.stems, root)
		}
	})
	if len(content.words) == 0 {
		return all
	}
	return content
}

// candidate is an item on its way to becoming a hit.
type candidate struct {
	item  uint32
	score float64
}

// first is the first stage: BM25F of every item that shares a word with the query, the best n of them.
func (x *Index) first(q query, n int) []candidate {
	scores := make([]float64, len(x.items))
	touched := []uint32{}
	averageTitle := max(float64(x.titles)/float64(max(len(x.items), 1)), 1e-9)
	averageBody := max(float64(x.bodies)/float64(max(len(x.items), 1)), 1e-9)
	for _, root := range q.stems {
		s, ok := x.stems[root]
		if !ok {
			continue
		}
		weight := idf(len(x.items), len(x.postings[s]))
		for _, p := range x.postings[s] {
			it := &x.items[p.item]
			tf := titleWeight*float64(p.title)/(1-bTitle+bTitle*float64(it.title)/averageTitle) +
				float64(p.body)/(1-bBody+bBody*float64(it.body)/averageBody)
			if scores[p.item] == 0 {
				touched = append(touched, p.item)
			}
			scores[p.item] += weight * tf * (k1 + 1) / (k1 + tf)
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

// order sorts candidates: higher scores first, ties by key.
func (x *Index) order(a, b candidate) int {
	switch {
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	}
	return compareKeys(x.items[a.item].key, x.items[b.item].key)
}

// compareKeys orders keys as a person would: S2 before S10.
func compareKeys(a, b string) int {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if digit(rune(a[i])) && digit(rune(b[j])) {
			m, n := run(a[i:]), run(b[j:])
			x, y := strings.TrimLeft(a[i:i+m], "0"), strings.TrimLeft(b[j:j+n], "0")
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			if c := strings.Compare(x, y); c != 0 {
				return c
			}
			i, j = i+m, j+n
			continue
		}
		if a[i] != b[j] {
			return int(a[i]) - int(b[j])
		}
		i, j = i+1, j+1
	}
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

func run(s string) (n int) {
	for n < len(s) && digit(rune(s[n])) {
		n++
	}
	return n
}

// idf is the weight of a word that n of all texts hold; never negative.
func idf(all, n int) float64 {
	return math.Log(1 + (float64(all)-float64(n)+.5)/(float64(n)+.5))
}

// Weight says how much a stem tells in this index: its idf, 0 for one that no item holds. Terms gives the stems of a
// text.
func (x *Index) Weight(stem string) float64 {
	s, ok := x.stems[stem]
	if !ok {
		return 0
	}
	return idf(len(x.items), len(x.postings[s]))
}
