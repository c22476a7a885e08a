package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// An Embedder turns texts into vectors of one length: texts that mean alike point alike.
type Embedder interface {
	// Embed returns a vector for each text, and how many tokens were counted for them; 0: none, or that is not told.
	Embed(ctx context.Context, texts []string) (vectors [][]float32, tokens int64, err error)
}

// Bounds of what is embedded of an item: its opening passages, a text of ordinary models' length each.
const (
	passageBytes = 1600
	maxPassages  = 4
	batchTexts   = 32 // asked for at a time
)

// MeaningConfig describes a Meaning.
type MeaningConfig struct {
	Embedder    Embedder
	QueryPrefix string // that the model wants before a question: "query: "
	TextPrefix  string // before a text: "passage: "
}

// A Meaning finds items by what they mean, through an Embedder: by brute force over vectors of bytes, which loses nothing
// that counts, and gives the same order on every machine. It is safe for concurrent searches, but not for a search while
// items are added.
type Meaning struct {
	config   MeaningConfig
	size     int // of vectors
	entries  []entry
	openings []Item // by which Try judges
}

// entry is one passage of an item.
type entry struct {
	key    string
	vector vector
}

// vector is a direction: its length does not matter.
type vector struct {
	at     []int8
	length float64
}

// NewMeaning makes an empty Meaning.
func NewMeaning(c MeaningConfig) *Meaning { return &Meaning{config: c} }

// Add takes items in, all of them or on an error none, and returns how many tokens that took.
func (m *Meaning) Add(ctx context.Context, items ...Item) (tokens int64, err error) {
	var texts, keys []string
	for _, it := range items {
		for _, p := range passagesOf(it) {
			if p != "" {
				texts, keys = append(texts, m.config.TextPrefix+p), append(keys, it.Key)
			}
		}
	}
	vectors, tokens, err := m.embed(ctx, texts)
	if err != nil {
		return tokens, err
	}
	for i, v := range vectors {
		m.entries = append(m.entries, entry{keys[i], v})
	}
	for _, it := range items {
		m.openings = append(m.openings, Item{Key: it.Key, Title: strings.Clone(nameOf(it)), Body: strings.Clone(cut(it.Body, passageBytes))})
	}
	return tokens, nil
}

// nameOf is the first line of an item's title.
func nameOf(it Item) string {
	line, _, _ := strings.Cut(strings.TrimSpace(it.Title), "\n")
	return line
}

// passagesOf returns the texts that stand for an item, each under its title.
func passagesOf(it Item) (list []string) {
	title, rest := nameOf(it), strings.TrimSpace(it.Body)
	for len(list) < maxPassages && (rest != "" || len(list) == 0) {
		p := cut(rest, passageBytes)
		rest = strings.TrimSpace(rest[len(p):])
		list = append(list, strings.TrimSpace(cut(title, passageBytes/4)+"\n"+strings.TrimSpace(p)))
	}
	return list
}

// cut shortens a text to n bytes, if it can at the end of a line, a sentence or a word.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	text = text[:n]
	for _, end := range []string{"\n", ". ", "。", " "} {
		if i := strings.LastIndex(text, end); i > n/2 {
			return text[:i+len(end)]
		}
	}
	return text
}

// embed asks for the vectors of texts, some at a time.
func (m *Meaning) embed(ctx context.Context, texts []string) (all []vector, tokens int64, err error) {
	for batch := range slices.Chunk(texts, batchTexts) {
		vectors, n, err := m.config.Embedder.Embed(ctx, batch)
		tokens += n
		if err != nil {
			return all, tokens, err
		}
		if len(vectors) != len(batch) {
			return all, tokens, fmt.Errorf("embedding %d texts: there are %d vectors", len(batch), len(vectors))
		}
		for _, v := range vectors {
			if m.size == 0 {
				m.size = len(v)
			}
			if len(v) != m.size || m.size == 0 {
				return all, tokens, fmt.Errorf("embedding %d texts: a vector has %d numbers, and another %d", len(batch), len(v), m.size)
			}
			all = append(all, direction(v))
		}
	}
	return all, tokens, nil
}

// direction keeps a vector in bytes.
func direction(v []float32) vector {
	at := Quantise(v)
	sum := int64(0)
	for _, n := range at {
		sum += int64(n) * int64(n)
	}
	return vector{at, math.Sqrt(float64(sum))}
}

// Quantise rounds a vector's numbers to bytes, the largest of them to ±127: its direction, not its length, stays.
func Quantise(v []float32) []int8 {
	largest := float32(0)
	for _, f := range v {
		largest = max(largest, f, -f)
	}
	at := make([]int8, len(v))
	if largest > 0 {
		for i, f := range v {
			at[i] = int8(math.Round(float64(f) / float64(largest) * 127))
		}
	}
	return at
}

// cosine is how alike two directions are; 0 if one is none. Sums of whole numbers are the same in any order.
func cosine(a, b vector) float64 {
	if a.length == 0 || b.length == 0 {
		return 0
	}
	sum := int32(0)
	other := b.at[:len(a.at)]
	for i, n := range a.at {
		sum += int32(n) * int32(other[i])
	}
	return float64(sum) / float64(a.length*b.length)
}

// Search returns the k items that mean most nearly what a query asks, best first, ties by key; and what that took.
func (m *Meaning) Search(ctx context.Context, query string, k int) ([]Hit, int64, error) {
	vectors, tokens, err := m.embed(ctx, []string{m.config.QueryPrefix + cut(query, passageBytes)})
	if err != nil {
		return nil, tokens, err
	}
	return m.nearest(vectors[0], k), tokens, nil
}

func (m *Meaning) nearest(q vector, k int) []Hit {
	var hits []Hit
	for i := 0; i < len(m.entries); {
		h := Hit{m.entries[i].key, -1}
		for ; i < len(m.entries) && m.entries[i].key == h.Key; i++ { // the passages of an item stand together
			h.Score = max(h.Score, cosine(q, m.entries[i].vector))
		}
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), compareKeys(a.Key, b.Key)) })
	return hits[:min(k, len(hits))]
}
