package search

import (
	"context"
	"net/url"
	"strconv"
)

// serply asks Serply's Google search, GET /v1/search (https://serply.io/docs).
func serply(ctx context.Context, s *service, query string, n int) (Answer, error) {
	body, err := s.do(ctx, call{
		path:   "/v1/search",
		params: url.Values{"q": {query}, "num": {strconv.Itoa(n)}},
		header: map[string]string{"X-Api-Key": s.Key},
	})
	if err != nil {
		return Answer{}, err
	}
	return readSerply(body)
}

func readSerply(body []byte) (Answer, error) {
	type hit struct{ Title, Link, Description string }
	var v struct{ Results list[hit] }
	if err := decode(body, &v); err != nil {
		return Answer{}, err
	}
	return results(body, v.Results, func(h hit) Result { return Result{h.Title, h.Link, h.Description} })
}
