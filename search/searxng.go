package search

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// searxng asks a SearXNG server, GET /search (https://docs.searxng.org/dev/search_api.html). It asks many engines, and
// names those that failed in an answer that is otherwise in order.
func searxng(ctx context.Context, s *service, query string, _ int) (Answer, error) {
	body, err := s.do(ctx, call{
		path:   "/search",
		params: url.Values{"q": {query}, "format": {"json"}},
		refused: func(status int) *Error {
			if status != http.StatusForbidden {
				return nil
			}
			return &Error{Outcome: Failed, Reason: "HTTP 403: the server does not give answers as JSON",
				Hint: "Add json to search.formats in the server's settings.yml and restart it."}
		},
	})
	if err != nil {
		return Answer{}, err
	}
	return readSearXNG(body)
}

func readSearXNG(body []byte) (Answer, error) {
	type hit struct{ Title, URL, Content string }
	var v struct {
		Results list[hit]
		Failed  engines `json:"unresponsive_engines"`
	}
	if err := decode(body, &v); err != nil {
		return Answer{}, err
	}
	answer, err := results(body, v.Results, func(h hit) Result { return Result{h.Title, h.URL, h.Content} })
	if err != nil || len(v.Failed) == 0 {
		return answer, err
	}
	reason := unresponsive(v.Failed)
	if len(answer.Results) == 0 {
		return answer, &Error{Outcome: Failed, Reason: "nothing came back, and " + reason, Hint: hintLater}
	}
	return answer, &Error{Outcome: Degraded, Reason: reason, Hint: "What these engines would have found is missing."}
}

// engines are those that failed, each with its name and mostly a reason: in a list of pairs, of names, or by name.
type engines [][]string

func (e *engines) UnmarshalJSON(b []byte) error {
	var pairs list[json.RawMessage]
	if err := json.Unmarshal(b, &pairs); err != nil {
		return err
	}
	for _, raw := range pairs.items {
		var pair []string
		var name string
		if json.Unmarshal(raw, &name) == nil {
			pair = []string{name}
		} else if json.Unmarshal(raw, &pair) != nil {
			pair = nil // an engine that is not named has failed all the same
		}
		*e = append(*e, pair)
	}
	var byName map[string]json.RawMessage
	if pairs.odd && json.Unmarshal(b, &byName) == nil {
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			*e = append(*e, []string{name})
		}
	}
	return nil
}

// unresponsive says which engines failed, and why.
func unresponsive(engines [][]string) string {
	const named = 5
	var said []string
	for _, e := range engines[:min(len(engines), named)] {
		switch len(e) {
		case 0:
			said = append(said, "an engine")
		case 1:
			said = append(said, cut(plain(e[0]), 40))
		default:
			said = append(said, fmt.Sprintf("%s (%s)", cut(plain(e[0]), 40), cut(plain(e[1]), 60)))
		}
	}
	if more := len(engines) - named; more > 0 {
		said = append(said, fmt.Sprintf("%d more", more))
	}
	return "these engines failed: " + strings.Join(said, ", ")
}
