package extract

import (
	"context"
	"strings"

	"ibid/evidence"
)

// readXML reads a document in XML: an article, a book, a patent, and as far as possible what is in a form of its own.
func readXML(ctx context.Context, in Input) (*Page, error) {
	text, charset := decode(in.Body, in.ContentType)
	doc, err := parseXML(ctx, text)
	if err != nil {
		return nil, err
	}
	if doc.root == nil {
		return nil, &Unreadable{URL: in.URL, Reason: Damaged, Detail: "it is not well-formed XML"}
	}
	page := &Page{Kind: evidence.Document, By: "xml/1", Charset: charset}
	w := &xmlWalk{page: page, links: newLinks(in.URL, nil), path: []xmlStep{{doc.root.name, 1}}}
	known := w.read(doc)
	w.flush()
	if doc.cut {
		page.truncate()
	}
	page.Links = w.links.list
	if !known && (len(page.Blocks) == 0 || !isProse(doc.root)) {
		if isHub(page) { // a map of a site
			page.flag(FlagHub)
			for i := range page.Blocks {
				page.Blocks[i].Quotable = false
			}
			page.Title = baseName(in.URL)
			return page, nil
		}
		if lines := strings.Count(text, "\n"); lines > 1 && len(text)/lines < 300 {
			source := readSource(in)
			source.Links = page.Links
			return source, nil
		}
	}
	page.Title = first(page.Title, firstHeading(page.Blocks), baseName(in.URL))
	return page, nil
}

// read walks a document by its vocabulary, and reports whether it knows it.
func (w *xmlWalk) read(doc xmlDoc) bool {
	root := doc.root
	switch {
	case root.find("article-meta") != nil || root.find("front-stub") != nil:
		w.page.By = "jats/1"
		if root.name == "article" {
			w.article(root, xmlPlace{})
			return true
		}
		root.all("article", func(n *xmlNode) { // sets of articles
			w.path = append(w.path, xmlStep{"article", 1})
			w.article(n, xmlPlace{})
			w.path = w.path[:1]
		})
		return true
	case root.name == "TEI" || root.name == "TEI.2" || root.name == "teiCorpus":
		w.teiFields(root)
	case root.find("invention-title") != nil:
		w.patentFields(root)
	case docbook[root.name] && (strings.Contains(root.space, "docbook") || strings.Contains(doc.doctype, "DocBook")), strings.Contains(doc.doctype, "DITA"):
		state(w.page, &w.page.Title, "title", oneLine(first(root.child("title").content(), root.child("info", "title").content(), root.child("articleinfo", "title").content(), root.child("bookinfo", "title").content()), 300))
		state(w.page, &w.page.Language, "xml:lang", languageTag(root.attr("lang")))
		w.block(root, xmlPlace{})
		return true
	default:
		w.element(root, xmlPlace{})
		return false
	}
	if w.page.Title != "" {
		w.say(root, w.page.Title, xmlPlace{role: evidence.RoleHeading})
	}
	w.block(root, xmlPlace{depth: 1})
	return true
}

var docbook = set("book article chapter section part set reference refentry appendix preface topic")

// teiFields fills the page's fields from the header of a TEI document.
func (w *xmlWalk) teiFields(root *xmlNode) {
	page, header := w.page, root.child("teiHeader")
	file := header.child("fileDesc")
	var names []string
	file.child("titleStmt").all("author", func(a *xmlNode) { names = append(names, a.content()) })
	issued := file.child("publicationStmt")
	state(page, &page.Title, "titleStmt", oneLine(file.child("titleStmt", "title").content(), 300))
	state(page, &page.Author, "titleStmt", clip(strings.Join(names, "; "), 1000))
	state(page, &page.Publisher, "publicationStmt", oneLine(issued.child("publisher").content(), 300))
	if date := issued.find("date"); date != nil {
		state(page, &page.Published, "publicationStmt", isoDate(date.attr("when"), date.content()))
	}
	if l := issued.find("licence"); l != nil {
		state(page, &page.Licence, "licence", first(l.attr("target"), oneLine(l.content(), 300)))
	}
	header.all("idno", func(id *xmlNode) {
		if strings.EqualFold(id.attr("type"), "doi") {
			state(page, &page.DOI, "idno", doiOf(id.content()))
		}
	})
	state(page, &page.Language, "xml:lang", languageTag(first(root.child("text").lang(), root.lang())))
}

func (n *xmlNode) lang() string {
	if n == nil {
		return ""
	}
	return n.attr("lang")
}

// patentFields fills the page's fields from the first page of a patent.
func (w *xmlWalk) patentFields(root *xmlNode) {
	page := w.page
	state(page, &page.Title, "invention-title", oneLine(root.find("invention-title").content(), 300))
	var names []string
	for _, kind := range []string{"inventor", "us-applicant", "applicant"} {
		root.all(kind, func(n *xmlNode) {
			if name := strings.TrimSpace(n.find("first-name").content() + " " + n.find("last-name").content()); name != "" && len(names) < 50 {
				names = append(names, name)
			}
		})
		if len(names) > 0 {
			break
		}
	}
	state(page, &page.Author, "inventors", strings.Join(names, "; "))
	if date := root.find("publication-reference").find("date").content(); len(date) == 8 {
		state(page, &page.Published, "publication-reference", isoDate(date[:4]+"-"+date[4:6]+"-"+date[6:]))
	}
	state(page, &page.Language, "lang", languageTag(root.attr("lang")))
}

// isProse reports whether a document holds sentences.
func isProse(n *xmlNode) bool {
	if n.name == "" && len(n.text) > 80 && len(strings.Fields(n.text)) >= 12 && !strings.Contains(n.text, "://") {
		return true
	}
	for _, k := range n.kids {
		if isProse(k) {
			return true
		}
	}
	return false
}
