package audit

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ibid/audit/claim"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// checkSentence judges a sentence of running text, of a list item or of a footnote.
func (c *checker) checkSentence(b *block, r Range) {
	s := b.statement(r)
	c.checkComputed(b, s)
	if len(words(s.text)) == 0 && !HasNumber(s.text) {
		for _, m := range b.within(r) { // citations by themselves, as in a footnote
			c.cite(b, m, s)
		}
		return
	}
	ms := b.within(r)
	var groups []citedGroup
	marked := false
	for _, m := range ms {
		if m.noted && m.problem == "" && len(m.cites) == 0 {
			continue // a note that only comments
		}
		marked = true
		if good := c.cite(b, m, s); len(good) > 0 {
			groups = append(groups, citedGroup{m.Range, good})
		}
	}
	switch {
	case len(groups) > 0:
		c.claims++
		if !c.checkStated(b, s, groups) {
			c.support(b, s, groups)
		}
	case marked:
		c.claims++ // what is wrong with its citation is said
	case c.exempt(b, s):
	default:
		c.claims++
		if cs := c.recorded(c.covering(b)); len(cs) > 0 {
			c.support(b, s, []citedGroup{{Range{r.End, r.End}, cs}})
		} else {
			c.pending = append(c.pending, s)
		}
	}
}

// within lists the mentions in a range.
func (b *block) within(r Range) []mention {
	var ms []mention
	for _, m := range b.mentions {
		if m.Start >= r.Start && m.End <= r.End {
			ms = append(ms, m)
		}
	}
	return ms
}

// recorded are the citations that name a recorded span; the others are failures where they stand.
func (c *checker) recorded(cs []evidence.Citation) []evidence.Citation {
	var out []evidence.Citation
	for _, ci := range cs {
		if len(c.findings[evidence.Key(ci)]) > 0 {
			out = append(out, ci)
		}
	}
	return out
}

// A citedGroup is one place of a sentence and what is cited there.
type citedGroup struct {
	Range
	cites []evidence.Citation
}

// support holds a sentence against what was recorded at the spans that it cites.
func (c *checker) support(b *block, s statement, groups []citedGroup) {
	c.said = append(c.said, s)
	var all []evidence.Citation
	for _, g := range groups {
		all = append(all, g.cites...)
	}
	joint := c.joint(all)
	n := len(c.failures)
	words, need := c.manySaid(s.text, all)
	c.checkOrigins(b, s, words, need, all)
	if n == len(c.failures) && words != "" {
		s.about = append(s.about, words)
	}
	s.about = append(s.about, c.aboutCited(b, s, all, groups)...)
	n = len(c.failures)
	c.supportFigures(b, s, joint, groups)
	c.checkNumerals(b, s, all)
	c.weighStatement(b, s, all)
	c.checkAgreement(b, s, all)
	c.supportWords(b, s, joint)
	if quotes, around := c.quotesAt(all); len(quotes) > 0 && n < len(c.failures) {
		c.judged(n, b, s.Range, claim.Question{Claim: s.text, Quote: strings.Join(quotes, "\n"), Context: around})
	}
	c.sayStatus(s, all)
	c.checkStale(b, s, all)
	c.supportTail(b, s, groups)
	c.checkQuotations(b, s.Range, all)
}

// supportFigures looks for each figure of s in the claims and quotes recorded at the cited spans.
func (c *checker) supportFigures(b *block, s statement, joint *ground, groups []citedGroup) {
	from := s.Start
	for i, g := range groups {
		to := g.Start
		if i == len(groups)-1 {
			to = s.End
		}
		own := joint
		if i+1 < len(groups) && groups[i+1].Start-g.End > 3 || i == len(groups)-1 && i > 0 {
			own = c.joint(run(groups, i))
		}
		for _, f := range claim.Numbers(s.own(b.without(Range{from, to}))) {
			c.supportFigure(b, s, f, own)
		}
		from = to
	}
}

// run is what is cited at group i and at those that stand right beside it.
func run(groups []citedGroup, i int) []evidence.Citation {
	cs := slices.Clone(groups[i].cites)
	for j := i - 1; j >= 0 && groups[j+1].Start-groups[j].End <= 3; j-- {
		cs = append(cs, groups[j].cites...)
	}
	return cs
}

