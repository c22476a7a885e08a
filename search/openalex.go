package search

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"strings"
)

// openalex asks OpenAlex, GET /works (https://developers.openalex.org). The key is a parameter; without one there is an
// allowance for a few searches a day.
func openalex(ctx context.Context, s *service, query string, n int) (Answer, error) {
	c := call{
		path: "/works",
		params: url.Values{"search": {strings.Join(terms(query), " ")}, "per_page": {strconv.Itoa(n)},
			"select": {"id,doi,title,publication_year,abstract_inverted_index,open_access,best_oa_location,is_retracted"}},
	}
	if s.Key != "" {
		c.params.Set("api_key", s.Key)
	}
	if mail := email(s.Contact); mail != "" {
		c.params.Set("mailto", mail)
	}
	body, err := s.do(ctx, c)
	if err != nil {
		return Answer{}, err
	}
	return readOpenAlex(body)
}

func readOpenAlex(body []byte) (Answer, error) {
	type work struct {
		ID, DOI, Title string
		Retracted      bool             `json:"is_retracted"`
		Year           int              `json:"publication_year"`
		Index          map[string][]int `json:"abstract_inverted_index"`
		Access         struct {
			URL string `json:"oa_url"`
		} `json:"open_access"`
		Best struct {
			Page string `json:"landing_page_url"`
			PDF  string `json:"pdf_url"`
		} `json:"best_oa_location"`
	}
	var v struct{ Results list[work] }
	if err := decode(body, &v); err != nil {
		return Answer{}, err
	}
	// A copy that can be read comes before the publisher's page, and that before the record about the work.
	at := func(w work) string { return cmp.Or(w.Best.Page, w.Best.PDF, w.Access.URL, w.DOI, w.ID) }
	answer, err := results(body, v.Results, func(w work) Result {
		return Result{w.Title, at(w), imprint(beginning(w.Index), "", w.Year)}
	})
	for _, w := range v.Results.items {
		if w.Retracted {
			answer.Notices = append(answer.Notices, Notice{URL: at(w), DOI: strings.TrimPrefix(w.DOI, "https://doi.org/"), Status: "retracted", Says: "OpenAlex has it as retracted"})
		}
	}
	return answer, err
}

// beginning rebuilds the first words of an abstract that is stored as the positions of each word.
func beginning(index map[string][]int) string {
	var words [80]string // more than a snippet holds
	for word, positions := range index {
		for _, at := range positions {
			if at >= 0 && at < len(words) && (words[at] == "" || word < words[at]) { // two words for one place: always the same
				words[at] = word
			}
		}
	}
	return strings.Join(strings.Fields(strings.Join(words[:], " ")), " ")
}
