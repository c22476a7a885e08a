package audit

import (
	"fmt"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// cite checks each citation of a mention and returns those that name a recorded span.
func (c *checker) cite(b *block, m mention, s statement) []evidence.Citation {
	if m.problem != "" {
		c.malformed(b, m, s)
		return nil
	}
	var good []evidence.Citation
	for _, ci := range m.cites {
		c.cited++
		if !c.usedID[ci.Source] {
			c.usedID[ci.Source] = true
			c.first = append(c.first, citedFirst{b, m, ci.Source, s.text})
		}
		if f, bad := c.checkCitation(ci, s); bad {
			f.Claim = s.text
			f.Text = ci.String()
			c.failAt(b, m.Range, f)
			continue
		}
		good = append(good, ci)
		key := evidence.Key(ci)
		if c.used[key] {
			continue
		}
		c.used[key] = true
		for _, i := range c.findings[key] {
			if f := c.verify(i); f != nil {
				g := *f
				g.Claim = s.text
				c.failAt(b, m.Range, g)
				continue
			}
			c.weigh(b, m, i)
		}
	}
	return good
}

// oneToken is a citation whose form is right but for the locator.
var oneToken = lazyregexp.New(`^\[S[1-9][0-9]{0,8} [!-Z^-~]+\]$`)

// malformed notes a look-alike of a citation.
func (c *checker) malformed(b *block, m mention, s statement) {
	f := Failure{Code: Malformed, Claim: s.text, Suggestion: c.suggest(m.near, s)}
	raw := string(b.text[m.Start:m.End])
	if oneToken.MatchString(raw) {
		f.Code = UnknownLocator // the form of a citation, with a place that no source can have
	}
	f.Message = fmt.Sprintf("%q is no citation: %s. Write it as [S1 para.2], exactly as the span is called.", clip(raw), m.problem)
	if f.Suggestion != "" {
		f.Message = fmt.Sprintf("%q is no citation: %s. Did you mean [%s]?", clip(raw), m.problem, f.Suggestion)
	}
	c.failAt(b, m.Range, f)
}

// suggest is near if it is recorded; else the finding that says the statement; else near, which at least is well formed.
func (c *checker) suggest(near string, s statement) string {
	if cs, err := evidence.ParseCitation(near); err == nil {
		known := true
		for _, ci := range cs {
			known = known && len(c.findings[evidence.Key(ci)]) > 0
		}
		if known {
			return near
		}
	}
	if k := c.finding(s.stems, s.figs, 0.6); k != "" {
		return k
	}
	return near
}

// checkCitation decides whether a citation names a recorded span of a source that was read.
func (c *checker) checkCitation(ci evidence.Citation, s statement) (Failure, bool) {
	src := c.sources[ci.Source]
	switch {
	case src == nil:
		return Failure{Code: UnknownSource, Suggestion: c.finding(s.stems, s.figs, 0.6),
			Message: fmt.Sprintf("There is no source %s in this run. Cite one that was read.", ci.Source)}, true
	case src.Fetched.IsZero():
		return Failure{Code: NotFetched,
			Message: fmt.Sprintf("%s was never read, only seen in search results. Read it and record a finding before you cite it.", ci.Source)}, true
	}
	if _, ok := c.span(evidence.Key(ci)); !ok {
		near := c.nearest(ci)
		f := Failure{Code: UnknownLocator, Suggestion: near, Message: fmt.Sprintf("%s has no %s.", ci.Source, ci.Locator)}
		if k := c.finding(s.stems, s.figs, 0.6); k != "" {
			f.Suggestion = k
		}
		if f.Suggestion != "" {
			f.Message += fmt.Sprintf(" Did you mean [%s]?", f.Suggestion)
		}
		return f, true
	}
	if len(c.findings[evidence.Key(ci)]) == 0 {
		return Failure{Code: Unrecorded, Suggestion: c.finding(s.stems, s.figs, 0.6),
			Message: fmt.Sprintf("%s was read, but no finding was recorded in it. Cite a recorded finding, or record this one with its quote.", ci)}, true
	}
	return Failure{}, false
}

// nearest is the recorded span of the same source that stands closest to a place that does not exist, or "".
func (c *checker) nearest(ci evidence.Citation) string {
	best, near := -1, ""
	for _, f := range c.rec.Findings {
		l := f.Locator
		if f.Rejected != "" || f.Source != ci.Source || l.Unit != ci.Locator.Unit || l.Unit == evidence.Lines && l.Path != ci.Locator.Path {
			continue
		}
		d := l.A - ci.Locator.A
		if d < 0 {
			d = -d
		}
		if best < 0 || d < best {
			best, near = d, evidence.Citation(f.Key()).String()
		}
	}
	return near
}

// verify looks once more for the quote of finding i in its span, and says what is wrong, nil if nothing is.
func (c *checker) verify(i int) *Failure {
	if v, done := c.verdicts[i]; done {
		return v
	}
	c.verdicts[i] = c.verifyNow(c.rec.Findings[i])
	return c.verdicts[i]
}

func (c *checker) verifyNow(f evidence.Finding) *Failure {
	doc := c.doc(f.Source)
	m := doc.Match(f.Locator, f.Quote)
	if m.OK() {
		return nil
	}
	out := Failure{Text: f.Quote}
	where := evidence.Citation(f.Key()).String()
	switch m.Reason {
	case evidence.ReasonTooShort:
		out.Code = QuoteTooShort
		out.Message = fmt.Sprintf("The quote %q of finding %s means nothing by itself. Record a longer one.", clip(f.Quote), f.ID)
		return &out
	case evidence.ReasonInsideNumber, evidence.ReasonInsideWord:
		out.Code = QuoteBoundary
		out.Message = fmt.Sprintf("The quote %q of finding %s cuts a word or a number of %s in two. Record it whole.", clip(f.Quote), f.ID, where)
		return &out
	}
	if other := doc.Find(f.Quote); other.OK() {
		out.Code = QuoteWrongSpan
		out.Suggestion = evidence.Citation{Source: f.Source, Locator: other.Locator}.String()
		out.Message = fmt.Sprintf("The quote of finding %s stands at %s, not at %s.", f.ID, out.Suggestion, where)
		return &out
	}
	out.Code = QuoteNotFound
	out.Message = fmt.Sprintf("The quote %q of finding %s is not in %s.", clip(f.Quote), f.ID, where)
	if real := doc.Closest(f.Locator, f.Quote); real != "" {
		out.Message += fmt.Sprintf(" The closest text there is %q.", clip(real))
	}
	return &out
}

// checkRecord checks what the report rests on: that the stored text is the text that was recorded, and the findings that
// it does not use.
func (c *checker) checkRecord() {
	for _, s := range c.rec.Sources {
		spans := c.rec.Spans[s.ID]
		if s.Fetched.IsZero() || len(spans) == 0 && !c.usedID[s.ID] {
			continue
		}
		if got := evidence.TextHash(spans); got != s.TextSHA256 {
			c.fail(Failure{Code: HashMismatch, Text: s.ID, Message: fmt.Sprintf("The stored text of %s is not the text that was recorded: its hash is %.12s…, the record has %.12s….", s.ID, got, s.TextSHA256)})
		}
	}
	for i, f := range c.rec.Findings {
		if f.Rejected != "" || c.used[f.Key()] || c.sources[f.Source] == nil {
			continue
		}
		if bad := c.verify(i); bad != nil {
			c.fail(Failure{Code: UnusedInvalid, Text: f.ID, Message: "A finding that this report does not use is not good: " + bad.Message})
		}
	}
}
