package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"ibid/audit"
	"ibid/bundle"
	"ibid/report"
	"ibid/runs"
)

type verifyCmd struct {
	Report string `arg:"" help:"A bundle, a run's id (or 'last'), a report in JSON, a report in Markdown (with --run), or - for stdin."`
	Of     string `help:"The run that a Markdown report is of, or a bundle of it." name:"run" placeholder:"RUN"`
	Key    string `help:"The public key that a bundle must be signed with, as 'ibid keys' prints it, or a file with it."`
}

// maxReport is the largest report that is read, in bytes.
const maxReport = 64 << 20

// check finds out what the report is and checks it.
func (c *verifyCmd) check(e *env, body []byte) (audit.Result, error) {
	trimmed := bytes.TrimSpace(body)
	if bytes.HasPrefix(trimmed, []byte(`{"v":1,"run":`)) { // an exported journal
		report, err := e.replayElsewhere(e.ctx, "", body)
		if err != nil {
			return audit.Result{}, &runs.Error{Code: runs.Integrity, Message: "the exported run", Err: err}
		}
		return verifyJSON(report)
	}
	if len(trimmed) > 0 && trimmed[0] == '{' {
		return verifyJSON(inner(body))
	}
	if head := strings.ToLower(string(trimmed[:min(len(trimmed), 15)])); strings.HasPrefix(head, "<!doctype html") || bytes.IndexByte(trimmed, 0) >= 0 {
		return audit.Result{}, &runs.Error{Code: runs.Invalid, Message: "this form of a report is not checked", Hint: "Check the run itself, a bundle of it, its JSON form, or its Markdown with --run."}
	}
	if c.Of == "" {
		return audit.Result{}, &runs.Error{Code: runs.Invalid, Message: "a Markdown report is checked against its run", Hint: "Name it with --run ID, or a bundle of it with --run FILE; or check the JSON form, which holds its sources."}
	}
	return againstRun(e, c.Of, body)
}

func verifyJSON(body []byte) (audit.Result, error) {
	check, err := report.VerifyJSON(body)
	if err != nil {
		return check, &runs.Error{Code: runs.Integrity, Message: err.Error()}
	}
	return check, nil
}

// againstRun checks a report against the record of its run; nil means the run's own report.
func againstRun(e *env, name string, markdown []byte) (check audit.Result, err error) {
	if e.cli.Server != "" { // the server gives what its run rests on, and it is checked here
		body, err := runBundle(e, name)
		if err != nil {
			return check, err
		}
		b, err := report.ParseJSON(body)
		if err != nil {
			return check, &runs.Error{Code: runs.Integrity, Message: err.Error()}
		}
		if markdown != nil {
			b.Report = string(markdown)
		}
		return b.Verify(), nil
	}
	err = e.withRun(name, func(d *desk, e *env, id string) (err error) {
		check, err = d.engine.Verify(e.ctx, id, markdown)
		return err
	})
	return check, err
}

// readReport reads a file, or stdin for "-". One that does not exist is fs.ErrNotExist.
func readReport(e *env, name string) ([]byte, error) {
	in := e.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fs.ErrNotExist
		}
		defer f.Close()
		in = f
	}
	head := make([]byte, 8)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	limit := int64(maxReport)
	if bundle.IsBundle(head[:n]) {
		limit = bundle.MaxFile
	}
	rest, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(rest)) > limit {
		err = fmt.Errorf("%s has more than %d bytes, which is the limit", name, limit)
	}
	return append(head[:n], rest...), err
}

func (c *verifyCmd) read(e *env) ([]byte, error) { return readReport(e, c.Report) }

