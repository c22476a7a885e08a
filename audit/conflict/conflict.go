// Package conflict finds pairs of findings that do not agree (FIND-4): of the same measure, subject and time with values that
// differ, or of which one denies what the other says. A pair is certain where the two texts say the same but for the words
// that differ, and possible where a judge or a person has to look. Findings that only share words are none: figures of
// other years, places or parts, rounded or converted ones, one within the bound of the other.
//
// It is plain code over the readings of audit/claim: the same findings give the same pairs. The rules are of English; of
// other languages figures and dates are compared.
package conflict

import (
	"cmp"
	"slices"

	"ibid/evidence"
)

// Severity says how sure a conflict is.
type Severity string

const (
	Certain  Severity = "certain"  // decided by rule: both cannot be right
	Possible Severity = "possible" // a candidate, for a judge or a person
)

// Kind says what the two findings differ in.
type Kind string

const (
	Figures  Kind = "figures"
	Dates    Kind = "dates"
	Denial   Kind = "denial"   // one denies what the other says
	Opposite Kind = "opposite" // one has the opposite word in the place of the other's
)

// A Conflict is a pair of findings that do not agree. Pairs of reports of before have A, B and About only.
type Conflict struct {
	A        string   `json:"a"` // finding ids, A recorded first
	B        string   `json:"b"`
	About    string   `json:"about"`              // the words that the two share, in the order of A's; of before, a noun phrase
	Kind     Kind     `json:"kind,omitempty"`     // what they differ in
	SaysA    string   `json:"says_a,omitempty"`   // the words that differ, of A's claim or quote, their marks folded
	SaysB    string   `json:"says_b,omitempty"`   // and of B's
	Severity Severity `json:"severity,omitempty"` // certain or possible
	// Judged is what the run's judge says of a possible one: whether what B claims can be right where what A quotes is.
	Judged *evidence.Ruling `json:"judged,omitempty"`
}

// Bounds of the work. What is beyond them is not compared: no sentence that tells one thing comes near them.
const (
	maxFindings  = 1000
	maxText      = 4 << 10 // bytes of a claim or quote
	maxSentences = 12      // of it
	maxTerms     = 60      // of a sentence
	maxFigures   = 12      // and dates, and marks
	maxWork      = 50e6    // pairs of terms
	maxPairs     = 40      // that are told
)

// Find lists the pairs of findings that do not agree, certain ones first, then in the order of recording. Findings that a
// person rejected are left out. Of the sources it takes when they were published: two that do not say when they speak of
// can both be right if they were written in different years. It tells at most 40 pairs: more say that there is more to look at.
func Find(findings []evidence.Finding, sources []evidence.Source) []Conflict {
	return newBoard(findings, sources).find()
}

// A Watch finds what Find finds, over findings and sources that grow in number, and reads each once. Its zero value is ready.
type Watch struct{ board *board }

// Find is what the package's Find is.
func (w *Watch) Find(findings []evidence.Finding, sources []evidence.Source) []Conflict {
	now := live(findings)
	if w.board == nil || !w.board.begins(now) {
		w.board = emptyBoard()
	}
	w.board.take(now, sources)
	return w.board.find()
}

// find compares what may be about one thing.
func (b *board) find() []Conflict {
	var list []Conflict
	certain := 0
	for _, p := range b.candidates() {
		c, ok := b.compare(p[0], p[1])
		if !ok {
			continue
		}
		list = append(list, c)
		if c.Severity == Certain {
			if certain++; certain == maxPairs {
				break
			}
		}
	}
	slices.SortStableFunc(list, func(x, y Conflict) int { return cmp.Compare(x.Severity, y.Severity) })
	return list[:min(len(list), maxPairs)]
}

// Of lists the conflicts of one finding.
func Of(id string, list []Conflict) []Conflict {
	var out []Conflict
	for _, c := range list {
		if c.A == id || c.B == id {
			out = append(out, c)
		}
	}
	return out
}
