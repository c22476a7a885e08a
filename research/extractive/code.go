package extractive

import (
	"strings"

	"ibid/audit"
	"ibid/internal/lazyregexp"
)

var (
	comment   = lazyregexp.New(`^\s*(?://+|#+|--|;+|/?\*+|<!--|"""|''')\s?`)
	docstring = lazyregexp.New(`^(?:"""|''').+(?:"""|''')$`)
	statement = lazyregexp.New(`(?:[:=]|:=|\breturn\b|\bconst\b|\bdefine\b|\bfunc\b|\bdef\b|\btype\b|\bclass\b)`)
	proseFile = lazyregexp.New(`(?i)\.(?:md|markdown|rst|txt|adoc)(?::L|$)|readme|changelog|license`)
	symbols   = lazyregexp.New(`[{}();=<>\[\]]`)
)

// prose says whether a span of a repository is running text: a document, or text that does not look like code.
func prose(s span) bool {
	if proseFile.MatchString(s.Span) {
		return true
	}
	return len(symbols.FindAllStringIndex(s.Text, -1))*40 < len(s.Text) && !comment.MatchString(s.Text) && !strings.Contains(s.Text, "\n\t")
}

// codeCuts finds what can be quoted in code: a comment with the statement under it, and each statement with the comment
// on its line.
func codeCuts(text string) []audit.Range {
	var cuts []audit.Range
	open := audit.Range{Start: -1} // the comment being gathered
	for at := 0; at < len(text); {
		next := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			next = at + i
		}
		trimmed := strings.TrimSpace(text[at:next])
		line := audit.Range{Start: at + strings.Index(text[at:next], trimmed)}
		line.End = line.Start + len(trimmed)
		switch {
		case docstring.MatchString(trimmed):
			cuts = append(cuts, line)
		case comment.MatchString(trimmed) && len(trimmed) > 3:
			if open.Start < 0 {
				open.Start = line.Start
			}
			open.End = line.End
			if strings.HasSuffix(trimmed, ".") && len(split(text[open.Start:open.End])) > mostWords/2 {
				cuts = append(cuts, open)
				open.Start = -1
			}
		case statement.MatchString(trimmed):
			if open.Start >= 0 {
				cuts = append(cuts, audit.Range{Start: open.Start, End: line.End})
				open.Start = -1
			} else {
				cuts = append(cuts, line)
			}
		case open.Start >= 0:
			cuts = append(cuts, open)
			open.Start = -1
		}
		at = next + 1
	}
	if open.Start >= 0 {
		cuts = append(cuts, open)
	}
	return cuts
}

// plain is the text of a claim: one line, comment marks at line starts dropped, words that a line end divided joined.
func plain(e sentence) string {
	text := e.text
	if e.kind == "repo" || e.role == "code" {
		rows := strings.Split(text, "\n")
		for i, row := range rows {
			rows[i] = comment.ReplaceAllString(row, "")
		}
		text = strings.Join(rows, " ")
	}
	text = divided.ReplaceAllString(text, "$1$2")
	return oneLine(text)
}

var divided = lazyregexp.New(`(\p{L})(?:\x{0002}\s*|\x{00AD}\s*|-\r?\n\s*)(\p{Ll})`)
