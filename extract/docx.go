package extract

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"ibid/evidence"
)

// docx reads a document of a word processor in Office Open XML (ISO 29500-1 §17): the body in its order, then notes,
// comments, headers and footers.
type docx struct {
	*ooxmlFile
	out    *outline
	rels   map[string]relation // of the part that is being read
	styles docxStyles
	lists  *numbering
	links  *links

	cur    paraLine
	shift  int            // of the run that was read last, in half points
	behind bool           // a drawing lies behind the text of the page
	fields []field        // that are open
	tocs   int            // those of them that are tables of contents
	boxes  []*elem        // what is anchored in the paragraph and stands beside it
	notes  []docxNote     // in the order of their marks
	langs  map[string]int // letters by language
}

// docxNote is a footnote, an endnote or a comment that is referred to.
type docxNote struct{ kind, id, heading string }

// docxPlace says where a paragraph stands.
type docxPlace struct {
	path     string
	heading  string // above a note
	aside    bool   // header or footer: no main content
	comment  bool
	contents bool // a table of contents
	ground   docxGround
}

// readDOCX reads a word processor's document: paragraphs, headings with the numbers that are printed before them, list
// items, rows of tables. Deleted text of tracked changes and hidden text are left out.
func readDOCX(ctx context.Context, in Input) (*Page, error) {
	p, err := openParts(ctx, in)
	if err != nil {
		return nil, err
	}
	page := &Page{Kind: evidence.Document, By: "docx/1"}
	d := &docx{ooxmlFile: openOOXML(p, page, "word/document.xml"), out: newOutline(page), links: newLinks(in.URL, nil), langs: map[string]int{}}
	d.rels = d.relations(d.main)
	d.styles = readDOCXStyles(p, first(related(d.rels, "styles"), path.Join(path.Dir(d.main), "styles.xml")))
	d.lists = readNumbering(p, first(related(d.rels, "numbering"), path.Join(path.Dir(d.main), "numbering.xml")), d.styles)
	if err := d.body(); err != nil {
		return nil, err
	}
	d.readNotes()
	d.readComments()
	d.readMargins()
	page.Links = d.links.list
	d.language()
	if page.Title == "" {
		page.Title = first(firstHeading(page.Blocks), baseName(in.URL))
	}
	return page, ctx.Err()
}

// body reads the main part. What stands before a damage is kept.
func (d *docx) body() error {
	s, err := d.stream(d.main)
	if err != nil {
		return d.unreadable("it has no text part that can be read", err)
	}
	if root := s.child(); root != nil && root.name == "w:document" {
		var at docxPlace
		for e := s.child(); e != nil; e = s.child() {
			switch {
			case e.name == "w:body":
				d.walk(s, at, &counter{})
				continue
			case e.name == "w:background":
				at.ground.unknown = !sameColour(e.attr("w:color"), "FFFFFF")
			}
			s.skip()
		}
	} else if s.err == nil {
		_ = s.Close()
		return d.unreadable("its text part is not that of a document", nil)
	}
	if err := s.Close(); err != nil {
		if len(d.page.Blocks) == 0 {
			return d.unreadable("its text part is damaged", err)
		}
		d.page.flag(FlagTruncated)
	}
	return nil
}

// counter counts the paragraphs and tables of a story, for their paths.
type counter struct{ paragraphs, tables int }

// walk reads what stands in the element that was begun last, paragraph by paragraph and row by row, so that a long
// document is not held as a whole.
func (d *docx) walk(c cursor, at docxPlace, n *counter) {
	for e := c.child(); e != nil && !d.out.full; e = c.child() {
		switch e.name {
		case "w:p":
			c.fill(e)
			n.paragraphs++
			in := at
			in.path += fmt.Sprintf("/p[%d]", n.paragraphs)
			d.paragraph(e, in)
		case "w:tbl":
			d.rows(c, d.newTable(at, n))
		case "w:sdt", "w:sdtContent", "w:customXml", "w:smartTag", "w:ins", "w:moveTo":
			d.walk(c, at, n)
		case "w:sdtPr":
			c.fill(e)
			at.contents = at.contents || isContents(e)
		case "mc:AlternateContent":
			c.fill(e)
			d.tree(alternative(e), at, n)
		default:
			c.skip()
		}
	}
}

// tree reads what stands in an element that was read before: a cell, a text box, a note.
func (d *docx) tree(e *elem, at docxPlace, n *counter) { d.walk(newTree(e), at, n) }

// isContents reports whether a content control holds a table of contents.
func isContents(sdtPr *elem) bool {
	return strings.Contains(sdtPr.child("w:docPartObj", "w:docPartGallery").attr("w:val"), "Table of Contents")
}

// alternative returns the form of a content that a present-day program shows: the first; the fallback is the same again.
func alternative(e *elem) *elem {
	if c := e.child("mc:Choice"); c != nil {
		return c
	}
	return e.child("mc:Fallback")
}

// readNotes reads the footnotes and endnotes that the text refers to, in that order.
func (d *docx) readNotes() {
	for _, kind := range []string{"footnote", "endnote"} {
		d.story(kind+"s", func(root *elem) {
			byID := map[string]*elem{}
			root.each("w:"+kind, func(e *elem) { byID[e.attr("w:id")] = e })
			for i := 0; i < len(d.notes); i++ { // a note may hold the mark of another one
				note := d.notes[i]
				e := byID[note.id]
				if note.kind != kind || e == nil {
					continue
				}
				delete(byID, note.id)
				d.tree(e, docxPlace{path: "/" + kind + "[" + note.id + "]", heading: note.heading}, &counter{})
			}
		})
	}
}

// readComments reads the remarks of reviewers: other people's words, so no main content.
func (d *docx) readComments() {
	d.story("comments", func(root *elem) {
		root.each("w:comment", func(e *elem) {
			where := fmt.Sprintf("/comment[%s] by %s", e.attr("w:id"), first(oneLine(e.attr("w:author"), 100), "an unknown author"))
			d.tree(e, docxPlace{path: where, comment: true, aside: true}, &counter{})
		})
	})
}

// readMargins reads headers and footers, each once.
func (d *docx) readMargins() {
	for _, kind := range []string{"header", "footer"} {
		for i, name := range slices.Compact(relatedAll(d.rels, kind)) {
			d.part(name, func(root *elem) {
				d.tree(root, docxPlace{path: fmt.Sprintf("/%s[%d]", kind, i+1), aside: true}, &counter{})
			})
		}
	}
}

// story reads a part beside the text, which the text is related to by its kind.
func (d *docx) story(kind string, read func(root *elem)) {
	if name := related(d.rels, kind); name != "" {
		d.part(name, read)
	}
}

func (d *docx) part(name string, read func(root *elem)) {
	root, err := d.ooxmlFile.tree(name)
	if err != nil {
		return
	}
	rels, fields := d.rels, d.fields
	d.rels, d.fields, d.tocs = d.relations(name), nil, 0
	d.out.headings = [7]string{}
	d.cur.take()
	read(root)
	d.rels, d.fields = rels, fields
}

// language is that of most of the letters, as the text's formatting states it.
func (d *docx) language() {
	if d.page.Language != "" {
		return
	}
	best, most, all := "", 0, 0
	for lang, n := range d.langs {
		if all += n; n > most || n == most && lang < best {
			best, most = lang, n
		}
	}
	if best = languageTag(best); best != "" && most*2 > all {
		d.page.state("language", &d.page.Language, best, "w:lang of most of the text")
	}
}
