package sites_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"ibid/fetch"
	"ibid/fetch/sites"
)

const pdf = "%PDF-1.7\n"

func TestArxiv(t *testing.T) {
	html, page := says("text/html", "<article>Attention</article>"), says("text/html", "<p>Abstract</p>")
	paper := says("application/pdf", pdf)
	c := newCity(t, map[string]http.HandlerFunc{
		"arxiv.org/html/2402.08954v1": html, "arxiv.org/html/2402.08954": html, "arxiv.org/pdf/2402.08954": paper,
		"arxiv.org/pdf/1105.0001v2": paper, "arxiv.org/pdf/hep-th/9901001": paper, "arxiv.org/pdf/math.GT/0309136v1": paper, "arxiv.org/abs/1105.0002": page,
		"arxiv.org/html/2401.00001": says("text/html", `<title>No content available</title><span class="ltx_ERROR">Conversion to HTML had a Fatal error and exited abruptly.</span>`),
		"arxiv.org/pdf/2401.00001":  paper,
		"arxiv.org/html/2401.00002": status(429, "text/html", "slow down"), "arxiv.org/pdf/2401.00002": paper,
		"arxiv.org/list/cs.CL/recent": page,
	})
	s := over(c, sites.Config{})
	for raw, want := range map[string]string{
		"https://arxiv.org/abs/2402.08954v1": "https://arxiv.org/html/2402.08954v1", "https://arxiv.org/pdf/2402.08954v1.pdf": "https://arxiv.org/html/2402.08954v1",
		"http://www.arxiv.org/pdf/2402.08954": "https://arxiv.org/html/2402.08954", "https://export.arxiv.org/abs/2402.08954/": "https://arxiv.org/html/2402.08954",
		"https://arxiv.org/abs/1105.0001v2": "https://arxiv.org/pdf/1105.0001v2", "https://arxiv.org/abs/hep-th/9901001": "https://arxiv.org/pdf/hep-th/9901001",
		"https://arxiv.org/abs/math.GT/0309136v1": "https://arxiv.org/pdf/math.GT/0309136v1", "https://arxiv.org/html/1105.0002": "https://arxiv.org/abs/1105.0002",
		"https://arxiv.org/abs/2401.00001": "https://arxiv.org/pdf/2401.00001", "https://arxiv.org/list/cs.CL/recent": "https://arxiv.org/list/cs.CL/recent",
		"https://doi.org/10.48550/arXiv.2402.08954": "https://arxiv.org/html/2402.08954",
	} {
		reads(t, s, raw, want)
	}
	wants(t, s, "https://arxiv.org/abs/2401.00002", fetch.RateLimited)
	wants(t, s, "https://arxiv.org/abs/2499.99999", fetch.NotFound)
	if asked := c.requests("archive.org"); len(asked) > 0 {
		t.Errorf("the archive was asked: %v", asked)
	}
}

func TestArxivMirror(t *testing.T) {
	c := newCity(t, map[string]http.HandlerFunc{"mirror.example/arxiv/pdf/1105.0001v2": says("application/pdf", pdf)})
	reads(t, over(c, sites.Config{URLs: map[string]string{"arxiv": "https://mirror.example/arxiv/"}}), "https://arxiv.org/abs/1105.0001v2", "https://arxiv.org/pdf/1105.0001v2")
}

// wiki answers the API with revisions by title, and pages by their revision.
func wiki(t *testing.T, answers map[string]string) map[string]http.HandlerFunc {
	api := func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("action") != "query" || q.Get("format") != "json" || q.Get("formatversion") != "2" || q.Get("redirects") != "1" {
			t.Errorf("asked %v", q)
		}
		body, ok := answers[q.Get("titles")]
		if !ok {
			body = `{"batchcomplete":true,"query":{"pages":[{"ns":0,"title":"` + q.Get("titles") + `","missing":true}]}}`
		}
		says("application/json; charset=utf-8", body)(w, r)
	}
	page := func(w http.ResponseWriter, r *http.Request) { says("text/html", "<p>"+r.URL.RequestURI())(w, r) }
	return map[string]http.HandlerFunc{"en.wikipedia.org/w/api.php": api, "de.wikipedia.org/w/api.php": api, "en.wikipedia.org": page, "de.wikipedia.org": page, "www.wikipedia.org": page}
}

