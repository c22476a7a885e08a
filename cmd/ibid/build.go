package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ibid/corpus"
	"ibid/corpus/bundled"
	"ibid/fetch"
	"ibid/gate"
	"ibid/journal"
	"ibid/mcp/client"
	"ibid/research"
	"ibid/runs"
	"ibid/search"
)

// build makes what a run works with. A replay gets a model for its codec, and nothing that could touch the world.
func (e *env) build(_ context.Context, c research.Config, replay bool) (research.Parts, func() error, error) {
	none := func() error { return nil }
	p := research.Parts{SearchPrice: c.SearchPrice}
	if err := e.model(c, &p, replay); err != nil {
		return p, none, err
	}
	if replay {
		p.Reader, p.Given = recorded(""), recorded("").given
		if searches(c) {
			p.Search = recorded(providerName(c))
		}
		if c.Render == "ask" || c.Render == "allow" {
			p.Renderer = recorded("")
		}
		return p, none, nil
	}
	release, err := e.sources(c, &p)
	if err == nil && c.Knowledge != nil {
		p.Base, err = e.base()
	}
	if err != nil {
		return p, release, err
	}
	if len(c.Servers) > 0 {
		tools, sources := &callers{e: e, open: map[string]*client.Server{}}, release
		p.Caller, release = tools, func() error { return errors.Join(tools.close(), sources()) }
	}
	switch c.Approver {
	case "auto", "":
		p.Approver = gate.Auto{}
	case "console":
		console := gate.NewConsole(e.in, e.err)
		console.Stopped = e.stopped
		p.Approver = console
	case "deny":
		p.Approver = gate.Deny{}
	case "plan":
		p.Approver = onPlans(e.journal)
	case "durable":
		p.Approver = journal.Gates{Journal: e.journal}
	default:
		return p, release, &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("there is no approver %q", c.Approver), Hint: "The approvers are: auto, console, deny, durable, plan."}
	}
	return p, release, nil
}

// sources opens where a run searches and reads.
func (e *env) sources(c research.Config, p *research.Parts) (release func() error, err error) {
	x := e.newExtractor(c.OCR == "allow")
	release = x.Close
	read := bundled.Extract(x.Extract)
	local := len(c.Search) == 0 && searches(c) || slices.Contains(c.Search, localSearch)
	var fetcher fetch.Fetcher
	var shelf corpus.Shelf
	var known func(url string) *corpus.Reading
	var library *corpus.Library
	if local {
		var closed func() error
		if shelf, closed, err = openShelf(c); err != nil {
			return closed, err
		}
		release = func() error { return errors.Join(x.Close(), closed()) }
		if c.Files != "" || c.Corpus != "" || c.Workspace != "" {
			readyForPDFs(e.ctx, x, shelf)
		}
		if folder, ok := shelf.(*fetch.Folder); ok {
			e.sayFolder(folder, cmp.Or(c.Files, c.Workspace))
		}
		name := providerName(c)
		if len(c.Search) > 0 {
			name = localSearch
		}
		embeddings, err := e.embeddings()
		if err != nil {
			return release, err
		}
		if embeddings != nil && !e.cli.Quiet {
			embeddings.Say = func(what string) { fmt.Fprintln(e.err, what) }
			if e.unpricedEmbeddings(embeddings) {
				fmt.Fprintf(e.err, "there is no price for embeddings with %s: what they cost is not known\n", embeddings.Name)
			}
		}
		library = corpus.NewLibrary(corpus.LibraryConfig{Name: name, Shelf: shelf, Extract: read, Embeddings: embeddings, Kept: e.kept(c, shelf)})
		p.Search, fetcher, known = library, shelf, library.Reading
	}
	if c.Workspace != "" {
		own, closed, err := e.workspace(c, x, shelf, library)
		before := release
		release = func() error { return errors.Join(before(), closed()) }
		if err != nil {
			return release, err
		}
		p.Workspace = own
	}
	if len(c.Search) > 0 {
		if p.Search, err = e.providers(c, p.Search); err != nil {
			return release, err
		}
	}
	if len(c.Search) > 0 || c.Model == research.Outside { // a researcher outside names pages, too
		web, client, branch, err := e.web(fetch.NewCache(e.db, time.Now), research.TypedURLs(c.Question))
		if err != nil {
			return release, err
		}
		if p.Renderer, err = e.renderer(c, client); err != nil {
			return release, err
		}
		over := func(web fetch.Fetcher) fetch.Fetcher {
			if local {
				return fetch.Either{Shelf: shelf, Web: web}
			}
			return web
		}
		fetcher = over(web)
		p.Branch = func(p research.Parts) research.Parts {
			p.Reader = &corpus.Reader{Fetcher: over(branch()), Extract: read, Known: known}
			return p
		}
	}
	p.Reader = &corpus.Reader{Fetcher: fetcher, Extract: read, Known: known}
	p.Given = func(ctx context.Context, url string, body []byte) (*corpus.Reading, error) {
		return corpus.Extractor(read).Given(ctx, &fetch.Document{Requested: url, URL: url, Body: body, Fetched: time.Now().UTC().Truncate(time.Second)})
	}
	return release, nil
}