// Run checks the report, prints what is wrong with it, and ends with 5 if anything blocks.
func (c *verifyCmd) Run(e *env) error {
	body, err := readReport(e, c.Report)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return &runs.Error{Code: runs.Invalid, Message: "reading the report", Err: err}
	}
	if strings.HasSuffix(c.Report, ".wacz") || bundle.IsBundle(body) {
		if missing {
			return &runs.Error{Code: runs.NotFound, Message: "there is no file " + c.Report}
		}
		return c.bundle(e, body, nil)
	}
	if c.Of != "" && !missing {
		if of, err := readReport(e, c.Of); err == nil && bundle.IsBundle(of) {
			return c.bundle(e, of, body)
		}
	}
	if c.Key != "" {
		return &runs.Error{Code: runs.Invalid, Message: "only a bundle is signed", Hint: "Make one of a run: ibid bundle RUN"}
	}
	var check audit.Result
	if missing { // not a file: a run
		check, err = againstRun(e, c.Report, nil)
		var unknown *runs.Error
		if errors.As(err, &unknown) && unknown.Code == runs.NotFound && strings.ContainsAny(c.Report, "./") {
			return &runs.Error{Code: runs.NotFound, Message: "there is no file " + c.Report + ", and no run of this name"}
		}
	} else {
		check, err = c.check(e, body)
	}
	if err != nil {
		return err
	}
	return c.tell(e, check, check.OK, failures(check))
}

// bundle checks a bundle; with a report in Markdown, that one over the bundle's sources.
func (c *verifyCmd) bundle(e *env, data, markdown []byte) error {
	var verifier note.Verifier
	if c.Key != "" {
		text := c.Key
		if file, err := os.ReadFile(c.Key); err == nil {
			text = string(file)
		}
		var err error
		if verifier, err = note.NewVerifier(strings.TrimSpace(text)); err != nil {
			return &runs.Error{Code: runs.Invalid, Message: "the public key is not one", Err: err, Hint: "It is the line that 'ibid keys' prints where the bundle was made."}
		}
	}
	check, err := e.verifyBundle(data, verifier, markdown)
	if err != nil {
		return err
	}
	return c.tell(e, check, check.OK, bundleFailures(check))
}

func (c *verifyCmd) tell(e *env, check any, ok bool, text string) error {
	if e.cli.JSON {
		if err := json.NewEncoder(e.out).Encode(check); err != nil {
			return err
		}
	} else {
		fmt.Fprint(e.out, text)
	}
	if !ok {
		return exit(exitIntegrity)
	}
	return nil
}

// failures lists what a check found, a line each.
func failures(r audit.Result) string {
	var b strings.Builder
	for _, f := range r.Failures {
		b.WriteString(failureLine(f))
	}
	if r.OK {
		fmt.Fprintf(&b, "verified: %s, %s", count(r.Claims, "claim"), count(r.Citations, "citation"))
		if r.Computed > 0 {
			fmt.Fprintf(&b, ", %d computed again", r.Computed)
		}
		if n := r.Count(audit.Flag); n > 0 {
			fmt.Fprintf(&b, "; %d to look at", n)
		}
		if n := r.Count(audit.Accepted); n > 0 {
			fmt.Fprintf(&b, "; %d accepted by a person", n)
		}
		if n := r.Count(audit.Cleared); n > 0 {
			fmt.Fprintf(&b, "; %d cleared by a judge", n)
		}
		b.WriteByte('\n')
	} else {
		fmt.Fprintf(&b, "not verified: %d of %s\n", r.Blocks(), count(len(r.Failures), "failure")+" block")
	}
	return b.String()
}

func failureLine(f audit.Failure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", f.Severity, f.Code)
	if f.Line > 0 {
		fmt.Fprintf(&b, " (line %d)", f.Line)
	}
	fmt.Fprintf(&b, ": %q\n  %s\n", f.Text, f.Message)
	if f.Suggestion != "" {
		fmt.Fprintf(&b, "  nearest: %s\n", f.Suggestion)
	}
	if f.Judge != nil {
		fmt.Fprintf(&b, "  %s\n", judgeWords(*f.Judge))
	}
	return b.String()
}
