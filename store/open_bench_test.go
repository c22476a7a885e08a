package store

import (
	"context"
	"path/filepath"
	"testing"
)

func BenchmarkOpenNew(b *testing.B) {
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		db, err := Open(context.Background(), filepath.Join(dir, string(rune('a'+i%26))+Hash([]byte{byte(i), byte(i >> 8)})))
		if err != nil {
			b.Fatal(err)
		}
		db.Close()
	}
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.db")
	for b.Loop() {
		db, err := Open(context.Background(), path)
		if err != nil {
			b.Fatal(err)
		}
		db.Close()
	}
}
