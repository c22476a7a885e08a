package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"ibid/evidence"
)

// odf reads a document in OpenDocument (ISO 26300, OASIS ODF 1.3): a text, a presentation, a drawing or a workbook, as a
// zip or as one flat file.
type odf struct {
	parts  *parts
	page   *Page
	out    *outline
	links  *links
	styles odfStyles

	cur      paraLine
	boxes    []odfBox  // what is anchored in the paragraph and stands beside it
	notes    []odfNote // footnotes and endnotes, in the order of their marks
	comments []*elem
	numbers  map[string]*[10]int // of headings and items above, by list style; of headings alone ""
	slide    int
	sheets   *sheetWriter
}

type odfBox struct {
	e  *elem
	at odfPlace
}

type odfNote struct {
	e       *elem
	heading string
}

// odfPlace says where a paragraph stands.
type odfPlace struct {
	path     string
	heading  string // above a note, or of a slide
	aside    bool   // header or footer: no main content
	comment  bool
	contents bool   // a table of contents
	level    int    // of the list
	list     string // its style
	item     *bool  // of an item: whether its number has yet to come
	class    string // of a shape on a slide: "title", "outline"
	boxed    bool   // in a shape, a cell or a section that may have a ground of its own
}

// readODF reads an OpenDocument. Hidden text, slides, sheets, rows and columns are left out; so is deleted text.
func readODF(ctx context.Context, in Input) (*Page, error) {
	o := &odf{page: &Page{By: "odf/1"}, links: newLinks(in.URL, nil), numbers: map[string]*[10]int{}}
	var content, styles, meta func() (*stream, error)
	if bytes.HasPrefix(in.Body, []byte("PK")) {
		p, err := openParts(ctx, in)
		if err != nil {
			return nil, err
		}
		if o.parts = p; o.encrypted() {
			return nil, &Unreadable{URL: in.URL, Reason: Encrypted, Detail: "it is encrypted and needs a password"}
		}
		part := func(name string) func() (*stream, error) { return func() (*stream, error) { return p.stream(name) } }
		content, styles, meta = part("content.xml"), part("styles.xml"), part("meta.xml")
	} else {
		o.parts = &parts{ctx: ctx, url: in.URL, left: maxParts, work: maxXMLWork}
		flat := func() (*stream, error) {
			r := &partReader{p: o.parts, r: io.NopCloser(bytes.NewReader(in.Body))}
			return newStream(r, r, &o.parts.work), nil
		}
		content, styles, meta = flat, flat, flat
	}
	o.readMeta(meta)
	o.styles.read(styles, "styles")
	if o.parts.files != nil {
		o.styles.read(content, "content")
	}
	if err := o.readContent(content); err != nil {
		return nil, err
	}
	o.readAfter(styles)
	o.page.Links = o.links.list
	if lang := languageTag(o.styles.language); o.page.Language == "" && lang != "" {
		o.page.state("language", &o.page.Language, lang, "styles.xml fo:language")
	}
	if o.page.Title == "" {
		o.page.Title = first(firstHeading(o.page.Blocks), baseName(in.URL))
	}
	return o.page, ctx.Err()
}

// encrypted reports whether the content is (ODF 1.3 part 2, §3.4 and §4.8).
func (o *odf) encrypted() bool {
	if o.parts.has("encrypted-package") {
		return true
	}
	root, err := o.parts.tree("META-INF/manifest.xml")
	found := false
	if err == nil {
		root.each("manifest:file-entry", func(e *elem) {
			found = found || e.attr("manifest:full-path") == "content.xml" && e.child("manifest:encryption-data") != nil
		})
	}
	return found
}

func (o *odf) readMeta(open func() (*stream, error)) {
	s, err := open()
	if err != nil {
		return
	}
	defer s.Close()
	s.child()
	for e := s.child(); e != nil; e = s.child() {
		if e.name != "office:meta" {
			s.skip()
			continue
		}
		s.fill(e)
		o.page.stateProperties("meta.xml ", e)
	}
}

// readContent reads the body. What stands before a damage is kept.
func (o *odf) readContent(open func() (*stream, error)) error {
	s, err := open()
	if err != nil {
		return o.parts.unreadable("it has no content that can be read", err)
	}
	s.child()
	for e := s.child(); e != nil; e = s.child() {
		if e.name != "office:body" {
			s.skip()
			continue
		}
		for e := s.child(); e != nil; e = s.child() {
			o.body(e.name, s)
		}
	}
	err = s.Close()
	switch {
	case err != nil && len(o.page.Blocks) > 0 && o.parts.ctx.Err() == nil:
		o.page.flag(FlagTruncated)
	case err != nil:
		return o.parts.unreadable("its content is damaged", err)
	case o.out == nil:
		return o.parts.unreadable("it holds no text, slides or sheets", errors.New("no body"))
	}
	return nil
}

func (o *odf) body(kind string, s *stream) {
	if o.out != nil { // a document has one body
		s.skip()
		return
	}
	switch kind {
	case "office:text":
		o.page.Kind, o.out = evidence.Document, newOutline(o.page)
		o.walk(s, odfPlace{}, &counter{})
	case "office:presentation", "office:drawing":
		o.page.Kind = evidence.Slides
		o.out = &outline{page: o.page, at: func(n int) evidence.Locator { return evidence.Locator{Unit: evidence.Slide, A: max(o.slide, 1), B: n} }}
		for e := s.child(); e != nil; e = s.child() {
			if e.name != "draw:page" {
				s.skip()
				continue
			}
			s.fill(e)
			o.readSlide(e)
		}
	case "office:spreadsheet":
		o.page.Kind = evidence.Sheet
		o.sheets = newSheetWriter(o.page)
		o.out = o.sheets.out
		for e := s.child(); e != nil; e = s.child() {
			if e.name != "table:table" {
				s.skip()
				continue
			}
			o.readSheet(s, e)
		}
	default:
		s.skip()
	}
}

// readAfter reads what stands beside the text: notes, comments, headers and footers.
func (o *odf) readAfter(styles func() (*stream, error)) {
	if o.page.Kind != evidence.Document {
		return
	}
	for i := 0; i < len(o.notes); i++ { // a note may hold the mark of another one
		n := o.notes[i]
		where := fmt.Sprintf("/%s[%s]", first(n.e.attr("text:note-class"), "footnote"), oneLine(n.e.child("text:note-citation").words(), 20))
		o.walk(newTree(n.e.child("text:note-body")), odfPlace{path: where, heading: n.heading}, &counter{})
	}
	for _, c := range o.comments {
		o.comment(c, odfPlace{})
	}
	s, err := styles()
	if err != nil {
		return
	}
	defer s.Close()
	s.child()
	for e := s.child(); e != nil; e = s.child() {
		if e.name != "office:master-styles" {
			s.skip()
			continue
		}
		s.fill(e)
		o.out.headings = [7]string{}
		e.each("style:master-page", func(page *elem) {
			for _, k := range page.kids {
				if name, ok := strings.CutPrefix(k.name, "style:"); ok && (strings.HasPrefix(name, "header") || strings.HasPrefix(name, "footer")) {
					o.walk(newTree(k), odfPlace{path: "/" + name, aside: true}, &counter{})
				}
			}
		})
	}
}

// comment reads a remark: other people's words, so no main content.
func (o *odf) comment(e *elem, at odfPlace) {
	by := first(oneLine(e.child("dc:creator").words(), 100), "an unknown author")
	at.path, at.comment, at.aside = at.path+"/comment by "+by, true, true
	o.walk(newTree(e), at, &counter{})
}
