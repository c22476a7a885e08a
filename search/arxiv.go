package search

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const atom = "http://www.w3.org/2005/Atom"

// arxiv asks arXiv, GET /api/query (https://info.arxiv.org/help/api/user-manual.html), for papers that hold every content
// word of the query. Where no paper does, it asks once more for those that hold any, and keeps the ones that hold most.
func arxiv(ctx context.Context, s *service, query string, n int) (Answer, error) {
	words := slices.DeleteFunc(terms(strings.ToLower(query)), func(w string) bool { return strings.Contains(functionWords, " "+w+" ") })
	if len(words) == 0 {
		words = terms(query)
	}
	words = words[:min(len(words), 12)]
	ask := func(operator string) (Answer, error) {
		body, err := s.do(ctx, call{
			path: "/api/query",
			params: url.Values{"search_query": {"all:" + strings.Join(words, " "+operator+" all:")}, "start": {"0"},
				"max_results": {strconv.Itoa(n)}, "sortBy": {"relevance"}},
			xml: true,
		})
		if err != nil {
			return Answer{}, err
		}
		return readArXiv(body)
	}
	answer, err := ask("AND")
	if err != nil || len(answer.Results) > 0 || len(words) < 3 {
		return answer, err
	}
	answer, err = ask("OR")
	answer.Results = slices.DeleteFunc(answer.Results, func(r Result) bool { return 3*holds(r, words) < 2*len(words) })
	return answer, err
}

// functionWords are in every abstract or in none, and narrow no search.
const functionWords = " a about an and are as at be by can do does for from has have how in is it its of on or that the their to was were what when where which who why will with "

// holds counts the words that a result's text holds, inflected or not.
func holds(r Result, words []string) int {
	text, count := strings.ToLower(r.Title+" "+r.Snippet), 0
	for _, w := range words {
		if strings.Contains(text, strings.TrimSuffix(w, "s")) {
			count++
		}
	}
	return count
}

// readArXiv reads a feed in Atom (RFC 4287). A refused query is a feed with one entry, an error. Entities that a document
// declares are not expanded by the decoder, and are an error.
func readArXiv(body []byte) (Answer, error) {
	d := xml.NewDecoder(bytes.NewReader(body))
	answer, inFeed, total := Answer{Results: []Result{}}, false, -1
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Answer{}, &Error{Outcome: Failed, Reason: "its answer is no complete feed", Hint: hintLater, Err: err}
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		switch {
		case !inFeed:
			if start.Name.Space != atom || start.Name.Local != "feed" {
				return Answer{}, misread(body)
			}
			inFeed = true
		case start.Name.Local == "totalResults":
			var text string
			if d.DecodeElement(&text, &start) == nil {
				total, _ = strconv.Atoi(strings.TrimSpace(text)) // what is no number counts as none
			}
		case start.Name.Space == atom && start.Name.Local == "entry":
			var e entry
			if err := d.DecodeElement(&e, &start); err != nil {
				return Answer{}, &Error{Outcome: Failed, Reason: "its answer is no complete feed", Hint: hintLater, Err: err}
			}
			if strings.Contains(e.ID, "/api/errors") {
				return Answer{}, misread([]byte(e.Summary))
			}
			if len(answer.Results) < maxListed {
				answer.Results = append(answer.Results, e.result())
			}
		default:
			if err := d.Skip(); err != nil {
				return Answer{}, &Error{Outcome: Failed, Reason: "its answer is no complete feed", Hint: hintLater, Err: err}
			}
		}
	}
	switch {
	case !inFeed:
		return Answer{}, misread(body)
	case len(answer.Results) == 0 && total != 0: // arXiv sends such feeds when it is busy
		return Answer{}, &Error{Outcome: Failed, Reason: "its feed holds no entry, and does not say that there is none", Hint: hintLater}
	}
	return answer, nil
}

type entry struct {
	ID        string `xml:"http://www.w3.org/2005/Atom id"`
	Title     string `xml:"http://www.w3.org/2005/Atom title"`
	Summary   string `xml:"http://www.w3.org/2005/Atom summary"`
	Published string `xml:"http://www.w3.org/2005/Atom published"`
}

// result gives the abstract page of a paper, in the version that was found.
func (e entry) result() Result {
	address := strings.TrimSpace(e.ID)
	if rest, ok := strings.CutPrefix(address, "http://"); ok {
		address = "https://" + rest
	}
	year := 0
	if len(e.Published) >= 4 {
		year, _ = strconv.Atoi(e.Published[:4]) // no year is shown otherwise
	}
	return Result{escaped(e.Title), address, escaped(imprint(e.Summary, "", year))}
}

// escaped makes a text that is no HTML safe for plain, which takes every result for HTML: an abstract has formulas.
func escaped(s string) string { return strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(s) }
