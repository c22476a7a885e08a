package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
)

// A Reading is one document as it was read: the recorded outcome of a read, from which everything else follows again
// on replay. It is plain data.
type Reading struct {
	Source    evidence.Source `json:"source"`              // without an id: a corpus gives it
	Requested string          `json:"requested,omitempty"` // the URL asked for, where another one answered
	Canonical string          `json:"canonical,omitempty"` // the document's own idea of its URL: a claim, not yet believed
	Blocks    []extract.Block `json:"blocks"`              // the main content, quotable or not, in document order
	Links     []extract.Link  `json:"links,omitempty"`
	Raw       []byte          `json:"-"` // as fetched; kept apart, by Source.SHA256

	// How the bytes came, so that they can be read again in the same way, and archived.
	ContentType string          `json:"content_type,omitempty"` // as declared
	Exchange    *fetch.Exchange `json:"exchange,omitempty"`     // with the server; nil where there was none
}

// An Extractor turns bytes into a page; extract.Extract is one.
type Extractor func(ctx context.Context, in extract.Input) (*extract.Page, error)

// Reader reads a URL: fetch and extract as one effect. It is safe for concurrent use if its parts are.
type Reader struct {
	Fetcher fetch.Fetcher
	Extract Extractor

	// Known returns an earlier reading of the document at a URL by this program, or nil. It stands for extracting if the
	// bytes are the same. May be nil.
	Known func(url string) *Reading
}

// Read returns what a document says. A document that cannot be had, or holds nothing that can be quoted, is a
// *fetch.Unavailable. A page of links is read: it has links and no spans.
func (r *Reader) Read(ctx context.Context, url string) (*Reading, error) {
	doc, err := r.Fetcher.Fetch(ctx, url)
	if err != nil {
		return nil, err
	}
	if r.Known != nil {
		if known := r.Known(doc.URL); known != nil && known.Source.SHA256 == hexSHA256(doc.Body) {
			again := *known
			again.Source.Fetched, again.Raw, again.Requested, again.Exchange = doc.Fetched, doc.Body, "", doc.Exchange
			if doc.Requested != doc.URL {
				again.Requested = doc.Requested
			}
			return &again, nil
		}
	}
	return r.Extract.reading(ctx, url, doc)
}

// Given returns what a document says that was handed in and not fetched. It fails as Read does.
func (x Extractor) Given(ctx context.Context, doc *fetch.Document) (*Reading, error) {
	return x.reading(ctx, doc.URL, doc)
}

func (x Extractor) reading(ctx context.Context, url string, doc *fetch.Document) (*Reading, error) {
	page, err := x(ctx, extract.Input{URL: doc.URL, ContentType: doc.ContentType, Body: doc.Body})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, unreadable(url, err)
	}
	reading := newReading(doc, page)
	if len(reading.spans("")) == 0 && !slices.Contains(page.Flags, extract.FlagHub) {
		return nil, unquotable(url, page.Flags)
	}
	return reading, nil
}

func hexSHA256(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

func newReading(doc *fetch.Document, page *extract.Page) *Reading {
	r := &Reading{
		Source: evidence.Source{
			URL: doc.URL, Title: page.Title, Kind: page.Kind, SHA256: hexSHA256(doc.Body), Fetched: doc.Fetched,
			Author: page.Author, Publisher: page.Publisher, Published: page.Published, Language: page.Language,
			Modified: page.Modified, DOI: page.DOI, Licence: page.Licence,
			ExtractedBy: page.By, Flags: append(slices.Clone(page.Flags), doc.Flags...),
		},
		Canonical: page.Canonical,
		Blocks:    []extract.Block{},
		Links:     page.Links,
		Raw:       doc.Body,

		ContentType: doc.ContentType,
		Exchange:    doc.Exchange,
	}
	if doc.Title != "" {
		r.Source.Title = doc.Title
	}
	if doc.Author != "" {
		r.Source.Author = doc.Author
	}
	if doc.Requested != doc.URL {
		r.Requested = doc.Requested
	}
	for _, b := range page.Blocks {
		if b.Main || b.Quotable {
			r.Blocks = append(r.Blocks, b)
		}
	}
	r.Source.TextSHA256 = evidence.TextHash(r.spans(""))
	return r
}

// spans returns the quotable blocks as spans of a source.
func (r *Reading) spans(source string) []evidence.Span { return extract.Spans(source, r.Blocks) }

// unreadable says why bytes that were fetched could not be read.
func unreadable(url string, err error) *fetch.Unavailable {
	u := &fetch.Unavailable{URL: url, Outcome: fetch.Unsupported, Reason: err.Error(), Hint: fetch.HintOther}
	var e *extract.Unreadable
	if errors.As(err, &e) {
		u.Reason = e.Detail
		switch e.Reason {
		case extract.TooLarge:
			u.Outcome = fetch.TooLarge
		case extract.TooSlow:
			u.Outcome = fetch.Failed
		}
	}
	return u
}

// unquotable says why nothing of a document can be quoted. Only a document without any text is empty (law 7).
func unquotable(url string, flags []string) *fetch.Unavailable {
	u := &fetch.Unavailable{URL: url, Outcome: fetch.Unsupported, Hint: fetch.HintOther}
	switch {
	case slices.Contains(flags, extract.FlagNoText):
		u.Reason = "it is a scan without a text layer, so its words cannot be read"
	case slices.Contains(flags, extract.FlagGarbled):
		u.Reason = "its text layer does not decode to words"
	case slices.Contains(flags, extract.FlagLFSPointer):
		u.Reason = "it is only a pointer to a file that is stored elsewhere"
	default:
		u.Outcome, u.Reason = fetch.Empty, "it was read, and it holds no text that can be quoted"
	}
	return u
}
