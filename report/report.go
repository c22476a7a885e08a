// Package report makes the report of a run: assembled from its findings, or composed from a model's draft that names
// findings by id. Every locator, quote and URL in it is written by this package, and it never invents a sentence.
package report

import (
	"fmt"
	"strings"

	"ibid/audit"
	"ibid/evidence"
)

// An Input is what a report is made of: the record that it will be checked against, and what the plan made of it.
type Input struct {
	Record        audit.Record
	Sections      []Section
	Disagreements []Disagreement
	Incomplete    string // why the work ended early, in a few words; "" when it ran to its end
}

// A Section is one sub-question of the plan with its findings, in the order recorded.
type Section struct {
	Question string   `json:"question"`
	Findings []string `json:"findings"` // ids
}

// A Disagreement is a pair of findings that do not agree, and over what.
type Disagreement struct {
	A, B  string // finding ids
	About string
}

// Assemble makes the report from findings alone (REPORT-1): the summary first, then each sub-question with its claims and
// the words that carry them, disagreements, what could not be established, and every source.
func Assemble(in Input) []byte {
	w := newWriter(in)
	w.line("# " + escape(in.Record.Question))
	w.summary()
	for _, s := range in.Sections {
		if len(w.live(s.Findings)) > 0 {
			w.section(s)
		}
	}
	w.end(in)
	return w.bytes()
}

// writer builds the Markdown.
type writer struct {
	b        strings.Builder
	in       Input
	findings map[string]evidence.Finding
	cited    map[string]bool // sources
}

func newWriter(in Input) *writer {
	w := &writer{in: in, findings: map[string]evidence.Finding{}, cited: map[string]bool{}}
	for _, f := range in.Record.Findings {
		if f.Rejected == "" {
			w.findings[f.ID] = f
		}
	}
	return w
}

// line writes a block with an empty line after it.
func (w *writer) line(s string) { w.b.WriteString(s + "\n\n") }

func (w *writer) bytes() []byte { return []byte(strings.TrimRight(w.b.String(), "\n") + "\n") }

// live returns the findings that were not rejected.
func (w *writer) live(ids []string) []evidence.Finding {
	var list []evidence.Finding
	for _, id := range ids {
		if f, ok := w.findings[id]; ok {
			list = append(list, f)
		}
	}
	return list
}

// cite writes a citation of findings, each span once, and notes their sources as cited.
func (w *writer) cite(findings ...evidence.Finding) string {
	var list []evidence.Citation
	seen := map[evidence.Citation]bool{}
	for _, f := range findings {
		c := evidence.Citation{Source: f.Source, Locator: f.Locator}
		if !seen[c] {
			seen[c] = true
			list = append(list, c)
		}
		w.cited[f.Source] = true
	}
	return evidence.FormatCitations(list...)
}

// summary shows the first finding of each section, two where there are few sections.
func (w *writer) summary() {
	w.line("## Summary")
	each := 1
	if len(w.in.Sections) <= 2 {
		each = 2
	}
	none := true
	for _, s := range w.in.Sections {
		list := w.live(s.Findings)
		for _, f := range list[:min(each, len(list))] {
			w.b.WriteString("- " + statement(f) + " " + w.cite(f) + "\n")
			none = false
		}
	}
	if none {
		w.b.WriteString("We could not establish an answer from the sources that were read.\n")
	}
	w.b.WriteString("\n")
}

// statement is a finding's claim as a line of text.
func statement(f evidence.Finding) string { return escape(sentence(f.Claim)) }

// sentence puts text on one line.
func sentence(s string) string { return strings.Join(strings.Fields(s), " ") }

// section shows a sub-question's findings: the claim, and below it the source's own words; where the claim is the
// source's own words, once.
func (w *writer) section(s Section) {
	w.line("## " + escape(s.Question))
	for _, f := range w.live(s.Findings) {
		if sameWords(f.Claim, f.Quote) {
			w.line("> " + escape(sentence(f.Quote)) + " " + w.cite(f))
			continue
		}
		w.line(statement(f) + " " + w.cite(f))
		w.line("> " + escape(sentence(f.Quote)) + " " + w.cite(f))
	}
}

func sameWords(a, b string) bool { return sentence(a) == sentence(b) }

// end writes what every report ends with.
func (w *writer) end(in Input) {
	if len(in.Disagreements) > 0 {
		w.line("## Disagreements")
		for _, d := range in.Disagreements {
			a, b := w.findings[d.A], w.findings[d.B]
			if a.ID == "" || b.ID == "" {
				continue
			}
			w.line("Do these sources agree about " + escape(d.About) + "?")
			w.b.WriteString("- " + statement(a) + " " + w.cite(a) + "\n")
			w.line("- " + statement(b) + " " + w.cite(b))
		}
	}
	w.gaps()
	w.sources()
}

// gaps names what was asked and not found, with the searches that looked for it.
func (w *writer) gaps() {
	var open []string
	for _, s := range w.in.Sections {
		if len(w.live(s.Findings)) == 0 {
			open = append(open, s.Question)
		}
	}
	if len(open) == 0 && w.in.Incomplete == "" {
		return
	}
	w.line("## What could not be established")
	if w.in.Incomplete != "" {
		w.line("The work ended before it was complete: " + escape(w.in.Incomplete) + ".")
	}
	for _, q := range open {
		w.b.WriteString("- We could not establish: " + escape(q) + "\n")
	}
	if len(open) > 0 {
		w.b.WriteString("\n")
	}
	if facts := w.in.Record.Facts; facts != nil && len(facts.Queries) > 0 && len(open) > 0 {
		w.line("Searched for:")
		for _, q := range facts.Queries {
			w.b.WriteString("- " + code(q) + "\n")
		}
		w.b.WriteString("\n")
	}
}

// sources lists every source that was read (REPORT-3), each with what a reader needs to find and to check it.
func (w *writer) sources() {
	w.line("## Sources")
	if len(w.in.Record.Sources) == 0 {
		w.line("No source was read.")
		return
	}
	for _, s := range w.in.Record.Sources {
		fmt.Fprintf(&w.b, "- **%s** %s — <%s> (%s", s.ID, escape(sentence(s.Title)), s.URL, s.Kind)
		if !w.cited[s.ID] {
			w.b.WriteString(", read, not cited")
		}
		fmt.Fprintf(&w.b, ", sha256 `%s`, fetched %s)\n", s.SHA256[:min(12, len(s.SHA256))], s.Fetched.UTC().Format("2006-01-02T15:04:05Z"))
	}
}

// escape makes text from outside inert in Markdown: it shows as it is, on one line, and opens nothing.
func escape(s string) string {
	var b strings.Builder
	for i, r := range sentence(s) {
		switch r {
		case '\\', '`', '*', '_', '{', '}', '[', ']', '<', '>', '|', '~', '&', '$':
			b.WriteByte('\\')
		case '#', '+', '-', '=', '!':
			if i == 0 || r == '!' {
				b.WriteByte('\\')
			}
		case '.', ')': // 1. and 1) would begin a list
			if i > 0 && i < 10 && strings.Trim(s[:i], "0123456789") == "" {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// code shows text as a code span, whatever it holds.
func code(s string) string {
	s = sentence(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	pad := ""
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		pad = " "
	}
	return fence + pad + s + pad + fence
}
