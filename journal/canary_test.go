package journal

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/gate"
	"ibid/store"
)

// speak is a run that holds words which no other holds, in every place where a run can hold some: word(n) for n below 18. Page
// is raw bytes that it keeps. The same program runs it again.
func speak(ctx context.Context, b *bench, r *Run, word func(int) string, page []byte) error {
	padding := strings.Repeat("What was said before comes again. ", 60)
	for step := range 3 {
		at := func(what string) Key { return Key(fmt.Sprintf("lead/%d/%s", step+1, what)) }
		effect := func(what, kind, in string, out func() (string, error)) (string, error) {
			d, err := Do(ctx, r, Effect{Key: at(what), Kind: kind}, in, func(context.Context) (string, Amount, error) {
				s, err := out()
				return s, Amount{}, err
			})
			return d.Value, err
		}
		n := 5 * step
		if _, err := effect("model", "model", padding+word(n), func() (string, error) { return word(n+1) + " " + word(n+1), nil }); err != nil {
			return err
		}
		if _, err := effect("tool.0/fetch.0", "fetch", "https://halden.example/"+word(n+2), func() (string, error) { return r.PutBlob(ctx, page) }); err != nil {
			return err
		}
		if err := r.Note(at("tool.0"), "tool", word(n+3)); err != nil {
			return err
		}
		var failed *Failure
		if _, err := effect("tool.1/fetch.0", "fetch", "page", func() (string, error) { return "", errors.New("no " + word(n+4)) }); !errors.As(err, &failed) {
			return fmt.Errorf("it did not fail: %w", err)
		}
		request := gate.Request{Run: r.ID(), Key: string(at("tool.2/gate.0")), Tool: "read", Args: []byte(fmt.Sprintf(`{"url":%q}`, word(15)))}
		g := Gates{Journal: b.Journal}
		if !r.Replaying() && step == 0 {
			if _, err := g.Decide(ctx, request); !errors.Is(err, gate.ErrPending) {
				return err
			}
			waiting, err := g.List(ctx, r.ID(), false)
			if err != nil {
				return err
			}
			if _, err := g.Answer(ctx, waiting[0].ID, gate.Answer{Allow: true, By: "reader", Reason: word(16)}); err != nil {
				return err
			}
		}
	}
	return r.Flush(ctx)
}

// tell makes a run that speaks, ends it, and has a person say something of it. Its page is in the cache, too.
func tell(t *testing.T, b *bench, word func(int) string, page []byte) string {
	t.Helper()
	ctx := context.Background()
	r := b.start(t, Spec{Question: "What is " + word(17) + "?"})
	if err := speak(ctx, b, r, word, page); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	if err := b.Amend(ctx, r.ID(), "reject", "not "+word(18)); err != nil {
		t.Fatal(err)
	}
	cache(t, b, "https://halden.example/"+word(19), page)
	return r.ID()
}