func (c *checker) supportFigure(b *block, s statement, f claim.Number, own *ground) {
	switch {
	case slices.ContainsFunc(own.figs, func(g claim.Number) bool { return f.Value == g.Value }):
	case f.In(own.figs):
		c.failAt(b, s.Range, Failure{Code: FigureDerived, Claim: s.text, Text: f.Text,
			Message: fmt.Sprintf("%q is computed, rounded or converted from what the cited span says.", f.Text)})
	case own.beside(f):
		if f.Value < 1900 || f.Value > 2100 { // a year in a title or heading is context enough
			c.failAt(b, s.Range, Failure{Code: FigureElsewhere, Claim: s.text, Text: f.Text,
				Message: fmt.Sprintf("%q stands at the cited span, but in no recorded quote. Record a finding whose quote has it.", f.Text)})
		}
	case f.Words && f.Value <= 12 && f.Value == float64(int(f.Value)) && !slices.ContainsFunc(own.figs, func(g claim.Number) bool { return g.Counts == f.Counts && f.Counts != "" }):
		c.failAt(b, s.Range, Failure{Code: FigureDerived, Claim: s.text, Text: f.Text,
			Message: fmt.Sprintf("%q is in no quote recorded there; it may have been counted.", f.Text)})
	default:
		c.failAt(b, s.Range, Failure{Code: ClaimMismatch, Claim: s.text, Text: f.Text, Suggestion: c.finding(s.stems, s.figs, 0.5),
			Message: fmt.Sprintf("The figure %q is in no claim or quote recorded at the cited span. Cite the span that has it, or take it out.", f.Text)})
	}
}

// supportWords looks whether s is about what was recorded at the cited spans.
func (c *checker) supportWords(b *block, s statement, joint *ground) {
	if len(s.stems) < 3 {
		return
	}
	p := joint.carries(s.stems)
	if p >= 0.4 {
		return
	}
	f := Failure{Code: WeakSupport, Claim: s.text, Text: s.text, Suggestion: c.finding(s.stems, s.figs, 0.75),
		Message: "This statement shares few words with what is recorded at the spans that it cites."}
	if p == 0 && !foreign(s.text) || f.Suggestion != "" {
		f.Code = ClaimMismatch
		f.Message = "This statement shares nothing with what is recorded at the spans that it cites. Cite the finding that says it, or take it out."
		if f.Suggestion != "" {
			f.Message = fmt.Sprintf("What this statement says is recorded at [%s], not at the spans that it cites.", f.Suggestion)
		}
	}
	c.failAt(b, s.Range, f)
}

// foreign reports whether a text has no word that English sentences are held together by, and so may be in another
// language than its source.
func foreign(text string) bool {
	for _, w := range words(text) {
		if functionWords[w] && len(w) > 1 && w != "am" && w != "in" && w != "an" && w != "so" && w != "is" {
			return false
		}
	}
	return true
}

// supportTail judges what a sentence says after its last citation: a second claim needs its own.
func (c *checker) supportTail(b *block, s statement, groups []citedGroup) {
	last := groups[len(groups)-1]
	if last.End >= s.End {
		return
	}
	tail := strings.TrimLeftFunc(b.without(Range{last.End, s.End}), func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) })
	head := b.without(Range{s.Start, groups[0].Start})
	if len(words(tail)) == 0 || !claims(head) || comparison.MatchString(tail) || attribution.MatchString(tail) {
		return
	}
	g := c.joint(run(groups, len(groups)-1))
	figs := claim.Numbers(tail)
	missing := slices.ContainsFunc(figs, func(f claim.Number) bool { return !f.In(g.figs) })
	if !missing && len(figs) == 0 && HasNumber(tail) && !numberIn(tail, g.names) {
		missing = true
	}
	said := stems(tail)
	if missing || len(words(tail)) > 3 && len(said) > 1 && g.carries(said) < 0.5 {
		c.failAt(b, Range{last.End, s.End}, Failure{Code: UncitedClaim, Claim: s.text, Text: tail,
			Message: fmt.Sprintf("%q stands after the last citation of its sentence, and the cited span does not say it. Cite it, or take it out.", clip(tail))})
	}
}

// claims reports whether the words before a citation say something, rather than only introduce what follows ("According
// to [S1 para.2], …", "The bulletin [S5 para.1] puts …").
func claims(head string) bool {
	return HasNumber(head) || asserts(head) || len(words(head)) > 6
}

// numberIn reports whether the number words of a text that have no value of their own stand in another.
func numberIn(text, in string) bool {
	for _, w := range words(text) {
		if HasNumber(w) && !strings.Contains(in, w) {
			return false
		}
	}
	return true
}

var (
	// "the two figures disagree": compares what the sentence itself has cited.
	comparison = lazyregexp.New(`(?i)^(?:and |but |so |hence |thus )?(?:the|these|those|both|all)(?: (?:two|three|four))? (?:figures|sources|numbers|accounts|values|estimates|reports|` +
		`statements|counts|dates|findings|claims)(?: (?:do|are|can|cannot|could|may|might|not|both|all|each|here|clearly|thus|therefore)){0,4} ` +
		`(?:disagree|differ|conflict|diverge|agree|be (?:right|true)|contradict (?:each other|one another)|the same|in conflict|at odds)[^.;:0-9]{0,40}[.!]?$`)
	// "the manager said": says who said it.
	attribution = lazyregexp.New(`(?i)^(?:(?:as|so|or so) )?(?:[\pL'’.-]+ ){0,5}(?:said|says|wrote|writes|notes|noted|reports|reported|states|stated|found|puts it|argues|argued|warns|warned|told [\pL ]{1,30}|` +
		`adds|added|explains|explained|claims|claimed)(?: (?:the|its|their|an?|in|later) [\pL'’ .-]{1,40})?[.!]?$`)
)
