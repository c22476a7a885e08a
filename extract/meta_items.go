package extract

import (
	"strings"

	"golang.org/x/net/html"
)

// itemProperties are the properties of microdata and RDFa that are read.
var itemProperties = set(`headline name author creator publisher datePublished dateModified dateCreated uploadDate inLanguage license url
	mainEntityOfPage identifier doi sameAs isAccessibleForFree`)

// readItems reads what microdata (itemscope, itemprop) and RDFa (typeof, property) say about things that stand on their
// own, in the shape of JSON-LD.
func readItems(root *html.Node) []thing {
	r := itemReader{texts: 2000}
	r.walk(root, nil, 0)
	return r.things
}

type itemReader struct {
	things []thing
	texts  int // that may still be read
}

func (r *itemReader) walk(n *html.Node, item map[string]any, depth int) {
	if depth > 400 || len(r.things) > 1000 {
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		inner := item
		kind, prop, syntax := attr(c, "itemtype"), attr(c, "itemprop"), "microdata"
		if kind == "" && prop == "" && c.Data != "meta" { // the properties of Open Graph look like RDFa
			if kind, prop = attr(c, "typeof"), attr(c, "property"); kind != "" || prop != "" {
				syntax = "rdfa"
			}
		}
		var nested map[string]any
		if hasAttr(c, "itemscope") || kind != "" {
			nested = map[string]any{"@type": kind}
			inner = nested
		}
		if item != nil {
			for _, p := range strings.Fields(prop) {
				if i := strings.LastIndexAny(p, "/#:"); i >= 0 {
					p = p[i+1:]
				}
				if old, _ := item[p].([]any); itemProperties[p] && len(old) < maxAuthors {
					item[p] = append(old, r.value(c, p, nested))
				}
			}
		}
		if nested != nil && (item == nil || prop == "" || prop == "mainEntity") {
			if types := typesOf(firstWord(kind)); len(types) > 0 {
				r.things = append(r.things, thing{syntax, types, nested, nil})
			}
		}
		r.walk(c, inner, depth+1)
	}
}

func firstWord(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[0]
	}
	return ""
}

// value is the value of a property as the element has it.
func (r *itemReader) value(n *html.Node, property string, nested map[string]any) any {
	if nested != nil {
		return nested
	}
	switch {
	case hasAttr(n, "content"):
		return attr(n, "content")
	case n.Data == "time" && hasAttr(n, "datetime"):
		return attr(n, "datetime")
	case n.Data == "link", n.Data == "a" && (property == "url" || property == "license" || property == "sameAs" || property == "mainEntityOfPage"):
		return attr(n, "href")
	}
	if r.texts--; r.texts < 0 {
		return ""
	}
	return oneLine(beginningOf(n), maxTitle)
}
