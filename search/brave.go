package search

import (
	"context"
	"net/url"
	"strconv"
)

// brave asks the Brave Search API, GET /res/v1/web/search (https://api-dashboard.search.brave.com). A query has at most
// 400 characters and 50 words; a refused key is HTTP 422.
func brave(ctx context.Context, s *service, query string, n int) (Answer, error) {
	body, err := s.do(ctx, call{
		path:   "/res/v1/web/search",
		params: url.Values{"q": {query}, "count": {strconv.Itoa(n)}, "result_filter": {"web"}, "text_decorations": {"false"}},
		header: map[string]string{"X-Subscription-Token": s.Key},
	})
	if err != nil {
		return Answer{}, err
	}
	return readBrave(body)
}

func readBrave(body []byte) (Answer, error) {
	type hit struct{ Title, URL, Description string }
	var v struct {
		Type  string
		Query *struct{}
		Web   *struct{ Results list[hit] }
	}
	if err := decode(body, &v); err != nil {
		return Answer{}, err
	}
	if v.Web == nil && v.Type == "search" && v.Query != nil && leftOut(body, list[hit]{}) { // a search without web results leaves the section out
		return Answer{Results: []Result{}}, nil
	}
	if v.Web == nil {
		return Answer{}, noList(body)
	}
	return results(body, v.Web.Results, func(h hit) Result { return Result{h.Title, h.URL, h.Description} })
}
