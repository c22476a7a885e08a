package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"ibid/audit"
	"ibid/report"
	"ibid/runs"
)

type verifyCmd struct {
	Report string `arg:"" help:"A run's id (or 'last'), a report in JSON, a report in Markdown (with --run), or - for stdin."`
	Of     string `help:"The run that a Markdown report is of." name:"run" placeholder:"ID"`
}

// maxReport is the largest report that is read, in bytes.
const maxReport = 64 << 20

// check finds out what the report is and checks it.
func (c *verifyCmd) check(e *env) (audit.Result, error) {
	body, err := c.read(e)
	if errors.Is(err, fs.ErrNotExist) { // not a file: a run
		return againstRun(e, c.Report, nil)
	}
	if err != nil {
		return audit.Result{}, &runs.Error{Code: runs.Invalid, Message: "reading the report", Err: err}
	}
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '{' {
		check, err := report.VerifyJSON(inner(body))
		if err != nil {
			return check, &runs.Error{Code: runs.Integrity, Message: err.Error()}
		}
		return check, nil
	}
	if c.Of == "" {
		return audit.Result{}, &runs.Error{Code: runs.Invalid, Message: "a Markdown report is checked against its run", Hint: "Name it with --run ID, or check the JSON form, which holds its sources."}
	}
	return againstRun(e, c.Of, body)
}

// againstRun checks a report against the record of its run; nil means the run's own report.
func againstRun(e *env, name string, markdown []byte) (check audit.Result, err error) {
	err = e.withRun(name, func(d *desk, e *env, id string) (err error) {
		check, err = d.engine.Verify(e.ctx, id, markdown)
		return err
	})
	return check, err
}

func (c *verifyCmd) read(e *env) ([]byte, error) {
	if c.Report == "-" {
		return io.ReadAll(io.LimitReader(e.in, maxReport))
	}
	info, err := os.Stat(c.Report)
	switch {
	case err != nil:
		return nil, fs.ErrNotExist
	case info.Size() > maxReport:
		return nil, fmt.Errorf("%s has %d bytes; %d is the limit", c.Report, info.Size(), maxReport)
	}
	return os.ReadFile(c.Report)
}

// Run checks the report, prints what is wrong with it, and ends with 5 if anything blocks.
func (c *verifyCmd) Run(e *env) error {
	check, err := c.check(e)
	if err != nil {
		return err
	}
	if e.cli.JSON {
		if err := json.NewEncoder(e.out).Encode(check); err != nil {
			return err
		}
	} else {
		fmt.Fprint(e.out, failures(check))
	}
	if !check.OK {
		return exit(exitIntegrity)
	}
	return nil
}

// failures lists what a check found, a line each.
func failures(r audit.Result) string {
	var b bytes.Buffer
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "%s %s", f.Severity, f.Code)
		if f.Line > 0 {
			fmt.Fprintf(&b, " (line %d)", f.Line)
		}
		fmt.Fprintf(&b, ": %q\n  %s\n", f.Text, f.Message)
		if f.Suggestion != "" {
			fmt.Fprintf(&b, "  nearest: %s\n", f.Suggestion)
		}
	}
	if r.OK {
		fmt.Fprintf(&b, "verified: %d claims, %d citations", r.Claims, r.Citations)
		if n := len(r.Failures); n > 0 {
			fmt.Fprintf(&b, "; %d to look at", n)
		}
		b.WriteByte('\n')
	} else {
		fmt.Fprintf(&b, "not verified: %d of %d failures block\n", r.Blocks(), len(r.Failures))
	}
	return b.String()
}
