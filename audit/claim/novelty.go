package claim

import (
	"slices"
	"strings"
)

// A novelty tells which words of a sentence of the claim are known from the source.
type novelty struct {
	*pair
	m       match
	english bool
	figures bool // the quote has some
	own     []reading
}

// A reading is a word of the quote that the claim does not have, with its meanings.
type reading struct {
	word
	meanings []meaning
}

func (p *pair) newNovelty(m match) *novelty {
	return &novelty{pair: p, m: m, english: english(p.claim), figures: len(p.quote.figures) > 0 || len(p.quote.dates) > 0}
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
		w := n.claim.words[i]
		switch {
		case w.kind == digits:
			if w.figure && n.quote.has(w.stem) {
				known++
				here += b2n(n.here(w))
			}
		case !w.content || w.often || n.plain(i) || i >= said[0] && i < said[1] && !evaluations[w.stem]:
		case n.known(i):
			known++
			here += b2n(n.here(w))
		case n.neutral(i):
		default:
			fresh = append(fresh, i)
		}
	}
	if len(fresh) > 0 {
		n.lacking()
		all := len(fresh)
		fresh = slices.DeleteFunc(fresh, func(i int) bool { return n.rewords(n.claim.words[i]) })
		known += all - len(fresh)
		here += all - len(fresh)
	}
	return fresh, known, here
}

