package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"ibid/audit"
	"ibid/audit/conflict"
	"ibid/audit/sources"
	"ibid/evidence"
	"ibid/merkle"
)

// A Bundle is a report with all that is needed to check it without the run that made it: findings with their quotes,
// sources with their hashes, and the text of every source that a finding is from.
type Bundle struct {
	Version       int                        `json:"version"` // 1
	Run           string                     `json:"run"`
	Question      string                     `json:"question"`
	Stop          string                     `json:"stop"`
	Report        string                     `json:"report"` // Markdown
	Sections      []Section                  `json:"sections"`
	Disagreements []conflict.Conflict        `json:"disagreements"`
	Gaps          []string                   `json:"gaps"` // sub-questions without a finding
	Computations  []audit.Computation        `json:"computations,omitempty"`
	Findings      []evidence.Finding         `json:"findings"`
	Sources       []evidence.Source          `json:"sources"`
	Spans         map[string][]evidence.Span `json:"spans"`
	Facts         *audit.Facts               `json:"facts,omitempty"`
	Cards         []sources.Card             `json:"cards,omitempty"`        // of all sources; runs of before have none
	Clusters      []sources.Cluster          `json:"clusters,omitempty"`     // sources that are one origin
	Corroborated  []Corroboration            `json:"corroborated,omitempty"` // findings that state the same
	Rulings       []evidence.Ruling          `json:"rulings,omitempty"`      // of a judge, on what the report says beside its findings
}

// Record is what the report of a bundle is checked against.
func (b Bundle) Record() audit.Record {
	return audit.Record{Question: b.Question, Sources: b.Sources, Spans: b.Spans, Findings: b.Findings, Rulings: b.Rulings, Facts: b.Facts, Cards: b.cards()}
}

// maxBundle is the largest bundle that is read, in bytes.
const maxBundle = 64 << 20

// JSON writes the machine form of a report. The same input gives the same bytes. Sources whose text is not UTF-8 are an
// error, as their hash could not be computed again from JSON.
func JSON(markdown []byte, in Input) ([]byte, error) {
	rec := in.Record
	b := Bundle{Version: 1, Question: rec.Question, Report: string(markdown), Facts: rec.Facts, Rulings: rec.Rulings, Spans: map[string][]evidence.Span{},
		Sections: append([]Section{}, in.Sections...), Disagreements: []conflict.Conflict{}, Gaps: []string{},
		Findings: append([]evidence.Finding{}, rec.Findings...), Sources: append([]evidence.Source{}, rec.Sources...)}
	b.Computations = audit.Computations(markdown, rec)
	if rec.Facts != nil {
		b.Run, b.Stop = rec.Facts.Run, rec.Facts.Stop
	}
	for _, f := range rec.Findings {
		b.Spans[f.Source] = rec.Spans[f.Source]
	}
	for id, spans := range b.Spans {
		for _, s := range spans {
			if !utf8.ValidString(s.Text) {
				return nil, fmt.Errorf("report: writing JSON: the text of %s %s is not UTF-8", id, s.Locator)
			}
		}
	}
	live := newWriter(in)
	for i, s := range in.Sections {
		b.Sections[i].Findings = []string{}
		for _, f := range live.live(s.Findings) {
			b.Sections[i].Findings = append(b.Sections[i].Findings, f.ID)
		}
		if len(b.Sections[i].Findings) == 0 {
			b.Gaps = append(b.Gaps, s.Question)
		}
	}
	for _, x := range in.Disagreements {
		if live.both(x) {
			b.Disagreements = append(b.Disagreements, x)
		}
	}
	if live.carded() {
		b.weigh(live.in.Record)
	}
	return b.JSON()
}

// JSON writes a bundle. One that was read comes out as it was written.
func (b Bundle) JSON() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(b); err != nil {
		return nil, fmt.Errorf("report: writing JSON: %w", err)
	}
	return out.Bytes(), nil
}

// ParseJSON reads a bundle. One that cannot be checked in full is an error.
func ParseJSON(data []byte) (Bundle, error) {
	var b Bundle
	if len(data) > maxBundle {
		return b, fmt.Errorf("report: the bundle has %d bytes; %d is the limit", len(data), maxBundle)
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return Bundle{}, fmt.Errorf("report: this is not a report in JSON: %w", err)
	}
	if name, twice := merkle.Repeated(data); twice {
		return Bundle{}, fmt.Errorf("report: this bundle cannot be checked: it has %q twice, and its readers may take either", clip(name))
	}
	if err := b.complete(); err != nil {
		return Bundle{}, fmt.Errorf("report: this bundle cannot be checked: %w", err)
	}
	return b, nil
}

// complete reports what a bundle lacks.
func (b Bundle) complete() error {
	if b.Version != 1 {
		return fmt.Errorf("it has version %d; this program reads version 1", b.Version)
	}
	if b.Report == "" {
		return errors.New("it holds no report")
	}
	if b.Facts == nil {
		return errors.New("it holds no facts of its run")
	}
	ids := map[string]bool{}
	for _, s := range b.Sources {
		if _, ok := evidence.ParseSourceID(s.ID); !ok || ids[s.ID] {
			return fmt.Errorf("its sources have the id %q twice, or it is none", clip(s.ID))
		}
		ids[s.ID] = true
	}
	for _, f := range b.Findings {
		if _, ok := evidence.ParseFindingID(f.ID); !ok || ids[f.ID] {
			return fmt.Errorf("its findings have the id %q twice, or it is none", clip(f.ID))
		}
		ids[f.ID] = true
		if !f.Locator.Valid() {
			return fmt.Errorf("finding %s names no place", f.ID)
		}
	}
	for id, spans := range b.Spans {
		for _, s := range spans {
			if !s.Locator.Valid() {
				return fmt.Errorf("a span of %q has no place", clip(id))
			}
		}
	}
	return nil
}

// Verify checks a bundle by itself: with no network, no model, and no trust in the run that made it beyond what it says
// it read.
func (b Bundle) Verify() audit.Result {
	rec := b.Record()
	return b.checkCards(b.checkRoot(b.checkComputations(audit.Report([]byte(b.Report), rec), rec)))
}

// checkComputations adds to a result that the computations which a bundle lists are not those of its text.
func (b Bundle) checkComputations(r audit.Result, rec audit.Record) audit.Result {
	same := func(x, y audit.Computation) bool {
		return x.Expression == y.Expression && x.Result == y.Result && x.Exact == y.Exact && slices.Equal(x.Operands, y.Operands)
	}
	if !slices.EqualFunc(b.Computations, audit.Computations([]byte(b.Report), rec), same) {
		r.OK = false
		r.Failures = append(r.Failures, audit.Failure{Code: audit.DerivedWrong, Severity: audit.Block, Text: "computations",
			Message: "The computations that are listed are not those of the text."})
	}
	return r
}

// VerifyJSON reads a bundle and checks it.
func VerifyJSON(data []byte) (audit.Result, error) {
	b, err := ParseJSON(data)
	if err != nil {
		return audit.Result{}, err
	}
	return b.Verify(), nil
}