// cache keeps a page as the cache of pages does.
func cache(t *testing.T, b *bench, url string, page []byte) {
	t.Helper()
	p, err := store.Pack(page)
	if err == nil {
		err = b.db.Put(context.Background(), b.db, p)
	}
	if err == nil {
		_, err = b.db.Exec(`INSERT INTO fetched (url, header, sha256, size, fetched, fresh_until) VALUES ($1, $2, $3, $4, $5, $5)`, url, []byte("{}"), p.SHA, p.Size, b.now())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// again runs a run again from its record.
func again(t *testing.T, b *bench, id string, word func(int) string, page []byte) {
	t.Helper()
	ctx := context.Background()
	r, err := b.OpenReplay(ctx, id)
	if err == nil {
		err = speak(ctx, b, r, word, page)
	}
	if err == nil {
		err = r.Finish(ctx, "", "")
	}
	if err != nil {
		t.Errorf("run %s does not replay: %v", id, err)
	}
	sha := store.Hash(page)
	if data, err := b.Blob(ctx, sha); err != nil || !bytes.Equal(data, page) {
		t.Errorf("run %s lost its page: %v", id, err)
	}
}

// words are canaries of a run: twenty that are found nowhere else.
func words() func(int) string {
	var list [20]string
	for i := range list {
		list[i] = "canary" + rand.Text()
	}
	return func(n int) string { return list[n] }
}

// noise is a page that does not get smaller.
func noise(n int) []byte {
	page := make([]byte, n)
	rand.Read(page) // never fails
	return page
}

// bodies are what a run's rows hold, as it is stored.
func bodies(t *testing.T, b *bench, id string) (all [][]byte) {
	t.Helper()
	for _, query := range []string{`SELECT request FROM event WHERE run = $1`, `SELECT outcome FROM event WHERE run = $1`, `SELECT request FROM gate WHERE run = $1`,
		`SELECT decision FROM gate WHERE run = $1`, `SELECT blob.data FROM blob JOIN run_blob ON run_blob.sha256 = blob.sha256 WHERE run_blob.run = $1`} {
		rows, err := b.db.Query(query, id)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var body []byte
			if err := rows.Scan(&body); err != nil {
				t.Fatal(err)
			}
			all = append(all, body)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// pieces are what to look for of a run: its id, its words, and pieces of its bodies, which are compressed, so that their words
// are not found by themselves; only those that no other run has.
func pieces(t *testing.T, b *bench, id string, word func(int) string, others []string) (needles [][]byte) {
	t.Helper()
	needles = append(needles, []byte(id))
	for n := range 20 {
		needles = append(needles, []byte(word(n)))
	}
	var all [][]byte
	for _, other := range others {
		if other != id {
			all = append(all, bodies(t, b, other)...)
		}
	}
	theirs := bytes.Join(all, nil)
	for _, body := range bodies(t, b, id) {
		for at := 24; at+32 <= len(body); at += 512 {
			if !bytes.Contains(theirs, body[at:at+32]) {
				needles = append(needles, body[at:at+32])
			}
		}
	}
	return needles
}

// hits counts the needles that a file holds, and names the files with one each.
func hits(t *testing.T, files []string, needles [][]byte) (n int, in map[string]string) {
	t.Helper()
	found := make([]bool, len(needles))
	in = map[string]string{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, needle := range needles {
			if !found[i] && bytes.Contains(data, needle) {
				found[i], in[name] = true, string(needle)
			}
		}
	}
	for _, f := range found {
		if f {
			n++
		}
	}
	return n, in
}

// files are the files in which the database is; on a server, those of its tables, without its log of writes.
func files(t *testing.T, b *bench) (names []string) {
	t.Helper()
	dir := filepath.Dir(b.path)
	if store.IsPostgres(b.path) {
		if err := b.db.QueryRow(`SELECT current_setting('data_directory') || '/base'`).Scan(&dir); err != nil {
			t.Fatal(err)
		}
		if _, err := b.db.Exec(`CHECKPOINT`); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// rows counts the cells of all tables that hold one of the needles.
func rows(t *testing.T, b *bench, needles [][]byte) (n int) {
	t.Helper()
	for _, table := range tables(t, b) {
		list, err := b.db.Query(`SELECT * FROM ` + table)
		if err != nil {
			t.Fatal(err)
		}
		defer list.Close()
		columns, err := list.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for list.Next() {
			row := make([]sql.RawBytes, len(columns))
			var into []any
			for i := range row {
				into = append(into, &row[i])
			}
			if err := list.Scan(into...); err != nil {
				t.Fatal(err)
			}
			for _, cell := range row {
				for _, needle := range needles {
					if bytes.Contains(cell, needle) {
						n++
					}
				}
			}
		}
		if err := list.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// tables are the names of all tables.
func tables(t *testing.T, b *bench) []string {
	t.Helper()
	query := `SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`
	if store.IsPostgres(b.path) {
		query = `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname`
	}
	list, err := b.db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	names, err := store.Column(list)
	if err != nil {
		t.Fatal(err)
	}
	return names
}
