package extract

import (
	"bytes"
	"context"
	"encoding/xml"
	"html"
	"io"
	"strings"

	"ibid/internal/lazyregexp"
)

// Limits of an XML document. A node takes about 150 bytes, so the tree of the largest document takes 75 MB.
const (
	maxTreeNodes = 500_000
	maxTreeDepth = 200 // elements below stand as if they were not marked up
)

// An xmlNode is an element, or where it has no name a run of text.
type xmlNode struct {
	name, space string // local name and namespace
	text        string
	attrs       []xml.Attr
	kids        []*xmlNode
	start, end  int // byte range in the decoded document
}

// An xmlDoc is an XML document as far as it could be read.
type xmlDoc struct {
	root    *xmlNode
	doctype string
	cut     bool // the rest was damaged, or more than the limits allow
}

// entity is a reference by name. Names that neither XML nor HTML knows stay as they are written.
var entity = lazyregexp.New(`&[A-Za-z][A-Za-z0-9]{1,31};`)

// charRef is a character by its name or number.
var charRef = lazyregexp.New(`&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});`)

// parseXML builds the tree of a document, also of one that is cut off or not quite well-formed: what comes before the
// damage is kept. Declared entities are not expanded. The error is ctx's; root is nil where there is no element.
func parseXML(ctx context.Context, text string) (doc xmlDoc, err error) {
	text = strings.Map(printable, text)
	d := xml.NewDecoder(ctxReader{ctx, bytes.NewReader([]byte(text))})
	d.Strict = false
	d.Entity = entities(text)
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is decoded already
	names := map[string]string{}
	intern := func(s string) string {
		if n, ok := names[s]; ok {
			return n
		}
		names[s] = s
		return s
	}
	top := &xmlNode{}
	open := []*xmlNode{top}
	nodes, below := 0, 0 // below: open elements that are too deep to be in the tree
	for {
		from := int(d.InputOffset())
		token, err := d.Token()
		if err != nil {
			doc.cut = doc.cut || err != io.EOF
			break
		}
		if nodes == maxTreeNodes {
			doc.cut = true
			break
		}
		here := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			if len(open) > maxTreeDepth {
				below++
				continue
			}
			n := &xmlNode{name: intern(t.Name.Local), space: intern(t.Name.Space), attrs: t.Attr, start: from, end: len(text)}
			here.kids = append(here.kids, n)
			open = append(open, n)
			nodes++
		case xml.EndElement:
			switch {
			case below > 0:
				below--
			case len(open) > 1:
				here.end = int(d.InputOffset())
				open = open[:len(open)-1]
			}
		case xml.CharData:
			here.kids = append(here.kids, &xmlNode{text: string(t), start: from, end: int(d.InputOffset())})
			nodes++
		case xml.Directive:
			if doc.doctype == "" && bytes.HasPrefix(t, []byte("DOCTYPE")) {
				doc.doctype = clip(string(t), 1000)
			}
		}
	}
	for _, n := range top.kids {
		if n.name != "" && doc.root == nil {
			doc.root = n
		}
	}
	return doc, ctx.Err()
}

// printable puts a space for what no XML document may hold. Offsets stay as they are.
func printable(r rune) rune {
	if r < 0x20 && r != '\t' && r != '\n' && r != '\r' {
		return ' '
	}
	return r
}

// entities are the characters that the text names.
func entities(text string) map[string]string {
	known := map[string]string{}
	for _, ref := range entity.FindAllString(text, -1) {
		name := ref[1 : len(ref)-1]
		if _, ok := known[name]; ok || len(known) > 3000 {
			continue
		}
		if s := html.UnescapeString(ref); s != ref {
			known[name] = s
		}
	}
	return known
}

// attr returns an attribute by its local name.
func (n *xmlNode) attr(name string) string {
	for _, a := range n.attrs {
		if a.Name.Local == name {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// child returns the first element below n along a path of names, nil if there is none.
func (n *xmlNode) child(path ...string) *xmlNode {
	for _, name := range path {
		var found *xmlNode
		if n != nil {
			for _, k := range n.kids {
				if k.name == name {
					found = k
					break
				}
			}
		}
		n = found
	}
	return n
}

// all calls do for each element of a name below n, in document order, without those inside one another.
func (n *xmlNode) all(name string, do func(*xmlNode)) {
	if n == nil {
		return
	}
	for _, k := range n.kids {
		if k.name == name {
			do(k)
		} else {
			k.all(name, do)
		}
	}
}

// find returns the first element of a name below n.
func (n *xmlNode) find(name string) (found *xmlNode) {
	if n == nil {
		return nil
	}
	for _, k := range n.kids {
		if k.name == name {
			return k
		}
		if found = k.find(name); found != nil {
			return found
		}
	}
	return nil
}

// content is the text of an element, on one line. n may be nil.
func (n *xmlNode) content() string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	n.write(&b)
	return oneLine(b.String(), 1<<20)
}

func (n *xmlNode) write(b *strings.Builder) {
	b.WriteString(n.text)
	for _, k := range n.kids {
		k.write(b)
	}
}

// mixed reports whether text stands directly in an element, beside its elements.
func (n *xmlNode) mixed() bool {
	for _, k := range n.kids {
		if k.name == "" && visible(k.text) {
			return true
		}
	}
	return false
}

// elements counts the elements directly in n, and how many of those hold elements themselves.
func (n *xmlNode) elements() (all, inner int) {
	for _, k := range n.kids {
		if k.name == "" {
			continue
		}
		all++
		for _, g := range k.kids {
			if g.name != "" {
				inner++
				break
			}
		}
	}
	return all, inner
}

// markup writes the content of an element as markup again: XHTML that stands in another document.
func (n *xmlNode) markup(b *strings.Builder) {
	for _, k := range n.kids {
		if k.name == "" {
			b.WriteString(html.EscapeString(k.text))
			continue
		}
		b.WriteString("<" + k.name)
		for _, a := range k.attrs {
			if a.Name.Space == "" {
				b.WriteString(" " + a.Name.Local + `="` + html.EscapeString(a.Value) + `"`)
			}
		}
		b.WriteByte('>')
		if k.markup(b); !voidElements[k.name] {
			b.WriteString("</" + k.name + ">")
		}
	}
}

var voidElements = set("area base br col embed hr img input link meta source track wbr")
