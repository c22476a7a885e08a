package audit

import (
	"slices"
	"strings"

	"ibid/audit/claim"
	"ibid/evidence"
)

// weigh holds the claim of finding i against its quote, as it stands in its source, and notes what is wrong where the
// finding is cited.
func (c *checker) weigh(b *block, m mention, i int) {
	f := c.rec.Findings[i]
	src := c.sources[f.Source]
	match := c.doc(f.Source).Match(f.Locator, f.Quote)
	if c.rec.Unweighed || src == nil || !match.OK() {
		return
	}
	around := Around(*src, c.rec.Spans[f.Source], match)
	if c.tooMuch(len(f.Claim) + len(match.Quote) + len(around.Before) + len(around.After)) {
		return
	}
	n := len(c.failures)
	for _, v := range c.compare(f.Claim, match.Quote, around) {
		c.doubt(b, m.Range, f.Claim, "Finding "+f.ID+": ", v, f.Accepted)
	}
	c.judged(n, b, m.Range, claim.Question{Claim: f.Claim, Quote: match.Quote, Context: around})
}

// compare is what the rules that the record's run knows find between a claim and its quote.
func (c *checker) compare(said, quote string, around claim.Context) []claim.Verdict {
	vs := c.rules.Check(said, quote, around)
	if c.rec.Unworded {
		vs = slices.DeleteFunc(vs, func(v claim.Verdict) bool { return v.Code.OfWords() })
	}
	return vs
}

// maxWeighed is how much is held against each other for one report, in bytes. No report needs so much.
const maxWeighed = 64 << 20

// tooMuch counts what is to be weighed, and says once when it is more than is weighed.
func (c *checker) tooMuch(n int) bool {
	before := c.weighed
	c.weighed += n
	if c.weighed > maxWeighed && before <= maxWeighed {
		c.fail(Failure{Code: TooLarge, Message: "The report cites more text than is compared. Cite the spans that say it, and no others."})
	}
	return c.weighed > maxWeighed
}

// doubt notes a verdict on a claim or statement. A block that a person has lifted is marked so.
func (c *checker) doubt(b *block, r Range, said, before string, v claim.Verdict, by *evidence.Acceptance) {
	f := Failure{Code: Code(v.Code), Severity: Severity(v.Severity), Claim: said, Text: v.Claim, Message: before + v.Message}
	if v.Severity == claim.Block && by.Lifts(string(v.Code)) {
		f.Severity, f.Message = Accepted, f.Message+" A person has accepted it: "+clip(Shown(by.Reason))
	}
	c.failAt(b, r, f)
}

// weighStatement holds a statement of the report against the quotes that were recorded where it cites. One that is a
// recorded claim word by word was weighed with its finding.
func (c *checker) weighStatement(b *block, s statement, cites []evidence.Citation) {
	quotes, around := c.quotesAt(cites)
	if c.rec.Unweighed || len(quotes) == 0 || c.isClaim(s.text, cites) {
		return
	}
	quote := strings.Join(quotes, "\n")
	if c.tooMuch(len(s.text) + len(quote) + len(around.After)) {
		return
	}
	for _, v := range c.compare(s.own(s.text), quote, around) {
		if v.Code == claim.Causal && v.Source == "" && len(quotes) > 1 {
			v.Code, v.Message = claim.Code(Unrelated), "Nothing that is recorded here makes the one the reason of the other. State them side by side."
		}
		c.doubt(b, s.Range, s.text, "", v, nil)
	}
}

// isClaim reports whether a text is the claim of a finding that is cited.
func (c *checker) isClaim(text string, cites []evidence.Citation) bool {
	said := plain(text)
	for _, ci := range once(cites) {
		for _, i := range c.findings[evidence.Key(ci)] {
			if plain(c.rec.Findings[i].Claim) == said {
				return true
			}
		}
	}
	return false
}

// once lists citations without those that repeat an earlier one.
func once(cites []evidence.Citation) []evidence.Citation {
	seen := make(map[evidence.Citation]bool, len(cites))
	return slices.DeleteFunc(slices.Clone(cites), func(ci evidence.Citation) bool {
		again := seen[ci]
		seen[ci] = true
		return again
	})
}

// quotesAt are the quotes recorded at some citations, and what a reader sees around them. The whole of their spans comes
// behind a line break, so that no quote seems cut off.
func (c *checker) quotesAt(cites []evidence.Citation) (quotes []string, around claim.Context) {
	var spans []string
	for _, ci := range once(cites) {
		for _, i := range c.findings[evidence.Key(ci)] {
			if q := c.rec.Findings[i].Quote; !slices.Contains(quotes, q) {
				quotes = append(quotes, q)
			}
		}
		if src := c.sources[ci.Source]; src != nil {
			around.Title += "\n" + strings.Join([]string{src.Title, src.Publisher, src.Author, src.Published}, "\n")
		}
		if s, ok := c.span(evidence.Key(ci)); ok {
			around.Heading += "\n" + s.Heading
			around.Table += "\n" + s.Caption + "\n" + s.Columns
			spans = append(spans, s.Text)
		}
	}
	around.After = "\n" + strings.Join(spans, "\n")
	return quotes, around
}
