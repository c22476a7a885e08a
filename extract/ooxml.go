package extract

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// An ooxmlFile is a document in Office Open XML (ISO 29500): parts, and relations between them.
type ooxmlFile struct {
	*parts
	page *Page
	main string // name of the part that holds the document
}

// relation leads from a part to another one, or out of the document.
type relation struct {
	kind     string // last element of its type: "image", "hyperlink"
	target   string // name of a part; as it stands if external
	external bool
}

// openOOXML opens a document and finds its main part; usual is its name where the relations do not say it.
func openOOXML(p *parts, page *Page, usual string) *ooxmlFile {
	f := &ooxmlFile{parts: p, page: page, main: usual}
	for _, r := range f.relations("") {
		if r.kind == "officeDocument" && !r.external && f.has(r.target) {
			f.main = r.target
		}
	}
	f.readProperties()
	return f
}

// relations reads the relations of a part by their ids; "" is the document itself. External ones are never followed.
func (f *ooxmlFile) relations(part string) map[string]relation {
	list := map[string]relation{}
	dir, base := path.Split(part)
	root, err := f.tree(dir + "_rels/" + base + ".rels")
	if err != nil {
		return list
	}
	root.each("rel:Relationship", func(e *elem) {
		r := relation{kind: path.Base(e.attr("Type")), target: e.attr("Target"), external: e.attr("TargetMode") == "External"}
		if !r.external {
			name, _, _ := strings.Cut(r.target, "#")
			r.target = strings.TrimPrefix(path.Join("/", dir, name), "/")
			if strings.HasPrefix(name, "/") {
				r.target = strings.TrimPrefix(path.Clean(name), "/")
			}
		}
		list[e.attr("Id")] = r
	})
	return list
}

// related returns the part of a kind that a part leads to, "" if there is none.
func related(rels map[string]relation, kind string) string {
	found := ""
	for _, r := range rels { // of several the first by name, so that the result does not hang on the map's order
		if r.kind == kind && !r.external && (found == "" || r.target < found) {
			found = r.target
		}
	}
	return found
}

// relatedAll returns all parts of a kind, by name.
func relatedAll(rels map[string]relation, kind string) []string {
	var found []string
	for _, id := range slices.Sorted(maps.Keys(rels)) {
		if r := rels[id]; r.kind == kind && !r.external {
			found = append(found, r.target)
		}
	}
	return found
}

// readProperties reads what the document says about itself (ISO 29500-2 §11).
func (f *ooxmlFile) readProperties() {
	name := first(related(f.relations(""), "core-properties"), "docProps/core.xml")
	root, err := f.tree(name)
	if err != nil {
		return
	}
	f.page.stateProperties("docProps ", root)
}

// stateProperties takes what a document's properties say, in the Dublin Core names that all office formats share; where
// says what part they stand in.
func (p *Page) stateProperties(where string, props *elem) {
	said := func(names ...string) (value, name string) {
		for _, n := range names {
			var values []string
			props.each(n, func(e *elem) {
				if v := oneLine(e.words(), 300); v != "" {
					values = append(values, v)
				}
			})
			if len(values) > 0 {
				return strings.Join(values, "; "), where + n
			}
		}
		return "", ""
	}
	take := func(field string, to *string, clean func(string) string, names ...string) {
		value, name := said(names...)
		if value = clean(value); value == "" {
			return
		}
		p.state(field, to, value, name)
	}
	asIs := func(s string) string { return s }
	date := func(s string) string { return isoDate(s) }
	take("title", &p.Title, asIs, "dc:title")
	take("author", &p.Author, asIs, "meta:initial-creator", "dc:creator")
	take("publisher", &p.Publisher, asIs, "dc:publisher")
	take("published", &p.Published, date, "dcterms:created", "meta:creation-date")
	take("modified", &p.Modified, date, "dcterms:modified", "dc:date")
	take("language", &p.Language, languageTag, "dc:language")
}

// state sets a field of the page and notes where it is said.
func (p *Page) state(field string, to *string, value, where string) {
	*to = value
	if p.Stated == nil {
		p.Stated = map[string]string{}
	}
	p.Stated[field] = where
}
