package extract

import (
	"golang.org/x/net/html"

	"ibid/evidence"
)

// leads tells the blocks that stand before, or after, all that has a heading or running text, in elements of their own
// right in the body: what a site puts on top of any of its pages. They are left out of what is counted of the page and
// of what its blocks are near to, so that a banner more or less does not change what is main content below it.
func (s *scene) leads(nodes []*html.Node) (lead []bool, roots map[*html.Node]bool) {
	const little = 40 // running words
	type part struct {
		root     *html.Node
		from, to int
		bears    bool
	}
	var parts []part
	for i, n := range nodes {
		top := bodyChild(n)
		if k := len(parts) - 1; k < 0 || parts[k].root != top {
			parts = append(parts, part{root: top, from: i, bears: top == nil || !canLead[top.Data]})
		}
		parts[len(parts)-1].to = i + 1
	}
	for k := range parts {
		p, running := &parts[k], int32(0)
		for i := p.from; i < p.to; i++ {
			if s.words[i].running {
				running += s.words[i].words
			}
			p.bears = p.bears || s.page.Blocks[i].Role == evidence.RoleHeading
		}
		p.bears = p.bears || running >= little
	}
	lead, roots = make([]bool, len(nodes)), map[*html.Node]bool{}
	set := func(p *part) {
		roots[p.root] = true
		for i := p.from; i < p.to; i++ {
			lead[i] = true
		}
	}
	first, last := 0, len(parts)
	for first < last && !parts[first].bears {
		first++
	}
	if first == last {
		return lead, roots // nothing bears anything: then all of it counts
	}
	for last > first && !parts[last-1].bears {
		last--
	}
	for k := range parts {
		if k < first || k >= last {
			set(&parts[k])
		}
	}
	return lead, roots
}

// canLead are the elements that hold what a site puts on top of its pages; a paragraph right in the body is text.
var canLead = map[string]bool{"div": true, "nav": true, "header": true, "footer": true, "aside": true, "section": true, "ul": true, "form": true, "dialog": true, "a": true, "center": true, "span": true, "button": true}

// bodyChild is the element right in the body that holds n, nil for text right in the body.
func bodyChild(n *html.Node) *html.Node {
	for ; n != nil && n.Parent != nil; n = n.Parent {
		if n.Parent.Type == html.ElementNode && n.Parent.Data == "body" {
			return n
		}
	}
	return nil
}
