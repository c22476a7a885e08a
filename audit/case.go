package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ibid/evidence"
)

// A Case is a report with the record that it is held against, as data sets of reports hold them: a JSON object a line with
// id, question, report (Markdown), sources (id, kind, title, url, publisher, published, fetched, status, status_note, sha256, and spans of locator
// and text) and findings (id, source, locator, claim, and quote, a text or a list of fragments).
type Case struct {
	ID, Report string
	Record     Record
}

type caseLine struct {
	ID       string       `json:"id"`
	Question string       `json:"question"`
	Report   *string      `json:"report"`
	Sources  []caseSource `json:"sources"`
	Findings []struct {
		ID, Source, Locator, Claim string
		Quote                      fragments
	} `json:"findings"`
}

type caseSource struct {
	ID, Kind, Title, URL, SHA256, Publisher, Status string
	StatusNote                                      string `json:"status_note"`
	Fetched, Published                              *string
	Spans                                           []struct{ Locator, Text string }
}

// fragments is a quote in one or several pieces.
type fragments []string

// UnmarshalJSON reads a text or a list of texts.
func (f *fragments) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*f = fragments{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(f))
}

// ParseCase reads a case. Its errors say which field is at fault.
func ParseCase(line []byte) (Case, error) {
	c, l, err := parseCase(line)
	if err == nil && l.Report == nil {
		err = errors.New(`it has no "report"`)
	}
	if err != nil {
		return Case{}, err
	}
	c.Report = *l.Report
	return c, nil
}

// ParseSources reads a case that need not have a report.
func ParseSources(line []byte) (Case, error) {
	c, _, err := parseCase(line)
	return c, err
}

// NoJSON says what is wrong with a line that should hold something in JSON, in words of the line's.
func NoJSON(what string, err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("it is no %s in JSON: its %q cannot be a JSON %s", what, kind.Field, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("it is no %s in JSON, but a JSON %s", what, kind.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("it is no %s in JSON: byte %d: %w", what, syntax.Offset, err)
	}
	return fmt.Errorf("it is no %s in JSON: %w", what, err)
}

func parseCase(line []byte) (Case, caseLine, error) {
	var l caseLine
	if err := json.Unmarshal(line, &l); err != nil {
		return Case{}, l, NoJSON("report", err)
	}
	if l.ID == "" {
		return Case{}, l, errors.New(`it has no "id"`)
	}
	rec := Record{Question: l.Question, Spans: map[string][]evidence.Span{}}
	for i := range l.Sources {
		src, spans, err := l.Sources[i].read()
		if err != nil {
			return Case{}, l, fmt.Errorf("source %q: %w", l.Sources[i].ID, err)
		}
		rec.Sources, rec.Spans[src.ID] = append(rec.Sources, src), spans
	}
	for _, f := range l.Findings {
		loc, err := evidence.ParseLocator(f.Locator)
		if err != nil {
			return Case{}, l, fmt.Errorf("finding %q: %w", f.ID, err)
		}
		for _, q := range f.Quote {
			rec.Findings = append(rec.Findings, evidence.Finding{ID: f.ID, Claim: f.Claim, Quote: q, Source: f.Source, Locator: loc})
		}
	}
	return Case{ID: l.ID, Record: rec}, l, nil
}

// read makes a source and its spans. The sets hash spans in a form of their own, the JSON list of pairs of locator and text,
// so that a source gets our own hash exactly if theirs is right.
func (s *caseSource) read() (evidence.Source, []evidence.Span, error) {
	src := evidence.Source{ID: s.ID, URL: s.URL, Title: s.Title, Kind: evidence.Kind(s.Kind), SHA256: s.SHA256, Publisher: s.Publisher,
		Status: s.Status, StatusNote: s.StatusNote}
	if s.Published != nil {
		src.Published = *s.Published
	}
	if s.Fetched != nil {
		at, err := time.Parse(time.RFC3339, *s.Fetched)
		if err != nil {
			return src, nil, fmt.Errorf(`"fetched" is no time: %w`, err)
		}
		src.Fetched = at
	}
	spans, pairs := []evidence.Span{}, [][2]string{}
	for _, sp := range s.Spans {
		loc, err := evidence.ParseLocator(sp.Locator)
		if err != nil {
			return src, nil, err
		}
		spans = append(spans, evidence.Span{Source: s.ID, Locator: loc, Text: sp.Text})
		pairs = append(pairs, [2]string{sp.Locator, sp.Text})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(pairs); err != nil {
		return src, nil, err
	}
	sum := sha256.Sum256(bytes.TrimSpace(b.Bytes()))
	if hex.EncodeToString(sum[:]) == s.SHA256 {
		src.TextSHA256 = evidence.TextHash(spans)
	}
	return src, spans, nil
}
