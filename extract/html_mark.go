package extract

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A source is the text of a web page, its tree, and from where in the text each piece of the tree's text comes. The
// standard parser does not tell that, and it moves text: out of tables, into elements that it opens again. So the page
// is parsed with a mark in each text token, made of noncharacters, which are not for interchange (Unicode, 23.7) and which
// the parser carries along; then the marks are taken out of the tree, which is what it would have been without them.
type source struct {
	text   string
	root   *html.Node
	cut    bool // the text is longer than what is read
	lines  int  // about how many blocks there will be
	tokens []token
	pieces []piece
	// The pieces of a text node begin with the one whose number, counted from 1, is its DataAtom, which the parser leaves at
	// zero; for pictures there is a map.
	pictures map[*html.Node]int
	order    []int32 // of each token: its place among pieces, -1 none; nil where pieces are in order
}

// A token is a stretch of the page's text that is text in the tree, or a picture whose alternative text is.
type token struct {
	start, end int32 // bytes; text begins at its first character that is no white space
	raw        bool  // holds no character references
	drawn      bool  // stands in SVG or MathML
	plain      bool  // stands in the tree as it is, byte for byte
	tag        bool  // a picture's
}

// A piece is the part of a text node, from an offset on, that comes from one token.
type piece struct {
	at, token int32
	more      bool // the next piece is of the same node
}

// Marks are numbers of tokens in base 16. The last digit tells itself by its range.
const (
	firstDigit = 0xFDD0 // … 0xFDDF
	lastDigit  = 0xFDE0 // … 0xFDEF
	markLead   = "\xef\xb7"
)

func appendMark(b []byte, n int) []byte {
	shift := 0
	for n>>(shift+4) > 0 {
		shift += 4
	}
	for ; shift > 0; shift -= 4 {
		b = utf8.AppendRune(b, rune(firstDigit+n>>shift&15))
	}
	return utf8.AppendRune(b, rune(lastDigit+n&15))
}

func isMark(s string, at int) bool {
	return at+2 < len(s) && s[at:at+2] == markLead && s[at+2] >= 0x90 && s[at+2] <= 0xaf
}

// cutMark finds the first mark of s: the text before it, its number, and the text behind it.
func cutMark(s string) (before string, n int, after string, found bool) {
	at := strings.Index(s, markLead)
	for at >= 0 && !isMark(s, at) {
		next := strings.Index(s[at+2:], markLead)
		if next < 0 {
			return s, 0, "", false
		}
		at += 2 + next
	}
	if at < 0 {
		return s, 0, "", false
	}
	before = s[:at]
	for last := false; !last && isMark(s, at); at += 3 {
		digit := int(s[at+2]) - 0x90
		n, last = n<<4|digit&15, digit > 15
	}
	return before, n, s[at:], true
}

// withoutMarks replaces the noncharacters that a page holds itself, and references to them, byte for byte.
func withoutMarks(text string) string {
	if strings.Contains(text, markLead) {
		text = strings.Map(func(r rune) rune {
			if r >= firstDigit && r < lastDigit+16 {
				return utf8.RuneError
			}
			return r
		}, text)
	}
	var b []byte
	for at := 0; ; {
		i := strings.Index(text[at:], "&#")
		if i < 0 {
			break
		}
		at += i
		size, value := reference(text[at:])
		if isMark(value, 0) {
			if b == nil {
				b = []byte(text)
			}
			digits, replacement := text[at+2:at+size], "65533"
			if digits[0]|0x20 == 'x' {
				replacement = "FFFD"
			}
			copy(b[at+size-len(replacement)-strings.Count(digits, ";"):], replacement)
		}
		at += size
	}
	if b != nil {
		return string(b)
	}
	return text
}

// A markedReader reads a page with a mark in front of each token's first character that is no white space, since white
// space alone is treated in a way of its own by the rules of parsing; of a picture it is an attribute.
type markedReader struct {
	ctx  context.Context
	src  *source
	at   int    // byte of the text
	next int    // token
	mark []byte // what is left of the mark that is being read
	buf  [24]byte
}

func (r *markedReader) Read(p []byte) (n int, err error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	for n < len(p) {
		if len(r.mark) > 0 {
			k := copy(p[n:], r.mark)
			n, r.mark = n+k, r.mark[k:]
			continue
		}
		upTo, t := len(r.src.text), token{}
		if r.next < len(r.src.tokens) {
			t = r.src.tokens[r.next]
			if upTo = int(t.start); t.tag {
				upTo += len("<img")
			}
		}
		k := copy(p[n:], r.src.text[r.at:upTo])
		n, r.at = n+k, r.at+k
		switch {
		case r.at < upTo:
		case r.next == len(r.src.tokens):
			if n == 0 {
				return 0, io.EOF
			}
			return n, nil
		case t.tag:
			r.mark = append(appendMark(append(r.buf[:0], ' '), r.next), ' ')
			r.next++
		default:
			r.mark = appendMark(r.buf[:0], r.next)
			r.next++
		}
	}
	return n, nil
}

// settle takes the marks out of the tree and notes from which tokens its text comes.
func (s *source) settle() {
	s.pieces = make([]piece, 0, len(s.tokens))
	for n := s.root; n != nil; n = following(n) {
		switch {
		case n.Type == html.TextNode:
			s.settleText(n)
		case n.Type == html.ElementNode && len(n.Attr) > 0 && isMark(n.Attr[0].Key, 0):
			if _, k, _, _ := cutMark(n.Attr[0].Key); k < len(s.tokens) {
				if s.pictures == nil {
					s.pictures = map[*html.Node]int{}
				}
				s.pictures[n] = len(s.pieces)
				s.pieces = append(s.pieces, piece{token: int32(k)})
			}
			n.Attr = n.Attr[1:]
		}
	}
	s.follow()
}

func (s *source) settleText(n *html.Node) {
	before, k, after, found := cutMark(n.Data)
	if !found {
		return
	}
	n.DataAtom = atom.Atom(len(s.pieces) + 1)
	s.pieces = append(s.pieces, piece{at: int32(len(before)), token: int32(k)})
	next, k, rest, found := cutMark(after)
	if !found { // nearly always: a node of one token
		if n.Data = after; before != "" {
			n.Data = before + after
		}
		return
	}
	var b strings.Builder
	b.Grow(len(n.Data))
	b.WriteString(before)
	for found {
		b.WriteString(next)
		s.pieces[len(s.pieces)-1].more = true
		s.pieces = append(s.pieces, piece{at: int32(b.Len()), token: int32(k)})
		next, k, rest, found = cutMark(rest)
	}
	b.WriteString(next)
	n.Data = b.String()
}

// piecesOf are the pieces that a text node, or a picture, is made of; none where they are not known.
func (s *source) piecesOf(n *html.Node) []piece {
	first := int(n.DataAtom) - 1
	if n.Type != html.TextNode {
		var ok bool
		if first, ok = s.pictures[n]; !ok {
			return nil
		}
	}
	if first < 0 {
		return nil
	}
	end := first + 1
	for s.pieces[end-1].more {
		end++
	}
	return s.pieces[first:end]
}

// following is the node after n in document order, nil at the end.
func following(n *html.Node) *html.Node {
	if n.FirstChild != nil {
		return n.FirstChild
	}
	for n.NextSibling == nil {
		if n = n.Parent; n == nil {
			return nil
		}
	}
	return n.NextSibling
}
