package journal

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"ibid/store"
)

// Of a deleted run no file holds a word: not its question, requests, answers, pages, failures, notes, gates, decisions, what was
// said of it later, nor what of it was kept for later runs. The runs around it replay, and keep what they share with it.
func TestDelete(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	shared := noise(9000)
	type run struct {
		id   string
		word func(int) string
		page []byte
	}
	var runs []run
	for i := range 9 {
		page := noise(6000)
		if i == 2 || i == 6 {
			page = shared
		}
		word := words()
		runs = append(runs, run{tell(t, b, word, page), word, page})
		if i%2 == 0 {
			b.advance(clocks + clocks)
		}
	}
	if store.IsPostgres(b.path) { // as a server does by itself
		if _, err := b.db.Exec(`ANALYZE`); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.id)
	}
	kept := runs[:0:0]
	var needles [][]byte
	for i, r := range runs {
		if i == 1 || i == 2 || i == 5 {
			n := pieces(t, b, r.id, r.word, ids)
			if found, _ := hits(t, files(t, b), n); found < len(n)-18 {
				t.Errorf("only %d of %d pieces are found before the deletion", found, len(n))
			}
			needles = append(needles, n...)
			d, err := b.Delete(ctx, r.id)
			if err != nil {
				t.Fatal(err)
			}
			blobs, cached := int64(1), int64(2) // its own, and that of the other run of its time
			if i == 2 {
				blobs, cached = 0, 0
			}
			if d.Events != 13 || d.Gates != 1 || d.Blobs != blobs || d.Cached != cached || d.Bytes < 6000 == (i != 2) || (d.Traces == "") == store.IsPostgres(b.path) {
				t.Errorf("%d: %+v", i, d)
			}
			continue
		}
		kept = append(kept, r)
	}
	if found := rows(t, b, needles); found != 0 {
		t.Errorf("%d cells hold something of the deleted runs", found)
	}
	if store.IsPostgres(b.path) {
		if err := b.db.Scrub(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := b.db.Traces(ctx); err != nil || n != 0 {
		t.Errorf("%d deletions count as traced, %v", n, err)
	}
	if found, in := hits(t, files(t, b), needles); found != 0 {
		t.Errorf("%d of %d pieces of the deleted runs are in %q", found, len(needles), in)
	}
	for _, r := range kept {
		again(t, b, r.id, r.word, r.page)
	}
	t.Logf("%d pieces looked for", len(needles))
}

// A run that is worked on is not deleted; neither is one that a fork still takes from. Deleted, it is nowhere, and who
// believes to work on it records nothing any more. The fork has copies of its own.
func TestDeleteRefuses(t *testing.T) {
	b, ctx := open(t, Options{Owner: "elsewhere/1/x"}), context.Background()
	word, page := words(), noise(5000)
	parent := tell(t, b, word, page)
	want := exported(t, b.Journal, parent)

	fork := b.start(t, Spec{Question: "What is " + word(17) + "?", Parent: parent, ForkAt: 9})
	var busy *Busy
	if _, err := b.Delete(ctx, fork.ID()); !errors.As(err, &busy) || busy.Owner != "elsewhere/1/x" {
		t.Errorf("a working run: %v", err)
	}
	var needed *Needed
	if _, err := b.Delete(ctx, parent); !errors.As(err, &needed) || needed.Fork != fork.ID() {
		t.Errorf("a run with a working fork: %v", err)
	}
	if exported(t, b.Journal, parent) != want {
		t.Error("what was refused has changed something")
	}
	if err := speak(ctx, b, fork, word, page); err != nil {
		t.Fatal(err)
	}
	if err := fork.Finish(ctx, StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	before := exported(t, b.Journal, fork.ID())
	if d, err := b.Delete(ctx, parent); err != nil || d.Blobs != 0 {
		t.Errorf("%+v, %v", d, err)
	}
	again(t, b, fork.ID(), word, page)
	if exported(t, b.Journal, fork.ID()) != before {
		t.Error("the fork has changed")
	}
	for name, err := range map[string]error{
		"delete": func() error { _, err := b.Delete(ctx, parent); return err }(),
		"show":   func() error { _, err := b.Info(ctx, parent); return err }(),
		"replay": func() error { _, err := b.OpenReplay(ctx, parent); return err }(),
		"fork":   func() error { _, err := b.Create(ctx, Spec{Parent: parent}); return err }(),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s of a deleted run: %v", name, err)
		}
	}

	late := b.start(t, Spec{})
	b.advance(clocks)
	if _, err := b.Delete(ctx, late.ID()); err != nil { // its lease has lapsed
		t.Fatal(err)
	}
	if err := late.Note("lead/1/late", "tool", word(3)); err != nil {
		t.Fatal(err)
	}
	if err := late.Flush(ctx); !errors.Is(err, ErrFenced) {
		t.Errorf("a worker of a deleted run records: %v", err)
	}
}

// Of each table it is said what a deletion does with it. Who adds one adds it here, and to remove or to the blobs that are
// wanted if it keeps anything of a run.
func TestDeleteKnowsEveryTable(t *testing.T) {
	cascades := []string{"event", "gate", "run_blob", "idempotency", "delivery"} // by their foreign keys
	known := []string{"run", "blob", "fetched", "embedding",                     // by remove
		"ruling",                                                                                   // of no run
		"kb_dataset", "kb_snippet", "kb_source", "kb_entity", "kb_fact", "kb_support", "kb_report", // of datasets: what a user had remembered outlives the run
		"quota", "token", "webhook", "webhook_secret", "spent", // of users: of the last, a sum of dollars
		"trace", "committed", "goose_db_version", "sqlite_sequence"} // of the database
	b := open(t, Options{})
	for _, table := range tables(t, b) {
		if !slices.Contains(known, table) && !slices.Contains(cascades, table) {
			t.Errorf("what becomes of table %s when a run is deleted?", table)
		}
	}
	for _, table := range cascades {
		var action string
		if err := b.db.QueryRow(`SELECT on_delete FROM pragma_foreign_key_list($1) WHERE "table" = 'run'`, table).Scan(&action); err != nil || action != "CASCADE" {
			t.Errorf("table %s: %q, %v", table, action, err)
		}
	}
}

// What other runs made before or after it is kept in the cache, whatever the page.
func TestDeleteLeavesTheCacheOfOthers(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	own, theirs := noise(4000), noise(4000)
	cache(t, b, "https://a.example/before", theirs)
	b.advance(clocks + clocks)
	id := tell(t, b, words(), own)
	b.advance(clocks + clocks)
	cache(t, b, "https://a.example/after", theirs)
	cache(t, b, "https://a.example/same", own) // fetched again by a command that keeps no run
	word := words()
	other := tell(t, b, word, theirs)
	if d, err := b.Delete(ctx, id); err != nil || d.Cached != 2 || d.Blobs != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	var n int
	if err := b.db.QueryRow(`SELECT COUNT(*) FROM fetched`).Scan(&n); err != nil || n != 3 {
		t.Errorf("%d entries are left, %v", n, err)
	}
	again(t, b, other, word, theirs)
}

// A process that is killed while it deletes leaves the run whole or nothing of it, and the next deletion clears up.
func TestDeleteKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("kills many processes")
	}
	b, ctx := open(t, Options{}), context.Background()
	whole, gone := 0, 0
	var takes time.Duration
	var needles [][]byte
	for i := range 12 {
		word, page := words(), noise(400_000)
		id := tell(t, b, word, page)
		want := exported(t, b.Journal, id)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "JOURNAL_TEST_DB="+b.path, "JOURNAL_TEST_DELETE="+id)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil { // it begins
			t.Fatal(err)
		}
		began := time.Now()
		var killer *time.Timer
		if i > 0 {
			killer = time.AfterFunc(time.Duration(rand.Int64N(int64(takes))), func() { cmd.Process.Kill() })
		}
		err = cmd.Wait()
		if i == 0 {
			takes = time.Since(began)
			if err != nil {
				t.Fatal(err)
			}
		} else {
			killer.Stop()
		}
		if _, err := b.Info(ctx, id); errors.Is(err, ErrNotFound) {
			gone++
			needles = append(needles, pieces(t, b, id, word, nil)...)
			continue
		}
		whole++
		if exported(t, b.Journal, id) != want {
			t.Fatalf("after a kill run %s is another", id)
		}
		again(t, b, id, word, page)
	}
	t.Logf("%d were whole, %d gone", whole, gone)
	if found := rows(t, b, needles); found != 0 {
		t.Errorf("%d cells hold something of deleted runs", found)
	}
	if err := b.db.Scrub(ctx); err != nil {
		t.Fatal(err)
	}
	if found, in := hits(t, files(t, b), needles); found != 0 {
		t.Errorf("%d pieces are in %q", found, in)
	}
}

// deleter is the process that TestDeleteKilled kills.
func deleter() int {
	ctx := context.Background()
	db, err := store.Open(ctx, os.Getenv("JOURNAL_TEST_DB"))
	if err == nil {
		defer db.Close()
		j := Open(db, Options{Now: func() time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) }})
		fmt.Print("x")
		_, err = j.Delete(ctx, os.Getenv("JOURNAL_TEST_DELETE"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
