package audit

import (
	"strings"

	"ibid/audit/claim"
	"ibid/evidence"
)

// checkColumns judges the head of a table. Years and quarters name columns; any other figure is a claim.
func (c *checker) checkColumns(b *block) {
	s := b.statement(Range{0, len(b.text)})
	rest := years.ReplaceAllString(s.text, " ")
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
	if HasNumber(rest) {
		c.claims++
		c.pending = append(c.pending, s)
	}
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
	for _, f := range s.figs {
		c.supportFigure(b, s, f, g)
	}
	c.supportWords(b, s, g)
	c.checkQuotations(b, s.Range, cites)
}
