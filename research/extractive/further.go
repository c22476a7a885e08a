package extractive

import "slices"

// fullest leaves out, of the sentences for a part, those that lack a word of it which the best ones have: beside a
// sentence on all that is asked, one on a part of it is only about the same matter.
func (p part) fullest(list []scored) []scored {
	if len(p.terms) < 2 || p.sides[0] != nil {
		return list
	}
	least, names := len(p.terms), len(p.terms)
	for _, s := range list {
		least, names = min(least, p.unmet(s, false)), min(names, p.unmet(s, true))
	}
	if (p.remedy || p.ask == askList) && len(p.terms) >= fewTerms { // one that helps, or one of several, is told without all of the question
		least++
	}
	return slices.DeleteFunc(list, func(s scored) bool { return p.unmet(s, false) > least || p.unmet(s, true) > names })
}

// unmet is how many terms of a part, or of its names, neither a sentence nor what it stands under has.
func (p part) unmet(s scored, named bool) (n int) {
	for _, t := range p.terms {
		if named && !t.name {
			continue
		}
		if s.above[t.stem] == 0 && !slices.Contains(s.terms, t.stem) && !slices.ContainsFunc(t.alts, func(k string) bool {
			return slices.Contains(s.terms, k) || s.above[k] > 0
		}) {
			n++
		}
	}
	return n
}

// adds says whether a further sentence for a part says something that those it has do not: of a fact, another source, or
// another number; of a reason or a way, one more.
func (c *chooser) adds(p part, s scored) bool {
	answers := p.answered(s.sentence) > 0
	switch p.ask {
	case askWhy:
		return answers
	case askHow: // beside what does not say it in so many words, too
		return answers || !slices.ContainsFunc(c.said, func(x said) bool { return x.part == p.ID && manner.MatchString(x.text) })
	case askWho, askWhen, askCount, askWhere:
		if !answers {
			return false
		}
	default:
		return true
	}
	if !c.used[p.ID+" "+s.source] {
		return true
	}
	have := map[string]bool{}
	for _, x := range c.said {
		if x.part == p.ID {
			for f := range x.numbers {
				have[f] = true
			}
		}
	}
	for f := range numbers(s.text) {
		if !have[f] {
			return p.ask == askCount || p.ask == askWhen
		}
	}
	return false
}
