package eval

import (
	"bufio"
	"bytes"
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

// A Judgement is what the rules say of one pair: fail where one blocks, warn where one flags, else pass. Score grows with
// what is wrong, from 0 to 1.
type Judgement struct {
	ID       string          `json:"id"`
	Verdict  string          `json:"verdict"`
	Codes    []claim.Code    `json:"codes"`
	Score    float64         `json:"score"`
	Verdicts []claim.Verdict `json:"verdicts,omitempty"` // where they are asked for
}

// Pairs holds each claim of a file of JSON lines against its evidence and writes a Judgement a line, as it reads. What
// cannot be read is told to bad, with the number of its line, and left out.
func Pairs(ctx context.Context, in io.Reader, out io.Writer, explain bool, bad func(line int, err error)) error {
	r := bufio.NewReaderSize(in, 64<<10)
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, w.Flush())
		}
		line, err := readLine(r)
		if err == io.EOF {
			return w.Flush()
		}
		var tooLong *lineError
		switch {
		case errors.As(err, &tooLong):
			bad(n, err)
			continue
		case err != nil:
			return errors.Join(fmt.Errorf("reading line %d: %w", n, err), w.Flush())
		case len(bytes.TrimSpace(line)) == 0:
			continue
		}
		j, err := judge(line, explain)
		if err != nil {
			bad(n, err)
			continue
		}
		if err := enc.Encode(j); err != nil {
			return err
		}
		if r.Buffered() == 0 { // whoever waits for an answer before the next line gets it
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}

// lineError is a line that is longer than what is read.
type lineError struct{ size int }

func (e *lineError) Error() string {
	return fmt.Sprintf("it has %d bytes and at most %d are read", e.size, maxPair)
}

// readLine reads a line, of any length in bounded memory. The end of the input is io.EOF.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	size := 0
	for {
		part, err := r.ReadSlice('\n')
		size += len(part)
		if size <= maxPair {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && size > 0, err == nil:
			if size > maxPair {
				return nil, &lineError{size}
			}
			return line, nil
		}
		return nil, err
	}
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
	j := Judgement{ID: p.ID, Verdict: "pass", Codes: []claim.Code{}, Score: math.Round(claim.Score(vs)*1e6) / 1e6}
	seen := map[claim.Code]bool{}
	for _, v := range vs {
		if !seen[v.Code] {
			seen[v.Code] = true
			j.Codes = append(j.Codes, v.Code)
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
