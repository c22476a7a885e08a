package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"ibid/eval"
	"ibid/runs"
)

type auditCmd struct {
	Pairs auditPairsCmd `cmd:"" help:"Hold claims against their evidence: pairs in JSON Lines in, judgements out."`
}

type auditPairsCmd struct {
	File    string `arg:"" help:"JSON Lines with id, claim, evidence and, where known, context; - for stdin."`
	Explain bool   `help:"Also what each rule compared, and what it says."`
}

// Run judges each pair. Lines that cannot be read are told and left out, and end the command with 1.
func (c *auditPairsCmd) Run(e *env) error {
	in := e.in
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			code := runs.Invalid
			if errors.Is(err, fs.ErrNotExist) {
				code = runs.NotFound
			}
			return &runs.Error{Code: code, Message: "reading the pairs", Err: err}
		}
		defer f.Close()
		in = io.Reader(f)
	}
	bad := 0
	err := eval.Pairs(e.ctx, in, e.out, c.Explain, func(line int, err error) {
		bad++
		fmt.Fprintf(e.err, "ibid: %s: line %d: %v\n", c.File, line, err)
	})
	switch {
	case err != nil:
		return fmt.Errorf("judging the pairs of %s: %w", c.File, err)
	case bad > 0:
		return fmt.Errorf("%d lines of %s were left out", bad, c.File)
	}
	return nil
}
