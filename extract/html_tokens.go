package extract

import (
	"strings"

	"golang.org/x/net/html"
)

// maxTokens is how many tags and texts of a page are read: the tree of more would take hundreds of megabytes.
const maxTokens = 1 << 20

// mark finds the tokens of the page. It also weighs what the page will cost the standard parser.
func (s *source) mark() (hostile bool) {
	s.tokens = make([]token, 0, min(strings.Count(s.text, "<")/3+16, maxTokens)) // about so many, of most pages
	z := lexer{text: s.text}
	var load burden
	var drawn foreign
	inside, apart := "", true // inside an element whose content is not markup; apart from the last text
	for count := 0; ; count++ {
		at := z.at
		kind, end := z.next()
		z.at = end
		if count > maxTokens {
			s.text, s.cut = s.text[:at], true
			kind = html.ErrorToken
		}
		switch kind {
		case html.ErrorToken:
			return load.heavy()
		case html.TextToken:
			raw := inside != ""
			first := visibleFrom(s.text[at:end], raw)
			if first < 0 || raw && !shownRaw[inside] {
				break
			}
			t := token{start: int32(at + first), end: int32(end), raw: raw, drawn: drawn.inside()}
			text := s.text[at+first : end]
			t.plain = strings.IndexByte(text, '\r') < 0 && strings.IndexByte(text, 0) < 0 && (raw || strings.IndexByte(text, '&') < 0)
			s.tokens = append(s.tokens, t)
			if apart {
				s.lines++
			}
			apart = false
		case html.StartTagToken, html.SelfClosingTagToken:
			name := tagName(s.text[at+1 : end])
			inside = ""
			drawn.start(name, kind == html.SelfClosingTagToken)
			switch {
			case drawn.inside(), name == "noscript": // markup in a drawing, and where no script runs
				z.raw = ""
			case rawTags[name]:
				inside = name
			case name == "img" && mayBeFormula(s.text[at:end]):
				s.tokens = append(s.tokens, token{start: int32(at), end: int32(end), tag: true})
			}
			load.start(name)
			apart = apart || blockTags[name] || name == "br"
		case html.EndTagToken:
			name := tagName(s.text[at+2 : end])
			inside = ""
			drawn.end(name)
			load.end(name)
			apart = apart || blockTags[name]
		}
	}
}

// tagName is the name that a tag begins with, behind its bracket. The tokenizer would copy it.
func tagName(tag string) string {
	n := 0
	for n < len(tag) && strings.IndexByte(" \n\r\t\f/>", tag[n]) < 0 {
		n++
	}
	return strings.ToLower(tag[:n])
}

var (
	rawTags  = set("iframe noembed noframes plaintext script style textarea title xmp")
	shownRaw = set("plaintext xmp")
)

// A foreign value follows the elements of SVG and MathML that are open: in them <title> and <style> are markup like any other,
// as the tree builder tells its tokenizer.
type foreign struct{ open []string }

func (d *foreign) inside() bool {
	return len(d.open) > 0 && d.open[len(d.open)-1] != "foreignobject"
}

func (d *foreign) start(name string, closed bool) {
	switch {
	case name == "svg" || name == "math", name == "foreignobject" && d.inside():
		if !closed && len(d.open) < 100 {
			d.open = append(d.open, name)
		}
	case d.inside() && leavesDrawing[name]:
		for d.inside() {
			d.open = d.open[:len(d.open)-1]
		}
	}
}

func (d *foreign) end(name string) {
	for i := len(d.open) - 1; i >= 0; i-- {
		if d.open[i] == name {
			d.open = d.open[:i]
			return
		}
	}
}

// leavesDrawing are elements that end a drawing in which they stand (HTML, 13.2.6.5).
var leavesDrawing = set(`b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta
	nobr ol p pre ruby s small span strong strike sub sup table tt u ul var`)

// visibleFrom is where the first character of a text token stands that is not white space to the parser, -1 if none.
func visibleFrom(text string, raw bool) int {
	for i := 0; i < len(text); {
		switch text[i] {
		case ' ', '\t', '\n', '\f', '\r', 0:
			i++
			continue
		case '&':
			if size, value := reference(text[i:]); !raw && (value == " " || value == "\t" || value == "\n" || value == "\f" || value == "\r") {
				i += size
				continue
			}
		}
		return i
	}
	return -1
}
