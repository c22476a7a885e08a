package report

import (
	"fmt"
	"regexp"
	"strings"

	"ibid/evidence"
)

// A DraftError says what is wrong with a model's draft; its text is written for the model.
type DraftError struct{ Problems []string }

func (e *DraftError) Error() string { return strings.Join(e.Problems, "\n") }

var (
	mention = regexp.MustCompile(`\[(F[^\[\]]*)\]`)
	ids     = regexp.MustCompile(`^F\d+(?:\s*[,;]\s*F\d+)*$`)
	address = regexp.MustCompile(`(?i)\b(?:https?://|www\.)\S+`)
)

// maxDraft is the longest draft that is read, in bytes.
const maxDraft = 512 << 10

// Compose makes a report of a model's draft that names findings by id: [F3], [F1, F4]. Locators, sources and the title
// are written here (law 2). A draft that types them itself, or names a finding that was not recorded, is a *DraftError.
// The result still has to pass the audit.
func Compose(draft string, in Input) ([]byte, error) {
	w := newWriter(in)
	var problems []string
	if len(draft) > maxDraft {
		return nil, &DraftError{[]string{fmt.Sprintf("The draft has %d bytes; %d is the limit. Write a shorter report.", len(draft), maxDraft)}}
	}
	for _, url := range address.FindAllString(draft, 5) {
		problems = append(problems, fmt.Sprintf("The draft holds the URL %s. The program writes the sources; leave URLs out.", url))
	}
	for _, m := range evidence.ScanCitations(draft) {
		if text := draft[m.Start:m.End]; !mention.MatchString(text) {
			problems = append(problems, fmt.Sprintf("The draft holds %q. Name findings as [F1]; the program writes the places.", text))
		}
	}
	body := mention.ReplaceAllStringFunc(draft, func(found string) string {
		inner := strings.Trim(found, "[]")
		if !ids.MatchString(inner) {
			problems = append(problems, fmt.Sprintf("%s does not name findings. Write [F1] or [F1, F4].", found))
			return found
		}
		var list []evidence.Finding
		for _, id := range strings.FieldsFunc(inner, func(r rune) bool { return r == ',' || r == ';' || r == ' ' }) {
			f, ok := w.findings[id]
			if !ok {
				problems = append(problems, fmt.Sprintf("There is no finding %s. Use only findings that were recorded.", id))
				continue
			}
			list = append(list, f)
		}
		return w.cite(list...)
	})
	if len(problems) > 0 {
		return nil, &DraftError{problems}
	}
	w.line("# " + escape(in.Record.Question))
	w.line(strings.TrimSpace(body))
	w.end(in)
	return w.bytes(), nil
}
