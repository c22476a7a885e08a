package city

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"net/url"
	"strings"

	nethtml "golang.org/x/net/html"

	"ibid/corpus/bundled"
	"ibid/fetch"
)

// addCorpus serves the invented corpus under its own hosts, over plain HTTP: its links lead to where it is served.
func (w *web) addCorpus() error {
	offline, err := fetch.NewOffline(bundled.FS)
	if err != nil {
		return err
	}
	for _, e := range offline.Entries() {
		doc, err := offline.Fetch(context.Background(), e.URL)
		if err != nil {
			return err
		}
		u, err := url.Parse(e.URL)
		if err != nil {
			return err
		}
		p := Page{Host: u.Host, Path: u.Path, Title: e.Title, ContentType: doc.ContentType, Body: doc.Body}
		if strings.HasPrefix(doc.ContentType, "text/") {
			p.Body = bytes.ReplaceAll(doc.Body, []byte("https://"), []byte("http://"))
		}
		w.add(p)
	}
	// What the index has besides documents: a moved page, and two that cannot be had.
	w.put("costs.example", "/latest", redirect(302, "http://costs.example/reports/where-the-money-goes"))
	w.add(Page{Host: "analyst.example", Path: "/agent-spending-2026", Status: 403, ContentType: "text/html; charset=utf-8", Body: []byte("<!DOCTYPE html><title>Forbidden</title><h1>Forbidden</h1>")})
	return nil
}

const wikipediaHost = "en.wikipedia.org"

// addMirrors serves what the encyclopaedia and the literature providers point to: they name their pages by key and
// number, under well-known hosts.
func (w *web) addMirrors() {
	for i, d := range append([]document(nil), w.found...) {
		d.n = i + 1
		u, err := url.Parse(d.url)
		if err != nil {
			continue
		}
		page := w.pages[u.Host][u.Path].page
		wiki := page
		wiki.Title, wiki.Host, wiki.Path = "", wikipediaHost, "/wiki/"+d.slug()
		if strings.HasPrefix(page.ContentType, "text/html") {
			w.put(wiki.Host, wiki.Path, served{page: wiki})
		}
		abstract := []rune(strings.Join(strings.Fields(d.text), " "))
		about := fmt.Sprintf("<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>[%[1]s] %[2]s</title><meta name=\"citation_title\" content=\"%[2]s\"></head><body><h1 class=\"title\">%[2]s</h1><blockquote class=\"abstract\">%[3]s</blockquote><p><a href=\"http://arxiv.org/pdf/%[1]sv1\">PDF</a></p></body></html>",
			d.arxiv(), html.EscapeString(d.title), html.EscapeString(string(abstract[:min(len(abstract), 900)])))
		for _, version := range []string{"", "v1"} {
			w.put("arxiv.org", "/abs/"+d.arxiv()+version, served{page: Page{ContentType: "text/html; charset=utf-8", Body: []byte(about)}})
			where := map[string]string{"application/pdf": "/pdf/", "text/html": "/html/"}[strings.Split(page.ContentType, ";")[0]]
			if where != "" {
				w.put("arxiv.org", where+d.arxiv()+version, served{page: page})
			}
		}
		w.put("doi.org", "/"+d.doi(), redirect(302, d.url))
		w.put("pubmed.ncbi.nlm.nih.gov", fmt.Sprintf("/%d/", pubmedID+d.n), served{page: Page{ContentType: "text/html; charset=utf-8", Body: []byte(about)}})
	}
}

// plainText is what a search engine would index of a page. What it cannot read, it knows by its title and by the words
// that others use for it.
func plainText(p Page) string {
	switch {
	case strings.HasPrefix(p.ContentType, "text/html"):
		return htmlText(p.Body)
	case strings.HasPrefix(p.ContentType, "text/"):
		return string(p.Body)
	case p.ContentType == "application/x-tar":
		return p.Title + ". " + readable(p.Body)
	}
	return p.Title + ". A paper with measurements of many agent runs: what makes long runs expensive, how cost grows with the context that is sent again, and what fixes it."
}

// readable keeps the lines of a file that are text.
func readable(body []byte) string {
	var b strings.Builder
	for _, line := range strings.Split(string(body), "\n") {
		if !strings.ContainsRune(line, 0) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func htmlText(body []byte) string {
	var b strings.Builder
	skip := 0
	for z := nethtml.NewTokenizer(bytes.NewReader(body)); ; {
		switch z.Next() {
		case nethtml.ErrorToken:
			return b.String()
		case nethtml.TextToken:
			if skip == 0 {
				b.WriteString(html.UnescapeString(string(z.Text())) + " ")
			}
		case nethtml.StartTagToken:
			if name, _ := z.TagName(); unread(string(name)) {
				skip++
			}
		case nethtml.EndTagToken:
			if name, _ := z.TagName(); unread(string(name)) && skip > 0 {
				skip--
			}
		}
	}
}

func unread(element string) bool {
	return element == "script" || element == "style" || element == "title" || element == "nav" || element == "noscript"
}
