package index

import "slices"

// features counts how often each candidate holds each feature of a query.
type features struct {
	n       int     // features
	counts  []int32 // candidate × feature
	lengths []int   // by candidate: all its features, asked for or not
	asked   []int   // features in the query's order, with repetitions
}

func newFeatures(candidates int, asked []int) *features {
	n := 0
	for _, f := range asked {
		n = max(n, f+1)
	}
	return &features{n, make([]int32, candidates*n), make([]int, candidates), asked}
}

// of returns the counts of one candidate.
func (f *features) of(candidate int) []int32 { return f.counts[candidate*f.n : (candidate+1)*f.n] }

// scores returns the BM25 of each candidate, with document frequencies among the candidates.
func (f *features) scores() []float64 {
	out := make([]float64, len(f.lengths))
	total := 0
	for _, n := range f.lengths {
		total += n
	}
	if total == 0 {
		return out
	}
	average := float64(total) / float64(len(out))
	for _, feature := range f.asked {
		n := 0
		for i := range out {
			if f.counts[i*f.n+feature] > 0 {
				n++
			}
		}
		if n == 0 {
			continue
		}
		weight := idf(len(out), n)
		for i := range out {
			if tf := float64(f.counts[i*f.n+feature]); tf > 0 {
				length := 1 - b + float64(b*float64(f.lengths[i])/average)
				out[i] += float64(weight * tf * (k1 + 1) / (tf + float64(k1*length)))
			}
		}
	}
	return out
}

// minmax maps values to 0…1; equal values all become 1.
func minmax(v []float64) {
	if len(v) == 0 {
		return
	}
	low, high := slices.Min(v), slices.Max(v)
	for i := range v {
		if high > low {
			v[i] = (v[i] - low) / (high - low)
		} else {
			v[i] = 1
		}
	}
}
