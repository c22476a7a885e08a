// Package sites reads the places whose pages are not what one wants of them: a video's captions instead of its page, a
// repository's files at a commit, a paper's text instead of its abstract, an article at the revision that was read, an
// archived copy of what is gone (FETCH-7). Everything else goes to the web as it is.
package sites

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ibid/fetch"
)

// Flags of documents that specialists make, besides those of package fetch.
const (
	FlagAutomatic     = "automatic_captions" // a speech recogniser's words: they may be misheard
	FlagOtherLanguage = "other_language"     // captions in none of the wanted languages
	FlagPublished     = "published_version"  // a paper as the journal published it
	FlagAccepted      = "accepted_version"   // the accepted manuscript: its pages are not the journal's
	FlagSubmitted     = "submitted_version"  // a manuscript before review
	FlagUnknown       = "unknown_version"    // nobody says which version of a paper it is
	FlagSkipped       = "files_skipped"      // binary or very large files of a repository were left out
	FlagRefused       = "archive_entries_refused"
	FlagTruncated     = "truncated" // the repository was larger than is read
)

// Config says what specialists work with.
type Config struct {
	Client      fetch.Doer       // for their own exchanges
	Web         fetch.Fetcher    // for everything else, and for the pages they decide on
	GitHubToken string           // may be ""; sent to GitHub's API only
	Contact     string           // an e-mail address for services that ask for one; may be ""
	Now         func() time.Time // nil means time.Now
	Languages   []string         // of captions, the best first; none means the language that is spoken
	// URLs overrides the bases of services, without a slash at the end, for mirrors and tests: youtube, github (the API),
	// githubraw, codeload, arxiv, wikipedia ("{lang}" stands for the language), openalex, unpaywall, doi, wayback.
	URLs map[string]string
}

// bases are the services' own addresses.
var bases = map[string]string{
	"youtube": "https://www.youtube.com", "github": "https://api.github.com", "githubraw": "https://raw.githubusercontent.com",
	"codeload": "https://codeload.github.com", "arxiv": "https://arxiv.org", "wikipedia": "https://{lang}.wikipedia.org",
	"openalex": "https://api.openalex.org", "unpaywall": "https://api.unpaywall.org", "doi": "https://doi.org",
}

// Sites is a fetch.Fetcher that hands each URL to whoever reads its site best. It is safe for concurrent use if its parts are.
type Sites struct {
	client    fetch.Doer
	web       fetch.Fetcher
	token     string
	contact   string
	now       func() time.Time
	languages []string
	urls      map[string]string
}

// New returns a fetcher over a client and the web.
func New(c Config) *Sites {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Sites{client: c.Client, web: c.Web, token: c.GitHubToken, contact: c.Contact, now: c.Now, languages: c.Languages, urls: c.URLs}
}

// Fetch reads one URL. What cannot be had is an *fetch.Unavailable.
func (s *Sites) Fetch(ctx context.Context, raw string) (*fetch.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	doc, err := s.read(ctx, raw)
	if err != nil {
		return nil, about(raw, err)
	}
	own := *doc // the web may keep the document, in a cache
	own.Requested = raw
	return &own, nil
}

// read hands a URL to its specialist, or to the web and, if the page is gone, to the archive.
func (s *Sites) read(ctx context.Context, raw string) (*fetch.Document, error) {
	canonical, err := fetch.CanonicalURL(raw)
	if err != nil {
		return s.web.Fetch(ctx, raw) // which refuses it in its own words
	}
	u, err := url.Parse(canonical)
	if err != nil {
		return s.web.Fetch(ctx, raw)
	}
	if read := s.specialist(u); read != nil {
		return read(ctx)
	}
	doc, err := s.web.Fetch(ctx, raw)
	if gone(err, u.Hostname()) && fetch.Site(u.Host) != "archive.org" {
		return s.archived(ctx, canonical, err)
	}
	return doc, err
}

// A reader reads one URL that it knows the parts of.
type reader func(context.Context) (*fetch.Document, error)

// specialist decides by the host and the path of a canonical URL; nil means the web.
func (s *Sites) specialist(u *url.URL) reader {
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	for _, try := range []func(*url.URL) reader{s.youtube, s.github, s.arxiv, s.wikipedia, s.doi, s.wayback} {
		if read := try(u); read != nil {
			return read
		}
	}
	return nil
}

// base is the address of a service.
func (s *Sites) base(service string) string {
	if b := s.urls[service]; b != "" {
		return strings.TrimSuffix(b, "/")
	}
	return bases[service]
}

// document makes the document of an answer.
func (s *Sites) document(url, contentType string, body []byte, flags ...string) *fetch.Document {
	return &fetch.Document{URL: url, ContentType: contentType, Body: body, Fetched: s.now().UTC().Truncate(time.Second), Flags: flags}
}

// page reads a page of a service through the web. A document of another base comes under the service's own address.
func (s *Sites) page(ctx context.Context, base, own, path string) (*fetch.Document, error) {
	doc, err := s.web.Fetch(ctx, base+path)
	if err != nil {
		return nil, err
	}
	if rest, ok := strings.CutPrefix(doc.URL, base); ok && base != own && strings.HasPrefix(rest, "/") {
		moved := *doc
		moved.URL = own + rest
		return &moved, nil
	}
	return doc, nil
}

// call performs an exchange with a service. A service that sends one elsewhere has failed: no reader is to follow.
func (s *Sites) call(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	resp, err := s.client.Do(ctx, r)
	if e := new(fetch.Unavailable); errors.As(err, &e) && e.Outcome == fetch.Moved {
		return nil, unavailable(fetch.Failed, "the service answered with a redirect to another site", fetch.HintOther)
	}
	return resp, err
}

// ask reads JSON from a service.
func (s *Sites) ask(ctx context.Context, service, url string, v any) error {
	resp, err := s.call(ctx, askJSON(url))
	if err != nil {
		return err
	}
	return s.decode(service, resp, v)
}

func askJSON(url string) fetch.Request {
	return fetch.Request{URL: url, Header: http.Header{"Accept": {"application/json"}}}
}

// decode reads a service's answer as JSON.
func (s *Sites) decode(service string, resp *fetch.Response, v any) error {
	if e := s.status(service, resp); e != nil {
		return e
	}
	if json.Unmarshal(resp.Body, v) != nil {
		return unavailable(fetch.Failed, service+" answered with something else than it used to", fetch.HintOther)
	}
	return nil
}

// status names the outcome of a service's answer that is no success, nil for one that is.
func (s *Sites) status(service string, resp *fetch.Response) *fetch.Unavailable {
	e := fetch.StatusFault("", resp, s.now())
	if e != nil {
		e.Reason = service + ": " + e.Reason
	}
	return e
}

// unavailable is an error whose URL is added where the URL asked for is known.
func unavailable(outcome fetch.Outcome, reason, hint string) *fetch.Unavailable {
	return &fetch.Unavailable{Outcome: outcome, Reason: reason, Hint: hint}
}

// about makes an error one about the URL that was asked for, whatever was asked on the way to it.
func about(raw string, err error) error {
	var e *fetch.Unavailable
	if !errors.As(err, &e) {
		return err
	}
	own := *e
	own.URL = raw
	if own.Hint == "" {
		own.Hint = fetch.HintOther
	}
	return &own
}

// outcome is the class of a failure, "" for an error that is none.
func outcome(err error) fetch.Outcome {
	var e *fetch.Unavailable
	if errors.As(err, &e) {
		return e.Outcome
	}
	return ""
}
