package search

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"ibid/internal/lazyregexp"
)

// crossref asks Crossref, GET /works (https://api.crossref.org). Who gives an e-mail address is served from the polite
// pool.
func crossref(ctx context.Context, s *service, query string, n int) (Answer, error) {
	c := call{
		path:   "/works",
		params: url.Values{"query": {query}, "rows": {strconv.Itoa(n)}, "select": {"DOI,URL,title,abstract,container-title,issued,updated-by"}},
	}
	if mail := email(s.Contact); mail != "" {
		c.params.Set("mailto", mail)
	}
	if s.Key != "" {
		c.header = map[string]string{"Crossref-Plus-API-Token": "Bearer " + s.Key}
	}
	body, err := s.do(ctx, c)
	if err != nil {
		return Answer{}, err
	}
	return readCrossref(body)
}

func readCrossref(body []byte) (Answer, error) {
	type work struct {
		DOI, URL, Abstract string
		Updates            []update `json:"updated-by"`
		Title              []string
		Container          []string `json:"container-title"`
		Issued             struct {
			Parts [][]int `json:"date-parts"`
		}
	}
	var v struct{ Message struct{ Items list[work] } }
	if err := decode(body, &v); err != nil {
		return Answer{}, err
	}
	at := func(w work) string {
		if w.DOI != "" {
			return doi(w.DOI)
		}
		return w.URL
	}
	answer, err := results(body, v.Message.Items, func(w work) Result {
		year := 0
		if len(w.Issued.Parts) > 0 && len(w.Issued.Parts[0]) > 0 {
			year = w.Issued.Parts[0][0]
		}
		return Result{strings.Join(w.Title, ": "), at(w), imprint(jats.ReplaceAllString(w.Abstract, " "), strings.Join(w.Container, ", "), year)}
	})
	for _, w := range v.Message.Items.items {
		if n, is := noticeOf("Crossref", at(w), w.DOI, w.Updates); is {
			answer.Notices = append(answer.Notices, n)
		}
	}
	return answer, err
}

// jats matches the tags of the abstracts that publishers deposit.
var jats = lazyregexp.New(`</?(?:jats|mml):[^<>]*>`)

// doi is the address of a DOI, which may already be one.
func doi(name string) string {
	for _, prefix := range []string{"https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/", "doi:"} {
		name = strings.TrimPrefix(name, prefix)
	}
	return (&url.URL{Scheme: "https", Host: "doi.org", Path: "/" + name}).String()
}

// imprint is a snippet for a work: where and when it appeared, then how its abstract begins.
func imprint(abstract, where string, year int) string {
	if year > 0 {
		where = strings.TrimPrefix(where+", "+strconv.Itoa(year), ", ")
	}
	if abstract = strings.TrimSpace(abstract); where == "" || abstract == "" {
		return where + abstract
	}
	return where + ". " + abstract
}

// email is the address in a contact, or "".
func email(contact string) string {
	contact = strings.TrimPrefix(contact, "mailto:")
	if name, host, ok := strings.Cut(contact, "@"); !ok || name == "" || host == "" || strings.ContainsAny(contact, "/ <>") {
		return ""
	}
	return contact
}
