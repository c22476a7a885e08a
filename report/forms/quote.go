package forms

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ibid/audit"
	"ibid/evidence"
)

// A quote is a cited span with the words that were found in it.
type quote struct {
	Number   int
	Citation evidence.Citation
	Source   *evidence.Source
	Span     evidence.Span
	Printed  string // the number that is printed on the page, where it has another one
	Found    []found
	Parts    []part // the span as a reader sees it, what was found in it marked
	Code     bool   // its line breaks count
}

// A found is a finding in a span.
type found struct {
	Finding evidence.Finding
	Match   evidence.Match
	URL     string // of the very place, "" if it has none
	Words   string // the first words of the quote
}

// A part is a stretch of a span.
type part struct {
	Text   string
	Marked bool
}

// around is how much of a span is shown before and after what was found in it, in bytes.
const around = 600

// quote looks up all that was found in a span.
func (r *Report) quote(c evidence.Citation) quote {
	q := quote{Number: len(r.quotes) + 1, Citation: c, Source: r.sources[c.Source]}
	spans := r.bundle.Spans[c.Source]
	at := slices.IndexFunc(spans, func(s evidence.Span) bool { return s.Locator == c.Locator })
	if at < 0 || q.Source == nil { // the check refuses such a citation
		q.Source = &evidence.Source{ID: c.Source}
		return q
	}
	q.Span = spans[at]
	q.Code = q.Source.Kind == evidence.Repo || q.Span.Role == evidence.RoleCode
	q.Printed = audit.PageLabel(q.Span)
	text, next := q.Span.Text, ""
	if at+1 < len(spans) {
		next = spans[at+1].Text
	}
	over := false
	var marks []audit.Range
	for _, f := range r.bundle.Findings {
		if f.Rejected != "" || f.Key() != evidence.Key(c) {
			continue
		}
		m := r.doc(c.Source).Match(f.Locator, f.Quote)
		if !m.OK() {
			continue
		}
		q.Found = append(q.Found, found{Finding: f, Match: m, URL: r.place(q.Source, m), Words: firstWords(m.Quote, 8)})
		end := m.End
		if m.Until != nil {
			over, end = true, len(text)+1+m.End
		}
		marks = append(marks, audit.Range{Start: m.Start, End: end})
	}
	if over {
		text += "\n" + next
	}
	q.Parts = parts(text, marks)
	for i := range q.Parts {
		if !q.Code {
			q.Parts[i].Text = strings.ReplaceAll(q.Parts[i].Text, "\n", " ")
		}
	}
	return q
}

// parts cuts a text at what is marked in it, and shortens what is not.
func parts(text string, marks []audit.Range) []part {
	slices.SortFunc(marks, func(a, b audit.Range) int { return a.Start - b.Start })
	var out []part
	at := 0
	for _, m := range marks {
		start := max(m.Start, at)
		if m.End <= start || m.End > len(text) {
			continue
		}
		switch {
		case start > at:
			out = append(out, part{Text: text[at:start]}, part{text[start:m.End], true})
		case len(out) > 0: // it overlaps what is marked already
			out[len(out)-1].Text += text[start:m.End]
		default:
			out = append(out, part{text[start:m.End], true})
		}
		at = m.End
	}
	if at < len(text) {
		out = append(out, part{Text: text[at:]})
	}
	for i := range out {
		p := &out[i]
		if p.Marked {
			p.Text = visible(p.Text)
			continue
		}
		head, tail := i > 0, i+1 < len(out) // something that is marked stands there
		p.Text = visible(shorten(p.Text, head, tail))
	}
	return out
}

// shorten leaves out of a text what is far from what is marked before (head) and after it (tail).
func shorten(s string, head, tail bool) string {
	keep := around
	if head && tail {
		keep *= 2
	}
	if len(s) <= keep {
		return s
	}
	var left, right string
	if head || !tail {
		n := around
		for !utf8.RuneStart(s[n]) {
			n--
		}
		left = s[:n]
	}
	if tail {
		n := len(s) - around
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		right = s[n:]
	}
	return left + " … " + right
}

// lineHyphens join a word that a line's end parts: a PDF marks such a hyphen by U+0002.
var lineHyphens = strings.NewReplacer("\u0002\r\n", "", "\u0002\n", "", "\r\n", "\n")

// visible is a text without what does not show or would change how it reads; its line breaks stay.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if audit.Forbidden(r) {
			return -1
		}
		return r
	}, lineHyphens.Replace(s))
}

// firstWords are the first n words of a text.
func firstWords(s string, n int) string {
	words := strings.Fields(audit.Shown(s))
	if len(words) <= n {
		return strings.Join(words, " ")
	}
	return strings.Join(words[:n], " ") + " …"
}
