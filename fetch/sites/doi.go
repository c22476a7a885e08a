package sites

import (
	"context"
	"net/mail"
	"net/url"
	"strings"

	"ibid/fetch"
	"ibid/internal/lazyregexp"
)

// doiForm is a DOI as a path, in any case (doi.org/the-identifier/resources/handbook).
var doiForm = lazyregexp.New(`^10\.\d{4,9}(?:\.\d+)*/\S{1,400}$`)

// doiOf returns the DOI that a canonical URL resolves, "" if it resolves none.
func doiOf(u *url.URL) string {
	switch u.Host {
	case "doi.org", "dx.doi.org", "www.doi.org":
	default:
		return ""
	}
	doi := strings.TrimPrefix(u.Path, "/")
	if !doiForm.MatchString(doi) {
		return ""
	}
	return doi
}

// doi reads the open-access copy of a paper, if it has one, else the page that the DOI leads to.
func (s *Sites) doi(u *url.URL) reader {
	doi := doiOf(u)
	if doi == "" {
		return nil
	}
	if id, ok := strings.CutPrefix(strings.ToLower(doi), "10.48550/arxiv."); ok && arxivID.MatchString(id) {
		return func(ctx context.Context) (*fetch.Document, error) { return s.paper(ctx, id) }
	}
	return func(ctx context.Context) (*fetch.Document, error) {
		for _, find := range []func(context.Context, string) (copies, error){s.openAlex, s.unpaywall} {
			found, err := find(ctx, doi)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				continue // a catalogue that does not answer; the paper may still be had
			}
			if doc := s.openCopy(ctx, found); doc != nil {
				return doc, nil
			}
		}
		return s.page(ctx, s.base("doi"), bases["doi"], (&url.URL{Path: "/" + doi}).EscapedPath())
	}
}

// copies are the addresses of one open copy of a paper, and which version it is.
type copies struct {
	urls    []string
	version string
}

// openCopy reads the first address that can be read; nil if none can.
func (s *Sites) openCopy(ctx context.Context, c copies) *fetch.Document {
	for _, raw := range c.urls {
		canonical, err := fetch.CanonicalURL(raw)
		if err != nil || strings.HasPrefix(canonical, "file:") {
			continue
		}
		u, err := url.Parse(canonical)
		if err != nil || doiOf(u) != "" {
			continue // where we come from
		}
		read := s.specialist(u)
		if read == nil {
			read = func(ctx context.Context) (*fetch.Document, error) { return s.web.Fetch(ctx, canonical) }
		}
		if doc, err := read(ctx); err == nil {
			flagged := *doc
			flagged.Flags = append(append([]string{}, doc.Flags...), versionFlag(c.version))
			return &flagged
		}
	}
	return nil
}

// versionFlag names a version in the words that OpenAlex and Unpaywall share (the DRIVER guidelines).
func versionFlag(version string) string {
	switch version {
	case "publishedVersion":
		return FlagPublished
	case "acceptedVersion":
		return FlagAccepted
	case "submittedVersion":
		return FlagSubmitted
	}
	return FlagUnknown
}

// openAlex asks OpenAlex for the best open copy.
func (s *Sites) openAlex(ctx context.Context, doi string) (copies, error) {
	var work struct {
		Best *struct {
			PDF     string `json:"pdf_url"`
			Page    string `json:"landing_page_url"`
			Version string `json:"version"`
		} `json:"best_oa_location"`
	}
	at := s.base("openalex") + "/works/doi:" + strings.TrimPrefix((&url.URL{Path: "/" + doi}).EscapedPath(), "/") + "?select=id,doi,best_oa_location"
	if email := s.email(); email != "" {
		at += "&mailto=" + url.QueryEscape(email)
	}
	if err := s.ask(ctx, "OpenAlex", at, &work); err != nil || work.Best == nil {
		return copies{}, err
	}
	return copies{urls: []string{work.Best.PDF, work.Best.Page}, version: work.Best.Version}, nil
}

// unpaywall asks Unpaywall, which wants an e-mail address.
func (s *Sites) unpaywall(ctx context.Context, doi string) (copies, error) {
	var work struct {
		Best *struct {
			PDF     string `json:"url_for_pdf"`
			Page    string `json:"url_for_landing_page"`
			Version string `json:"version"`
		} `json:"best_oa_location"`
	}
	email := s.email()
	if email == "" {
		return copies{}, nil
	}
	at := s.base("unpaywall") + "/v2/" + strings.TrimPrefix((&url.URL{Path: "/" + doi}).EscapedPath(), "/") + "?email=" + url.QueryEscape(email)
	if err := s.ask(ctx, "Unpaywall", at, &work); err != nil || work.Best == nil {
		return copies{}, err
	}
	return copies{urls: []string{work.Best.PDF, work.Best.Page}, version: work.Best.Version}, nil
}

// email is the contact, if it is an e-mail address.
func (s *Sites) email() string {
	a, err := mail.ParseAddress(strings.TrimPrefix(s.contact, "mailto:"))
	if err != nil {
		return ""
	}
	return a.Address
}
