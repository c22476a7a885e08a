package extract

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ibid/evidence"
)

// TestMainContentFigures holds the choice of main content to its figures on a part of the shared sets. The weights were
// learned from these pages: what it is worth on others is said by make weights, by cross-validation.
func TestMainContentFigures(t *testing.T) {
	alone(t)
	var sum scores
	for _, set := range goldSets {
		for i, g := range goldPages(t, set) {
			if i%5 > 0 {
				continue
			}
			page, err := readHTML(t.Context(), g.input())
			if err != nil {
				t.Fatalf("%s %s: %v", set, g.ID, err)
			}
			sum.add(g, page)
		}
	}
	t.Log(&sum)
	words, _ := sum.wordF1()
	for _, f := range []struct {
		what       string
		got, floor float64
	}{
		{"word F1 of html-wcxb", words, 0.86},
		{"4-gram F1 of html-aeb", sum.shingleF1(), 0.97},
		{"phrase F1 of html-segments", sum.phraseF1(), 0.94},
	} {
		if f.got < f.floor {
			t.Errorf("%s is %.4f, below %.2f", f.what, f.got, f.floor)
		}
	}
}

// siteTop is what a site may put on top of any of its pages.
const siteTop = `<div class="promo">Sale today: everything must go, ask in our shop!</div>
	<nav><ul><li><a href="/a">Home</a></li><li><a href="/b">World</a></li><li><a href="/c">About us</a></li></ul></nav>`

// Furniture on top of a page changes nothing of what below it is main content, on nearly all pages.
func TestFurnitureOnTopChangesNothing(t *testing.T) {
	alone(t)
	pages, same := 0, 0
	for _, set := range goldSets {
		for i, g := range goldPages(t, set) {
			at := bytes.Index(bytes.ToLower(g.body), []byte("<body"))
			if i%5 > 0 || at < 0 {
				continue
			}
			at += bytes.IndexByte(g.body[at:], '>') + 1
			in := g.input()
			plain, err := readHTML(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			in.Body = bytes.Join([][]byte{g.body[:at], []byte(siteTop), g.body[at:]}, nil)
			with, err := readHTML(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			pages++
			if plain.Text(false) == with.Text(false) {
				same++
			}
		}
	}
	t.Logf("%d pages: %d with the same main content", pages, same)
	if same*100 < pages*97 {
		t.Errorf("furniture on top changed the main content of %d pages of %d, want at most 3 in a hundred", pages-same, pages)
	}
}

// alone leaves a test that reads many or hostile documents, one after the other, out of a short run.
func alone(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("reads many documents, one after the other")
	}
}

// sentences are n sentences that differ.
func sentences(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Crane number %d of the harbour lifted %d crates in the week before the storm, as the board says in its yearly account. ", i+1, 100+7*i)
	}
	return b.String()
}

// What people say under an article is kept as comments and is not the page's own words; in a forum it is the page.
func TestCommentsAndPosts(t *testing.T) {
	comment := func(i int) string {
		return fmt.Sprintf(`<li class="comment" id="comment-%d"><div class="comment-author">reader%d</div><div class="comment-body"><p>SAID I doubt that number %d, since my brother works there and counted them himself.</p></div><a href="#r">Reply</a></li>`, i, i, i)
	}
	var said strings.Builder
	for i := range 12 {
		said.WriteString(comment(i))
	}
	article := read(t, "https://news.example/2025/03/cranes", "text/html", `<!doctype html><html><head><title>Cranes lift more</title><meta property="og:type" content="article"></head><body>
		<article><h1>Cranes lift more</h1><p>`+sentences(3)+`</p><p>`+sentences(4)+`</p><p>`+sentences(5)+`</p></article>
		<section id="comments" class="comments-area"><h2>12 comments</h2><ol class="comment-list">`+said.String()+`</ol></section></body></html>`)
	for _, b := range article.Blocks {
		if strings.Contains(b.Text, "SAID") && (b.Main || b.Quotable || b.Role != evidence.RoleComment) {
			t.Errorf("a comment passes as the article's own words: %+v", b)
		}
	}
	if !strings.Contains(article.Text(false), "Crane number 5") {
		t.Errorf("the article is not main content: %q", article.Text(false))
	}
	var posts strings.Builder
	for i := range 12 {
		fmt.Fprintf(&posts, `<div class="comment post" id="p%d"><div class="author">user%d</div><div class="content"><p>SAID in post %d: %s</p></div></div>`, i, i, i, sentences(2))
	}
	forum := read(t, "https://forum.example/t/cranes/12", "text/html", `<!doctype html><html><head><title>Cranes - Harbour forum</title><meta name="generator" content="Discourse 3"></head><body>
		<div class="topic"><h1>Cranes</h1>`+posts.String()+`</div></body></html>`)
	kept := 0
	for _, b := range forum.Blocks {
		if strings.Contains(b.Text, "SAID") && b.Main {
			kept++
			if b.Role == evidence.RoleComment {
				t.Errorf("a post of a forum is taken for a comment on the page: %+v", b)
			}
		}
	}
	if kept < 11 {
		t.Errorf("%d posts of 12 are main content", kept)
	}
}

