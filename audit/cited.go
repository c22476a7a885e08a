package audit

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"ibid/evidence"
)

// Cited is a citation that a report makes: where it stands in the Markdown, brackets included, and the spans it names.
type Cited struct {
	Range
	Spans []evidence.Citation
}

// Parse reads a report's Markdown as the check reads it, and finds its citations, in the order of the text: whoever prints
// a report in another form prints what was checked. TooComplex tells beforehand which text is not to be parsed.
func Parse(markdown []byte) (ast.Node, []Cited) {
	var list []Cited
	for _, b := range parse(markdown).blocks {
		for _, m := range b.mentions {
			if m.ok() && !m.noted {
				start, end := b.place(m.Range)
				list = append(list, Cited{Range{start, end}, m.cites})
			}
		}
	}
	return markdownParser.Parse(text.NewReader(markdown)), list
}
