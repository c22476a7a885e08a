package sites

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"ibid/fetch"
	"ibid/internal/lazyregexp"
)

// wikipediaHost is a language's Wikipedia, also as it shows itself on phones.
var wikipediaHost = lazyregexp.New(`^([a-z]{2,3}(?:-[a-z]{2,12}){0,2}|simple)(?:\.m)?\.wikipedia\.org$`)

// An article is what a URL of Wikipedia names. Revision is 0 if it names the newest.
type article struct {
	lang, title string
	revision    int64
}

// wikipediaArticle reads a canonical URL; false if it is no plain view of a page.
func wikipediaArticle(u *url.URL) (article, bool) {
	m := wikipediaHost.FindStringSubmatch(u.Host)
	if m == nil || m[1] == "www" {
		return article{}, false
	}
	a := article{lang: m[1]}
	query := u.Query()
	title, plain := strings.CutPrefix(u.Path, "/wiki/")
	if !plain {
		if u.Path != "/w/index.php" {
			return article{}, false
		}
		title = query.Get("title")
	}
	for name := range query {
		if name != "title" && name != "oldid" {
			return article{}, false // a history, a comparison, an edit form
		}
	}
	if old := query.Get("oldid"); old != "" {
		n, err := strconv.ParseInt(old, 10, 64)
		if err != nil || n <= 0 {
			return article{}, false
		}
		a.revision = n
	}
	a.title = strings.Trim(strings.ReplaceAll(title, " ", "_"), "_")
	if a.title == "" || len(a.title) > 255 || strings.ContainsAny(a.title, "|#<>[]{}") || strings.HasPrefix(a.title, "Special:") {
		return article{}, false
	}
	return a, true
}

// wikipedia reads an article at a revision, so that what is quoted can be found again.
func (s *Sites) wikipedia(u *url.URL) reader {
	a, ok := wikipediaArticle(u)
	if !ok {
		return nil
	}
	return func(ctx context.Context) (*fetch.Document, error) {
		if a.revision == 0 {
			newest, err := s.newest(ctx, a)
			switch outcome(err) {
			case "", fetch.NotFound, fetch.RateLimited:
			default: // the article is worth more than its revision
				return s.web.Fetch(ctx, u.String())
			}
			if err != nil {
				return nil, err
			}
			a = newest
		}
		return s.revision(ctx, a)
	}
}

// revision reads an article as it was. Wikipedia lets programs read /wiki/, not /w/ (en.wikipedia.org/robots.txt).
func (s *Sites) revision(ctx context.Context, a article) (*fetch.Document, error) {
	in := func(base string) string { return strings.ReplaceAll(base, "{lang}", a.lang) }
	pinned := "?oldid=" + strconv.FormatInt(a.revision, 10)
	path := (&url.URL{Path: "/wiki/" + a.title}).EscapedPath() + pinned
	return s.page(ctx, in(s.base("wikipedia")), in(bases["wikipedia"]), path)
}

// newest asks for the newest revision of an article, under the title that redirects lead to.
func (s *Sites) newest(ctx context.Context, a article) (article, error) {
	query := url.Values{"action": {"query"}, "format": {"json"}, "formatversion": {"2"}, "prop": {"info"}, "redirects": {"1"},
		"converttitles": {"1"}, "titles": {a.title}}
	var answer struct {
		Error *struct {
			Code string `json:"code"`
			Info string `json:"info"`
		} `json:"error"`
		Query struct {
			Pages []struct {
				Title    string `json:"title"`
				Missing  bool   `json:"missing"`
				Invalid  bool   `json:"invalid"`
				Revision int64  `json:"lastrevid"`
			} `json:"pages"`
		} `json:"query"`
	}
	base := strings.ReplaceAll(s.base("wikipedia"), "{lang}", a.lang)
	if err := s.ask(ctx, "Wikipedia", base+"/w/api.php?"+query.Encode(), &answer); err != nil {
		if outcome(err) == fetch.NotFound { // there is no API, which says nothing of the article
			return a, unavailable(fetch.Failed, "Wikipedia's API is not where it was", fetch.HintOther)
		}
		return a, err
	}
	if e := answer.Error; e != nil {
		if e.Code == "ratelimited" || e.Code == "maxlag" {
			return a, unavailable(fetch.RateLimited, "Wikipedia answered "+fetch.Excerpt(e.Code+": "+e.Info, 200), "Take another source for now.")
		}
		return a, unavailable(fetch.Failed, "Wikipedia answered "+fetch.Excerpt(e.Code+": "+e.Info, 200), fetch.HintOther)
	}
	if len(answer.Query.Pages) != 1 {
		return a, unavailable(fetch.Failed, "Wikipedia answered with something else than one article", fetch.HintOther)
	}
	page := answer.Query.Pages[0]
	if page.Missing {
		return a, unavailable(fetch.NotFound, "Wikipedia has no article of this title in this language", "Search for the subject, or take another source.")
	}
	if page.Invalid || page.Revision <= 0 || page.Title == "" {
		return a, unavailable(fetch.Failed, "Wikipedia knows no revision of it", fetch.HintOther)
	}
	return article{lang: a.lang, title: strings.ReplaceAll(page.Title, " ", "_"), revision: page.Revision}, nil
}