// Pages with little on them, or built in no usual way, keep what they say.
func TestPlainPages(t *testing.T) {
	for name, body := range map[string]string{
		"one paragraph":           `<p>` + sentences(1) + `</p>`,
		"one long paragraph":      `<p>` + sentences(20) + `</p>`,
		"bare text":               sentences(12),
		"lines parted by breaks":  strings.ReplaceAll(sentences(12), ". ", ".<br><br>"),
		"divs only":               `<div><div>` + strings.ReplaceAll(sentences(12), ". ", `.</div><div>`) + `</div></div>`,
		"a main that lies":        `<main></main><div>` + strings.ReplaceAll(sentences(12), ". ", `.</div><div>`) + `</div>`,
		"a table that lays out":   `<table><tr><td width="150"><a href="/a">A</a><br><a href="/b">B</a></td><td><p>` + strings.ReplaceAll(sentences(12), ". ", ".</p><p>") + `</p></td></tr></table>`,
		"list of statements":      `<ul><li>` + strings.ReplaceAll(sentences(12), ". ", ".</li><li>") + `</li></ul>`,
		"another script":          `<p>` + strings.Repeat("港口在风暴前的一周里吊起了一百多个箱子，董事会在年度报告中这样写道。每个码头的数字都在表中，工人们自己数过。", 6) + `</p>`,
		"named like a side bar":   `<div class="sidebar widget"><p>` + strings.ReplaceAll(sentences(12), ". ", ".</p><p>") + `</p></div>`,
		"inside a cookie's class": `<div class="cookie-consent-wrapper"><h1>Cranes</h1><p>` + strings.ReplaceAll(sentences(12), ". ", ".</p><p>") + `</p></div>`,
	} {
		t.Run(name, func(t *testing.T) {
			p := read(t, "https://a.example/x", "text/html", page(body))
			main, all := len(p.Text(false)), len(p.Text(true))
			if main*10 < all*8 {
				t.Errorf("%d bytes of %d are main content:\n%s", main, all, p.Text(false))
			}
		})
	}
	if p := read(t, "https://a.example/x", "text/html", page("")); len(p.Blocks) > 0 || p.Type != "" {
		t.Errorf("an empty page has blocks or a type: %+v", p)
	}
}

// The table must fit the features: each fork asks for one that is there, and nothing is left over.
func TestWeightsFitFeatures(t *testing.T) {
	g := &goldPage{ID: "x", URL: "https://a.example/x", body: []byte(page(filler + filler))}
	w := g.walk(t)
	s := newScene(w.page, g.URL, w.marks, w.nodes, make([]bool, len(w.marks)))
	var kind, first row
	s.typeFeatures(&kind)
	s.features(0, &first)
	second := append(row(nil), first...)
	s.view(make([]float32, len(w.marks))).features(0, &second)
	m := learned()
	size := 0
	check := func(name string, f *forest, width int) {
		size += 2 + len(f.trees) + 3*len(f.forks)
		if len(f.trees) == 0 {
			t.Errorf("%s: no trees", name)
		}
		for _, n := range f.forks {
			if int(n.feature) >= width {
				t.Errorf("%s asks for feature %d of %d", name, n.feature, width)
			}
		}
	}
	for i := range m.types {
		check("types", &m.types[i], len(kind))
	}
	check("first guess", &m.first, len(first))
	check("second guess", &m.second, len(second))
	if size != len(weights) {
		t.Errorf("%d numbers were read of %d", size, len(weights))
	}
}

func BenchmarkChoose(b *testing.B) {
	pages := goldPages(b, "html-wcxb")
	walked := make([]walked, len(pages))
	for i, g := range pages {
		walked[i] = g.walk(b)
	}
	b.ReportAllocs()
	for b.Loop() {
		for i, w := range walked {
			s := newScene(w.page, pages[i].URL, w.marks, w.nodes, byRules(w.page, w.marks))
			if len(w.marks) > 0 {
				s.choose(learned())
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(pages)), "µs/page")
}
