package audit

import (
	"html"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// mask stands in scan for each byte that cannot be part of a citation.
const mask = 0x01

// prose is the running text of one block as a reader sees it.
type prose struct {
	text  []byte // escapes and entities resolved, markup gone; a hard line break is "\n"
	scan  []byte // the same, but masked where it was escaped, or is code, hidden, struck out or the text of a link
	at    []int  // for each byte of text, where it stands in the Markdown
	notes []noteRef
	links []link
	html  []markup // raw HTML that is not harmless
	code  []Range  // code spans, in text
}

// A noteRef is a mark in the text that points to a footnote.
type noteRef struct {
	Range
	index int
}

// A link is a link, an automatic link or an image.
type link struct {
	Range        // of its text
	at           int
	image        bool
	dest, title  string
	alt          string // of an image
	looksNumeric bool   // its text is a mark such as 1 or ^1
}

// markup is a piece of raw HTML.
type markup struct {
	at, end int
	text    string
}

// part says what surrounds a stretch of inline text.
type part struct{ masked bool }

// read appends the inline children of n.
func (p *prose) read(n ast.Node, src []byte, in part) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		p.readInline(c, src, in)
	}
}

func (p *prose) readInline(c ast.Node, src []byte, in part) {
	switch c := c.(type) {
	case *ast.Text:
		if c.IsRaw() {
			p.raw(src[c.Segment.Start:c.Segment.Stop], c.Segment.Start, in)
		} else {
			p.decode(src[c.Segment.Start:c.Segment.Stop], c.Segment.Start, in)
		}
		if c.HardLineBreak() {
			p.put('\n', c.Segment.Stop, true)
		} else if c.SoftLineBreak() {
			p.put(' ', c.Segment.Stop, false)
		}
	case *ast.String:
		p.raw(c.Value, p.end(), part{masked: true})
	case *ast.CodeSpan:
		start := len(p.text)
		p.read(c, src, part{masked: true})
		p.code = append(p.code, Range{start, len(p.text)})
	case *east.Strikethrough:
		p.read(c, src, part{masked: true})
	case *ast.Link:
		p.readLink(c, src, link{dest: string(c.Destination), title: string(c.Title)})
	case *ast.Image:
		var alt prose
		alt.read(c, src, part{})
		p.links = append(p.links, link{Range: Range{len(p.text), len(p.text)}, at: nodeStart(c, p.end()), image: true, dest: string(c.Destination),
			title: string(c.Title), alt: string(alt.text)})
		p.links = append(p.links, alt.links...) // an image within the text of an image
	case *ast.AutoLink:
		l := link{Range: Range{Start: len(p.text)}, at: p.end(), dest: string(c.URL(src))}
		p.raw(c.Label(src), p.end(), part{masked: true})
		l.End = len(p.text)
		p.links = append(p.links, l)
	case *ast.RawHTML:
		p.readHTML(c, src)
	case *east.FootnoteLink:
		start := len(p.text)
		p.raw([]byte("[^]"), p.end(), part{masked: true})
		p.notes = append(p.notes, noteRef{Range{start, len(p.text)}, c.Index})
	default:
		p.read(c, src, in)
	}
}

func (p *prose) readLink(c *ast.Link, src []byte, l link) {
	l.Range.Start, l.at = len(p.text), nodeStart(c, p.end())
	p.read(c, src, part{masked: true})
	l.End = len(p.text)
	label := strings.TrimPrefix(strings.Trim(strings.TrimSpace(string(p.text[l.Start:l.End])), "[]()"), "^")
	l.looksNumeric = label != "" && len(label) <= 4 && strings.Trim(label, "0123456789,; *†‡") == ""
	p.links = append(p.links, l)
}

// nodeStart is where the first text in n begins, or instead.
func nodeStart(n ast.Node, instead int) int {
	at := -1
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && at < 0 {
			at = t.Segment.Start
		}
		return ast.WalkContinue, nil
	})
	if at < 0 {
		return instead
	}
	return at
}

// harmless are the tags that change no more than the look of what is seen anyway.
var harmless = set(`<br> <br/> <sub> </sub> <sup> </sup> <b> </b> <i> </i> <em> </em> <strong> </strong> <kbd> </kbd> <wbr>`)

func (p *prose) readHTML(c *ast.RawHTML, src []byte) {
	var b strings.Builder
	at, end := -1, 0
	for i := 0; i < c.Segments.Len(); i++ {
		s := c.Segments.At(i)
		if at < 0 {
			at = s.Start
		}
		end = s.Stop
		b.Write(src[s.Start:s.Stop])
	}
	tag := strings.ToLower(strings.ReplaceAll(b.String(), " ", ""))
	if strings.HasPrefix(tag, "<br") && harmless[tag] {
		p.put('\n', max(at, 0), true)
		return
	}
	if !harmless[tag] {
		p.html = append(p.html, markup{at: max(at, 0), end: end, text: b.String()})
	}
}

// end is the place in the Markdown behind what was read so far.
func (p *prose) end() int {
	if len(p.at) == 0 {
		return 0
	}
	return p.at[len(p.at)-1] + 1
}

func (p *prose) put(b byte, at int, masked bool) {
	p.text = append(p.text, b)
	p.at = append(p.at, at)
	if masked && b != '\n' {
		b = mask
	}
	p.scan = append(p.scan, b)
}

func (p *prose) raw(b []byte, at int, in part) {
	for i, c := range b {
		if c == '\r' || c == '\n' {
			c = ' '
		}
		p.put(c, at+i, in.masked)
	}
}

// decode appends Markdown text with its escapes and entities resolved.
func (p *prose) decode(b []byte, at int, in part) {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\' && i+1 < len(b) && isPunct(b[i+1]):
			i++
			p.put(b[i], at+i, !pathPunct(b, i))
		case c == '&':
			if s, n := entity(b[i:]); n > 0 {
				for k := range len(s) {
					p.put(s[k], at+i, true)
				}
				i += n - 1
				continue
			}
			p.put(c, at+i, in.masked)
		case c == '\r' || c == '\n' || c == '\t':
			p.put(' ', at+i, in.masked)
		default:
			p.put(c, at+i, in.masked)
		}
	}
}

// pathPunct reports whether the escaped character at i may stand so within a citation, because in a path it would turn
// into emphasis or a link: __init__.py, a@b.
func pathPunct(b []byte, i int) bool {
	switch b[i] {
	case '_', '~', '@':
		return true
	case '.':
		return i >= 4 && strings.EqualFold(string(b[i-4:i-1]), "www")
	}
	return false
}

func isPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

// entity resolves the character reference at the start of b (CommonMark §2.5), and says how long it is.
func entity(b []byte) (string, int) {
	for n := 1; n < len(b) && n < 34; n++ {
		if b[n] == ';' {
			if s := html.UnescapeString(string(b[:n+1])); s != string(b[:n+1]) && utf8.RuneCountInString(s) <= 2 {
				return s, n + 1
			}
			return "", 0
		}
		if c := b[n]; c != '#' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return "", 0
		}
	}
	return "", 0
}

// place is the range in the Markdown of a range of the text.
func (p *prose) place(r Range) (start, end int) {
	if len(p.at) == 0 || r.Start >= len(p.at) {
		return p.end(), p.end()
	}
	last := p.at[min(max(r.End, r.Start+1), len(p.at))-1]
	return p.at[r.Start], last + 1
}
