package research

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"ibid/fetch"
	"ibid/index"
	"ibid/internal/lazyregexp"
)

// provenance is where a URL came from. Only the user and the search provider bring in sites; a page can point to a place,
// and whether a site that nobody else named is visited is for a person to say (law 5).
type provenance int

const (
	unknown    provenance = iota
	fromPage              // a page that was read points to it
	fromSearch            // a search returned it
	fromUser              // it stands in the user's question
)

// deniedSite is why a page was not read whose site only a page had named.
const deniedSite = "it was not approved: only a page names its site"

// TypedURLs returns the URLs that a question holds, canonical: the user asked for these very pages.
func TypedURLs(question string) []string {
	var urls []string
	for _, word := range strings.Fields(question) {
		word = strings.Trim(word, "<>()[]\"',;.?")
		if !strings.Contains(word, "://") {
			continue
		}
		if canonical, err := fetch.CanonicalURL(word); err == nil {
			urls = append(urls, canonical)
		}
	}
	return urls
}

// allow makes a URL readable, and its site if the URL does not come from a page. Only code calls it.
func (s *state) allow(raw string, from provenance) {
	canonical, err := fetch.CanonicalURL(raw)
	if err != nil {
		return
	}
	s.known[canonical] = max(s.known[canonical], from)
	if from > fromPage {
		s.sites[siteOf(canonical)] = true
		if u := s.failed[canonical]; u != nil && u.Outcome == fetch.Denied && u.Reason == deniedSite {
			delete(s.failed, canonical) // nobody else had named its site then
		}
	}
}

// foreign returns the site of a URL that only a page named, if nobody else has brought in that site; else "".
func (s *state) foreign(canonical string) string {
	if site := siteOf(canonical); s.known[canonical] == fromPage && !s.sites[site] {
		return site
	}
	return ""
}

// siteOf is the registrable domain of a URL, or its scheme where it has no host: a folder is one site.
func siteOf(canonical string) string {
	u, err := url.Parse(canonical)
	if err != nil {
		return canonical
	}
	if u.Host == "" {
		return u.Scheme + ":"
	}
	return fetch.Site(u.Hostname())
}

var addressLike = lazyregexp.New(`(?i)https?:|www\.|@[a-z0-9-]+\.[a-z]|\b[a-z0-9-]+\.(?:com|net|org|io|example|test|dev|info|ru|cn)\b`)

// offTopic returns the first new sub-question that has too little to do with what the user asked, or "". Once something
// from outside was read, a proposal may have been planted: it must share a fifth of its content words, one at least, with
// the question or with the plan that was made before. Addresses have no place in a sub-question.
func (s *state) offTopic(questions []string) string {
	if !s.tainted {
		return ""
	}
	ours := map[string]bool{}
	for _, text := range append([]string{s.question}, s.firstPlan...) {
		for _, term := range index.Terms(text) {
			ours[term] = true
		}
	}
	for _, q := range questions {
		if s.planHas(q) {
			continue
		}
		seen := map[string]bool{}
		shared := 0
		for _, term := range index.Terms(q) {
			if !seen[term] && ours[term] {
				shared++
			}
			seen[term] = true
		}
		if shared == 0 || 5*shared < len(seen) || addressLike.MatchString(q) || utf8.RuneCountInString(q) > maxSubquestion {
			return q
		}
	}
	return ""
}

func (s *state) planHas(question string) bool {
	for _, p := range s.plan {
		if sameText(p.Question, question) {
			return true
		}
	}
	return false
}
