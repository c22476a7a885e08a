package extractive

import (
	"strings"

	"ibid/internal/lazyregexp"
)

const (
	perRecord    = 12  // findings offered in one turn
	maxRefusals  = 12  // of a run, before it stops offering
	closeEnough  = 0.5 // similarity of the text that a refusal offers to the one that was meant
	maxClaimSize = 590 // characters
)

// record offers findings: first what a refusal says stands there instead, then the chosen sentences.
func (t *turn) record() {
	if len(t.refused) >= maxRefusals {
		return
	}
	if t.last[toolFinding] {
		for _, f := range t.refused {
			if again, ok := f.again(); ok && !t.isRecorded(again) {
				t.call(toolFinding, again)
			}
		}
	}
	for _, p := range t.choose(t.reader, t.parts) {
		if len(t.calls) >= perRecord {
			return
		}
		claim := plain(*p.sentence)
		if r := []rune(claim); len(r) > maxClaimSize {
			continue
		}
		t.call(toolFinding, findingArgs{Claim: claim, Quote: p.text, Span: p.span, Subquestion: p.part})
	}
}

func (t *turn) isRecorded(f findingArgs) bool {
	for _, r := range t.recorded {
		if r.Quote == f.Quote && r.Subquestion == f.Subquestion {
			return true
		}
	}
	return false
}

var (
	closest = lazyregexp.New(`(?s)closest text in (\S+) is: "(.*)"`)
	stands  = lazyregexp.New(`stand in (S\d+:\S+?),? not in`)
)

// again is the finding as its refusal would have it: in the span where the words stand, or with the words that stand
// in the span, if they are much the same.
func (f refusal) again() (findingArgs, bool) {
	var offer struct {
		Span string `json:"closest_span"`
		Text string `json:"untrusted_text"`
	}
	if !decode(f.why, &offer) {
		if m := stands.FindStringSubmatch(f.why); m != nil {
			offer.Span = m[1]
		} else if m := closest.FindStringSubmatch(f.why); m != nil {
			offer.Span, offer.Text = m[1], m[2]
		}
	}
	next := f.findingArgs
	switch {
	case offer.Span == "":
		return next, false
	case offer.Text == "":
		next.Span = offer.Span
		return next, next.Span != f.Span
	case offer.Text == f.Quote || injected(offer.Text) || jaccard(shingles(offer.Text), shingles(f.Quote)) < closeEnough:
		return next, false
	}
	next.Span, next.Quote, next.Claim = offer.Span, offer.Text, oneLine(offer.Text)
	return next, len([]rune(next.Claim)) <= maxClaimSize && !strings.HasSuffix(next.Claim, "?")
}
