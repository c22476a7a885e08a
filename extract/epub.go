package extract

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// maxChapters is how many documents of a book are read.
const maxChapters = 5000

// A bookItem is a document of a book, by its entry in the manifest.
type bookItem struct {
	name, kind string // its part, and its media type
	properties []string
}

// book is what the package document of an EPUB says (EPUB 3.3 §5).
type book struct {
	*parts
	page  *Page
	items map[string]bookItem
	spine []string        // linear documents in reading order, then the others
	main  int             // how many of them are linear
	aside map[string]bool // parts that are no content: the cover, tables of contents
	css   map[string][]byte
}

// readEPUB reads a book: the documents of its spine in their order, each as a web page is read. All of their text is
// main content but that of the table of contents, the cover and what the spine sets aside.
func readEPUB(ctx context.Context, in Input) (*Page, error) {
	p, err := openParts(ctx, in)
	if err != nil {
		return nil, err
	}
	b := &book{parts: p, page: &Page{Kind: evidence.Book, By: "epub/1"}, items: map[string]bookItem{}, aside: map[string]bool{}, css: map[string][]byte{}}
	if err := b.readPackage(); err != nil {
		return nil, err
	}
	if b.locked() {
		return nil, &Unreadable{URL: in.URL, Reason: Encrypted, Detail: "its text is encrypted: it is protected against copying"}
	}
	chapter := 0
	out := &outline{page: b.page, at: func(n int) evidence.Locator { return evidence.Locator{Unit: evidence.Chapter, A: chapter, B: n} }}
	links := newLinks("", nil)
	missing := 0
	for i, id := range b.spine {
		if i == maxChapters {
			b.page.flag(FlagTruncated)
			break
		}
		chapter, out.n, out.headings = i+1, 0, [7]string{}
		read, err := b.readChapter(b.items[id], i < b.main, out, links)
		if err != nil {
			return nil, err
		}
		if !read {
			missing++
		}
	}
	if missing > 0 {
		b.page.flag(FlagTruncated)
	}
	if missing == len(b.spine) {
		return nil, p.unreadable("none of its chapters can be read", nil)
	}
	b.page.Links = links.list
	b.page.Title = first(b.page.Title, firstHeading(b.page.Blocks), baseName(in.URL))
	return b.page, nil
}

// readPackage finds and reads the package document.
func (b *book) readPackage() error {
	container, err := b.tree("META-INF/container.xml")
	if err != nil {
		return b.unreadable("it does not say where its contents are listed", err)
	}
	name := ""
	container.find("container:rootfile", func(e *elem) { name = first(name, e.attr("full-path")) })
	root, err := b.tree(name)
	if err != nil || root.name != "opf:package" {
		return b.unreadable("its list of contents cannot be read", err)
	}
	meta := root.child("opf:metadata")
	b.page.stateProperties("opf ", &elem{kids: slices.Concat(kidsOf(meta.child("opf:dc-metadata")), kidsOf(meta))})
	b.dates(meta)
	dir := path.Dir(name)
	root.child("opf:manifest").each("opf:item", func(e *elem) {
		if len(b.items) < maxEntries {
			b.items[e.attr("id")] = bookItem{name: partAt(dir, e.attr("href")), kind: e.attr("media-type"), properties: strings.Fields(e.attr("properties"))}
		}
	})
	var later []string
	seen := map[string]bool{}
	root.child("opf:spine").each("opf:itemref", func(e *elem) {
		id := e.attr("idref")
		if _, ok := b.items[id]; !ok || seen[id] {
			return
		}
		seen[id] = true
		if e.attr("linear") == "no" {
			later = append(later, id)
		} else {
			b.spine = append(b.spine, id)
		}
	})
	b.main = len(b.spine)
	b.spine = append(b.spine, later...)
	if len(b.spine) == 0 {
		return b.unreadable("its list of contents names no chapter", nil)
	}
	root.child("opf:guide").each("opf:reference", func(e *elem) {
		if t := e.attr("type"); t == "cover" || t == "toc" {
			b.aside[partAt(dir, e.attr("href"))] = true
		}
	})
	for _, item := range b.items {
		if slices.Contains(item.properties, "nav") {
			b.aside[item.name] = true
		}
	}
	return nil
}

func kidsOf(e *elem) []*elem {
	if e == nil {
		return nil
	}
	return e.kids
}

// dates reads when the book was published and changed; its words for them differ from those of office documents.
func (b *book) dates(meta *elem) {
	delete(b.page.Stated, "modified")
	delete(b.page.Stated, "published")
	b.page.Modified, b.page.Published = "", ""
	state := func(field string, to *string, value, where string) {
		if d := isoDate(value); d != "" && *to == "" {
			b.page.state(field, to, d, "opf "+where)
		}
	}
	meta.each("dc:date", func(e *elem) {
		if event := e.attr("opf:event"); event == "" || event == "publication" {
			state("published", &b.page.Published, e.words(), "dc:date")
		}
	})
	meta.each("opf:meta", func(e *elem) {
		if e.attr("property") == "dcterms:modified" {
			state("modified", &b.page.Modified, e.words(), "dcterms:modified")
		}
	})
}

