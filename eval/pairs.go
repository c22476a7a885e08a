package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"ibid/audit/claim"
)

// maxPair is how long a line of a file of pairs may be, in bytes.
const maxPair = 1 << 20

// A pair is a claim and the evidence that it rests on. The context is the title of the evidence, or all that a reader
// sees around it.
type pair struct {
	ID       string      `json:"id"`
	Claim    *string     `json:"claim"`
	Evidence *string     `json:"evidence"`
	Context  pairContext `json:"context"`
}

type pairContext claim.Context

// UnmarshalJSON takes a text for the title.
func (c *pairContext) UnmarshalJSON(b []byte) error {
	var title string
	if json.Unmarshal(b, &title) == nil {
		c.Title = title
		return nil
	}
	return json.Unmarshal(b, (*claim.Context)(c))
}

// Pairs holds each claim of a file of JSON lines against its evidence and writes a Judgement a line, as it reads. What
// cannot be read is told to bad, with the number of its line, and left out.
func Pairs(ctx context.Context, in io.Reader, out io.Writer, explain bool, bad func(line int, err error)) error {
	return judgeLines(ctx, in, out, maxPair, bad, func(line []byte) (Judgement, error) { return judge(line, explain) })
}

// judge holds the claim of one line against its evidence.
func judge(line []byte, explain bool) (Judgement, error) {
	var p pair
	if err := json.Unmarshal(line, &p); err != nil {
		return Judgement{}, fmt.Errorf("it is no pair in JSON: %w", err)
	}
	switch {
	case p.ID == "":
		return Judgement{}, errors.New(`it has no "id"`)
	case p.Claim == nil:
		return Judgement{}, errors.New(`it has no "claim"`)
	case p.Evidence == nil:
		return Judgement{}, errors.New(`it has no "evidence"`)
	}
	vs := claim.Check(*p.Claim, *p.Evidence, claim.Context(p.Context))
	j := Judgement{ID: p.ID, Verdict: "pass", Codes: []string{}, Score: round6(claim.Score(vs))}
	seen := map[claim.Code]bool{}
	for _, v := range vs {
		if !seen[v.Code] {
			seen[v.Code] = true
			j.Codes = append(j.Codes, string(v.Code))
		}
	}
	switch {
	case claim.Blocks(vs):
		j.Verdict = "fail"
	case len(vs) > 0:
		j.Verdict = "warn"
	}
	if explain {
		j.Verdicts = vs
	}
	return j, nil
}

func round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }
