package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/foreign"
	"ibid/gate"
	"ibid/research"
	"ibid/runs"
)

type checkCmd struct {
	Report     string        `arg:"" help:"The report: Markdown, HTML, Word or another document, or - for stdin."`
	Files      string        `help:"Read its sources from this folder: by their files' names or their titles." placeholder:"DIR" type:"existingdir" xor:"where" config:"-"`
	Corpus     string        `help:"Read its sources from this offline corpus: a folder with an index.json." placeholder:"DIR" type:"existingdir" xor:"where" config:"-"`
	Unread     bool          `name:"no-sources" help:"Read no source: only what the report itself shows."`
	MaxSources int           `help:"Limit of sources that are read." default:"200"`
	MaxMiB     int64         `name:"max-mib" help:"Limit of mebibytes of all sources together." default:"256"`
	MaxTime    time.Duration `help:"Limit of time for reading them." default:"10m"`
	Render     bool          `help:"Run the scripts of live pages that need it, in a browser."`
	OCR        bool          `help:"Recognise the text of scanned pages with the tesseract program."`
}

// Run checks a report that ibid did not write. It ends with 5 if a claim that cites something is not supported or a citation
// leads nowhere, with 3 if nothing of the kind was seen and not every source was asked. An interrupt ends the reading, and
// what is there is told.
func (c *checkCmd) Run(e *env) error {
	if c.MaxSources < 1 || c.MaxMiB < 1 || c.MaxTime <= 0 {
		return &runs.Error{Code: runs.Invalid, Message: "a limit is not positive", Hint: "Leave it out for the default."}
	}
	body, err := readReport(e, c.Report)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &runs.Error{Code: runs.NotFound, Message: "there is no report " + c.Report}
	case err != nil:
		return &runs.Error{Code: runs.Invalid, Message: "reading the report", Err: err}
	}
	if strings.HasSuffix(c.Report, ".wacz") || strings.HasPrefix(strings.TrimSpace(string(body[:min(len(body), 64)])), "{") {
		return &runs.Error{Code: runs.Invalid, Message: c.Report + " is a bundle, or JSON", Hint: "A report of ibid in one of these forms is checked with: ibid verify FILE"}
	}
	x := e.newExtractor(c.OCR)
	defer x.Close()
	report, err := c.report(e, x, body)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(e.ctx, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the program
	o := foreign.Options{MaxSources: c.MaxSources, MaxBytes: c.MaxMiB << 20, Time: c.MaxTime, Progress: e.sourceRead}
	var result foreign.Result
	work := func() error {
		result, err = foreign.Check(ctx, report, o)
		return err
	}
	switch {
	case c.Unread:
		err = work()
	case c.Files != "" || c.Corpus != "":
		err = c.onShelf(ctx, e, x, &o, work)
	default:
		err = c.onWeb(e, x, &o, work)
	}
	if err != nil {
		return checkFailed(err)
	}
	return tellCheck(e, result)
}

// onWeb checks with the sources on the live web.
func (c *checkCmd) onWeb(e *env, x *extract.Extractor, o *foreign.Options, work func() error) error {
	return e.withDesk(func(d *desk) error { return c.overCache(e, fetch.NewCache(d.db, time.Now), x, o, work) })
}

// overCache is onWeb with a store that is open.
func (c *checkCmd) overCache(e *env, cache *fetch.Cache, x *extract.Extractor, o *foreign.Options, work func() error) error {
	web, client, _, err := e.web(cache, nil)
	if err != nil {
		return err
	}
	var rendered research.Reader
	if c.Render {
		if rendered, err = e.renderer(research.Config{Render: "allow"}, client); err != nil {
			return err
		}
	}
	reader := &corpus.Reader{Fetcher: web, Extract: x.Extract}
	o.Read = func(ctx context.Context, address string) (*corpus.Reading, error) {
		got, err := readThrough(ctx, reader, address)
		var u *fetch.Unavailable
		if rendered != nil && errors.As(err, &u) && u.Outcome == fetch.JSRequired {
			return rendered.Read(ctx, address)
		}
		return got, err
	}
	return work()
}

// readThrough reads an address of a report, also where it leads to another site: a report's links do, and no page of a source
// adds any.
func readThrough(ctx context.Context, r *corpus.Reader, address string) (*corpus.Reading, error) {
	if u, err := url.Parse(address); err == nil && u.Scheme == "" {
		return nil, &fetch.Unavailable{URL: address, Outcome: fetch.Refused, Reason: "the address is relative to where the report lies; --files names the folder of its sources"}
	}
	anywhere := func(string) bool { return true }
	return fetch.Follow(address, anywhere, func(url string) (*corpus.Reading, error) { return r.Read(ctx, url) })
}

