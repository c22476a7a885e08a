package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"ibid/store"
)

// What is too old to be used, and what nobody wants, goes; what is young stays. A dry run tells the same and does nothing.
func TestGC(t *testing.T) {
	if testing.Short() {
		t.Skip("many processes")
	}
	ctx, home := context.Background(), t.TempDir()
	db, err := store.Open(ctx, filepath.Join(home, "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	day := 24 * time.Hour
	for i, age := range []time.Duration{time.Hour, 8 * day, 91 * day} {
		at := time.Now().Add(-age).UnixMilli()
		sha, err := db.PutBlob(ctx, []byte{'p', byte('0' + i)})
		if err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{`INSERT INTO fetched (url, header, sha256, size, fetched, fresh_until) VALUES ($1, '', $1, 2, $2, $2)`,
			`INSERT INTO embedding (model, sha256, size, vector, made) VALUES ('m', $1, 1, 'v', $2)`,
			`INSERT INTO ruling (asked, verdict, score, reason, made) VALUES ($1, '', 0, '', $2)`} {
			if _, err := db.Exec(query, sha, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	orphan, err := db.PutBlob(ctx, []byte("nobody wants this"))
	if err != nil {
		t.Fatal(err)
	}
	for i, args := range [][]string{{"--json", "gc", "--dry-run"}, {"--json", "gc"}, {"--json", "gc"}} {
		var out, said bytes.Buffer
		if code := run(ctx, append([]string{"--home", home}, args...), nil, &out, &said); code != 0 {
			t.Fatalf("exit status %d: %s", code, said.String())
		}
		var s swept
		if err := json.Unmarshal(out.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		if want := (i < 2); (s.Cached == 2) != want || (s.Vectors == 1) != want || (s.Rulings == 1) != want || (s.Blobs == 1) != want || (s.Bytes > 0) != want || s.DryRun != (i == 0) || s.Traces != "" {
			t.Errorf("%v, time %d: %s", args, i, out.String())
		}
		if _, err := db.Blob(ctx, orphan); (err == nil) != (i == 0) {
			t.Errorf("%v, time %d: what nobody wants: %v", args, i, err)
		}
	}
	for table, want := range map[string]int{"fetched": 1, "embedding": 2, "ruling": 2, "blob": 1} {
		var n int
		if err := db.QueryRow(`SELECT COUNT(*) FROM ` + table).Scan(&n); err != nil || n != want {
			t.Errorf("%s: %d rows, want %d, %v", table, n, want, err)
		}
	}
}
