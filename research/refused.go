package research

import (
	"slices"

	"ibid/audit/claim"
	"ibid/evidence"
)

// A Refused is what a researcher offered as a finding and was not recorded: rules block its claim, or its quote does not stand
// in its span. It follows from the record of the run, as findings do. A person may accept the one (FIND-8), and never the
// other (FIND-1).
type Refused struct {
	evidence.Finding                 // as it would have been recorded; its id follows those of the findings
	Problems         []claim.Verdict `json:"problems,omitempty"`   // what blocks it
	NotQuoted        evidence.Reason `json:"not_quoted,omitempty"` // why its quote, which is the researcher's wording then, is none of its source
}

// Codes are the rules that block a claim, each once.
func (r Refused) Codes() (list []string) {
	for _, v := range r.Problems {
		if v.Severity == claim.Block && !slices.Contains(list, string(v.Code)) {
			list = append(list, string(v.Code))
		}
	}
	return list
}

// maxRefused is how many are kept of one run. Whoever is refused more often is guessing.
const maxRefused = 500

// keepRefused keeps what was not recorded, once.
func (s *state) keepRefused(r Refused) {
	again := slices.ContainsFunc(s.refusals, func(o Refused) bool {
		return o.Claim == r.Claim && o.Quote == r.Quote && o.Key() == r.Key()
	})
	if !again && len(s.refusals) < maxRefused {
		s.refusals = append(s.refusals, r)
	}
}

// takeRefused takes over what another agent was refused, under the names that its sources have here.
func (s *state) takeRefused(list []Refused, names map[string]string) {
	for _, r := range list {
		doc := s.corpus.Doc(names[r.Source])
		if doc == nil || r.NotQuoted == "" && !doc.Match(r.Locator, r.Quote).OK() {
			continue
		}
		r.Source = names[r.Source]
		s.keepRefused(r)
	}
}

// notRecorded are the refused findings of the whole run, with ids of their own.
func (s *state) notRecorded() (list []Refused) {
	for i, r := range s.refusals {
		r.ID = evidence.FindingID(len(s.findings) + 1 + i)
		list = append(list, r)
	}
	return list
}

// A Disowned is a finding that a person rejected in the run that a fork was made of.
type Disowned struct {
	Claim  string `json:"claim"`
	Quote  string `json:"quote"`
	Reason string `json:"reason"`
}

// live counts the findings that are reported.
func live(findings []evidence.Finding) (n int) {
	for _, f := range findings {
		if f.Rejected == "" {
			n++
		}
	}
	return n
}

// disown rejects what was rejected in the run that this one was forked from, by its words: ids and sources may differ.
func (s *state) disown(list []Disowned) {
	for i, f := range s.findings {
		if at := slices.IndexFunc(list, func(d Disowned) bool { return d.Claim == f.Claim && d.Quote == f.Quote }); at >= 0 {
			s.findings[i].Rejected = list[at].Reason
		}
	}
}
