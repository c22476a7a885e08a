package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(t *testing.T) *DB {
	t.Helper()
	db, err := Open(context.Background(), filepath.Join(t.TempDir(), "a b%20c?.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// Every connection waits for the lock, and read-modify-writes do not lose updates.
func TestEveryConnectionWaits(t *testing.T) {
	db := open(t)
	ctx := context.Background()
	if _, err := db.Exec(`CREATE TABLE n (i BIGINT NOT NULL)`); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`INSERT INTO n VALUES (0)`); err != nil {
		t.Fatal(err)
	}
	var conns []*sql.Conn
	for range 8 {
		c, err := db.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
		for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000"} {
			var got string
			if err := c.QueryRowContext(ctx, "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s = %q, %v; want %q", pragma, got, err, want)
			}
		}
	}
	for _, c := range conns {
		c.Close()
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 25 {
				err := db.Tx(ctx, func(tx *sql.Tx) error {
					var i int
					if err := tx.QueryRow(`SELECT i FROM n`).Scan(&i); err != nil {
						return err
					}
					_, err := tx.Exec(`UPDATE n SET i = $1`, i+1)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	var i int
	if err := db.QueryRow(`SELECT i FROM n`).Scan(&i); err != nil || i != 200 {
		t.Errorf("%d updates kept of 200, %v", i, err)
	}
}

// Writers of eight connections wait for one that holds the lock for long; none fails, none is lost.
func TestHeldLock(t *testing.T) {
	db := open(t)
	ctx := context.Background()
	if _, err := db.Exec(`CREATE TABLE n (i BIGINT NOT NULL)`); err != nil {
		t.Fatal(err)
	}
	holder, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if _, err := holder.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	release := time.AfterFunc(400*time.Millisecond, func() {
		if _, err := holder.ExecContext(ctx, `COMMIT`); err != nil {
			t.Error(err)
		}
	})
	defer release.Stop()
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			conn, err := db.Conn(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			for i := range 200 {
				// In a batch now and then, or the disk's syncs take most of a minute.
				if i%20 == 0 {
					if _, err := conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
						t.Error(err)
						return
					}
				}
				if _, err := conn.ExecContext(ctx, `INSERT INTO n VALUES ($1)`, w*200+i); err != nil {
					t.Error(err)
				}
				if i%20 == 19 {
					if _, err := conn.ExecContext(ctx, `COMMIT`); err != nil {
						t.Error(err)
					}
				}
			}
		}()
	}
	wg.Wait()
	var n int
	if err := db.QueryRow(`SELECT count(DISTINCT i) FROM n`).Scan(&n); err != nil || n != 1600 {
		t.Errorf("%d rows of 1600, %v", n, err)
	}
}

func TestFullDiskIsSaid(t *testing.T) {
	db := open(t)
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`PRAGMA max_page_count = 64`); err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(noise)
	if _, err := db.PutBlob(context.Background(), noise); err == nil || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("%v", err)
	}
}

func TestDictionary(t *testing.T) {
	var dict []byte
	for i := range 20_000 {
		dict = fmt.Appendf(dict, "line %d of an earlier request, value %d\n", i, i*7919%10007)
	}
	data := append(append([]byte(nil), dict...), []byte("and one line more")...)
	packed, err := Compress(dict, data)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Compress(nil, data)
	if err != nil {
		t.Fatal(err)
	}
	if len(packed)*2 > len(alone) {
		t.Errorf("%d bytes: %d with the dictionary, %d without", len(data), len(packed), len(alone))
	}
	got, err := Decompress(dict, packed, int64(len(data)))
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes back of %d, %v", len(got), len(data), err)
	}
	if got, err := Decompress([]byte("another dictionary, quite another"), packed, int64(len(data))); err == nil && bytes.Equal(got, data) {
		t.Error("unpacked without its dictionary")
	}
	if _, err := Decompress(nil, packed, MaxBody+1); err == nil {
		t.Error("no limit on unpacking")
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	junk := filepath.Join(dir, "junk.db")
	if err := os.WriteFile(junk, bytes.Repeat([]byte("not a database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, junk); err == nil || !strings.Contains(err.Error(), "not an ibid database") {
		t.Errorf("a file of text: %v", err)
	}
	if _, err := Open(ctx, filepath.Join(dir, "no", "such", "folder", "x.db")); err == nil {
		t.Error("opened in a folder that is not there")
	}
	path := filepath.Join(dir, "newer.db")
	db, err := Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)`); err != nil {
		t.Fatal(err)
	}
	db.Close()
	if _, err := Open(ctx, path); err == nil || !strings.Contains(err.Error(), "newer ibid") {
		t.Errorf("a newer schema: %v", err)
	}
}

func FuzzDecompress(f *testing.F) {
	good, err := Compress(nil, []byte("some text some text some text"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, int64(29))
	f.Add([]byte("\x28\xb5\x2f\xfd"), int64(1<<40))
	f.Fuzz(func(t *testing.T, packed []byte, size int64) {
		data, err := Decompress(nil, packed, size)
		if err == nil && int64(len(data)) != size {
			t.Errorf("%d bytes where %d were promised", len(data), size)
		}
	})
}