func TestWikipedia(t *testing.T) {
	heat := `{"batchcomplete":true,"query":{"normalized":[{"fromencoded":false,"from":"Heat_pump","to":"Heat pump"}],"pages":[{"pageid":13981,"ns":0,"title":"Heat pump","contentmodel":"wikitext","pagelanguage":"en","touched":"2025-01-01T00:00:00Z","lastrevid":1267000001,"length":100}]}}`
	answers := map[string]string{
		"Heat_pump": heat, "Heatpump": strings.Replace(heat, `"normalized":[`, `"redirects":[{"from":"Heatpump","to":"Heat pump"}],"normalized":[`, 1),
		"Größe":   `{"query":{"pages":[{"pageid":1,"ns":0,"title":"Größe","lastrevid":42}]}}`,
		"AC/DC_?": `{"query":{"pages":[{"pageid":1,"ns":0,"title":"AC/DC ?","lastrevid":43}]}}`,
		"Busy":    `{"error":{"code":"ratelimited","info":"You've exceeded your rate limit."}}`,
		"Broken":  `{"error":{"code":"internal_api_error_DBQueryError","info":"x"}}`, "Nonsense": `<html>`,
		"Spezial:Suche": `{"query":{"pages":[{"ns":-1,"title":"Spezial:Suche","special":true}]}}`,
		"de:Wärme":      `{"batchcomplete":true,"query":{"interwiki":[{"title":"de:Wärme","iw":"de"}]}}`,
	}
	c := newCity(t, wiki(t, answers))
	s := over(c, sites.Config{})
	const pump = "https://en.wikipedia.org/wiki/Heat_pump?oldid=1267000001"
	for raw, want := range map[string]string{
		"https://en.wikipedia.org/wiki/Heat_pump": pump, "http://en.m.wikipedia.org/wiki/Heat_pump#Types": pump, "https://en.wikipedia.org/wiki/Heatpump": pump,
		"https://en.wikipedia.org/wiki/Heat%20pump": pump, "https://en.wikipedia.org/w/index.php?title=Heat_pump": pump, pump: pump,
		"https://en.wikipedia.org/w/index.php?title=Heat_pump&oldid=7": "https://en.wikipedia.org/wiki/Heat_pump?oldid=7",
		"https://de.wikipedia.org/wiki/Gr%C3%B6%C3%9Fe":                "https://de.wikipedia.org/wiki/Gr%C3%B6%C3%9Fe?oldid=42",
		"https://en.wikipedia.org/wiki/AC/DC_%3F":                      "https://en.wikipedia.org/wiki/AC/DC_%3F?oldid=43",
	} {
		doc := reads(t, s, raw, want)
		if u, err := url.Parse(want); err != nil || string(doc.Body) != "<p>"+u.RequestURI() {
			t.Errorf("%s: %s", raw, doc.Body)
		}
	}
	for _, plain := range []string{"https://en.wikipedia.org/wiki/Broken", "https://en.wikipedia.org/wiki/Nonsense", "https://de.wikipedia.org/wiki/Spezial:Suche",
		"https://en.wikipedia.org/wiki/de:W%C3%A4rme", "https://en.wikipedia.org/w/index.php?title=Heat_pump&action=history", "https://www.wikipedia.org/wiki/Heat_pump", "https://en.wikipedia.org/wiki/Special:Random"} {
		reads(t, s, plain, plain)
	}
	wants(t, s, "https://en.wikipedia.org/wiki/No_such", fetch.NotFound, "no article")
	wants(t, s, "https://en.wikipedia.org/wiki/Busy", fetch.RateLimited)
	reads(t, over(newCity(t, map[string]http.HandlerFunc{"mirror.example/de/w/api.php": says("application/json", answers["Größe"]), "mirror.example": says("text/html", "x")}),
		sites.Config{URLs: map[string]string{"wikipedia": "https://mirror.example/{lang}"}}), "https://de.wikipedia.org/wiki/Größe", "https://de.wikipedia.org/wiki/Gr%C3%B6%C3%9Fe?oldid=42")
}

