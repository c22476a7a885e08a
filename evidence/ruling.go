package evidence

// What a judge may say of a claim and its quote. The empty verdict is that of an answer which was none.
const (
	Supported    = "supported"    // the quote carries the claim
	Contradicted = "contradicted" // the two cannot both be right
	NotEnough    = "not_enough"   // the quote leaves it open
)

// A Ruling is what a judge, a model, says of a claim and the words that it rests on (FIND-8). It may clear what rules have
// flagged, and add a flag of its own; it lifts no block and makes none. So the most that a source can win by talking to
// the judge is what a judge that errs gives away: a flag that is cleared, with the judge's name beside it.
type Ruling struct {
	Of        string   `json:"of"`                // what was asked, by its content: claim.Question
	Claim     string   `json:"claim,omitempty"`   // what was judged, where it is no finding's claim
	Model     string   `json:"model"`             // that judged
	Verdict   string   `json:"verdict"`           // supported, contradicted, not_enough, or "" for no verdict
	Score     int      `json:"score"`             // how surely the quote carries the whole claim, 0 to 100
	Threshold int      `json:"threshold"`         // the score from which on this judge clears a flag
	Reason    string   `json:"reason,omitempty"`  // the judge's words, which may repeat those of a source; or why there is no verdict
	Cleared   []string `json:"cleared,omitempty"` // the flags of a finding that it clears
}

// Clears reports whether a ruling clears a flag: the judge does not say otherwise, and is as sure as it has to be.
func (r Ruling) Clears() bool {
	return (r.Verdict == Supported || r.Verdict == NotEnough) && r.Score >= r.Threshold
}
