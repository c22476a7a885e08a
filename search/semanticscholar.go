package search

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"strings"
)

// semanticscholar asks Semantic Scholar, GET /graph/v1/paper/search (https://api.semanticscholar.org/api-docs/graph). It
// knows no query language, and finds nothing for words with a hyphen.
func semanticscholar(ctx context.Context, s *service, query string, n int) (Answer, error) {
	c := call{
		path: "/graph/v1/paper/search",
		params: url.Values{"query": {strings.Join(terms(query), " ")}, "limit": {strconv.Itoa(n)},
			"fields": {"title,url,abstract,venue,year,externalIds,openAccessPdf"}},
	}
	if s.Key != "" {
		c.header = map[string]string{"x-api-key": s.Key}
	}
	body, err := s.do(ctx, c)
	if err != nil {
		return Answer{}, err
	}
	return readSemanticScholar(body)
}

func readSemanticScholar(body []byte) (Answer, error) {
	type paper struct {
		Title, URL, Abstract, Venue string
		Year                        int
		Open                        struct{ URL string } `json:"openAccessPdf"`
		IDs                         struct {
			ArXiv, DOI, PubMedCentral string
		} `json:"externalIds"`
	}
	var v struct {
		Total *int
		Data  list[paper]
	}
	if err := decode(body, &v); err != nil {
		return Answer{}, err
	}
	if v.Total != nil && *v.Total == 0 && leftOut(body, v.Data) { // then the list may be left out
		return Answer{Results: []Result{}}, nil
	}
	return results(body, v.Data, func(p paper) Result {
		address := ""
		switch { // a copy that can be read comes first
		case p.IDs.ArXiv != "":
			address = "https://arxiv.org/abs/" + p.IDs.ArXiv
		case p.Open.URL != "":
			address = p.Open.URL
		case p.IDs.PubMedCentral != "":
			address = "https://pmc.ncbi.nlm.nih.gov/articles/PMC" + strings.TrimPrefix(p.IDs.PubMedCentral, "PMC") + "/"
		case p.IDs.DOI != "":
			address = doi(p.IDs.DOI)
		}
		return Result{p.Title, cmp.Or(address, p.URL), imprint(p.Abstract, p.Venue, p.Year)}
	})
}
