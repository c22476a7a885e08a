package extract

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// metaOf reads what a page with this head, and this body, says about itself.
func metaOf(t testing.TB, url, head, body string) *Page {
	t.Helper()
	src, err := parseSource(t.Context(), "<!doctype html><html><head>"+head+"</head><body>"+body+"</body></html>")
	if err != nil {
		t.Fatal(err)
	}
	p := &Page{}
	readMeta(src.root, url, p)
	return p
}

func ld(s string) string { return `<script type="application/ld+json">` + s + `</script>` }

func TestTitle(t *testing.T) {
	const url = "https://news.harbour.example/cranes"
	for _, c := range []struct{ name, head, body, title, where string }{
		{"element", "<title> Cranes\n of the port </title>", "", "Cranes of the port", "title"},
		{"for citing before for sharing", `<meta property="og:title" content="Cranes!"><meta name="citation_title" content="On cranes">`, "", "On cranes", "meta citation_title"},
		{"headline that the page shows", "<title>Cranes stand idle | Harbour News</title>" + ld(`{"@type":"NewsArticle","headline":"Cranes stand idle"}`), "", "Cranes stand idle", "json-ld NewsArticle.headline"},
		{"headline that is a description", "<title>Cranes</title>" + ld(`{"@type":"Article","headline":"A list of things that lift"}`), "<h1>Cranes</h1>", "Cranes", "title"},
		{"site said by the page", `<title>Cranes | Harbour News</title><meta property="og:site_name" content="Harbour News">`, "", "Cranes", "title"},
		{"site before the title", `<title>Harbour News: Cranes: a history</title><meta property="og:site_name" content="Harbour News">`, "", "Cranes: a history", "title"},
		{"site by its address", "<title>Cranes - Harbour</title>", "", "Cranes", "title"},
		{"nothing says that it is a site", "<title>Cranes | Ports and Docks</title>", "", "Cranes | Ports and Docks", "title"},
		{"markup and escapes twice", `<meta property="og:title" content="Caf&amp;eacute;s &amp;amp; &lt;em&gt;cranes&lt;/em&gt;">`, "", "Cafés & cranes", "meta og:title"},
		{"a title about markup", "<title>&lt;em&gt;: the emphasis element, &amp;amp; more</title>", "", "<em>: the emphasis element, &amp; more", "title"},
		{"heading", "", "<h1>Cranes <small>of the port</small></h1>", "Cranes of the port", "h1"},
		{"no title of a drawing", "", "<svg><title>Logo</title></svg><h1>Cranes</h1>", "Cranes", "h1"},
		{"microdata", "", `<div itemscope itemtype="https://schema.org/Article"><h2 itemprop="headline">Cranes</h2><p>Cranes</p></div>`, "Cranes", "microdata Article.headline"},
		{"none", "", "<p>Cranes</p>", "", ""},
	} {
		p := metaOf(t, url, c.head, c.body)
		if p.Title != c.title || p.Stated["title"] != c.where {
			t.Errorf("%s: %q from %q, want %q from %q", c.name, p.Title, p.Stated["title"], c.title, c.where)
		}
	}
	if p := metaOf(t, "https://harbour.example/", `<title>Harbour - ships and cranes</title><meta property="og:site_name" content="Harbour">`, ""); p.Title != "Harbour - ships and cranes" {
		t.Errorf("the first page of a site lost its name: %q", p.Title)
	}
}