// searches says whether a run can search. A researcher outside has the bundled corpus only where it is asked for: it is all
// invented.
func searches(c research.Config) bool {
	return c.Model != research.Outside || len(c.Search) > 0 || c.Files != "" || c.Corpus != ""
}

// recorded stands in a replay where a run had its searches and reads: it has the name that is on record, and should
// anything ask it, says that nothing is performed.
type recorded string

func (r recorded) Name() string { return string(r) }

func (recorded) Search(context.Context, string, int) (search.Answer, error) {
	return search.Answer{}, errReplay
}

func (recorded) Read(context.Context, string) (*corpus.Reading, error) { return nil, errReplay }

func (recorded) given(context.Context, string, []byte) (*corpus.Reading, error) {
	return nil, errReplay
}

var errReplay = errors.New("a replay performs nothing")

// providerName names where a run searches; it is part of what is recorded of a search.
func providerName(c research.Config) string {
	switch {
	case len(c.Search) > 0:
		return strings.Join(c.Search, "+")
	case c.Files != "":
		return "folder"
	case c.Corpus != "":
		return "corpus"
	case c.Workspace != "":
		return "workspace"
	}
	return "bundled"
}

// sayFolder says what may surprise of a folder of documents.
func (e *env) sayFolder(f *fetch.Folder, name string) {
	if f.Cut() {
		fmt.Fprintf(e.err, "%s holds more documents than are seen: some are left out\n", name)
	}
	if len(f.Entries()) == 0 {
		fmt.Fprintf(e.err, "%s holds no document that can be read: text, PDFs, office documents and books are, in files that are not hidden\n", name)
	}
}

// openShelf opens the documents that a run researches.
func openShelf(c research.Config) (corpus.Shelf, func() error, error) {
	none := func() error { return nil }
	switch {
	case c.Files != "":
		f, err := fetch.NewFolder(c.Files, time.Now)
		if err != nil {
			return nil, none, &runs.Error{Code: runs.Unready, Message: "opening the documents", Err: err}
		}
		return f, f.Close, nil
	case c.Corpus != "":
		o, err := fetch.NewOffline(os.DirFS(c.Corpus))
		if err != nil {
			return nil, none, &runs.Error{Code: runs.Unready, Message: "opening the corpus " + c.Corpus, Err: err}
		}
		return o, none, nil
	case c.Workspace != "":
		_, folder, closed, err := openWorkspace(c.Workspace)
		if err != nil { // an interface that holds nothing is not nil
			return nil, closed, err
		}
		return folder, closed, nil
	}
	o, err := fetch.NewOffline(bundled.FS)
	return o, none, err
}
