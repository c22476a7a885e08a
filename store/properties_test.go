package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"math/rand/v2"
	"sync"
	"testing"
)

// Read-modify-writes of two programs lose no update.
func writers(t *testing.T, address string) {
	dbs, ctx := []*DB{at(t, address), at(t, address)}, context.Background()
	run(t, dbs[0], `CREATE TABLE n (k BIGINT PRIMARY KEY, i BIGINT NOT NULL)`, `INSERT INTO n VALUES (1, 0), (2, 0)`)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			db := dbs[w%2]
			for range 10 {
				err := db.Tx(ctx, func(tx *sql.Tx) error {
					for k := range 2 { // in one order and in the other, so that they wait for each other
						var i int
						k = 1 + (k+w/2)%2
						if err := tx.QueryRow(`SELECT i FROM n WHERE k = $1`+db.ForUpdate, k).Scan(&i); err != nil {
							return err
						}
						if _, err := tx.Exec(`UPDATE n SET i = $1 WHERE k = $2`, i+1, k); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if i := count(t, dbs[0], `SELECT SUM(i) FROM n`); i != 160 {
		t.Errorf("%d updates kept of 160", i)
	}
}

// What a program had not committed when it was killed is not there, and holds nobody up.
func killedHalfWay(t *testing.T, address string) {
	db := at(t, address)
	cmd := start(t, "half", address)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was killed
	err = db.Tx(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO blob (sha256, size, data) VALUES ('half 1', 0, $1)`, []byte{})
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if n := count(t, db, `SELECT count(*) FROM blob`); n != 1 {
		t.Errorf("%d rows of a transaction that was never committed", n-1)
	}
}

// largest is 32 MiB that do not compress, packed once for all engines.
var largest = sync.OnceValues(func() (Packed, error) {
	large := make([]byte, 32<<20)
	rand.NewChaCha8([32]byte{}).Read(large)
	return Pack(large)
})

func blobs(t *testing.T, address string) {
	db, ctx := at(t, address), context.Background()
	large, err := largest()
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Put(ctx, db, large); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Blob(ctx, large.SHA); err != nil || int64(len(got)) != large.Size {
		t.Errorf("read back %d bytes of %d, %v", len(got), large.Size, err)
	}
	for _, data := range [][]byte{nil, []byte("a"), {0}, bytes.Repeat([]byte("page "), 100_000)} {
		sha, err := db.PutBlob(ctx, data)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := db.PutBlob(ctx, data); err != nil || again != sha {
			t.Errorf("kept again: %s, %v", again, err)
		}
		got, err := db.Blob(ctx, sha)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("read back %d bytes of %d, %v", len(got), len(data), err)
		}
	}
	if _, err := db.Blob(ctx, Hash([]byte("never kept"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a blob that is not there: %v", err)
	}
	sha, err := db.PutBlob(ctx, []byte("honest bytes"))
	if err != nil {
		t.Fatal(err)
	}
	forged, err := Compress(nil, []byte("forged bytes"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`UPDATE blob SET data = $1 WHERE sha256 = $2`, forged, sha); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Blob(ctx, sha); err == nil {
		t.Error("forged bytes were returned under the old hash")
	}
	if _, err := db.PutBlob(ctx, make([]byte, MaxBody+1)); err == nil {
		t.Error("a blob over the limit was kept")
	}
}

// Bytes of every value come back, and none as none.
func deltas(t *testing.T, address string) {
	db := at(t, address)
	run(t, db, `CREATE TABLE d (i BIGINT PRIMARY KEY, b BYTEA)`)
	dict := bytes.Repeat([]byte("an earlier request, a long one; "), 1000)
	data := append(bytes.Clone(dict), "and one line more"...)
	packed, err := Compress(dict, data)
	if err != nil {
		t.Fatal(err)
	}
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for i, b := range [][]byte{packed, every, {}, nil} {
		if _, err := db.Exec(`INSERT INTO d VALUES ($1, $2)`, i, b); err != nil {
			t.Fatal(err)
		}
		var got []byte
		if err := db.QueryRow(`SELECT b FROM d WHERE i = $1`, i).Scan(&got); err != nil || !bytes.Equal(got, b) || b == nil && got != nil {
			t.Errorf("%d bytes of %d, %v", len(got), len(b), err)
		}
		if i == 0 {
			if whole, err := Decompress(dict, got, int64(len(data))); err != nil || !bytes.Equal(whole, data) {
				t.Errorf("%d bytes of %d, %v", len(whole), len(data), err)
			}
		}
	}
}

func forgotten(t *testing.T, address string) {
	db, ctx := at(t, address), context.Background()
	oneRun(t, db)
	for _, held := range []bool{false, true} {
		sha, err := db.PutBlob(ctx, []byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		if held {
			run(t, db, `INSERT INTO run_blob (run, sha256) VALUES ('r', '`+sha+`')`)
		}
		if err := db.Tx(ctx, func(tx *sql.Tx) error { _, err := db.Forget(ctx, tx, sha); return err }); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Blob(ctx, sha); errors.Is(err, fs.ErrNotExist) == held {
			t.Errorf("held: %v; %v", held, err)
		}
	}
}

// oneRun makes the run r, which blobs can belong to.
func oneRun(t *testing.T, db *DB) {
	t.Helper()
	if _, err := db.Exec(`INSERT INTO run (id, user_name, question, state, model, prompt_version, config, created, updated) VALUES ('r', '', '', 'queued', '', '', $1, 0, 0)`, []byte("{}")); err != nil {
		t.Fatal(err)
	}
}

// A blob that one program puts for a run, while another forgets it since it saw nobody who wants it, is there afterwards.
func keptWhileForgotten(t *testing.T, address string) {
	one, other, ctx := at(t, address), at(t, address), context.Background()
	oneRun(t, one)
	p, err := Pack([]byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if err := one.Put(ctx, one, p); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		put := make(chan struct{})
		wg.Go(func() {
			err := one.Tx(ctx, func(tx *sql.Tx) error {
				if err := one.Put(ctx, tx, p); err != nil {
					return err
				}
				close(put)
				_, err := tx.Exec(`INSERT INTO run_blob (run, sha256) VALUES ('r', $1) ON CONFLICT DO NOTHING`, p.SHA)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		<-put
		if err := other.Tx(ctx, func(tx *sql.Tx) error { _, err := other.Forget(ctx, tx, p.SHA); return err }); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if _, err := one.Blob(ctx, p.SHA); err != nil {
			t.Fatalf("a run's blob is gone: %v", err)
		}
		run(t, one, `DELETE FROM run_blob`)
	}
}

// A snapshot stays as it was, and holds no writer up.
func snapshot(t *testing.T, address string) {
	db, ctx := at(t, address), context.Background()
	tx, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() // it wrote nothing
	see := func() (n int) {
		if err := tx.QueryRow(`SELECT count(*) FROM blob`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := see()
	if _, err := db.PutBlob(ctx, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if after := see(); before != 0 || after != 0 {
		t.Errorf("%d, then %d", before, after)
	}
}

func statements(t *testing.T, address string) {
	db, ctx := at(t, address), context.Background()
	run(t, db, `CREATE TABLE n (k TEXT PRIMARY KEY, i BIGINT NOT NULL)`)
	const upsert = `INSERT INTO n (k, i) VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET i = n.i + excluded.i`
	const next = `UPDATE n SET i = i + $2 WHERE k = $1 RETURNING i`
	for round := range 3 {
		err := db.Tx(ctx, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, upsert, "a", 10); err != nil {
				return err
			}
			var i int64
			if err := tx.QueryRowContext(ctx, next, "a", 1).Scan(&i); err != nil || i != int64(11*(round+1)) {
				t.Errorf("round %d: %d, %v", round, i, err)
			}
			if err := tx.QueryRowContext(ctx, next, "b", 1).Scan(&i); !errors.Is(err, sql.ErrNoRows) {
				t.Errorf("no row: %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Rows come in the order of their bytes, whatever the language of the server.
func order(t *testing.T, address string) {
	db := at(t, address)
	ids := []string{"-a", "0", "A", "B", "_", "a", "a-b", "ab", "b", "é", "ﬁ", "🎈"}
	for _, i := range rand.Perm(len(ids)) {
		if _, err := db.Exec(`INSERT INTO blob (sha256, size, data) VALUES ($1, 0, $2)`, ids[i], []byte{}); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := db.Query(`SELECT sha256 FROM blob ORDER BY sha256`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for _, want := range ids {
		var got string
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
		if err := rows.Scan(&got); err != nil || got != want {
			t.Errorf("%q, want %q; %v", got, want, err)
		}
	}
}

// Two who look, find nothing and insert: the second finds the first's.
func foundByAnother(t *testing.T, address string) {
	dbs, ctx := []*DB{at(t, address), at(t, address)}, context.Background()
	run(t, dbs[0], `CREATE TABLE n (k TEXT PRIMARY KEY)`)
	taken := errors.New("it is here already")
	faults := make([]error, 8)
	var wg sync.WaitGroup
	for w := range faults {
		wg.Go(func() {
			faults[w] = dbs[w%2].Tx(ctx, func(tx *sql.Tx) error {
				var k string
				switch err := tx.QueryRow(`SELECT k FROM n WHERE k = 'a'`).Scan(&k); {
				case err == nil:
					return taken
				case !errors.Is(err, sql.ErrNoRows):
					return err
				}
				_, err := tx.Exec(`INSERT INTO n VALUES ('a')`)
				return err
			})
		})
	}
	wg.Wait()
	made := 0
	for _, err := range faults {
		if err == nil {
			made++
		} else if !errors.Is(err, taken) {
			t.Error(err)
		}
	}
	if made != 1 {
		t.Errorf("%d inserted it", made)
	}
}
