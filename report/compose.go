package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ibid/audit"
	"ibid/audit/conflict"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// A DraftError says what is wrong with a model's draft; its text is written for the model.
type DraftError struct{ Problems []string }

func (e *DraftError) Error() string { return strings.Join(e.Problems, "\n") }

var (
	findingMark = lazyregexp.New(`\[(F[^\[\]\n]*)\]`)
	findingList = lazyregexp.New(`^F[1-9][0-9]*(?:\s*[,;]\s*F[1-9][0-9]*)*$`)
	typedURL    = lazyregexp.New(`(?im)(?:\b[a-z][a-z0-9+.-]{1,20}://|\bwww\.|\bmailto:|\]\(\s*<?[^)\s]|^ {0,3}\[[^\]\n]+\]:)[^\s)>]*`)
	firstTitle  = lazyregexp.New(`\A\s*#[ \t][^\n]*(?:\n|\z)`)
)

const (
	maxDraft    = 512 << 10 // bytes
	maxProblems = 20        // that one DraftError lists
)

// Compose makes a report of a model's draft that names findings by id: [F3], [F1, F4], and declares what is computed of their
// figures: {compute: F1 - F2}. Locators, sources, results and the title are written here (law 2), and what the draft leaves out of disagreements and gaps is added. A draft that types
// addresses or locators itself, or names a finding that was not recorded, is a *DraftError. The result still has to pass
// the audit.
func Compose(draft string, in Input) ([]byte, error) {
	w := newWriter(in)
	var p problems
	if len(draft) > maxDraft {
		p.add("The draft has %d bytes; %d is the limit. Write a shorter report.", len(draft), maxDraft)
		return nil, p.err()
	}
	if audit.TooComplex([]byte(draft)) {
		p.add("The draft nests quotes or lists, or piles up emphasis, more than can be read. Write it simply.")
		return nil, p.err()
	}
	body := firstTitle.ReplaceAllString(strings.ReplaceAll(draft, "\r\n", "\n"), "")
	if at, name := lastSection([]byte(body)); name == "Sources" {
		body = body[:at] // the program writes it
	}
	if strings.TrimSpace(body) == "" {
		p.add("The draft says nothing. Write the report, or answer with an empty text to have it assembled from the findings.")
	}
	p.typed(body)
	body = w.compute(body, &p)
	body = findingMark.ReplaceAllStringFunc(body, func(mark string) string {
		list, ok := w.named(mark[1:len(mark)-1], &p)
		if !ok {
			return mark
		}
		return w.cite(list...)
	})
	if err := p.err(); err != nil {
		return nil, err
	}
	w.line("# " + escape(in.Record.Question))
	w.line(strings.TrimSpace(body))
	w.addMissing(body)
	w.standing()
	w.made()
	out := SetSection(w.bytes(), "Sources", []byte(w.list()))
	w.b.Reset()
	w.footer()
	return append(bytes.TrimRight(append(append(out, '\n'), w.b.String()...), "\n"), '\n'), nil
}

// named looks up the findings of a mark.
func (w *writer) named(inner string, p *problems) ([]evidence.Finding, bool) {
	if !findingList.MatchString(inner) {
		p.add("[%s] does not name findings. Write [F1] or [F1, F4].", clip(inner))
		return nil, false
	}
	var list []evidence.Finding
	for _, id := range strings.FieldsFunc(inner, func(r rune) bool { return r == ',' || r == ';' || r == ' ' || r == '\t' }) {
		f, ok := w.findings[id]
		if !ok {
			p.add("There is no finding %s. %s", id, w.known())
			continue
		}
		list = append(list, f)
	}
	return list, len(list) > 0
}

// known lists the findings that a draft may name.
func (w *writer) known() string {
	if len(w.findings) == 0 {
		return "No finding was recorded, so the report can only say what could not be established."
	}
	var ids []string
	for _, f := range w.in.Record.Findings {
		if f.Rejected == "" && len(ids) < 40 {
			ids = append(ids, f.ID)
		}
	}
	return "Those recorded are " + strings.Join(ids, ", ") + "."
}

// addMissing adds the disagreements, also to what a draft says of them, and the gaps that it does not speak of under their
// heading.
func (w *writer) addMissing(body string) {
	has := func(words ...string) bool {
		for line := range strings.Lines(body) {
			if low := strings.ToLower(line); strings.HasPrefix(low, "#") {
				if slices.ContainsFunc(words, func(s string) bool { return strings.Contains(low, s) }) {
					return true
				}
			}
		}
		return false
	}
	if !has("disagree", "conflict", "contradict") {
		w.disagreements("")
	} else if slices.ContainsFunc(w.in.Disagreements, func(d conflict.Conflict) bool { return d.Severity != "" }) {
		w.disagreements(" side by side")
	}
	if !has("could not be established", "not established", "gaps", "open questions", "unknown") {
		w.gaps()
	}
}

// problems collects what is wrong with a draft, each thing once.
type problems []string

func (p *problems) add(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(*p) < maxProblems && !slices.Contains(*p, text) {
		*p = append(*p, text)
	}
}

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return &DraftError{p}
}

// typed notes the addresses and citations that the model typed itself.
func (p *problems) typed(body string) {
	for _, url := range typedURL.FindAllString(body, maxProblems) {
		p.add("The draft holds the link %q. The program writes the addresses; leave links out.", clip(strings.TrimSpace(url)))
	}
	for _, m := range evidence.ScanCitations(body) {
		if text := body[m.Start:m.End]; !findingMark.MatchString(text) {
			p.add("The draft holds %q. Name findings as [F1]; the program writes the places.", clip(text))
		}
	}
}

func clip(s string) string { return evidence.Clip(s, 120) }
