// Package report makes the report of a run: assembled from its findings, or composed from a model's draft that names
// findings by id. Every locator, quote and URL in it is written by this package, and it never invents a sentence.
package report

import (
	"cmp"
	"slices"
	"strings"

	"ibid/audit"
	"ibid/audit/conflict"
	"ibid/evidence"
)

// An Input is what a report is made of: the record that it will be checked against, and what the plan made of it.
type Input struct {
	Record        audit.Record
	Sections      []Section
	Disagreements []conflict.Conflict // of audit/conflict; of a run of before, pairs without a severity
	Incomplete    string              // why the work ended early; "" when it ran to its end. The report words it by Record.Facts.Stop
	Imprints      bool                // the list of sources says who made them, and when, where they say so
	Ranked        bool                // of findings that say as much, those of better sources come first; a class that is not known is not named
}

// A Section is one sub-question of the plan with its findings, in the order recorded. One without findings is a gap.
type Section struct {
	Question string   `json:"question"`
	Findings []string `json:"findings"` // ids
}

// maxSummary is how many findings the summary shows.
const maxSummary = 6

// Assemble makes the report from findings alone (REPORT-1): the summary first, then each sub-question with its claims and
// the words that carry them, disagreements, what could not be established, how the report was made, and every source.
// The same input gives the same bytes.
func Assemble(in Input) []byte {
	w := newWriter(in)
	w.line("# " + escape(in.Record.Question))
	w.summary()
	for _, s := range w.sections() {
		if len(w.live(s.Findings)) > 0 {
			w.section(s)
		}
	}
	w.disagreements("")
	w.gaps()
	w.standing()
	w.end()
	return w.bytes()
}

// A writer builds the Markdown.
type writer struct {
	b        strings.Builder
	in       Input
	findings map[string]evidence.Finding // those not rejected
	forms    map[string]form
	cited    map[string]bool               // sources
	joined   map[string][]evidence.Finding // by the id of each of those that state the same: all of them
	copied   map[string]bool               // sources that have what they say from another; nil until it is asked
	told     map[string]bool               // sources of which the report says that they were taken back
}

func newWriter(in Input) *writer {
	w := &writer{in: in, findings: map[string]evidence.Finding{}, forms: map[string]form{}, cited: map[string]bool{}}
	for _, f := range in.Record.Findings {
		if f.Rejected == "" {
			w.findings[f.ID] = f
		}
	}
	if w.in.Record.Standing == nil && in.Record.Cards != audit.CardsIgnored {
		w.in.Record.Standing = audit.Standing(in.Record)
	}
	w.told = map[string]bool{}
	w.join()
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

// sections are the sub-questions as planned, and one more for findings that belong to none of them.
func (w *writer) sections() []Section {
	placed := map[string]bool{}
	for _, s := range w.in.Sections {
		for _, id := range s.Findings {
			placed[id] = true
		}
	}
	other := Section{Question: "Other findings"}
	for _, f := range w.in.Record.Findings {
		if !placed[f.ID] {
			other.Findings = append(other.Findings, f.ID)
		}
	}
	list := w.in.Sections[:len(w.in.Sections):len(w.in.Sections)]
	if len(other.Findings) > 0 {
		if len(list) == 0 {
			other.Question = "Findings"
		}
		list = append(list, other)
	}
	return list
}

// cite writes a citation of findings, each span once, and notes their sources as cited.
func (w *writer) cite(findings ...evidence.Finding) string {
	var list []evidence.Citation
	seen := map[evidence.Citation]bool{}
	for _, f := range findings {
		c := evidence.Citation(f.Key())
		if !seen[c] {
			seen[c] = true
			list = append(list, c)
		}
		w.cited[f.Source] = true
	}
	return citation(list...)
}

// citation prints a citation so that Markdown leaves it alone: a path such as __init__.py must not turn bold.
func citation(list ...evidence.Citation) string {
	s := evidence.FormatCitations(list...)
	return "[" + strings.NewReplacer("_", `\_`, "~", `\~`, "@", `\@`, "://", `\://`, "www.", `www\.`).Replace(s[1:len(s)-1]) + "]"
}

// summary shows the first findings of each section, in turn.
func (w *writer) summary() {
	w.line("## Summary")
	sections := w.sections()
	shown := 0
	var told []evidence.Finding
	for round := 0; shown < maxSummary && round < maxSummary; round++ {
		if round > 0 && (shown >= 3 || shown >= len(w.findings)) {
			break
		}
		for _, s := range sections {
			list := w.best(s)
			if round < len(list) && shown < maxSummary && !overlaps(list[round], told) && !w.joins(list[round], told) {
				told = append(told, list[round])
				w.b.WriteString("- " + w.short(list[round]) + "\n")
				shown++
			}
		}
	}
	if shown == 0 {
		w.b.WriteString(w.nothing() + "\n")
	}
	w.b.WriteString("\n")
	for _, f := range told {
		w.fallen(f.Source)
		w.accepted(f)
	}
}

// accepted says, beside a claim, that a person accepted it though rules block it.
func (w *writer) accepted(f evidence.Finding) {
	if line := audit.AcceptanceLine(f); line != "" {
		w.line(escape(line))
	}
}

// overlaps reports whether the words of a finding are part of one that was told, or the other way round.
func overlaps(f evidence.Finding, told []evidence.Finding) bool {
	return slices.ContainsFunc(told, func(g evidence.Finding) bool {
		return f.Key() == g.Key() && (strings.Contains(g.Quote, f.Quote) || strings.Contains(f.Quote, g.Quote))
	})
}

// best are the findings of a section, those first that can be told in one sentence.
func (w *writer) best(s Section) []evidence.Finding {
	list := w.live(s.Findings)
	slices.SortStableFunc(list, func(a, b evidence.Finding) int {
		x, y := w.worth(a), w.worth(b)
		return cmp.Or(cmp.Compare(x.fallen, y.fallen), cmp.Compare(quoted(w.form(a).short), quoted(w.form(b).short)), x.compare(y))
	})
	return list
}

// quoted is 1 for a form that is a block quote.
func quoted(short string) int {
	if strings.HasPrefix(short, "> ") {
		return 1
	}
	return 0
}

// section shows a sub-question's findings: the claim, and below it the source's own words; where the claim is the
// source's own words, once.
func (w *writer) section(s Section) {
	w.line("## " + w.heading(s.Question))
	var told []evidence.Finding
	list := w.ordered(w.live(s.Findings))
	for _, f := range list {
		if w.joins(f, told) {
			continue
		}
		f = w.foremost(f, list)
		told = append(told, f)
		if form := w.form(f); form.claim != "" {
			w.line(form.claim)
		}
		w.line(w.quote(f))
		w.accepted(f)
		w.corroborated(f)
		w.fallen(f.Source)
	}
}

// heading prints a sub-question as a heading. What is not worded as a question gets its mark, so that a plan cannot
// state a figure.
func (w *writer) heading(question string) string {
	h := escape(question)
	if h == "" || h == escape(w.in.Record.Question) {
		return "Findings"
	}
	if audit.Fragment([]byte("## "+h+"\n"), audit.Record{Question: w.in.Record.Question}).OK {
		return h
	}
	h = escape(strings.TrimRight(question, " .!?:;")) + "?"
	if audit.Fragment([]byte("## "+h+"\n"), audit.Record{Question: w.in.Record.Question}).OK {
		return h
	}
	return "Findings"
}
