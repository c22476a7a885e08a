package audit

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"ibid/audit/claim"
	"ibid/internal/lazyregexp"
)

// checkCharacters refuses what makes a text read otherwise than it is stored.
func (c *checker) checkCharacters() {
	for i := 0; i < len(c.src); {
		r, n := rune(c.src[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(c.src[i:])
		}
		if Forbidden(r) || r == utf8.RuneError && n == 1 {
			c.forbid(i, i+n, r)
		}
		i += n
	}
}

// Forbidden reports whether r has no place in a report: controls, direction overrides (UAX 9), interlinear marks and
// tags. Joiners and direction marks are needed by scripts and emoji and may stand.
func Forbidden(r rune) bool {
	switch {
	case r == '\n' || r == '\r' || r == '\t':
		return false
	case r < 0x20, r >= 0x7F && r < 0xA0:
		return true
	}
	return isBidi(r) || isTag(r) || r >= 0xFFF9 && r <= 0xFFFB || r == 0x2028 || r == 0x2029
}

// maxForbidden is how many of them are listed one by one.
const maxForbidden = 20

func (c *checker) forbid(start, end int, r rune) {
	n := 0
	for _, f := range c.failures {
		if f.Code == ForbiddenChar {
			n++
		}
	}
	if n < maxForbidden {
		c.fail(Failure{Code: ForbiddenChar, Start: start, End: end, Text: fmt.Sprintf("U+%04X", r),
			Message: fmt.Sprintf("The character U+%04X can hide text or change its order. Take it out.", r)})
	}
}

// checkMarkup judges what is in a block besides its words: forbidden characters written as entities, and raw HTML.
func (c *checker) checkMarkup(b *block) {
	for i, r := range string(b.text) {
		if Forbidden(r) && r != mask && c.src[min(b.at[i], len(c.src)-1)] == '&' {
			start, end := b.place(Range{i, i + utf8.RuneLen(r)})
			c.forbid(start, end, r)
		}
	}
	for _, m := range b.html {
		c.fail(Failure{Code: RawHTML, Start: m.at, End: m.end, Text: m.text,
			Message: "HTML can hide what it holds. Write the report in plain Markdown, and no comments."})
	}
}

var tags = lazyregexp.New(`(?s)<!--.*?(?:-->|$)|<[^>]*>?`)

// checkHTML judges a block of HTML: it is refused, and so is what it says.
func (c *checker) checkHTML(b *block) {
	whole := Range{0, len(b.text)}
	c.failAt(b, whole, Failure{Code: RawHTML, Message: "HTML can hide what it holds. Write the report in plain Markdown, and no comments."})
	said := strings.Join(strings.Fields(tags.ReplaceAllString(string(b.text), " ")), " ")
	if len(words(said)) > 0 && (HasNumber(said) || asserts(said)) {
		c.failAt(b, whole, Failure{Code: UncitedClaim, Text: said, Claim: said, Message: "This statement stands in HTML, where no citation counts."})
	}
}

// checkLinks judges where links lead and what hides in their titles and in the texts of pictures.
func (c *checker) checkLinks(b *block) {
	for _, l := range b.links {
		at := Range{l.Start, max(l.End, l.Start)}
		switch {
		case l.image && remote(l.dest):
			c.failLink(l, UnreadLink, fmt.Sprintf("The picture %q would be loaded from elsewhere when the report is read. Take it out.", clip(l.dest)))
		case !l.image && !c.wasRead(l.dest) && slices.ContainsFunc(c.rec.Given, func(g string) bool { return bare(g) == bare(l.dest) }):
			c.failLink(l, GivenNotRead, fmt.Sprintf("%q came with the question and was never read. Read it before you rest on it.", clip(l.dest)))
		case !l.image && !c.wasRead(l.dest):
			c.failLink(l, UnreadLink, fmt.Sprintf("Nothing was read at %q in this run. Link only to sources that were read, or cite a span.", clip(l.dest)))
		}
		for _, hidden := range []string{l.title, l.alt} {
			c.checkHidden(b, at, l.at, hidden)
		}
	}
}

func (c *checker) failLink(l link, code Code, message string) {
	c.fail(Failure{Code: code, Start: l.at, End: l.at + 1, Text: l.dest, Message: message})
}

// remote reports whether the target of a picture is not a file beside the report.
func remote(dest string) bool {
	return strings.Contains(dest, ":") || strings.HasPrefix(dest, "//") || strings.HasPrefix(dest, `\\`)
}

// wasRead reports whether a link leads to a source of the run, to any place in it, or within the report.
func (c *checker) wasRead(dest string) bool {
	if strings.HasPrefix(dest, "#") {
		return true
	}
	dest = bare(dest)
	for _, s := range c.rec.Sources {
		if !s.Fetched.IsZero() && (bare(s.URL) == dest || bare(ShownURL(s.URL)) == dest) {
			return true
		}
	}
	return false
}

// bare is a URL without its fragment and a final slash.
func bare(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return strings.TrimSuffix(url, "/")
}

// checkHidden judges text that shows only on demand: it may say what its paragraph says with a citation, and no more.
func (c *checker) checkHidden(b *block, at Range, place int, hidden string) {
	if strings.TrimSpace(hidden) == "" || !HasNumber(hidden) && !asserts(hidden) {
		return
	}
	if forbidHidden(hidden) {
		c.fail(Failure{Code: ForbiddenChar, Start: place, End: place + 1, Text: hidden, Message: "This text has characters that can hide text or change its order."})
	}
	s := statement{block: b, Range: at, text: strings.Join(strings.Fields(hidden), " "), stems: stems(hidden), figs: claim.Numbers(hidden)}
	c.claims++
	cites := c.recorded(append(b.cites(), c.covering(b)...))
	if len(cites) > 0 {
		g := c.joint(cites)
		n := len(c.failures)
		for _, f := range s.figs {
			c.supportFigure(b, s, f, g)
		}
		if len(c.failures) == n {
			return
		}
	}
	c.fail(Failure{Code: UncitedClaim, Start: place, End: place + 1, Text: s.text, Claim: s.text,
		Message: "This claim hides in the title of a link or in the text of a picture, where no citation reaches it. Say it in a cited sentence."})
}

func forbidHidden(s string) bool { return strings.ContainsFunc(s, Forbidden) }

// checkReferences judges link definitions, whose titles show only on demand and whose unused ones never do.
func (c *checker) checkReferences(doc *document) {
	for _, r := range doc.refs {
		if HasNumber(r.title) || asserts(r.title) {
			c.fail(Failure{Code: UncitedClaim, Start: r.at, End: r.at + 1, Text: r.title, Claim: r.title,
				Message: "This claim hides in a link definition. Say it in a cited sentence."})
		}
	}
}

func sortReferences(rs []reference) {
	sort.Slice(rs, func(i, j int) bool {
		if rs[i].at != rs[j].at {
			return rs[i].at < rs[j].at
		}
		return rs[i].label < rs[j].label
	})
}
