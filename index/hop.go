package index

import "slices"

// The hop: what a question names, and what the best hits name or link to, is likely to be wanted too. The shares were
// measured on open sets of questions about one document, where they change nothing, and about several, where they gain
// up to nine points.
const (
	hopParents  = 5
	hopShare    = 0.3     // of its parent's score goes to a document that it leads to
	askedShare  = 0.4     // goes to one that the question names, where the best first look is 1
	hopLinks    = 8       // a parent that leads to more shares that out
	hopTokens   = 1 << 12 // of a parent are searched for names
	maxHopLinks = 1 << 10 // links of a parent are followed
)

// hop lifts the documents that the question names, then those that the best hits lead to. Of a document in several parts
// the best part is lifted, or if none was found, its first comes in.
func (x *Index) hop(q query, best []candidate) []candidate {
	best = x.lift(best, x.shares(x.named(q.text, q.lower), askedShare, nil))
	gained := map[uint32]float64{}
	for _, parent := range best[:min(hopParents, len(best))] {
		it := &x.items[parent.item]
		text := it.tokens[it.title:]
		leads := x.named(text[:min(len(text), hopTokens)], false)
		if x.config.Links != nil {
			links := x.config.Links(it.key)
			for _, url := range links[:min(len(links), maxHopLinks)] {
				if doc, ok := x.byURL[url]; ok && !slices.Contains(leads, doc) {
					leads = append(leads, doc)
				}
			}
		}
		leads = slices.DeleteFunc(leads, func(doc uint32) bool { return doc == it.doc })
		gained = x.shares(leads, float64(hopShare*parent.score), gained)
	}
	return x.lift(best, gained)
}

// shares gives each document its share; of several the largest counts.
func (x *Index) shares(docs []uint32, share float64, gained map[uint32]float64) map[uint32]float64 {
	if gained == nil {
		gained = map[uint32]float64{}
	}
	if len(docs) > hopLinks {
		share *= float64(hopLinks) / float64(len(docs))
	}
	for _, doc := range docs {
		gained[doc] = max(gained[doc], share)
	}
	return gained
}

// lift adds what documents gained to the score of their best candidate.
func (x *Index) lift(best []candidate, gained map[uint32]float64) []candidate {
	if len(gained) == 0 {
		return best
	}
	for i := range best {
		doc := x.items[best[i].item].doc
		if share, ok := gained[doc]; ok {
			best[i].score += share
			delete(gained, doc)
		}
	}
	for doc, share := range gained { // in any order: what is added is sorted
		best = append(best, candidate{x.docs[doc].first, share})
	}
	slices.SortFunc(best, x.order)
	return best
}
