package eval

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ibid/audit"
	"ibid/audit/claim"
	"ibid/evidence"
)

// A Judgement is what the rules say of one pair or report: fail where one blocks, warn where one flags, else pass. Score grows with
// what is wrong, from 0 to 1.
type Judgement struct {
	ID       string           `json:"id"`
	Verdict  string           `json:"verdict"`
	Codes    []string         `json:"codes"`
	Score    float64          `json:"score"`
	Judge    *evidence.Ruling `json:"judge,omitempty"`    // what a judge says of a pair, where one is asked; it changes no score
	Verdicts []claim.Verdict  `json:"verdicts,omitempty"` // of a pair, where they are asked for
	Failures []audit.Failure  `json:"failures,omitempty"` // likewise of a report
}

// judgeLines judges each line of in and writes a judgement a line, as it reads. Lines that cannot be read, or are longer than
// most bytes, are told to bad and left out.
func judgeLines[T any](ctx context.Context, in io.Reader, out io.Writer, most int, bad func(line int, err error), judge func([]byte) (T, error)) error {
	r := bufio.NewReaderSize(in, 64<<10)
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, w.Flush())
		}
		line, err := readLine(r, most)
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
		j, err := judge(line)
		var stop *stopError
		if errors.As(err, &stop) {
			return errors.Join(stop.err, w.Flush())
		}
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

// stopError ends the work: there is no use in reading on.
type stopError struct{ err error }

func (e *stopError) Error() string { return e.err.Error() }

// lineError is a line that is longer than what is read.
type lineError struct{ size, most int }

func (e *lineError) Error() string {
	return fmt.Sprintf("it has %d bytes and at most %d are read", e.size, e.most)
}

// readLine reads a line, of any length in bounded memory. The end of the input is io.EOF.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	size := 0
	for {
		part, err := r.ReadSlice('\n')
		size += len(part)
		if size <= most {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && size > 0, err == nil:
			if size > most {
				return nil, &lineError{size, most}
			}
			return line, nil
		}
		return nil, err
	}
}
