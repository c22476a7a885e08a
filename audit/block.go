package audit

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// What a block of a report is.
type blockKind int

const (
	paragraph blockKind = iota
	title               // the first heading, if it is of the first level
	heading
	item    // the text of a list item
	columns // the head of a table
	row     // of a table
	quote   // a block quote of nothing but text and code
	code    // a code block
	note    // a paragraph of a footnote
	rawHTML // a block of HTML
)

// A block is a piece of a report that is judged by itself.
type block struct {
	kind blockKind
	prose
	start, end int
	level      int    // of a heading
	lead       *block // the line that introduces it: it ends with a colon, or is a table's caption
	after      *block // the line after a picture or table, which may be its caption
	count      string // the number of a row in its table
	opens      int    // how many list items, rows or blocks it introduces
	note       int    // the number of the footnote that it belongs to
	cells      []Range
	mentions   []mention // what is or looks like a citation, in order
	computed   []computed
	drops      []Range // what its statements are read without, if something in it is computed
	sources    bool    // it is an entry of the list of sources
}

// A document is a parsed report.
type document struct {
	src    []byte
	blocks []*block
	listed bool // there is such a list
	headed bool // there is a heading for one
	refs   []reference
}

// A reference is a link definition ([x]: url "title"), which shows nothing by itself.
type reference struct {
	at                 int
	label, dest, title string
}

// The parser leaves the footnotes where they are, so that one that nothing refers to is checked too.
var markdownParser = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
	goldmark.WithParserOptions(
		parser.WithBlockParsers(util.Prioritized(extension.NewFootnoteBlockParser(), 999)),
		parser.WithInlineParsers(util.Prioritized(extension.NewFootnoteParser(), 101)))).Parser()

func parse(src []byte) *document {
	pc := parser.NewContext()
	root := markdownParser.Parse(text.NewReader(src), parser.WithContext(pc))
	w := &walker{document: document{src: src}}
	w.findSources(root)
	w.walk(root, nil, paragraph, 0)
	for _, r := range pc.References() {
		label := string(r.Label())
		at := strings.Index(string(src), "["+label+"]:")
		w.refs = append(w.refs, reference{max(at, 0), label, string(r.Destination()), string(r.Title())})
	}
	sortReferences(w.refs)
	return &w.document
}
