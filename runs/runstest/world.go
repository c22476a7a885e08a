// Package runstest is what every runs.Service must pass, and a small world for it: runs that research three pages without a
// model.
package runstest

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/gate"
	"ibid/journal"
	"ibid/llm"
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
		p := research.Parts{Model: boastful{extractive.New(extractive.ID)}, Free: true, Search: library, Approver: journal.Gates{Journal: j},
			Reader: &corpus.Reader{Fetcher: shelf, Extract: extract.Extract, Known: library.Reading}}
		return p, func() error { return nil }, nil
	}
}

// boastful is the researcher without a model, but that it first offers what its quote does not say, and a quote that is none.
type boastful struct{ llm.Model }

func (m boastful) Decode(body []byte) (llm.Response, error) {
	r, err := m.Model.Decode(body)
	for _, b := range r.Blocks {
		if b.Call == nil || b.Call.Name != "record_finding" || !strings.Contains(b.Call.Args, "recorded 812 millimetres") {
			continue
		}
		for i, change := range []string{"claim", "quote"} {
			var args map[string]string
			if err := json.Unmarshal([]byte(b.Call.Args), &args); err != nil {
				return r, err
			}
			args[change] = strings.Replace(args[change], "812", "821", 1)
			text, err := json.Marshal(args)
			if err != nil {
				return r, err
			}
			r.Blocks = slices.Insert(r.Blocks, 0, llm.Block{Call: &llm.ToolCall{ID: fmt.Sprintf("%s-%d", b.Call.ID, i), Name: b.Call.Name, Args: string(text)}})
		}
		break
	}
	return r, err
}
