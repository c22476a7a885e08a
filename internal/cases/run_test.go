package cases

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid/audit"
	"ibid/budget"
	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
	"ibid/journal"
	"ibid/store"
)

func nowUTC() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func fileURL(dir, name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(dir, name))}).String()
}

func pathPolicy(t *testing.T, c failureCase) {
	var paths struct{ Deny, Allow []string }
	c.json(t, "paths", &paths)
	var tree map[string]*string
	c.json(t, "tree", &tree)
	top := t.TempDir()
	dir := filepath.Join(top, "corpus")
	if err := os.WriteFile(filepath.Join(top, "secret.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, body := range tree {
		if link, to, ok := strings.Cut(name, " -> "); ok {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(*body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := fetch.NewFolder(dir, nowUTC)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	get := func(p string) error {
		for _, raw := range []string{"file://" + dir + "/" + p, fileURL(dir, p), p} {
			if doc, err := folder.Fetch(context.Background(), raw); err == nil {
				if strings.Contains(string(doc.Body), "secret") {
					t.Errorf("%q led out of the folder", raw)
				}
				return nil
			}
		}
		return errors.New("refused")
	}
	for _, p := range paths.Deny {
		if get(p) == nil {
			t.Errorf("%q was read", p)
		}
	}
	for _, p := range paths.Allow {
		if _, err := folder.Fetch(context.Background(), fileURL(dir, p)); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
}

// reportCheck checks a report over sources that hold their chunks, each recorded as a finding.
func reportCheck(t *testing.T, c failureCase) {
	rec := audit.Record{Spans: map[string][]evidence.Span{}}
	add := func(id, at, text string) {
		l, err := evidence.ParseLocator(at)
		if err != nil {
			t.Fatal(err)
		}
		rec.Spans[id] = append(rec.Spans[id], evidence.Span{Source: id, Locator: l, Text: text})
		rec.Findings = append(rec.Findings, evidence.Finding{ID: evidence.FindingID(len(rec.Findings) + 1), Claim: text, Quote: text, Source: id, Locator: l, Match: evidence.MatchExact})
	}
	source := func(id, url, title string, kind evidence.Kind) {
		rec.Sources = append(rec.Sources, evidence.Source{ID: id, URL: url, Title: title, Kind: kind, Fetched: nowUTC()})
	}
	if name := c.str("sources"); name != "" {
		var sources map[string]struct {
			URL, Title string
			Chunks     map[string]string
		}
		c.json(t, "sources", &sources)
		for _, id := range sortedKeys(sources) {
			s := sources[id]
			source(id, s.URL, s.Title, evidence.HTML)
			for _, at := range sortedKeys(s.Chunks) {
				add(id, at, s.Chunks[at])
			}
		}
	} else {
		for id, v := range c.Input["sources"].(map[string]any) {
			source(id, "https://code.example/", "code", evidence.Repo)
			for _, file := range strs(v.(map[string]any)["files"]) {
				page, err := extract.Extract(context.Background(), extract.Input{URL: "https://code.example/" + file, ContentType: "text/plain", Body: c.file(t, file)})
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range page.Blocks {
					add(id, b.Locator.String(), b.Text)
				}
			}
		}
	}
	for i := range rec.Sources {
		rec.Sources[i].TextSHA256 = evidence.TextHash(rec.Spans[rec.Sources[i].ID])
	}
	result := audit.Report(c.file(t, c.str("report")), rec)
	if result.OK != c.Expect["ok"] {
		t.Errorf("ok %v, want %v", result.OK, c.Expect["ok"])
	}
	all := ""
	for _, f := range result.Failures {
		all += fmt.Sprintf("%s %s %s %s\n", f.Code, f.Text, f.Claim, f.Suggestion)
	}
	for _, want := range strs(c.Expect["failures"]) {
		for _, word := range strings.Fields(want) {
			if !strings.Contains(all, strings.Trim(word, "[]")) {
				t.Errorf("%q is not named in:\n%s", want, all)
			}
		}
	}
	if n, ok := c.Expect["failures"].(float64); ok && result.Blocks() < int(n) {
		t.Errorf("%d failures, want %v:\n%s", result.Blocks(), n, all)
	}
	suggestions, _ := c.Expect["suggestions"].(map[string]any)
	for wrong, right := range suggestions {
		if !strings.Contains(all, fmt.Sprint(right)) {
			t.Errorf("for %q, %q is not suggested:\n%s", wrong, right, all)
		}
	}
}

func openJournal(t *testing.T) *journal.Journal {
	t.Helper()
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return journal.Open(db, journal.Options{})
}

func startRun(t *testing.T, j *journal.Journal, s journal.Spec) *journal.Run {
	t.Helper()
	id, err := j.Create(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := j.Claim(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Abandon)
	return r
}

func perform(t *testing.T, r *journal.Run, key journal.Key, kind string, in any, out string) (string, error) {
	t.Helper()
	d, err := journal.Do(context.Background(), r, journal.Effect{Key: key, Kind: kind}, in, func(context.Context) (string, budget.Amount, error) { return out, budget.Amount{}, nil })
	return d.Value, err
}

// replayKey: a request that differs in one volatile value misses, and the miss names the field.
func replayKey(t *testing.T, c failureCase) {
	names := strs(c.Input["runs"])
	var first, edited map[string]any
	if err := json.Unmarshal(c.file(t, names[0]), &first); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(c.file(t, names[len(names)-1]), &edited); err != nil {
		t.Fatal(err)
	}
	j := openJournal(t)
	r := startRun(t, j, journal.Spec{})
	if _, err := perform(t, r, "lead/1/model", "model", first, "A"); err != nil {
		t.Fatal(err)
	}
	at, err := r.Now(context.Background(), "lead/1/clock")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(context.Background(), journal.StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	again, err := j.OpenReplay(context.Background(), r.ID())
	if err != nil {
		t.Fatal(err)
	}
	if then, err := again.Now(context.Background(), "lead/1/clock"); err != nil || !then.Equal(at) {
		t.Errorf("the clock does not come from the journal: %v, %v", then, err)
	}
	if got, err := perform(t, again, "lead/1/model", "model", first, "B"); err != nil || got != "A" {
		t.Errorf("replayed %q, %v", got, err)
	}
	got, err := perform(t, again, "lead/1/model", "model", edited, "B")
	if err == nil || got != "" || !strings.Contains(err.Error(), fmt.Sprint(c.Expect["miss_message_names"])) {
		t.Errorf("the edited request: %q, %v", got, err)
	}
}

// replayInOrder: equal requests get their answers in order, and one more is a miss.
func replayInOrder(t *testing.T, c failureCase) {
	var recorded []struct {
		Kind, Key, Response string
	}
	c.json(t, "journal", &recorded)
	var requests []string
	c.json(t, "requests", &requests)
	j := openJournal(t)
	r := startRun(t, j, journal.Spec{})
	for i, e := range recorded {
		if _, err := perform(t, r, journal.Key(fmt.Sprintf("lead/%d/x", i)), e.Kind, e.Key, e.Response); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Finish(context.Background(), journal.StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	again, err := j.OpenReplay(context.Background(), r.ID())
	if err != nil {
		t.Fatal(err)
	}
	want := strs(c.Expect["responses"])
	for i, q := range requests {
		if got, err := perform(t, again, journal.Key(fmt.Sprintf("lead/%d/x", i)), recorded[i].Kind, q, "live"); err != nil || got != want[i] {
			t.Errorf("request %d: %q, %v; want %q", i, got, err, want[i])
		}
	}
	if got, err := perform(t, again, journal.Key(fmt.Sprintf("lead/%d/x", len(requests))), "model", c.Expect["then_extra"], "live"); err == nil {
		t.Errorf("one more request was served %q", got)
	}
}

// pooledConnections: every connection of the pool waits for a lock, and all writes arrive.
func pooledConnections(t *testing.T, c failureCase) {
	var s struct {
		Connections int `json:"connections"`
		Writers     int `json:"writers"`
		Rows        int `json:"rows_each"`
		Hold        int `json:"hold_write_lock_ms"`
	}
	c.json(t, "file", &s)
	ctx := context.Background()
	db, err := store.Open(ctx, filepath.Join(t.TempDir(), "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(s.Connections)
	if _, err := db.Exec(`CREATE TABLE row (w BIGINT, n BIGINT)`); err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, s.Writers)
	for w := range s.Writers {
		go func() {
			for n := range s.Rows {
				err := db.Tx(ctx, func(tx *sql.Tx) error {
					_, err := tx.Exec(`INSERT INTO row VALUES ($1, $2)`, w, n)
					return err
				})
				if err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range s.Writers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	var rows float64
	if err := db.QueryRow(`SELECT count(*) FROM row`).Scan(&rows); err != nil || rows != c.Expect["rows"] {
		t.Errorf("%v rows, want %v, %v", rows, c.Expect["rows"], err)
	}
	var mode string
	if err := db.QueryRow(`PRAGMA journal_mode`).Scan(&mode); err != nil || mode != c.Expect["journal_mode"] {
		t.Errorf("journal mode %s, %v", mode, err)
	}
}
