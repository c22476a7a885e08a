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
	gramsW   = 0.8 // share of the character 5-grams
)

// A bag counts terms.
type bag struct {
	n    int
	freq map[string]int
}

// newBag counts those terms that are wanted.
func newBag(terms []string, wanted map[string]bool) bag {
	b := bag{len(terms), map[string]int{}}
	for _, t := range terms {
		if wanted[t] {
			b.freq[t]++
		}
	}
	return b
}

func wanted(terms []string) map[string]bool {
	m := make(map[string]bool, len(terms))
	for _, t := range terms {
		m[t] = true
	}
	return m
}

// bm25 scores every bag against the query, with document frequencies among the bags.
func bm25(query []string, bags []bag) []float64 {
	df, n := map[string]int{}, len(bags)
	for i := range bags {
		for t := range bags[i].freq { // counts: the order does not matter
			df[t]++
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
				scores[i] += idf(df[t], n) * f * (k1 + 1) / (f + k1*(1-lengthB+lengthB*float64(d.n)/average))
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

// relevance scores texts against a query, 0…1, the best of these texts near 1: BM25 on stems, on pairs of stems and on
// character 5-grams, all weighted by these texts alone, which discounts what all of them share.
func relevance(r *reader, query string, texts []string, terms [][]string) []float64 {
	q := r.terms(query)
	pairs, chars := bigrams(q), grams(query)
	inQ, inPairs, inChars := wanted(q), wanted(pairs), wanted(chars)
	a, b, c := make([]bag, len(texts)), make([]bag, len(texts)), make([]bag, len(texts))
	for i := range texts {
		a[i], b[i], c[i] = newBag(terms[i], inQ), newBag(bigrams(terms[i]), inPairs), newBag(grams(texts[i]), inChars)
	}
	scores := bm25(q, a)
	for i, p := range bm25(pairs, b) {
		scores[i] += bigramsW * p
	}
	scale(scores)
	for i, g := range scale(bm25(chars, c)) {
		scores[i] = (1-gramsW)*scores[i] + gramsW*g
	}
	return scores
}
