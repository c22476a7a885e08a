package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/audit"
	"ibid/evidence"
)

// A form is how a finding is printed: its claim as a sentence with its citation, "" where the quote says it all.
type form struct {
	claim string
	short string // for the summary and for comparisons
}

const maxClaim = 500 // bytes of a claim that is printed as a sentence

// form decides once how a finding is printed. A claim is printed only if it is one clean sentence that passes the check
// by itself; else the quote stands for it.
func (w *writer) form(f evidence.Finding) form {
	if have, ok := w.forms[f.ID]; ok {
		return have
	}
	var out form
	if !sameWords(f.Claim, f.Quote) {
		out.claim = w.sentence(f, f.Claim)
	}
	out.short = out.claim
	if out.short == "" && !w.isCode(f) {
		out.short = w.sentence(f, f.Quote)
	}
	if out.short == "" {
		out.short = strings.ReplaceAll(w.quote(f), "\n", "\n  ")
	}
	w.forms[f.ID] = out
	return out
}

// short prints a finding in one line, or as the quote that it rests on.
func (w *writer) short(f evidence.Finding) string {
	w.cited[f.Source] = true
	return w.form(f).short
}

// sentence prints text as one sentence with the finding's citation before its stop, "" if it is none.
func (w *writer) sentence(f evidence.Finding, text string) string {
	text = audit.Shown(text)
	if len(text) > maxClaim || len(audit.Sentences(text)) != 1 || !opens(text) {
		return ""
	}
	stop := ""
	if body := strings.TrimSuffix(text, "."); body != text && !strings.HasSuffix(body, ".") {
		text, stop = body, "."
	} else if r, _ := utf8.DecodeLastRuneInString(text); unicode.IsLetter(r) || unicode.IsNumber(r) || r == ')' || r == '%' {
		stop = "."
	}
	line := escape(text) + " " + w.cite(f) + stop
	rec := w.in.Record
	rec.Findings = []evidence.Finding{f}
	if r := audit.Fragment([]byte("- "+line+"\n"), rec); !r.OK || r.Claims != 1 || r.Citations != 1 {
		return ""
	}
	return line
}

// opens reports whether a text begins as a sentence does.
func opens(text string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "\"'“‘«„(¿¡$€£"))
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

func sameWords(a, b string) bool {
	fold := func(s string) string {
		return strings.TrimRight(strings.Join(strings.Fields(s), " "), ".")
	}
	return strings.EqualFold(fold(a), fold(b))
}

// isCode reports whether a finding's quote is program text, of which the line breaks count.
func (w *writer) isCode(f evidence.Finding) bool {
	for _, s := range w.in.Record.Sources {
		if s.ID == f.Source && s.Kind == evidence.Repo {
			return true
		}
	}
	return w.span(f).Role == evidence.RoleCode
}

// printed is the number that is printed on the page of a finding, where it has another one.
func (w *writer) printed(f evidence.Finding) string {
	label := audit.PageLabel(w.span(f))
	if label == "" {
		return ""
	}
	return " " + escape(label)
}

// span is where a finding's quote stands.
func (w *writer) span(f evidence.Finding) evidence.Span {
	for _, s := range w.in.Record.Spans[f.Source] {
		if s.Locator == f.Locator {
			return s
		}
	}
	return evidence.Span{}
}

// quote prints a finding's quote as a block quote with its citation.
func (w *writer) quote(f evidence.Finding) string {
	if !w.isCode(f) {
		return "> " + escape(f.Quote) + " " + w.cite(f) + w.printed(f)
	}
	text := strings.Map(func(r rune) rune {
		if audit.Forbidden(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(f.Quote))
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	var b strings.Builder
	b.WriteString("> " + fence + "\n")
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		b.WriteString("> " + line + "\n")
	}
	b.WriteString("> " + fence + "\n>\n> " + w.cite(f) + w.printed(f))
	return b.String()
}
