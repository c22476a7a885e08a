package search

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// pubmed asks NCBI's E-utilities (https://www.ncbi.nlm.nih.gov/books/NBK25499): esearch for the numbers of articles,
// esummary for what they are. The key is a parameter.
func pubmed(ctx context.Context, s *service, query string, n int) (Answer, error) {
	ask := func(path string, params url.Values) ([]byte, error) {
		params.Set("db", "pubmed")
		params.Set("retmode", "json")
		params.Set("tool", "ibid")
		if s.Key != "" {
			params.Set("api_key", s.Key)
		}
		if mail := email(s.Contact); mail != "" {
			params.Set("email", mail)
		}
		return s.do(ctx, call{path: "/entrez/eutils/" + path, params: params})
	}
	body, err := ask("esearch.fcgi", url.Values{"term": {strings.Join(terms(query), " ")}, "sort": {"relevance"}, "retmax": {strconv.Itoa(n)}})
	if err != nil {
		return Answer{}, err
	}
	ids, err := readPubMedIDs(body)
	if err != nil || len(ids) == 0 {
		return Answer{Results: []Result{}}, err
	}
	body, err = ask("esummary.fcgi", url.Values{"id": {strings.Join(ids[:min(len(ids), n)], ",")}})
	if err != nil {
		return Answer{}, err
	}
	return readPubMedSummaries(body)
}

// readPubMedIDs reads what esearch found.
func readPubMedIDs(body []byte) ([]string, error) {
	var v struct {
		Result struct {
			IDs   list[string] `json:"idlist"`
			Count string
			Error string `json:"ERROR"`
		} `json:"esearchresult"`
	}
	if err := decode(body, &v); err != nil {
		return nil, err
	}
	count, _ := strconv.Atoi(v.Result.Count) // what is no number counts as none
	switch {
	case v.Result.Error != "":
		return nil, misread([]byte(v.Result.Error))
	case !v.Result.IDs.there:
		return nil, noList(body)
	case count > 0 && len(v.Result.IDs.items) == 0:
		return nil, &Error{Outcome: Failed, Reason: "it found " + v.Result.Count + " articles and names none", Hint: hintLater}
	}
	ids := []string{}
	for _, id := range v.Result.IDs.items {
		if isNumber(id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// readPubMedSummaries reads what esummary tells: one object a number, and the numbers in their order.
func readPubMedSummaries(body []byte) (Answer, error) {
	var v struct {
		Result map[string]json.RawMessage
	}
	if err := decode(body, &v); err != nil {
		return Answer{}, err
	}
	var ids list[string]
	if err := decode(v.Result["uids"], &ids); err != nil || !ids.there {
		return Answer{}, noList(body)
	}
	answer := Answer{Results: []Result{}}
	for _, id := range ids.items {
		var article struct {
			Title, Source, PubDate, Error string
			Authors                       list[struct{ Name string }]
		}
		if raw := v.Result[id]; !isNumber(id) || raw == nil || decode(raw, &article) != nil || article.Error != "" {
			continue
		}
		var about []string
		if len(article.Authors.items) > 0 {
			about = append(about, article.Authors.items[0].Name)
		}
		if len(article.Authors.items) > 1 {
			about[0] += " et al."
		}
		for _, s := range []string{article.Source, article.PubDate} {
			if s != "" {
				about = append(about, s)
			}
		}
		answer.Results = append(answer.Results, Result{article.Title, "https://pubmed.ncbi.nlm.nih.gov/" + id + "/", strings.Join(about, ", ")})
	}
	if len(answer.Results) == 0 {
		return Answer{}, &Error{Outcome: Failed, Reason: "it found articles and tells nothing about them", Hint: hintLater}
	}
	return answer, nil
}

func isNumber(s string) bool {
	return s != "" && len(s) < 12 && strings.Trim(s, "0123456789") == ""
}
