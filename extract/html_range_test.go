package extract

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"ibid/internal/testset"
)

// sharedPages are the web pages of the shared sets.
func sharedPages(t testing.TB, sets ...string) []string {
	t.Helper()
	var list []string
	for _, set := range sets {
		names, err := filepath.Glob(filepath.Join(testset.Path(t, "data", "extract", set), "*.html.gz"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no pages in %s: %v", set, err)
		}
		list = append(list, names...)
	}
	return list
}

func readPage(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// folded folds a text to what can be compared across its forms: no white space, no marks that nobody sees, scripts as plain digits,
// without the signs that a row or a formula is joined by.
func folded(s string, formulas bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Cc, r), r == '|', r == utf8Error:
			return -1
		case formulas && strings.ContainsRune("/^()√", r):
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

// resolve finds the node that a path names, as XPath does.
func resolve(root *html.Node, path string) *html.Node {
	at := root
	for _, part := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		test, number, _ := strings.Cut(strings.TrimSuffix(part, "]"), "[")
		n, err := strconv.Atoi(number)
		if number == "" {
			n, err = 1, nil
		}
		if err != nil || at == nil {
			return nil
		}
		name, descendant := strings.CutPrefix(test, "descendant::")
		next := func(c *html.Node) *html.Node { return c.NextSibling }
		if descendant {
			next = following
		}
		var found *html.Node
		for c := at.FirstChild; c != nil; c = next(c) {
			ok := c.Type == html.ElementNode && (name == "*" || c.Data == name && c.Namespace == "")
			if name == "text()" {
				ok = c.Type == html.TextNode
			}
			if ok {
				if n--; n == 0 {
					found = c
					break
				}
			}
		}
		at = found
	}
	return at
}

// shownTree is what a page shows, folded, and at which offset of it each node begins.
type shownTree struct {
	b  strings.Builder
	at map[*html.Node]int
}

func (s *shownTree) add(n *html.Node, rules styles, p place, noScript, formulas bool) {
	s.at[n] = s.b.Len()
	switch {
	case n.Type == html.TextNode && !tableParts[n.Parent.Data] && !p.invisible && !p.tiny:
		s.b.WriteString(folded(n.Data, formulas))
	case n.Type == html.ElementNode && (n.Data != "noscript" || !noScript):
		shown := rules.show(n)
		if shown.gone {
			return
		}
		p = shown.over(p)
		if tag := (html.Token{Type: html.StartTagToken, Data: n.Data, Attr: n.Attr}); n.Data == "img" && mayBeFormula(tag.String()) && !p.invisible {
			s.b.WriteString(folded(attr(n, "alt"), formulas))
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		s.add(c, rules, p, noScript, formulas)
	}
}

// textOfRange is what a range of the page's text says: tags stripped, references resolved; folded.
func textOfRange(raw string, formulas bool) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(raw))
	var drawn foreign
	skip := false
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return folded(b.String(), formulas)
		case html.TextToken:
			if !skip {
				b.Write(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			skip = false
			drawn.start(t.Data, kind == html.SelfClosingTagToken)
			switch {
			case t.Data == "noscript", drawn.inside():
				z.NextIsNotRawText()
			case rawTags[t.Data]:
				skip = !shownRaw[t.Data]
			case t.Data == "img" && mayBeFormula(t.String()):
				for _, a := range t.Attr {
					if a.Key == "alt" {
						b.WriteString(a.Val)
					}
				}
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			drawn.end(string(name))
			skip = false
		}
	}
}

// standsIn reports whether a stands in b with other things between, beginning near the beginning.
func standsIn(a, b string) bool {
	rest := []rune(a)
	for _, r := range b {
		if len(rest) > 0 && rest[0] == r {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

// A block resolves to one node of the page as it was served, parsed without our marks, and to one range of its text.
func checkPlaces(t *testing.T, name string, body []byte, contentType string) (blocks, exact int) {
	t.Helper()
	in := Input{URL: "https://a.example/x", ContentType: contentType, Body: body}
	p, err := readHTML(t.Context(), in)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, _ := decode(in.Body, in.ContentType)
	text = withoutMarks(text)
	src, err := parseSource(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	root, err := plainTree(t, text)
	if err != nil {
		t.Fatal(err)
	}
	ordered, last := true, -1
	for n := src.root; n != nil; n = following(n) {
		for _, piece := range src.pieces[src.nodes[n].start:src.nodes[n].end] {
			ordered = ordered && piece.token > last
			last = piece.token
		}
	}
	formulas := strings.Contains(text, "<math") || strings.Contains(text, "mwe-math")
	tree := &shownTree{at: map[*html.Node]int{}}
	tree.add(root, readStyles(root, parseDecls), place{}, scriptless(root), formulas)
	end, above := 0, ""
	for _, b := range p.Blocks {
		blocks++
		if b.Start >= b.End || b.End > len(text) {
			t.Errorf("%s %s: range %d–%d of %d", name, b.Locator, b.Start, b.End, len(text))
			continue
		}
		if ordered && b.Start < end {
			t.Errorf("%s %s: begins at %d, before the end of the block above, %d", name, b.Locator, b.Start, end)
		}
		end = b.End
		want, raw := folded(b.Text, formulas), textOfRange(text[b.Start:b.End], formulas)
		if literal := folded(text[b.Start:b.End], formulas); literal == want { // after <plaintext>
			raw = want
		}
		n := resolve(root, b.Path)
		if n == nil {
			t.Errorf("%s %s: no node at %s", name, b.Locator, b.Path)
			continue
		}
		shown := tree.b.String()[tree.at[n]:]
		at := strings.Index(shown, want)
		if raw == want && (at == 0 || at > 0 && b.Path == above) { // a long text comes in pieces
			exact++
		} else {
			if !standsIn(want, shown) {
				t.Errorf("%s %s %s: the node shows\n%.300q, the block is\n%.300q", name, b.Locator, b.Path, shown, want)
			}
			if !standsIn(want, raw) {
				t.Errorf("%s %s: bytes %d–%d say\n%.300q, the block is\n%.300q", name, b.Locator, b.Start, b.End, raw, want)
			}
		}
		above = b.Path
	}
	return blocks, exact
}

// Every page takes half a minute: that is IBID_PAGES=all. CI reads every twelfth.
func TestHTMLPlaces(t *testing.T) {
	blocks, exact := 0, 0
	for i, path := range sharedPages(t, "html-wcxb", "html-aeb", "html-segments", "enc") {
		if i%12 > 0 && os.Getenv("IBID_PAGES") != "all" {
			continue
		}
		b, e := checkPlaces(t, filepath.Base(path), readPage(t, path), "text/html")
		blocks, exact = blocks+b, exact+e
	}
	t.Logf("%d of %d blocks are what their range says, letter for letter", exact, blocks)
	if exact*1000 < blocks*995 {
		t.Errorf("only %d of %d blocks are what their range says, letter for letter", exact, blocks)
	}
}
