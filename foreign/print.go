package foreign

import (
	"fmt"
	"io"
	"strings"

	"ibid/audit"
)

// Print writes a result as Markdown: what was counted, a table of the claims that cite something, why those that are not simply
// supported are not, what is wrong with the references, and the references. What is of the report or its sources shows as it
// is, and opens nothing.
func Print(w io.Writer, r Result) error {
	p := &printer{w: w}
	p.line("# Check of %s\n", cell(r.Report, 200))
	p.line("%s\n", r.Summary())
	p.claims(r)
	p.problems(r)
	p.references(r)
	return p.err
}

// Summary says in a sentence or two what was found.
func (r Result) Summary() string {
	n := r.Counts
	s := fmt.Sprintf("%s: %d supported, %d partly, %d contradicted, %d misquoted, %d not found, %d unreachable, %d unread, %d dangling, %d uncited. %s, %s read; %s with references.",
		counted(n.Claims, "claim"), n.Supported, n.Partly, n.Contradicted, n.Misquoted, n.NotFound, n.Unreachable, n.Unread, n.Dangling, n.Uncited, counted(n.References, "reference"), counted(n.Read, "source"), counted(len(r.Problems), "problem"))
	if r.Stopped != "" {
		s += " The check is incomplete (" + r.Stopped + ")."
	}
	return s
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// printer keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// names of verdicts, as a reader knows them.
var names = map[Verdict]string{NotFound: "not found"}

func (v Verdict) String() string {
	if n := names[v]; n != "" {
		return n
	}
	return string(v)
}

func (p *printer) claims(r Result) {
	byID := map[string]Reference{}
	for _, ref := range r.References {
		byID[ref.ID] = ref
	}
	var cited, uncited []Claim
	for _, c := range r.Claims {
		if c.Verdict == Uncited {
			uncited = append(uncited, c)
		} else {
			cited = append(cited, c)
		}
	}
	p.line("## Claims\n")
	if len(cited) == 0 {
		p.line("Nothing in the report cites a source.\n")
	} else {
		p.line("| Claim | Line | Verdict | Source | Quote |\n| --- | --- | --- | --- | --- |")
		for _, c := range cited {
			p.line("| %s %s | %d | %s | %s | %s |", c.ID, cell(c.Text, 300), c.Line, verdict(c), sources(c, byID), quotes(c))
		}
		p.line("")
	}
	p.reasons(cited, byID)
	if len(uncited) > 0 {
		p.line("## Uncited\n")
		for _, c := range uncited {
			p.line("- %s (line %d) %s%s", c.ID, c.Line, cell(c.Text, 300), also(c, byID))
		}
		p.line("")
	}
}

// verdict is a claim's verdict, and how much of its words the quote has.
func verdict(c Claim) string {
	if len(c.Quotes) == 0 || c.Words == 0 {
		return c.Verdict.String()
	}
	return fmt.Sprintf("%s (%.0f %% of its words)", c.Verdict, 100*c.Words)
}

// sources are the references that a claim cites.
func sources(c Claim, byID map[string]Reference) string {
	var out []string
	for _, id := range c.Cites {
		out = append(out, cell(named(byID[id]), 80))
	}
	if len(out) == 0 {
		for _, m := range c.Marks {
			out = append(out, cell(m, 80))
		}
	}
	return strings.Join(out, ", ")
}

// named is a reference's id, and its label where it has one.
func named(r Reference) string {
	if r.Label == "" {
		return r.ID
	}
	return r.ID + " [" + r.Label + "]"
}

func quotes(c Claim) string {
	var out []string
	for _, q := range c.Quotes {
		s := fmt.Sprintf("“%s” (%s %s)", cell(q.Text, 400), q.Reference, cell(q.Locator.String(), 80))
		if c.Verdict == NotFound {
			s = "nearest: " + s
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// also says where else a claim was found.
func also(c Claim, byID map[string]Reference) string {
	if len(c.Also) == 0 {
		return ""
	}
	q := c.Also[0]
	return fmt.Sprintf(" %s has it: “%s” (%s)", cell(named(byID[q.Reference]), 80), cell(q.Text, 400), cell(q.Locator.String(), 80))
}

// reasons says of each claim that is not simply supported what speaks against it.
func (p *printer) reasons(cited []Claim, byID map[string]Reference) {
	any := false
	for _, c := range cited {
		if len(c.Reasons) == 0 && len(c.Also) == 0 {
			continue
		}
		if !any {
			p.line("## Why\n")
			any = true
		}
		p.line("- %s (line %d) %s.%s", c.ID, c.Line, c.Verdict, also(c, byID))
		for _, r := range c.Reasons {
			s := r.Message
			if r.Code == "words" || r.Code == "misquoted" {
				s += " (" + r.Claim + ")"
			}
			p.line("  - %s: %s", r.Code, cell(s, 600))
		}
	}
	if any {
		p.line("")
	}
}

func (p *printer) problems(r Result) {
	if len(r.Problems) == 0 {
		return
	}
	p.line("## Problems with references\n")
	for _, x := range r.Problems {
		p.line("- %s (line %d) %s: %s", x.Code, x.Line, cell(x.Text, 200), cell(x.Message, 600))
	}
	p.line("")
}

func (p *printer) references(r Result) {
	if len(r.References) == 0 {
		return
	}
	p.line("## References\n\n| Reference | Line | Cited | Source | Address | Title |\n| --- | --- | --- | --- | --- | --- |")
	for _, x := range r.References {
		state := strings.ReplaceAll(string(x.State), "_", " ")
		if x.Outcome != "" {
			state += ", " + strings.ReplaceAll(x.Outcome, "_", " ")
		}
		if x.Reason != "" {
			state += ": " + x.Reason
		}
		if len(x.Flags) > 0 {
			state += " (" + strings.ReplaceAll(strings.Join(x.Flags, ", "), "_", " ") + ")"
		}
		if x.SameAs != "" {
			state += " (same as " + x.SameAs + ")"
		}
		at := address(x.Address)
		if x.URL != "" && x.URL != x.Address {
			at += " → " + address(x.URL)
		}
		title := x.Title
		if title == "" {
			title = x.Text
		}
		p.line("| %s | %d | %d | %s | %s | %s |", cell(named(x), 80), x.Line, x.Cited, cell(state, 400), at, cell(title, 160))
	}
}

// address is an address as it is written, so that it can be copied.
func address(s string) string {
	if s = audit.ShownURL(s); strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") {
		return "<" + s + ">"
	}
	return cell(s, 1000)
}

// cell is a text from outside, at most about n bytes of it, as a cell of a table shows it: on one line, without what would
// open, end or hide anything.
func cell(s string, n int) string {
	s = clip(audit.Shown(s), n)
	var b strings.Builder
	for i, r := range s {
		switch {
		case strings.ContainsRune("\\`*_[]|~<", r), r == '&', r == '#' && i == 0, r == '!' && strings.HasPrefix(s[i:], "!["):
			b.WriteByte('\\')
		case r == ':' && strings.HasPrefix(s[i:], "://"): // no address becomes a link
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
