package research

import (
	"slices"

	"ibid/agent"
	"ibid/audit"
	"ibid/audit/claim"
	"ibid/evidence"
)

// A doubt is what a rule says of a claim. Its words of the source, and the message that may repeat them, are text from
// outside.
type doubt struct {
	Code    claim.Code `json:"code"`
	Claim   string     `json:"claim"`
	Source  string     `json:"untrusted_text,omitempty"`
	Message string     `json:"message"`
}

// posed is a claim with its quote, as that stands in its source: what rules are held against (FIND-2), and what a judge
// is asked where they cannot decide.
func (s *state) posed(key evidence.Key, match evidence.Match, text string) claim.Question {
	src, _ := s.corpus.Source(key.Source)
	return claim.Question{Claim: text, Quote: match.Quote, Context: audit.Around(src, s.corpus.Spans(key.Source), match)}
}

// weigh holds a claim against its quote by the rules that the run began with.
func (s *state) weigh(q claim.Question) []claim.Verdict {
	vs := claim.Check(q.Claim, q.Quote, q.Context)
	if !s.worded {
		vs = slices.DeleteFunc(vs, func(v claim.Verdict) bool { return v.Code.OfWords() })
	}
	return vs
}

// doubts are the verdicts of one severity, for the model.
func doubts(vs []claim.Verdict, severity claim.Severity) []doubt {
	var out []doubt
	for _, v := range vs {
		if v.Severity == severity {
			out = append(out, doubt{v.Code, v.Claim, v.Source, v.Message})
		}
	}
	return out
}

// flagsOf are the codes of what a finding is recorded in spite of, each once.
func flagsOf(vs []claim.Verdict) []string {
	var out []string
	for _, v := range vs {
		if !slices.Contains(out, string(v.Code)) {
			out = append(out, string(v.Code))
		}
	}
	return out
}

// overclaimed refuses a claim that its quote does not carry.
func (t *findingTool) overclaimed(vs []claim.Verdict) agent.Result {
	result := t.fence.reply(struct {
		Error    string  `json:"error"`
		Problems []doubt `json:"problems"`
	}{t.text.Note("overclaimed"), doubts(vs, claim.Block)})
	result.IsError = true
	return result
}
