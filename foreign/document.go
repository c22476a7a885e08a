package foreign

import (
	"sort"
	"strings"

	"ibid/audit"
)

// What a block of a report is.
type kind int

const (
	paragraph kind = iota
	heading
	item // of a list
	head // of a table
	row  // of a table
	note // of a footnote
	code
	rule // a line across the page
)

// A block is a piece of a report that is read by itself.
type block struct {
	kind kind
	prose
	level  int    // of a heading
	label  string // the number of an item of an ordered list; the name of a footnote
	cells  []audit.Range
	heads  []string // of a row: the heads of its table's columns
	lead   *block   // the line that introduces it
	marks  []mark   // the citations in it, in order
	quoted bool     // it stands in a block quote
	listed bool     // it is a part of a list of references
	cut    bool     // it was longer than is looked at
	entry  *bool    // isEntry; nil until asked for
}

// prose is running text as a reader sees it.
type prose struct {
	text   []byte        // markup gone, escapes resolved; a hard line break is "\n"
	breaks []int         // where a line ends in the report without ending on the page: the space in text
	lines  []anchor      // where in the report the text stands
	links  []link        // in order
	notes  []noteRef     // marks of footnotes
	sups   []audit.Range // raised text
	dead   []audit.Range // code and what is struck out: no citation stands there
	ids    []string      // names that a link can lead to
}

// An anchor says which line a text is on from an offset on.
type anchor struct{ text, line int }

// A link is a stretch of text and where it leads.
type link struct {
	audit.Range
	dest string
}

// A noteRef is a mark in the text that leads to a footnote.
type noteRef struct {
	audit.Range
	label string
}

// line is the line of the report that an offset of the text is on.
func (p *prose) line(at int) int {
	i := sort.Search(len(p.lines), func(i int) bool { return p.lines[i].text > at })
	if i == 0 {
		if len(p.lines) > 0 {
			return p.lines[0].line
		}
		return 0
	}
	return p.lines[i-1].line
}

func (p *prose) isDead(r audit.Range) bool {
	for _, d := range p.dead {
		if r.Start < d.End && r.End > d.Start {
			return true
		}
	}
	return false
}

// A definition is an address with a name, which shows nothing by itself: [1]: url "title".
type definition struct {
	label, dest, title string
	line               int
}

// A document is a report, read.
type document struct {
	blocks      []*block
	definitions []definition
	lists       []list
}

// oneLine makes one space of every run of white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
