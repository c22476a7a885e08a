package report

import (
	"strings"

	"ibid/audit"
	"ibid/audit/conflict"
	"ibid/evidence"
)

// disagreements shows the findings that do not agree side by side, each in its source's own words (FIND-4). beside is what
// the heading says more where a draft has one like it.
func (w *writer) disagreements(beside string) {
	var list []conflict.Conflict
	heading := "Possible disagreements"
	for _, d := range w.in.Disagreements {
		if !w.both(d) {
			continue
		}
		list = append(list, d)
		if d.Severity == conflict.Certain {
			heading = "Disagreements"
		}
	}
	if len(list) == 0 {
		return
	}
	w.line("## " + heading + beside)
	for _, d := range list {
		if d.Severity == "" {
			w.lookAlike(d)
			continue
		}
		a, b := w.findings[d.A], w.findings[d.B]
		how := "do not agree"
		if d.Severity != conflict.Certain {
			how = "may not agree"
		}
		w.line("These findings " + how + " " + differIn[d.Kind] + ":")
		w.line(w.quote(a))
		w.line(w.quote(b))
		w.cited[a.Source], w.cited[b.Source] = true, true
		if says := w.says(d, a, b); says != "" {
			w.line(says)
		}
	}
}

// both reports whether both findings of a pair are reported: of what was rejected nothing is said.
func (w *writer) both(d conflict.Conflict) bool {
	_, a := w.findings[d.A]
	_, b := w.findings[d.B]
	return a && b
}

// differIn says what two findings differ in.
var differIn = map[conflict.Kind]string{conflict.Figures: "in their figures", conflict.Dates: "in their dates", conflict.Denial: "in what they say", conflict.Opposite: "in what they say"}

// says names the words that differ, with their citations, "" where they are not the quotes' own.
func (w *writer) says(d conflict.Conflict, a, b evidence.Finding) string {
	x, y := audit.Shown(d.SaysA), audit.Shown(d.SaysB)
	if x == "" || y == "" || !strings.Contains(audit.Shown(a.Quote), x) || !strings.Contains(audit.Shown(b.Quote), y) {
		return ""
	}
	line := "One says " + escape("“"+x+"”") + " " + w.cite(a) + ", the other " + escape("“"+y+"”") + " " + w.cite(b) + "."
	rec := w.in.Record
	rec.Findings = []evidence.Finding{a, b}
	if r := audit.Fragment([]byte(line+"\n"), rec); len(r.Failures) > 0 || r.Citations != 2 {
		return ""
	}
	return line
}

// lookAlike shows a pair of a run of before, of which only was known that its words are alike.
func (w *writer) lookAlike(d conflict.Conflict) {
	lead := "These findings do not agree:"
	if about := escape(d.About); about != "" {
		if l := "Do these findings agree about " + strings.TrimRight(about, " .?!:;") + "?"; audit.Fragment([]byte(l+"\n"), audit.Record{}).OK {
			lead = l
		}
	}
	w.line(lead)
	w.line("- " + w.short(w.findings[d.A]) + "\n- " + w.short(w.findings[d.B]))
}
