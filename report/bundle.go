package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"ibid/audit"
	"ibid/evidence"
)

// A Bundle is a report with all that is needed to check it without the run that made it: findings with their quotes,
// sources with their hashes, and the text of every source that is cited.
type Bundle struct {
	Version  int                        `json:"version"` // 1
	Run      string                     `json:"run"`
	Question string                     `json:"question"`
	Stop     string                     `json:"stop"`
	Report   string                     `json:"report"` // Markdown
	Sections []Section                  `json:"sections"`
	Findings []evidence.Finding         `json:"findings"`
	Sources  []evidence.Source          `json:"sources"`
	Spans    map[string][]evidence.Span `json:"spans"`
	Facts    *audit.Facts               `json:"facts,omitempty"`
}

// maxBundle is the largest bundle that is read, in bytes.
const maxBundle = 64 << 20

// JSON writes the machine form of a report. The same input gives the same bytes.
func JSON(markdown []byte, in Input) ([]byte, error) {
	rec := in.Record
	b := Bundle{Version: 1, Question: rec.Question, Report: string(markdown), Sections: in.Sections, Findings: rec.Findings, Sources: rec.Sources,
		Spans: map[string][]evidence.Span{}, Facts: rec.Facts}
	if rec.Facts != nil {
		b.Run, b.Stop = rec.Facts.Run, rec.Facts.Stop
	}
	if b.Findings == nil {
		b.Findings = []evidence.Finding{}
	}
	if b.Sources == nil {
		b.Sources = []evidence.Source{}
	}
	if b.Sections == nil {
		b.Sections = []Section{}
	}
	for id, spans := range rec.Spans {
		b.Spans[id] = spans
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(b); err != nil {
		return nil, fmt.Errorf("report: writing JSON: %w", err)
	}
	return out.Bytes(), nil
}

// ParseJSON reads a bundle.
func ParseJSON(data []byte) (Bundle, error) {
	var b Bundle
	if len(data) > maxBundle {
		return b, fmt.Errorf("report: the bundle has %d bytes; %d is the limit", len(data), maxBundle)
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return b, fmt.Errorf("report: this is not a report in JSON: %w", err)
	}
	if b.Version != 1 {
		return b, fmt.Errorf("report: this bundle has version %d; this program reads version 1", b.Version)
	}
	return b, nil
}

// Verify checks a bundle by itself: with no network, no model, and no trust in the run that made it beyond what it says
// it read.
func (b Bundle) Verify() audit.Result {
	return audit.Report([]byte(b.Report), audit.Record{Question: b.Question, Sources: b.Sources, Spans: b.Spans, Findings: b.Findings, Facts: b.Facts})
}
