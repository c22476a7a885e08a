package extract

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// declarations are what a page says about itself outside of its text.
type declarations struct {
	types, generator, body, host hints // of its structured data and og:type; its program; its body's class; its host
	first, path                  hints // of its URL: first word of the path, all words
	depth, digits, length        int   // of the path: parts, longest number, bytes
	dashes                       int   // most dashes in a part: a headline as a slug
	home                         bool
	og                           int // og:type: 0 none, 1 article, 2 website, 3 product, 4 other
	published, priced            bool
	ld                           int // pieces of structured data
	description                  map[uint32]bool
	images, inputs, buttons      int
	site                         string
}

// declare reads the URL of a page and the head of the tree that its blocks are from.
func declare(pageURL string, nodes []*html.Node) *declarations {
	d := &declarations{}
	d.readURL(pageURL)
	if len(nodes) > 0 {
		d.readHead(top(nodes[0]))
	}
	return d
}

func (d *declarations) readURL(ref string) {
	u, err := url.Parse(ref)
	if err != nil || u.Scheme == "file" {
		return
	}
	d.site = strings.TrimPrefix(u.Hostname(), "www.")
	for _, w := range words(u.Hostname()) {
		d.host |= urlHints[w]
	}
	path := strings.Trim(u.Path, "/")
	d.home = path == "" && u.RawQuery == ""
	d.length = len(path)
	for i, part := range strings.Split(path, "/") {
		if part == "" {
			continue
		}
		d.depth++
		d.dashes = max(d.dashes, strings.Count(part, "-")+strings.Count(part, "_"))
		part, _, _ = strings.Cut(strings.ToLower(part), ".")
		h := urlHints[part]
		d.path |= h
		if i == 0 {
			d.first = h
		}
		for _, w := range words(part) {
			if strings.Trim(w, "0123456789") == "" {
				d.digits = max(d.digits, len(w))
			}
		}
	}
}

// readHead reads what stands in the head of the page, and the names of its body.
func (d *declarations) readHead(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type != html.ElementNode:
		case c.Data == "html" || c.Data == "head":
			d.readHead(c)
		case c.Data == "meta":
			d.readMeta(c)
		case c.Data == "body":
			for _, w := range words(attr(c, "class") + " " + attr(c, "id")) {
				d.body |= declaredHints[w] | urlHints[w]
			}
		}
	}
}

func (d *declarations) readMeta(n *html.Node) {
	value := attr(n, "content")
	switch strings.ToLower(attr(n, "property") + attr(n, "name")) {
	case "og:type":
		v := strings.ToLower(value)
		d.types |= declaredHints[v]
		switch {
		case v == "article":
			d.og = 1
		case v == "website":
			d.og = 2
		case strings.Contains(v, "product"):
			d.og = 3
		default:
			d.og = 4
		}
	case "article:published_time", "datepublished", "article:modified_time", "citation_publication_date":
		d.published = true
	case "product:price:amount", "og:price:amount", "product:availability":
		d.priced = true
	case "generator", "application-name":
		for _, w := range words(value) {
			d.generator |= declaredHints[w]
		}
	case "description", "og:description":
		if len(d.description) == 0 {
			d.description = wordSet(clip(value, 1000))
		}
	}
}

// survey looks through the tree for what the page says of itself, and for what its boxes hold besides text. k is the box
// around n.
func (d *declarations) survey(n *html.Node, k int32, f *boxFinder) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		in := k
		if i, ok := f.index[c]; ok {
			in = i
		}
		var t tally
		switch c.Data {
		case "script":
			if strings.EqualFold(attr(c, "type"), "application/ld+json") && c.FirstChild != nil {
				d.readTypes(c.FirstChild.Data)
			}
			continue
		case "img", "picture", "video", "iframe":
			t.images = 1
		case "input", "select", "textarea":
			t.inputs = 1
		case "button":
			t.buttons = 1
		case "a":
			d.link(attr(c, "href"), &t)
		}
		if in >= 0 {
			f.boxes[in].sum.add(&t)
		}
		if in < 0 || !f.boxes[in].lead {
			d.images, d.inputs, d.buttons = d.images+int(t.images), d.inputs+int(t.inputs), d.buttons+int(t.buttons)
		}
		if s := attr(c, "itemtype"); s != "" {
			d.types |= declaredHints[strings.ToLower(s[strings.LastIndexByte(s, '/')+1:])]
		}
		d.survey(c, in, f)
	}
}

// readTypes notes the @types of structured data, without a parser: a word too many does no harm.
func (d *declarations) readTypes(script string) {
	d.ld++
	script = script[:min(len(script), 256<<10)]
	for {
		_, rest, ok := strings.Cut(script, `"@type"`)
		if !ok {
			return
		}
		script = rest
		value := strings.TrimLeft(rest[:min(len(rest), 80)], ": \n\t[\"")
		if end := strings.IndexByte(value, '"'); end > 0 {
			d.types |= declaredHints[strings.ToLower(value[:end])]
		}
	}
}

// link tells links within the page and to other sites.
func (d *declarations) link(href string, t *tally) {
	if href == "" {
		return
	}
	t.links = 1
	if href[0] == '#' {
		t.here = 1
		return
	}
	_, rest, ok := strings.Cut(href, "//")
	if !ok {
		return
	}
	host, _, _ := strings.Cut(rest, "/")
	host = strings.TrimPrefix(host, "www.")
	if host != d.site && !strings.HasSuffix(host, "."+d.site) && !strings.HasSuffix(d.site, "."+host) {
		t.away = 1
	}
}