func TestStatements(t *testing.T) {
	for _, c := range []struct {
		name, head, body string
		want             map[string]string // field → "value | where"
	}{
		{"a graph with references", ld(`{"@context":"https://schema.org","@graph":[{"@type":"WebSite","@id":"#w","name":"Harbour News"},
			{"@type":["Article","BlogPosting"],"headline":"Cranes","author":[{"@id":"#a"},{"@type":"Person","name":"B. Bosun"}],"publisher":{"@id":"#o"},
			 "datePublished":"2024-02-03T23:30:00-05:00","dateModified":"2024-05-06","inLanguage":"en-GB","license":{"@type":"CreativeWork","url":"https://l.example/by"}},
			{"@type":"Person","@id":"#a","name":"A. Able"},{"@type":"Organization","@id":"#o","name":"Harbour Press"}]}`), "", map[string]string{
			"title": "Cranes | json-ld BlogPosting.headline", "author": "A. Able; B. Bosun | json-ld BlogPosting.author", "publisher": "Harbour Press | json-ld BlogPosting.publisher",
			"published": "2024-02-03 | json-ld BlogPosting.datePublished", "modified": "2024-05-06 | json-ld BlogPosting.dateModified",
			"language": "en-GB | json-ld BlogPosting.inLanguage", "licence": "https://l.example/by | json-ld BlogPosting.license"}},
		{"JSON as people write it", ld("//<![CDATA[\n/* made by hand */ {\"@type\": \"Article\", // the type\n\"headline\": \"Cranes \n and \\'docks\\'\", \"author\": {\"name\": \"A. Able\",},\n\"datePublished\": \"2024-02-03\",};\n//]]>"),
			"", map[string]string{"title": "Cranes and 'docks' | json-ld Article.headline", "author": "A. Able | json-ld Article.author", "published": "2024-02-03 | json-ld Article.datePublished"}},
		{"JSON with HTML in it", ld(`{&quot;@type&quot;: &quot;Article&quot;, &quot;headline&quot;: &quot;Cranes&quot;}`), "", map[string]string{"title": "Cranes | json-ld Article.headline"}},
		{"a question", ld(`{"@type":"QAPage","mainEntity":{"@type":"Question","name":"Why cranes?","author":{"@type":"Person","name":"able7"},"dateCreated":"2021-05-06","acceptedAnswer":{"@type":"Answer","author":{"name":"bosun9"}}}}`),
			"", map[string]string{"title": "Why cranes? | json-ld Question.name", "author": "able7 | json-ld Question.author", "published": "2021-05-06 | json-ld Question.dateCreated"}},
		{"a list says nothing about its page", ld(`[{"@type":"NewsArticle","headline":"One","author":"A. Able","datePublished":"2024-01-01"},{"@type":"NewsArticle","headline":"Two","author":"B. Bosun","datePublished":"2024-01-02"}]`),
			`<a rel=author>A. Able</a><a rel=author>B. Bosun</a>`, map[string]string{"title": "", "author": "", "published": ""}},
		{"of several, the one at this address", ld(`[{"@type":"NewsArticle","headline":"One","datePublished":"2024-01-01"},{"@type":"NewsArticle","headline":"Two","url":"http://www.harbour.example/page/","datePublished":"2024-01-02"}]`),
			"", map[string]string{"title": "Two | json-ld NewsArticle.headline", "published": "2024-01-02 | json-ld NewsArticle.datePublished"}},
		{"a paper", `<meta name="citation_title" content="On cranes"><meta name="citation_author" content="Able, A."><meta name="citation_author" content="Bosun, B.">
			<meta name="citation_publication_date" content="2019/7/4"><meta name="citation_doi" content="doi:10.5555/crane.7"><meta name="citation_journal_title" content="Annals of Lifting">
			<meta name="dc.rights" content="CC BY 4.0"><link rel="canonical" href="/papers/7">`, "", map[string]string{
			"title": "On cranes | meta citation_title", "author": "Able, A.; Bosun, B. | meta citation_author", "published": "2019-07-04 | meta citation_publication_date",
			"doi": "10.5555/crane.7 | meta citation_doi", "publisher": "Annals of Lifting | meta citation_journal_title", "licence": "CC BY 4.0 | meta dc.rights",
			"canonical": "https://harbour.example/papers/7 | link canonical"}},
		{"Dublin Core in capitals", `<meta name="DC.Title" content="Cranes"><meta name="DC.creator" content="A. Able"><meta name="DCTERMS.issued" content="2011"><meta name="DC.identifier" content="https://doi.org/10.5555/X.1"><meta name="DC.language" content="de">`,
			"", map[string]string{"title": "Cranes | meta dc.title", "author": "A. Able | meta dc.creator", "published": "2011 | meta dcterms.issued", "doi": "10.5555/X.1 | meta dc.identifier", "language": "de | meta dc.language"}},
		{"for sharing", `<meta property="og:site_name" content="Harbour News"><meta property="article:published_time" content="2023-11-12T08:00:00Z"><meta property="article:modified_time" content="2023-11-13">
			<meta property="article:author" content="https://social.example/able"><meta name="author" content="By A. Able"><meta property="og:url" content="https://harbour.example/x"><meta property="og:locale" content="en_GB">`,
			"", map[string]string{"publisher": "Harbour News | meta og:site_name", "published": "2023-11-12 | meta article:published_time", "modified": "2023-11-13 | meta article:modified_time",
				"author": "A. Able | meta author", "canonical": "https://harbour.example/x | meta og:url", "language": "en-GB | meta og:locale"}},
		{"microdata", "", `<article itemscope itemtype="http://schema.org/BlogPosting"><h1 itemprop="headline name">Cranes</h1><span itemprop="author" itemscope itemtype="http://schema.org/Person"><a itemprop="url" href="/able"><b itemprop="name">A. Able</b></a></span>
			<time itemprop="datePublished" datetime="2022-03-04T10:00">4 March</time><meta itemprop="dateModified" content="2022-03-05"></article>`, map[string]string{
			"title": "Cranes | microdata BlogPosting.headline", "author": "A. Able | microdata BlogPosting.author", "published": "2022-03-04 | microdata BlogPosting.datePublished"}},
		{"RDFa", "", `<div vocab="https://schema.org/" typeof="Article"><h1 property="headline">Cranes</h1><p>By <span property="author" typeof="Person"><span property="name">A. Able</span></span>, <time property="datePublished" datetime="2022-03-04">March</time></p>
			<a rel="license" href="https://creativecommons.org/licenses/by/4.0/">CC BY</a></div>`, map[string]string{
			"title": "Cranes | rdfa Article.headline", "author": "A. Able | rdfa Article.author", "published": "2022-03-04 | rdfa Article.datePublished", "licence": "https://creativecommons.org/licenses/by/4.0/ | a license"}},
		{"licences of pictures", "", `<a rel="license" href="https://l.example/by">x</a><a rel="license" href="https://l.example/by-nc">y</a>`, map[string]string{"licence": ""}},
		{"dates that are none", `<meta property="article:published_time" content="0000-00-00"><meta name="date" content="03/04/2020"><meta name="dc.date" content="soon">`, `<p>Published 3 May 2020</p><time datetime="2020-05-03">3 May</time>`, map[string]string{"published": ""}},
		{"names that are none", `<meta name="author" content="https://a.example"><meta name="twitter:creator" content="@able"><meta name="dc.creator" content="admin">`, "", map[string]string{"author": ""}},
		{"a time of the microformats", "", `<time class="entry-date published" datetime="2020-05-03T10:00:00+02:00">3 May</time><time class="updated" datetime="2020-06-01">June</time>`,
			map[string]string{"published": "2020-05-03 | time", "modified": "2020-06-01 | time"}},
	} {
		p := metaOf(t, "https://harbour.example/page", c.head, c.body)
		got := map[string]string{"title": p.Title, "author": p.Author, "publisher": p.Publisher, "published": p.Published, "modified": p.Modified,
			"language": p.Language, "canonical": p.Canonical, "doi": p.DOI, "licence": p.Licence}
		for field, want := range c.want {
			value, where, _ := strings.Cut(want, " | ")
			if got[field] != value || p.Stated[field] != where {
				t.Errorf("%s: %s is %q from %q, want %q from %q", c.name, field, got[field], p.Stated[field], value, where)
			}
		}
	}
}

