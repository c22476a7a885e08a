package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ibid/corpus/bundled"
	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
	"ibid/gate"
	"ibid/runs"
)

type extractCmd struct {
	Sources  []rawPath `arg:"" name:"source" help:"Files, URLs of the corpus, or - for stdin."`
	Corpus   string    `help:"Offline corpus that the URLs are in; the bundled one if left out." placeholder:"DIR" type:"existingdir"`
	Type     string    `help:"Content type, where the bytes do not say it." placeholder:"TYPE"`
	Markdown bool      `help:"The main content as Markdown." xor:"form"`
	Text     bool      `help:"The main content as plain text, a block a line, without locators." xor:"form"`
	All      bool      `name:"all-blocks" aliases:"all" help:"Also blocks that may not be quoted: navigation, comments, notices."`
	Find     string    `help:"Where these words stand: the span that holds the quote, word for word, and its place in the document." placeholder:"QUOTE"`
	OCR      bool      `help:"Recognise the text of scanned pages with the tesseract program."`
	Live     bool      `help:"Read the URLs from the live web."`
}

// Run prints what ibid reads in each source: a line for each span, its locator first. A source that cannot be read is
// told, and the others are still read.
func (c *extractCmd) Run(e *env) error {
	x := e.newExtractor(c.OCR)
	defer x.Close()
	var failed error
	for _, source := range c.Sources {
		if err := c.one(e, x, string(source)); err != nil {
			if len(c.Sources) > 1 {
				fmt.Fprintf(e.err, "ibid: %v\n", err)
			}
			failed = err
		}
	}
	if failed != nil && len(c.Sources) > 1 {
		return exit(exitCode(failed))
	}
	return failed
}

func (c *extractCmd) one(e *env, x *extract.Extractor, source string) error {
	in, err := c.input(e, source)
	if err != nil {
		return err
	}
	page, err := x.Extract(e.ctx, in)
	if err != nil {
		return &runs.Error{Code: runs.Invalid, Message: "extracting", Err: err}
	}
	if c.Find != "" {
		return c.find(e, x, in, page)
	}
	if e.cli.JSON {
		return json.NewEncoder(e.out).Encode(page)
	}
	fmt.Fprintf(e.err, "%s: %s (%s, %s)\n", in.URL, gate.Printable(page.Title), page.Kind, page.By)
	invisible := 0
	for _, b := range page.Blocks {
		invisible += evidence.CountInvisible(b.Text)
	}
	if invisible > 0 {
		fmt.Fprintf(e.err, "invisible characters: %d\n", invisible)
	}
	if len(page.Flags) > 0 {
		fmt.Fprintf(e.err, "flags: %s\n", strings.Join(page.Flags, ", "))
	}
	switch {
	case c.Markdown:
		return printLines(e.out, page.Markdown(c.All))
	case c.Text:
		return printLines(e.out, page.Text(c.All))
	}
	for _, b := range page.Blocks {
		if b.Quotable || c.All {
			fmt.Fprintf(e.out, "%s\t%s\n", b.Locator, gate.Printable(b.Text))
		}
	}
	return nil
}

// printLines writes a text without what could steer a terminal.
func printLines(w io.Writer, text string) error {
	for line := range strings.Lines(text) {
		if _, err := fmt.Fprintln(w, gate.Printable(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

// input reads the document from where it is.
func (c *extractCmd) input(e *env, source string) (extract.Input, error) {
	in := extract.Input{URL: source, ContentType: c.Type}
	if source == "-" {
		body, err := io.ReadAll(io.LimitReader(e.in, fetch.MaxFile))
		in.Body, in.URL = body, "stdin"
		return in, err
	}
	if c.Live {
		return c.live(e, in)
	}
	if u, err := url.Parse(source); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		var files fs.FS = bundled.FS
		if c.Corpus != "" {
			files = os.DirFS(c.Corpus)
		}
		shelf, err := fetch.NewOffline(files)
		if err != nil {
			return in, &runs.Error{Code: runs.Unready, Message: "opening the corpus", Err: err}
		}
		doc, err := shelf.Fetch(e.ctx, source)
		if err != nil {
			return in, &runs.Error{Code: runs.NotFound, Message: err.Error(), Hint: "--live reads it from the web."}
		}
		in.URL, in.Body = doc.URL, doc.Body
		if in.ContentType == "" {
			in.ContentType = doc.ContentType
		}
		return in, nil
	}
	abs, err := filepath.Abs(source)
	if err != nil {
		return in, err
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return in, &runs.Error{Code: runs.NotFound, Message: "reading the file", Err: err}
	case !info.Mode().IsRegular():
		return in, &runs.Error{Code: runs.Invalid, Message: source + " is not a regular file"}
	case info.Size() > fetch.MaxFile:
		return in, &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("%s has %d bytes; %d is the limit", source, info.Size(), fetch.MaxFile)}
	}
	in.URL = (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String()
	in.Body, err = os.ReadFile(abs)
	return in, err
}

// live reads a page from the web, also where it leads to another site: a person named it.
func (c *extractCmd) live(e *env, in extract.Input) (extract.Input, error) {
	err := e.withDesk(func(d *desk) error {
		web, _, _, err := e.web(fetch.NewCache(d.db, time.Now), []string{in.URL})
		if err != nil {
			return err
		}
		anywhere := func(string) bool { return true }
		doc, err := fetch.Follow(in.URL, anywhere, func(url string) (*fetch.Document, error) { return web.Fetch(e.ctx, url) })
		if err != nil {
			return err
		}
		in.URL, in.Body = doc.URL, doc.Body
		in.ContentType = cmp.Or(in.ContentType, doc.ContentType)
		return nil
	})
	return in, err
}
