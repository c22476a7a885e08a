package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"ibid/internal/pgtest"
)

// The children of these tests are this test binary, told by the environment what to do with a database.
func TestMain(m *testing.M) {
	if what := os.Getenv("STORE_TEST_CHILD"); what != "" {
		if err := child(what, os.Getenv("STORE_TEST_DB")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(what, address string) error {
	ctx := context.Background()
	db, err := Open(ctx, address)
	if err != nil {
		return err
	}
	if what == "open" {
		_, err := db.PutBlob(ctx, []byte("x"))
		return errors.Join(err, db.Close())
	}
	return db.Tx(ctx, func(tx *sql.Tx) error { // until it is killed
		for _, n := range []int{1, 2} {
			if _, err := tx.ExecContext(ctx, `INSERT INTO blob (sha256, size, data) VALUES ($1, 0, $2)`, fmt.Sprint("half ", n), []byte{}); err != nil {
				return err
			}
		}
		fmt.Println("half way")
		time.Sleep(time.Minute)
		return nil
	})
}

func start(t *testing.T, what, address string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_CHILD="+what, "STORE_TEST_DB="+address)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestSQLite(t *testing.T) {
	conformance(t, func(t *testing.T) string { return filepath.Join(t.TempDir(), "a b%20c?.db") })
}

func TestPostgres(t *testing.T) {
	s := pgtest.Start(t)
	conformance(t, func(t *testing.T) string { return s.Schema(t) })
	postgresOnly(t, s)
}

// conformance is what holds on every engine. address makes the place of a new database.
func conformance(t *testing.T, address func(*testing.T) string) {
	for _, test := range []struct {
		name string
		f    func(*testing.T, string)
	}{
		{"opened twice", openedTwice}, {"opened by many at once", openedByMany}, {"opened by processes at once", openedByProcesses},
		{"an older schema", olderSchema}, {"a newer schema", newerSchema}, {"a schema that lacks one", lackingSchema}, {"rolled back", rolledBack}, {"writers", writers},
		{"killed half way", killedHalfWay}, {"blobs", blobs}, {"deltas", deltas}, {"forgotten", forgotten}, {"kept while it is forgotten", keptWhileForgotten},
		{"a snapshot", snapshot}, {"statements", statements}, {"order", order}, {"found by another", foundByAnother},
	} {
		t.Run(test.name, func(t *testing.T) { test.f(t, address(t)) })
	}
}

func at(t *testing.T, address string) *DB {
	t.Helper()
	db, err := Open(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// exec runs statements that must succeed.
func run(t *testing.T, db *DB, queries ...string) {
	t.Helper()
	for _, q := range queries {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(q, err)
		}
	}
}

func count(t *testing.T, db *DB, query string, args ...any) (n int) {
	t.Helper()
	if err := db.QueryRow(query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func openedTwice(t *testing.T, address string) {
	ctx := context.Background()
	first, second := at(t, address), at(t, address)
	sha, err := first.PutBlob(ctx, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Blob(ctx, sha); err != nil {
		t.Error(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := at(t, address).Blob(ctx, sha); err != nil {
		t.Errorf("opened again: %v", err)
	}
	if gap := time.Until(second.Now()); gap.Abs() > 30*time.Second {
		t.Errorf("the database's clock is %s off", gap)
	}
}

// Many who open a database that is not there yet all get one.
func openedByMany(t *testing.T, address string) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			db, err := Open(context.Background(), address)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := db.PutBlob(context.Background(), []byte("x")); err != nil {
				t.Error(err)
			}
			db.Close()
		})
	}
	wg.Wait()
	if info, err := os.Stat(address); !IsPostgres(address) && (err != nil || info.Mode().Perm()&0o077 != 0) {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

func openedByProcesses(t *testing.T, address string) {
	var wg sync.WaitGroup
	for range 3 {
		cmd := start(t, "open", address)
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := count(t, at(t, address), `SELECT count(*) FROM blob`); n != 1 {
		t.Errorf("%d blobs", n)
	}
}

// provider is the migrations of an open database.
func provider(t *testing.T, db *DB) *goose.Provider {
	dialect := goose.DialectSQLite3
	if db.pool != nil {
		dialect = goose.DialectPostgres
	}
	p, err := migrations(dialect, db.DB)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An older schema is brought up to date, and what was in it stays.
func olderSchema(t *testing.T, address string) {
	db := at(t, address)
	if _, err := provider(t, db).DownTo(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	sha, err := db.PutBlob(context.Background(), []byte("of old"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`SELECT * FROM ruling`); err == nil {
		t.Fatal("the schema is not older")
	}
	db = at(t, address)
	if _, err := db.Blob(context.Background(), sha); err != nil {
		t.Error(err)
	}
	count(t, db, `SELECT count(*) FROM ruling`)
}

// lackingSchema: a migration that never ran is run, though newer ones were, and one that this program does not know is told.
func lackingSchema(t *testing.T, address string) {
	db := at(t, address)
	for _, q := range []string{`DROP TABLE ruling`, `DELETE FROM goose_db_version WHERE version_id = 4`} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	count(t, at(t, address), `SELECT count(*) FROM ruling`)
	if _, err := db.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, $2)`, 8, true); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), address); !errors.Is(err, errNewer) || !strings.Contains(err.Error(), "schema 8") {
		t.Errorf("a migration that nobody knows: %v", err)
	}
}

func newerSchema(t *testing.T, address string) {
	db := at(t, address)
	if _, err := db.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, $2)`, 9999, true); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), address); err == nil || !strings.Contains(err.Error(), "use a newer ibid") || !errors.Is(err, errNewer) {
		t.Errorf("a newer schema: %v", err)
	}
}

func rolledBack(t *testing.T, address string) {
	db, ctx := at(t, address), context.Background()
	fault := errors.New("fault")
	insert := func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO blob (sha256, size, data) VALUES ('x', 0, $1)`, []byte{})
		return err
	}
	if err := db.Tx(ctx, func(tx *sql.Tx) error { return errors.Join(insert(tx), fault) }); !errors.Is(err, fault) {
		t.Fatal(err)
	}
	if n := count(t, db, `SELECT count(*) FROM blob`); n != 0 {
		t.Errorf("%d rows after a rollback", n)
	}
	if err := db.Tx(ctx, insert); err != nil {
		t.Fatal(err)
	}
	if err := db.Tx(ctx, insert); err == nil {
		t.Error("the same row twice")
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := db.Tx(over, insert); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is over: %v", err)
	}
}