func TestPaywalled(t *testing.T) {
	for s, want := range map[string]bool{
		`{"@type":"NewsArticle","headline":"x","isAccessibleForFree":false}`:                                                                 true,
		`{"@type":"NewsArticle","headline":"x","isAccessibleForFree":"False"}`:                                                               true,
		`{"@type":"NewsArticle","headline":"x","hasPart":{"@type":"WebPageElement","isAccessibleForFree":"False","cssSelector":".paywall"}}`: true,
		`{"@type":"NewsArticle","headline":"x","isAccessibleForFree":true}`:                                                                  false,
		`{"@type":"NewsArticle","headline":"x"}`:                                                                                             false,
	} {
		if p := metaOf(t, "https://a.example/x", ld(s), ""); slices.Contains(p.Flags, FlagPaywalled) != want {
			t.Errorf("%s: %v", s, p.Flags)
		}
	}
}

func TestDateOf(t *testing.T) {
	for value, want := range map[string]string{
		"2025-12-18": "2025-12-18", "2025-12-18T23:30:00-05:00": "2025-12-18", "2025-12-18 23:30:00 +0100": "2025-12-18", "2025/1/8": "2025-01-08", "20251218": "2025-12-18",
		"20251218T101112Z": "2025-12-18", "20251218101112": "2025-12-18", "2025-12": "2025-12", "2025": "2025", "2025.12.18": "2025-12-18",
		"Thu, 18 Dec 2025 23:30:00 -0500": "2025-12-18", "18 December 2025": "2025-12-18", "1st Sept. 2025": "2025-09-01", "18-Dec-2025": "2025-12-18",
		"December 18, 2025": "2025-12-18", "Dec. 18th, 2025": "2025-12-18", "Thursday, December 18, 2025": "2025-12-18", "December 18, 2025 10:30 AM": "2025-12-18", "May 2025": "2025-05",
		"Thu Dec 18 2025 10:00:00 GMT+0000 (UTC)": "2025-12-18", "Thu Dec 18 10:00:00 EST 2025": "2025-12-18", "18.12.2025": "2025-12-18", "18/12/2025": "2025-12-18", "12/18/2025": "2025-12-18",
		"2024-02-29": "2024-02-29", "1066-10-14": "1066-10-14",
		"03/04/2025": "", "2025-02-30": "", "2025-13-01": "", "2025-00-00": "", "0001-01-01": "", "1970-01-01T00:00:00Z": "", "9999-12-31": "", "1765000000": "",
		"yesterday": "", "published 18 December 2025 in Rotterdam": "", "": "", "2025-12-18extra": "", "{{date}}": "", "version 2025": "", "2025-2026": "",
	} {
		if got := dateOf(value); got != want {
			t.Errorf("%q is %q, want %q", value, got, want)
		}
	}
}

