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

// weigh holds a claim against its quote, as it stands in its source (FIND-2).
func (s *state) weigh(key evidence.Key, match evidence.Match, text string) []claim.Verdict {
	src, _ := s.corpus.Source(key.Source)
	return claim.Check(text, match.Quote, audit.Around(src, s.corpus.Spans(key.Source), match))
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
