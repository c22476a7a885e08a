package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/gate"
	"ibid/internal/pgtest"
	"ibid/journal"
	"ibid/knowledge"
	"ibid/research"
	"ibid/research/extractive"
	"ibid/runs"
	"ibid/server/hooks"
	"ibid/store"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

// What holds over SQLite holds over PostgreSQL.
func TestPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("the same once more")
	}
	t.Setenv("SERVER_TEST_POSTGRES", pgtest.Start(t).URL())
	for _, test := range []struct {
		name string
		f    func(*testing.T)
	}{
		{"client from the document", TestDocumentDrivesARun}, {"whose it is", TestForeignObjects}, {"tokens", TestTokens}, {"once", TestOneRunForOneKey},
		{"limits of users", TestLimitsOfUsers}, {"cut off", TestCutOff},
	} {
		t.Run(test.name, test.f)
	}
}

// A world is a server over a database of its own, whose runs research three pages without a model.
type world struct {
	*httptest.Server
	t      testing.TB
	db     *store.DB
	engine *runs.Engine
	api    *Server
	tokens map[string]string
	log    *logged
}

// logged is what a server says of itself.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

const question = "How much rain fell at Halden station in 2025?"

var pages = fstest.MapFS{
	"index.json": {Data: []byte(`{"documents":[
		{"url":"https://halden.example/rain","file":"rain.html","title":"Rain at Halden station"},
		{"url":"https://halden.example/station","file":"station.html","title":"Halden station"},
		{"url":"https://weather.example/2025","file":"year.html","title":"The year 2025"}]}`)},
	"rain.html":    {Data: []byte(`<html><title>Rain at Halden station</title><body><p>In 2025 Halden station recorded 812 millimetres of rain.</p><p>Most of the rain at Halden station fell in October 2025.</p></body></html>`)},
	"station.html": {Data: []byte(`<html><title>Halden station</title><body><p>Halden station has measured rain since 1911.</p></body></html>`)},
	"year.html":    {Data: []byte(`<html><title>The year 2025</title><body><p>The rain of 2025 at Halden station was above the average of 760 millimetres.</p></body></html>`)},
}

// newWorld starts a server. Ada and Bob have tokens that open everything; what change does to the configuration comes last.
func newWorld(t testing.TB, change func(*Config)) *world {
	t.Helper()
	address := filepath.Join(t.TempDir(), "ibid.db")
	if server := os.Getenv("SERVER_TEST_POSTGRES"); server != "" {
		address = pgtest.Schema(t, server)
	}
	db, err := store.Open(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	w := &world{t: t, db: db, tokens: map[string]string{}, log: &logged{}}
	j := journal.Open(db, journal.Options{Quota: journal.Quota{Working: 3, Queued: 20}})
	w.engine = &runs.Engine{Journal: j, Build: build(j), Configure: func(_ context.Context, r runs.Request) (research.Config, error) {
		c, err := research.New(r.Question, "quick")
		if err != nil {
			return c, &runs.Error{Code: runs.Invalid, Message: err.Error()}
		}
		c.Model, c.Approver, c.Policy = "extractive", "durable", gate.Default()
		c.Policy.AskPlan = r.AskPlan
		return c, nil
	}}
	tokens := &Tokens{DB: db}
	for _, user := range []string{"ada", "bob"} {
		secret, _, err := tokens.Create(context.Background(), user, "a test", Scopes, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		w.tokens[user] = secret
	}
	config := Config{Desk: w.engine.For, Tokens: tokens, Rate: 1e6, Burst: 1e6, Log: slog.New(slog.NewTextHandler(w.log, nil)),
		Hooks: &hooks.Hooks{DB: db, Client: fetch.NewClient(fetch.ClientConfig{})}, Verify: verdict, Pairs: echo, Base: &knowledge.Base{DB: db}}
	if change != nil {
		change(&config)
	}
	w.api = New(config)
	w.Server = httptest.NewUnstartedServer(w.api)
	w.Server.Config = HTTP(w.api, config.Log)
	w.Start()
	t.Cleanup(func() {
		w.api.Close()
		w.Close()
	})
	return w
}

func build(j *journal.Journal) func(context.Context, research.Config, bool) (research.Parts, func() error, error) {
	return func(_ context.Context, c research.Config, _ bool) (research.Parts, func() error, error) {
		shelf, err := fetch.NewOffline(pages)
		if err != nil {
			return research.Parts{}, nil, err
		}
		library := corpus.NewLibrary(corpus.LibraryConfig{Name: "bundled", Shelf: shelf, Extract: extract.Extract})
		p := research.Parts{Model: extractive.New(extractive.ID), Free: true, Search: library, Approver: journal.Gates{Journal: j},
			Reader: &corpus.Reader{Fetcher: shelf, Extract: extract.Extract, Known: library.Reading}}
		return p, func() error { return nil }, nil
	}
}

// echo stands for the check of pairs: it judges nothing, and knows a line that is no JSON.
func echo(ctx context.Context, in io.Reader, out io.Writer, bad func(int, error)) error {
	body, err := io.ReadAll(in)
	for i, line := range bytes.Split(bytes.TrimSpace(body), []byte("\n")) {
		if !json.Valid(line) {
			bad(i+1, fmt.Errorf("no JSON"))
			continue
		}
		if _, err := fmt.Fprintf(out, "%s\n", line); err != nil {
			return err
		}
	}
	return err
}

func verdict(ctx context.Context, desk *runs.Desk, form Checked, run string, body []byte) (Verdict, error) {
	if form != CheckedMarkdown {
		return Verdict{}, &runs.Error{Code: runs.Integrity, Message: "not checked here"}
	}
	b, err := desk.Bundle(ctx, run)
	if err != nil {
		return Verdict{}, err
	}
	b.Report = string(body)
	check := b.Verify()
	return Verdict{OK: check.OK, Check: &check}, nil
}

// work lets a pool work until the test ends.
func (w *world) work() {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	pool := &runs.Pool{Engine: w.engine, Workers: 3, Poll: 50 * time.Millisecond}
	go func() { done <- pool.Run(ctx) }()
	w.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	})
}

// ask makes a request as a user, "" being nobody. Headers come in pairs.
func (w *world) ask(user, method, path, body string, headers ...string) (*http.Response, []byte) {
	w.t.Helper()
	req, err := http.NewRequest(method, w.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if user != "" {
		req.Header.Set("Authorization", "Bearer "+w.tokens[user])
	}
	for i := 0; i < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	resp, err := w.Client().Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp, text
}

// start starts a run and returns its id.
func (w *world) start(user string) string {
	w.t.Helper()
	resp, body := w.ask(user, "POST", "/v1/runs", `{"question":"`+question+`"}`)
	var info journal.Info
	if err := json.Unmarshal(body, &info); err != nil || resp.StatusCode != http.StatusAccepted {
		w.t.Fatalf("%d %s", resp.StatusCode, body)
	}
	return info.ID
}

// finish works on a run until it is over.
func (w *world) finish(id string) {
	w.t.Helper()
	if _, err := w.engine.Work(context.Background(), id); err != nil {
		w.t.Fatal(err)
	}
}

// problem reads a problem and checks that it is one.
func (w *world) problem(resp *http.Response, body []byte) Problem {
	w.t.Helper()
	var p Problem
	if err := json.Unmarshal(body, &p); err != nil || resp.Header.Get("Content-Type") != "application/problem+json" || p.Status != resp.StatusCode || p.Title == "" || p.Detail == "" {
		w.t.Fatalf("%d is no problem: %s %v", resp.StatusCode, body, err)
	}
	return p
}
