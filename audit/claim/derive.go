package claim

import (
	"fmt"
	"math"
	"slices"
)

// maxKnown is the most figures of a quote from which a derived one is taken: out of more nearly any other can be made.
const maxKnown = 5

// derives reports whether a figure that the claim declares as computed follows from the figures of the quote, and how.
// If it is declared and does not follow, op names the figures and ok is false; if nothing is declared, op is "".
func (p *pair) derives(c *figure) (op string, ok bool) {
	known := make([]figure, 0, maxKnown+1)
	for _, q := range p.quote.figures {
		if !q.ordinal && !q.weak && !q.name && q.label == "" {
			known = append(known, q)
		}
	}
	if op := p.elapsed(c); op != "" {
		return op, true
	}
	if op := p.summed(c, known); op != "" {
		return op, true
	}
	if !p.claim.declared(c) || len(known) == 0 || len(known) > maxKnown {
		return "", false
	}
	if c.unit.dim == "ratio" || c.part {
		for _, x := range known {
			if (x.unit.dim == "ratio" || x.unit.dim == "" && x.value < 1 && !x.inWords) && meets(c, 1-x.value*factor(x)) {
				return fmt.Sprintf("the whole less %s", p.quote.span(x.from, x.to)), true
			}
		}
	}
	for i, x := range known {
		for j, y := range known {
			if i == j || !x.unit.same(y.unit) && x.unit.dim != "" && y.unit.dim != "" {
				continue
			}
			if op := c.from2(x, y); op != "" {
				return fmt.Sprintf("%s %s %s", p.quote.span(x.from, x.to), op, p.quote.span(y.from, y.to)), true
			}
		}
	}
	if len(known) < 2 {
		return "", false
	}
	return fmt.Sprintf("%s, %s", p.quote.span(known[0].from, known[0].to), p.quote.span(known[1].from, known[1].to)), false
}

// elapsed is the span of years of the quote that lasts as long as c says, "" if there is none.
func (p *pair) elapsed(c *figure) string {
	if c.unit.factor != units["year"].factor && !(c.unit.dim == "" && slices.Contains(c.noun, "season")) {
		return ""
	}
	ds := p.quote.dates
	for i, a := range ds {
		for _, b := range ds[i+1:] {
			if n := b.y - a.y; a.y != 0 && b.y != 0 && (float64(n) == c.value || float64(n-1) == c.value && a.m != 0) {
				return p.quote.span(a.from, a.to) + " to " + p.quote.span(b.from, b.to)
			}
		}
	}
	return ""
}

// summed is the sum of two counts of the quote of the same thing that c is, "" if there is none.
func (p *pair) summed(c *figure, known []figure) string {
	if c.unit.dim != "" || len(c.noun) == 0 || len(known) > maxKnown {
		return ""
	}
	counts := func(q figure) bool {
		return q.unit.dim == "" && !q.part && slices.ContainsFunc(q.noun, func(n string) bool { return slices.Contains(c.noun, n) })
	}
	for i, x := range known {
		for _, y := range known[i+1:] {
			if counts(x) && counts(y) && x.value+y.value == c.value {
				return p.quote.span(x.from, x.to) + " and " + p.quote.span(y.from, y.to)
			}
		}
	}
	return ""
}

// from2 is the operation that makes c of two figures, "" if none does.
func (c *figure) from2(x, y figure) string {
	a, b := x.value*factor(x), y.value*factor(y)
	if c.unit.dim == "" && x.unit == y.unit { // 0.3 points between two percentages
		a, b = x.value, y.value
	}
	if b == 0 {
		return ""
	}
	ratio := c.unit.dim == "ratio" || c.part || c.unit.dim == "times"
	switch {
	case c.unit.dim == "times" && c.inWords && close(c.value, a/b, 0.08): // who doubles does not say twice to the hundredth
		return "against"
	case ratio && (meets(c, a/b) || meets(c, math.Abs(a-b)/b)):
		return "against"
	case ratio:
		return ""
	case c.unit.dim != "" && x.unit.dim != "" && !c.unit.same(x.unit):
		return ""
	case a > b && meets(c, a-b):
		return "less"
	case meets(c, a+b):
		return "and"
	}
	return ""
}

// meets reports whether c states a computed value, which may be rounded to its last place.
func meets(c *figure, v float64) bool {
	x := c.value * factor(*c)
	step := c.step * factor(*c)
	return close(x, v, 0.011) || step > 0 && step < x && math.Abs(x-v) <= step/2*1.0001
}

// declared reports whether the words around a figure say that it is computed: by 12, 12 more, a total of, 63 percent of.
func (t *text) declared(c *figure) bool {

	for k := c.from - 3; k < c.from; k++ {
		if declareBefore[t.at(k).s] && t.at(k).sent == t.words[c.from].sent {
			return true
		}
	}
	for k := c.to; k < c.to+3; k++ {
		if declareAfter[t.at(k).s] && t.at(k).sent == t.words[c.from].sent {
			return true
		}
	}
	return c.unit.dim == "times" && c.inWords || c.unit.dim == "ratio" && t.at(c.to).s == "of"
}

var (
	declareBefore = set(`by difference differ differs total combined together altogether sum average gap margin totalling totaling`)
	declareAfter  = set(`more fewer less higher lower longer shorter larger smaller faster slower cheaper apart combined altogether increase decrease rise drop fall
		growth decline reduction total`)
)
