package audit

import (
	"ibid/audit/claim"
	"ibid/evidence"
)

// Around is what a reader sees around a quote that was found in a source: the source's title, the heading above the
// quote, the head of its table, and the text of its span before and after it. Code has no sentences that could go on.
func Around(src evidence.Source, spans []evidence.Span, m evidence.Match) claim.Context {
	c := claim.Context{Title: src.Title}
	for _, s := range spans {
		if s.Locator == m.Locator {
			c.Heading, c.Table, c.Voice = s.Heading, s.Caption+"\n"+s.Columns, voices[s.Role]
			if s.Role != evidence.RoleCode && src.Kind != evidence.Repo && m.Start <= len(s.Text) {
				c.Before = s.Text[:m.Start]
				if m.Until == nil && m.End <= len(s.Text) {
					c.After = s.Text[m.End:]
				}
			}
		}
		if m.Until != nil && s.Locator == *m.Until && m.End <= len(s.Text) {
			c.After = s.Text[m.End:]
		}
	}
	return c
}

// voices are the roles of spans whose words are not their source's own.
var voices = map[evidence.Role]string{evidence.RoleQuote: "a quotation", evidence.RoleComment: "a comment by somebody else"}
