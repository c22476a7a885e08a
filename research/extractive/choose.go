package extractive

import (
	"strings"

	"ibid/internal/lazyregexp"
)

const (
	sameText  = 0.6  // similarity from which two sentences say the same
	sameShare = 0.85 // or the share of the shorter one that the other holds
	relative  = 0.7  // of the best score that a further finding needs
	relaxed   = 0.6  // the same, for the first few of a part
	worded    = 0.5  // the same, where answers are worded in many ways: causes, means
	factual   = 0.75 // the same, where a fact of a few words answers
	few       = 3
	usedAgain = 0.6 // factor for a source that has a finding for the part
	lambda    = 0.7 // of a sentence's score against what it repeats (maximal marginal relevance)
)

// A pick is a sentence chosen for a part.
type pick struct {
	scored
	part string // id
}

// choose picks the evidence for every part: the best sentences that are not recorded yet, that no other one repeats, of
// different sources before the same one, with those that state another number on the same matter.
func (n *notes) choose(r *reader, parts []part) []pick {
	all := n.pool(r.lang, parts)
	w := all.weights(parts)
	c := chooser{notes: n, have: map[string]int{}, used: map[string]bool{}, barred: map[string]bool{}}
	for _, f := range n.recorded {
		source, _, _ := strings.Cut(f.Span, ":")
		c.note(f.Quote, source, f.Subquestion)
	}
	for _, f := range n.refused {
		c.barred[fold(f.Quote)] = true
	}
	lists := make([][]scored, len(parts))
	for i, p := range parts {
		lists[i] = weigh(r, p, all, w)
	}
	c.settle(parts, lists)
	var picks []pick
	for i, p := range parts {
		picks = append(picks, c.part(p, lists[i], n.quota(p.ask, len(parts)))...)
		if p.compares != nil && c.have[p.ID] == 0 {
			picks = append(picks, c.pair(p, all)...)
		}
	}
	return picks
}

// quota is how many findings a part may have: more for a question of one part, fewer where a fact answers, and more
// after each further round.
func (n *notes) quota(a ask, parts int) int {
	base := 2
	switch {
	case parts == 1 && !a.short():
		base = 5
	case parts <= 2 && !a.short():
		base = 4
	case parts <= 4:
		base = 3
	}
	if n.depth == "deep" {
		base++
	}
	return base + max(0, n.gathers-1)
}

// least is the share of the best score that the next finding of a part needs.
func (a ask) least(have int) float64 {
	switch {
	case a == askWhy, a == askHow:
		return worded
	case a.short():
		return factual
	case have < few:
		return relaxed
	}
	return relative
}

type said struct {
	text, part string
	shingles   map[uint32]bool
	numbers    map[string]bool
}

type chooser struct {
	*notes
	have   map[string]int  // findings by part
	used   map[string]bool // part and source
	barred map[string]bool // refused quotes
	said   []said
}

func (c *chooser) note(text, source, part string) {
	c.have[part]++
	c.used[part+" "+source] = true
	c.said = append(c.said, said{text, part, shingles(text), numbers(text)})
}

// settle gives a sentence that could serve several parts to the one it fits best, unless another part has nothing else.
func (c *chooser) settle(parts []part, lists [][]scored) {
	best := map[*sentence]float64{}
	for _, list := range lists {
		for _, s := range list {
			best[s.sentence] = max(best[s.sentence], s.fit)
		}
	}
	for i, list := range lists {
		var own []scored
		for _, s := range list {
			if s.fit >= best[s.sentence] {
				own = append(own, s)
			}
		}
		if len(own) > 0 {
			lists[i] = own
		}
	}
}

// part picks for one part: each time the sentence whose score is highest when what it repeats is taken off.
func (c *chooser) part(p part, list []scored, quota int) []pick {
	var picks []pick
	list = p.fullest(append([]scored(nil), list...))
	top := 0.0
	if len(list) > 0 {
		top = list[0].score
	}
	for i := range list {
		if list[i].score < p.ask.least(few)*top && list[i].score < p.ask.least(0)*top {
			break // these are too weak to be taken
		}
		list[i].shingles = shingles(list[i].text)
	}
	for _, s := range c.said {
		if s.part == p.ID {
			approach(list, s.shingles)
		}
	}
	for c.have[p.ID] < quota {
		best := c.next(p, list, p.ask.least(c.have[p.ID])*top)
		if best < 0 {
			break
		}
		s := list[best]
		list[best].score = 0
		if c.repeats(s.text, p.ID, p.ask.short()) || c.have[p.ID] > 0 && !c.adds(p, s) {
			continue
		}
		c.note(s.text, s.source, p.ID)
		approach(list, s.shingles)
		picks = append(picks, pick{s, p.ID})
	}
	return append(picks, c.contrary(p, list, picks)...)
}

