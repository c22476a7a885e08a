package report

import (
	"slices"
)

// Without makes a report again without the findings that a person rejected, by id with the reason (FIND-7). It is assembled
// of those that are left, whoever wrote it before: prose cannot be cut without saying something else. incomplete and
// imprints are those of Input.
func (b Bundle) Without(reasons map[string]string, incomplete string, imprints bool) (Bundle, error) {
	findings := slices.Clone(b.Findings)
	for i, f := range findings {
		if reason := reasons[f.ID]; reason != "" {
			findings[i].Rejected = reason
		}
	}
	facts := b.Facts
	if facts != nil && facts.Root != "" {
		now := *facts
		var err error
		if now.Root, err = Root(b.Sources, findings); err != nil {
			return Bundle{}, err
		}
		facts = &now
	}
	rec := b.Record()
	rec.Findings, rec.Facts = findings, facts
	in := Input{Record: rec,
		Sections: b.Sections, Disagreements: b.Disagreements, Incomplete: incomplete, Imprints: imprints}
	data, err := JSON(Assemble(in), in)
	if err != nil {
		return Bundle{}, err
	}
	return ParseJSON(data)
}