// onShelf checks with the sources on disk.
func (c *checkCmd) onShelf(ctx context.Context, e *env, x *extract.Extractor, o *foreign.Options, work func() error) error {
	var shelf corpus.Shelf
	folder := ""
	if c.Files != "" {
		f, err := fetch.NewFolder(c.Files, time.Now)
		if err != nil {
			return &runs.Error{Code: runs.Unready, Message: "opening the documents", Err: err}
		}
		defer f.Close()
		shelf, folder = f, fileAddress(c.Files)
	} else {
		f, err := fetch.NewOffline(os.DirFS(c.Corpus))
		if err != nil {
			return &runs.Error{Code: runs.Unready, Message: "opening the corpus " + c.Corpus, Err: err}
		}
		shelf = f
	}
	readyForPDFs(ctx, x, shelf)
	s := foreign.NewShelf(shelf, x.Extract, folder, fileAddress(c.Report))
	o.Read, o.Find = s.Read, s.Find
	return work()
}

func fileAddress(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String()
}

// report finds out what the report is: HTML and Markdown are read as such, other documents as ibid reads them.
func (c *checkCmd) report(e *env, x *extract.Extractor, body []byte) (foreign.Report, error) {
	r := foreign.Report{Name: c.Report, Text: body}
	if c.Report == "-" {
		r.Name = "stdin"
	}
	head := strings.ToLower(string(bytes.TrimSpace(body[:min(len(body), 512)])))
	ext := strings.ToLower(path.Ext(c.Report))
	switch {
	case ext == ".html", ext == ".htm", ext == ".xhtml", strings.HasPrefix(head, "<!doctype html"), strings.HasPrefix(head, "<html"):
		r.HTML = true
		return r, nil
	case len(bytes.TrimSpace(body)) == 0:
		return r, &runs.Error{Code: runs.Invalid, Message: "the report is empty"}
	case ext == ".md", ext == ".markdown", ext == ".txt", !bytes.HasPrefix(body, []byte("PK")) && !bytes.HasPrefix(body, []byte("%PDF-")):
		if bytes.IndexByte(body, 0) >= 0 && !bytes.HasPrefix(body, []byte("\xFF\xFE")) && !bytes.HasPrefix(body, []byte("\xFE\xFF")) {
			return r, &runs.Error{Code: runs.Invalid, Message: r.Name + " is no text", Hint: "A report is Markdown, HTML, Word, PDF or another document that ibid extract reads."}
		}
		return r, nil
	}
	page, err := x.Extract(e.ctx, extract.Input{URL: fileAddress(c.Report), Body: body})
	if err != nil {
		return r, &runs.Error{Code: runs.Invalid, Message: "reading the report", Err: err}
	}
	r.Page, r.Text = page, nil
	return r, nil
}

// sourceRead tells on stderr that a source was read, or why it was not.
func (e *env) sourceRead(done, all int, r foreign.Reference) {
	if e.cli.Quiet {
		return
	}
	what := string(r.State)
	if r.Outcome != "" {
		what += ", " + r.Outcome
	}
	at := r.Address
	if at == "" {
		at = r.ID
	}
	fmt.Fprintf(e.err, "%d/%d %s: %s\n", done, all, gate.Printable(at), strings.ReplaceAll(what, "_", " "))
}

func checkFailed(err error) error {
	var bad *foreign.BadReport
	if errors.As(err, &bad) {
		return &runs.Error{Code: runs.Invalid, Message: bad.Error()}
	}
	return err
}

func tellCheck(e *env, r foreign.Result) error {
	var err error
	if e.cli.JSON {
		enc := json.NewEncoder(e.out)
		enc.SetEscapeHTML(false)
		err = enc.Encode(r)
	} else {
		err = foreign.Print(e.out, r)
	}
	cites := len(r.References) > 0 || slices.ContainsFunc(r.Claims, func(c foreign.Claim) bool { return len(c.Marks) > 0 })
	switch {
	case err != nil:
		return fmt.Errorf("writing what was found: %w", err)
	case !cites && r.OK:
		fmt.Fprintln(e.err, "ibid: nothing in this report cites a source, so there was nothing to check")
		return exit(exitIncomplete)
	case !r.Complete && r.Sound():
		return exit(exitIncomplete)
	case !r.OK:
		return exit(exitIntegrity)
	}
	return nil
}
