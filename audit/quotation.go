package audit

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/evidence"
)

// minQuoted is how many words in quotation marks are taken for somebody's words rather than for a term.
const minQuoted = 3

// closers are the quotation marks that close what each one opens.
var closers = map[rune]string{'“': "”“", '„': "“”", '«': "»", '»': "«", '‹': "›", '「': "」", '『': "』", '"': "\"", '‘': "’", '\'': "'"}

// maxQuoted is the longest stretch between quotation marks, in bytes, that is taken for a quotation.
const maxQuoted = 4000

// quotations lists the quoted stretches of at least minQuoted words in a range of a block.
func (b *block) quotations(r Range) []Range {
	text := string(b.text[r.Start:r.End])
	if !strings.ContainsAny(text, "\"“„«»‹「『‘'`") {
		return nil
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "``", " \""), "''", "\" ")
	var out []Range
	for i := 0; i < len(text); {
		o, n := utf8.DecodeRuneInString(text[i:])
		end := -1
		if closers[o] != "" && opensQuote(text, i, o) {
			end = closeQuote(text, i+n, o)
		}
		if end < 0 {
			i += n
			continue
		}
		q := Range{r.Start + i + n, r.Start + end}
		if k := len(words(b.without(q))); k >= minQuoted || k > 0 && (o == '「' || o == '『') {
			out = append(out, q)
		}
		_, n = utf8.DecodeRuneInString(text[end:])
		i = end + n
	}
	return out
}

// opensQuote reports whether the mark o at i opens a quotation. A single mark is an apostrophe unless a space or bracket
// stands before it.
func opensQuote(text string, i int, o rune) bool {
	if o != '\'' && o != '‘' {
		return true
	}
	before, n := utf8.DecodeLastRuneInString(text[:i])
	return n == 0 || unicode.IsSpace(before) || strings.ContainsRune("([{—–-\"“", before)
}

// closeQuote is where the mark stands that closes what o opened before from, -1 if nowhere near.
func closeQuote(text string, from int, o rune) int {
	for i, r := range text[from:min(len(text), from+maxQuoted)] {
		if !strings.ContainsRune(closers[o], r) || i == 0 {
			continue
		}
		if o == '\'' || o == '‘' { // inside a word it is an apostrophe
			next, _ := utf8.DecodeRuneInString(text[from+i+utf8.RuneLen(r):])
			if unicode.IsLetter(next) || unicode.IsNumber(next) {
				continue
			}
		}
		return from + i
	}
	return -1
}

// checkQuotations looks for the words in quotation marks in the cited spans.
func (c *checker) checkQuotations(b *block, r Range, cites []evidence.Citation) {
	for _, q := range b.quotations(r) {
		said := trimQuoted(b.without(q))
		if c.inSpans(said, cites) || c.isName(said) {
			continue
		}
		f := Failure{Code: QuotedText, Claim: b.without(r), Message: fmt.Sprintf("No cited span has the words %q. Quote only what a span says, word for word, or drop the quotation marks.", clip(said))}
		if k := c.elsewhere(said); k != "" {
			f.Code, f.Suggestion = QuoteWrongSpan, k
			f.Message = fmt.Sprintf("The words %q stand at [%s], which is not cited here.", clip(said), k)
		}
		c.failAt(b, q, f)
	}
}

func trimQuoted(s string) string {
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(s), ".,;:!?…"))
}

// inSpans reports whether a text is verbatim in one of the cited spans, or run on from it into the next.
func (c *checker) inSpans(text string, cites []evidence.Citation) bool {
	for _, ci := range cites {
		if c.doc(ci.Source).Match(ci.Locator, text).OK() {
			return true
		}
	}
	return false
}

// elsewhere is where in all that was read a text stands, "" if nowhere.
func (c *checker) elsewhere(text string) string {
	for _, s := range c.rec.Sources {
		if s.Fetched.IsZero() {
			continue
		}
		if m := c.doc(s.ID).Find(text); m.OK() {
			return evidence.Citation{Source: s.ID, Locator: m.Locator}.String()
		}
	}
	return ""
}

// isName reports whether a text is the title of a source, the question, or a query of the run.
func (c *checker) isName(text string) bool {
	t := plain(text)
	if t == plain(c.rec.Question) {
		return true
	}
	for _, s := range c.rec.Sources {
		if strings.Contains(plain(s.Title), t) {
			return true
		}
	}
	return c.isQuery(text)
}

func (c *checker) isQuery(text string) bool {
	if c.rec.Facts == nil {
		return false
	}
	for _, q := range c.rec.Facts.Queries {
		if plain(q) == plain(text) {
			return true
		}
	}
	return false
}

// plain folds a text for comparing names: visible characters, single spaces, no stop or question mark at the end, lower case.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case invisible(r) || r < 0x20 || r >= 0x7F && r < 0xA0:
			return -1
		}
		return r
	}, s)
	return strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(s), " "), ".?!: "))
}

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
	for _, p := range b.quoted() {
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
var signed = regexp.MustCompile(`^\s*(?:[—–-]{1,2}|―)\s*[^\n]{1,120}$`)

// quoted is what a block quote quotes, as one text, or as its paragraphs where they stand apart.
func (b *block) quoted() []string {
	text, scan := string(b.text), string(b.scan)
	for _, m := range b.mentions {
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
