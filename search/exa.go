package search

import (
	"context"
	"math"
	"strings"
)

// exa asks Exa, POST /search (https://exa.ai/docs/reference/search), for addresses with the sentences that match. The
// answer tells its price.
func exa(ctx context.Context, s *service, query string, n int) (Answer, error) {
	body, err := s.do(ctx, call{
		path:   "/search",
		header: map[string]string{"x-api-key": s.Key},
		body:   map[string]any{"query": query, "type": "auto", "numResults": n, "contents": map[string]any{"highlights": true}},
	})
	if err != nil {
		return Answer{}, err
	}
	return readExa(body)
}

func readExa(body []byte) (Answer, error) {
	type hit struct {
		Title, URL, Summary, Text string
		Highlights                []string
	}
	var v struct {
		Results     list[hit]
		CostDollars struct{ Total float64 }
	}
	if err := decode(body, &v); err != nil {
		return Answer{}, err
	}
	answer, err := results(body, v.Results, func(h hit) Result {
		snippet := strings.Join(h.Highlights, " … ")
		if snippet == "" {
			snippet = h.Summary
		}
		if snippet == "" {
			snippet = h.Text
		}
		return Result{h.Title, h.URL, snippet}
	})
	if dollars := v.CostDollars.Total; err == nil && dollars > 0 && dollars < 100 {
		answer.MicroUSD = int64(math.Round(dollars * 1e6))
	}
	return answer, err
}