// here reports whether a known word stands where the quote speaks of what the sentence does.
func (n *novelty) here(w word) bool {
	if n.quote.sents <= fewSents || !n.quote.has(w.stem) {
		return true
	}
	for _, j := range n.quote.places[w.stem] {
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
	w := n.claim.words[i]
	for _, t := range []*text{n.quote, n.context, n.around} {
		if t.has(w.stem) || t.has(stem(w.s+"s")) {
			return true
		}
	}
	for _, t := range []*text{n.quote, n.context, n.around} {
		if t.compounds(n.claim, i) || len(w.s) > 3 && t.family(w.s) || !n.english && t.inflected(w.s) {
			return true
		}
	}
	return n.quote.abbreviates(n.claim, i) || n.context.abbreviates(n.claim, i)
}

// family reports whether the text has a word that a word is derived of or made of, or the other way round.
func (t *text) family(s string) bool {
	for _, q := range t.words {
		if q.kind == letters && len(q.s) > 3 && q.s[:3] == s[:3] && (kin(s, q.s) || joinedWord(s, q.s) || joinedWord(q.s, s)) {
			return true
		}
	}
	return false
}

// joinedWord reports whether one word is another with a third one behind it: rainfall, playback.
func joinedWord(long, short string) bool {
	rest, ok := strings.CutPrefix(long, cutEnding(short))
	return ok && len(rest) >= 3 && len(short) >= 4 && len(readings(rest)) > 0
}

// inflected reports whether the text has a word that differs from s in at most its last three letters, as those of other
// languages do.
func (t *text) inflected(s string) bool {
	if len(s) < 4 {
		return false
	}
	for _, q := range t.words {
		if q.kind == letters && len(q.s) > 3 && q.s[:3] == s[:3] {
			k := 0
			for k < len(q.s) && k < len(s) && q.s[k] == s[k] {
				k++
			}
			if k >= 4 && max(len(q.s), len(s))-k <= 3 || k >= 6 && max(len(q.s), len(s))-k <= 5 {
				return true
			}
		}
		if base, ok := strings.CutPrefix(q.s, "ge"); ok && len(base) > 4 && base[:4] == s[:4] {
			return true
		}
		if base, ok := strings.CutPrefix(s, "ge"); ok && len(base) > 4 && len(q.s) > 4 && base[:4] == q.s[:4] {
			return true
		}
	}
	return false
}

// compounds reports whether the text has word i of another in one word with the one beside it, or in two.
func (t *text) compounds(c *text, i int) bool {
	w := c.words[i]
	if next := c.at(i + 1); next.kind == letters && t.has(stem(w.s+next.s)) {
		return true
	}
	if before := c.at(i - 1); before.kind == letters && t.has(stem(before.s+w.s)) {
		return true
	}
	if len(w.s) < 6 {
		return false
	}
	for cut := 3; cut+3 <= len(w.s); cut++ {
		for _, j := range t.places[stem(w.s[:cut])] {
			if next := t.at(j + 1); next.kind == letters && next.s != "" && (next.s == w.s[cut:] || next.stem == stem(w.s[cut:])) {
				return true
			}
		}
	}
	return false
}

// abbreviates reports whether the text has, for word i of another, a shorter form that ends in a full stop (dept.), or the
// initials of the words that it stands among (AI).
func (t *text) abbreviates(c *text, i int) bool {
	w := c.words[i]
	for j, q := range t.words {
		if q.kind != letters || q.s == "" || len(w.s) <= len(q.s) {
			continue
		}
		if len(q.s) > 1 && q.s[0] == w.s[0] && t.at(j+1).s == "." && t.at(j+1).start == q.end && subsequence(q.s, w.s) {
			return true
		}
		if n := len(q.s); n >= 2 && n <= 5 && q.capital && t.raw[q.start:q.end] == strings.ToUpper(t.raw[q.start:q.end]) && c.initials(i, q.s) {
			return true
		}
	}
	return false
}

// subsequence reports whether the letters of a stand in b in their order.
func subsequence(a, b string) bool {
	k := 0
	for i := 0; i < len(b) && k < len(a); i++ {
		if a[k] == b[i] {
			k++
		}
	}
	return k == len(a)
}

// initials reports whether word i is one of as many in a row as s has letters, which are their initials.
func (t *text) initials(i int, s string) bool {
	for from := i - len(s) + 1; from <= i; from++ {
		ok := from >= 0
		for k := 0; ok && k < len(s); k++ {
			w := t.at(from + k)
			ok = w.kind == letters && w.s != "" && w.s[0] == s[k]
		}
		if ok {
			return true
		}
	}
	return false
}

// neutral reports whether other rules judge the word at i, or it says nothing by itself.
func (n *novelty) neutral(i int) bool {
	w := n.claim.words[i]
	switch {
	case light[w.s], hedges[w.s], strength[w.s] > 0, exclusiveWords[w.s], association[w.s], proofs[w.s]:
		return true
	case n.figures && lightOfFigures[w.s]:
		return true
	case n.english && w.capital && n.claim.firstOf(i) && !n.subject() && len(readings(w.s)) == 0:
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

// subject reports whether the sentence of the quote begins with a name.
func (n *novelty) subject() bool {
	w := n.quote.at(n.m.quoteAt[0])
	return n.m.sent >= 0 && w.capital && !functionWords[w.s]
}

// rewords reports whether a new word is another word for one of the quote's that the claim does not have.
func (n *novelty) rewords(w word) bool {
	mine := readings(w.s)
	return slices.ContainsFunc(n.own, func(q reading) bool { return q.said(w, mine) }) || slices.ContainsFunc(n.unsaid, func(q reading) bool { return q.said(w, mine) })
}

// said reports whether a word with some meanings is another word for q.
func (q reading) said(w word, mine []meaning) bool {
	return (grouped(w.stem, q.stem) || covers(mine, q.meanings)) && !opposites(w, q.word)
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
	out := []reading{}
	seen := map[string]bool{}
	for _, q := range p.quote.words[from:to] {
		if q.kind == letters && len(q.s) > 2 && !q.often && (!functionWords[q.s] || len(groups()[q.stem]) > 0) && !seen[q.stem] && !p.claim.has(q.stem) {
			seen[q.stem] = true
			if out = append(out, reading{q, readings(q.s)}); len(out) == maxRelated {
				break
			}
		}
	}
	return out
}

func b2n(b bool) int {
	if b {
		return 1
	}
	return 0
}
