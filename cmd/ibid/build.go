package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ibid/corpus"
	"ibid/corpus/bundled"
	"ibid/extract"
	"ibid/fetch"
	"ibid/gate"
	"ibid/journal"
	"ibid/research"
	"ibid/research/extractive"
	"ibid/runs"
	"ibid/search"
)

// build makes what a run works with. A replay gets a model for its codec, and nothing that could touch the world.
func (e *env) build(_ context.Context, c research.Config, replay bool) (research.Parts, func() error, error) {
	none := func() error { return nil }
	p := research.Parts{}
	if c.Model != "extractive" {
		return p, none, &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("this program has no model %q", c.Model), Hint: "The models are: extractive."}
	}
	p.Model, p.Free = extractive.New(), true
	if replay {
		p.Search, p.Reader = recorded(providerName(c)), recorded("")
		return p, none, nil
	}
	shelf, release, err := openShelf(c)
	if err != nil {
		return p, none, err
	}
	p.Search = corpus.NewLibrary(corpus.LibraryConfig{Name: providerName(c), Shelf: shelf, Extract: extract.Extract})
	p.Reader = &corpus.Reader{Fetcher: shelf, Extract: extract.Extract}
	switch c.Approver {
	case "auto", "":
		p.Approver = gate.Auto{}
	case "console":
		p.Approver = gate.NewConsole(e.in, e.err)
	case "deny":
		p.Approver = gate.Deny{}
	case "durable":
		p.Approver = journal.Gates{Journal: e.journal}
	default:
		return p, release, &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("there is no approver %q", c.Approver), Hint: "The approvers are: auto, console, deny, durable."}
	}
	return p, release, nil
}

// recorded stands in a replay where a run had its searches and reads: it has the name that is on record, and should
// anything ask it, says that nothing is performed.
type recorded string

func (r recorded) Name() string { return string(r) }

func (recorded) Search(context.Context, string, int) (search.Answer, error) {
	return search.Answer{}, errReplay
}

func (recorded) Read(context.Context, string) (*corpus.Reading, error) { return nil, errReplay }

var errReplay = errors.New("a replay performs nothing")

// providerName names where a run searches; it is part of what is recorded of a search.
func providerName(c research.Config) string {
	switch {
	case c.Files != "":
		return "folder"
	case c.Corpus != "":
		return "corpus"
	}
	return "bundled"
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
	}
	o, err := fetch.NewOffline(bundled.FS)
	return o, none, err
}
