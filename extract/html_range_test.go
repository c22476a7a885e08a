package extract

import (
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

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

// inSample reports whether a page of the shared sets is tested: one in twelve, chosen by its name alone. All of them take
// half a minute: that is IBID_PAGES=all.
func inSample(name string) bool {
	return crc32.ChecksumIEEE([]byte(name))%12 == 0 || os.Getenv("IBID_PAGES") == "all"
}

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

// Each block of a page is at one place, said in two ways. Its path resolves to one node of the page as it was served, and
// the block begins with the first letter that is shown at that node or, if it is a further piece of the same text, with
// the letter after the piece before. Its range begins with the block's first letter and ends with its last, and the
// letters that the page shows within it are those of the block, all of them and in order; what stands between them in the
// range is markup, and text that the page does not show. No two ranges overlap. Letters are compared as folded says.
//
// checkPlaces returns how many blocks there are, and how many letters the page shows in them and in all.
func checkPlaces(t *testing.T, name string, body []byte, contentType string) (blocks, inBlocks, inAll int) {
	t.Helper()
	in := Input{URL: "https://a.example/x", ContentType: contentType, Body: body}
	p, err := readHTML(t.Context(), in)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, _ := decode(in.Body, in.ContentType)
	text = withoutMarks(text)
	if strings.HasSuffix(text, "</") { // with a sign behind it, it would be a tag
		return 0, 0, 0
	}
	for _, b := range p.Blocks {
		if b.Start >= b.End || b.End > len(text) {
			t.Fatalf("%s %s: range %d–%d of %d", name, b.Locator, b.Start, b.End, len(text))
		}
	}
	s, root := readScreen(t, text, p.Blocks)
	shown := s.text.String()
	for i, b := range p.Blocks {
		want := folded(b.Text, s.formulas)
		n := resolve(root, b.Path)
		if n == nil {
			t.Errorf("%s %s: no node at %s", name, b.Locator, b.Path)
			continue
		}
		at, known := s.at[n]
		if further := i > 0 && b.Path == p.Blocks[i-1].Path; further {
			at = s.end[i-1]
		}
		if !known || s.begin[i] != at {
			t.Errorf("%s %s: begins at letter %d, and its node, %s, at %d:\n%.300q", name, b.Locator, s.begin[i], b.Path, at, b.Text)
		}
		if s.begin[i] < 0 || s.end[i] < s.begin[i] {
			t.Errorf("%s %s: range %d–%d begins or ends where nothing is shown, at letters %d and %d:\n%.300q", name, b.Locator, b.Start, b.End, s.begin[i], s.end[i], text[b.Start:b.End])
		} else if got := shown[s.begin[i]:s.end[i]]; got != want {
			t.Errorf("%s %s: the page shows in bytes %d–%d\n%.300q, and the block is\n%.300q", name, b.Locator, b.Start, b.End, got, want)
		}
		inBlocks += len(want)
	}
	ordered := slices.SortedFunc(slices.Values(p.Blocks), func(a, b Block) int { return a.Start - b.Start })
	for i := 1; i < len(ordered); i++ {
		if a, b := &ordered[i-1], &ordered[i]; b.Start < a.End {
			t.Errorf("%s: the ranges of %s and %s overlap: %d–%d, %d–%d", name, a.Locator, b.Locator, a.Start, a.End, b.Start, b.End)
		}
	}
	return len(p.Blocks), inBlocks, len(shown)
}

// Besides, each letter that a page shows is in a block.
func TestHTMLPlaces(t *testing.T) {
	alone(t)
	blocks, letters := 0, 0
	for _, path := range sharedPages(t, "html-wcxb", "html-aeb", "html-segments", "enc") {
		name := filepath.Base(path)
		if !inSample(name) {
			continue
		}
		n, inBlocks, inAll := checkPlaces(t, name, gunzip(t, path), "text/html")
		if inBlocks != inAll {
			t.Errorf("%s: the page shows %d letters, and its blocks hold %d", name, inAll, inBlocks)
		}
		blocks, letters = blocks+n, letters+inAll
	}
	t.Logf("%d blocks, %d letters", blocks, letters)
}
