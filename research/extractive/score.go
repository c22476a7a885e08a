package extractive

import (
	"math"
	"strings"
)

// Parameters of the sentence score, as measured on evidence sentences of abstracts and encyclopedia articles.
const (
	k1       = 1.2
	lengthB  = 0.3 // sentences differ less in length than documents
	bigramsW = 0.3
	gramsW   = 0.3 // share of the character 5-grams
)

// A bag counts terms.
type bag struct {
	n    int
	freq map[string]int
}

func newBag(terms []string) bag {
	b := bag{len(terms), make(map[string]int, len(terms))}
	for _, t := range terms {
		b.freq[t]++
	}
	return b
}

// bm25 scores every bag against the query. df and n, the number of texts that they were counted in, give the weight of
// a term; without them the bags count for themselves.
func bm25(query []string, bags []bag, df map[string]int, n int, b float64) []float64 {
	if df == nil {
		df, n = map[string]int{}, len(bags)
		for _, t := range query {
			if _, ok := df[t]; ok {
				continue
			}
			df[t] = 0
			for i := range bags {
				if bags[i].freq[t] > 0 {
					df[t]++
				}
			}
		}
	}
	total := 0
	for i := range bags {
		total += bags[i].n
	}
	average := math.Max(1, float64(total)/math.Max(1, float64(len(bags))))
	scores := make([]float64, len(bags))
	for i, d := range bags {
		for _, t := range query {
			if f := float64(d.freq[t]); f > 0 {
				scores[i] += idf(df[t], n) * f * (k1 + 1) / (f + k1*(1-b+b*float64(d.n)/average))
			}
		}
	}
	return scores
}

// idf is the weight of a term that df of n texts hold.
func idf(df, n int) float64 {
	return math.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}

// bigrams joins neighbouring terms.
func bigrams(terms []string) []string {
	if len(terms) < 2 {
		return nil
	}
	out := make([]string, len(terms)-1)
	for i := range out {
		out[i] = terms[i] + " " + terms[i+1]
	}
	return out
}

// grams are the character 5-grams inside the words of s, shorter words whole.
func grams(s string) []string {
	var out []string
	for _, w := range split(s) {
		lower := strings.ToLower(w.text)
		if stopWords[lower] {
			continue
		}
		if len(lower) <= 5 {
			out = append(out, lower)
			continue
		}
		for i := 0; i+5 <= len(lower); i++ {
			out = append(out, lower[i:i+5])
		}
	}
	return out
}

// scale divides scores by the highest, in place.
func scale(scores []float64) []float64 {
	high := 0.0
	for _, s := range scores {
		high = max(high, s)
	}
	for i := range scores {
		if high > 0 {
			scores[i] /= high
		}
	}
	return scores
}

// relevance scores texts against a query, 0…1, the best of these texts near 1: BM25 on stems, on pairs of stems and on character
// 5-grams, the last two weighted by these texts alone, which discounts what all of them share.
func relevance(r *reader, query string, texts []string, terms [][]string, df map[string]int, n int) []float64 {
	q := r.terms(query)
	first, pairs, chars := make([]bag, len(texts)), make([]bag, len(texts)), make([]bag, len(texts))
	for i := range texts {
		first[i], pairs[i], chars[i] = newBag(terms[i]), newBag(bigrams(terms[i])), newBag(grams(texts[i]))
	}
	scores := bm25(q, first, df, n, lengthB)
	for i, p := range bm25(bigrams(q), pairs, nil, 0, lengthB) {
		scores[i] += bigramsW * p
	}
	scale(scores)
	for i, c := range scale(bm25(grams(query), chars, nil, 0, lengthB)) {
		scores[i] = (1-gramsW)*scores[i] + gramsW*c
	}
	return scores
}
