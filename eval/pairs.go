package eval

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"

	"ibid/audit"
	"ibid/audit/claim"
	"ibid/evidence"
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
// cannot be read is told to bad, with the number of its line, and left out. A judge, where there is one, is asked about each
// pair; it may clear what the rules flag and add a flag, and changes nothing where a rule blocks (FIND-8).
func Pairs(ctx context.Context, in io.Reader, out io.Writer, explain bool, a *Asker, bad func(line int, err error)) error {
	return judgeLines(ctx, in, out, maxPair, bad, func(line []byte) (Judgement, error) {
		p, err := readPair(line)
		if err != nil {
			return Judgement{}, err
		}
		j, vs := judgePair(p)
		if a != nil {
			r, err := a.Ask(ctx, p.question())
			switch {
			case errors.Is(err, errUnjudged):
				r = evidence.Ruling{Of: p.question().ID(), Model: a.Judge.Model, Threshold: a.Judge.Threshold, Reason: err.Error()}
			case err != nil:
				return j, &stopError{err}
			}
			j.ruled(vs, r)
		}
		if explain {
			j.Verdicts = vs
		}
		return j, nil
	})
}

// readPair reads a line.
func readPair(line []byte) (pair, error) {
	var p pair
	if err := json.Unmarshal(line, &p); err != nil {
		return p, audit.NoJSON("pair", err)
	}
	switch {
	case p.ID == "":
		return p, errors.New(`it has no "id"`)
	case p.Claim == nil:
		return p, errors.New(`it has no "claim"`)
	case p.Evidence == nil:
		return p, errors.New(`it has no "evidence"`)
	}
	return p, nil
}

func (p pair) question() claim.Question {
	return claim.Question{Claim: *p.Claim, Quote: *p.Evidence, Context: claim.Context(p.Context)}
}

// judgePair holds the claim of a pair against its evidence.
func judgePair(p pair) (Judgement, []claim.Verdict) {
	vs := claim.Check(*p.Claim, *p.Evidence, claim.Context(p.Context))
	j := Judgement{ID: p.ID, Verdict: "pass", Codes: []string{}, Score: round6(claim.Score(vs))}
	for _, v := range vs {
		if !slices.Contains(j.Codes, string(v.Code)) {
			j.Codes = append(j.Codes, string(v.Code))
		}
	}
	switch {
	case claim.Blocks(vs):
		j.Verdict = "fail"
	case len(vs) > 0:
		j.Verdict = "warn"
	}
	return j, vs
}

// ruled applies what a judge says of a pair.
func (j *Judgement) ruled(vs []claim.Verdict, r evidence.Ruling) {
	j.Judge = &r
	switch {
	case j.Verdict == "fail":
	case r.Verdict == evidence.Contradicted:
		j.Verdict, j.Codes = "warn", append(j.Codes, string(audit.Contradicted))
	case r.Clears():
		if slices.ContainsFunc(vs, func(v claim.Verdict) bool { return v.Code == claim.Injected }) {
			return
		}
		open := []string{}
		for _, code := range j.Codes {
			if claim.Code(code).Judgeable() {
				r.Cleared = append(r.Cleared, code)
			} else {
				open = append(open, code)
			}
		}
		if j.Codes = open; len(open) == 0 {
			j.Verdict = "pass"
		}
	}
}

func round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }
