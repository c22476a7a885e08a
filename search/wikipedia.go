package search

import (
	"context"
	"net/url"
	"strconv"
)

// wikipedia asks a MediaWiki, GET /w/rest.php/v1/search/page (https://www.mediawiki.org/wiki/API:REST_API/Reference).
// Another language is another base address. A query has at most 300 characters (CirrusSearch).
func wikipedia(ctx context.Context, s *service, query string, n int) (Answer, error) {
	body, err := s.do(ctx, call{
		path:   "/w/rest.php/v1/search/page",
		params: url.Values{"q": {query}, "limit": {strconv.Itoa(n)}},
	})
	if err != nil {
		return Answer{}, err
	}
	return readWikipedia(body, s.base)
}

func readWikipedia(body []byte, wiki *url.URL) (Answer, error) {
	type page struct{ Key, Title, Excerpt, Description string }
	var v struct{ Pages list[page] }
	if err := decode(body, &v); err != nil {
		return Answer{}, err
	}
	return results(body, v.Pages, func(p page) Result {
		if p.Key == "" {
			return Result{}
		}
		address := url.URL{Scheme: wiki.Scheme, Host: wiki.Host, Path: "/wiki/" + p.Key}
		snippet := p.Excerpt
		if p.Description != "" {
			snippet = p.Description + ". " + snippet
		}
		return Result{p.Title, address.String(), snippet}
	})
}
