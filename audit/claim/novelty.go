package claim

import "slices"

// A novelty tells which words of a sentence of the claim are known from the source.
type novelty struct {
	*pair
	m       match
	english bool
	figures bool // the quote has some
	own     []reading
}

func (p *pair) newNovelty(m match) *novelty {
	return &novelty{pair: p, m: m, english: p.claim.english, figures: len(p.quote.figures) > 0 || len(p.quote.dates) > 0}
}

// plain reports whether the word at i only holds the sentence together.
func (n *novelty) plain(i int) bool {
	w := n.claim.words[i]
	return !n.english && (foreignWords[w.s] || foreignScaffold[w.s])
}

// read lists the new words of the sentence, and counts the content words that are known: all of them, and those that stand in
// the quote's sentence that the claim's is about, or in a short quote at all.
func (n *novelty) read() (fresh []int, known, here int) {
	said := n.claim.attributes(n.m.claimAt)
	for i := n.m.claimAt[0]; i < n.m.claimAt[1]; i++ {
		w := &n.claim.words[i]
		switch {
		case w.kind == digits:
			if w.figure && len(n.there(w)) > 0 {
				known++
				here += b2i(n.here(w))
			}
		case !w.content || w.often || n.plain(i) || i >= said[0] && i < said[1] && !evaluations[w.stem]:
		case n.known(i):
			known++
			here += b2i(n.here(w))
		case n.neutral(i):
		default:
			fresh = append(fresh, i)
		}
	}
	if len(fresh) > 0 {
		n.lacking()
		all := len(fresh)
		fresh = slices.DeleteFunc(fresh, func(i int) bool { return n.rewords(&n.claim.words[i]) })
		known += all - len(fresh)
		here += all - len(fresh)
	}
	return fresh, known, here
}

// here reports whether a known word stands where the quote speaks of what the sentence does.
func (n *novelty) here(w *word) bool {
	at := n.there(w)
	if n.quote.sents <= fewSents || len(at) == 0 {
		return true
	}
	for _, j := range at {
		if j >= n.m.quoteAt[0] && j < n.m.quoteAt[1] {
			return true
		}
	}
	return false
}

// attributes is the part of a sentence that says who says the rest: to its reporting verb, or from it on at its end.
// checkSpeaker judges it.
func (t *text) attributes(at [2]int) [2]int {
	for i := at[0]; i < at[1]; i++ {
		if !reporting[t.words[i].s] || i > at[0] && be[t.words[i-1].s] {
			continue
		}
		if t.words[i].s == "according" {
			to := i
			for to < at[1] && t.words[to].clause == t.words[i].clause {
				to++
			}
			return [2]int{i, to}
		}
		from := i
		for from > at[0] && t.words[from-1].clause == t.words[i].clause {
			from--
		}
		if from == at[0] && i-from <= 6 || from > at[0] {
			return [2]int{from, i + 1}
		}
	}
	return [2]int{}
}

// known reports whether the word at i stands in the quote or beside it, in whatever form.
func (n *novelty) known(i int) bool {
	w := &n.claim.words[i]
	if n.stands(w) {
		return true
	}
	c := n.claim.compound(i)
	for _, t := range []*text{n.quote, n.context, n.around} {
		if t.compounds(c) || len(w.s) > 3 && t.family(w.s) || !n.english && t.inflected(w.s) {
			return true
		}
	}
	return n.quote.abbreviates(n.claim, i) || n.context.abbreviates(n.claim, i)
}

// neutral reports whether other rules judge the word at i, or it says nothing by itself.
func (n *novelty) neutral(i int) bool {
	w := &n.claim.words[i]
	switch {
	case light[w.s], hedges[w.s], strength[w.s] > 0, exclusiveWords[w.s], association[w.s], proofs[w.s]:
		return true
	case n.figures && lightOfFigures[w.s]:
		return true
	case n.english && w.capital && n.claim.firstOf(i) && !n.subject() && len(related().readings(nil, w.s)) == 0:
		return true // who "it" is
	case n.english && n.claim.nameAt(i), n.english && w.capital && !n.claim.firstOf(i):
		return true // checkNames has looked at it
	case units[w.s].dim != "":
		for _, f := range n.quote.figures {
			if f.unit.dim == units[w.s].dim {
				return true
			}
		}
	}
	return false
}

// narrows reports whether the word at i says more of what is denied or a condition, and so makes the claim less: it stands in the place of
// no word of the quote, or of one with a wider meaning.
func (n *novelty) narrows(i int, f *frame) bool {
	w := &n.claim.words[i]
	if evaluations[w.stem] || !n.claim.downward(i) || !f.denied(i) {
		return false
	}
	if k := n.claim.determiner(i); k >= f.m.claimAt[0] && f.to[k-f.m.claimAt[0]] >= 0 {
		return false // the quote speaks of that thing
	}
	a, b := f.gap(i, i+1)
	if f.replaced(a, b) == 0 {
		return true
	}
	mine := related().readings(nil, w.s)
	for j := a; j < b; j++ {
		if q := &n.quote.words[j]; q.content && !n.said(q) && related().covers(related().readings(nil, q.s), mine) {
			return true
		}
	}
	return false
}

// subject reports whether the sentence of the quote begins with a name.
func (n *novelty) subject() bool {
	w := n.quote.at(n.m.quoteAt[0])
	return n.m.sent >= 0 && w.capital && !functionWords[w.s]
}

// rewords reports whether a new word is another word for one of the quote's that the claim does not have.
func (n *novelty) rewords(w *word) bool {
	mine := readingOf(w, nil)
	said := func(q reading) bool { return q.said(&mine) }
	return slices.ContainsFunc(n.own, said) || slices.ContainsFunc(n.unsaid, said)
}

// lacking reads the words of the quote that the claim does not have: the first of them once for all sentences of the claim,
// and of a long quote those of the sentence that this one is about.
func (n *novelty) lacking() {
	if n.unsaid == nil {
		n.unsaid = n.pair.lacking(0, len(n.quote.words))
	}
	if len(n.unsaid) == maxRelated {
		n.own = n.pair.lacking(n.m.quoteAt[0], n.m.quoteAt[1])
	}
}

// lacking lists words of a range of the quote that the claim does not have.
func (p *pair) lacking(from, to int) []reading {
	out := make([]reading, 0, min(to-from, maxRelated)/2)
	seen := make([]bool, len(p.quote.ids))
	room := make([]int32, 0, 4*cap(out))
	for i := from; i < to; i++ {
		q := &p.quote.words[i]
		if q.kind == letters && len(q.s) > 2 && !q.often && !seen[q.id] && !p.said(q) && (q.is&functional == 0 || len(groups()[q.stem]) > 0) {
			seen[q.id] = true
			r := readingOf(q, room)
			if room = append(room[len(room):], r.meanings...)[len(r.meanings):]; cap(room) < maxRelated/8 {
				room = make([]int32, 0, maxRelated)
			}
			if out = append(out, r); len(out) == maxRelated {
				break
			}
		}
	}
	return out
}