func TestDOI(t *testing.T) {
	work := func(best string) http.HandlerFunc {
		return says("application/json", `{"id":"https://openalex.org/W1","doi":"https://doi.org/10.1234/x","best_oa_location":`+best+`}`)
	}
	at := func(pdf, page, version string) string {
		return `{"is_oa":true,"pdf_url":` + pdf + `,"landing_page_url":` + page + `,"version":` + version + `,"license":"cc-by"}`
	}
	const repo = `"https://repo.example/paper.pdf"`
	pages := func(more map[string]http.HandlerFunc) map[string]http.HandlerFunc {
		m := map[string]http.HandlerFunc{
			"repo.example/paper.pdf": says("application/pdf", pdf), "repo.example/item/7": says("text/html", "<p>full text"), "doi.org": redirect("https://publisher.example/article"),
			"arxiv.org/html/2402.08954": says("text/html", "<article>Attention</article>"), "repo.example/wall": status(403, "text/html", "x"),
		}
		for k, v := range more {
			m[k] = v
		}
		return m
	}
	const alex, pay = "api.openalex.org/works/doi:10.1234/x", "api.unpaywall.org/v2/10.1234/x"
	none := says("application/json", `{"best_oa_location":null}`)
	for name, c := range map[string]struct {
		pages   map[string]http.HandlerFunc
		contact string
		url     string
		flag    string
	}{
		"the PDF":                {map[string]http.HandlerFunc{alex: work(at(repo, `"https://repo.example/item/7"`, `"acceptedVersion"`))}, "", "https://repo.example/paper.pdf", sites.FlagAccepted},
		"published":              {map[string]http.HandlerFunc{alex: work(at(repo, "null", `"publishedVersion"`))}, "", "https://repo.example/paper.pdf", sites.FlagPublished},
		"no version":             {map[string]http.HandlerFunc{alex: work(at(repo, "null", "null"))}, "", "https://repo.example/paper.pdf", sites.FlagUnknown},
		"the page":               {map[string]http.HandlerFunc{alex: work(at("null", `"https://repo.example/item/7"`, `"submittedVersion"`))}, "", "https://repo.example/item/7", sites.FlagSubmitted},
		"the page after a wall":  {map[string]http.HandlerFunc{alex: work(at(`"https://repo.example/wall"`, `"https://repo.example/item/7"`, `"acceptedVersion"`))}, "", "https://repo.example/item/7", sites.FlagAccepted},
		"on arXiv":               {map[string]http.HandlerFunc{alex: work(at(`"http://arxiv.org/pdf/2402.08954"`, "null", `"submittedVersion"`))}, "", "https://arxiv.org/html/2402.08954", sites.FlagSubmitted},
		"Unpaywall":              {map[string]http.HandlerFunc{alex: none, pay: says("application/json", `{"doi":"10.1234/x","is_oa":true,"best_oa_location":{"url":`+repo+`,"url_for_pdf":`+repo+`,"version":"publishedVersion"}}`)}, "mailto:me@a.example", "https://repo.example/paper.pdf", sites.FlagPublished},
		"OpenAlex does not know": {map[string]http.HandlerFunc{alex: status(404, "text/html", "x"), pay: says("application/json", `{"best_oa_location":{"url_for_landing_page":"https://repo.example/item/7"}}`)}, "me@a.example", "https://repo.example/item/7", sites.FlagUnknown},
		"OpenAlex is busy":       {map[string]http.HandlerFunc{alex: status(429, "application/json", "{}"), pay: says("application/json", `{"best_oa_location":{"url_for_pdf":`+repo+`,"version":"acceptedVersion"}}`)}, "me@a.example", "https://repo.example/paper.pdf", sites.FlagAccepted},
	} {
		t.Run(name, func(t *testing.T) {
			city := newCity(t, pages(c.pages))
			reads(t, over(city, sites.Config{Contact: c.contact}), "https://doi.org/10.1234/x", c.url, c.flag)
			if len(city.requests("doi.org")) > 0 {
				t.Errorf("the publisher was asked")
			}
		})
	}
	for name, best := range map[string]string{"closed": "null", "itself": at(`"https://doi.org/10.1234/x"`, `"https://dx.doi.org/10.1234/x"`, "null"), "a file": at(`"file:///etc/passwd"`, `"javascript:x"`, "null")} {
		city := newCity(t, pages(map[string]http.HandlerFunc{alex: work(best)}))
		s := over(city, sites.Config{Contact: "https://a.example/contact"})
		e := wants(t, s, "http://dx.doi.org/10.1234/x", fetch.Moved)
		if e.Location != "https://publisher.example/article" || len(city.requests("api.unpaywall.org")) > 0 {
			t.Errorf("%s: %+v, asked %v", name, e, city.requests(""))
		}
	}
	city := newCity(t, map[string]http.HandlerFunc{"doi.org/the-identifier": says("text/html", "<p>What a DOI is")})
	reads(t, over(city, sites.Config{}), "https://doi.org/the-identifier", "https://doi.org/the-identifier")
}