// partAt resolves a reference within the book to the name of a part.
func partAt(dir, ref string) string {
	ref, _, _ = strings.Cut(ref, "#")
	if plain, err := url.PathUnescape(ref); err == nil {
		ref = plain
	}
	return partName(path.Join(dir, ref))
}

// locked reports whether a chapter is encrypted. Fonts may be: that only keeps them from being taken out of the book.
func (b *book) locked() bool {
	root, err := b.tree("META-INF/encryption.xml")
	if err != nil {
		return false
	}
	texts := map[string]bool{}
	for _, id := range b.spine {
		texts[b.items[id].name] = true
	}
	found := false
	root.find("enc:EncryptedData", func(e *elem) {
		found = found || texts[partAt("", e.child("enc:CipherData", "enc:CipherReference").attr("URI"))]
	})
	return found
}

// readChapter reads a document of the spine; false if there is none that can be read. The error is the context's.
func (b *book) readChapter(item bookItem, linear bool, out *outline, links *links) (bool, error) {
	if item.kind != "application/xhtml+xml" && item.kind != "text/html" && item.kind != "text/x-oeb1-document" {
		return strings.HasPrefix(item.kind, "image/"), b.ctx.Err() // a picture is a page without text
	}
	body, err := b.read(item.name)
	if err != nil {
		return false, b.ctx.Err()
	}
	page, err := readHTML(b.ctx, Input{ContentType: "text/html", Body: b.styled(openTags(body), path.Dir(item.name))})
	if err != nil {
		return false, b.ctx.Err()
	}
	main := linear && !b.aside[item.name]
	for _, l := range page.Links {
		if k := links.add(l.URL); k >= 0 && links.list[k].Text == "" {
			links.list[k].Text = l.Text
		}
	}
	for _, block := range page.Blocks {
		block.Main = main
		block.Quotable = main && (block.LinkText <= 0.5 || block.Role == evidence.RoleRow)
		block.Start, block.End = 0, 0
		block.Path = fmt.Sprintf("%s#%s", item.name, block.Path)
		out.add(block)
	}
	for _, f := range page.Flags {
		if f == FlagHidden || f == FlagMojibake {
			b.page.flag(f)
		}
	}
	return true, nil
}

// maxCSS is how much of a style sheet is read, in bytes.
const maxCSS = 256 << 10

var (
	headEnd    = lazyregexp.New(`(?i)</head\s*>`)
	stylesheet = lazyregexp.New(`(?i)<link\s[^>]*rel\s*=\s*["']stylesheet["'][^>]*>`)
	linkTarget = lazyregexp.New(`(?i)\shref\s*=\s*["']([^"']+)["']`)
)

// styled puts the style sheets of a chapter into it: they are parts of the book, and say what of it is not shown.
func (b *book) styled(chapter []byte, dir string) []byte {
	end := headEnd.FindIndex(chapter)
	if end == nil {
		return chapter
	}
	var css []byte
	for _, link := range stylesheet.FindAll(chapter[:end[0]], 20) {
		m := linkTarget.FindSubmatch(link)
		if m == nil {
			continue
		}
		name := partAt(dir, string(m[1]))
		sheet, known := b.css[name]
		if !known {
			if sheet, _ = b.read(name); len(sheet) > maxCSS || bytes.Contains(sheet, []byte("</")) {
				sheet = nil
			}
			b.css[name] = sheet
		}
		css = append(append(css, sheet...), '\n')
	}
	if len(bytes.TrimSpace(css)) == 0 {
		return chapter
	}
	return slices.Concat(chapter[:end[0]], []byte("<style>"), css, []byte("</style>"), chapter[end[0]:])
}

var closedTag = lazyregexp.New(`<([A-Za-z][A-Za-z0-9:_-]*)((?:\s+[^<>"']*(?:"[^"]*"|'[^']*'))*\s*)/>`)

// openTags writes <a/> as <a></a>: a chapter is XML, where that is an empty element, and HTML takes it for one that goes on.
func openTags(body []byte) []byte {
	return closedTag.ReplaceAllFunc(body, func(tag []byte) []byte {
		m := closedTag.FindSubmatch(tag)
		if name := string(m[1]); voidTags[name] || strings.Contains(name, ":") {
			return tag
		}
		return fmt.Appendf(nil, "<%s%s></%s>", m[1], m[2], m[1])
	})
}
