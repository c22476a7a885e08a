package extractive

import "math"

// centralWeight is what it counts to be near to what the other candidates of a report on research say, 0…1: a tie-breaker
// as LexRank is (Erkan and Radev 2004), by the centroid alone. In encyclopedia articles it costs, and is not used.
const centralWeight = 0.1

// central says how much each candidate that stands in a report on research has in common with the others of its source,
// the most being 1. Others get 0.
func (all *pool) central(some []scored) []float64 {
	near := make([]float64, len(some))
	in := map[string]map[string]int{} // by source: candidates that have a term
	for i := range some {
		s := &some[i]
		if !all.reports(s.index) {
			continue
		}
		if in[s.source] == nil {
			in[s.source] = map[string]int{}
		}
		for _, t := range distinct(s.all) {
			in[s.source][t]++
		}
	}
	if len(in) == 0 {
		return near
	}
	for i := range some {
		s := &some[i]
		if in[s.source] == nil || !all.reports(s.index) {
			continue
		}
		terms := distinct(s.all)
		shared := 0
		for _, t := range terms {
			shared += in[s.source][t] - 1
		}
		near[i] = float64(shared) / math.Sqrt(float64(len(terms)+1))
	}
	return scale(near)
}

// distinct is a list without repetitions, in its order.
func distinct(terms []string) []string {
	seen := make(map[string]bool, len(terms))
	out := make([]string, 0, len(terms))
	for _, t := range terms {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}
