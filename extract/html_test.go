package extract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
)

const filler = `<p>The harbour board published its yearly account of crane use on Tuesday, and the figures cover every quay.</p>`

// html wraps a body into a page.
func page(body string) string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>T</title></head><body>` + body + `</body></html>`
}

func TestHTMLText(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"inline tags join", `<p>a<b>b</b> <i>c</i>d <span> e</span></p>`, "ab cd e"},
		{"white space as shown", "<p>\n a \t b\n\n c&nbsp;d </p>", "a b c\u00a0d"},
		{"wbr vanishes", `<p>meter<wbr>data<wbr>store</p>`, "meterdatastore"},
		{"br is a line break", `<p>one<br>two</p>`, "one\ntwo"},
		{"two br are two paragraphs", `<div>one<br> <br>two</div>`, "one\ntwo"},
		{"pre keeps its lines", "<pre>\n  a\n\n    b  \n</pre>", "  a\n\n    b"},
		{"text directly under body", `loose <p>in</p> tail`, "loose\nin\ntail"},
		{"unclosed tags", `<p>one<ul><li>two<li>three</ul><p>four`, "one\ntwo\nthree\nfour"},
		{"item whose text sits in a span", `<ul><li><span>Members may appeal.</span></li></ul>`, "Members may appeal."},
		{"nested lists", `<ul><li>a<ul><li>b</li></ul>c</li></ul>`, "a\nb\nc"},
		{"details stay", `<details><summary>How long?</summary><p>72 hours.</p></details>`, "How long?\n72 hours."},
		{"blocks inside inline elements", `<span>x<div>y</div>z</span>`, "x\ny\nz"},
		{"power of ten", `<p>10<sup>6</sup> m<sup>-2</sup></p>`, "10⁶ m⁻²"},
		{"footnote of a number", `<p>1,234<sup><a href="#n1">5</a></sup> barrels</p>`, "1,234⁵ barrels"},
		{"other superscripts", `<p>the 5<sup>th</sup> H<sub>2</sub>O</p>`, "the 5th H2O"},
		{"ruby", `<p><ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby></p>`, "漢字"},
		{"entities", `<p>AT&amp;T &lt;b&gt; &#8212; &frac12;</p>`, "AT&T <b> — ½"},
		{"row", `<table><tr><th>Build</th><th>Digest</th></tr><tr><td>a1</td><td>9c<br>1f</td></tr><tr><td></td><td>x</td><td></td></tr></table>`,
			"Build | Digest\na1 | 9c 1f\n| x"},
		{"layout table", `<table><tr><td><p>one</p><p>two</p></td></tr></table>`, "one\ntwo"},
		{"table inside a table", `<table><tr><td><table><tr><td>a</td><td>b</td></tr></table></td><td>c</td></tr></table>`, "a | b\nc"},
		{"definition list", `<dl><dt>cap</dt><dd>twenty steps</dd></dl>`, "cap\ntwenty steps"},
		{"styled as blocks", `<style>.b{display:block}</style><span class="b">one</span><span class="b">two</span>`, "one\ntwo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, "https://a.example/x", "text/html", page(c.body))
			if diff := cmp.Diff(c.want, quotable(p)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestHTMLHidden(t *testing.T) {
	const secret = "SECRET words that no reader sees"
	for name, body := range map[string]string{
		"attribute":            `<p hidden>` + secret + `</p>`,
		"display":              `<p style="color:red; DISPLAY : none !important">` + secret + `</p>`,
		"parent":               `<div style="display:none"><ul><li>` + secret + `</ul></div>`,
		"inline":               `<p>A<span style="display:none">` + secret + `</span> b</p>`,
		"visibility":           `<p style="visibility: hidden">` + secret + `</p>`,
		"class rule":           `<style>/* x */ @import "y"; .a, .note.off { display: none }</style><p class="note off">` + secret + `</p>`,
		"id rule":              `<style>#gone{visibility:hidden}</style><div id="gone"><p>` + secret + `</p></div>`,
		"rule for wide ones":   `<style>@media (max-width:600px){.w{display:block}} @media only screen and (min-width: 48em){.w{display:none}}</style><p class="w">` + secret + `</p>`,
		"screen rule":          `<style>@media screen { .m{display:none} }</style><p class="m">` + secret + `</p>`,
		"off the screen":       `<p style="position:absolute; left:-9999px">` + secret + `</p>`,
		"for screen readers":   `<p><span class="sr-only">` + secret + `</span>x</p>`,
		"no size":              `<p style="font-size:0">` + secret + `</p>`,
		"clipped":              `<style>.c{position:absolute;clip:rect(0, 0, 0, 0)}</style><span class="c">` + secret + `</span>`,
		"closed dialog":        `<dialog>` + secret + `</dialog>`,
		"hidden row":           `<table><tr><td>a</td><td>b</td></tr><tr style="display:none"><td>` + secret + `</td><td>x</td></tr></table>`,
		"deep below a wrapper": strings.Repeat("<div>", 600) + `<p hidden>` + secret + `</p>`,
	} {
		t.Run(name, func(t *testing.T) {
			p := read(t, "https://a.example/x", "text/html", page(filler+body+filler))
			for _, b := range p.Blocks {
				if strings.Contains(b.Text, "SECRET") {
					t.Errorf("hidden text is at %s", b.Locator)
				}
			}
			if !hasFlag(p, FlagHidden) && !strings.HasPrefix(name, "deep") {
				t.Errorf("flags %v do not say that text was dropped", p.Flags)
			}
		})
	}
	for name, body := range map[string]string{
		"shown again":         `<div style="visibility:hidden"><p style="visibility:visible">SEEN</p></div>`,
		"rule overridden":     `<style>.x{display:none} .x{display:block}</style><p class="x">SEEN</p>`,
		"style beats rule":    `<style>.x{display:none}</style><p class="x" style="display:block">SEEN</p>`,
		"print rule":          `<style media="print">p{display:none}</style><style>@media print{p{display:none}}</style><p>SEEN</p>`,
		"rule for phones":     `<style>.d{display:block} @media screen and (max-width: 600px){.d{display:none}} @media (orientation:portrait){.d{display:none}}</style><p class="d">SEEN</p>`,
		"rule for a state":    `<style>p:hover{display:none} .menu p{display:none}</style><p>SEEN</p>`,
		"found in page":       `<p hidden="until-found">SEEN</p>`,
		"size reset":          `<div style="font-size:0"><p style="font-size:16px">SEEN</p></div>`,
		"style in a noscript": `<noscript><style>p{display:none}</style></noscript><p>SEEN</p>`,
	} {
		t.Run(name, func(t *testing.T) {
			p := read(t, "https://a.example/x", "text/html", page(filler+body))
			if !strings.Contains(quotable(p), "SEEN") {
				t.Errorf("shown text is gone: %+v", p.Blocks)
			}
		})
	}
	p := read(t, "https://a.example/x", "text/html", page(filler+`<div aria-hidden="true">Decorative copy</div><noscript>Switch JavaScript on.</noscript>`))
	if got := quotable(p); strings.Contains(got, "Decorative") || strings.Contains(got, "JavaScript") {
		t.Errorf("a decoration and the plea for JavaScript are no content: %q", got)
	}
}

// A page of which nothing is seen until a script shows its parts one by one is read, but what their own attributes hide.
func TestHTMLOfPartsThatAwaitAScript(t *testing.T) {
	const hide = `<style>x-head, .part { visibility: hidden } #more { display: none }</style>`
	for name, c := range map[string]struct {
		body string
		seen bool
	}{
		"every part":      {hide + `<x-head><h1>Quays</h1></x-head><div class="part">` + filler + `</div><div id="more"><p>Berths</p></div>`, true},
		"one is seen":     {hide + `<h1>Quays</h1><p>` + strings.Repeat("The ferry leaves at nine. ", 5) + `</p><div class="part">` + filler + `</div>`, false},
		"hidden by name":  {hide + `<div hidden>` + filler + `</div><div style="display:none">` + filler + `</div>`, false},
		"nothing in them": {hide + `<div class="part"><p> </p></div>`, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := read(t, "https://a.example/x", "text/html", page(c.body))
			if got := strings.Contains(quotable(p), "harbour board"); got != c.seen {
				t.Errorf("read: %v, want %v: %+v", got, c.seen, p.Blocks)
			}
		})
	}
}

// An accordion whose role is that of a list of tabs is no furniture; tabs alone are.
func TestHTMLAccordion(t *testing.T) {
	p := read(t, "https://a.example/x", "text/html", page(`<ul role="tablist"><li role="tab">Overview of quays</li></ul><div class="panel-group" role="tablist">
		<div role="tab"><h4>Crane use</h4></div><div role="tabpanel">`+filler+`</div><div role="tab"><h4>Berths</h4></div><div role="tabpanel" style="display:none">`+strings.ReplaceAll(filler, "crane", "berth")+`</div></div>`))
	got := quotable(p)
	if !strings.Contains(got, "crane use on Tuesday") || !strings.Contains(got, "berth use on Tuesday") || strings.Contains(got, "Overview") {
		t.Errorf("quotable: %q", got)
	}
}

func TestHTMLRoles(t *testing.T) {
	p := read(t, "https://a.example/x", "text/html", page(`<nav><h2>Menu</h2><a href="/a">A</a></nav><main>
		<h1>Title</h1><p>Text that is long enough.</p><h2>Part <a href="#p">#</a></h2><ul><li>Item</li></ul>
		<blockquote><p>Quoted</p></blockquote><figure><figcaption>Figure 1</figcaption></figure><pre><code>x := 1</code></pre>
		<table><caption>Rates</caption><tr><td>a</td><td>1</td></tr></table><aside class="admonition note">Mind the gap.</aside>
		</main><footer>© Example</footer>`))
	type row struct {
		Text, Heading string
		Role          evidence.Role
		Main          bool
	}
	var got []row
	for _, b := range p.Blocks {
		got = append(got, row{b.Text, b.Heading, b.Role, b.Main})
	}
	want := []row{
		{"Menu", "", evidence.RoleHeading, false}, {"A", "Menu", "", false},
		{"Title", "", evidence.RoleHeading, true}, {"Text that is long enough.", "Title", "", true},
		{"Part #", "Title", evidence.RoleHeading, true}, {"Item", "Part #", evidence.RoleItem, true},
		{"Quoted", "Part #", evidence.RoleQuote, true}, {"Figure 1", "Part #", evidence.RoleCaption, true},
		{"x := 1", "Part #", evidence.RoleCode, true}, {"Rates", "Part #", evidence.RoleCaption, true},
		{"a | 1", "Part #", evidence.RoleRow, true}, {"Mind the gap.", "Part #", "", true}, {"© Example", "Part #", "", false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Every block must resolve to one place: no path stands twice.
func TestHTMLPathsAreUnique(t *testing.T) {
	p := read(t, "https://a.example/x", "text/html", page(`a<div>b<p>c</p>d<span style="display:block">e</span>f</div><table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>g<br><br>h`))
	seen := map[string]string{}
	for _, b := range p.Blocks {
		if other, twice := seen[b.Path]; twice || b.Path == "" {
			t.Errorf("%q and %q are both at %q", other, b.Text, b.Path)
		}
		seen[b.Path] = b.Text
	}
	if len(seen) != 10 {
		t.Errorf("%d blocks, want 10: %v", len(seen), seen)
	}
}

func TestHTMLMainContent(t *testing.T) {
	for _, c := range []struct {
		name, body string
		main       bool // whether MARK is main content
	}{
		{"cookie wall", filler + `<div id="cookie-consent"><p>MARK We use cookies to make the page better.</p></div>`, false},
		{"side bar", filler + `<div class="page-sidebar"><p>MARK about the author.</p></div>`, false},
		{"share bar", filler + `<ul class="share"><li><a href="/s">MARK share</a></li></ul>`, false},
		{"breadcrumbs", `<ol class="breadcrumb"><li><a href="/">MARK</a></li></ol>` + filler, false},
		{"comments", strings.Repeat(filler, 8) + `<div id="comments"><p>MARK first!</p></div>`, false},
		{"article in a crowd", `<p>MARK teaser.</p><article>` + filler + filler + `</article>`, false},
		{"named like furniture, holds the text", `<div class="has-sidebar">` + filler + `<p>MARK</p></div>`, true},
		{"a restaurant's menu", filler + `<div class="menu"><p>MARK Fish soup is served on Fridays only, from noon.</p></div>`, true},
		{"a forum, where the comments are the page", `<div class="comment"><p>MARK I think so, too, and for a reason that I will explain.</p></div>`, true},
		{"header of an article", `<article><header><p>MARK</p></header>` + filler + `</article>`, true},
		{"form around the page", `<form>` + filler + `<p>MARK</p></form>`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, b := range read(t, "https://a.example/x", "text/html", page(c.body)).Blocks {
				if strings.Contains(b.Text, "MARK") && b.Main != c.main {
					t.Errorf("%q: main is %v", b.Text, b.Main)
				}
			}
		})
	}
}

// Furniture above the text moves the numbers, and must not change what is main content.
func TestHTMLFurnitureChangesNothing(t *testing.T) {
	body := `<h1>Cranes</h1>` + filler + `<ul><li>One item of the list.</li></ul>` + filler
	plain := quotable(read(t, "https://a.example/x", "text/html", page(body)))
	with := quotable(read(t, "https://a.example/x", "text/html", page(`<div class="promo banner">Sale today!</div><nav><a href="/a">A</a> <a href="/b">B</a></nav>`+body+`<footer>© Example</footer>`)))
	if plain != with {
		t.Errorf("the main content changed:\n%s\n---\n%s", plain, with)
	}
}

func TestHTMLLinksAndHubs(t *testing.T) {
	var items, rows strings.Builder
	for i := range 8 {
		fmt.Fprintf(&items, `<li><a href="/post/%d">How crane number %d was scaled to four thousand lifts</a></li>`, i, i)
		fmt.Fprintf(&rows, `<tr><td><a href="/b/%d">relay-2.%d</a></td><td><a href="/d/%d">digest %d</a></td></tr>`, i, i, i, i)
	}
	hub := read(t, "https://a.example/blog/", "text/html", page(`<h1>Blog</h1><ul>`+items.String()+`</ul>`))
	if quotable(hub) != "" || !hasFlag(hub, FlagHub) || len(hub.Links) != 8 || hub.Links[0].URL != "https://a.example/post/0" {
		t.Errorf("a page of links: %q, %v, %v", quotable(hub), hub.Flags, hub.Links)
	}
	data := read(t, "https://a.example/b", "text/html", page(filler+`<table>`+rows.String()+`</table>`))
	if hasFlag(data, FlagHub) || !strings.Contains(quotable(data), "relay-2.3 | digest 3") {
		t.Errorf("a table of links is data: %q, %v", quotable(data), data.Flags)
	}
	p := read(t, "https://a.example/blog/post#top", "text/html", page(`<base href="https://a.example/en/"><p>Read the <a href="guide">guide</a>, <a href="/top#x">top</a>,
		<a href="//cdn.example/x">mirror</a>, <a href="#n">note</a>, <a href="mailto:m@b.example">mail</a>, <a href="javascript:x()">x</a>, <a href="/top">again</a>,
		<a href="file:///etc/passwd">file</a>, <span hidden><a href="/secret">hidden</a></span> <a href="ht!tp://[">broken</a> in plain words.</p>`))
	want := []Link{{"https://a.example/en/guide", "guide"}, {"https://a.example/top", "top"}, {"https://cdn.example/x", "mirror"}}
	if diff := cmp.Diff(want, p.Links); diff != "" {
		t.Errorf("links -want +got\n%s", diff)
	}
}

func TestHTMLMetadata(t *testing.T) {
	p := read(t, "https://a.example/amp/storm", "text/html", `<!doctype html><html lang="de-AT"><head><title> Storm | Example </title><link rel="canonical" href="/storm">
		<meta name="author" content="Weather desk"><meta property="og:site_name" content="Example Daily">
		<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","headline":"Storm","datePublished":"2025-3-04T10:00:00Z"}]}</script></head><body>`+filler)
	got := []string{p.Title, p.Canonical, p.Author, p.Publisher, p.Published, p.Language}
	want := []string{"Storm", "https://a.example/storm", "Weather desk", "Example Daily", "2025-03-04", "de-AT"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	p = read(t, "https://a.example/x", "text/html", `<meta name="date" content="last Tuesday"><html lang="not a tag"><h1>Only a heading</h1>`)
	if p.Title != "Only a heading" || p.Published != "" || p.Language != "" {
		t.Errorf("a date or a language that is none was believed: %+v", p)
	}
}

// Pages made to hurt are read like any other: each block at its node and in its range.
func TestHTMLHostilePlaces(t *testing.T) {
	alone(t)
	for name, body := range hostilePages(16 << 10) {
		checkPlaces(t, name, []byte("<!doctype html><title>T</title>"+body), "text/html")
	}
}

// Pages made to hurt must be read, in time and in bounds.
func TestHTMLHostile(t *testing.T) {
	alone(t)
	var bodies, classes strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&bodies, "<body a%d>", i)
	}
	for i := range 2000 {
		fmt.Fprintf(&classes, ".a.b%d{display:none}", i)
	}
	var formats strings.Builder
	for i := range 450 {
		fmt.Fprintf(&formats, "<b a=%d>", i)
	}
	for name, body := range map[string]string{
		"five thousand nested divs": strings.Repeat("<div>", 5000) + "<p>MARK</p>" + strings.Repeat("</div>", 5000) + "<p>after</p>",
		"unclosed formatting":       strings.Repeat("<font><b><i>", 3000) + "MARK",
		"formatting opened again":   "<p>" + formats.String() + "</p>" + strings.Repeat("<p>x", 50_000) + "<p>MARK",
		"attributes of the body":    bodies.String() + "MARK",
		"rules without end":         "<style>" + classes.String() + "</style>" + strings.Repeat(`<i class="a">x</i>`, 30_000) + "<p>MARK",
		"a table in each cell":      strings.Repeat("<table><tr><td>", 2000) + "MARK",
		"many links":                strings.Repeat(`<p>word <a href="/x">x</a></p>`, 30_000) + "<p>MARK</p>",
		"one long line":             "<p>" + strings.Repeat("word ", 300_000) + "MARK",
		"nested lists":              strings.Repeat("<ul><li>", 3000) + "MARK",
		"select and options":        "<select>" + strings.Repeat("<option>x", 100_000) + "</select><p>MARK",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			p, err := Extract(t.Context(), Input{URL: "https://a.example/x", ContentType: "text/html", Body: []byte("<!doctype html><title>T</title>" + body)})
			if err != nil {
				t.Fatal(err)
			}
			check(t, p, len(body)+len(`<!doctype html><title>T</title>`))
			found := false
			for _, b := range p.Blocks {
				found = found || strings.Contains(b.Text, "MARK")
			}
			if took := time.Since(start); took > 20*time.Second || !found && !hasFlag(p, FlagTruncated) {
				t.Errorf("after %v: text found %v, flags %v", took, found, p.Flags)
			}
		})
	}
}
