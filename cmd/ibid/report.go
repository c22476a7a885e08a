package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"ibid/fetch"
	"ibid/fetch/render"
	"ibid/report"
	"ibid/report/forms"
	"ibid/runs"
)

type reportCmd struct {
	Report string `arg:"" help:"A run's id (or 'last'), a report in JSON, or - for stdin."`
	As     string `help:"markdown, json, html, pdf, docx, csl (CSL-JSON), bibtex, ris or annotations (W3C Web Annotation); left out: by the name of the output, else markdown." enum:",markdown,json,html,pdf,docx,csl,bibtex,ris,annotations" default:"" placeholder:"FORM"`
	outFlag
}

// printPDF prints a page by a browser.
func (e *env) printPDF(ctx context.Context, page []byte) ([]byte, error) {
	pdf, err := render.Print(ctx, e.origin.tables.Fetch.Browser, page)
	var none *fetch.Unavailable
	if errors.As(err, &none) && none.Outcome == fetch.JSRequired {
		return nil, &runs.Error{Code: runs.Unready, Message: "a PDF is printed by a browser, and there is none",
			Hint: "Install Chromium (on Debian and Ubuntu: apt-get install chromium), or name one in the configuration ([fetch] browser). HTML and DOCX need none."}
	}
	if err != nil {
		return nil, fmt.Errorf("printing a PDF: %w", err)
	}
	return pdf, nil
}

// choose finds the form that is asked for.
func (c *reportCmd) choose() (runs.Form, error) {
	name, ending := c.As, strings.ToLower(filepath.Ext(c.Out))
	if name == "" && (c.stdout() || ending == ".markdown") {
		name = "markdown"
	}
	i := slices.IndexFunc(runs.Forms, func(f runs.Form) bool { return f.Name == name || name == "" && f.Ending == ending })
	if i < 0 {
		return runs.Form{}, &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("no form of a report has files named %s", filepath.Base(c.Out)), Hint: "Name the form: --as html."}
	}
	return runs.Forms[i], nil
}

// Run checks a report once more and prints it in a form.
func (c *reportCmd) Run(e *env) error {
	if e.cli.JSON && c.As == "" && c.stdout() {
		c.As = "json"
	}
	f, err := c.choose()
	if err != nil {
		return err
	}
	if e.cli.JSON && f.Name != "json" && c.stdout() {
		return &runs.Error{Code: runs.Invalid, Message: "--json and --as " + f.Name + " exclude each other", Hint: "Leave one of them out."}
	}
	if f.Binary && c.stdout() && terminal(e.out) {
		return &runs.Error{Code: runs.Invalid, Message: "a " + f.Name + " file is not for a terminal", Hint: "Name a file: -o report" + f.Ending}
	}
	bundle, err := readBundle(e, c.Report)
	if err != nil {
		return err
	}
	printed, err := (&runs.Engine{Browser: e.printPDF}).Print(e.ctx, bundle, f)
	var failed *forms.FailedError
	if errors.As(err, &failed) {
		fmt.Fprintf(e.err, "%v; it is not printed:\n%s", err, failures(failed.Result))
		return exit(exitIntegrity)
	}
	if err != nil {
		return err
	}
	return c.write(e, map[string]any{"form": f.Name}, func(w io.Writer) error {
		_, err := w.Write(printed)
		return err
	})
}

// readBundle reads a report with all that is needed to check it: of a file, or of a run.
func readBundle(e *env, name string) (b report.Bundle, err error) {
	body, err := (&verifyCmd{Report: name}).read(e)
	if errors.Is(err, fs.ErrNotExist) { // not a file: a run
		body, err = runBundle(e, name)
	}
	if err != nil {
		return b, err
	}
	if b, err = report.ParseJSON(inner(body)); err != nil {
		code := runs.Integrity
		if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
			code = runs.Invalid
		}
		return b, &runs.Error{Code: code, Message: err.Error(), Hint: "Name a run, or a report that was written with --as json."}
	}
	return b, nil
}

// runBundle makes the report of a run again, from the record alone.
func runBundle(e *env, name string) (body []byte, err error) {
	if e.cli.Server != "" {
		err = e.withNamed(name, func(s runs.Service, id string) (err error) {
			body, err = s.Report(e.ctx, id, "json")
			return err
		})
		return body, err
	}
	err = e.withRun(name, func(d *desk, e *env, id string) error {
		result, err := d.engine.Result(e.ctx, id)
		if err != nil {
			return err
		}
		if result.JSON == nil || !result.Verified {
			return show(e, id, result)
		}
		body = result.JSON
		return nil
	})
	return body, err
}

// inner is the report in a line of research --json or of runs show --json, or all of it.
func inner(body []byte) []byte {
	var line struct {
		Report json.RawMessage `json:"report"`
	}
	if json.Unmarshal(body, &line) == nil && bytes.HasPrefix(bytes.TrimSpace(line.Report), []byte("{")) {
		return line.Report
	}
	return body
}
