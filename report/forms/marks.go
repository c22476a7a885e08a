package forms

import (
	"fmt"
	"strings"

	"ibid/audit"
	"ibid/evidence"
)

// marks say of a finding what rules, a judge and a person say of its claim, each in a line; none where nobody has said a thing.
func (f found) marks() (list []string) {
	id := f.Finding.ID + ", “" + audit.Shown(f.Finding.Claim) + "”"
	if flags := f.Finding.Flags; len(flags) > 0 {
		list = append(list, id+": flagged by rules for "+strings.Join(flags, ", ")+".")
	}
	if r := f.Finding.Judged; r != nil {
		text := id + ": " + judged(*r)
		if len(r.Cleared) > 0 {
			text += " Cleared: " + strings.Join(r.Cleared, ", ") + "."
		}
		list = append(list, text)
	}
	if line := audit.AcceptanceLine(f.Finding); line != "" {
		list = append(list, line)
	}
	return list
}

// marks are those of all that was found at a place.
func (q quote) marks() (list []string) {
	for _, f := range q.Found {
		list = append(list, f.marks()...)
	}
	return list
}

// judged says what a judge said.
func judged(r evidence.Ruling) string {
	reason := ""
	if said := audit.Shown(r.Reason); said != "" {
		reason = ": " + said
	}
	if r.Verdict == "" {
		return fmt.Sprintf("the judge %s gave no verdict%s", audit.Shown(r.Model), reason)
	}
	return fmt.Sprintf("the judge %s says %s, %d of 100, and clears from %d on%s", audit.Shown(r.Model), audit.Shown(r.Verdict), r.Score, r.Threshold, reason)
}

// remarks are a section of what the check remarks on the text, though nothing in it blocks; nothing where there is none.
func remarks(check audit.Result) []block {
	if len(check.Failures) == 0 {
		return nil
	}
	text := func(s string) block { return block{Kind: paragraph, Runs: []run{{Text: s}}} }
	items := block{Kind: list}
	for _, f := range check.Failures[:min(len(check.Failures), maxRemarks)] {
		line := fmt.Sprintf("%s %s", f.Severity, f.Code)
		if said := audit.Shown(f.Text); said != "" {
			line += ", “" + said + "”"
		}
		line += ": " + audit.Shown(f.Message)
		if f.Judge != nil {
			line += " (" + judged(*f.Judge) + ")"
		}
		items.Blocks = append(items.Blocks, block{Kind: item, Blocks: []block{text(line)}})
	}
	return []block{{Kind: heading, Level: 2, Runs: []run{{Text: "Remarks of the check"}}},
		text("Nothing in this report blocks. This is what rules flag in it, what a judge has cleared, and what a person has accepted."), items}
}

// maxRemarks are printed; a report with more has them in its machine form.
const maxRemarks = 200
