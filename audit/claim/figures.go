package claim

import (
	"fmt"
	"slices"
)

// checkFigures looks for each figure of the claim in the quote.
func (p *pair) checkFigures() {
	for i := range p.claim.figures {
		if f := &p.claim.figures[i]; !f.ordinal && !f.weak {
			p.checkFigure(f)
		}
	}
}

func (p *pair) checkFigure(c *figure) {
	said := p.claim.span(c.from, c.to)
	if c.name || c.label != "" {
		p.checkLabel(c, said)
		return
	}
	q, how := p.find(c)
	there := ""
	if q != nil {
		there = p.quote.span(q.from, q.to)
	}
	switch how {
	case same:
		p.checkBound(c, q, said)
		p.checkRole(c, q, said)
		return
	case otherUnit:
		p.add(UnitConflict, Block, said, there, fmt.Sprintf("The claim says %q, the quote %q. Use the unit of the quote, or convert the figure.", said, there))
		return
	case noUnit:
		if c.unit.dim != "times" {
			p.add(UnitAbsent, Flag, said, there, fmt.Sprintf("The quote says %q, and no unit; the claim has it in %s. Make sure that this is the unit, or quote the words that have it.", there, c.unit.name))
		}
		return
	}
	if p.countedAsYear(c) {
		return
	}
	if op, ok := p.derives(c); ok {
		p.add(Derived, Flag, said, op, fmt.Sprintf("%q is computed from the quote (%s). Say so, or use its own figures.", said, op))
		return
	} else if op != "" {
		p.add(DerivedWrong, Block, said, op, fmt.Sprintf("%q does not follow from the figures of the quote (%s). Compute it again, or use the quote's own figures.", said, op))
		return
	}
	for _, t := range []*text{p.context, p.around} {
		for i := range t.figures {
			if g := &t.figures[i]; !g.ordinal && c.equal(*g) {
				p.add(NumberAbsent, Flag, said, t.span(g.from, g.to), fmt.Sprintf("The figure %q stands beside the quote and not in it. Quote the words that have it.", said))
				return
			}
		}
	}
	p.missing(c, said)
}

// checkRole looks whether the quote says of another figure of the same unit what the claim says of this one.
func (p *pair) checkRole(c, q *figure, said string) {
	if q == nil || c.unit.dim == "" {
		return
	}
	at := p.common(c.from, q.from)
	for i := range p.quote.figures {
		r := &p.quote.figures[i]
		if r == q || r.ordinal || r.unit.dim != c.unit.dim || r.value == q.value || c.bound == exact && p.claimFigure(r) {
			continue
		}
		if n := p.common(c.from, r.from); n >= at+2 {
			there := p.quote.about(r.from)
			code := NumberRole
			if c.bound == atLeast || c.bound == atMost {
				code = BoundFlip
			}
			p.add(code, Flag, p.claim.about(c.from), there, fmt.Sprintf("What the claim says of %q the quote seems to say of %q.", said, p.quote.span(r.from, r.to)))
			return
		}
	}
}

// claimFigure reports whether the claim has a figure of the quote too.
func (p *pair) claimFigure(r *figure) bool {
	return slices.ContainsFunc(p.claim.figures, func(c figure) bool { return c.equal(*r) })
}

// missing notes that the quote has not a figure, and which one it has instead.
func (p *pair) missing(c *figure, said string) {
	q := p.rival(c)
	if c.bound == atLeast || c.bound == atMost {
		if q != nil && q.bound != exact && q.bound != about && q.bound != c.bound && close(c.value, q.value, 1e-9) {
			return
		}
	}
	small := c.value <= 12 && c.value == float64(int(c.value)) && c.unit.dim == "" || c.part && c.inWords && q == nil
	if q == nil {
		s := Block
		if small || c.unit.dim == "times" {
			s = Flag
		}
		p.add(NumberAbsent, s, said, "", fmt.Sprintf("The quote has no figure %q. Quote the words that have it, or take it out.", said))
		return
	}
	there := p.quote.span(q.from, q.to)
	s := Block
	if c.bound == atLeast && c.unit.same(q.unit) && q.value*factor(*q) >= c.value*factor(*c) && q.bound != atMost {
		p.add(BoundFlip, Flag, said, there, fmt.Sprintf("%q is true of %q and says much less. Use the figure of the quote.", said, there))
		return
	}
	if small && (c.of == 0 || c.of != q.of) && (len(c.noun) == 0 || !slices.Contains(q.noun, c.noun[0])) {
		s = Flag
	}
	p.add(NumberConflict, s, said, there, fmt.Sprintf("The claim says %q, the quote %q. Use the figure of the quote, or quote the words that have yours.", said, there))
}

// rival is the figure of the quote that stands for c there: of the same unit or count, the nearest by what is said of it.
func (p *pair) rival(c *figure) *figure {
	best, at := -1, (*figure)(nil)
	for i := range p.quote.figures {
		q := &p.quote.figures[i]
		if q.ordinal || q.weak || q.name || q.label != "" {
			continue
		}
		like := c.ratio() && q.ratio() || c.of > 0 && c.of == q.of || c.unit.dim != "" && c.unit.same(q.unit) || c.unit.dim == "" && q.unit.dim == "" && slices.ContainsFunc(c.noun, func(n string) bool { return slices.Contains(q.noun, n) })
		n := p.common(c.from, q.from)
		if !like && (n == 0 || c.unit.dim != q.unit.dim) {
			continue
		}
		if like {
			n += 3
		}
		if n > best {
			best, at = n, q
		}
	}
	return at
}

