package audit

import (
	"slices"
	"strings"

	"ibid/audit/claim"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// checkColumns judges the head of a table. Years and quarters name columns; any other figure is a claim.
func (c *checker) checkColumns(b *block) {
	s := b.statement(Range{0, len(b.text)})
	c.head = s.text
	rest := years.ReplaceAllString(s.text, " ")
	sentence := slices.ContainsFunc(b.cells, func(cell Range) bool { return isSentence(b.without(cell)) })
	if len(b.mentions) > 0 || !HasNumber(rest) && !asserts(rest) {
		for _, m := range b.mentions {
			c.cite(b, m, s)
		}
		return
	}
	if cs := c.recorded(c.covering(b)); len(cs) > 0 {
		c.claims++
		c.support(b, s, []citedGroup{{Range{s.End, s.End}, cs}})
		return
	}
	if HasNumber(rest) || sentence {
		c.claims++
		c.pending = append(c.pending, s)
	}
}

// isSentence reports whether the head of a column says that something is so, and does not only name what stands below it:
// "Boats lost", "Share of boats that were lost".
func isSentence(head string) bool {
	if isQuestion(head) || nounClause(head) {
		return false
	}
	if m := relative.FindStringIndex(head); m != nil {
		head = head[:m[0]]
	}
	return len(words(head)) > 3 && asserts(head)
}

var relative = lazyregexp.New(`(?i)\b(?:that|who|whom|whose|which|what|where|when|why|how|whether|if|as)\b`)

// namedScale matches where a head or a cell says what its figures are counted in: "Cost, in million crowns", "Tickets (thousands)".
var namedScale = lazyregexp.New(`(?i)(?:\bin|[(,])\s*(?:[$€£]\s?)?(thousand|million|billion|trillion)s?\b`)

// scaleNamed is the scale that a text names, 1 if it names none or several.
func scaleNamed(text string) float64 {
	scale := 1.0
	for _, m := range namedScale.FindAllStringSubmatch(text, -1) {
		n := map[string]float64{"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}[strings.ToLower(m[1])]
		if scale != 1 && n != scale {
			return 1
		}
		scale = n
	}
	return scale
}

// placeholders stand in a cell for which there is nothing.
var placeholders = set(`- – — … n/a na none unknown unstated ? . not_stated not_reported not_given not_found not_known no_figure no_data not_established`)

// checkRow judges a row of a table as one claim: its cells are read together.
func (c *checker) checkRow(b *block) {
	s := b.statement(Range{0, len(b.text)})
	c.checkComputed(b, s)
	filled := 0
	var said []string
	for i, cell := range b.cells {
		t := b.without(cell)
		if len(words(t)) == 0 || placeholders[strings.ReplaceAll(strings.ToLower(strings.Trim(t, ". ")), " ", "_")] {
			continue
		}
		if i == 0 && t == b.count {
			continue // the row's own number
		}
		filled++
		said = append(said, t)
	}
	s.text = strings.Join(said, " ")
	s.stems, s.figs = stems(s.text), claim.Numbers(strings.Join(said, " ; "))
	if filled == 0 || filled == 1 && !HasNumber(s.text) && !asserts(s.text) {
		for _, m := range b.mentions {
			c.cite(b, m, s)
		}
		return
	}
	c.claims++
	var cites []evidence.Citation
	marked := false
	for _, m := range b.mentions {
		marked = true
		cites = append(cites, c.cite(b, m, s)...)
	}
	if !marked {
		cites = c.recorded(c.covering(b))
	}
	if len(cites) == 0 {
		if !marked {
			c.pending = append(c.pending, s)
		}
		return
	}
	c.said = append(c.said, s)
	g := c.joint(cites)
	scale := scaleNamed(c.head + "\n" + strings.Join(said, "\n"))
	for _, f := range s.figs {
		if scaled := f; scale > 1 && !f.In(g.figs) {
			if scaled.Value *= scale; slices.ContainsFunc(g.figs, scaled.Same) {
				f = scaled
			}
		}
		c.supportFigure(b, s, f, g)
	}
	c.checkNumerals(b, s, cites)
	c.supportWords(b, s, g)
	c.checkQuotations(b, s.Range, cites)
}
