package report

import (
	"fmt"
	"strings"
	"time"

	"ibid/audit"
	"ibid/audit/sources"
)

// gaps names what was asked and not found, with the searches that looked for it.
func (w *writer) gaps() {
	var open []string
	for _, s := range w.in.Sections {
		if len(w.live(s.Findings)) == 0 {
			open = append(open, s.Question)
		}
	}
	facts := w.in.Record.Facts
	if len(open) == 0 && len(w.findings) > 0 && w.in.Incomplete == "" {
		return
	}
	w.line("## What could not be established")
	if w.in.Incomplete != "" && facts != nil {
		w.line(audit.StopSentence(facts.Stop))
	}
	for _, q := range open {
		w.b.WriteString("- " + w.gap(q) + "\n")
	}
	if len(open) > 0 {
		w.b.WriteString("\n")
	} else if len(w.findings) == 0 {
		w.line(w.nothing())
	}
	w.searchedFor()
}

// nothing says that a report holds no finding, and why, as far as it is known.
func (w *writer) nothing() string {
	for _, s := range w.in.Record.Sources {
		if !s.Fetched.IsZero() {
			if w.in.Incomplete != "" {
				return "We could not establish an answer."
			}
			return "No source that was read answers this question."
		}
	}
	return "No source was read."
}

// gap words one open sub-question.
func (w *writer) gap(question string) string {
	for _, line := range []string{"Not established: " + escape(question), "Not established: " + escape(strings.TrimRight(question, " .!?:;")) + "?"} {
		if audit.Fragment([]byte("- "+line+"\n"), w.in.Record).OK {
			return line
		}
	}
	return "We could not establish an answer to one more part of the plan."
}

// searchedFor backs the gaps with the queries of the journal, each in quotation marks.
func (w *writer) searchedFor() {
	facts := w.in.Record.Facts
	if facts == nil || len(facts.Queries) == 0 {
		return
	}
	var quoted []string
	for _, q := range facts.Queries {
		line := "Searched for: “" + escape(q) + "”."
		if audit.Fragment([]byte(line+"\n"), w.in.Record).OK {
			quoted = append(quoted, "“"+escape(q)+"”")
		}
	}
	if len(quoted) == 0 {
		return
	}
	if line := "Searched for: " + strings.Join(quoted, ", ") + "."; audit.Fragment([]byte(line+"\n"), w.in.Record).OK {
		w.line(line)
	}
}

// end writes what every report ends with: how it was made, every source, and the run.
func (w *writer) end() {
	w.made()
	w.sources()
	w.footer()
}

// footer names the run.
func (w *writer) footer() {
	if f := w.in.Record.Facts; f != nil && f.Run != "" {
		line := "Run " + f.Run
		if !f.Finished.IsZero() {
			line += ", evidence as of " + f.Finished.UTC().Format(time.DateOnly)
		}
		if f.Root != "" {
			line += ", root " + f.Root
		}
		w.line("---\n\n" + line + ".")
	}
}

// made says how the report was made, in figures of the run's record that the check holds against it.
func (w *writer) made() {
	f := w.in.Record.Facts
	if f == nil {
		return
	}
	read, cited := 0, 0
	for _, s := range w.in.Record.Sources {
		if !s.Fetched.IsZero() {
			read++
			if w.cited[s.ID] {
				cited++
			}
		}
	}
	s := []string{fmt.Sprintf("This run made %s in %s.", count(f.Searches, "search", "searches"), count(f.Steps, "step", "steps"))}
	if read > 0 {
		s = append(s, fmt.Sprintf("Of %s read, %d %s cited.", count(read, "source", "sources"), cited, isAre(cited)))
	} else {
		s = append(s, "No source was read.")
	}
	if f.Unavailable > 0 {
		s = append(s, count(f.Unavailable, "page", "pages")+" could not be read.")
	}
	if n := len(f.Unsearched); n > 0 {
		s = append(s, count(n, "document", "documents")+" could not be searched in full.")
	}
	if f.Impaired > 0 {
		s = append(s, count(f.Impaired, "search", "searches")+" failed or gave a part only.")
	}
	if f.Tokens > 0 {
		s = append(s, fmt.Sprintf("The run used %d tokens.", f.Tokens))
	}
	if f.Dollars > 0 {
		s = append(s, fmt.Sprintf("The run cost $%.4f.", f.Dollars))
	}
	if f.Unpriced {
		s = append(s, "What the run cost is not known in full.")
	}
	s = append(s, audit.JudgeSentences(f.Judge)...)
	s = append(s, audit.StopSentence(f.Stop))
	w.line("## How this was made")
	w.line(strings.Join(s, " "))
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// sources lists every source that was read (REPORT-3), each with what a reader needs to find and to check it.
func (w *writer) sources() {
	w.b.WriteString("## Sources\n\n")
	w.line(strings.TrimSpace(w.list()))
}

func (w *writer) list() string {
	var b strings.Builder
	for _, s := range w.in.Record.Sources {
		if s.Fetched.IsZero() {
			continue
		}
		fmt.Fprintf(&b, "- **%s** ", s.ID)
		if title := escape(s.Title); title != "" {
			b.WriteString(title + " — ")
		}
		if imprint := escape(strings.Join(audit.Imprint(s), ", ")); imprint != "" && w.in.Imprints {
			b.WriteString(imprint + " — ")
		}
		fmt.Fprintf(&b, "%s (%s", link(s.URL), s.Kind)
		if w.carded() {
			if standing := w.standingOf(s.ID); standing != "" {
				b.WriteString(", " + standing)
			}
		}
		if !w.cited[s.ID] {
			b.WriteString(", read, not cited")
		}
		fmt.Fprintf(&b, ", sha256 `%s`, fetched %s)\n", s.SHA256[:min(12, len(s.SHA256))], s.Fetched.UTC().Format("2006-01-02T15:04:05Z"))
	}
	if b.Len() == 0 {
		return "No source was read."
	}
	return b.String()
}

// standingOf says of a source what it is, as far as that is known, and what became of it.
func (w *writer) standingOf(source string) string {
	text := w.in.Record.Standing.Card(source).String()
	if w.in.Ranked {
		text = strings.TrimPrefix(strings.TrimPrefix(text, sources.Unknown), ", ")
	}
	return text
}

// link prints where a source was read: as a link if it leads to a page or a file, else as text.
func link(url string) string {
	shown := audit.ShownURL(url)
	for _, scheme := range []string{"https://", "http://", "file://"} {
		if strings.HasPrefix(strings.ToLower(shown), scheme) {
			return "<" + shown + ">"
		}
	}
	return escape(shown)
}
