package audit

import (
	"fmt"
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
