package search

import "context"

// serper asks Serper's Google search, POST /search (https://serper.dev).
func serper(ctx context.Context, s *service, query string, n int) (Answer, error) {
	body, err := s.do(ctx, call{
		path:   "/search",
		header: map[string]string{"X-API-KEY": s.Key},
		body:   map[string]any{"q": query, "num": n},
	})
	if err != nil {
		return Answer{}, err
	}
	return readSerper(body)
}

func readSerper(body []byte) (Answer, error) {
	type hit struct{ Title, Link, Snippet string }
	var v struct {
		SearchParameters *struct{}
		Organic          list[hit]
	}
	if err := decode(body, &v); err != nil {
		return Answer{}, err
	}
	if v.SearchParameters != nil && leftOut(body, v.Organic) { // the sections that have nothing are left out
		return Answer{Results: []Result{}}, nil
	}
	return results(body, v.Organic, func(h hit) Result { return Result{h.Title, h.Link, h.Snippet} })
}
