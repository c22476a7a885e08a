package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
)

// A screen is what a page shows, letter by letter, and where on it the blocks of the page begin and end. It is found
// without what the walk and its marks know: the page is parsed once as it is and once with a sign at each end of each
// block's range, and the two trees are read side by side.
type screen struct {
	t          testing.TB
	text       strings.Builder // folded
	at         map[*html.Node]int
	begin, end []int // of each block; -1 where its range does not begin, or end, with a letter that is shown
	rules      styles
	pale       map[*html.Node]bool
	total      int // letters of the page, shown or not
	noScript   bool
	formulas   bool
}

// Signs are made of noncharacters, which withoutMarks has taken out of the page.
const (
	beginSign, endSign  = '\uFDD0', '\uFDD1'
	signDigit, signTail = '\uFDE0', '\uFDD2'
)

func sign(kind rune, n int) string {
	digits := strings.Map(func(r rune) rune { return signDigit + r - '0' }, fmt.Sprint(n))
	return string(kind) + digits + string(signTail)
}

// readScreen reads the screen of a page whose text is given. The first tree that it returns is the page's own.
func readScreen(t testing.TB, text string, blocks []Block) (*screen, *html.Node) {
	t.Helper()
	plain, flat := plainTree(t, text)
	s := &screen{t: t, at: map[*html.Node]int{}, begin: make([]int, len(blocks)), end: make([]int, len(blocks)), rules: readStyles(plain, parseDecls), pale: paleTexts(plain),
		noScript: scriptless(plain), total: lettersIn(plain), formulas: strings.Contains(text, "<math") || strings.Contains(text, "mwe-math")}
	for i := range blocks {
		s.begin[i], s.end[i] = -1, -1
	}
	signed, err := parseAs(withSigns(text, blocks), flat)
	if err != nil {
		t.Fatal(err)
	}
	s.add(plain, signed, around{})
	if strings.TrimSpace(s.text.String()) == "" && len(s.rules) > 0 { // its style sheets hide all of it until a script has it ready
		s.text.Reset()
		s.rules = nil
		s.add(plain, signed, around{})
	}
	return s, plain
}

// withSigns puts a sign at each end of each block: into the text, or into the tag of a picture.
func withSigns(text string, blocks []Block) string {
	type place struct {
		at   int
		sign string
	}
	var places []place
	tags := pictureTags(text)
	for i, b := range blocks {
		for _, p := range [...]place{{b.End, sign(endSign, i)}, {b.Start, sign(beginSign, i)}} {
			if tag, ok := tags[p.at]; ok {
				p = place{tag + len("<img"), " " + p.sign + "=x "}
			}
			places = append(places, p)
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return a.at - b.at })
	var b strings.Builder
	last := 0
	for _, p := range places {
		b.WriteString(text[last:p.at])
		b.WriteString(p.sign)
		last = p.at
	}
	return b.String() + text[last:]
}

// pictureTags maps where the tags of pictures begin, and where they end, to where they begin.
func pictureTags(text string) map[int]int {
	tags, at := map[int]int{}, 0
	z := html.NewTokenizer(strings.NewReader(text))
	var drawn foreign
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		end := at + len(z.Raw())
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			name := tagName(text[at+1 : end])
			drawn.start(name, kind == html.SelfClosingTagToken)
			if drawn.inside() || name == "noscript" {
				z.NextIsNotRawText()
			}
			if name == "img" {
				tags[at], tags[end] = at, at
			}
		case html.EndTagToken:
			drawn.end(tagName(text[at+2 : end]))
		}
		at = end
	}
	return tags
}

// around is what an element hands down to those inside.
type around struct {
	place
	depth   int
	math    *html.Node // the only thing that is shown of a formula in several forms
	listing bool       // program text
	data    bool       // a table of data
}

// add reads a node and its twin in the tree with signs.
func (s *screen) add(n, twin *html.Node, in around) {
	s.at[n] = s.text.Len()
	if n.Type != twin.Type || n.Type == html.ElementNode && n.Data != twin.Data {
		s.t.Fatalf("signs change the tree: %q is %q", n.Data, twin.Data)
	}
	shown := true
	switch n.Type {
	case html.TextNode:
		s.addText(n.Data, twin.Data, !in.invisible && !in.tiny && !s.pale[n])
	case html.ElementNode:
		in.depth++
		in, shown = s.enter(n, twin, in)
	}
	if in.math == nil {
		in.math = onlyMath(n)
	}
	c, d := n.FirstChild, twin.FirstChild
	for part := 0; c != nil && d != nil; c, d = c.NextSibling, d.NextSibling {
		if c.Type == html.ElementNode {
			if part++; part == 2 && n.Data == "mroot" && n.Namespace == "math" && shown {
				s.text.WriteString("1") // x^(1/3)
			}
		}
		if shown && (in.math == nil || isWithin(in.math, c) || isWithin(c, in.math)) && !(n.Data == "semantics" && n.Namespace == "math" && part > 1) {
			s.add(c, d, in)
		}
	}
	if shown && (c != nil || d != nil) {
		s.t.Fatalf("signs change the tree: <%s> has other children", n.Data)
	}
}

