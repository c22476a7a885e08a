package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"ibid/audit"
	"ibid/bundle"
	"ibid/gate"
	"ibid/journal"
	"ibid/runs"
	"ibid/store"
)

type bundleCmd struct {
	ID  string `arg:"" name:"run" help:"The run's id, or 'last'."`
	Out string `short:"o" help:"The file to write; RUN.wacz if left out, - for stdout." placeholder:"FILE"`
}

// Run writes the bundle, after it has been checked as anybody would check it.
func (c *bundleCmd) Run(e *env) error {
	if e.cli.Server != "" {
		return e.withNamed(c.ID, func(s runs.Service, id string) error {
			data, err := s.Pack(e.ctx, id)
			if err != nil {
				return err
			}
			check, err := e.verifyBundle(data, nil, nil)
			if err != nil {
				return err
			}
			if !check.OK {
				return &runs.Error{Code: runs.Integrity, Message: "the server's bundle of run " + id + " does not pass its check and is not written:\n" + bundleFailures(check)}
			}
			return c.write(e, id, data, check)
		})
	}
	return e.withRun(c.ID, func(d *desk, e *env, id string) error {
		data, check, err := d.pack(e.ctx, e, id)
		if err != nil {
			return err
		}
		return c.write(e, id, data, check)
	})
}

// pack makes the bundle of a run and checks it.
func (d *desk) pack(ctx context.Context, e *env, id string) ([]byte, bundle.Result, error) {
	signer, verifier, err := e.signer()
	if err != nil {
		return nil, bundle.Result{}, err
	}
	result, err := d.engine.Result(ctx, id)
	switch {
	case err != nil:
		return nil, bundle.Result{}, err
	case !result.Verified:
		return nil, bundle.Result{}, &runs.Error{Code: runs.Integrity, Message: "the report of run " + id + " did not pass its check, so there is nothing to bundle", Hint: "See why: ibid verify " + id}
	}
	var exported bytes.Buffer
	if err := d.journal.Export(ctx, id, &exported); err != nil {
		return nil, bundle.Result{}, err
	}
	data, err := bundle.Make(bundle.Input{Report: result.JSON, Journal: exported.Bytes(), Program: programVersion(), Signer: signer,
		Raw: func(sha string) ([]byte, error) { return d.journal.Blob(ctx, sha) }})
	if err != nil {
		return nil, bundle.Result{}, &runs.Error{Code: runs.Integrity, Message: "bundling run " + id, Err: err}
	}
	check, err := e.verifyBundle(data, verifier, nil)
	if err != nil {
		return nil, check, err
	}
	if !check.OK {
		return nil, check, &runs.Error{Code: runs.Integrity, Message: "the bundle of run " + id + " does not pass its own check and is not written:\n" + bundleFailures(check)}
	}
	return data, check, nil
}

func (c *bundleCmd) write(e *env, id string, data []byte, check bundle.Result) error {
	if c.Out == "-" {
		_, err := e.out.Write(data)
		return err
	}
	path := c.Out
	if path == "" {
		path = id + ".wacz"
	}
	if _, err := writeFile(path, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
		return fmt.Errorf("writing the bundle %s: %w", path, err)
	}
	if e.cli.JSON {
		return json.NewEncoder(e.out).Encode(struct {
			File   string `json:"file"`
			Run    string `json:"run"`
			Bytes  int    `json:"bytes"`
			Root   string `json:"root"`
			Leaves int64  `json:"leaves"`
			Signer string `json:"signer,omitempty"`
		}{path, id, len(data), check.Root, check.Leaves, check.Signer})
	}
	fmt.Fprintln(e.out, path)
	fmt.Fprintf(e.err, "run %s: %s, %s, root %s%s\ncheck it anywhere: ibid verify %s\n", id, count(check.Sources, "source"), size(int64(len(data))), check.Root, signedBy(check), path)
	return nil
}

func signedBy(r bundle.Result) string {
	switch {
	case r.Signer == "":
		return ", not signed"
	case r.Trusted:
		return ", signed by " + gate.Printable(r.Signer)
	}
	return ", signed by " + gate.Printable(r.Signer) + " (checked only with their public key: --key)"
}

// verifyBundle checks a bundle by itself: no network, no store of this machine. markdown, if not nil, is another report of
// its run.
func (e *env) verifyBundle(data []byte, verifier note.Verifier, markdown []byte) (bundle.Result, error) {
	x, scans := e.newExtractor(false), e.newExtractor(true)
	defer x.Close()
	defer scans.Close()
	return bundle.Verify(e.ctx, data, bundle.Options{Program: programVersion(), Extract: x.Extract, Recognise: scans.Extract, Verifier: verifier, Markdown: markdown, Replay: e.replayElsewhere})
}

// replayElsewhere runs a journal again in a store of its own, which is gone afterwards.
func (e *env) replayElsewhere(ctx context.Context, run string, text []byte) (report []byte, err error) {
	dir, err := os.MkdirTemp("", "ibid-verify-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := store.Open(ctx, filepath.Join(dir, "ibid.db"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	j := journal.Open(db, journal.Options{})
	id, err := j.Import(ctx, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if run != "" && id != run {
		return nil, fmt.Errorf("the journal is of run %s", id)
	}
	elsewhere := *e
	elsewhere.db, elsewhere.journal = db, j
	result, err := (&runs.Engine{Journal: j, Build: elsewhere.build}).Result(ctx, id)
	if err != nil {
		return nil, err
	}
	return result.JSON, nil
}

// bundleFailures lists what a check of a bundle found.
func bundleFailures(r bundle.Result) string {
	var b strings.Builder
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", gate.Printable(n))
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "block %s", p.Code)
		if p.Where != "" {
			fmt.Fprintf(&b, " (%s)", gate.Printable(p.Where))
		}
		fmt.Fprintf(&b, ": %s\n", gate.Printable(p.Message))
	}
	for _, f := range r.Check.Failures {
		if f.Severity != audit.Block { // those stand among the problems
			b.WriteString(failureLine(f))
		}
	}
	if !r.OK {
		fmt.Fprintf(&b, "not verified: %s\n", count(len(r.Problems), "problem"))
		return b.String()
	}
	fmt.Fprintf(&b, "verified: run %s, %s read again, %s, %s; root %s over %d leaves%s", r.Run, count(r.Sources, "source"), count(r.Check.Claims, "claim"), count(r.Check.Citations, "citation"), r.Root, r.Leaves, signedBy(r))
	if n := r.Check.Count(audit.Flag); n > 0 {
		fmt.Fprintf(&b, "; %d to look at", n)
	}
	if n := r.Check.Count(audit.Accepted); n > 0 {
		fmt.Fprintf(&b, "; %d accepted by a person", n)
	}
	b.WriteByte('\n')
	return b.String()
}
