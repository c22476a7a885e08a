package foreign

import (
	"slices"
	"strings"

	"ibid/audit"
	"ibid/evidence"
	"ibid/extract"
)

// parse takes a report apart.
func parse(r Report) (*document, error) {
	switch {
	case r.Page != nil:
		return readPage(r.Page), nil
	case r.HTML:
		return readHTML(r.Text), nil
	case audit.TooComplex(r.Text):
		return nil, &BadReport{"it nests quotes or lists, or piles up emphasis or links, as no report does"}
	}
	return readMarkdown(r.Text), nil
}

// kinds are what the roles of blocks are in a report.
var kinds = map[evidence.Role]kind{evidence.RoleHeading: heading, evidence.RoleItem: item, evidence.RoleRow: row, evidence.RoleCode: code}

// readPage takes a document of another format apart, as far as its blocks tell: which words are a link is known by the text of
// its links, in their order. A block counts as a line.
func readPage(page *extract.Page) *document {
	d := &document{}
	next := 0
	all := !slices.ContainsFunc(page.Blocks, func(b extract.Block) bool { return b.Main })
	for i, b := range page.Blocks {
		if !all && !b.Main {
			continue
		}
		n := &block{kind: kinds[b.Role], level: b.Level, prose: prose{text: []byte(b.Text), lines: []anchor{{0, i + 1}}}}
		if n.kind == row {
			n.cells, n.heads = cellsOf(b.Text), strings.Split(b.Columns, " | ")
		}
		from := 0
		for j := next; j < min(next+maxAhead, len(page.Links)); j++ {
			l := page.Links[j]
			at := strings.Index(b.Text[from:], l.Text)
			if at < 0 || l.Text == "" {
				continue
			}
			n.links = append(n.links, link{audit.Range{Start: from + at, End: from + at + len(l.Text)}, l.URL})
			from += at + len(l.Text)
			next = j + 1
		}
		d.blocks = append(d.blocks, n)
	}
	return d
}

// maxAhead is how many links that stand in no block are passed over to find the next that does.
const maxAhead = 50

// cellsOf are the cells of a row, which are joined by " | ".
func cellsOf(text string) (cells []audit.Range) {
	from := 0
	for cell := range strings.SplitSeq(text, " | ") {
		cells = append(cells, audit.Range{Start: from, End: from + len(cell)})
		from += len(cell) + len(" | ")
	}
	return cells
}
