package foreign

import (
	"fmt"
	"slices"
	"strings"

	"ibid/audit"
	"ibid/index"
	"ibid/internal/lazyregexp"
)

// claims lists what the report states: each sentence, item and row that needs a source or has one.
func (c *checker) claims() {
	var before []int // the claims of the last block, by index
	for _, b := range c.doc.blocks {
		if b.listed || b.kind == note || b.kind == head || b.kind == code {
			continue
		}
		if b.kind == heading || b.kind == rule {
			before = nil
			continue
		}
		from := len(c.result.Claims)
		if b.kind == row {
			c.row(b)
		} else {
			c.running(b, before)
		}
		now := span(from, len(c.result.Claims))
		if b.kind != paragraph && len(before) > 0 && len(now) > 0 { // the items of a list belong together
			now = append(before, now...)
		}
		if len(now) > 0 {
			before = now
		}
	}
}

func span(from, to int) (out []int) {
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// running takes the sentences of a paragraph or an item. Citations without a sentence of their own belong to the one before;
// those of a line that has nothing else, to all of the block before that has none.
func (c *checker) running(b *block, before []int) {
	var at []audit.Range
	for _, m := range b.marks {
		at = append(at, m.Range)
	}
	from := len(c.result.Claims)
	for _, r := range audit.SentencesAround(string(b.text), at) {
		ms := within(b.marks, r)
		text := b.without(r, ms)
		if onlyNames(text) {
			switch n := len(c.result.Claims); {
			case len(ms) == 0:
			case n > from:
				c.result.Claims[n-1].add(b, ms)
			default:
				for _, i := range before {
					if len(c.result.Claims[i].marks) == 0 {
						c.result.Claims[i].add(b, ms)
					}
				}
			}
			continue
		}
		if (!citing(ms) || onlyLinks(ms)) && !audit.NeedsSource(text, b.kind == item) {
			continue
		}
		if !citing(ms) && b.quoted && citing(b.marks) { // what is quoted is cited once
			c.claim(b, r.Start, text, b.marks, b)
			continue
		}
		if !citing(ms) && b.lead != nil {
			c.claim(b, r.Start, text, b.lead.marks, b.lead)
			continue
		}
		for _, s := range b.segments(r, ms) {
			c.claim(b, s.at, s.text, s.marks, b)
		}
	}
}

// citing reports whether one of some marks cites anything.
func citing(ms []mark) bool {
	return slices.ContainsFunc(ms, func(m mark) bool { return len(m.refs) > 0 || len(m.missing) > 0 || m.problem != "" })
}

// onlyLinks reports whether some marks are links over words of their sentence: of a signpost ("See the manual") they are no
// citations.
func onlyLinks(ms []mark) bool {
	return !slices.ContainsFunc(ms, func(m mark) bool { return !m.keep })
}

// sourceNames introduce citations and say nothing.
var sourceNames = lazyregexp.New(`(?i)^(?:\W*(?:sources?|references?|refs?|via|see|see also|citations?|cited|data|from|visit|and|also|available(?: at| from)?|retrieved from|more|read more|learn more|link)\b)*\W*$`)

// onlyNames reports whether a text without its citations says nothing.
func onlyNames(text string) bool { return sourceNames.MatchString(text) }

func within(ms []mark, r audit.Range) []mark {
	var in []mark
	for _, m := range ms {
		if m.Start >= r.Start && m.End <= r.End {
			in = append(in, m)
		}
	}
	return in
}

var (
	emptied    = lazyregexp.New(`[ \x{a0}]*[(\[](?:\s|\x00|[,;:&·|/–-]|(?i:\b(?:sources?|see|see also|via|cf\.|e\.g\.|and|also|refs?|from|in|at|doi|available at)\b[.:]?))*\x00(?:\s|\x00|[,;:&·|/–-]|(?i:\band\b))*[)\]]`)
	separators = lazyregexp.New(`\x00(?:\s*(?:[,;–-]|and)?\s*\x00)+`)
	spaceMark  = lazyregexp.New(`[ \x{a0}]+([.,;:!?])`)
)

// without is the text of r without the marks in it, but for links over its own words; white space is folded.
func (b *block) without(r audit.Range, ms []mark) string {
	var s strings.Builder
	from := r.Start
	for _, m := range ms {
		if m.Start < from || m.End > r.End || m.keep && !b.inParentheses(m) {
			continue
		}
		s.Write(b.text[from:m.Start])
		s.WriteByte(0)
		from = m.End
	}
	if from < r.End {
		s.Write(b.text[from:r.End])
	}
	t := separators.ReplaceAllString(s.String(), "\x00")
	t = emptied.ReplaceAllString(t, "")
	t = strings.ReplaceAll(t, "\x00", "")
	return spaceMark.ReplaceAllString(oneLine(t), "$1")
}

// inParentheses reports whether a link stands in a bracket that holds nothing but links.
func (b *block) inParentheses(m mark) bool {
	open := strings.LastIndexAny(string(b.text[:m.Start]), "([")
	end := strings.IndexAny(string(b.text[m.End:]), ")]")
	if open < 0 || end < 0 || m.Start-open > 400 || end > 400 {
		return false
	}
	end += m.End
	var rest strings.Builder
	from := open + 1
	for _, o := range b.marks {
		if o.Start >= from && o.End <= end {
			rest.Write(b.text[from:o.Start])
			from = o.End
		}
	}
	rest.Write(b.text[min(from, end):end])
	return onlyNames(rest.String())
}

// A segment is the part of a sentence that a group of citations stands for.
type segment struct {
	at    int
	text  string
	marks []mark
}

// segments parts a sentence at its groups of citations, where each part says something by itself.
func (b *block) segments(r audit.Range, ms []mark) []segment {
	whole := []segment{{r.Start, b.without(r, ms), ms}}
	var out []segment
	from := r.Start
	var group []mark
	for i, m := range ms {
		group = append(group, m)
		if m.keep && !b.inParentheses(m) {
			return whole
		}
		last := i == len(ms)-1
		if !last && onlyNames(string(b.text[m.End:ms[i+1].Start])) {
			continue
		}
		part := audit.Range{Start: from, End: m.End}
		if last {
			part.End = r.End
		}
		text := strings.TrimLeft(b.without(part, group), ",;:– ")
		if len(index.Terms(text)) < 3 && !last {
			continue // goes with what follows
		}
		if len(index.Terms(text)) < 3 && len(out) > 0 {
			return whole
		}
		out = append(out, segment{from, text, group})
		from, group = m.End, nil
	}
	if len(out) < 2 {
		return whole
	}
	return out
}

// row takes the row of a table as one claim. Its citations may stand in a cell of their own.
func (c *checker) row(b *block) {
	var cells, heads []string
	for i, r := range b.cells {
		text := b.without(r, within(b.marks, r))
		if onlyNames(text) || len(strings.Trim(text, "-–—. ")) == 0 {
			continue
		}
		cells = append(cells, text)
		if i < len(b.heads) && !onlyNames(b.heads[i]) {
			heads = append(heads, b.heads[i])
		}
	}
	text := strings.Join(cells, " | ")
	ms := b.marks
	from := b
	if !citing(ms) && b.lead != nil && citing(b.lead.marks) {
		ms, from = b.lead.marks, b.lead
	}
	if len(cells) == 0 || !citing(ms) && len(cells) == 1 && !audit.NeedsSource(text, true) {
		return
	}
	if n := c.claim(b, 0, text, ms, from); n != nil {
		n.heads = heads
	}
}

// claim adds a claim; from is the block that its marks stand in.
func (c *checker) claim(b *block, at int, text string, ms []mark, from *block) *Claim {
	n := len(c.result.Claims)
	if n >= maxClaims {
		if n == maxClaims && !slices.ContainsFunc(c.result.Problems, func(p Problem) bool { return p.Code == TooMuch }) {
			c.problem(TooMuch, b.line(at), "", "", fmt.Sprintf("The report states more than %d things; the rest is not looked at.", maxClaims))
		}
		return nil
	}
	cl := Claim{ID: fmt.Sprintf("C%d", n+1), Line: b.line(at), Text: text, Marks: []string{}, Cites: []string{}, Quotes: []Quote{}, Reasons: []Reason{}}
	cl.add(from, ms)
	for _, q := range audit.Quotations(text) {
		if inside := text[q.Start:q.End]; text[q.Start-1] != '"' || strings.Count(text, `"`)%2 == 0 && !strings.Contains(text, `""`) {
			cl.said = append(cl.said, inside) // of straight marks it is not known which open, if one is missing
		}
	}
	c.result.Claims = append(c.result.Claims, cl)
	return &c.result.Claims[n]
}

// add gives a claim more citations.
func (cl *Claim) add(b *block, ms []mark) {
	for _, m := range ms {
		if len(m.refs) == 0 && len(m.missing) == 0 && m.problem == "" {
			continue
		}
		cl.marks = append(cl.marks, m)
		cl.Marks = append(cl.Marks, clip(oneLine(string(b.text[m.Start:m.End])), 200))
	}
}