// The documents of Go say their title in a comment.
func TestTitleOfGoDocuments(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	body, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "doc", "go_mem.html"))
	if err != nil {
		t.Skip(err)
	}
	if p := read(t, "file:///go_mem.html", "text/html", string(body)); p.Title != "The Go Memory Model" || p.Stated["title"] != "comment Title" {
		t.Errorf("%q from %q", p.Title, p.Stated["title"])
	}
}

func FuzzMeta(f *testing.F) {
	f.Add(`<title>x | y</title><meta property=og:site_name content=y><meta name=date content="Thu, 18 Dec 2025"><link rel="canonical license" href="/a">` + ld(`{"@graph":[{"@type":"Article","author":[["x"]],"headline":"<b>`))
	f.Add(`<div itemscope itemtype=Article><b itemprop="author" itemscope><i itemprop=name>n</i></b></div><p typeof=x property=y>`)
	f.Add(ld(`/* {"@id":"a","author":{"@id":"a"},"@type":"Person"} // `) + ld(`[[[[{"mainEntity":{"@type":["Question",1],"name":{"@value":"x"}}}]]]]`))
	f.Fuzz(func(t *testing.T, head string) {
		if len(head) > 32<<10 {
			return
		}
		p := metaOf(t, "https://a.example/x", head, "")
		for key, value := range map[string]string{"title": p.Title, "author": p.Author, "publisher": p.Publisher, "published": p.Published, "modified": p.Modified,
			"language": p.Language, "canonical": p.Canonical, "doi": p.DOI, "licence": p.Licence} {
			if !utf8.ValidString(value) || strings.ContainsAny(value, "\n\r\t") || len(value) > 2100 || strings.TrimSpace(value) != value {
				t.Errorf("%s: %q", key, value)
			}
			if (value == "") != (p.Stated[key] == "") {
				t.Errorf("%s: %q stands in %q", key, value, p.Stated[key])
			}
		}
		for _, d := range []string{p.Published, p.Modified} {
			if d != "" && dateOf(d) != d {
				t.Errorf("date %q", d)
			}
		}
	})
}
