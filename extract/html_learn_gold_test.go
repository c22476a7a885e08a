package extract

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/publicsuffix"

	"ibid/evidence"
	"ibid/internal/testset"
)

// goldSets are the sets of web pages whose main content is known, by different definitions of it: the text as people
// marked it, by type of page (html-wcxb); the body of a news article (html-aeb); phrases that must or must not be in
// it (html-segments).
var goldSets = []string{"html-wcxb", "html-aeb", "html-segments"}

// A goldPage is a page of such a set.
type goldPage struct {
	Set, Site     string // Site is the registered domain
	ID            string `json:"id"`
	URL           string `json:"url"`
	Type          string `json:"type"`
	Text          string `json:"text"`
	With, Without []string
	ContentType   string `json:"content_type"`
	body          []byte
}

// goldPages reads a set.
func goldPages(t testing.TB, set string) []*goldPage {
	t.Helper()
	dir := testset.Path(t, "data", "extract", set)
	lines := bufio.NewReader(bytes.NewReader(gunzip(t, filepath.Join(dir, "gold.jsonl.gz"))))
	var pages []*goldPage
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			p := &goldPage{Set: set}
			if err := json.Unmarshal(line, p); err != nil {
				t.Fatalf("%s: %v", dir, err)
			}
			p.body, p.Site = gunzip(t, filepath.Join(dir, p.ID+".html.gz")), site(p.URL)
			pages = append(pages, p)
		}
		if err != nil {
			return pages
		}
	}
}

func gunzip(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return data
}

// site is the registered domain of a URL: pages of one site must not be on both sides of a test.
func site(ref string) string {
	ref = ref[strings.LastIndex(ref, "::")+1:]
	u, err := url.Parse(strings.TrimPrefix(ref, ":"))
	host := ref
	if err == nil {
		host = cmp.Or(u.Hostname(), u.Path)
	}
	host, _, _ = strings.Cut(strings.ToLower(host), "-")
	if err == nil && u.Hostname() != "" {
		host = u.Hostname()
	}
	if s, err := publicsuffix.EffectiveTLDPlusOne(strings.TrimPrefix(host, "www.")); err == nil {
		return s
	}
	return host
}

// A walked page is one as the walk leaves it, before any of it is chosen.
type walked struct {
	page  *Page
	marks []mark
	roots []root
	nodes []*html.Node
}

func (g *goldPage) input() Input {
	in := Input{URL: "file:///" + g.ID + ".html", ContentType: cmp.Or(g.ContentType, "text/html"), Body: g.body}
	if strings.HasPrefix(g.URL, "http") {
		in.URL = g.URL
	}
	return in
}

// walk reads a page up to the choice.
func (g *goldPage) walk(t testing.TB) walked {
	t.Helper()
	in := g.input()
	text, _ := decode(in.Body, in.ContentType)
	src, err := parseSource(context.Background(), text)
	if err != nil {
		t.Fatalf("%s %s: %v", g.Set, g.ID, err)
	}
	page := &Page{Kind: evidence.HTML, By: "html/1"}
	readMeta(src.root, in.URL, page)
	w := &walker{page: page, src: src, styles: readStyles(src.root, parseDecls), pale: paleTexts(src.root), links: newLinks(in.URL, src.root), scriptless: scriptless(src.root)}
	w.walk(src.root)
	page.Links = w.links.list
	return walked{page, w.marks, slices.Clone(w.roots), w.nodes}
}