// ratio reports whether a figure is a part of a whole.
func (c *figure) ratio() bool { return c.part || c.unit.dim == "ratio" }

// checkLabel looks for a numbered thing and for a number in a name.
func (p *pair) checkLabel(c *figure, said string) {
	for _, t := range []*text{p.quote, p.context, p.around} {
		for i := range t.figures {
			if g := t.figures[i]; close(g.value, c.value, 1e-9) {
				return
			}
		}
		if t.has(p.claim.words[c.from].stem) {
			return
		}
	}
	if c.label != "" && !c.name {
		for _, q := range p.quote.figures {
			if q.label == c.label {
				there := p.quote.span(q.from-1, q.to)
				p.add(NumberConflict, Block, p.claim.span(c.from-1, c.to), there, fmt.Sprintf("The claim says %q, the quote %q.", p.claim.span(c.from-1, c.to), there))
				return
			}
		}
	}
	whole := p.claim.span(c.from-1, c.to)
	p.add(NameAbsent, Flag, whole, "", fmt.Sprintf("The quote has no %q. Make sure that it is what the quote is about.", whole))
}

type found int

const (
	nowhere found = iota
	noUnit
	otherUnit
	same
)

// find looks for a figure in the quote.
func (p *pair) find(c *figure) (*figure, found) {
	var at *figure
	best, score := nowhere, -1
	for i := range p.quote.figures {
		q := &p.quote.figures[i]
		if q.ordinal {
			continue
		}
		how := c.compare(*q)
		if how == nowhere {
			continue
		}
		n := p.common(c.from, q.from)
		if how > best || how == best && n > score {
			best, score, at = how, n, q
		}
	}
	if best == nowhere || best == otherUnit {
		if c.of > 0 && p.fractionOf(c) {
			return nil, same
		}
		if at == nil {
			for i := range p.quote.figures { // half of the sites, for six of the twelve
				if q := &p.quote.figures[i]; c.isShare(*q) {
					return q, same
				}
			}
		}
	}
	return at, best
}

// isShare reports whether c is the share that q has of its whole: 98 percent for 412 of 420.
func (c figure) isShare(q figure) bool {
	tolerance := 0.02
	if c.bound == about || c.part && c.inWords {
		tolerance = 0.06
	}
	return q.of > 0 && !q.part && (c.part || c.unit.dim == "ratio") && close(c.value*factor(c), q.value/q.of, tolerance)
}

// fractionOf reports whether the quote states the fraction that "ten of the twelve" is.
func (p *pair) fractionOf(c *figure) bool {
	for _, q := range p.quote.figures {
		if (q.part || q.unit.dim == "ratio") && close(q.value*factor(q), c.value/c.of, 0.01) {
			return true
		}
	}
	return false
}

// compare says how figure c of the claim stands to figure q of the quote.
func (c figure) compare(q figure) found {
	switch {
	case c.bound == atLeast || c.bound == atMost:
		if c.satisfied(q) && !c.otherRate(q) {
			return same
		}
		if c.broken(q) {
			return nowhere
		}
	}
	if c.unit.dim == "ratio" && q.unit.dim == "" && !q.part && q.value < 1 && close(q.value, c.value*c.unit.factor, 1e-9) {
		return noUnit // a ratio of 0.50 for 50 percent
	}
	if !c.equal(q) {
		if c.unit.dim != "" && q.unit.dim != "" && c.unit != q.unit && close(c.value, q.value, 1e-9) && !c.part && !q.part {
			return otherUnit
		}
		return nowhere
	}
	if c.otherRate(q) {
		return otherUnit
	}
	switch {
	case c.unit.dim != "" && q.unit.dim == "" && !q.part:
		if q.step == 0 && q.inWords && len(q.noun) > 0 && c.unit.dim != "times" {
			return nowhere
		}
		return noUnit
	}
	return same
}

// otherRate reports whether two figures are for something else each: per minute and per hour.
func (c figure) otherRate(q figure) bool { return c.per != "" && q.per != "" && c.per != q.per }

// checkBound compares how exact two equal figures are meant.
func (p *pair) checkBound(c, q *figure, said string) {
	if q == nil || c.bound == q.bound || c.bound == exact || c.bound == about || q.bound == about {
		return
	}
	there := p.quote.span(q.from-3, q.to)
	mine := p.claim.span(c.from-3, c.to)
	switch {
	case q.bound == exact && close(c.value, q.value, 1e-9):
		p.add(BoundFlip, Flag, mine, there, fmt.Sprintf("%q sets a bound that the quote has not: %q.", mine, there))
	case q.bound != exact && c.bound != q.bound:
		p.add(BoundFlip, Block, mine, there, fmt.Sprintf("The claim says %q, the quote %q. Keep the side of the bound.", mine, there))
	}
}

// countedAsYear reports whether the quote has the figure as a year or as a plain word.
func (p *pair) countedAsYear(c *figure) bool {
	if c.unit.dim != "" || c.to-c.from > 1 {
		return false
	}
	s := p.claim.words[c.from].stem
	for _, t := range []*text{p.quote, p.context} {
		for _, i := range t.places(s) {
			if !t.words[i].figure {
				return true
			}
		}
		for _, d := range t.dates {
			if float64(d.y) == c.value || float64(d.d) == c.value && d.d != 0 {
				return true
			}
		}
	}
	return false
}
