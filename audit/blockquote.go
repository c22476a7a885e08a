package audit

import (
	"fmt"
	"strings"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// checkQuote judges a block quote: it is verbatim in a span that is cited right there.
func (c *checker) checkQuote(b *block) {
	whole := Range{0, len(b.text)}
	s := b.statement(whole)
	var cites []evidence.Citation
	marked := false
	for _, m := range b.mentions {
		marked = true
		cites = append(cites, c.cite(b, m, s)...)
	}
	if len(words(s.text)) == 0 {
		return
	}
	if len(cites) == 0 && !marked {
		if cites = c.recorded(c.covering(b)); len(cites) == 0 {
			c.checkUncitedQuote(b)
			return
		}
	}
	c.claims++
	if len(cites) == 0 {
		return
	}
	c.said = append(c.said, s)
	for _, p := range b.quoted(c.pageLabels(b)) {
		if c.inSpans(p, cites) {
			continue
		}
		f := Failure{Code: QuotedText, Claim: s.text, Message: fmt.Sprintf("A block quote must be the source's own words. The cited span does not have %q.", clip(p))}
		if real := c.doc(cites[0].Source).Closest(cites[0].Locator, p); real != "" {
			f.Message += fmt.Sprintf(" The closest text there is %q.", clip(real))
		}
		c.failAt(b, whole, f)
		return
	}
}

// checkUncitedQuote judges a block quote without citation as the sentences that it holds.
func (c *checker) checkUncitedQuote(b *block) {
	for _, r := range sentences(string(b.text), nil) {
		s := b.statement(r)
		if len(words(s.text)) > 0 && !c.exempt(b, s) {
			c.claims++
			c.pending = append(c.pending, s)
			return
		}
	}
}

// signed is a last line that says whose words a block quote holds.
var signed = lazyregexp.New(`^\s*(?:[—–-]{1,2}|―)\s*[^\n]{1,120}$`)

// printedPage is how a report says the number that is printed on a cited page.
var printedPage = lazyregexp.New(`^ \(printed page ([^()\n]{1,40})\)`)

// PageLabel is what a report says beside the citation of a page on which another number is printed, "" if it says nothing.
func PageLabel(s evidence.Span) string {
	label := Shown(s.Label)
	if s.Locator.Unit != evidence.Page || label == "" || !pageLabel.MatchString(label) {
		return ""
	}
	return "(printed page " + label + ")"
}

var pageLabel = lazyregexp.New(`^[\pL\pN][\pL\pN .–-]{0,19}$`)

// pageLabels finds the numbers of printed pages beside citations, where they are those of the cited spans.
func (c *checker) pageLabels(b *block) (list []Range) {
	for _, m := range b.mentions {
		said := printedPage.FindString(string(b.text[m.End:]))
		for _, ci := range m.cites {
			if s, ok := c.span(evidence.Key(ci)); ok && said != "" && said == " "+PageLabel(s) {
				list = append(list, Range{m.End, m.End + len(said)})
				break
			}
		}
	}
	return list
}

// quoted is what a block quote quotes, as one text, or as its paragraphs where they stand apart; without the citations and
// what is said about them.
func (b *block) quoted(aside []Range) []string {
	text, scan := string(b.text), string(b.scan)
	for _, m := range b.mentions {
		aside = append(aside, m.Range)
	}
	for _, m := range aside {
		blank := strings.Repeat(" ", m.End-m.Start)
		text = text[:m.Start] + blank + text[m.End:]
		scan = scan[:m.Start] + blank + scan[m.End:]
	}
	var parts []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			parts = append(parts, line)
		}
	}
	if n := len(parts); n > 1 && signed.MatchString(parts[n-1]) && len(b.code) == 0 {
		parts = parts[:n-1]
	}
	if len(b.code) > 0 {
		return []string{strings.TrimSpace(strings.Join(parts, "\n"))}
	}
	for i, p := range parts {
		parts[i] = stripMarks(strings.TrimSpace(p))
	}
	return parts
}

// stripMarks takes off the quotation marks that enclose a whole text.
func stripMarks(s string) string {
	for _, pair := range []string{"“”", "\"\"", "„“", "«»", "‘’", "''"} {
		r := []rune(pair)
		if inner, ok := strings.CutPrefix(s, string(r[0])); ok {
			if inner, ok := strings.CutSuffix(strings.TrimRight(inner, ".,"), string(r[1])); ok && !strings.ContainsAny(inner, pair) {
				return inner
			}
		}
	}
	return s
}

// checkCode judges a code block: it is part of a span that the line before it cites.
func (c *checker) checkCode(b *block) {
	text := strings.Trim(string(b.text), "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	c.claims++
	cites := c.recorded(c.covering(b))
	whole := Range{0, len(b.text)}
	if len(cites) == 0 {
		c.failAt(b, whole, Failure{Code: UncitedClaim, Message: "This code block has no source. Introduce it with a line that cites the span it is from and ends with a colon."})
		return
	}
	if c.inSpans(text, cites) {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.Trim(line, ".… #/*-") == "" || c.lineInSpans(line, cites) {
			continue
		}
		c.failAt(b, whole, Failure{Code: QuotedText, Text: line, Message: fmt.Sprintf("The cited span does not have the line %q.", clip(line))})
		return
	}
}

func (c *checker) lineInSpans(line string, cites []evidence.Citation) bool {
	for _, ci := range cites {
		s, _ := c.span(evidence.Key(ci))
		for l := range strings.SplitSeq(s.Text, "\n") {
			if l = strings.TrimSpace(l); l == line || len(line) > 8 && strings.Contains(l, line) && c.doc(ci.Source).Match(ci.Locator, line).OK() {
				return true
			}
		}
	}
	return false
}
