package research

import (
	"ibid/audit/conflict"
)

// disagreements are the findings that do not agree (FIND-4). A run that began before there was audit/conflict keeps its rule.
func (s *state) disagreements() []conflict.Conflict {
	if !s.conflicts {
		return lookAlikes(s.findings)
	}
	return s.watch.Find(s.findings, s.corpus.Sources())
}

// A clash is an earlier finding that one does not agree with, for the model. The words are text from outside.
type clash struct {
	Finding  string            `json:"finding"`
	Severity conflict.Severity `json:"severity"`
	Kind     conflict.Kind     `json:"differ_in"`
	Here     outside           `json:"this_says"`
	There    outside           `json:"that_says"`
}

type outside struct {
	Text string `json:"untrusted_text"`
}

// maxClashes are told of one finding.
const maxClashes = 5

// clashes are what the last finding does not agree with, and what to do about it, so that the plan can be revised at once
// (FIND-6).
func (t *findingTool) clashes(id string) (list []clash, note string) {
	if !t.conflicts {
		return nil, ""
	}
	for _, c := range conflict.Of(id, t.disagreements()) {
		if c.B == id && len(list) < maxClashes {
			list = append(list, clash{c.A, c.Severity, c.Kind, outside{c.SaysB}, outside{c.SaysA}})
		}
	}
	if len(list) > 0 {
		note = t.text.Note("conflict")
	}
	return list, note
}
