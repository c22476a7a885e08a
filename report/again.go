package report

import (
	"slices"

	"ibid/audit/conflict"
	"ibid/evidence"
)

// Changes are what a person says of the findings of a report afterwards, and what making it again takes.
type Changes struct {
	Rejected map[string]string // reasons by finding (FIND-7)
	Accepted []Accepted        // though rules block them (FIND-8)

	Incomplete string // of Input
	Imprints   bool   // likewise
	Ranked     bool   // likewise
	Conflicts  bool   // what does not agree with what was accepted is looked for
}

// An Accepted is a finding that a person accepted, with what its run knows of it.
type Accepted struct {
	Finding  evidence.Finding
	Question string          // the sub-question that it answers, as the plan had it
	Spans    []evidence.Span // of its source
}

// Again makes a report again as a person would have it: without findings that were rejected, with those that were accepted. It
// is assembled of them, whoever wrote it before: prose cannot be cut without saying something else.
func (b Bundle) Again(c Changes) (Bundle, error) {
	findings := slices.Clone(b.Findings)
	rec := b.Record()
	sections := slices.Clone(b.Sections)
	for _, a := range c.Accepted {
		findings = append(findings, a.Finding)
		rec.Spans = withSpans(rec.Spans, a.Finding.Source, a.Spans)
		if i := slices.IndexFunc(sections, func(s Section) bool { return s.Question == a.Question }); i >= 0 {
			sections[i].Findings = append(slices.Clone(sections[i].Findings), a.Finding.ID)
		}
	}
	for i, f := range findings {
		if reason := c.Rejected[f.ID]; reason != "" {
			findings[i].Rejected = reason
		}
	}
	disagreements := slices.Clone(b.Disagreements)
	if len(c.Accepted) > 0 && c.Conflicts {
		for _, x := range conflict.Find(findings, b.Sources) {
			if slices.ContainsFunc(c.Accepted, func(a Accepted) bool { return a.Finding.ID == x.A || a.Finding.ID == x.B }) {
				disagreements = append(disagreements, x)
			}
		}
	}
	rec.Findings = findings
	if b.Facts != nil && b.Facts.Root != "" {
		now := *b.Facts
		var err error
		if now.Root, err = Root(b.Sources, findings); err != nil {
			return Bundle{}, err
		}
		rec.Facts = &now
	}
	in := Input{Record: rec, Sections: sections, Disagreements: disagreements, Incomplete: c.Incomplete, Imprints: c.Imprints, Ranked: c.Ranked}
	data, err := JSON(Assemble(in), in)
	if err != nil {
		return Bundle{}, err
	}
	return ParseJSON(data)
}

// withSpans are the spans of sources with those of one more.
func withSpans(of map[string][]evidence.Span, source string, spans []evidence.Span) map[string][]evidence.Span {
	if _, there := of[source]; there {
		return of
	}
	all := map[string][]evidence.Span{source: spans}
	for id, list := range of {
		all[id] = list
	}
	return all
}
