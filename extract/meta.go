package extract

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
)

// readMeta reads what a page says about itself (EXTRACT-6), and where it says it. Where several places say it, the forms
// made for machines come first, those made for citing before those made for sharing.
func readMeta(root *html.Node, pageURL string, page *Page) {
	m := &meta{page: page, links: newLinks(pageURL, root), tags: map[string][]string{}}
	m.site, m.home = siteOf(pageURL)
	m.collect(root)
	m.canonical()
	if len(m.things) > 0 {
		m.thing = mainThing(m.things, page.Canonical, pageURL)
	}
	m.publisher()
	m.title()
	m.author()
	m.dates()
	m.language()
	m.doi()
	m.licence()
	if m.thing.locked() || m.tag("article:content_tier") == "locked" {
		page.flag(FlagPaywalled)
	}
}

// A meta is what was found in a page about the page.
type meta struct {
	page    *Page
	site    string // what a registrar knows the page's site by: example.org
	home    bool   // it is the first page of its site
	links   *links
	tags    map[string][]string // contents of meta elements, by lower-case name
	things  []thing             // of JSON-LD, microdata and RDFa
	thing   thing               // the one that the page is about
	front   string              // title in a comment, as the documents of Go have it
	element string              // <title>
	heading string              // the first <h1>
	lang    string              // of <html>
	head    map[string]string   // first <link> of each relation, absolute
	rights  []string            // addresses of <a rel=license>
	byline  []string            // texts of <a rel=author>
	times   map[string]string   // of <time>: "published", "updated"
}

func (m *meta) collect(root *html.Node) {
	m.head, m.times = map[string]string{}, map[string]string{}
	scripts := 0
	for n := range root.Descendants() {
		if n.Type == html.CommentNode && n.PrevSibling == nil && strings.HasPrefix(n.Data, "{") {
			var front struct{ Title string }
			if json.Unmarshal([]byte(n.Data), &front) == nil {
				m.front = first(m.front, front.Title)
			}
		}
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "html":
			m.lang = first(m.lang, attr(n, "lang"), attr(n, "xml:lang"))
		case "title":
			if m.element == "" && (n.Parent == nil || n.Parent.Data != "svg" && n.Parent.Data != "symbol") {
				m.element = oneLine(beginningOf(n), maxTitle)
			}
		case "h1":
			if m.heading == "" {
				m.heading = oneLine(beginningOf(n), maxTitle)
			}
		case "meta":
			m.metaTag(n)
		case "link":
			for _, rel := range strings.Fields(strings.ToLower(attr(n, "rel"))) {
				m.head[rel] = first(m.head[rel], m.links.resolve(attr(n, "href")))
			}
		case "a":
			m.anchor(n)
		case "time":
			m.time(n)
		case "script":
			if kind := mediaType(attr(n, "type")); kind == "application/ld+json" && n.FirstChild != nil && scripts < maxScripts {
				scripts++
				m.things = append(m.things, readJSONLD(n.FirstChild.Data)...)
			}
		}
	}
	m.things = append(m.things, readItems(root)...)
}

func (m *meta) metaTag(n *html.Node) {
	value := oneLine(attr(n, "content"), maxValue)
	if value == "" {
		return
	}
	name := first(attr(n, "property"), attr(n, "name"), attr(n, "itemprop"), attr(n, "http-equiv"))
	for _, key := range strings.Fields(strings.ToLower(name)) {
		if key = strings.Replace(key, "dc:", "dc.", 1); len(m.tags[key]) < maxAuthors {
			m.tags[key] = append(m.tags[key], value)
		}
	}
}

func (m *meta) anchor(n *html.Node) {
	for _, rel := range strings.Fields(strings.ToLower(attr(n, "rel"))) {
		switch rel {
		case "license":
			if to := m.links.resolve(attr(n, "href")); to != "" {
				m.rights = append(m.rights, to)
			}
		case "author":
			if text := oneLine(beginningOf(n), 100); text != "" && len(m.byline) < maxAuthors {
				m.byline = append(m.byline, text)
			}
		}
	}
}

