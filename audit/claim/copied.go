package claim

import "fmt"

// checkCopied compares the figures and dates of a claim that is nearly a copy of a sentence with those that stand in
// their places there: a figure that the quote has somewhere else does not make the claim true.
func (p *pair) checkCopied() {
	for _, m := range p.align {
		if !m.copied {
			continue
		}
		for _, e := range m.edits {
			if e.claim[0] < e.claim[1] && e.quote[0] < e.quote[1] {
				p.copiedDates(e, m)
				p.copiedFigures(e, m)
			}
		}
	}
}

func (p *pair) copiedDates(e edit, m match) {
	for _, c := range p.claim.dates {
		if !overlaps(c.from, c.to, e.claim) {
			continue
		}
		for _, d := range p.quote.dates {
			if overlaps(d.from, d.to, e.quote) && (c.y == 0) == (d.y == 0) && c.bound == on && c.in(d) == absent && !p.dateMoved(c, m) {
				said, there := p.claim.span(c.from, c.to), p.quote.span(d.from, d.to)
				p.add(DateConflict, Block, said, there, fmt.Sprintf("The claim says %q where the quote says %q.", said, there))
			}
		}
	}
}

// dateMoved reports whether a date that makes c true is among the words that the claim leaves out: then its words stand in
// another order.
func (p *pair) dateMoved(c date, m match) bool {
	for _, d := range p.quote.dates {
		if m.leavesOut(d.from, d.to) && c.in(d) == fits {
			return true
		}
	}
	return false
}

// leavesOut reports whether the words from … to of the quote are among those that the claim replaces.
func (m match) leavesOut(from, to int) bool {
	for _, e := range m.edits {
		if overlaps(from, to, e.quote) {
			return true
		}
	}
	return false
}

func (p *pair) copiedFigures(e edit, m match) {
	for _, c := range p.claim.figures {
		if !overlaps(c.from, c.to, e.claim) || c.weak {
			continue
		}
		var other *figure
		equal := false
		for i := range p.quote.figures {
			q := &p.quote.figures[i]
			if q.ordinal != c.ordinal || !m.leavesOut(q.from, q.to) {
				continue
			}
			how := c.compare(*q)
			equal = equal || how == same || how == noUnit || c.isShare(*q) || c.ordinal && c.value == q.value
			if overlaps(q.from, q.to, e.quote) {
				other = q
			}
		}
		said := p.claim.span(c.from, c.to)
		if other == nil || equal || p.explained(Derived, said) {
			continue
		}
		code := NumberConflict
		if c.ordinal {
			code = OrdinalDiffers
		}
		there := p.quote.span(other.from, other.to)
		p.add(code, Block, said, there, fmt.Sprintf("The claim says %q where the quote says %q.", said, there))
	}
}

func overlaps(from, to int, at [2]int) bool { return from < at[1] && to > at[0] }