// next is the place of the best sentence of a list, or -1.
func (c *chooser) next(p part, list []scored, least float64) int {
	best, bestValue := -1, 0.0
	for i, s := range list {
		v := s.marginal()
		if c.used[p.ID+" "+s.source] {
			v *= usedAgain
		}
		if v > bestValue && s.score >= least && !c.barred[fold(s.text)] {
			best, bestValue = i, v
		}
	}
	return best
}

// marginal is a score with what the sentence repeats taken off.
func (s *scored) marginal() float64 { return lambda*s.score - (1-lambda)*s.near }

// approach notes how near sentences are to one that was chosen.
func approach(list []scored, to map[uint32]bool) {
	for i := range list {
		if list[i].score > 0 && list[i].shingles != nil {
			list[i].near = max(list[i].near, jaccard(list[i].shingles, to))
		}
	}
}

// repeats says whether a sentence says again what another one said; short, what another one for the part did. The same words with other numbers say something
// else.
func (c *chooser) repeats(text, part string, short bool) bool {
	mine, figures := shingles(text), numbers(text)
	for _, s := range c.said {
		if s.part != part && short { // one sentence may hold two facts that were asked for
			continue
		}
		if s.text == text {
			return true
		}
		again := jaccard(mine, s.shingles) >= sameText || within(mine, s.shingles) >= sameShare || s.part == part && within(s.shingles, mine) >= sameShare
		if again && !differ(figures, s.numbers) {
			return true
		}
	}
	return false
}

// contrary adds, for what was picked, a sentence of another source that gives another number for the same matter, or
// says the opposite of it: at most one for each pick.
func (c *chooser) contrary(p part, list []scored, picks []pick) []pick {
	var more []pick
	for _, chosen := range picks {
		figures := numbers(chosen.text)
		for _, s := range list {
			if s.source == chosen.source || shared(chosen.all, s.all) < 3 {
				continue
			}
			other := differ(figures, numbers(s.text)) && sameUnit(chosen.text, s.text) && s.coverage >= besideIt*chosen.coverage
			if !other && !opposed(chosen.scored, s) || c.barred[fold(s.text)] || other && c.repeats(s.text, p.ID, false) {
				continue
			}
			c.note(s.text, s.source, p.ID)
			more = append(more, pick{s, p.ID})
			break
		}
	}
	return more
}

var figure = lazyregexp.New(`(?:[$€£]\s?)?\d[\d.,]*(?:\s?%|[\p{L}]+)?(?:[\s-]+\p{L}+)?`)

// numbers are the figures of a text with their digits alone.
func numbers(s string) map[string]bool {
	out := map[string]bool{}
	for _, m := range bare.FindAllString(s, -1) {
		out[strings.TrimRight(strings.ReplaceAll(m, ",", ""), ".")] = true
	}
	return out
}

var bare = lazyregexp.New(`\d[\d.,]*`)

// differ says whether both have figures and none in common.
func differ(a, b map[string]bool) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	for n := range a {
		if b[n] {
			return false
		}
	}
	return true
}

// sameUnit says whether two texts have figures with one unit.
func sameUnit(a, b string) bool {
	have := map[string]bool{}
	for _, u := range units(a) {
		have[u] = true
	}
	for _, u := range units(b) {
		if have[u] {
			return true
		}
	}
	return false
}

// units are the units of a text's figures: a sign in front or behind, or the word that follows.
func units(s string) []string {
	var out []string
	for _, m := range figure.FindAllString(s, -1) {
		u := strings.TrimFunc(m, func(c rune) bool { return c >= '0' && c <= '9' || strings.ContainsRune("., -\n", c) })
		u = strings.ToLower(strings.Trim(strings.TrimLeft(u, "0123456789., "), " "))
		if strings.ContainsAny(m, "$€£") {
			u = strings.Trim(m[:3], "0123456789 ")
		} else if strings.Contains(m, "%") {
			u = "%"
		}
		if u != "" && !stopWords[u] {
			out = append(out, strings.TrimSuffix(u, "s"))
		}
	}
	return out
}

// shared counts the distinct terms that two texts have in common.
func shared(a, b []string) int {
	in := map[string]bool{}
	for _, t := range a {
		in[t] = true
	}
	n := 0
	for _, t := range b {
		if in[t] {
			n++
			delete(in, t)
		}
	}
	return n
}
