package extract

import (
	"strings"

	"ibid/evidence"
)

// flush ends the block that is being gathered.
func (w *walker) flush() {
	switch {
	case w.joined > 0:
		w.cur.space = true
		return
	case w.listing > 0:
		w.cur.broken = len(w.cur.b) > 0
		return
	case len(w.cur.b) == 0:
		w.cur.reset()
		return
	}
	p, g := w.at, w.cur.gather()
	w.at = place{}
	if g.text != "" {
		in := &w.frames[len(w.frames)-1]
		path := ""
		if in.used || in.depth == 0 {
			path = w.xpath(w.path[:in.depth], w.begin, w.beginText)
		} else {
			path = w.xpath(w.path[:in.depth], nil, 0)
		}
		for _, r := range pieces(g, p.role) {
			for _, r := range w.unbroken(span{g.off + r.start, g.off + r.end}) {
				w.piece(g, r, path, p)
			}
		}
	}
	w.cur.reset()
}

// piece adds the part r of the line, from which g was gathered, as a block.
func (w *walker) piece(g gathered, r span, path string, p place) {
	text := g.text[r.start-g.off : r.end-g.off]
	p.letters = g.letters
	if len(text) < len(g.text) {
		p.letters = letterCount(text)
	}
	if g.pre && p.role == evidence.RoleCode && prose(text) {
		p.role = evidence.RoleText
	}
	if in, known := w.cur.within(r.start, r.end); text != "" {
		w.emit(Block{Text: text, LinkText: g.links, Path: path}, in, known, p)
	}
}

// pieces divides a text that is too long for one block; preformatted paragraphs are blocks as any others.
func pieces(g gathered, role evidence.Role) []span {
	whole := span{0, len(g.text)}
	switch {
	case g.pre && role == evidence.RoleCode:
		return splitCode(g.text)
	case g.pre && strings.Contains(g.text, "\n"), strings.Contains(g.text, "\n\n"):
		list := paragraphs(g.text)
		for i, r := range list {
			list[i] = trimmed(g.text, r)
		}
		return list
	case len(g.text) > 2*maxParagraph:
		return divide(g.text, whole)
	}
	return []span{whole}
}

// maxPageBlocks is how many blocks of a page are read; nobody finds a paragraph beyond.
const maxPageBlocks = 100_000

// emit adds a block. A text of which it is not known where it stands cannot be shown to anyone: it is left out.
func (w *walker) emit(b Block, in span, known bool, p place) {
	if w.full = len(w.page.Blocks) >= maxPageBlocks; w.full {
		return
	}
	if w.src != nil {
		if !known {
			w.hidden += p.letters
			return
		}
		b.Start, b.End = in.start, in.end
	}
	for i := len(w.frames) - 1; i >= 0 && !w.frames[i].used; i-- {
		w.frames[i].used = true
	}
	b.Role = p.role
	switch {
	case p.quote && (b.Role == evidence.RoleText || b.Role == evidence.RoleItem):
		b.Role = evidence.RoleQuote
	case b.Role == evidence.RoleItem:
		b.Level = max(p.depth, 1)
	}
	above := 7
	if p.level > 0 {
		b.Role, b.Level, above = evidence.RoleHeading, p.level, p.level
	}
	for i := above - 1; i > 0; i-- {
		if b.Heading = w.headings[i]; b.Heading != "" {
			break
		}
	}
	if p.level > 0 {
		w.headings[p.level] = clip(strings.Join(strings.Fields(b.Text), " "), 300)
		clear(w.headings[p.level+1:])
	}
	if p.comment {
		b.Role, b.Level = evidence.RoleComment, 0
	}
	w.page.add(b)
	w.marks = append(w.marks, p.mark)
	w.nodes = append(w.nodes, w.frames[len(w.frames)-1].node)
	if p.root > 0 {
		w.roots[p.root-1].count(p.letters, b.LinkText, p.level)
	}
}
