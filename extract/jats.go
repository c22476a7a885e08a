package extract

import (
	"cmp"
	"slices"
	"strings"

	"ibid/evidence"
)

// article reads an article in JATS: what its front says, then its text, in the order of the document.
func (w *xmlWalk) article(n *xmlNode, in xmlPlace) {
	front := n.child("front")
	meta := front.child("article-meta")
	if front == nil {
		front = n.child("front-stub")
		meta = front
	}
	if w.page.Title == "" {
		w.frontFields(n, front, meta)
	}
	counts := map[string]int{}
	for _, k := range n.kids {
		if k.name == "" {
			continue
		}
		counts[k.name]++
		w.path = append(w.path, xmlStep{k.name, counts[k.name]})
		p := in
		switch k.name {
		case "front", "front-stub":
			if meta != nil {
				w.frontBlocks(meta, p)
			}
		case "sub-article", "response": // reviews and answers to them, and also translations
			p.depth++
			if !strings.HasPrefix(k.attr("article-type"), "translation") {
				p.aside, p.role = true, evidence.RoleComment
			}
			w.article(k, p)
		default:
			w.element(k, p)
		}
		w.path = w.path[:len(w.path)-1]
	}
}

// frontBlocks reads the title, the authors and their addresses, the abstracts, and what the article says of its rights.
func (w *xmlWalk) frontBlocks(meta *xmlNode, p xmlPlace) {
	counts := map[string]int{}
	for _, k := range meta.kids {
		if k.name == "" {
			continue
		}
		counts[k.name]++
		w.path = append(w.path, xmlStep{k.name, counts[k.name]})
		inside := p
		switch k.name {
		case "title-group", "book-title-group":
			for _, t := range k.kids {
				if t.name == "article-title" || t.name == "subtitle" || t.name == "book-title" {
					w.block(t, w.enter(xmlTitle, t, inside))
				}
			}
		case "contrib-group":
			w.contributors(k, inside)
		case "aff":
			w.block(k, w.enter(xmlPara, k, inside))
		case "abstract", "trans-abstract":
			w.element(k, inside)
		case "kwd-group":
			w.list(k, "kwd", inside)
		case "permissions", "author-notes":
			inside.aside = true
			w.element(k, inside)
		}
		w.path = w.path[:len(w.path)-1]
	}
}

// contributors reads the names of the authors, given names first as they are printed, whatever their order in the
// document: they can be read, not quoted.
func (w *xmlWalk) contributors(group *xmlNode, p xmlPlace) {
	names := authors(group)
	if p.aside = len(names) == 0; !p.aside { // else they are editors
		w.say(group, strings.Join(names, ", "), p)
		w.page.Blocks[len(w.page.Blocks)-1].Quotable = false
	}
	group.all("aff", func(aff *xmlNode) { w.block(aff, w.enter(xmlPara, aff, p)) })
}

// list reads the items of one name below n as a block.
func (w *xmlWalk) list(n *xmlNode, name string, p xmlPlace) {
	var items []string
	n.all(name, func(k *xmlNode) { items = append(items, k.content()) })
	if len(items) > 0 {
		p.role = evidence.RoleRow
		w.say(n, strings.Join(items, " | "), p)
		w.page.Blocks[len(w.page.Blocks)-1].Quotable = false
	}
}

// say makes a block of a text that stands in n.
func (w *xmlWalk) say(n *xmlNode, text string, p xmlPlace) {
	w.flush()
	in, where := w.in, w.where
	w.in, w.where = n, w.printPath()
	p.inText = true
	w.text(text, p)
	w.flush()
	w.in, w.where = in, where
}

// authors are the names of a group's authors, in order.
func authors(group *xmlNode) (names []string) {
	group.all("contrib", func(c *xmlNode) {
		if t := c.attr("contrib-type"); t != "" && t != "author" {
			return
		}
		name := personName(c)
		if name == "" {
			name = c.child("collab").content()
		}
		if name != "" {
			names = append(names, name)
		}
	})
	return names
}

