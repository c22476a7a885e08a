package search

import "context"

// tavily asks Tavily, POST /search (https://docs.tavily.com). A basic search costs one credit.
func tavily(ctx context.Context, s *service, query string, n int) (Answer, error) {
	body, err := s.do(ctx, call{
		path:   "/search",
		header: map[string]string{"Authorization": "Bearer " + s.Key},
		body:   map[string]any{"query": query, "max_results": n, "search_depth": "basic"},
	})
	if err != nil {
		return Answer{}, err
	}
	return readTavily(body)
}

func readTavily(body []byte) (Answer, error) {
	type hit struct{ Title, URL, Content string }
	var v struct{ Results list[hit] }
	if err := decode(body, &v); err != nil {
		return Answer{}, err
	}
	return results(body, v.Results, func(h hit) Result { return Result{h.Title, h.URL, h.Content} })
}