// time reads a <time> that says what it is the time of: by an attribute, or by a class of the microformats.
func (m *meta) time(n *html.Node) {
	value := first(attr(n, "datetime"), attr(n, "content"))
	for _, class := range strings.Fields(strings.ToLower(attr(n, "class"))) {
		switch class {
		case "published", "entry-date", "dt-published":
			m.times["published"] = first(m.times["published"], value)
		case "updated", "dt-updated":
			m.times["updated"] = first(m.times["updated"], value)
		}
	}
	if hasAttr(n, "pubdate") {
		m.times["published"] = first(m.times["published"], value)
	}
}

// tag returns the first value of the first of several meta elements that is there.
func (m *meta) tag(names ...string) string {
	for _, name := range names {
		if v := m.tags[name]; len(v) > 0 {
			return v[0]
		}
	}
	return ""
}

// A statement is what a place says; places are tried in order.
type statement struct{ value, where string }

// fromTags lists what several meta elements say.
func (m *meta) fromTags(names ...string) (list []statement) {
	for _, name := range names {
		if v := m.tag(name); v != "" {
			list = append(list, statement{v, "meta " + name})
		}
	}
	return list
}

// fromThing lists what the main thing says under several names.
func (m *meta) fromThing(names ...string) (list []statement) {
	for _, name := range names {
		if v := m.thing.text(name); v != "" {
			list = append(list, statement{v, m.thing.where(name)})
		}
	}
	return list
}

// state takes the first statement that clean leaves something of, and notes where it stands.
func (m *meta) state(key string, field *string, clean func(string) string, lists ...[]statement) {
	for _, list := range lists {
		for _, s := range list {
			if v := clean(s.value); v != "" {
				*field = v
				m.page.stated(key, s.where)
				return
			}
		}
	}
}

// stated notes where a page says something.
func (p *Page) stated(key, where string) {
	if p.Stated == nil {
		p.Stated = map[string]string{}
	}
	p.Stated[key] = where
}

func (m *meta) canonical() {
	m.state("canonical", &m.page.Canonical, m.links.resolve, []statement{{m.head["canonical"], "link canonical"}}, m.fromTags("og:url"))
}

func (m *meta) publisher() {
	site := ""
	for _, t := range m.things {
		if t.is("WebSite") {
			site = first(site, t.text("name"))
		}
	}
	m.state("publisher", &m.page.Publisher, nameOf,
		m.fromTags("citation_publisher", "dc.publisher", "dcterms.publisher"), m.fromThing("publisher"),
		m.fromTags("og:site_name", "citation_journal_title", "prism.publicationname", "publisher", "application-name"), []statement{{site, "json-ld WebSite.name"}})
}

// title takes the first that another place bears out: programs write headlines that are descriptions, or the name of the
// site on every page.
func (m *meta) title() {
	sites := []string{m.page.Publisher, m.tag("og:site_name"), m.tag("application-name"), m.site}
	if m.home { // there the site's name is the title, or a part of it
		sites = nil
	}
	element, heading := statement{html.EscapeString(m.element), "title"}, statement{html.EscapeString(m.heading), "h1"}
	var list []statement
	for _, part := range [...][]statement{
		{{m.front, "comment Title"}}, m.fromTags("citation_title", "bepress_citation_title"), m.fromThing("headline"),
		m.fromTags("og:title", "dc.title", "dcterms.title", "parsely-title", "sailthru.title", "twitter:title"), {element}, m.fromThing("name"), {heading},
	} {
		list = append(list, part...)
	}
	var best statement
	for _, s := range list {
		if s.value = withoutSite(titleOf(s.value), sites); s.value == "" {
			continue
		}
		if m.front != "" || strings.Contains(s.where, "citation_title") || !isSite(s.value, sites) && bornOut(s, list) {
			best = s
			break
		}
		if best.value == "" || isSite(best.value, sites) && !isSite(s.value, sites) {
			best = s
		}
	}
	if best.value != "" {
		m.page.Title = best.value
		m.page.stated("title", best.where)
	}
}

