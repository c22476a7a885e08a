package audit

import (
	"slices"
	"strings"

	"ibid/audit/claim"
	"ibid/evidence"
)

// ground is what was recorded at a span, and what stands around it.
type ground struct {
	stems   map[string]bool // of claims and quotes
	figs    []claim.Number
	context map[string]bool // of the span, its heading and its source's title
	around  []string        // the span, its heading and title, which are rarely looked through for figures
	names   string          // all of it as text, in lower case
}

func (c *checker) groundAt(k evidence.Key) *ground {
	if g := c.ground[k]; g != nil {
		return g
	}
	g := &ground{stems: map[string]bool{}, context: map[string]bool{}}
	var names strings.Builder
	for _, i := range c.findings[k] {
		f := c.rec.Findings[i]
		for _, t := range []string{f.Claim, f.Quote} {
			addStems(g.stems, t)
			g.figs = append(g.figs, claim.Numbers(t)...)
			names.WriteString(t + "\n")
		}
	}
	if s, ok := c.span(k); ok {
		g.around = append(g.around, s.Text, s.Heading)
	}
	if s := c.sources[k.Source]; s != nil {
		g.around = append(g.around, s.Title, s.Publisher, s.Author, s.Published)
	}
	for _, t := range g.around {
		addStems(g.context, t)
		names.WriteString(t + "\n")
	}
	g.names = strings.ToLower(names.String())
	c.ground[k] = g
	return g
}

// joint is the ground of several spans together.
func (c *checker) joint(cs []evidence.Citation) *ground {
	if len(cs) == 1 {
		return c.groundAt(evidence.Key(cs[0]))
	}
	g := &ground{stems: map[string]bool{}, context: map[string]bool{}}
	for i, ci := range cs {
		if slices.Contains(cs[:i], ci) {
			continue
		}
		o := c.groundAt(evidence.Key(ci))
		for w := range o.stems {
			g.stems[w] = true
		}
		for w := range o.context {
			g.context[w] = true
		}
		g.figs = append(g.figs, o.figs...)
		g.around = append(g.around, o.around...)
		g.names += o.names
	}
	return g
}

// beside reports whether a figure stands around what was recorded.
func (g *ground) beside(f claim.Number) bool {
	return slices.ContainsFunc(g.around, func(t string) bool { return slices.ContainsFunc(claim.Numbers(t), f.Same) })
}

// carries is the share of the words of s that the ground has, claims, quotes and context taken together.
func (g *ground) carries(s map[string]bool) float64 {
	if len(s) == 0 {
		return 1
	}
	n := 0
	for w := range s {
		if g.stems[w] || g.context[w] {
			n++
		}
	}
	return float64(n) / float64(len(s))
}

// finding is the key, printed, of the finding that says most of a statement, if it says at least that share of it and
// all of its figures.
func (c *checker) finding(s map[string]bool, figs []claim.Number, least float64) string {
	best, at := least, ""
	for _, f := range c.rec.Findings {
		if f.Rejected != "" || len(s) < 2 {
			continue
		}
		g := c.groundAt(f.Key())
		in, of := share(s, g.stems)
		if p := float64(in) / float64(of); p > best || p == best && at == "" {
			if !slices.ContainsFunc(figs, func(x claim.Number) bool { return !x.In(g.figs) }) {
				best, at = p, evidence.Citation(f.Key()).String()
			}
		}
	}
	return at
}
