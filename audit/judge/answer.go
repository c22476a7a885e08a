package judge

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"ibid/audit/claim"
	"ibid/evidence"
	"ibid/llm"
	"ibid/llm/fence"
)

// maxReason is how much of a judge's reason is kept, in characters.
const maxReason = 300

// Ruling reads an answer to the request about q. What is not exactly one verdict on this very pair is no verdict, and its
// reason says why.
func (j Judge) Ruling(q claim.Question, r llm.Response) evidence.Ruling {
	out := evidence.Ruling{Of: q.ID(), Model: j.Model, Threshold: j.Threshold}
	a, err := read(r)
	if err == nil && a.Pair != pairID(q) {
		err = fmt.Errorf("the answer is about another pair")
	}
	if err != nil {
		out.Reason = err.Error()
		return out
	}
	out.Verdict, out.Score, out.Reason = a.Verdict, *a.Score, clean(a.Reason)
	return out
}

// answer is what a judge says.
type answer struct {
	Pair    string `json:"pair"`
	Verdict string `json:"verdict"`
	Score   *int   `json:"score"`
	Reason  string `json:"reason"`
}

// read finds the one verdict of an answer: the arguments of the tool's call or, from a model that cannot be made to call
// it, a JSON object as its text.
func read(r llm.Response) (answer, error) {
	var a answer
	switch r.Stop {
	case llm.StopLength:
		return a, fmt.Errorf("the answer was cut off")
	case llm.StopRefusal:
		return a, fmt.Errorf("the judge declined to answer")
	}
	text := unwrapped(r.Text())
	switch calls := r.Calls(); {
	case len(calls) > 1:
		return a, fmt.Errorf("the answer holds %d verdicts", len(calls))
	case len(calls) == 1 && calls[0].Name != toolName:
		return a, fmt.Errorf("the answer calls something else")
	case len(calls) == 1:
		text = calls[0].Args
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&a)
	if _, more := d.Token(); err != nil || more != io.EOF {
		return a, fmt.Errorf("the answer is no verdict as it was asked for")
	}
	switch {
	case a.Verdict != evidence.Supported && a.Verdict != evidence.Contradicted && a.Verdict != evidence.NotEnough:
		return a, fmt.Errorf("the answer has no known verdict")
	case a.Score == nil || *a.Score < 0 || *a.Score > 100:
		return a, fmt.Errorf("the answer has no score from 0 to 100")
	case a.Verdict == evidence.Supported && *a.Score < 50, a.Verdict == evidence.Contradicted && *a.Score > 50:
		return a, fmt.Errorf("the answer contradicts itself: %s, and %d", a.Verdict, *a.Score)
	case strings.TrimSpace(a.Reason) == "":
		return a, fmt.Errorf("the answer gives no reason")
	}
	return a, nil
}

// unwrapped is the content of a text that is one block of code.
func unwrapped(text string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutSuffix(text, "```"); ok {
		if _, body, ok := strings.Cut(inner, "\n"); ok && strings.HasPrefix(inner, "```") {
			return strings.TrimSpace(body)
		}
	}
	return text
}

// clean makes one short line of a reason, which may repeat what a source says.
func clean(reason string) string {
	reason = strings.ToValidUTF8(strings.Join(strings.Fields(fence.Harmless(reason)), " "), "")
	if utf8.RuneCountInString(reason) > maxReason {
		reason = string([]rune(reason)[:maxReason]) + "…"
	}
	return reason
}
