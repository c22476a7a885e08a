package search

import (
	"context"
	"strings"
)

// openai has an OpenAI model search with the tool of the Responses API
// (https://platform.openai.com/docs/guides/tools-web-search). Results are the sources of its searches, those first that
// it cites, since only these have titles; never the model's text.
func openai(ctx context.Context, s *service, query string, _ int) (Answer, error) {
	body, err := s.do(ctx, call{
		path:   "/responses",
		header: map[string]string{"Authorization": "Bearer " + s.Key},
		body: map[string]any{
			"model": s.Model, "input": searchFor(query), "store": false,
			"tools": []any{map[string]any{"type": "web_search"}}, "tool_choice": "required", "max_tool_calls": 1,
			"include": []string{"web_search_call.action.sources"},
		},
	})
	if err != nil {
		return Answer{}, err
	}
	m, err := readResponses(body)
	return s.priced(m), err
}

func readResponses(body []byte) (modelAnswer, error) {
	type source struct{ Type, URL string }
	type note struct{ Type, URL, Title string }
	type part struct {
		Type, Text, Refusal string
		Annotations         list[note]
	}
	type item struct {
		Type, Status string
		Action       struct {
			Type, Query string
			Queries     []string
			Sources     list[source]
		}
		Content list[part]
	}
	var v struct {
		Status string
		Error  *struct{ Code, Message string }
		Output list[item]
		Usage  struct {
			Input   tokens `json:"input_tokens"`
			Output  tokens `json:"output_tokens"`
			Details struct {
				Cached tokens `json:"cached_tokens"`
			} `json:"input_tokens_details"`
		}
	}
	if err := decode(body, &v); err != nil {
		return modelAnswer{}, err
	}
	m := modelAnswer{results: []Result{}, input: int64(v.Usage.Input), cached: int64(v.Usage.Details.Cached), output: int64(v.Usage.Output)}
	if !v.Output.there || v.Status == "failed" || v.Error != nil {
		return m, noList(body)
	}
	var said strings.Builder
	var sources []Result
	told, failed, stop := false, "", ""
	for _, i := range v.Output.items {
		for _, p := range i.Content.items {
			said.WriteString(p.Text + p.Refusal)
			if p.Type == "refusal" {
				stop = "refusal"
			}
			for _, a := range p.Annotations.items {
				if a.Type == "url_citation" {
					m.results = append(m.results, Result{Title: a.Title, URL: a.URL})
				}
			}
		}
		// Past its limit the service goes on to emit calls without an action: they searched for nothing and cost nothing.
		if i.Type != "web_search_call" || i.Action.Type != "search" || i.Action.Query == "" && len(i.Action.Queries) == 0 {
			continue
		}
		if i.Status == "failed" {
			failed = "failed"
			continue
		}
		m.searches++
		told = told || i.Action.Sources.there
		for _, s := range i.Action.Sources.items {
			if s.Type == "url" || s.Type == "" {
				sources = append(sources, Result{URL: s.URL})
			}
		}
	}
	m.results = append(m.results, sources...)
	return m, searchFailure(told || len(m.results) > 0, len(m.results), failed, stop, said.String())
}
