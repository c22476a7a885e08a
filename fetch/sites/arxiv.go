package sites

import (
	"bytes"
	"context"
	"net/url"
	"strings"

	"ibid/fetch"
	"ibid/internal/lazyregexp"
)

// arxivID is a paper's identifier of either style, with or without a version (info.arxiv.org/help/arxiv_identifier.html).
var arxivID = lazyregexp.New(`^(?:\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7})(?:v[1-9]\d{0,2})?$`)

// arxivPaper returns the identifier that a URL of arXiv names, "" if it names no paper.
func arxivPaper(u *url.URL) string {
	switch u.Host {
	case "arxiv.org", "www.arxiv.org", "export.arxiv.org":
	default:
		return ""
	}
	kind, id, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	switch kind {
	case "abs", "html":
	case "pdf":
		id = strings.TrimSuffix(id, ".pdf")
	default:
		return ""
	}
	if !arxivID.MatchString(id) {
		return ""
	}
	return id
}

// arxiv reads a paper: as HTML where arXiv has it, else as PDF, else what its abstract page says.
func (s *Sites) arxiv(u *url.URL) reader {
	id := arxivPaper(u)
	if id == "" {
		return nil
	}
	return func(ctx context.Context) (*fetch.Document, error) { return s.paper(ctx, id) }
}

func (s *Sites) paper(ctx context.Context, id string) (*fetch.Document, error) {
	var last error
	for _, kind := range []string{"/html/", "/pdf/", "/abs/"} {
		doc, err := s.page(ctx, s.base("arxiv"), bases["arxiv"], kind+id)
		if err == nil && (kind != "/html/" || converted(doc.Body)) {
			return doc, nil
		}
		if err != nil {
			if last = err; !lacking(err) {
				break
			}
		}
	}
	return nil, last
}

// lacking says whether a form of a document is not there or not readable, so that another form may be.
func lacking(err error) bool {
	switch outcome(err) {
	case fetch.NotFound, fetch.Empty, fetch.TooLarge, fetch.JSRequired, fetch.Unsupported, fetch.Failed, fetch.Incomplete, fetch.Moved, fetch.ConsentWall:
		return true
	}
	return false // limited, blocked, refused, denied, cancelled: the next form would fare the same
}

// converted says whether a paper's HTML is whole. What LaTeXML could not convert comes as a page that says so.
func converted(body []byte) bool {
	for _, failed := range []string{"Conversion to HTML had a Fatal error", "No content available</title>", "No content available </title>"} {
		if bytes.Contains(body, []byte(failed)) {
			return false
		}
	}
	return true
}
