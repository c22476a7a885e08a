package report

import (
	"slices"
	"strings"

	"ibid/audit"
	"ibid/audit/derive"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

var (
	computeMark  = lazyregexp.New(`\{\s*compute\s*:([^{}\n]*)\}`)
	computeLike  = lazyregexp.New(`(?i)\{[\s{]*compute`)
	lastMarks    = lazyregexp.New(`(?:\s*\[F[^\[\]\n]*\])+$`)
	newBlock     = lazyregexp.New(`\n[ \t]*(?:\n|[-*+>#|]|[0-9]{1,9}[.)][ \t])`)
	approximates = lazyregexp.New(`(?i)\b(?:about|around|roughly|approximately|nearly|almost|some)\s+$`)
	unitBehind   = lazyregexp.New(`(?i)^[ \t\x{a0}-]*(%|per ?cent|\pL+)`)
)

// An edit replaces a stretch of a draft.
type edit struct {
	audit.Range
	text string
}

// compute prints the results of the computations that a draft declares, and behind each sentence how they were made.
func (w *writer) compute(body string, p *problems) string {
	if !computeLike.MatchString(body) {
		return body
	}
	quotes := map[string][]derive.Figure{}
	var edits []edit
	for _, at := range computeMark.FindAllStringSubmatchIndex(body, -1) {
		c, used, ok := w.computation(strings.TrimSpace(body[at[2]:at[3]]), quotes, p)
		if !ok {
			continue
		}
		result := c.Result
		if bare, about := strings.CutPrefix(result, derive.About); about && approximates.MatchString(body[:at[0]]) {
			result = bare
		}
		if m := unitBehind.FindStringSubmatch(body[at[1]:]); m != nil && repeatsUnit(c.Result, m[1]) {
			p.add("%q stands behind {compute: …}, which prints %q. Leave it out.", m[1], c.Result)
		}
		end := sentenceEnd(body, at[1])
		var cited []evidence.Finding
		for _, id := range used {
			cited = append(cited, w.findings[id])
		}
		note := edit{audit.Range{Start: end, End: end}, " " + audit.ComputedNote(c, w.cite(cited...))}
		if m := lastMarks.FindStringIndex(body[at[1]:end]); m != nil {
			note.Range = audit.Range{Start: at[1] + m[0], End: at[1] + m[0]}
			if onlyNames(body[at[1]+m[0]:end], used) {
				note.End = end
			}
		}
		edits = append(edits, edit{audit.Range{Start: at[0], End: at[1]}, result}, note)
	}
	body = apply(body, edits)
	if computeLike.MatchString(body) && p.err() == nil {
		p.add("A computation is written {compute: F1 - F2}, on one line.")
	}
	return body
}

// computation computes one declared expression. used are the findings that it is made of.
func (w *writer) computation(text string, quotes map[string][]derive.Figure, p *problems) (c derive.Computation, used []string, ok bool) {
	e, err := derive.Parse(text)
	if err == nil {
		used = e.Findings()
		for _, id := range used {
			f, there := w.findings[id]
			if !there {
				p.add("There is no finding %s. %s", id, w.known())
				return c, nil, false
			}
			if _, read := quotes[id]; !read {
				quotes[id] = audit.Figures(f.Quote)
			}
		}
		c, err = e.Compute(quotes)
	}
	if err != nil {
		p.add("{compute: %s} does not hold: %s.", clip(text), err)
		return c, nil, false
	}
	return c, used, true
}

// repeatsUnit reports whether a word behind a result is its unit once more.
func repeatsUnit(result, word string) bool {
	_, unit, _ := strings.Cut(strings.TrimPrefix(result, derive.About), " ")
	word = strings.ToLower(word)
	if strings.HasPrefix(unit, "percent") && (word == "%" || strings.HasPrefix(word, "per")) && word != "per" {
		return true
	}
	return slices.Contains(strings.Fields(strings.ToLower(unit)), word) && word != "per"
}

// onlyNames reports whether marks name no findings but these.
func onlyNames(marks string, findings []string) bool {
	for _, id := range strings.FieldsFunc(marks, func(r rune) bool { return strings.ContainsRune("[], ;\t\n", r) }) {
		if !slices.Contains(findings, id) {
			return false
		}
	}
	return true
}

// sentenceEnd is the end, before its stop, of the sentence of a draft that goes on at from: of the cell, in a table.
func sentenceEnd(body string, from int) int {
	end := len(body)
	if m := newBlock.FindStringIndex(body[from:]); m != nil {
		end = from + m[0]
	}
	line := strings.TrimLeft(body[strings.LastIndexByte(body[:from], '\n')+1:from], " \t")
	if strings.HasPrefix(line, "|") {
		for _, stop := range []string{"|", "\n"} {
			if i := strings.Index(body[from:end], stop); i >= 0 {
				end = from + i
			}
		}
		return from + len(strings.TrimRight(body[from:end], " \t"))
	}
	// Marks have no stops in them for a sentence to end at.
	plain := strings.Map(func(r rune) rune {
		if r == '\n' {
			return ' '
		}
		return r
	}, body[from:end])
	for _, mark := range []*lazyregexp.Regexp{computeMark, findingMark} {
		plain = mark.ReplaceAllStringFunc(plain, func(s string) string { return strings.Repeat("x", len(s)) })
	}
	// What stands in front of the rest makes it no sentence of its own: "… {compute: …}. Then …".
	const lead = "It was x"
	if s := audit.Sentences(lead + plain); len(s) > 0 {
		end = from + max(0, s[0].End-len(lead))
	}
	return from + len(strings.TrimRight(body[from:end], ".!?… \t\n"))
}

// apply makes the edits, which do not overlap but may stand at the same place, in order.
func apply(body string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.Start - b.Start })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(body[at:max(at, e.Start)])
		b.WriteString(e.text)
		at = max(at, e.End)
	}
	b.WriteString(body[at:])
	return b.String()
}
