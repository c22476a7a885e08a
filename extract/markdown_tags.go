package extract

import (
	"strings"

	"golang.org/x/net/html"
)

// mdTags are the elements of raw HTML that are open in a text of Markdown.
type mdTags struct {
	open   []mdTag
	hidden int // of them
}

type mdTag struct {
	name   string
	hidden bool
}

// read notes the tags of a piece of raw HTML. The elements that end by themselves where a block of Markdown begins are not
// followed.
func (t *mdTags) read(raw string) {
	z := html.NewTokenizer(strings.NewReader(raw))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken:
			token := z.Token()
			if n := element(token.Data, token.Attr); !voidTags[n.Data] && n.Data != "p" && n.Data != "li" && len(t.open) < maxDepth {
				tag := mdTag{n.Data, unseenTag(n)}
				t.open = append(t.open, tag)
				if tag.hidden {
					t.hidden++
				}
			}
		case html.EndTagToken:
			t.close(z.Token().Data)
		}
	}
}

// close ends an element, with those in it that were not ended.
func (t *mdTags) close(name string) {
	for i := len(t.open) - 1; i >= 0; i-- {
		if t.open[i].name != name {
			continue
		}
		for _, tag := range t.open[i:] {
			if tag.hidden {
				t.hidden--
			}
		}
		t.open = t.open[:i]
		return
	}
}

// unseenTag reports whether nobody sees the text in an element.
func unseenTag(n *html.Node) bool {
	s := styles{}.show(n)
	if s.gone || s.invisible > 0 || s.tiny > 0 {
		return true
	}
	on := (&palePage{}).lay(n, paint{colour: "000000", ground: "FFFFFF"})
	return on.clear || sameColour(on.colour, on.ground)
}

// unseen reports whether nobody sees the text that comes now, and that there is some.
func (m *mdReader) unseen(text string) bool {
	if m.around.hidden+m.inside.hidden == 0 {
		return false
	}
	if visible(text) {
		m.page.flag(FlagHidden)
	}
	return true
}

// say adds a text to the block.
func (m *mdReader) say(text string, link bool) {
	if !m.unseen(text) {
		m.cur.add(text, false, link)
	}
}

// rawTag reads a tag in a text; script is where a raised or lowered text began, -1 if none is open.
func (m *mdReader) rawTag(raw string, script int) int {
	m.inside.read(raw)
	name := strings.ToLower(strings.TrimLeft(raw, "</"))
	if i := strings.IndexAny(name, " \t\n/>"); i >= 0 {
		name = name[:i]
	}
	closing := strings.HasPrefix(raw, "</")
	switch {
	case name == "br":
		m.cur.newline()
	case name != "sup" && name != "sub":
	case !closing:
		m.cur.settle()
		return len(m.cur.b)
	case script >= 0:
		l := paraLine{b: m.cur.b}
		if name == "sup" {
			l.raise(script)
		} else {
			l.lower(script)
		}
		m.cur.b = l.b
		return -1
	}
	return script
}