// addText adds a text, and takes the signs out of its twin, between which it must stand unchanged.
func (s *screen) addText(text, signed string, shown bool) {
	for signed != "" {
		i := strings.IndexFunc(signed, func(r rune) bool { return r == beginSign || r == endSign })
		if i < 0 {
			i = len(signed)
		}
		if !strings.HasPrefix(text, signed[:i]) {
			s.t.Fatalf("signs change a text: %.100q is %.100q", text, signed)
		}
		if shown {
			s.text.WriteString(folded(text[:i], s.formulas))
		}
		text, signed = text[i:], signed[i:]
		if signed != "" {
			signed = s.takeSign(signed, shown)
		}
	}
	if text != "" {
		s.t.Fatalf("signs change a text: %.100q is missing", text)
	}
}

func (s *screen) takeSign(signed string, shown bool) (rest string) {
	kind, n, list := rune(0), 0, s.begin
	for i, r := range signed {
		switch {
		case i == 0:
			kind = r
		case r != signTail:
			n = n*10 + int(r-signDigit)
		default:
			if kind == endSign {
				list = s.end
			}
			if shown {
				list[n] = s.text.Len()
			}
			return signed[i+len(string(signTail)):]
		}
	}
	s.t.Fatalf("a sign is cut off: %q", signed)
	return ""
}

// unseen are the elements whose text is not part of the page: those that are not displayed (HTML, 15.3.1), those that are
// drawn in place of what is in them, controls, and the reading aids of ruby.
var unseen = set(`area base basefont datalist head link meta noembed noframes param rp script style template title noscript
	iframe object audio video canvas svg select textarea rt`)

// enter reports whether an element shows what is in it, by the rules of HTML, of the page's styles (see styles.show) and
// of what is set aside as the second form of a text or as its apparatus: TeX beside MathML, the numbers of program lines.
func (s *screen) enter(n, twin *html.Node, in around) (around, bool) {
	if n.Data == "noscript" && s.noScript {
		return in, true
	}
	if unseen[n.Data] {
		return in, false
	}
	if in.math != nil && n.Namespace != "math" {
		return in, true
	}
	shown := s.rules.show(n)
	if (shown.gone || shown.invisible > 0) && !hiddenByAttributes(n) && in.depth <= 12 && lettersIn(n)*20 > (s.total+1)*17 {
		shown = styles(nil).show(&html.Node{Type: html.ElementNode, Data: n.Data}) // waits for a script
	}
	if shown.gone || n.Namespace == "math" && (n.Data == "annotation" || n.Data == "annotation-xml" || n.Data == "mphantom") {
		return in, false
	}
	in.place = shown.over(in.place)
	in.listing = in.listing || n.Data == "pre" || n.Data == "listing" || n.Data == "table" && isNumberedListing(n)
	if n.Data == "table" {
		in.data = !in.listing && isDataTable(n)
	}
	if (in.listing || n.Data == "td" && !in.data) && isLineNumber(n) {
		return in, false
	}
	if n.Data == "img" && !in.invisible {
		alt := ""
		if tag := (html.Token{Type: html.StartTagToken, Data: n.Data, Attr: n.Attr}); mayBeFormula(tag.String()) {
			alt = attr(n, "alt")
		}
		signs := [2]string{}
		for _, a := range twin.Attr {
			switch {
			case strings.HasPrefix(a.Key, string(beginSign)):
				signs[0] = a.Key
			case strings.HasPrefix(a.Key, string(endSign)):
				signs[1] = a.Key
			}
		}
		s.addText(alt, signs[0]+alt+signs[1], true)
	}
	return in, true
}

// onlyMath is the one form in which an element shows a formula that it has in several; nil if it is no such element.
func onlyMath(n *html.Node) *html.Node {
	several := n.Data == "mjx-container"
	for c := range classes(attr(n, "class")) {
		several = several || formulaWords[strings.ToLower(c)]
	}
	if several && n.Namespace == "" {
		for c := range n.Descendants() {
			if c.Data == "math" && c.Namespace == "math" {
				return c
			}
		}
	}
	return nil
}

func isWithin(n, outer *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}

// folded folds a text to what can be compared across its forms: no white space, no marks that nobody sees, scripts as plain digits,
// without the signs that a row or a formula is joined by.
func folded(s string, formulas bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r > ' ' && r < 0x7f && r != '|':
			if formulas && strings.ContainsRune("/^()", r) {
				return -1
			}
			return r
		case unicode.IsSpace(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Cc, r), r == '|', r == utf8Error, formulas && r == '√':
			return -1
		}
		if plain, ok := unscript[r]; ok {
			return plain
		}
		return r
	}, s)
}

const utf8Error = '\ufffd'

var unscript = func() map[rune]rune {
	m := map[rune]rune{'−': '-', '–': '-'}
	for _, table := range []map[rune]rune{superscripts, subscripts} {
		for plain, script := range table {
			if script != plain && m[script] == 0 {
				m[script] = plain
			}
		}
	}
	m['⁻'], m['₋'] = '-', '-'
	return m
}()