// bornOut reports whether another place has the same title, or has it as a part or the other way round.
func bornOut(s statement, list []statement) bool {
	own := letterFold(s.value)
	for _, other := range list {
		if o := letterFold(titleOf(other.value)); other.where != s.where && o != "" && own != "" && (strings.Contains(o, own) || strings.Contains(own, o)) {
			return true
		}
	}
	return false
}

func (m *meta) author() {
	for _, source := range [...]struct {
		names []string
		where string
	}{
		{m.tags["citation_author"], "meta citation_author"}, {m.tags["bepress_citation_author"], "meta bepress_citation_author"},
		{m.thing.names("author"), m.thing.where("author")}, {m.thing.names("creator"), m.thing.where("creator")},
		{m.tags["dc.creator"], "meta dc.creator"}, {m.tags["dcterms.creator"], "meta dcterms.creator"},
		{m.tags["parsely-author"], "meta parsely-author"}, {m.tags["sailthru.author"], "meta sailthru.author"},
		{m.tags["article:author"], "meta article:author"}, {m.tags["author"], "meta author"}, {m.tags["byl"], "meta byl"},
		{only(m.byline), "a author"},
	} {
		if list := namesOf(source.names); list != "" {
			m.page.Author = list
			m.page.stated("author", source.where)
			return
		}
	}
}

func (m *meta) dates() {
	m.state("published", &m.page.Published, dateOf,
		m.fromTags("citation_publication_date", "citation_date", "citation_online_date", "bepress_citation_date"), m.fromThing("datePublished"),
		m.fromTags("article:published_time", "og:published_time", "datepublished", "prism.publicationdate", "dcterms.issued", "dc.date.issued", "dc.date",
			"dcterms.date", "dcterms.created", "dc.date.created", "parsely-pub-date", "sailthru.date", "article.published", "publish-date", "publish_date", "pubdate", "date"),
		[]statement{{m.times["published"], "time"}}, m.fromThing("dateCreated", "uploadDate"))
	m.state("modified", &m.page.Modified, dateOf,
		m.fromThing("dateModified"),
		m.fromTags("article:modified_time", "og:updated_time", "datemodified", "dcterms.modified", "dc.date.modified", "article.updated", "last-modified", "revised", "ms.date"),
		[]statement{{m.times["updated"], "time"}})
}

func (m *meta) language() {
	m.state("language", &m.page.Language, languageTag,
		[]statement{{m.lang, "html lang"}}, m.fromTags("content-language", "dc.language", "citation_language", "language"), m.fromThing("inLanguage"), m.fromTags("og:locale"))
}

func (m *meta) doi() {
	m.state("doi", &m.page.DOI, doiOf,
		m.fromTags("citation_doi", "prism.doi", "bepress_citation_doi", "dc.identifier.doi", "dc.identifier", "dcterms.identifier", "doi"),
		m.fromThing("doi", "identifier", "sameAs", "@id"), []statement{{m.page.Canonical, m.page.Stated["canonical"]}})
}

// licence takes one that the page gives for itself. Several different ones are those of its parts.
func (m *meta) licence() {
	var anchor []statement
	for _, to := range only(m.rights) {
		anchor = []statement{{to, "a license"}}
	}
	m.state("licence", &m.page.Licence, func(s string) string { return oneLine(s, 200) },
		[]statement{{m.head["license"], "link license"}}, m.fromThing("license"), anchor, m.fromTags("dcterms.license", "dc.rights.license", "dcterms.rights", "dc.rights"))
}

// only returns the one value that all have, or nothing.
func only(values []string) []string {
	for _, v := range values {
		if v != values[0] {
			return nil
		}
	}
	return values[:min(len(values), 1)]
}