// personName is the name of a person as it is printed.
func personName(n *xmlNode) string {
	name := n.find("name")
	if name == nil {
		if s := n.find("string-name"); s != nil {
			return s.content()
		}
		return ""
	}
	if name.attr("name-style") == "eastern" {
		return strings.TrimSpace(name.child("surname").content() + " " + name.child("given-names").content())
	}
	full := name.child("given-names").content() + " " + name.child("surname").content() + " " + name.child("suffix").content()
	return strings.TrimSpace(full)
}

// frontFields fills the page's fields from the front of an article.
func (w *xmlWalk) frontFields(n, front, meta *xmlNode) {
	page := w.page
	journal := front.child("journal-meta")
	var names []string
	for _, k := range meta.named("contrib-group") {
		names = append(names, authors(k)...)
	}
	state(page, &page.Title, "article-title", oneLine(first(meta.child("title-group", "article-title").content(), meta.child("book-title-group", "book-title").content()), 300))
	state(page, &page.Author, "contrib-group", clip(strings.Join(names, "; "), 1000))
	state(page, &page.Publisher, "publisher-name", first(journal.find("publisher-name").content(), journal.find("journal-title").content()))
	state(page, &page.Published, "pub-date", pubDate(meta))
	state(page, &page.Language, "xml:lang", languageTag(n.attr("lang")))
	meta.all("article-id", func(id *xmlNode) {
		if id.attr("pub-id-type") == "doi" && page.DOI == "" {
			state(page, &page.DOI, "article-id", doiOf(id.content()))
		}
	})
	licence := meta.find("license")
	if licence != nil {
		state(page, &page.Licence, "license", first(licence.attr("href"), licence.find("license_ref").content(), licence.attr("license-type")))
	}
	for _, uri := range meta.named("self-uri") {
		if u := w.links.resolve(uri.attr("href")); u != "" && !strings.Contains(uri.attr("content-type"), "pdf") && isWebAddress(uri.attr("href")) {
			state(page, &page.Canonical, "self-uri", u)
		}
	}
}

// state sets a field of the page and notes which element says so.
func state(page *Page, field *string, element, value string) {
	if value == "" || *field != "" {
		return
	}
	*field = value
	names := map[*string]string{&page.Title: "title", &page.Author: "author", &page.Publisher: "publisher", &page.Published: "published",
		&page.Modified: "modified", &page.Language: "language", &page.Canonical: "canonical", &page.DOI: "doi", &page.Licence: "licence"}
	if page.Stated == nil {
		page.Stated = map[string]string{}
	}
	page.Stated[names[field]] = element
}

// named returns the elements of a name directly in n, which may be nil.
func (n *xmlNode) named(name string) (list []*xmlNode) {
	if n == nil {
		return nil
	}
	for _, k := range n.kids {
		if k.name == name {
			list = append(list, k)
		}
	}
	return list
}

// pubDate is the day on which an article came out: of the dates that are stated the most exact one, of those the
// earliest. The date of an issue counts last: it is often a year later or earlier.
func pubDate(meta *xmlNode) string {
	var dates, issues []string
	for _, d := range meta.named("pub-date") {
		date := first(isoDate(d.attr("iso-8601-date")), calendarDate(d))
		switch kind := d.attr("pub-type") + d.attr("date-type"); {
		case date == "":
		case kind == "collection", kind == "cover", kind == "ppub":
			issues = append(issues, date)
		default:
			dates = append(dates, date)
		}
	}
	for _, list := range [][]string{dates, issues} {
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
		if len(list) > 0 {
			return list[0]
		}
	}
	return ""
}

// calendarDate reads the year, the month and the day of a date, as far as it has them.
func calendarDate(n *xmlNode) string {
	year, month, day := n.child("year").content(), n.child("month").content(), n.child("day").content()
	return isoDate(year+"-"+month+"-"+day, day+" "+month+" "+year, year+"-"+month, month+" "+year, year)
}
