package index

import "slices"

// meaningWeight is what the best item by meaning gets beside one that is best by words. Reciprocal rank fusion, which
// forgets how far apart two items are, gained less with a good model and lost five times as much with a weak one
// (docs/decisions/010).
const meaningWeight = 0.5

// fuse adds what was found by meaning to what was found by words: (words + .5 minmax(meaning)) / 1.5. The best is near 1
// again.
func (x *Index) fuse(best []candidate, meaning []Hit) []candidate {
	at := make(map[uint32]int, len(best))
	for i, c := range best {
		at[c.item] = i
	}
	near := make([]float64, len(meaning))
	for i, h := range meaning {
		near[i] = h.Score
	}
	minmax(near)
	for i, h := range meaning {
		item, ok := x.keys[h.Key]
		if !ok {
			continue
		}
		place, found := at[item]
		if !found {
			place = len(best)
			at[item] = place
			best = append(best, candidate{item, 0})
		}
		best[place].score += float64(meaningWeight * near[i])
	}
	for i := range best {
		best[i].score /= 1 + meaningWeight
	}
	slices.SortFunc(best, x.order)
	return best
}
