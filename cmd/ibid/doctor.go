package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ibid/corpus/bundled"
	"ibid/extract"
	"ibid/fetch"
	"ibid/gate"
	"ibid/journal"
	"ibid/runs"
)

// withDesk opens the store for one command.
func (e *env) withDesk(f func(*desk) error) error {
	d, err := e.desk()
	if err != nil {
		return err
	}
	defer d.close()
	return f(d)
}

// notFound says which run is missing.
func (d *desk) notFound(id string, err error) error {
	if errors.Is(err, journal.ErrNotFound) {
		return &runs.Error{Code: runs.NotFound, Message: "there is no run " + id, Hint: "See them with: ibid runs list"}
	}
	return err
}

// ask passes a wish on to a run.
func (d *desk) ask(e *env, name string, do func(context.Context, string) error, done string) error {
	id, err := d.id(e, name)
	if err != nil {
		return err
	}
	if err := do(e.ctx, id); err != nil {
		return d.notFound(id, err)
	}
	fmt.Fprintf(e.err, "run %s %s\n", id, done)
	return nil
}

type doctorCmd struct{}

// Run checks what a run needs, one line each. It ends with 1 if something is broken and 4 if something is missing.
func (doctorCmd) Run(e *env) error {
	type check struct {
		Name  string `json:"name"`
		OK    bool   `json:"ok"`
		Found string `json:"found"`
	}
	var list []check
	add := func(name string, found string, err error) {
		if err != nil {
			found = err.Error()
		}
		list = append(list, check{name, err == nil, found})
	}
	home, err := e.home()
	add("folder for runs", home, err)
	d, err := e.desk()
	if err == nil {
		defer d.close()
		var n []journal.Info
		n, err = d.journal.Runs(e.ctx, 1000)
		add("store", fmt.Sprintf("%d runs", len(n)), err)
	} else {
		add("store", "", err)
	}
	shelf, err := fetch.NewOffline(bundled.FS)
	if err == nil {
		add("bundled corpus", fmt.Sprintf("%d documents", len(shelf.Entries())), nil)
	} else {
		add("bundled corpus", "", err)
	}
	add("model", "extractive: needs no key and no network", nil)
	clock := time.Now()
	if clock.Year() < 2026 {
		err = fmt.Errorf("it says %s; times in reports would be wrong", clock.Format(time.DateOnly))
	}
	add("clock", clock.UTC().Format(time.RFC3339), err)
	broken := false
	for _, c := range list {
		broken = broken || !c.OK
		if !e.cli.JSON {
			mark := "ok  "
			if !c.OK {
				mark = "FAIL"
			}
			fmt.Fprintf(e.out, "%s  %-16s %s\n", mark, c.Name, c.Found)
		}
	}
	if e.cli.JSON {
		if err := json.NewEncoder(e.out).Encode(list); err != nil {
			return err
		}
	}
	if broken {
		return exit(exitConfig)
	}
	return nil
}

type extractCmd struct {
	Source string `arg:"" help:"A file, a URL of the corpus, or - for stdin."`
	Corpus string `help:"Offline corpus that the URL is in; the bundled one if left out." placeholder:"DIR" type:"existingdir"`
	Type   string `help:"Content type, where the bytes do not say it." placeholder:"TYPE"`
	All    bool   `help:"Also blocks that may not be quoted."`
}

// Run prints what ibid reads: a line for each span, its locator first.
func (c *extractCmd) Run(e *env) error {
	in, err := c.input(e)
	if err != nil {
		return err
	}
	page, err := extract.Extract(e.ctx, in)
	if err != nil {
		return &runs.Error{Code: runs.Invalid, Message: "extracting", Err: err}
	}
	if e.cli.JSON {
		return json.NewEncoder(e.out).Encode(page)
	}
	fmt.Fprintf(e.err, "%s: %s (%s, %s)\n", in.URL, gate.Printable(page.Title), page.Kind, page.By)
	if len(page.Flags) > 0 {
		fmt.Fprintf(e.err, "flags: %s\n", strings.Join(page.Flags, ", "))
	}
	for _, b := range page.Blocks {
		if b.Quotable || c.All {
			fmt.Fprintf(e.out, "%s\t%s\n", b.Locator, gate.Printable(b.Text))
		}
	}
	return nil
}

// input reads the document from where it is.
func (c *extractCmd) input(e *env) (extract.Input, error) {
	in := extract.Input{URL: c.Source, ContentType: c.Type}
	if c.Source == "-" {
		body, err := io.ReadAll(io.LimitReader(e.in, fetch.MaxFile))
		in.Body, in.URL = body, "stdin"
		return in, err
	}
	if u, err := url.Parse(c.Source); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		files := bundled.FS
		var shelf *fetch.Offline
		if c.Corpus != "" {
			shelf, err = fetch.NewOffline(os.DirFS(c.Corpus))
		} else {
			shelf, err = fetch.NewOffline(files)
		}
		if err != nil {
			return in, &runs.Error{Code: runs.Unready, Message: "opening the corpus", Err: err}
		}
		doc, err := shelf.Fetch(e.ctx, c.Source)
		if err != nil {
			return in, &runs.Error{Code: runs.NotFound, Message: err.Error()}
		}
		in.URL, in.Body = doc.URL, doc.Body
		if in.ContentType == "" {
			in.ContentType = doc.ContentType
		}
		return in, nil
	}
	abs, err := filepath.Abs(c.Source)
	if err != nil {
		return in, err
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return in, &runs.Error{Code: runs.NotFound, Message: "reading the file", Err: err}
	case !info.Mode().IsRegular():
		return in, &runs.Error{Code: runs.Invalid, Message: c.Source + " is not a regular file"}
	case info.Size() > fetch.MaxFile:
		return in, &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("%s has %d bytes; %d is the limit", c.Source, info.Size(), fetch.MaxFile)}
	}
	in.URL = (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String()
	in.Body, err = os.ReadFile(abs)
	return in, err
}
