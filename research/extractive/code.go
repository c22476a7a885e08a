package extractive

import (
	"regexp"
	"strings"

	"ibid/audit"
)

var (
	comment   = regexp.MustCompile(`^\s*(?://+|#+|--|;+|/?\*+|<!--|"""|''')\s?`)
	statement = regexp.MustCompile(`(?:[:=]|:=|\breturn\b|\bconst\b|\bdefine\b|\bfunc\b|\bdef\b|\btype\b|\bclass\b)`)
	proseFile = regexp.MustCompile(`(?i)\.(?:md|markdown|rst|txt|adoc)(?::L|$)|readme|changelog|license`)
	symbols   = regexp.MustCompile(`[{}();=<>\[\]]`)
)

// prose says whether a span of a repository is running text: a document, or text that does not look like code.
func prose(s span) bool {
	if proseFile.MatchString(s.Span) {
		return true
	}
	return len(symbols.FindAllStringIndex(s.Text, -1))*40 < len(s.Text) && !comment.MatchString(s.Text) && !strings.Contains(s.Text, "\n\t")
}

// codeCuts finds what can be quoted in code: a comment with all its lines, a statement with the comment on its line.
func codeCuts(text string) []audit.Range {
	var cuts []audit.Range
	open := -1 // start of the comment being gathered
	end := 0
	for at := 0; at < len(text); {
		next := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			next = at + i
		}
		line := text[at:next]
		trimmed := strings.TrimSpace(line)
		start := at + strings.Index(line, trimmed)
		switch {
		case comment.MatchString(line) && len(trimmed) > 3:
			if open < 0 {
				open = start
			}
			end = start + len(trimmed)
			if len(split(text[open:end])) > mostWords/2 && strings.HasSuffix(trimmed, ".") {
				cuts = append(cuts, audit.Range{Start: open, End: end})
				open = -1
			}
		default:
			if open >= 0 {
				cuts = append(cuts, audit.Range{Start: open, End: end})
				open = -1
			}
			if statement.MatchString(trimmed) {
				cuts = append(cuts, audit.Range{Start: start, End: start + len(trimmed)})
			}
		}
		at = next + 1
	}
	if open >= 0 {
		cuts = append(cuts, audit.Range{Start: open, End: end})
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

var divided = regexp.MustCompile(`(\p{L})(?:\x{0002}\s*|\x{00AD}\s*|-\r?\n\s*)(\p{Ll})`)
