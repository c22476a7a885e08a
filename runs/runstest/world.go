// Package runstest is what every runs.Service must pass, and a small world for it: runs that research three pages without a
// model.
package runstest

import (
	"context"
	"path/filepath"
	"testing"
	"testing/fstest"

	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/gate"
	"ibid/journal"
	"ibid/research"
	"ibid/research/extractive"
	"ibid/runs"
	"ibid/store"
)

// Question is one that the pages of the world answer.
const Question = "How much rain fell at Halden station in 2025?"

var pages = fstest.MapFS{
	"index.json": {Data: []byte(`{"documents":[
		{"url":"https://halden.example/rain","file":"rain.html","title":"Rain at Halden station"},
		{"url":"https://halden.example/station","file":"station.html","title":"Halden station"},
		{"url":"https://weather.example/2025","file":"year.html","title":"The year 2025"}]}`)},
	"rain.html":    {Data: []byte(`<html><title>Rain at Halden station</title><body><p>In 2025 Halden station recorded 812 millimetres of rain.</p><p>Most of the rain at Halden station fell in October 2025.</p></body></html>`)},
	"station.html": {Data: []byte(`<html><title>Halden station</title><body><p>Halden station has measured rain since 1911.</p></body></html>`)},
	"year.html":    {Data: []byte(`<html><title>The year 2025</title><body><p>The rain of 2025 at Halden station was above the average of 760 millimetres.</p></body></html>`)},
}

// Engine is an engine over a new database. Its runs ask about their plans if they are asked to.
func Engine(t testing.TB) (*runs.Engine, *store.DB) {
	t.Helper()
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	j := journal.Open(db, journal.Options{})
	e := &runs.Engine{Journal: j, Build: build(j), Configure: func(_ context.Context, r runs.Request) (research.Config, error) {
		c, err := research.New(r.Question, "quick")
		if err != nil {
			return c, &runs.Error{Code: runs.Invalid, Message: err.Error()}
		}
		c.Model, c.Approver, c.Policy = "extractive", "durable", gate.Default()
		c.Policy.AskPlan = r.AskPlan
		return c, nil
	}}
	return e, db
}

func build(j *journal.Journal) func(context.Context, research.Config, bool) (research.Parts, func() error, error) {
	return func(context.Context, research.Config, bool) (research.Parts, func() error, error) {
		shelf, err := fetch.NewOffline(pages)
		if err != nil {
			return research.Parts{}, nil, err
		}
		library := corpus.NewLibrary(corpus.LibraryConfig{Name: "bundled", Shelf: shelf, Extract: extract.Extract})
		p := research.Parts{Model: extractive.New(), Free: true, Search: library, Approver: journal.Gates{Journal: j},
			Reader: &corpus.Reader{Fetcher: shelf, Extract: extract.Extract, Known: library.Reading}}
		return p, func() error { return nil }, nil
	}
}
