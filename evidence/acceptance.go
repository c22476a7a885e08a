package evidence

import "slices"

// An Acceptance is a person's word that a finding is reported though rules block its claim (FIND-8). It lifts the rules that
// it names and no other, and never that a quote must stand in its span (FIND-1).
type Acceptance struct {
	Codes  []string `json:"codes"` // of the rules, each once
	Reason string   `json:"reason"`
	By     string   `json:"by,omitempty"`
}

// Lifts reports whether a person has lifted the rule of a code. Nobody has where there is no acceptance.
func (a *Acceptance) Lifts(code string) bool { return a != nil && slices.Contains(a.Codes, code) }
