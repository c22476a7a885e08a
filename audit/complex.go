package audit

import "bytes"

// Limits of what is handed to the Markdown parser, whose time grows with the square of these.
const (
	maxNesting = 60   // quotes and lists that one line opens
	maxMarks   = 4000 // characters of emphasis, and definitions of links, in one stretch of text without an empty line
	maxOpened  = 2e7  // bytes that are looked through for the ends of links: each goes on to the next space
)

// TooComplex reports whether a text is made to be slow to parse as Markdown. No report is so.
func TooComplex(src []byte) bool {
	if opened(src) > maxOpened {
		return true
	}
	marks := 0
	for line := range bytes.Lines(src) {
		if nesting(line) > maxNesting {
			return true
		}
		if len(bytes.TrimSpace(line)) == 0 {
			marks = 0
		}
		if bytes.Contains(line, []byte("]:")) {
			marks++
		}
		for _, c := range line {
			if c == '*' || c == '_' || c == '~' {
				marks++
			}
		}
		if marks > maxMarks {
			return true
		}
	}
	return false
}

// opened is how much is looked through for the ends of links, at most.
func opened(src []byte) int {
	all := 0
	for run := range bytes.FieldsSeq(src) {
		all += bytes.Count(run, []byte("](")) * len(run)
	}
	return all
}

// nesting counts the marks of quotes and list items that a line begins with.
func nesting(line []byte) int {
	n := 0
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '>':
			n++
			i++
		case c == '-' || c == '+' || c == '*':
			n++
			i++
			if i < len(line) && line[i] != ' ' && line[i] != '\t' {
				return n
			}
		case c >= '0' && c <= '9':
			for i < len(line) && line[i] >= '0' && line[i] <= '9' {
				i++
			}
			if i >= len(line) || line[i] != '.' && line[i] != ')' {
				return n
			}
			n++
			i++
		default:
			return n
		}
	}
	return n
}
