// Package recheck reads the sources of a report again, and says which of them still say what they said (REPORT-6).
package recheck

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"ibid/corpus"
	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
	"ibid/report"
)

// State is what became of a source, or of a quote.
type State string

const (
	Unchanged   State = "unchanged"   // every quote stands where it stood
	Moved       State = "moved"       // every quote stands, one of them elsewhere in the source
	Edited      State = "edited"      // a quote does not stand there any more; of a source without quotes: its text differs
	Gone        State = "gone"        // the source is not there any more, or is empty
	Unreachable State = "unreachable" // it could not be asked: the network, a refusal, a wall. Nothing is known
)

// A Source is a source that was asked again.
type Source struct {
	ID     string  `json:"id"`
	URL    string  `json:"url"`
	Title  string  `json:"title"`
	State  State   `json:"state"`
	Reason string  `json:"reason,omitempty"` // of one that is gone or unreachable
	NowAt  string  `json:"now_at,omitempty"` // where it was read now, if elsewhere
	Same   bool    `json:"same_text"`        // its text is the same, to the letter
	SHA256 string  `json:"sha256,omitempty"` // of its bytes now
	Quotes []Quote `json:"quotes"`           // those of findings that were not rejected
	Cited  bool    `json:"cited"`            // a finding is from it
	Reader string  `json:"reader,omitempty"` // that read it now, where it is another than then
}

// A Quote is a finding's quote, looked for again.
type Quote struct {
	Finding   string            `json:"finding"`
	State     State             `json:"state"` // unchanged, moved, edited
	Was       evidence.Locator  `json:"was"`
	Now       *evidence.Locator `json:"now,omitempty"`
	Selectors []Selector        `json:"selectors,omitempty"` // how it was anchored (W3C Web Annotation)
	Nearest   string            `json:"nearest,omitempty"`   // of one that is not there: what stands most like it at its place
}

// A Reader reads a document; *corpus.Reader is one.
type Reader interface {
	Read(ctx context.Context, url string) (*corpus.Reading, error)
}

// parallel is how many sources are asked at a time. Hosts are spared by the reader.
const parallel = 4

// Report asks every source of a report again, in parallel, and returns them in its order. read chooses the reader of a
// source. An error is ctx's, or a fault of the program.
func Report(ctx context.Context, b report.Bundle, read func(evidence.Source) Reader) ([]Source, error) {
	list := []Source{}
	for _, s := range b.Sources {
		if !s.Fetched.IsZero() {
			list = append(list, Source{ID: s.ID, URL: s.URL, Title: s.Title, Quotes: []Quote{}})
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i := range list {
		source := b.Sources[slices.IndexFunc(b.Sources, func(s evidence.Source) bool { return s.ID == list[i].ID })]
		var findings []evidence.Finding
		for _, f := range b.Findings {
			if f.Source == source.ID && f.Rejected == "" {
				findings = append(findings, f)
			}
		}
		group.Go(func() error { return list[i].ask(ctx, source, findings, b.Spans[source.ID], read(source)) })
	}
	return list, group.Wait()
}

// ask reads one source and compares.
func (s *Source) ask(ctx context.Context, was evidence.Source, findings []evidence.Finding, spans []evidence.Span, reader Reader) error {
	s.Cited = len(findings) > 0
	now, err := reader.Read(ctx, was.URL)
	var unavailable *fetch.Unavailable
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &unavailable):
		s.State, s.Reason, s.NowAt = Unreachable, unavailable.Reason, unavailable.Location
		if unavailable.Outcome == fetch.NotFound || unavailable.Outcome == fetch.Empty {
			s.State = Gone
		}
		return nil
	case err != nil:
		return err
	}
	s.SHA256, s.Same = now.Source.SHA256, now.Source.TextSHA256 == was.TextSHA256
	if now.Source.URL != was.URL {
		if at, err := fetch.CanonicalURL(now.Source.URL); err != nil || at != was.URL {
			s.NowAt = now.Source.URL
		}
	}
	if now.Source.ExtractedBy != was.ExtractedBy {
		s.Reader = now.Source.ExtractedBy
	}
	s.State = Unchanged
	if !s.Same && !s.Cited {
		s.State = Edited
	}
	old, young := newText(was.Kind, spans), newText(now.Source.Kind, extract.Spans(was.ID, now.Blocks))
	for _, f := range findings {
		q := old.find(f, young)
		s.Quotes = append(s.Quotes, q)
		if q.State == Edited || q.State == Moved && s.State == Unchanged {
			s.State = q.State
		}
	}
	return nil
}
