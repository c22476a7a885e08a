package knowledge

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ibid/audit/claim"
	"ibid/evidence"
)

// OfFinding is what is remembered of a finding: its source's words at their span, with the claim beside them. The source as it was
// read is still to be added. It is the same for the same finding, however often it is remembered.
func OfFinding(run string, f evidence.Finding) Snippet {
	return Snippet{Text: f.Quote, Claim: f.Claim, Label: Source, Span: f.Locator, Run: run, Origin: run + " " + f.ID}
}

// Worth are the findings that are worth to be remembered: not those that a person has rejected, nor those whose source gives
// orders to programs that read it.
func Worth(findings []evidence.Finding) (list []evidence.Finding) {
	for _, f := range findings {
		if f.Rejected == "" && f.Accepted == nil && !slices.Contains(f.Flags, string(claim.Injected)) {
			list = append(list, f)
		}
	}
	return list
}

// Snippets are the texts of a source, in parts that can be remembered: paragraphs stay whole where they are not longer than a
// part, and code is left out. The same source gives the same snippets.
func (o *Original) Snippets() ([]Snippet, error) {
	source, spans, err := read(o.Reading)
	if err != nil {
		return nil, err
	}
	var parts []string
	var part strings.Builder
	end := func() {
		if strings.TrimSpace(part.String()) != "" {
			parts = append(parts, part.String())
		}
		part.Reset()
	}
	n := 0
	for _, s := range spans {
		if s.Role == evidence.RoleCode {
			continue
		}
		for _, text := range cutEach(s.Text, MaxText-2) {
			size := utf8.RuneCountInString(text) + 2
			if n+size > MaxText {
				end()
				n = 0
			}
			part.WriteString(text + "\n\n")
			n += size
		}
	}
	end()
	list := make([]Snippet, len(parts))
	for i, text := range parts {
		list[i] = Snippet{Text: text, Label: Source, Kept: o, Origin: "source " + hash(source.URL, source.SHA256, source.TextSHA256, strconv.Itoa(i))}
	}
	return list, nil
}

// cutEach cuts a text into parts of at most n characters.
func cutEach(s string, n int) (parts []string) {
	r := []rune(s)
	for part := range slices.Chunk(r, n) {
		parts = append(parts, string(part))
	}
	return parts
}
